/* communicator.c - what is kept with a communicator, as an attribute that is freed with it. */
#include "communicator.h"
#include "accelerator/device.h"
#include "call.h"
#include "world/world.h"
#include <ordo/error.h>
#include <ordo/version.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With more ranks, rank 0 compiles for all. */
enum { COMPILES_ALONE = 256 };
/* With more, a window would take hundreds of megabytes. */
enum { MOST_WINDOW_RANKS = 128 };

int ordo_mpi_most_compiled = COMPILES_ALONE, ordo_mpi_most_alone = COMPILES_ALONE;

static int keyval = MPI_KEYVAL_INVALID;
static unsigned keyval_age;
static _Atomic uint64_t nfreed; /* states */
static pthread_mutex_t keyval_lock = PTHREAD_MUTEX_INITIALIZER;

static void close_bound(struct mpi_bound *bound)
{
	if (!bound->plan)
		return;
	ordo_bound_part_destroy(bound->part);
	ordo_mpi_messenger_close(&bound->messenger);
	free(bound->counts);
	*bound = (struct mpi_bound){0};
}

static int delete_state(MPI_Comm comm, int key, void *value, void *extra)
{
	struct mpi_state *state = value;
	(void)comm;
	(void)key;
	(void)extra;
	for (int i = 0; i < MPI_NBOUND; i++)
		close_bound(&state->bound[i]);
	ordo_mpi_window_close(state->window);
	free(state->counts);
	free(state->scratch);
	for (int i = 0; i < ORDO_MPI_NFORM; i++)
		ordo_mpi_plan_destroy(state->own[i]);
	for (struct mpi_followed *one = state->followed, *next; one; one = next) {
		next = one->next;
		ordo_mpi_plan_destroy(one->own);
		free(one);
	}
	int is_over = 0;
	atomic_fetch_add(&nfreed, 1);
	PMPI_Finalized(&is_over);
	if (!is_over)
		PMPI_Comm_free(&state->comm);
	free(state);
	return MPI_SUCCESS;
}

/* The key of the attribute; a duplicate of a communicator gets none. */
static int find_keyval(int *code)
{
	const unsigned age = ordo_mpi_world_age();
	pthread_mutex_lock(&keyval_lock);
	if (age != keyval_age)
		keyval = MPI_KEYVAL_INVALID;
	keyval_age = age;
	*code = keyval != MPI_KEYVAL_INVALID ? MPI_SUCCESS
					     : PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN,
						       delete_state, &keyval, NULL);
	pthread_mutex_unlock(&keyval_lock);
	return keyval;
}

int ordo_mpi_agree(MPI_Comm comm, int code)
{
	int failed = code != MPI_SUCCESS, any = 0;
	const int found = PMPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, comm);
	if (failed || found != MPI_SUCCESS)
		return failed ? code : found;
	return any ? MPI_ERR_OTHER : MPI_SUCCESS;
}

int ordo_mpi_own_communicator(MPI_Comm comm, MPI_Comm *own)
{
	MPI_Group group;
	int code = PMPI_Comm_group(comm, &group);
	if (code != MPI_SUCCESS)
		return code;
	code = PMPI_Comm_create(comm, group, own);
	PMPI_Group_free(&group);
	if (code == MPI_SUCCESS)
		PMPI_Comm_set_errhandler(*own, MPI_ERRORS_RETURN);
	return code;
}

/* `code` is that of an earlier failure of this rank: it has the others know. */
static struct mpi_state *make_state(MPI_Comm comm, int key, int *code)
{
	MPI_Comm own;
	bool is_kept = false;
	const int found = ordo_mpi_own_communicator(comm, &own);
	if (found != MPI_SUCCESS) {
		*code = found;
		return NULL;
	}
	struct mpi_state *state = calloc(1, sizeof *state);
	if (state && *code == MPI_SUCCESS) {
		*state = (struct mpi_state){.comm = own, .order = ordo_mpi_wanted_order};
		PMPI_Comm_rank(comm, &state->rank);
		PMPI_Comm_size(comm, &state->nrank);
		*code = PMPI_Comm_set_attr(comm, key, state);
		is_kept = *code == MPI_SUCCESS;
	}
	*code = ordo_mpi_agree(own, !state && *code == MPI_SUCCESS ? MPI_ERR_NO_MEM : *code);
	if (*code == MPI_SUCCESS)
		return state;
	if (is_kept) {
		PMPI_Comm_delete_attr(comm, key); /* frees both */
	} else {
		free(state);
		PMPI_Comm_free(&own);
	}
	return NULL;
}

