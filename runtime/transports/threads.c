/* threads.c - runs schedules on threads: one per rank, or a few that share all streams.
 *
 * A thread that takes part in a run is a member. A stream is in exactly one place: on a member's
 * list of runnable streams (its private list, or `incoming`, where other members push), being
 * stepped by a member, or parked on a signal. The member that notifies the signal pushes the stream
 * to its home, the member that its rank is assigned to.
 *
 * A member without work changes its `incoming` from EMPTY to ASLEEP, subtracts itself from `awake`
 * and sleeps; a member that pushes onto an ASLEEP one adds it to `awake` first. So awake = 0 if and
 * only if all members sleep and none is left to wake them: a deadlock is detected at once, without
 * a clock. A rank outside the call counts as awake, because it may still enter; then only the
 * watchdog can decide.
 */
#include "threads.h"
#include "lines.h"
#include "rounds.h"
#include "sleep.h"
#include "tasks/blocked.h"
#include "tasks/trace.h"
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#define EMPTY ORDO_NONE
#define ASLEEP (ORDO_NONE - 1)

/* How often a member without work polls before it sleeps. Spinning helps only if every member has
 * a core. */
#define NSPIN 1000
#define NYIELD 8

/* What members share about one of them. */
struct member {
	alignas(CACHE_LINE) _Atomic uint32_t
		incoming; /* a list of streams that other members made runnable, EMPTY or ASLEEP */
	alignas(CACHE_LINE) _Atomic uint32_t stepping; /* may access memory of the plan */
	_Atomic uint64_t moved;			       /* steps taken */
};

struct threads {
	struct member *members; /* [nrank] */
	uint32_t nrank, nmember;
	uint32_t ncore; /* of the machine */
	struct workers *workers;
	alignas(CACHE_LINE) _Atomic uint32_t awake; /* members */
	_Atomic uint32_t ranks_left;		    /* in a run on our threads */
};

struct worker {
	struct ordo_plan *plan;
	uint32_t member;
	uint32_t runnable;	/* list of streams */
	_Atomic uint32_t *left; /* ranks that must complete before this worker returns */
	bool steals;		/* takes streams that were pushed to other members */
	bool watched;		/* by the watchdog, because ranks may be outside the call */
};

static struct member *self(const struct worker *worker)
{
	return &worker->plan->threads->members[worker->member];
}

static bool is_stopped(const struct ordo_plan *plan)
{
	return atomic_load_explicit(&plan->stopped, memory_order_relaxed) != RUNNING;
}

static bool is_over(const struct worker *worker)
{
	return !atomic_load(worker->left) || atomic_load(&worker->plan->stopped) != RUNNING;
}

static bool wake_member(struct ordo_plan *plan, struct member *member)
{
	uint32_t asleep = ASLEEP;
	if (atomic_load(&member->incoming) != ASLEEP)
		return false;
	atomic_fetch_add(&plan->threads->awake, 1);
	if (!atomic_compare_exchange_strong(&member->incoming, &asleep, EMPTY)) {
		atomic_fetch_sub(&plan->threads->awake, 1);
		return false;
	}
	ordo_wake(&member->incoming);
	return true;
}

static void wake_everybody(struct ordo_plan *plan)
{
	for (uint32_t i = 0; i < plan->threads->nmember; i++)
		wake_member(plan, &plan->threads->members[i]);
}

/* Returns whether the member was asleep. */
static bool push_incoming(struct ordo_plan *plan, struct member *member, uint32_t stream)
{
	uint32_t head = atomic_load_explicit(&member->incoming, memory_order_relaxed);
	for (;;) {
		const bool slept = head == ASLEEP;
		if (slept)
			atomic_fetch_add(&plan->threads->awake, 1);
		plan->streams[stream].next = slept ? EMPTY : head;
		if (atomic_compare_exchange_strong(&member->incoming, &head, stream)) {
			if (slept)
				ordo_wake(&member->incoming);
			return slept;
		}
		if (slept)
			atomic_fetch_sub(&plan->threads->awake, 1);
	}
}

