/* shards.c - sums over virtual shards: ordo_mpi_allreduce_shards. */
#include "reduction.h"
#include <ordo/compiler.h>
#include <ordo/detail/fail.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From this size on few bytes matter more than few messages. */
#define LONG_BYTES (UINT64_C(32) << 10)

/* Plans so far. */
struct node {
	struct mpi_plan plan;
	struct node *next;
};
static struct node *nodes;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Whether the shards of each rank are a whole subtree of D(V): 2^k of them. D(N) over these sums is
 * D(V). */
static bool has_subtrees(uint32_t nshard, uint32_t nrank)
{
	const uint32_t each = nshard / nrank;
	return !(nshard % nrank) && !(each & (each - 1));
}

/* All make D(V). Where every rank has a subtree, one vector of each travels. */
static const char *algorithm_of(uint32_t nshard, uint32_t nrank, enum ordo_mpi_form form)
{
	if (!has_subtrees(nshard, nrank))
		return "forest";
	return form == ORDO_MPI_SHORT_ALLREDUCE ? "tree" : "dyadic";
}

static struct ordo_schedule *compile(
	uint32_t nshard, uint32_t nrank, const char *algorithm, struct ordo_error *error)
{
	const struct ordo_request request = {
		.problem = {.op = ORDO_ALLREDUCE, .nrank = nrank, .nshard = nshard},
		.algorithm = algorithm,
		.unproved = true};
	return ordo_compile(&request, error);
}

/* Proves it, and returns the digest of its order. */
static bool find_digest(
	const struct ordo_schedule *schedule, char digest[33], struct ordo_error *error)
{
	struct ordo_proof *proof = ordo_verify(schedule, NULL, error);
	bool worked = proof;
	if (proof && (!proof->proved || proof->position_invariant != ORDO_HOLDS))
		worked = ordo_fail(error, ORDO_REFUTED, 0, "%s over shards is not proved",
			schedule->algorithm);
	if (worked)
		memcpy(digest, proof->digest, sizeof proof->digest);
	ordo_proof_destroy(proof);
	return worked;
}

/* The order is that of one rank, which has all shards. */
static bool prove(
	const struct ordo_schedule *schedule, struct mpi_plan *plan, struct ordo_error *error)
{
	char alone_digest[33];
	struct ordo_schedule *alone = compile(plan->nshard, 1, "dyadic", error);
	bool worked = alone && find_digest(alone, alone_digest, error) &&
		      find_digest(schedule, plan->digest, error);
	if (worked && strcmp(alone_digest, plan->digest))
		worked = ordo_fail(error, ORDO_REFUTED, 0, "%s over shards has another order",
			schedule->algorithm);
	ordo_schedule_destroy(alone);
	return worked;
}

static struct node *make(const struct mpi_plan *wanted, struct ordo_error *error)
{
	struct node *node = calloc(1, sizeof *node);
	if (!node) {
		ordo_fail_memory(error);
		return NULL;
	}
	node->plan = *wanted;
	node->plan.algorithm = algorithm_of(wanted->nshard, wanted->nrank, wanted->form);
	struct ordo_schedule *schedule =
		compile(wanted->nshard, wanted->nrank, node->plan.algorithm, error);
	struct ordo_levels *levels = schedule && prove(schedule, &node->plan, error)
					     ? ordo_levels_create(schedule, error)
					     : NULL;
	if (levels)
		node->plan.part = ordo_part_create(levels, wanted->rank, error);
	ordo_levels_destroy(levels);
	ordo_schedule_destroy(schedule);
	if (!node->plan.part) {
		free(node);
		return NULL;
	}
	node->next = nodes;
	return nodes = node;
}

static const struct mpi_plan *find(const struct mpi_plan *wanted, struct ordo_error *error)
{
	pthread_mutex_lock(&lock);
	struct node *node = nodes;
	while (node && (node->plan.nshard != wanted->nshard || node->plan.nrank != wanted->nrank ||
			       node->plan.rank != wanted->rank || node->plan.form != wanted->form))
		node = node->next;
	if (!node)
		node = make(wanted, error);
	pthread_mutex_unlock(&lock);
	return node ? &node->plan : NULL;
}

static struct ordo_schedule *compile_wanted(
	void *closure, const struct mpi_plan *wanted, struct ordo_error *error)
{
	(void)closure;
	return compile(wanted->nshard, wanted->nrank, wanted->algorithm, error);
}

static bool prove_wanted(void *closure, const struct ordo_schedule *schedule, struct mpi_plan *plan,
	struct ordo_error *error)
{
	(void)closure;
	return prove(schedule, plan, error);
}

/* Of many ranks, by rank 0, which has the others know how many shards it was given. */
static struct mpi_plan *receive(
	const struct mpi_state *state, const struct mpi_plan *wanted, struct ordo_error *error)
{
	const struct mpi_maker maker = {NULL, compile_wanted, prove_wanted};
	struct mpi_plan known = *wanted;
	if (PMPI_Bcast(&known.nshard, 1, MPI_UINT32_T, 0, state->comm) != MPI_SUCCESS)
		return NULL;
	known.algorithm = algorithm_of(known.nshard, known.nrank, known.form);
	return ordo_mpi_plan_share(&known, &maker, state->comm, error);
}

