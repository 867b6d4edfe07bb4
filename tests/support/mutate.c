/* mutate.c - schedules with one fault put in on purpose. */
#include "mutate.h"

#include <stdlib.h>
#include <string.h>

uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

uint32_t below(uint64_t *state, uint32_t n)
{
	return (uint32_t)(next_random(state) >> 32) % n;
}

/* A schedule as one list that tasks can be taken from and put into; the streams' tasks follow one
 * another. */
struct draft {
	const struct ordo_schedule *of;
	struct ordo_problem problem;
	uint32_t scratch_slots;
	struct ordo_task *tasks;
	uint32_t *stream; /* of each task */
	uint32_t ntask;
	/* one more stream for that rank, number of.nstream; ORDO_NONE: none */
	uint32_t extra_stream_of;
	uint64_t random;
};

static struct ordo_task take(struct draft *d, uint32_t at)
{
	struct ordo_task task = d->tasks[at];
	d->ntask--;
	memmove(d->tasks + at, d->tasks + at + 1, (d->ntask - at) * sizeof *d->tasks);
	memmove(d->stream + at, d->stream + at + 1, (d->ntask - at) * sizeof *d->stream);
	return task;
}

static void put(struct draft *d, uint32_t at, uint32_t stream, struct ordo_task task)
{
	memmove(d->tasks + at + 1, d->tasks + at, (d->ntask - at) * sizeof *d->tasks);
	memmove(d->stream + at + 1, d->stream + at, (d->ntask - at) * sizeof *d->stream);
	d->tasks[at] = task;
	d->stream[at] = stream;
	d->ntask++;
}

static uint32_t rank_of(const struct draft *d, uint32_t at)
{
	return d->of->streams[d->stream[at]].rank;
}

static uint32_t stream_begin(const struct draft *d, uint32_t stream)
{
	uint32_t at = 0;
	while (at < d->ntask && d->stream[at] < stream)
		at++;
	return at;
}

static bool is(const struct draft *d, uint32_t at, enum ordo_task_kind kind)
{
	return d->tasks[at].kind == kind;
}

static bool moves(const struct draft *d, uint32_t at)
{
	return ordo_task_moves(&d->tasks[at]);
}

static bool sends(const struct draft *d, uint32_t at)
{
	return is(d, at, ORDO_SEND) || is(d, at, ORDO_SEND_REDUCE);
}

/* A random number below n other than `not`, or ORDO_NONE if there is none. */
static uint32_t other_below(struct draft *d, uint32_t n, uint32_t not )
{
	if (n <= 1 + (not >= n))
		return n == 1 && not >= n ? 0 : ORDO_NONE;
	uint32_t found = below(&d->random, n - (not < n));
	return found + (not < n && found >= not );
}

/* The Wait that takes the token of the Notify at `at`: the one as far down its stream. ORDO_NONE:
 * none. */
static uint32_t wait_of(const struct draft *d, uint32_t at)
{
	const struct ordo_task *notify = &d->tasks[at];
	uint32_t nth = 0;
	for (uint32_t i = 0; i < at; i++)
		nth += is(d, i, ORDO_NOTIFY) && rank_of(d, i) == rank_of(d, at) &&
		       d->tasks[i].peer == notify->peer && d->tasks[i].signal == notify->signal;
	for (uint32_t i = 0; i < d->ntask; i++)
		if (is(d, i, ORDO_WAIT) && rank_of(d, i) == notify->peer &&
			d->tasks[i].peer == rank_of(d, at) &&
			d->tasks[i].signal == notify->signal && nth-- == 0)
			return i;
	return ORDO_NONE;
}

static void take_both(struct draft *d, uint32_t a, uint32_t b)
{
	take(d, a > b ? a : b);
	take(d, a > b ? b : a);
}

