/* request.c - pending reductions by their request. */
#include "request.h"
#include "world/world.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { NBUCKET = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mpi_pending *buckets[NBUCKET]; /* that no call is waiting for */
static struct mpi_pending *all;
static _Atomic unsigned npending; /* most programs have none: no lock is taken */

static struct mpi_pending **bucket(MPI_Request request)
{
	uintptr_t bits = 0;
	memcpy(&bits, &request, sizeof request);
	return &buckets[(bits ^ bits >> 6 ^ bits >> 14) % NBUCKET];
}

static void put(struct mpi_pending *pending)
{
	struct mpi_pending **head = bucket(pending->request);
	pending->next = *head;
	*head = pending;
}

/* NULL: not ours. */
static struct mpi_pending *take(MPI_Request request)
{
	struct mpi_pending **at = bucket(request);
	while (*at && (*at)->request != request)
		at = &(*at)->next;
	struct mpi_pending *found = *at;
	if (found)
		*at = found->next;
	return found;
}

void ordo_mpi_request_add(struct mpi_pending *pending)
{
	pthread_mutex_lock(&lock);
	put(pending);
	pending->of_all.next = all;
	pending->of_all.at = &all;
	if (all)
		all->of_all.at = &pending->of_all.next;
	all = pending;
	atomic_fetch_add(&npending, 1);
	pthread_mutex_unlock(&lock);
}

void ordo_mpi_request_discard(struct mpi_pending *pending)
{
	if (pending->is_persistent)
		PMPI_Comm_free(&pending->comm);
	if (pending->handler != MPI_ERRHANDLER_NULL)
		PMPI_Errhandler_free(&pending->handler);
	if (pending->block.datatype != MPI_DATATYPE_NULL)
		PMPI_Type_free(&pending->block.datatype);
	ordo_mpi_comparison_end(pending->comparison);
	free(pending->memory);
	free(pending->numbers);
	free(pending);
}

/* Another one that needs the operation or the datatype frees it then. */
static void hand_over(struct mpi_pending *pending)
{
	const bool frees = pending->frees_op || pending->frees_datatype;
	for (struct mpi_pending *other = frees ? all : NULL; other; other = other->of_all.next) {
		if (pending->frees_op && other->call.op == pending->call.op) {
			other->frees_op = true;
			pending->frees_op = false;
		}
		if (pending->frees_datatype && other->call.datatype == pending->call.datatype) {
			other->frees_datatype = true;
			pending->frees_datatype = false;
		}
	}
}

static void finish(struct mpi_pending *pending)
{
	pthread_mutex_lock(&lock);
	*pending->of_all.at = pending->of_all.next;
	if (pending->of_all.next)
		pending->of_all.next->of_all.at = pending->of_all.at;
	atomic_fetch_sub(&npending, 1);
	hand_over(pending);
	pthread_mutex_unlock(&lock);
	if (pending->frees_op)
		PMPI_Op_free(&pending->call.op);
	if (pending->frees_datatype)
		PMPI_Type_free(&pending->call.datatype);
	ordo_mpi_request_discard(pending);
}

bool ordo_mpi_keep_op(MPI_Op op)
{
	bool is_kept = false;
	if (!atomic_load(&npending))
		return false;
	pthread_mutex_lock(&lock);
	for (struct mpi_pending *one = all; one && !is_kept; one = one->of_all.next)
		if (one->call.op == op)
			is_kept = one->frees_op = true;
	pthread_mutex_unlock(&lock);
	return is_kept;
}

bool ordo_mpi_keep_datatype(MPI_Datatype datatype)
{
	bool is_kept = false;
	if (!atomic_load(&npending))
		return false;
	pthread_mutex_lock(&lock);
	for (struct mpi_pending *one = all; one && !is_kept; one = one->of_all.next)
		if (one->call.datatype == datatype)
			is_kept = one->frees_datatype = true;
	pthread_mutex_unlock(&lock);
	return is_kept;
}

static MPI_Request get(const struct mpi_waited *waited, int place)
{
	return waited->fortran ? PMPI_Request_f2c(waited->fortran[place]) : waited->requests[place];
}