/* NULL: there is none yet. */
static struct mpi_state *look_up(MPI_Comm comm, int *key, int *code)
{
	struct mpi_state *state = NULL;
	int is_there = 0;
	*key = find_keyval(code);
	if (*code == MPI_SUCCESS)
		*code = PMPI_Comm_get_attr(comm, *key, &state, &is_there);
	return is_there ? state : NULL;
}

static struct mpi_state *find_state(MPI_Comm comm, int *code)
{
	int key;
	struct mpi_state *state = look_up(comm, &key, code);
	return state ? state : make_state(comm, key, code);
}

int ordo_mpi_state_devices(struct mpi_state *state)
{
	const uint64_t n = ++state->nmemory;
	int own, any = 0;
	if (state->has_devices || n & (n - 1))
		return MPI_SUCCESS;
	own = ordo_mpi_has_devices();
	const int code = PMPI_Allreduce(&own, &any, 1, MPI_INT, MPI_MAX, state->comm);
	state->has_devices = any;
	return code;
}

/* The communicator of this thread's last call: most have one. Another may get the same handle when
 * it was freed, which the count of freed states shows. */
struct last {
	MPI_Comm comm;
	struct mpi_state *state;
	uint64_t nfreed;
};
static _Thread_local struct last last;

struct mpi_state *ordo_mpi_state(MPI_Comm comm, int *code)
{
	if (last.state && last.comm == comm && last.nfreed == atomic_load(&nfreed)) {
		*code = MPI_SUCCESS;
		return last.state;
	}
	struct mpi_state *state = find_state(comm, code);
	last = (struct last){comm, state, atomic_load(&nfreed)};
	return state;
}

bool ordo_mpi_last(MPI_Comm comm, int *rank, int *nrank)
{
	if (!last.state || last.comm != comm || last.nfreed != atomic_load(&nfreed))
		return false;
	*rank = last.state->rank;
	*nrank = last.state->nrank;
	return true;
}

/* The second reduction makes it: a communicator that is used once is not worth it. */
struct mpi_window *ordo_mpi_state_window(struct mpi_state *state)
{
	struct ordo_error error;
	if (++state->nreduction != 2 || state->nrank > MOST_WINDOW_RANKS || state->nrank == 1)
		return state->window;
	state->trees = ordo_mpi_tree(state->order, (uint32_t)state->nrank, &error);
	state->dyadic = ordo_mpi_tree(ORDO_MPI_DYADIC, (uint32_t)state->nrank, &error);
	state->counts = malloc((size_t)state->nrank * sizeof *state->counts);
	const bool has = state->trees && state->dyadic && state->counts;
	return state->window = ordo_mpi_window_open(state->comm, has);
}

/* What must be the same on all ranks: the order, the schedule and the version. */
static void describe_plan(const struct mpi_plan *plan, char *text, size_t size)
{
	snprintf(text, size, "%s of schedule %s, %s (form %d) of ordo " ORDO_VERSION, plan->digest,
		plan->schedule, plan->algorithm, (int)plan->form);
}

/* One digest, of schedule, order and version, on all ranks. plan: NULL if this rank has none,
 * because of `error`. */
static int compare_digests(
	const struct mpi_state *state, const struct mpi_plan *plan, const struct ordo_error *error)
{
	char own[192] = {0}, first[192];
	int all[2] = {0};
	if (plan)
		describe_plan(plan, own, sizeof own);
	memcpy(first, own, sizeof first);
	int code = PMPI_Bcast(first, sizeof first, MPI_CHAR, 0, state->comm);
	const bool same = !plan || !first[0] || !memcmp(own, first, sizeof own);
	if (!same)
		fprintf(stderr, "ordo: rank %d has the order %s, and rank 0 %s\n", state->rank, own,
			first);
	/* the lowest rank without a plan reports why */
	const int found[2] = {same, plan ? state->nrank : state->rank};
	if (code == MPI_SUCCESS)
		code = PMPI_Allreduce(found, all, 2, MPI_INT, MPI_MIN, state->comm);
	if (code != MPI_SUCCESS)
		return code;
	if (all[1] == state->rank)
		fprintf(stderr, "ordo: rank %d: %s\n", state->rank, error->text);
	return all[0] && all[1] == state->nrank ? MPI_SUCCESS : MPI_ERR_OTHER;
}