static bool drop_pair(struct draft *d, uint32_t at)
{
	uint32_t wait = is(d, at, ORDO_NOTIFY) ? wait_of(d, at) : ORDO_NONE;
	if (wait == ORDO_NONE)
		return false;
	take_both(d, at, wait);
	return true;
}

static bool drop_kind(struct draft *d, uint32_t at, enum ordo_task_kind kind)
{
	if (!is(d, at, kind))
		return false;
	take(d, at);
	return true;
}

static bool drop_notify(struct draft *d, uint32_t at)
{
	return drop_kind(d, at, ORDO_NOTIFY);
}

static bool drop_wait(struct draft *d, uint32_t at)
{
	return drop_kind(d, at, ORDO_WAIT);
}

static bool double_notify(struct draft *d, uint32_t at)
{
	if (!is(d, at, ORDO_NOTIFY))
		return false;
	put(d, at, d->stream[at], d->tasks[at]);
	return true;
}

/* The nearest move before or after `at` in its stream, or ORDO_NONE. */
static uint32_t nearest_move(const struct draft *d, uint32_t at, bool after)
{
	const uint32_t stream = d->stream[at];
	for (uint32_t i = after ? at + 1 : at - 1; i < d->ntask && d->stream[i] == stream;
		i += after ? 1 : UINT32_MAX)
		if (moves(d, i))
			return i;
	return ORDO_NONE;
}

/* Takes the task at `from` and puts it where the one at `to` stands, on its far side. */
static bool carry(struct draft *d, uint32_t from, uint32_t to)
{
	if (to == ORDO_NONE || to == from)
		return false;
	const uint32_t stream = d->stream[from];
	struct ordo_task task = take(d, from);
	put(d, to, stream, task);
	return true;
}

static bool notify_early(struct draft *d, uint32_t at)
{
	return is(d, at, ORDO_NOTIFY) && carry(d, at, nearest_move(d, at, false));
}

static bool notify_late(struct draft *d, uint32_t at)
{
	return is(d, at, ORDO_NOTIFY) && carry(d, at, nearest_move(d, at, true));
}

static bool wait_early(struct draft *d, uint32_t at)
{
	return is(d, at, ORDO_WAIT) && carry(d, at, nearest_move(d, at, false));
}

static bool wait_late(struct draft *d, uint32_t at)
{
	return is(d, at, ORDO_WAIT) && carry(d, at, nearest_move(d, at, true));
}

static bool wait_last(struct draft *d, uint32_t at)
{
	return is(d, at, ORDO_WAIT) && carry(d, at, stream_begin(d, d->stream[at] + 1) - 1);
}

static bool notify_first(struct draft *d, uint32_t at)
{
	return is(d, at, ORDO_NOTIFY) && carry(d, at, stream_begin(d, d->stream[at]));
}

static bool change_peer(struct draft *d, uint32_t at)
{
	uint32_t peer = other_below(d, d->problem.nrank, d->tasks[at].peer);
	if (peer == ORDO_NONE)
		return false;
	d->tasks[at].peer = peer;
	return true;
}

static bool notify_peer(struct draft *d, uint32_t at)
{
	return is(d, at, ORDO_NOTIFY) && change_peer(d, at);
}

static bool wait_peer(struct draft *d, uint32_t at)
{
	return is(d, at, ORDO_WAIT) && change_peer(d, at);
}

static bool send_peer(struct draft *d, uint32_t at)
{
	return sends(d, at) && change_peer(d, at);
}

/* The Wait goes to the end of some stream of another rank, so that signals stay balanced and
 * nothing new is stuck. */
static bool pair_peer(struct draft *d, uint32_t at)
{
	uint32_t wait = is(d, at, ORDO_NOTIFY) ? wait_of(d, at) : ORDO_NONE;
	uint32_t stream = other_below(d, d->of->nstream, ORDO_NONE);
	if (wait == ORDO_NONE || stream == ORDO_NONE ||
		d->of->streams[stream].rank == d->tasks[at].peer)
		return false;
	uint32_t fresh = 0;
	for (uint32_t i = 0; i < d->ntask; i++)
		if (!moves(d, i) && d->tasks[i].signal >= fresh)
			fresh = d->tasks[i].signal + 1;
	d->tasks[at].peer = d->of->streams[stream].rank;
	d->tasks[at].signal = fresh;
	d->tasks[wait].signal = fresh;
	struct ordo_task moved = take(d, wait);
	put(d, stream_begin(d, stream + 1), stream, moved);
	return true;
}