static void set(struct mpi_waited *waited, int place, MPI_Request request)
{
	if (waited->fortran)
		waited->fortran[place] = PMPI_Request_c2f(request);
	else
		waited->requests[place] = request;
}

static void wait_for(struct mpi_waited *waited, int n)
{
	waited->first = NULL;
	waited->failed = -1;
	if (!atomic_load_explicit(&npending, memory_order_relaxed) ||
		!(waited->requests || waited->fortran))
		return;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < n; i++) {
		struct mpi_pending *pending = take(get(waited, i));
		if (!pending)
			continue;
		pending->place = i;
		pending->next_waited = waited->first;
		waited->first = pending;
		if (pending->is_persistent)
			set(waited, i, pending->active);
	}
	pthread_mutex_unlock(&lock);
}

static void end_comparison(struct mpi_pending *pending)
{
	ordo_mpi_comparison_end(pending->comparison);
	pending->comparison = NULL;
}

/* A reduction is complete when its comparison is. Where calls differ its own request may never be:
 * nobody waits for it any more. */
static void compare_all(struct mpi_waited *waited, enum mpi_wait wait)
{
	for (struct mpi_pending *one = waited->first; one; one = one->next_waited) {
		if (one->comparison && wait != MPI_WAIT_ANY) {
			one->is_hidden = !ordo_mpi_comparison_test(
				one->comparison, wait == MPI_WAIT_ALL, &one->code);
			if (!one->is_hidden)
				end_comparison(one);
		}
		if (one->is_hidden) {
			set(waited, one->place, ordo_mpi_never());
			waited->hides = true;
		} else if (one->code != MPI_SUCCESS) {
			set(waited, one->place, MPI_REQUEST_NULL);
			waited->failed = one->place;
		}
	}
}

void ordo_mpi_wait_begin(
	struct mpi_waited *waited, enum mpi_wait wait, int n, MPI_Request *requests)
{
	*waited = (struct mpi_waited){.requests = requests};
	wait_for(waited, n);
	compare_all(waited, wait);
}

void ordo_mpi_wait_begin_fortran(
	struct mpi_waited *waited, enum mpi_wait wait, int n, MPI_Fint *requests)
{
	*waited = (struct mpi_waited){.fortran = requests};
	wait_for(waited, n);
	compare_all(waited, wait);
}

/* An error goes to the handler of the program's communicator, which may be freed. */
static void raise_error(const struct mpi_pending *pending, int code)
{
	MPI_Comm own;
	if (PMPI_Comm_split(ordo_mpi_self(), 0, 0, &own) != MPI_SUCCESS)
		return;
	PMPI_Comm_set_errhandler(own, pending->handler);
	PMPI_Comm_call_errhandler(own, code);
	PMPI_Comm_free(&own);
}

static int fold(struct mpi_pending *pending)
{
	struct ordo_mpi_mode mode;
	int code = MPI_SUCCESS;
	const double began = PMPI_Wtime();
	if (pending->is_folded)
		return code;
	pending->is_folded = true;
	if (pending->inputs && pending->n) {
		ordo_mpi_mode_begin(&mode);
		code = ordo_mpi_fold(&pending->call, pending->rank, pending->nrank, pending->inputs,
			pending->block.stride, pending->n, pending->call.receive);
		ordo_mpi_mode_end(&mode);
	}
	ordo_mpi_count_time(pending->logged.function, PMPI_Wtime() - began);
	ordo_mpi_log_end(&pending->logged.line, &pending->call, code);
	if (code != MPI_SUCCESS)
		raise_error(pending, code);
	return code;
}

static void put_back(struct mpi_pending *pending)
{
	pthread_mutex_lock(&lock);
	put(pending);
	pthread_mutex_unlock(&lock);
}