/* Takes the whole list, so the ABA problem does not arise: whatever the list went through, the
 * caller now owns all of it. */
static uint32_t take_incoming(struct member *member)
{
	uint32_t head = atomic_load_explicit(&member->incoming, memory_order_relaxed);
	while (head < ASLEEP)
		if (atomic_compare_exchange_weak_explicit(&member->incoming, &head, EMPTY,
			    memory_order_acquire, memory_order_relaxed))
			return head;
	return EMPTY;
}

static bool has_incoming(const struct member *member)
{
	return atomic_load_explicit(&member->incoming, memory_order_relaxed) < ASLEEP;
}

static bool has_work(const struct worker *worker)
{
	const struct ordo_plan *plan = worker->plan;
	if (has_incoming(self(worker)))
		return true;
	for (uint32_t i = 0; worker->steals && i < plan->threads->nmember; i++)
		if (has_incoming(&plan->threads->members[i]))
			return true;
	return false;
}

/* A stream to run, or ORDO_NONE. */
static uint32_t take_runnable(struct worker *worker)
{
	struct ordo_plan *plan = worker->plan;
	if (worker->runnable == EMPTY)
		worker->runnable = take_incoming(self(worker));
	for (uint32_t i = 0;
		worker->steals && worker->runnable == EMPTY && i < plan->threads->nmember; i++)
		worker->runnable = take_incoming(&plan->threads->members[i]);
	const uint32_t stream = worker->runnable;
	if (stream != ORDO_NONE)
		worker->runnable = plan->streams[stream].next;
	return stream;
}

static uint32_t home_of(const struct ordo_plan *plan, uint32_t rank)
{
	return (uint32_t)((uint64_t)rank * plan->threads->nmember / plan->schedule->problem.nrank);
}

static void push_runnable(struct worker *worker, uint32_t stream)
{
	worker->plan->streams[stream].next = worker->runnable;
	worker->runnable = stream;
}

static void make_runnable(struct worker *worker, uint32_t stream)
{
	struct ordo_plan *plan = worker->plan;
	const uint32_t home = home_of(plan, plan->schedule->streams[stream].rank);
	if (home == worker->member) {
		push_runnable(worker, stream);
		return;
	}
	if (push_incoming(plan, &plan->threads->members[home], stream) || !worker->steals)
		return;
	/* The stream's home is busy: wakes one sleeping member to steal it. */
	if (atomic_load_explicit(&plan->threads->awake, memory_order_relaxed) <
		plan->threads->nmember)
		for (uint32_t i = 0; i < plan->threads->nmember &&
				     !wake_member(plan, &plan->threads->members[i]);
			i++)
			continue;
}

static void complete_rank(struct worker *worker)
{
	if (atomic_fetch_sub(worker->left, 1) == 1 && !worker->watched)
		wake_everybody(worker->plan);
}

static void begin_rank(struct worker *worker, uint32_t rank)
{
	const struct ordo_program *program = &worker->plan->schedule->programs[rank];
	ordo_begin_run(worker->plan, rank);
	if (program->first_stream == program->end_stream)
		complete_rank(worker);
	for (uint32_t s = program->end_stream; s > program->first_stream; s--)
		push_runnable(worker, s - 1);
}

static void end_stream(struct worker *worker, uint32_t stream)
{
	bool complete;
	for (uint32_t s = ordo_end_stream(worker->plan, stream, &complete), next; s != ORDO_NONE;
		s = next) {
		next = worker->plan->streams[s].next;
		push_runnable(worker, s);
	}
	if (complete)
		complete_rank(worker);
}

/* Aborts the run. Writes the error only after every member has stopped stepping, so no memory is
 * accessed after that. */
