/* random_schedule.c - puts a program's moves on random streams, with a Notify and a Wait wherever
 * order would be lost. */
#include "random_schedule.h"

#include "mutate.h"
#include "oracle_document.h"

#include <stdlib.h>
#include <string.h>

#define MAX_STEPS 512

/* Step -1 of a stream is its head, step INT32_MAX its end. */
struct pair {
	uint32_t from, to;     /* streams */
	int32_t after, before; /* the Notify follows that step, the Wait precedes that one */
	uint32_t signal;
};

struct weaving {
	const struct random_program *program;
	struct ordo_schedule *schedule;
	uint64_t random;
	bool atomic_adds;
	uint32_t rank_of[64];  /* of each stream */
	uint32_t first_of[65]; /* [nrank + 1] streams of a rank */
	uint32_t nstream;
	uint32_t stream_of[MAX_STEPS];
	uint64_t before[MAX_STEPS][MAX_STEPS / 64];
	struct pair pairs[4096];
	uint32_t npair;
};

static void choose_streams(struct weaving *w, const struct random_shape *shape)
{
	const struct random_program *p = w->program;
	for (uint32_t r = 0; r < p->problem.nrank; r++) {
		w->first_of[r] = w->nstream;
		for (uint32_t n = 1 + below(&w->random, shape->max_streams); n > 0; n--)
			w->rank_of[w->nstream++] = r;
	}
	w->first_of[p->problem.nrank] = w->nstream;
	for (uint32_t i = 0; i < p->nstep; i++) {
		const uint32_t r = p->steps[i].rank;
		w->stream_of[i] =
			w->first_of[r] + below(&w->random, w->first_of[r + 1] - w->first_of[r]);
	}
}

static bool slices_meet(const struct random_program *p, uint32_t rank_a, enum ordo_buffer buffer_a,
	uint32_t slot_a, uint32_t count_a, uint32_t rank_b, enum ordo_buffer buffer_b,
	uint32_t slot_b, uint32_t count_b)
{
	if (rank_a != rank_b)
		return false;
	const uint32_t a = cell_in_rank(&p->problem, rank_a, buffer_a, slot_a);
	const uint32_t b = cell_in_rank(&p->problem, rank_b, buffer_b, slot_b);
	return a < b + count_b && b < a + count_a;
}

static bool steps_conflict(const struct random_program *p, const struct random_step *a,
	const struct random_step *b, bool adds_commute)
{
	const enum ordo_buffer a_src = (enum ordo_buffer)a->task.src_buffer,
			       a_dst = (enum ordo_buffer)a->task.dst_buffer;
	const enum ordo_buffer b_src = (enum ordo_buffer)b->task.src_buffer,
			       b_dst = (enum ordo_buffer)b->task.dst_buffer;
	const bool both_add = ordo_task_reduces(&a->task) && ordo_task_reduces(&b->task);
	if (!(adds_commute && both_add) &&
		slices_meet(p, a->target, a_dst, a->task.dst, a->task.count, b->target, b_dst,
			b->task.dst, b->task.count))
		return true;
	return slices_meet(p, a->target, a_dst, a->task.dst, a->task.count, b->rank, b_src,
		       b->task.src, b->task.count) ||
	       slices_meet(p, a->rank, a_src, a->task.src, a->task.count, b->target, b_dst,
		       b->task.dst, b->task.count);
}

static void add_pair(struct weaving *w, uint32_t from, int32_t after, uint32_t to, int32_t before)
{
	if (w->npair == sizeof w->pairs / sizeof *w->pairs)
		abort();
	w->pairs[w->npair++] = (struct pair){from, to, after, before, 0};
}

static bool is_before(const struct weaving *w, uint32_t a, uint32_t b)
{
	return w->before[b][a / 64] >> a % 64 & 1;
}

static void put_before(struct weaving *w, uint32_t a, uint32_t b)
{
	for (uint32_t i = 0; i < MAX_STEPS / 64; i++)
		w->before[b][i] |= w->before[a][i];
	w->before[b][a / 64] |= UINT64_C(1) << a % 64;
}

static uint32_t some_stream(struct weaving *w, uint32_t rank)
{
	return w->first_of[rank] + below(&w->random, w->first_of[rank + 1] - w->first_of[rank]);
}