const struct mpi_plan *ordo_mpi_state_plan(
	struct mpi_state *state, enum ordo_mpi_form form, int *code)
{
	struct ordo_error error = {0};
	*code = MPI_SUCCESS;
	if (state->plans[form])
		return state->plans[form];
	const bool is_allreduce =
		form == ORDO_MPI_SHORT_ALLREDUCE || form == ORDO_MPI_LONG_ALLREDUCE;
	const struct mpi_plan *plan;
	if (state->nrank > ordo_mpi_most_compiled && is_allreduce &&
		state->order == ORDO_MPI_DYADIC)
		plan = state->own[form] = ordo_mpi_plan_generated(
			form, (uint32_t)state->nrank, (uint32_t)state->rank, &error);
	else if (state->nrank <= ordo_mpi_most_alone)
		plan = ordo_mpi_plan(
			state->order, form, (uint32_t)state->nrank, (uint32_t)state->rank, &error);
	else
		plan = state->own[form] =
			ordo_mpi_plan_received(state->order, form, state->comm, &error);
	*code = compare_digests(state, plan, &error);
	if (*code != MPI_SUCCESS) {
		ordo_mpi_plan_destroy(state->own[form]);
		state->own[form] = NULL;
		return NULL;
	}
	ordo_mpi_plan_record(plan);
	return state->plans[form] = plan;
}

/* Whether all that ranks share is the same; the layout of elements may differ between them. */
static bool is_same(const struct mpi_bound *bound, const struct mpi_bound *wanted,
	const struct ordo_mpi_call *call, int nrank)
{
	if (bound->plan != wanted->plan || bound->type != wanted->type ||
		bound->reduction != wanted->reduction ||
		!bound->opaque.extent != !wanted->opaque.extent ||
		bound->opaque.size != wanted->opaque.size || bound->count != wanted->count ||
		bound->alignment != wanted->alignment ||
		!bound->counts == ordo_mpi_has_counts(call))
		return false;
	for (int r = 0; bound->counts && r < nrank; r++)
		if (bound->counts[r] != (uint64_t)ordo_mpi_block(call, r) * bound->alignment)
			return false;
	return true;
}

/* false: no memory. */
static bool set_counts(struct mpi_bound *bound, const struct ordo_mpi_call *call, int nrank)
{
	if (!ordo_mpi_has_counts(call))
		return true;
	bound->counts = malloc((size_t)nrank * sizeof *bound->counts);
	for (int r = 0; bound->counts && r < nrank; r++)
		bound->counts[r] = (uint64_t)ordo_mpi_block(call, r) * bound->alignment;
	return bound->counts;
}

static bool open_bound(const struct mpi_state *state, struct mpi_bound *bound,
	const struct mpi_bound *wanted, const struct ordo_mpi_call *call)
{
	struct ordo_error error;
	*bound = *wanted;
	const bool has_memory = set_counts(bound, call, state->nrank) &&
				ordo_mpi_messenger_open(&bound->messenger, state->comm, MPI_BYTE,
					ordo_part_requests(wanted->plan->part));
	const struct ordo_plan_options options = {.type = wanted->type,
		.reduction = wanted->reduction,
		.count = wanted->count,
		.block_count = bound->counts,
		.alignment = wanted->opaque.extent ? 0 : wanted->alignment};
	ordo_mpi_messenger_accumulate(
		&bound->messenger, ordo_mpi_trees_accumulator(&wanted->plan->trees, wanted->type));
	if (has_memory)
		bound->part = ordo_part_bind(wanted->plan->part, &options,
			wanted->opaque.extent ? &wanted->opaque : NULL, &error);
	return bound->part;
}