static void abort_run(struct worker *worker, uint32_t unbound_stream)
{
	struct ordo_plan *plan = worker->plan;
	uint32_t running = RUNNING;
	if (!atomic_compare_exchange_strong(&plan->stopped, &running, STOPPING))
		return;
	wake_everybody(plan);
	atomic_store(&self(worker)->stepping, 0);
	for (uint32_t i = 0; i < plan->threads->nmember; i++)
		while (atomic_load(&plan->threads->members[i].stepping))
			sched_yield();
	if (unbound_stream != ORDO_NONE)
		ordo_fail_unbound(plan, unbound_stream, &plan->why);
	else
		ordo_fail_blocked(plan, &plan->why);
	atomic_store(&plan->stopped, STOPPED);
}

/* Runs a stream until it blocks or ends. A blocked stream may already run on another member, so it
 * is not accessed again. */
static void run_stream(struct worker *worker, uint32_t stream)
{
	struct member *member = self(worker);
	uint64_t moved = atomic_load_explicit(&member->moved, memory_order_relaxed);
	uint32_t woken;
	while (!is_stopped(worker->plan))
		switch (step_on(worker->plan, stream, worker->member, &woken)) {
		case STEP_MOVED:
			atomic_store_explicit(&member->moved, ++moved, memory_order_relaxed);
			if (woken != ORDO_NONE)
				make_runnable(worker, woken);
			break;
		case STEP_BLOCKED:
			return;
		case STEP_DONE:
			end_stream(worker, stream);
			return;
		case STEP_UNBOUND:
			abort_run(worker, stream);
			return;
		}
}

static uint64_t count_moved(const struct ordo_plan *plan)
{
	uint64_t moved = 0;
	for (uint32_t i = 0; i < plan->threads->nmember; i++)
		moved += atomic_load_explicit(
			&plan->threads->members[i].moved, memory_order_relaxed);
	return moved;
}

/* Sleeps until woken, or until no member has taken a step for watchdog_ms. Samples twice in that
 * time, so detection takes up to 1.5 times watchdog_ms. */
static void sleep_watched(struct worker *worker)
{
	struct ordo_plan *plan = worker->plan;
	struct member *member = self(worker);
	const uint32_t interval_ms = plan->watchdog_ms / 2 + 1;
	uint64_t moved = UINT64_MAX, look = ordo_now_ms() + interval_ms;
	int nquiet = 0;
	while (atomic_load(&member->incoming) == ASLEEP) {
		ordo_sleep(&member->incoming, ASLEEP, interval_ms);
		if (atomic_load(&member->incoming) != ASLEEP || ordo_now_ms() < look)
			continue;
		uint64_t before = moved;
		moved = count_moved(plan);
		nquiet = moved == before ? nquiet + 1 : 0;
		if (nquiet == 2) {
			abort_run(worker, ORDO_NONE);
			return;
		}
		look = ordo_now_ms() + interval_ms;
	}
}

static void sleep_unwatched(struct worker *worker)
{
	while (atomic_load(&self(worker)->incoming) == ASLEEP)
		ordo_sleep(&self(worker)->incoming, ASLEEP, UINT32_MAX);
}

static uint32_t count_spins(const struct ordo_plan *plan)
{
	return plan->threads->nmember <= plan->threads->ncore ? NSPIN : 0;
}

static bool poll_for_work(const struct worker *worker)
{
	for (uint32_t i = count_spins(worker->plan); i > 0; i--) {
		if (has_work(worker) || is_over(worker))
			return true;
		ordo_relax();
	}
	bool short_ones = true;
	for (int i = 0; i < NYIELD && short_ones; i++) {
		short_ones = ordo_yield();
		if (has_work(worker) || is_over(worker))
			return true;
	}
	return false;
}

/* Returns when there may be work, or the run is over. */
static void wait_for_work(struct worker *worker)
{
	struct ordo_plan *plan = worker->plan;
	uint32_t empty = EMPTY;
	if (poll_for_work(worker) ||
		!atomic_compare_exchange_strong(&self(worker)->incoming, &empty, ASLEEP))
		return;
	const bool last = atomic_fetch_sub(&plan->threads->awake, 1) == 1;
	if (is_over(worker))
		wake_member(plan, self(worker));
	else if (last)
		abort_run(worker, ORDO_NONE);
	else if (worker->watched)
		sleep_watched(worker);
	else
		sleep_unwatched(worker);
}

