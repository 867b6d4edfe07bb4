/* communicator.c - what is kept with a communicator, as an attribute that is freed with it. */
#include "communicator.h"
#include "call.h"
#include <ordo/error.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With more ranks, rank 0 compiles for all. */
enum { COMPILES_ALONE = 256 };
/* With more, a window would take hundreds of megabytes. */
enum { MOST_WINDOW_RANKS = 128 };

int ordo_mpi_most_compiled = COMPILES_ALONE;

static int keyval = MPI_KEYVAL_INVALID;
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
	for (int i = 0; i < ORDO_MPI_NFORM; i++)
		ordo_mpi_plan_destroy(state->own[i]);
	for (struct mpi_followed *one = state->followed, *next; one; one = next) {
		next = one->next;
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
	pthread_mutex_lock(&keyval_lock);
	*code = keyval != MPI_KEYVAL_INVALID ? MPI_SUCCESS
					     : PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN,
						       delete_state, &keyval, NULL);
	pthread_mutex_unlock(&keyval_lock);
	return keyval;
}

static struct mpi_state *make_state(MPI_Comm comm, int *code)
{
	struct mpi_state *state = calloc(1, sizeof *state);
	if (!state) {
		*code = MPI_ERR_NO_MEM;
		return NULL;
	}
	*code = PMPI_Comm_dup(comm, &state->comm);
	if (*code != MPI_SUCCESS) {
		free(state);
		return NULL;
	}
	PMPI_Comm_set_errhandler(state->comm, MPI_ERRORS_RETURN);
	state->order = ordo_mpi_wanted_order;
	PMPI_Comm_rank(comm, &state->rank);
	PMPI_Comm_size(comm, &state->nrank);
	return state;
}

static struct mpi_state *find_state(MPI_Comm comm, int *code)
{
	struct mpi_state *state = NULL;
	int is_there = 0;
	const int key = find_keyval(code);
	if (*code == MPI_SUCCESS)
		*code = PMPI_Comm_get_attr(comm, key, &state, &is_there);
	if (*code != MPI_SUCCESS || is_there)
		return *code == MPI_SUCCESS ? state : NULL;
	state = make_state(comm, code);
	if (state)
		*code = PMPI_Comm_set_attr(comm, key, state);
	return state;
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
	state->counts = malloc((size_t)state->nrank * sizeof *state->counts);
	int has = state->trees && state->counts, all = 0;
	PMPI_Allreduce(&has, &all, 1, MPI_INT, MPI_MIN, state->comm);
	return state->window = all ? ordo_mpi_window_open(state->comm) : NULL;
}

static int fail(const struct mpi_state *state, const struct ordo_error *error)
{
	if (!state->rank)
		fprintf(stderr, "ordo: %s\n", error->text);
	return MPI_ERR_OTHER;
}

/* One digest, of schedule and order, on all ranks. */
static int compare_digests(const struct mpi_state *state, const struct mpi_plan *plan)
{
	char own[64] = {0}, first[64];
	int same, all = 0;
	snprintf(own, sizeof own, "%s %d", plan->digest, (int)plan->form);
	memcpy(first, own, sizeof own);
	int code = PMPI_Bcast(first, sizeof first, MPI_CHAR, 0, state->comm);
	same = !memcmp(own, first, sizeof own);
	if (!same)
		fprintf(stderr, "ordo: rank %d has the order %s, and rank 0 %s\n", state->rank, own,
			first);
	if (code == MPI_SUCCESS)
		code = PMPI_Allreduce(&same, &all, 1, MPI_INT, MPI_MIN, state->comm);
	return code == MPI_SUCCESS && !all ? MPI_ERR_OTHER : code;
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
	else if (state->nrank <= COMPILES_ALONE)
		plan = ordo_mpi_plan(
			state->order, form, (uint32_t)state->nrank, (uint32_t)state->rank, &error);
	else
		plan = state->own[form] =
			ordo_mpi_plan_received(state->order, form, state->comm, &error);
	*code = plan ? compare_digests(state, plan) : fail(state, &error);
	if (*code != MPI_SUCCESS)
		return NULL;
	ordo_mpi_plan_record(plan);
	return state->plans[form] = plan;
}