/* All ranks have a plan, for the same number of shards. */
static int agree(const struct mpi_state *state, const struct mpi_plan *plan, int nshard)
{
	int own[3] = {plan != NULL, nshard, -nshard}, all[3];
	const int code = PMPI_Allreduce(own, all, 3, MPI_INT, MPI_MIN, state->comm);
	if (code != MPI_SUCCESS)
		return code;
	if (all[1] != -all[2] && !state->rank)
		fprintf(stderr,
			"ordo: ordo_mpi_allreduce_shards: found %d shards on one rank and "
			"%d on another, wanted the same on all\n",
			all[1], -all[2]);
	return all[0] && all[1] == -all[2] ? MPI_SUCCESS : MPI_ERR_ARG;
}

/* A communicator's plan; at its first use all ranks agree. */
static const struct mpi_plan *find_plan(
	struct mpi_state *state, int nshard, enum ordo_mpi_form form, int *code)
{
	const struct mpi_plan wanted = {.form = form,
		.nrank = (uint32_t)state->nrank,
		.rank = (uint32_t)state->rank,
		.nshard = (uint32_t)nshard};
	struct ordo_error error = {0};
	for (const struct mpi_followed *one = state->followed; one; one = one->next)
		if (!one->range && one->plan->nshard == wanted.nshard && one->plan->form == form)
			return one->plan;
	const bool is_received = state->nrank > ordo_mpi_most_alone;
	struct mpi_plan *own = is_received ? receive(state, &wanted, &error) : NULL;
	const struct mpi_plan *plan = is_received ? own : find(&wanted, &error);
	struct mpi_followed *one = malloc(sizeof *one);
	if (!plan)
		fprintf(stderr, "ordo: rank %d: %s\n", state->rank, error.text);
	*code = agree(state, one ? plan : NULL, nshard);
	if (*code != MPI_SUCCESS) {
		ordo_mpi_plan_destroy(own);
		free(one);
		return NULL;
	}
	*one = (struct mpi_followed){NULL, plan, own, state->followed};
	state->followed = one;
	ordo_mpi_plan_record(plan);
	return plan;
}

/* The dyadic tree of this rank's shards. */
static int fold(const struct mpi_reduction *reduction, int nshard)
{
	const struct ordo_mpi_call *call = reduction->call;
	struct mpi_elements elements = reduction->elements;
	const struct mpi_arithmetic arithmetic = ordo_mpi_elements_arithmetic(&elements);
	const struct mpi_trees *trees = ordo_mpi_tree(ORDO_MPI_DYADIC, (uint32_t)nshard, NULL);
	const void **at = malloc((size_t)nshard * sizeof *at);
	for (int s = 0; at && s < nshard; s++)
		at[s] = (const char *)call->send +
			(uint64_t)s * (uint64_t)call->count * elements.extent;
	const int code = at && trees ? ordo_mpi_trees_fold(trees, &arithmetic, at,
					       (uint64_t)call->count, call->receive)
				     : MPI_ERR_NO_MEM;
	free(at);
	return code;
}

/* Each rank's subtree, and through the window the tree of the ranks. false: there is none. */
static bool share(const struct mpi_reduction *reduction, int *code)
{
	struct mpi_state *state = reduction->state;
	const uint32_t nrank = (uint32_t)state->nrank, nshard = (uint32_t)reduction->call->nshard;
	if (!has_subtrees(nshard, nrank) || !ordo_mpi_state_window(state) || !reduction->fits)
		return false;
	struct ordo_mpi_call call = *reduction->call;
	call.send = MPI_IN_PLACE;
	const struct mpi_reduction sums = {&call, state, reduction->elements, true};
	const int folded = fold(reduction, (int)(nshard / nrank));
	if (folded != MPI_SUCCESS)
		ordo_mpi_reduction_lost(reduction, folded);
	return ordo_mpi_reduction_share(&sums, state->dyadic, code);
}

/* Each rank's subtree, and among many ranks the tree that each of them generates. false: there is
 * none. */
static bool generate(const struct mpi_reduction *reduction, enum ordo_mpi_form form, int *code)
{
	struct mpi_state *state = reduction->state;
	void *sum = reduction->call->receive;
	const uint32_t nrank = (uint32_t)state->nrank, nshard = (uint32_t)reduction->call->nshard;
	if (!has_subtrees(nshard, nrank) || state->nrank <= ordo_mpi_most_compiled ||
		state->order != ORDO_MPI_DYADIC)
		return false;
	const struct mpi_plan *plan = ordo_mpi_state_plan(state, form, code);
	if (!plan)
		return true;
	const int folded = fold(reduction, (int)(nshard / nrank));
	if (folded != MPI_SUCCESS)
		ordo_mpi_reduction_lost(reduction, folded);
	*code = ordo_mpi_reduction_run(reduction, plan, sum, sum);
	return true;
}

int ordo_mpi_reduction_shards(const struct mpi_reduction *reduction)
{
	const struct ordo_mpi_call *call = reduction->call;
	const bool is_long = (uint64_t)call->count * reduction->elements.size >= LONG_BYTES;
	int code = MPI_SUCCESS;
	if (reduction->state->nrank == 1)
		return fold(reduction, call->nshard);
	if (share(reduction, &code))
		return code;
	const enum ordo_mpi_form form =
		is_long ? ORDO_MPI_LONG_ALLREDUCE : ORDO_MPI_SHORT_ALLREDUCE;
	if (generate(reduction, form, &code))
		return code;
	const struct mpi_plan *plan = find_plan(reduction->state, call->nshard, form, &code);
	return plan ? ordo_mpi_reduction_run(reduction, plan, call->send, call->receive) : code;
}
