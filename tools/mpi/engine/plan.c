/* plan.c - compiles and proves the schedules that reductions follow, once for each size. */
#include "plan.h"
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <ordo/compiler.h>
#include <ordo/detail/fail.h>
#include <ordo/detail/generators.h>
#include <ordo/detail/replay.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_power_of_two(uint32_t n)
{
	return !(n & (n - 1));
}

/* All of an order have its trees; tests/mpi/test_plans.c compares them. */
static const char *algorithm_of(enum ordo_mpi_order order, enum ordo_mpi_form form, uint32_t nrank)
{
	if (order == ORDO_MPI_LINEAR)
		return "mesh(fold=linear)";
	if (order == ORDO_MPI_FOLDED)
		return "mesh(fold=folded)";
	switch (form) {
	case ORDO_MPI_SHORT_ALLREDUCE:
		return is_power_of_two(nrank) ? "recursive-doubling(masks=near)" : "tree";
	case ORDO_MPI_LONG_ALLREDUCE:
		return is_power_of_two(nrank) ? "halving-doubling(masks=near)" : "dyadic";
	case ORDO_MPI_TO_ZERO:
		return "tree";
	case ORDO_MPI_SCATTERED:
		break;
	}
	return is_power_of_two(nrank) ? "halving-doubling(masks=near)" : "dyadic";
}

static struct ordo_schedule *compile(enum ordo_mpi_order order, enum ordo_mpi_form form,
	uint32_t nrank, struct ordo_error *error)
{
	static const enum ordo_operator operators[ORDO_MPI_NFORM] = {
		ORDO_ALLREDUCE, ORDO_ALLREDUCE, ORDO_REDUCE, ORDO_REDUCESCATTER};
	const struct ordo_request request = {.problem = {.op = operators[form],
						     .nrank = nrank,
						     .nshard = nrank,
						     .in_place = operators[form] == ORDO_ALLREDUCE},
		.algorithm = algorithm_of(order, form, nrank),
		.unproved = true};
	return ordo_compile(&request, error);
}

/* Everything but the rank's part. */
static bool fill(
	struct mpi_plan *plan, const struct ordo_schedule *schedule, struct ordo_error *error)
{
	struct ordo_proof *proof = ordo_verify(schedule, NULL, error);
	bool worked = proof;
	if (proof && !proof->proved)
		worked = ordo_fail(error, ORDO_REFUTED, 0, "%s on %" PRIu32 " ranks is not proved",
			plan->algorithm, plan->nrank);
	worked = worked && ordo_mpi_trees_open(&plan->trees, proof, error) &&
		 ordo_schedule_digest(schedule, plan->schedule, error);
	if (worked)
		memcpy(plan->digest, proof->digest, sizeof plan->digest);
	ordo_proof_destroy(proof);
	return worked;
}

static struct mpi_plan *create(enum ordo_mpi_order order, enum ordo_mpi_form form, uint32_t nrank,
	uint32_t rank, struct ordo_error *error)
{
	struct mpi_plan *plan = calloc(1, sizeof *plan);
	if (!plan) {
		ordo_fail_memory(error);
		return NULL;
	}
	*plan = (struct mpi_plan){.form = form,
		.order = order,
		.nrank = nrank,
		.rank = rank,
		.algorithm = algorithm_of(order, form, nrank)};
	return plan;
}

/* Compiles, and keeps the part of one rank. */
static struct mpi_plan *compile_plan(enum ordo_mpi_order order, enum ordo_mpi_form form,
	uint32_t nrank, uint32_t rank, struct ordo_error *error)
{
	struct mpi_plan *plan = create(order, form, nrank, rank, error);
	struct ordo_schedule *schedule = plan ? compile(order, form, nrank, error) : NULL;
	struct ordo_levels *levels = schedule && fill(plan, schedule, error)
					     ? ordo_levels_create(schedule, error)
					     : NULL;
	if (levels)
		plan->part = ordo_part_create(levels, rank, error);
	ordo_levels_destroy(levels);
	ordo_schedule_destroy(schedule);
	if (plan && !plan->part) {
		ordo_mpi_plan_destroy(plan);
		plan = NULL;
	}
	return plan;
}

