/* sent.c - counts the bytes that every rank writes into the memory of every other. */
#include "sent.h"
#include <ordo/arena.h>
#include <stdlib.h>

/* The bytes one rank sends to each peer, while they are counted. */
struct tally {
	uint64_t *bytes; /* [nrank] */
	bool *is_peer;	 /* [nrank] */
	uint32_t *peers; /* [npeer] */
	uint32_t npeer;
};

static int compare_ranks(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	return (a > b) - (a < b);
}

static void count_sent(const struct ordo_plan *plan, uint32_t rank, struct tally *tally)
{
	const struct ordo_schedule *schedule = plan->schedule;
	const struct ordo_program *program = &schedule->programs[rank];
	for (uint32_t s = program->first_stream; s < program->end_stream; s++)
		for (uint32_t t = schedule->streams[s].first; t < schedule->streams[s].end; t++) {
			const struct ordo_task *task = &schedule->tasks[t];
			if (task->kind != ORDO_SEND && task->kind != ORDO_SEND_REDUCE)
				continue;
			if (!tally->is_peer[task->peer])
				tally->peers[tally->npeer++] = task->peer;
			tally->is_peer[task->peer] = true;
			tally->bytes[task->peer] +=
				element_bytes_moved(&plan->layout, task) *
				(chunk_begin(&plan->layout, task->chunk + task->count) -
					chunk_begin(&plan->layout, task->chunk));
		}
	qsort(tally->peers, tally->npeer, sizeof *tally->peers, compare_ranks);
}

/* Appends the tally of a rank to plan->sent and empties it. */
static bool append_sent(struct ordo_plan *plan, uint32_t rank, struct tally *tally, size_t *room)
{
	size_t first = plan->first_sent[rank];
	if (!ordo_array_reserve(&plan->sent, room, first + tally->npeer, sizeof *plan->sent))
		return false;
	for (uint32_t i = 0; i < tally->npeer; i++) {
		uint32_t to = tally->peers[i];
		plan->sent[first + i] = (struct sent){to, tally->bytes[to]};
		tally->bytes[to] = 0;
		tally->is_peer[to] = false;
	}
	plan->first_sent[rank + 1] = (uint32_t)(first + tally->npeer);
	tally->npeer = 0;
	return true;
}

bool ordo_plan_count_sent(struct ordo_plan *plan, struct ordo_error *error)
{
	const uint32_t nrank = plan->schedule->problem.nrank;
	struct tally tally = {calloc(nrank, sizeof *tally.bytes),
		calloc(nrank, sizeof *tally.is_peer), calloc(nrank, sizeof *tally.peers), 0};
	plan->first_sent = calloc((size_t)nrank + 1, sizeof *plan->first_sent);
	bool worked = tally.bytes && tally.is_peer && tally.peers && plan->first_sent;
	size_t room = 0;
	for (uint32_t r = 0; worked && r < nrank; r++) {
		count_sent(plan, r, &tally);
		worked = append_sent(plan, r, &tally, &room);
	}
	free(tally.bytes);
	free(tally.is_peer);
	free(tally.peers);
	return worked ? true : ordo_fail_memory(error);
}

uint64_t ordo_plan_bytes_sent(const struct ordo_plan *plan, uint32_t from, uint32_t to)
{
	uint32_t low = plan->first_sent[from], high = plan->first_sent[from + 1];
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (plan->sent[middle].to == to)
			return plan->sent[middle].bytes;
		if (plan->sent[middle].to < to)
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}