/* What its own request still writes to is left alone. */
static int fail(struct mpi_pending *pending)
{
	const int code = pending->code;
	raise_error(pending, code);
	ordo_mpi_log_end(&pending->logged.line, &pending->call, code);
	pending->code = MPI_SUCCESS;
	pending->is_folded = true;
	if (pending->is_persistent)
		return code;
	pending->memory = NULL;
	pending->inputs = NULL;
	pending->numbers = NULL;
	return code;
}

static int complete(struct mpi_pending *pending)
{
	if (pending->comparison) { /* the function waited for one of several */
		ordo_mpi_comparison_test(pending->comparison, true, &pending->code);
		end_comparison(pending);
	}
	return pending->code != MPI_SUCCESS ? fail(pending) : fold(pending);
}

int ordo_mpi_wait_end(struct mpi_waited *waited, int code)
{
	for (struct mpi_pending *one = waited->first, *next; one; one = next) {
		next = one->next_waited;
		if (one->is_hidden) {
			one->is_hidden = false;
			set(waited, one->place, one->request);
			put_back(one);
			continue;
		}
		const bool is_done = get(waited, one->place) == MPI_REQUEST_NULL;
		const int found = is_done ? complete(one) : MPI_SUCCESS;
		code = code == MPI_SUCCESS ? found : code;
		if (is_done && !one->is_persistent) {
			finish(one);
			continue;
		}
		if (is_done)
			one->active = MPI_REQUEST_NULL;
		if (one->is_persistent)
			set(waited, one->place, one->request);
		put_back(one);
	}
	return code;
}

int ordo_mpi_wait_end_status(struct mpi_waited *waited, bool is_done, int code)
{
	struct mpi_pending *one = waited->first;
	if (!one)
		return code;
	const int found = is_done && one->code == MPI_SUCCESS ? fold(one) : one->code;
	one->is_hidden = false;
	put_back(one);
	return code == MPI_SUCCESS ? found : code;
}

static struct mpi_pending *find(MPI_Request request)
{
	if (!atomic_load_explicit(&npending, memory_order_relaxed))
		return NULL;
	pthread_mutex_lock(&lock);
	struct mpi_pending *pending = take(request);
	if (pending)
		put(pending);
	pthread_mutex_unlock(&lock);
	return pending;
}

/* What the program may not do with its persistent request, which the library knows as another: as
 * the library refuses it of its own. */
static int refuse(const struct mpi_pending *pending)
{
	raise_error(pending, MPI_ERR_REQUEST);
	return MPI_ERR_REQUEST;
}

bool ordo_mpi_start(MPI_Request request, int *code)
{
	struct mpi_pending *pending = find(request);
	/* The library reports what cannot be started. */
	if (!pending || !pending->is_persistent)
		return false;
	if (pending->active != MPI_REQUEST_NULL) {
		*code = refuse(pending);
		return true;
	}
	ordo_mpi_count(pending->logged.function, ORDO_MPI_TAKEN, pending->bytes, 0);
	ordo_mpi_log_again(&pending->logged.line, &pending->call);
	*code = ordo_mpi_collect_begin(pending);
	pending->is_folded = *code != MPI_SUCCESS;
	if (*code != MPI_SUCCESS)
		raise_error(pending, *code);
	return true;
}

/* The library decides whether the request of a nonblocking call may be freed: Open MPI allows it
 * when it is complete, and the reduction is made then. */
bool ordo_mpi_free(MPI_Request *request, int *code)
{
	struct mpi_pending *pending = request ? find(*request) : NULL;
	if (!pending)
		return false;
	if (pending->active != MPI_REQUEST_NULL && pending->is_persistent) {
		*code = refuse(pending);
		return true;
	}
	pthread_mutex_lock(&lock);
	take(*request);
	pthread_mutex_unlock(&lock);
	*code = PMPI_Request_free(request);
	if (*code != MPI_SUCCESS) {
		put_back(pending);
		return true;
	}
	if (!pending->is_persistent)
		*code = complete(pending);
	finish(pending);
	return true;
}

bool ordo_mpi_cancel(MPI_Request request, int *code)
{
	const struct mpi_pending *pending = find(request);
	if (!pending || !pending->is_persistent)
		return false;
	*code = refuse(pending);
	return true;
}