/* Latest first, so that few pairs are superfluous; a coin makes one superfluous now and then. */
static void order_steps(struct weaving *w, uint32_t b)
{
	const struct random_step *steps = w->program->steps;
	for (uint32_t a = b; a-- > 0;)
		if (w->stream_of[a] == w->stream_of[b]) {
			put_before(w, a, b);
			break;
		}
	for (uint32_t a = b; a-- > 0;) {
		if (w->stream_of[a] == w->stream_of[b] ||
			!steps_conflict(w->program, &steps[a], &steps[b], w->atomic_adds))
			continue;
		if (is_before(w, a, b) && below(&w->random, 20))
			continue;
		put_before(w, a, b);
		add_pair(w, w->stream_of[a], (int32_t)a, w->stream_of[b], (int32_t)b);
	}
}

static void await_entering(struct weaving *w, uint32_t b)
{
	const struct random_step *steps = w->program->steps;
	if (steps[b].target == steps[b].rank)
		return;
	for (uint32_t a = 0; a < b; a++)
		if (is_before(w, a, b) && steps[a].rank == steps[b].target)
			return;
	/* Known to an earlier step, then also to this one. */
	for (uint32_t i = 0; i < w->npair; i++)
		if (w->pairs[i].after == -1 && w->rank_of[w->pairs[i].from] == steps[b].target &&
			is_before(w, (uint32_t)w->pairs[i].before, b))
			return;
	add_pair(w, some_stream(w, steps[b].target), -1, w->stream_of[b], (int32_t)b);
}

static void announce_leaving(struct weaving *w, uint32_t a)
{
	const struct random_step *steps = w->program->steps;
	if (steps[a].target == steps[a].rank)
		return;
	for (uint32_t b = a + 1; b < w->program->nstep; b++)
		if (is_before(w, a, b) && steps[b].rank == steps[a].target)
			return;
	for (uint32_t i = 0; i < w->npair; i++)
		if (w->pairs[i].before == INT32_MAX &&
			w->rank_of[w->pairs[i].to] == steps[a].target &&
			is_before(w, a, (uint32_t)w->pairs[i].after))
			return;
	add_pair(w, w->stream_of[a], (int32_t)a, some_stream(w, steps[a].target), INT32_MAX);
}

static int by_notify(const void *left, const void *right)
{
	const struct pair *a = left, *b = right;
	if (a->after != b->after)
		return a->after < b->after ? -1 : 1;
	return a->before < b->before ? -1 : a->before > b->before;
}

/* Pairs between the same two streams share a signal if their tokens come and go in one order. */
static void choose_signals(struct weaving *w)
{
	const bool share = below(&w->random, 4);
	qsort(w->pairs, w->npair, sizeof *w->pairs, by_notify);
	for (uint32_t i = 0; i < w->npair; i++) {
		struct pair *pair = &w->pairs[i];
		for (bool taken = true; taken;) {
			taken = false;
			for (uint32_t j = 0; j < i && !taken; j++) {
				const struct pair *other = &w->pairs[j];
				if (w->rank_of[other->from] != w->rank_of[pair->from] ||
					w->rank_of[other->to] != w->rank_of[pair->to] ||
					other->signal != pair->signal)
					continue;
				taken = !share || other->from != pair->from ||
					other->to != pair->to || other->before > pair->before;
			}
			pair->signal += taken;
		}
	}
}

static void require(bool worked)
{
	if (!worked)
		abort();
}

static void emit_sync(struct weaving *w, enum ordo_task_kind kind, uint32_t peer, uint32_t signal)
{
	struct ordo_task task = {
		.kind = kind & 7, .phase = ORDO_NO_PHASE, .peer = peer, .signal = signal};
	require(ordo_schedule_append(w->schedule, &task, NULL));
}

static void emit_notifies(struct weaving *w, uint32_t stream, int32_t step)
{
	for (uint32_t i = 0; i < w->npair; i++)
		if (w->pairs[i].from == stream && w->pairs[i].after == step)
			emit_sync(w, ORDO_NOTIFY, w->rank_of[w->pairs[i].to], w->pairs[i].signal);
}