static bool signal_id(struct draft *d, uint32_t at)
{
	if (!is(d, at, ORDO_NOTIFY))
		return false;
	uint32_t most = 1;
	for (uint32_t i = 0; i < d->ntask; i++)
		if (!moves(d, i) && d->tasks[i].signal > most)
			most = d->tasks[i].signal;
	d->tasks[at].signal = other_below(d, most + 1, d->tasks[at].signal);
	return true;
}

/* A random other stream of the same rank, or ORDO_NONE. */
static uint32_t sister_stream(struct draft *d, uint32_t stream)
{
	const struct ordo_program *program = &d->of->programs[d->of->streams[stream].rank];
	uint32_t nth = other_below(
		d, program->end_stream - program->first_stream, stream - program->first_stream);
	return nth == ORDO_NONE ? ORDO_NONE : program->first_stream + nth;
}

static bool move_to_sister(struct draft *d, uint32_t at)
{
	uint32_t stream = sister_stream(d, d->stream[at]);
	if (stream == ORDO_NONE)
		return false;
	struct ordo_task task = take(d, at);
	uint32_t begin = stream_begin(d, stream), end = stream_begin(d, stream + 1);
	put(d, begin + below(&d->random, end - begin + 1), stream, task);
	return true;
}

static bool two_producers(struct draft *d, uint32_t at)
{
	return is(d, at, ORDO_NOTIFY) && move_to_sister(d, at);
}

static bool two_consumers(struct draft *d, uint32_t at)
{
	return is(d, at, ORDO_WAIT) && move_to_sister(d, at);
}

static uint32_t slots_of(const struct draft *d, uint32_t rank, enum ordo_buffer buffer)
{
	if (buffer == ORDO_SCRATCH)
		return d->scratch_slots;
	return buffer == ORDO_INPUT ? ordo_input_slots(&d->problem, rank)
				    : ordo_output_slots(&d->problem, rank);
}

static uint32_t target_rank(const struct draft *d, uint32_t at)
{
	return sends(d, at) ? d->tasks[at].peer : rank_of(d, at);
}

/* Another first slot within the buffer, so that the fault is not one of shape. */
static bool change_slot(struct draft *d, uint32_t nslot, uint32_t count, uint32_t *slot)
{
	uint32_t other = nslot < count ? ORDO_NONE : other_below(d, nslot - count + 1, *slot);
	if (other == ORDO_NONE)
		return false;
	*slot = other;
	return true;
}

static bool source_slot(struct draft *d, uint32_t at)
{
	struct ordo_task *task = &d->tasks[at];
	return moves(d, at) &&
	       change_slot(d, slots_of(d, rank_of(d, at), (enum ordo_buffer)task->src_buffer),
		       task->count, &task->src);
}

static bool target_slot(struct draft *d, uint32_t at)
{
	struct ordo_task *task = &d->tasks[at];
	return moves(d, at) &&
	       change_slot(d, slots_of(d, target_rank(d, at), (enum ordo_buffer)task->dst_buffer),
		       task->count, &task->dst);
}

static bool slice_shifted(struct draft *d, uint32_t at)
{
	struct ordo_task *task = &d->tasks[at];
	if (!moves(d, at))
		return false;
	const uint32_t step = below(&d->random, 2) ? 1 : UINT32_MAX;
	task->chunk += step;
	task->src += step;
	task->dst += step;
	return task->chunk <= ORDO_LIMIT && task->src <= ORDO_LIMIT && task->dst <= ORDO_LIMIT;
}