/* Runs streams until the ranks in worker->left are complete or the run is aborted. */
static void run_streams(struct worker *worker)
{
	while (!is_stopped(worker->plan)) {
		uint32_t stream = take_runnable(worker);
		if (stream != ORDO_NONE)
			run_stream(worker, stream);
		else if (is_over(worker))
			return;
		else
			wait_for_work(worker);
	}
}

/* The result of a run: false, with its error, if it was aborted. */
static bool run_result(const struct ordo_plan *plan, struct ordo_error *error)
{
	if (atomic_load(&plan->stopped) == RUNNING)
		return true;
	while (atomic_load(&plan->stopped) != STOPPED)
		sched_yield();
	return ordo_fail_again(plan, error);
}

/* Between runs of ordo_plan_run_threads: one member per rank. */
static void reset_members(struct threads *threads)
{
	threads->nmember = threads->nrank;
	for (uint32_t i = 0; i < threads->nmember; i++)
		atomic_store(&threads->members[i].incoming, EMPTY);
	atomic_store(&threads->awake, threads->nmember);
}

bool ordo_plan_run_rank(struct ordo_plan *plan, uint32_t rank, struct ordo_error *error)
{
	if (rank >= plan->schedule->problem.nrank || !plan->ranks[rank].bound)
		return ordo_fail(error, ORDO_USAGE, 0,
			"rank %u has no buffers: bind it before it runs", rank);
	if (!ordo_float_mode_check(error))
		return false;
	struct rank_state *state = &plan->ranks[rank];
	struct member *member = &plan->threads->members[rank];
	struct worker worker = {.plan = plan,
		.member = rank,
		.runnable = EMPTY,
		.left = &state->rank_left,
		.steals = false,
		.watched = true};
	/* In this order: either this rank sees that the run was aborted, or the aborting member
	 * sees this rank stepping and waits for it. */
	atomic_store(&member->stepping, 1);
	bool complete = false;
	if (atomic_load(&plan->stopped) == RUNNING) {
		atomic_store(&state->rank_left, 1);
		begin_rank(&worker, rank);
		run_streams(&worker);
		complete = !atomic_load(&state->rank_left);
	}
	atomic_store(&member->stepping, 0);
	/* A complete rank has its result, even if the run was aborted afterwards. */
	return complete || run_result(plan, error);
}

/* A thread of ordo_plan_run_threads other than the caller's. */
struct helper {
	pthread_t thread;
	struct workers *workers;
	uint32_t member;
};

struct workers {
	struct ordo_plan *plan;
	uint32_t nhelper;
	struct helper *helpers;
	bool steals, quit;
	uint32_t nspin;
	_Atomic uint32_t call;	  /* incremented to start a run */
	_Atomic uint32_t working; /* helpers that have not finished it */
};

static void run_member(struct ordo_plan *plan, uint32_t member, bool steals)
{
	struct worker worker = {.plan = plan,
		.member = member,
		.runnable = EMPTY,
		.left = &plan->threads->ranks_left,
		.steals = steals,
		.watched = false};
	const uint64_t nrank = plan->schedule->problem.nrank;
	atomic_store(&plan->threads->members[member].stepping, 1);
	/* The ranks r with home_of(r) = member, in reverse order because lists are filled from the
	 * front. */
	uint64_t first = (member * nrank + plan->threads->nmember - 1) / plan->threads->nmember;
	for (uint64_t r = ((member + 1) * nrank + plan->threads->nmember - 1) /
			  plan->threads->nmember;
		r > first; r--)
		begin_rank(&worker, (uint32_t)(r - 1));
	run_streams(&worker);
	atomic_store(&plan->threads->members[member].stepping, 0);
}

/* Returns when the word no longer has that value. */
static void await_change(_Atomic uint32_t *word, uint32_t value, uint32_t nspin)
{
	for (; nspin && atomic_load(word) == value; nspin--)
		ordo_relax();
	while (atomic_load(word) == value)
		ordo_sleep(word, value, UINT32_MAX);
}

