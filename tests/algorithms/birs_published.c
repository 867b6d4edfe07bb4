/* birs_published.c - BIRS with its three streams and every Notify and Wait as the published
 * schedule has them.
 *
 * Column y = r/2 of Y, lane r mod 2; h(k) = r + 2(k+1). Scratch A[c], slots 0..Y-1, has a sum of
 * two for the rank of this lane in column c; B[c], slots Y..2Y-1, what column c sends. Every
 * transfer is acknowledged before, "you may write", and announced after, "it is there". Over SIO
 * both go to the neighbour r^1. Over HCCS the announcement goes to the rank that was written to.
 * The acknowledgement should go to the rank that will write, r - 2k in round k; in the published
 * schedule it goes to r + 2k, which this rank writes to itself.
 */
#include "birs_published.h"
#include <assert.h>
#include <ordo/arena.h>
#include <string.h>

/* Signals between ranks, and between the streams of one rank. */
enum { SIO_ACKNOWLEDGES, SIO_ANNOUNCES, HCCS_ACKNOWLEDGES, HCCS_ANNOUNCES };
enum { COPIED, PAIR_SUMMED, OWN_PAIR_SUMMED, COLUMNS_ARRIVED };

struct writing {
	struct ordo_schedule *schedule;
	uint32_t rank, nrank, columns;
	enum acknowledges whom;
};

static void begin(const struct writing *w, const char *stream)
{
	bool worked = ordo_schedule_begin_stream(w->schedule, w->rank, stream, NULL);
	assert(worked);
	(void)worked;
}

static void append(const struct writing *w, struct ordo_task task)
{
	task.phase = ORDO_NO_PHASE;
	bool worked = ordo_schedule_append(w->schedule, &task, NULL);
	assert(worked);
	(void)worked;
}

static void notify(const struct writing *w, uint32_t peer, uint32_t signal)
{
	append(w, (struct ordo_task){.kind = ORDO_NOTIFY, .peer = peer, .signal = signal});
}

static void wait(const struct writing *w, uint32_t peer, uint32_t signal)
{
	append(w, (struct ordo_task){.kind = ORDO_WAIT, .peer = peer, .signal = signal});
}

static void move(const struct writing *w, enum ordo_task_kind kind, uint32_t peer, uint32_t chunk,
	enum ordo_buffer src_buffer, uint32_t src, uint32_t dst)
{
	append(w, (struct ordo_task){.kind = kind,
			  .peer = peer,
			  .chunk = chunk,
			  .count = 1,
			  .src_buffer = src_buffer & 3u,
			  .src = src,
			  .dst_buffer = ORDO_SCRATCH,
			  .dst = dst});
}

/* The rank of this lane `steps` columns further; steps >= -Y. */
static uint32_t further(const struct writing *w, int64_t steps)
{
	return (uint32_t)((w->rank + w->nrank + 2 * steps) % w->nrank);
}

static uint32_t slot_a(uint32_t to)
{
	return to / 2;
}

static uint32_t slot_b(const struct writing *w, uint32_t column)
{
	return w->columns + column;
}

/* v[i]: what column i contributes to the fold. */
static uint32_t folded(const struct writing *w, uint32_t i)
{
	return i == w->rank / 2 ? slot_a(w->rank) : slot_b(w, i);
}

static void write_sio(const struct writing *w)
{
	const uint32_t neighbour = w->rank ^ 1;
	begin(w, "sio");
	for (uint32_t k = 0; k < w->columns; k++) {
		const uint32_t to = further(w, k + 1) ^ 1;
		wait(w, w->rank, COPIED);
		notify(w, neighbour, SIO_ACKNOWLEDGES);
		wait(w, neighbour, SIO_ACKNOWLEDGES);
		move(w, ORDO_SEND_REDUCE, neighbour, to, ORDO_INPUT, to, slot_a(to));
		notify(w, neighbour, SIO_ANNOUNCES);
		wait(w, neighbour, SIO_ANNOUNCES);
		notify(w, w->rank, k + 1 < w->columns ? PAIR_SUMMED : OWN_PAIR_SUMMED);
	}
}

static void write_hccs(const struct writing *w)
{
	begin(w, "hccs");
	for (uint32_t k = 1; k < w->columns; k++) {
		const uint32_t destination = further(w, k), source = further(w, -(int64_t)k);
		wait(w, w->rank, PAIR_SUMMED);
		notify(w, w->whom == THE_SOURCE ? source : destination, HCCS_ACKNOWLEDGES);
		wait(w, w->whom == THE_SOURCE ? destination : source, HCCS_ACKNOWLEDGES);
		move(w, ORDO_SEND, destination, destination, ORDO_SCRATCH, slot_a(destination),
			slot_b(w, w->rank / 2));
		notify(w, destination, HCCS_ANNOUNCES);
		wait(w, source, HCCS_ANNOUNCES);
	}
	notify(w, w->rank, COLUMNS_ARRIVED);
}

static void write_copy(const struct writing *w)
{
	begin(w, "copy");
	for (uint32_t k = 0; k < w->columns; k++) {
		const uint32_t to = further(w, k + 1);
		move(w, ORDO_LOCAL_COPY, 0, to, ORDO_INPUT, to, slot_a(to));
		notify(w, w->rank, COPIED);
	}
	wait(w, w->rank, OWN_PAIR_SUMMED);
	wait(w, w->rank, COLUMNS_ARRIVED);
	for (uint32_t stride = 1; stride < w->columns; stride *= 2)
		for (uint32_t i = 0; i + stride < w->columns; i += 2 * stride)
			move(w, ORDO_LOCAL_REDUCE, 0, w->rank, ORDO_SCRATCH, folded(w, i + stride),
				folded(w, i));
	append(w, (struct ordo_task){.kind = ORDO_LOCAL_COPY,
			  .chunk = w->rank,
			  .count = 1,
			  .src_buffer = ORDO_SCRATCH,
			  .src = folded(w, 0),
			  .dst_buffer = ORDO_OUTPUT});
}

struct ordo_schedule *birs_published(uint32_t nrank, enum acknowledges whom)
{
	const struct ordo_problem problem = {
		.op = ORDO_REDUCESCATTER, .nrank = nrank, .chunks_per_block = 1, .nshard = nrank};
	struct writing w = {
		ordo_schedule_create(&problem, "birs", NULL), 0, nrank, nrank / 2, whom};
	static const char *const notes[] = {
		"\"acknowledgement over HCCS\": \"towards the destination, described as found in "
		"the published schedule; two calls in a row race\"",
		"\"acknowledgement over HCCS\": \"towards the source\""};
	assert(w.schedule && nrank >= 4 && nrank % 2 == 0);
	w.schedule->scratch_slots = nrank;
	w.schedule->extra = ordo_arena_format(&w.schedule->arena, "{%s}", notes[whom]);
	assert(w.schedule->extra);
	for (; w.rank < nrank; w.rank++) {
		write_sio(&w);
		write_hccs(&w);
		write_copy(&w);
	}
	return w.schedule;
}