void ordo_mpi_plan_destroy(struct mpi_plan *plan)
{
	if (!plan)
		return;
	ordo_part_destroy(plan->part);
	ordo_mpi_trees_close(&plan->trees);
	free(plan);
}

struct mpi_plan *ordo_mpi_plan_generated(
	enum ordo_mpi_form form, uint32_t nrank, uint32_t rank, struct ordo_error *error)
{
	const struct ordo_problem problem = {
		.op = ORDO_ALLREDUCE, .nrank = nrank, .nshard = nrank, .in_place = true};
	struct ordo_programs programs;
	struct mpi_plan *plan = create(ORDO_MPI_DYADIC, form, nrank, rank, error);
	if (!plan)
		return NULL;
	if (form == ORDO_MPI_LONG_ALLREDUCE && !is_power_of_two(nrank))
		plan->algorithm = "binary-blocks";
	if (ordo_generate(plan->algorithm, &problem, &programs, error))
		plan->part = ordo_part_generate(&programs, rank, error);
	if (plan->part)
		return plan;
	ordo_mpi_plan_destroy(plan);
	return NULL;
}

enum ordo_mpi_order ordo_mpi_wanted_order = ORDO_MPI_DYADIC;

/* Trees of all sizes so far. */
struct named {
	enum ordo_mpi_order order;
	uint32_t nrank;
	struct mpi_trees trees;
	struct named *next;
};
static struct named *names;

static const struct mpi_trees *make_tree(
	enum ordo_mpi_order order, uint32_t nrank, struct ordo_error *error)
{
	static const enum ordo_tree_kind kinds[] = {ORDO_DYADIC, ORDO_LINEAR, ORDO_FOLDED};
	for (const struct named *named = names; named; named = named->next)
		if (named->order == order && named->nrank == nrank)
			return &named->trees;
	struct named *named = malloc(sizeof *named);
	if (!named) {
		ordo_fail_memory(error);
		return NULL;
	}
	*named = (struct named){.order = order, .nrank = nrank, .next = names};
	if (!ordo_mpi_trees_named(&named->trees, kinds[order], nrank, error)) {
		free(named);
		return NULL;
	}
	names = named;
	return &named->trees;
}

/* Plans of all sizes so far. */
struct node {
	struct mpi_plan *plan;
	struct node *next;
};
static struct node *plans;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const struct mpi_plan *find(
	enum ordo_mpi_order order, enum ordo_mpi_form form, uint32_t nrank, uint32_t rank)
{
	for (const struct node *node = plans; node; node = node->next)
		if (node->plan->order == order && node->plan->form == form &&
			node->plan->nrank == nrank && node->plan->rank == rank)
			return node->plan;
	return NULL;
}

static const struct mpi_plan *make(enum ordo_mpi_order order, enum ordo_mpi_form form,
	uint32_t nrank, uint32_t rank, struct ordo_error *error)
{
	struct node *node = malloc(sizeof *node);
	struct mpi_plan *plan = node ? compile_plan(order, form, nrank, rank, error) : NULL;
	if (!node)
		ordo_fail_memory(error);
	if (!plan) {
		free(node);
		return NULL;
	}
	*node = (struct node){plan, plans};
	plans = node;
	return plan;
}

const struct mpi_trees *ordo_mpi_tree(
	enum ordo_mpi_order order, uint32_t nrank, struct ordo_error *error)
{
	pthread_mutex_lock(&lock);
	const struct mpi_trees *trees = make_tree(order, nrank, error);
	pthread_mutex_unlock(&lock);
	return trees;
}

const struct mpi_plan *ordo_mpi_plan(enum ordo_mpi_order order, enum ordo_mpi_form form,
	uint32_t nrank, uint32_t rank, struct ordo_error *error)
{
	pthread_mutex_lock(&lock);
	const struct mpi_plan *plan = find(order, form, nrank, rank);
	if (!plan)
		plan = make(order, form, nrank, rank, error);
	pthread_mutex_unlock(&lock);
	return plan;
}

/* What communicators use: some plans go with their communicator. */
struct record {
	enum ordo_mpi_form form;
	uint32_t nrank, nshard;
	const char *algorithm;
	char digest[33];
	struct record *next;
};
static struct record *records;