static void *helper_main(void *argument)
{
	const struct helper *helper = argument;
	struct workers *workers = helper->workers;
	for (uint32_t call = 0;;) {
		await_change(&workers->call, call, workers->nspin);
		call = atomic_load(&workers->call);
		if (workers->quit)
			return NULL;
		run_member(workers->plan, helper->member, workers->steals);
		if (atomic_fetch_sub(&workers->working, 1) == 1)
			ordo_wake(&workers->working);
	}
}

static void destroy_workers(struct workers *workers)
{
	if (!workers)
		return;
	workers->quit = true;
	atomic_fetch_add(&workers->call, 1);
	ordo_wake(&workers->call);
	for (uint32_t i = 0; i < workers->nhelper; i++)
		pthread_join(workers->helpers[i].thread, NULL);
	free(workers->helpers);
	free(workers);
}

static struct workers *create_workers(
	struct ordo_plan *plan, uint32_t nhelper, struct ordo_error *error)
{
	struct workers *workers = calloc(1, sizeof *workers);
	if (workers)
		workers->helpers = calloc((size_t)nhelper + 1, sizeof *workers->helpers);
	if (!workers || !workers->helpers) {
		free(workers);
		ordo_fail_memory(error);
		return NULL;
	}
	workers->plan = plan;
	workers->nspin = nhelper < plan->threads->ncore ? NSPIN : 0;
	for (; workers->nhelper < nhelper; workers->nhelper++) {
		struct helper *helper = &workers->helpers[workers->nhelper];
		*helper = (struct helper){.workers = workers, .member = workers->nhelper + 1};
		if (pthread_create(&helper->thread, NULL, helper_main, helper)) {
			ordo_fail(error, ORDO_ENVIRONMENT, 0, "could start only %u of %u threads",
				workers->nhelper + 1, nhelper + 1);
			destroy_workers(workers);
			return NULL;
		}
	}
	return workers;
}

static bool ensure_workers(struct ordo_plan *plan, uint32_t nhelper, struct ordo_error *error)
{
	if (plan->threads->workers && plan->threads->workers->nhelper == nhelper)
		return true;
	destroy_workers(plan->threads->workers);
	plan->threads->workers = create_workers(plan, nhelper, error);
	return plan->threads->workers;
}

bool ordo_plan_run_threads(struct ordo_plan *plan, uint32_t nworker, struct ordo_error *error)
{
	const uint32_t nrank = plan->schedule->problem.nrank;
	const uint32_t nmember = nworker && nworker < nrank ? nworker : nrank;
	if (!ordo_plan_is_ready(plan, error) || !ensure_workers(plan, nmember - 1, error))
		return false;
	struct workers *workers = plan->threads->workers;
	plan->threads->nmember = nmember;
	workers->steals = nworker != 0;
	atomic_store(&plan->threads->awake, nmember);
	atomic_store(&plan->threads->ranks_left, nrank);
	atomic_store(&workers->working, workers->nhelper);
	atomic_fetch_add(&workers->call, 1);
	ordo_wake(&workers->call);
	run_member(plan, 0, workers->steals);
	for (uint32_t working; (working = atomic_load(&workers->working));)
		await_change(&workers->working, working, workers->nspin);
	reset_members(plan->threads);
	return run_result(plan, error);
}

struct threads *ordo_threads_create(uint32_t nrank)
{
	struct threads *threads = allocate_lines(1, sizeof *threads);
	if (!threads)
		return NULL;
	threads->nrank = nrank;
	threads->members = allocate_lines(nrank, sizeof *threads->members);
	if (!threads->members) {
		free(threads);
		return NULL;
	}
	/* Once per plan, because sysconf reads a file. */
	const long ncore = sysconf(_SC_NPROCESSORS_ONLN);
	threads->ncore = ncore > 0 ? (uint32_t)ncore : 1;
	reset_members(threads);
	return threads;
}

void ordo_threads_destroy(struct threads *threads)
{
	if (!threads)
		return;
	destroy_workers(threads->workers);
	free(threads->members);
	free(threads);
}