static void emit_waits(struct weaving *w, uint32_t stream, int32_t step)
{
	for (uint32_t i = 0; i < w->npair; i++)
		if (w->pairs[i].to == stream && w->pairs[i].before == step)
			emit_sync(w, ORDO_WAIT, w->rank_of[w->pairs[i].from], w->pairs[i].signal);
}

static void emit_stream(struct weaving *w, uint32_t stream)
{
	require(ordo_schedule_begin_stream(w->schedule, w->rank_of[stream], "random", NULL));
	emit_notifies(w, stream, -1);
	for (uint32_t i = 0; i < w->program->nstep; i++) {
		if (w->stream_of[i] != stream)
			continue;
		emit_waits(w, stream, (int32_t)i);
		require(ordo_schedule_append(w->schedule, &w->program->steps[i].task, NULL));
		emit_notifies(w, stream, (int32_t)i);
	}
	emit_waits(w, stream, INT32_MAX);
}

struct ordo_schedule *random_schedule(
	const struct random_program *program, const struct random_shape *shape, uint64_t seed)
{
	struct weaving *w = must_alloc(1, sizeof *w);
	w->program = program;
	w->random = seed;
	w->atomic_adds = shape->atomic_adds;
	w->schedule = ordo_schedule_create(&program->problem, "random", NULL);
	require(w->schedule);
	w->schedule->scratch_slots = program->scratch_slots;
	choose_streams(w, shape);
	for (uint32_t i = 0; i < program->nstep; i++) {
		order_steps(w, i);
		await_entering(w, i);
	}
	for (uint32_t i = program->nstep; i-- > 0;)
		announce_leaving(w, i);
	choose_signals(w);
	for (uint32_t i = 0; i < w->nstream; i++)
		emit_stream(w, i);
	struct ordo_schedule *schedule = w->schedule;
	free(w);
	return schedule;
}

static struct ordo_task random_task(
	const struct ordo_schedule *schedule, uint32_t rank, uint64_t *random)
{
	const struct ordo_problem *p = &schedule->problem;
	struct ordo_task task = {
		.kind = below(random, ORDO_NTASK_KIND) & 7, .phase = ORDO_NO_PHASE};
	if (ordo_task_crosses(&task))
		task.peer = below(random, p->nrank);
	if (!ordo_task_moves(&task)) {
		task.signal = below(random, 2);
		return task;
	}
	const bool far = task.kind >= ORDO_SEND;
	task.src_buffer = below(random, ORDO_NBUFFER) & 3;
	task.dst_buffer = (1 + below(random, 2)) & 3;
	task.count = 1;
	task.chunk = below(random, ordo_nchunk(p));
	const uint32_t in = ordo_input_slot(p, rank, task.chunk),
		       out = ordo_output_slot(p, rank, task.chunk);
	const uint32_t out_there = ordo_output_slot(p, far ? task.peer : rank, task.chunk);
	const uint32_t scratch = below(random, schedule->scratch_slots + !schedule->scratch_slots);
	task.src = task.src_buffer == ORDO_INPUT    ? in
		   : task.src_buffer == ORDO_OUTPUT ? out
						    : scratch;
	task.dst = task.dst_buffer == ORDO_OUTPUT
			   ? out_there
			   : below(random, schedule->scratch_slots + !schedule->scratch_slots);
	task.src = task.src == ORDO_NONE ? 0 : task.src;
	task.dst = task.dst == ORDO_NONE ? 0 : task.dst;
	return task;
}

struct ordo_schedule *random_garbage(const struct random_shape *shape, uint64_t seed)
{
	struct random_program program;
	random_program(&program, shape, seed);
	uint64_t random = ~seed;
	struct ordo_schedule *schedule = ordo_schedule_create(&program.problem, "garbage", NULL);
	require(schedule);
	schedule->scratch_slots = program.scratch_slots;
	for (uint32_t r = 0; r < program.problem.nrank; r++)
		for (uint32_t n = below(&random, shape->max_streams + 1); n > 0; n--) {
			require(ordo_schedule_begin_stream(schedule, r, "garbage", NULL));
			for (uint32_t tasks = below(&random, 5); tasks > 0; tasks--) {
				struct ordo_task task = random_task(schedule, r, &random);
				require(ordo_schedule_append(schedule, &task, NULL));
			}
		}
	return schedule;
}