void ordo_mpi_plan_record(const struct mpi_plan *plan)
{
	struct record *record;
	pthread_mutex_lock(&lock);
	for (record = records; record; record = record->next)
		if (record->form == plan->form && record->nrank == plan->nrank &&
			record->nshard == plan->nshard &&
			!strcmp(record->algorithm, plan->algorithm))
			break;
	if (!record && (record = malloc(sizeof *record))) {
		*record = (struct record){
			plan->form, plan->nrank, plan->nshard, plan->algorithm, "", records};
		memcpy(record->digest, plan->digest, sizeof record->digest);
		records = record;
	}
	pthread_mutex_unlock(&lock);
}

static const char *const forms[ORDO_MPI_NFORM] = {
	"AllReduce, short", "AllReduce, long", "Reduce", "ReduceScatter"};

void ordo_mpi_plans_json(cJSON *report)
{
	cJSON *all = cJSON_AddArrayToObject(report, "schedules");
	pthread_mutex_lock(&lock);
	for (const struct record *record = records; record; record = record->next) {
		cJSON *one = cJSON_CreateObject();
		cJSON_AddStringToObject(one, "form", forms[record->form]);
		cJSON_AddNumberToObject(one, "ranks", record->nrank);
		if (record->nshard)
			cJSON_AddNumberToObject(one, "shards", record->nshard);
		cJSON_AddStringToObject(one, "algorithm", record->algorithm);
		if (record->digest[0])
			cJSON_AddStringToObject(one, "order_digest", record->digest);
		cJSON_AddBoolToObject(one, "proved_at_this_size", record->digest[0]);
		cJSON_AddItemToArray(all, one);
	}
	pthread_mutex_unlock(&lock);
}

void ordo_mpi_plans_print(FILE *out)
{
	pthread_mutex_lock(&lock);
	for (const struct record *record = records; record; record = record->next) {
		fprintf(out, "ordo:   %-17s on %" PRIu32 " ranks", forms[record->form],
			record->nrank);
		if (record->nshard)
			fprintf(out, ", %" PRIu32 " shards,", record->nshard);
		fprintf(out, " by %s, %s%s\n", record->algorithm,
			record->digest[0] ? "order digest "
					  : "generated for each rank (proved for fewer ranks)",
			record->digest);
	}
	pthread_mutex_unlock(&lock);
}

/* What rank 0 sends ahead of a part. */
struct heading {
	uint64_t part_bytes; /* 0: it failed */
	uint32_t nstep, depth;
	enum ordo_accumulation accumulate;
	char digest[33], schedule[33];
};

static bool send_part(const struct mpi_plan *plan, const struct ordo_levels *levels, int rank,
	MPI_Comm comm, struct ordo_error *error)
{
	struct ordo_part *part = ordo_part_create(levels, (uint32_t)rank, error);
	struct heading heading = {.part_bytes = part ? ordo_part_bytes(part) : 0,
		.nstep = plan->trees.nstep,
		.depth = plan->trees.depth,
		.accumulate = plan->trees.accumulate};
	memcpy(heading.digest, plan->digest, sizeof heading.digest);
	memcpy(heading.schedule, plan->schedule, sizeof heading.schedule);
	int code = PMPI_Send(&heading, sizeof heading, MPI_BYTE, rank, 0, comm), is_ready = 0;
	if (part && code == MPI_SUCCESS)
		code = PMPI_Recv(&is_ready, 1, MPI_INT, rank, 0, comm, MPI_STATUS_IGNORE);
	if (is_ready && code == MPI_SUCCESS)
		code = PMPI_Send(part, (int)heading.part_bytes, MPI_BYTE, rank, 0, comm);
	if (is_ready && code == MPI_SUCCESS)
		code = PMPI_Send(
			plan->trees.steps, (int)plan->trees.nstep, MPI_UINT32_T, rank, 0, comm);
	ordo_part_destroy(part);
	if (part && !is_ready)
		ordo_fail(error, ORDO_ENVIRONMENT, 0, "rank %d could not take its schedule", rank);
	return is_ready && code == MPI_SUCCESS;
}

