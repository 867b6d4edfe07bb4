/* exchanges.c - schedules of every shape the runtime must run, made without the compiler. */
#include "exchanges.h"
#include <stdio.h>
#include <stdlib.h>

static void insist(bool worked, const struct ordo_error *error)
{
	if (worked)
		return;
	fprintf(stderr, "exchange: %s\n", error->text);
	abort();
}

struct ordo_schedule *exchange_create(struct ordo_problem problem, uint32_t scratch_slots)
{
	struct ordo_error error;
	problem.nshard = problem.nshard ? problem.nshard : problem.nrank;
	struct ordo_schedule *schedule = ordo_schedule_create(&problem, "exchange", &error);
	insist(schedule, &error);
	schedule->scratch_slots = scratch_slots;
	return schedule;
}

void exchange_stream(struct ordo_schedule *schedule, uint32_t rank, const char *name)
{
	struct ordo_error error;
	insist(ordo_schedule_begin_stream(schedule, rank, name, &error), &error);
}

void exchange_move(struct ordo_schedule *schedule, enum ordo_task_kind kind, uint32_t peer,
	uint32_t chunk, uint32_t count, enum ordo_buffer src_buffer, uint32_t src,
	enum ordo_buffer dst_buffer, uint32_t dst)
{
	struct ordo_error error;
	struct ordo_task task = {.kind = kind & 7,
		.src_buffer = src_buffer & 3,
		.dst_buffer = dst_buffer & 3,
		.phase = ORDO_NO_PHASE,
		.peer = peer,
		.chunk = chunk,
		.count = count,
		.src = src,
		.dst = dst};
	insist(ordo_schedule_append(schedule, &task, &error), &error);
}

void exchange_signal(
	struct ordo_schedule *schedule, enum ordo_task_kind kind, uint32_t peer, uint32_t signal)
{
	struct ordo_error error;
	struct ordo_task task = {
		.kind = kind & 7, .phase = ORDO_NO_PHASE, .peer = peer, .signal = signal};
	insist(ordo_schedule_append(schedule, &task, &error), &error);
}

/* Signals of all schedules here: READY says that the own memory may be written, DATA that the
 * peer's has been. */
enum { READY, DATA, COPIED };

struct ordo_schedule *exchange_ring(uint32_t nrank, bool in_place, bool two_streams)
{
	struct ordo_schedule *schedule = exchange_create((struct ordo_problem){.op = ORDO_ALLREDUCE,
								 .nrank = nrank,
								 .chunks_per_block = nrank,
								 .in_place = in_place},
		0);
	for (uint32_t r = 0; r < nrank; r++) {
		const uint32_t next = (r + 1) % nrank, previous = (r + nrank - 1) % nrank;
		exchange_stream(schedule, r, "copy");
		if (!in_place)
			exchange_move(schedule, ORDO_LOCAL_COPY, 0, 0, nrank, ORDO_INPUT, 0,
				ORDO_OUTPUT, 0);
		if (nrank == 1)
			continue;
		if (two_streams) {
			exchange_signal(schedule, ORDO_NOTIFY, r, COPIED);
			exchange_stream(schedule, r, "ring");
			exchange_signal(schedule, ORDO_WAIT, r, COPIED);
		}
		exchange_signal(schedule, ORDO_NOTIFY, previous, READY);
		exchange_signal(schedule, ORDO_WAIT, next, READY);
		for (uint32_t step = 0; step < 2 * (nrank - 1); step++) {
			const bool sums = step < nrank - 1;
			const uint32_t chunk = (r + 2 * nrank - step) % nrank;
			exchange_move(schedule, sums ? ORDO_SEND_REDUCE : ORDO_SEND, next, chunk, 1,
				ORDO_OUTPUT, chunk, ORDO_OUTPUT, chunk);
			exchange_signal(schedule, ORDO_NOTIFY, next, DATA);
			exchange_signal(schedule, ORDO_WAIT, previous, DATA);
		}
	}
	return schedule;
}

struct ordo_schedule *exchange_broadcast(
	uint32_t nrank, uint32_t root, uint32_t chunks_per_block, bool in_place)
{
	const uint32_t K = chunks_per_block;
	struct ordo_schedule *schedule = exchange_create((struct ordo_problem){.op = ORDO_BROADCAST,
								 .nrank = nrank,
								 .root = root,
								 .chunks_per_block = K,
								 .in_place = in_place},
		0);
	for (uint32_t r = 0; r < nrank; r++) {
		exchange_stream(schedule, r, "main");
		if (r != root) {
			exchange_signal(schedule, ORDO_NOTIFY, root, READY);
			exchange_signal(schedule, ORDO_WAIT, root, DATA);
			continue;
		}
		if (!in_place)
			exchange_move(
				schedule, ORDO_LOCAL_COPY, 0, 0, K, ORDO_INPUT, 0, ORDO_OUTPUT, 0);
		for (uint32_t peer = 0; peer < nrank; peer++) {
			if (peer == root)
				continue;
			exchange_signal(schedule, ORDO_WAIT, peer, READY);
			exchange_move(
				schedule, ORDO_SEND, peer, 0, K, ORDO_INPUT, 0, ORDO_OUTPUT, 0);
			exchange_signal(schedule, ORDO_NOTIFY, peer, DATA);
		}
	}
	return schedule;
}