/* The same place on all ranks: with `wanted`, or to be filled. */
static struct mpi_bound *find_place(
	struct mpi_state *state, const struct mpi_bound *wanted, const struct ordo_mpi_call *call)
{
	struct mpi_bound *oldest = &state->bound[0];
	for (int i = 0; i < MPI_NBOUND; i++) {
		struct mpi_bound *bound = &state->bound[i];
		if (is_same(bound, wanted, call, state->nrank))
			return bound;
		oldest = bound->used < oldest->used ? bound : oldest;
	}
	close_bound(oldest);
	return oldest;
}

struct mpi_bound *ordo_mpi_state_bind(struct mpi_state *state, const struct mpi_bound *wanted,
	const struct ordo_mpi_call *call, bool may_differ, int *code)
{
	struct mpi_bound *bound = find_place(state, wanted, call);
	const bool is_new = !bound->plan;
	*code = MPI_SUCCESS;
	if (is_new || memcmp(&bound->opaque, &wanted->opaque, sizeof wanted->opaque)) {
		close_bound(bound);
		if (!open_bound(state, bound, wanted, call))
			*code = MPI_ERR_NO_MEM;
	}
	if (is_new || may_differ)
		*code = ordo_mpi_agree(state->comm, *code);
	if (*code != MPI_SUCCESS) {
		close_bound(bound);
		return NULL;
	}
	bound->used = ++state->ncall;
	return bound;
}

/* Up to KEPT bytes stay with the communicator: the ranks agree once. */
int ordo_mpi_state_scratch(struct mpi_state *state, const struct mpi_elements *elements,
	uint64_t most, uint64_t n, struct mpi_scratch *scratch)
{
	enum { KEPT = 1 << 20, MARGIN = 64 };
	const bool is_short = !elements->may_differ && elements->margin <= MARGIN &&
			      most <= KEPT / elements->extent;
	*scratch = (struct mpi_scratch){0};
	if (!is_short && n)
		scratch->at = ordo_mpi_elements_allocate(elements, n, &scratch->memory);
	else if (is_short && !state->scratch)
		state->scratch = scratch->memory = aligned_alloc(MARGIN, KEPT + 2 * MARGIN);
	else if (is_short) {
		scratch->at = state->scratch + MARGIN;
		return MPI_SUCCESS;
	}
	const bool has = is_short ? state->scratch != NULL : !n || scratch->at;
	const int code = ordo_mpi_agree(state->comm, has ? MPI_SUCCESS : MPI_ERR_NO_MEM);
	if (code != MPI_SUCCESS) {
		free(scratch->memory);
		*scratch = (struct mpi_scratch){0};
	}
	if (!is_short)
		return code;
	state->scratch = scratch->memory;
	*scratch = (struct mpi_scratch){state->scratch ? state->scratch + MARGIN : NULL, NULL};
	return code;
}

int ordo_mpi_compare_calls(MPI_Comm comm, const char *call, int *reason)
{
	enum { MOST = 256 };
	char own[MOST] = {0}, first[MOST], other[MOST];
	int code, all[2] = {0};
	const struct mpi_state *state = ordo_mpi_state(comm, &code);
	if (!state)
		return code;
	snprintf(own, sizeof own, "%s", call);
	memcpy(first, own, sizeof first);
	code = PMPI_Bcast(first, MOST, MPI_CHAR, 0, state->comm);
	if (code != MPI_SUCCESS)
		return code;
	/* the lowest rank that differs, and the highest reason to pass the call on */
	const int found[2] = {strcmp(own, first) ? state->rank : state->nrank, -*reason};
	code = PMPI_Allreduce(found, all, 2, MPI_INT, MPI_MIN, state->comm);
	const int lowest = all[0];
	*reason = -all[1];
	if (code != MPI_SUCCESS || lowest == state->nrank)
		return code;
	memcpy(other, own, sizeof other);
	code = PMPI_Bcast(other, MOST, MPI_CHAR, lowest, state->comm);
	if (!state->rank)
		fprintf(stderr, "ordo: check: rank 0 of %d calls %s, and rank %d calls %s\n",
			state->nrank, first, lowest, other);
	return code == MPI_SUCCESS ? MPI_ERR_ARG : code;
}