/* Rank 0: compiles, proves, and sends all parts. plan: NULL without memory. */
static bool send_plans(struct mpi_plan *plan, const struct mpi_maker *maker, MPI_Comm comm,
	int nrank, struct ordo_error *error)
{
	struct ordo_schedule *schedule = plan ? maker->compile(maker->closure, plan, error) : NULL;
	struct ordo_levels *levels = schedule && maker->prove(maker->closure, schedule, plan, error)
					     ? ordo_levels_create(schedule, error)
					     : NULL;
	const struct heading none = {0};
	if (levels)
		plan->part = ordo_part_create(levels, 0, error);
	bool worked = plan && plan->part;
	for (int r = 1; r < nrank; r++)
		if (!worked)
			PMPI_Send(&none, sizeof none, MPI_BYTE, r, 0, comm);
		else
			worked = send_part(plan, levels, r, comm, error);
	ordo_levels_destroy(levels);
	ordo_schedule_destroy(schedule);
	return worked;
}

/* Takes part in the messages also without memory: plan may be NULL. */
static bool receive_part(struct mpi_plan *plan, MPI_Comm comm, struct ordo_error *error)
{
	struct heading heading;
	if (PMPI_Recv(&heading, sizeof heading, MPI_BYTE, 0, 0, comm, MPI_STATUS_IGNORE) !=
			MPI_SUCCESS ||
		!heading.part_bytes)
		return ordo_fail(error, ORDO_ENVIRONMENT, 0, "rank 0 could not make the schedule");
	void *bytes = malloc(heading.part_bytes);
	struct mpi_trees trees = {malloc(((size_t)heading.nstep + 1) * sizeof *trees.steps),
		heading.nstep, heading.depth, heading.accumulate};
	const int is_ready = plan && bytes && trees.steps;
	bool worked = PMPI_Send(&is_ready, 1, MPI_INT, 0, 0, comm) == MPI_SUCCESS && is_ready;
	if (!is_ready)
		ordo_fail_memory(error);
	worked = worked &&
		 PMPI_Recv(bytes, (int)heading.part_bytes, MPI_BYTE, 0, 0, comm,
			 MPI_STATUS_IGNORE) == MPI_SUCCESS &&
		 PMPI_Recv(trees.steps, (int)heading.nstep, MPI_UINT32_T, 0, 0, comm,
			 MPI_STATUS_IGNORE) == MPI_SUCCESS;
	if (worked) {
		plan->part = ordo_part_read(bytes, heading.part_bytes, error);
		plan->trees = trees;
		memcpy(plan->digest, heading.digest, sizeof plan->digest);
		memcpy(plan->schedule, heading.schedule, sizeof plan->schedule);
	} else {
		free(trees.steps);
	}
	free(bytes);
	return worked && plan->part;
}

struct mpi_plan *ordo_mpi_plan_share(const struct mpi_plan *wanted, const struct mpi_maker *maker,
	MPI_Comm comm, struct ordo_error *error)
{
	int nrank;
	PMPI_Comm_size(comm, &nrank);
	struct mpi_plan *plan = calloc(1, sizeof *plan);
	if (plan)
		*plan = *wanted;
	else
		ordo_fail_memory(error);
	if (wanted->rank ? receive_part(plan, comm, error)
			 : send_plans(plan, maker, comm, nrank, error))
		return plan;
	ordo_mpi_plan_destroy(plan);
	return NULL;
}

static struct ordo_schedule *compile_wanted(
	void *closure, const struct mpi_plan *wanted, struct ordo_error *error)
{
	(void)closure;
	return compile(wanted->order, wanted->form, wanted->nrank, error);
}

static bool fill_wanted(void *closure, const struct ordo_schedule *schedule, struct mpi_plan *plan,
	struct ordo_error *error)
{
	(void)closure;
	return fill(plan, schedule, error);
}

struct mpi_plan *ordo_mpi_plan_received(
	enum ordo_mpi_order order, enum ordo_mpi_form form, MPI_Comm comm, struct ordo_error *error)
{
	const struct mpi_maker maker = {NULL, compile_wanted, fill_wanted};
	int rank, nrank;
	PMPI_Comm_rank(comm, &rank);
	PMPI_Comm_size(comm, &nrank);
	const struct mpi_plan wanted = {.form = form,
		.order = order,
		.nrank = (uint32_t)nrank,
		.rank = (uint32_t)rank,
		.algorithm = algorithm_of(order, form, (uint32_t)nrank)};
	return ordo_mpi_plan_share(&wanted, &maker, comm, error);
}