static bool chunk_id(struct draft *d, uint32_t at)
{
	struct ordo_task *task = &d->tasks[at];
	return moves(d, at) && change_slot(d, ordo_nchunk(&d->problem), task->count, &task->chunk);
}

static bool count_more(struct draft *d, uint32_t at)
{
	if (!moves(d, at))
		return false;
	d->tasks[at].count++;
	return true;
}

static bool count_less(struct draft *d, uint32_t at)
{
	if (!moves(d, at) || d->tasks[at].count == 1)
		return false;
	d->tasks[at].count--;
	return true;
}

static bool kind_flipped(struct draft *d, uint32_t at)
{
	if (!moves(d, at))
		return false;
	d->tasks[at].kind ^= 1;
	return true;
}

static bool move_dropped(struct draft *d, uint32_t at)
{
	if (!moves(d, at))
		return false;
	take(d, at);
	return true;
}

static bool move_doubled(struct draft *d, uint32_t at)
{
	if (!moves(d, at))
		return false;
	put(d, at, d->stream[at], d->tasks[at]);
	return true;
}

static bool side_elided(struct draft *d, uint32_t at)
{
	if (!sends(d, at) || at + 1 >= d->ntask || d->stream[at + 1] != d->stream[at] ||
		!is(d, at + 1, ORDO_NOTIFY))
		return false;
	take_both(d, at, at + 1);
	return true;
}

static bool swapped(struct draft *d, uint32_t at)
{
	if (at + 1 >= d->ntask || d->stream[at + 1] != d->stream[at] ||
		!memcmp(&d->tasks[at], &d->tasks[at + 1], sizeof *d->tasks))
		return false;
	return carry(d, at, at + 1);
}

static bool source_buffer(struct draft *d, uint32_t at)
{
	if (!moves(d, at))
		return false;
	d->tasks[at].src_buffer = other_below(d, ORDO_NBUFFER, d->tasks[at].src_buffer) & 3;
	return true;
}

static bool target_buffer(struct draft *d, uint32_t at)
{
	if (!moves(d, at))
		return false;
	d->tasks[at].dst_buffer = other_below(d, ORDO_NBUFFER, d->tasks[at].dst_buffer) & 3;
	return true;
}

static bool overwrites_source(const struct draft *d, uint32_t writer, uint32_t reader)
{
	const struct ordo_task *w = &d->tasks[writer], *r = &d->tasks[reader];
	return moves(d, writer) && target_rank(d, writer) == rank_of(d, reader) &&
	       w->dst_buffer == r->src_buffer && w->dst < r->src + r->count &&
	       r->src < w->dst + w->count;
}

/* A write of this task's source comes too early: before the task if it stands in the same stream,
 * else before the Wait that it stood behind. */
static bool source_reused(struct draft *d, uint32_t at)
{
	const uint32_t start = below(&d->random, d->ntask);
	for (uint32_t n = 0; moves(d, at) && n < d->ntask; n++) {
		const uint32_t writer = (start + n) % d->ntask;
		if (writer == at || !overwrites_source(d, writer, at))
			continue;
		if (d->stream[writer] == d->stream[at])
			return writer > at && carry(d, writer, at);
		uint32_t wait = writer;
		while (wait > 0 && d->stream[wait - 1] == d->stream[writer] &&
			!is(d, wait, ORDO_WAIT))
			wait--;
		return is(d, wait, ORDO_WAIT) && carry(d, writer, wait);
	}
	return false;
}

static bool tail_moved(struct draft *d, uint32_t at)
{
	const uint32_t from = d->stream[at], to = sister_stream(d, from);
	if (to == ORDO_NONE || (at && d->stream[at - 1] != from))
		return false;
	while (at < d->ntask && d->stream[at] == from) {
		struct ordo_task task = take(d, at);
		put(d, stream_begin(d, to + 1), to, task);
		at += to < from;
	}
	return true;
}