static bool is_same(const struct mpi_bound *a, const struct mpi_bound *b, int nrank)
{
	return a->plan == b->plan && a->type == b->type && a->reduction == b->reduction &&
	       a->extent == b->extent && a->margin == b->margin && a->count == b->count &&
	       a->alignment == b->alignment && !a->counts == !b->counts &&
	       (!a->counts || !memcmp(a->counts, b->counts, (size_t)nrank * sizeof *a->counts));
}

static uint64_t *copy_counts(const uint64_t *counts, int nrank)
{
	uint64_t *copy = malloc((size_t)nrank * sizeof *copy);
	return copy ? memcpy(copy, counts, (size_t)nrank * sizeof *copy) : NULL;
}

static bool open_bound(
	struct mpi_state *state, struct mpi_bound *bound, const struct mpi_bound *wanted)
{
	*bound = *wanted;
	bound->part = NULL;
	bound->counts = wanted->counts ? copy_counts(wanted->counts, state->nrank) : NULL;
	const struct ordo_plan_options options = {.type = wanted->type,
		.reduction = wanted->reduction,
		.count = wanted->count,
		.block_count = bound->counts,
		.alignment = wanted->extent ? 0 : wanted->alignment};
	struct ordo_error error;
	const bool has_messenger = ordo_mpi_messenger_open(
		&bound->messenger, state->comm, MPI_BYTE, ordo_part_requests(wanted->plan->part));
	if (has_messenger && (bound->counts || !wanted->counts))
		bound->part = ordo_part_bind(
			wanted->plan->part, &options, wanted->extent, wanted->margin, &error);
	if (!bound->part)
		close_bound(bound);
	return bound->part;
}

struct mpi_bound *ordo_mpi_state_bind(
	struct mpi_state *state, const struct mpi_bound *wanted, int *code)
{
	struct mpi_bound *oldest = &state->bound[0];
	*code = MPI_SUCCESS;
	state->ncall++;
	for (int i = 0; i < MPI_NBOUND; i++) {
		struct mpi_bound *bound = &state->bound[i];
		if (bound->plan && is_same(bound, wanted, state->nrank)) {
			bound->used = state->ncall;
			return bound;
		}
		oldest = bound->used < oldest->used ? bound : oldest;
	}
	close_bound(oldest);
	if (!open_bound(state, oldest, wanted)) {
		*code = MPI_ERR_NO_MEM;
		return NULL;
	}
	oldest->used = state->ncall;
	return oldest;
}

int ordo_mpi_compare_calls(MPI_Comm comm, const char *call)
{
	enum { MOST = 256 };
	char own[MOST] = {0}, first[MOST], other[MOST];
	int code, lowest = 0;
	const struct mpi_state *state = ordo_mpi_state(comm, &code);
	if (!state)
		return code;
	snprintf(own, sizeof own, "%s", call);
	memcpy(first, own, sizeof first);
	code = PMPI_Bcast(first, MOST, MPI_CHAR, 0, state->comm);
	if (code != MPI_SUCCESS)
		return code;
	const int differs = strcmp(own, first) ? state->rank : state->nrank;
	code = PMPI_Allreduce(&differs, &lowest, 1, MPI_INT, MPI_MIN, state->comm);
	if (code != MPI_SUCCESS || lowest == state->nrank)
		return code;
	memcpy(other, own, sizeof other);
	code = PMPI_Bcast(other, MOST, MPI_CHAR, lowest, state->comm);
	if (!state->rank)
		fprintf(stderr, "ordo: check: rank 0 of %d calls %s, and rank %d calls %s\n",
			state->nrank, first, lowest, other);
	return code == MPI_SUCCESS ? MPI_ERR_ARG : code;
}