struct ordo_schedule *exchange_alltoall(uint32_t nrank, uint32_t chunks_per_block)
{
	const uint32_t K = chunks_per_block;
	struct ordo_schedule *schedule = exchange_create(
		(struct ordo_problem){.op = ORDO_ALLTOALL, .nrank = nrank, .chunks_per_block = K},
		0);
	for (uint32_t r = 0; r < nrank; r++)
		for (uint32_t peer = 0; peer < nrank; peer++) {
			const uint32_t chunk = (r * nrank + peer) * K;
			exchange_stream(schedule, r, "peer");
			if (peer == r) {
				exchange_move(schedule, ORDO_LOCAL_COPY, 0, chunk, K, ORDO_INPUT,
					r * K, ORDO_OUTPUT, r * K);
				continue;
			}
			exchange_signal(schedule, ORDO_NOTIFY, peer, READY);
			exchange_signal(schedule, ORDO_WAIT, peer, READY);
			exchange_move(schedule, ORDO_SEND, peer, chunk, K, ORDO_INPUT, peer * K,
				ORDO_OUTPUT, r * K);
			exchange_signal(schedule, ORDO_NOTIFY, peer, DATA);
			exchange_signal(schedule, ORDO_WAIT, peer, DATA);
		}
	return schedule;
}

static void tell_ready(struct ordo_schedule *schedule, uint32_t rank)
{
	for (uint32_t peer = 0; peer < schedule->problem.nrank; peer++)
		if (peer != rank)
			exchange_signal(schedule, ORDO_NOTIFY, peer, READY);
	for (uint32_t peer = 0; peer < schedule->problem.nrank; peer++)
		if (peer != rank)
			exchange_signal(schedule, ORDO_WAIT, peer, READY);
}

struct ordo_schedule *exchange_reduce_scatter(
	uint32_t nrank, uint32_t chunks_per_block, bool in_place)
{
	const uint32_t K = chunks_per_block;
	struct ordo_schedule *schedule =
		exchange_create((struct ordo_problem){.op = ORDO_REDUCESCATTER,
					.nrank = nrank,
					.chunks_per_block = K,
					.in_place = in_place},
			nrank * K);
	for (uint32_t r = 0; r < nrank; r++) {
		exchange_stream(schedule, r, "main");
		tell_ready(schedule, r);
		for (uint32_t peer = 0; peer < nrank; peer++) {
			if (peer == r)
				continue;
			exchange_move(schedule, ORDO_SEND, peer, peer * K, K, ORDO_INPUT, peer * K,
				ORDO_SCRATCH, r * K);
			exchange_signal(schedule, ORDO_NOTIFY, peer, DATA);
		}
		/* The fold is in rank order, so the own block waits in the scratch for its turn. */
		exchange_move(schedule, ORDO_LOCAL_COPY, 0, r * K, K, ORDO_INPUT, r * K,
			ORDO_SCRATCH, r * K);
		for (uint32_t peer = 0; peer < nrank; peer++) {
			if (peer != r)
				exchange_signal(schedule, ORDO_WAIT, peer, DATA);
			exchange_move(schedule, peer ? ORDO_LOCAL_REDUCE : ORDO_LOCAL_COPY, 0,
				r * K, K, ORDO_SCRATCH, peer * K, ORDO_OUTPUT, 0);
		}
	}
	return schedule;
}

struct ordo_schedule *exchange_allgather(uint32_t nrank, uint32_t chunks_per_block, bool in_place)
{
	const uint32_t K = chunks_per_block;
	struct ordo_schedule *schedule = exchange_create((struct ordo_problem){.op = ORDO_ALLGATHER,
								 .nrank = nrank,
								 .chunks_per_block = K,
								 .in_place = in_place},
		0);
	for (uint32_t r = 0; r < nrank; r++) {
		exchange_stream(schedule, r, "main");
		if (!in_place)
			exchange_move(schedule, ORDO_LOCAL_COPY, 0, r * K, K, ORDO_INPUT, 0,
				ORDO_OUTPUT, r * K);
		tell_ready(schedule, r);
		for (uint32_t peer = 0; peer < nrank; peer++) {
			if (peer == r)
				continue;
			exchange_move(schedule, ORDO_SEND, peer, r * K, K, ORDO_INPUT, 0,
				ORDO_OUTPUT, r * K);
			exchange_signal(schedule, ORDO_NOTIFY, peer, DATA);
		}
		for (uint32_t peer = 0; peer < nrank; peer++)
			if (peer != r)
				exchange_signal(schedule, ORDO_WAIT, peer, DATA);
	}
	return schedule;
}