static bool stream_split(struct draft *d, uint32_t at)
{
	if (!at || d->stream[at - 1] != d->stream[at])
		return false;
	const uint32_t from = d->stream[at];
	d->extra_stream_of = rank_of(d, at);
	while (at < d->ntask && d->stream[at] == from) {
		struct ordo_task task = take(d, at);
		put(d, d->ntask, d->of->nstream, task);
	}
	return true;
}

static bool root_changed(struct draft *d, uint32_t at)
{
	uint32_t root = other_below(d, d->problem.nrank, d->problem.root);
	if (at || !ordo_operator_facts(d->problem.op)->rooted || root == ORDO_NONE)
		return false;
	d->problem.root = root;
	return true;
}

static bool in_place_flipped(struct draft *d, uint32_t at)
{
	if (at || !ordo_operator_facts(d->problem.op)->has_in_place ||
		d->problem.nshard != d->problem.nrank)
		return false;
	d->problem.in_place = !d->problem.in_place;
	return true;
}

static bool scratch_reduced(struct draft *d, uint32_t at)
{
	if (at || !d->scratch_slots)
		return false;
	d->scratch_slots--;
	return true;
}

static bool (*const functions[NFAULT])(struct draft *, uint32_t) = {
#define X(name, function, meaning) function,
	FAULTS(X)
#undef X
};

const char *fault_meaning(enum fault fault)
{
	static const char *const meanings[NFAULT] = {
#define X(name, function, meaning) meaning,
		FAULTS(X)
#undef X
	};
	return meanings[fault];
}

static void require(bool worked)
{
	if (!worked)
		abort();
}

/* Writes the draft out as a schedule; an extra stream goes after the other streams of its rank. */
static struct ordo_schedule *finish(const struct draft *d)
{
	struct ordo_schedule *schedule = ordo_schedule_create(&d->problem, d->of->algorithm, NULL);
	require(schedule && ordo_schedule_set_phases(schedule, d->of->phases, d->of->nphase, NULL));
	schedule->scratch_slots = d->scratch_slots;
	for (uint32_t i = 0; i < d->of->nstream; i++) {
		const uint32_t rank = d->of->streams[i].rank;
		require(ordo_schedule_begin_stream(schedule, rank, d->of->streams[i].name, NULL));
		for (uint32_t at = stream_begin(d, i); at < d->ntask && d->stream[at] == i; at++)
			require(ordo_schedule_append(schedule, &d->tasks[at], NULL));
		if (d->extra_stream_of != rank || d->of->programs[rank].end_stream != i + 1)
			continue;
		require(ordo_schedule_begin_stream(schedule, rank, "split", NULL));
		for (uint32_t at = stream_begin(d, d->of->nstream); at < d->ntask; at++)
			require(ordo_schedule_append(schedule, &d->tasks[at], NULL));
	}
	return schedule;
}

struct ordo_schedule *with_fault(
	const struct ordo_schedule *schedule, enum fault fault, uint32_t task, uint64_t choice)
{
	const size_t room = (size_t)schedule->ntask + 1;
	struct draft draft = {.of = schedule,
		.problem = schedule->problem,
		.scratch_slots = schedule->scratch_slots,
		.tasks = calloc(room, sizeof *draft.tasks),
		.stream = calloc(room, sizeof *draft.stream),
		.extra_stream_of = ORDO_NONE,
		.random = choice};
	require(draft.tasks && draft.stream);
	for (uint32_t i = 0; i < schedule->nstream; i++)
		for (uint32_t t = schedule->streams[i].first; t < schedule->streams[i].end; t++)
			put(&draft, draft.ntask, i, schedule->tasks[t]);
	struct ordo_schedule *mutant = NULL;
	if (task < draft.ntask && functions[fault](&draft, task))
		mutant = finish(&draft);
	free(draft.tasks);
	free(draft.stream);
	return mutant;
}
