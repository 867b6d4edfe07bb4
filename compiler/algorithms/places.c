/* places.c - sums and copies between work places, as few moves as the places allow. */
#include "algorithms/places.h"

typedef struct ordo_at place_of(struct ordo_builder *b, uint32_t rank, uint32_t chunk);

/* A rank's sum so far: its work place once it was made ready, till then its input. */
static struct ordo_at sum_of(struct ordo_builder *b, uint32_t rank, uint32_t chunk)
{
	const struct ordo_at work = ordo_work(b, rank, chunk);
	return ordo_written(b, work) ? work : ordo_input_of(b, rank, chunk);
}

static bool lies_behind(struct ordo_at at, struct ordo_at first, uint32_t distance)
{
	return at.buffer == first.buffer && at.slot == first.slot + distance;
}

/* Moves chunks to work places, several at once where both places are consecutive. */
static void move_all(struct ordo_builder *b, uint32_t to, uint32_t from, struct ordo_slice chunks,
	place_of *source, void (*move)(struct ordo_builder *, struct ordo_at, struct ordo_at, uint32_t))
{
	const uint32_t end = chunks.first + chunks.count;
	for (uint32_t chunk = chunks.first, count; chunk < end && !ordo_builder_failed(b); chunk += count) {
		const struct ordo_at dst = ordo_work(b, to, chunk), src = source(b, from, chunk);
		for (count = 1; chunk + count < end; count++)
			if (!lies_behind(ordo_work(b, to, chunk + count), dst, count) ||
				!lies_behind(source(b, from, chunk + count), src, count))
				break;
		move(b, dst, src, count);
	}
}

void ordo_make_ready(struct ordo_builder *b, uint32_t rank, struct ordo_slice chunks)
{
	const uint32_t end = chunks.first + chunks.count;
	for (uint32_t chunk = chunks.first; chunk < end && !ordo_builder_failed(b); chunk++)
		if (!ordo_written(b, ordo_work(b, rank, chunk)))
			ordo_contribute(b, rank, chunk, 1);
}

void ordo_add_on(struct ordo_builder *b, uint32_t to, uint32_t from, struct ordo_slice chunks)
{
	move_all(b, to, from, chunks, sum_of, ordo_reduce);
}

void ordo_pass_on(struct ordo_builder *b, uint32_t to, uint32_t from, struct ordo_slice chunks, bool summed)
{
	move_all(b, to, from, chunks, summed ? ordo_work : ordo_held, ordo_copy);
}

void ordo_keep_own(struct ordo_builder *b, const struct ordo_problem *problem)
{
	const uint32_t K = problem->chunks_per_block;
	if (ordo_operator_facts(problem->op)->reduces && problem->nrank > 1)
		return;
	ordo_stream(b, "own", ORDO_NONE);
	ordo_phase(b, "own", ORDO_NONE);
	for (uint32_t rank = 0; rank < problem->nrank; rank++) {
		const uint32_t chunk = ordo_nblock(problem) == 1 ? 0 : rank * K;
		if (ordo_has_input(b, rank, chunk) && ordo_has_output(b, rank, chunk))
			ordo_contribute(b, rank, chunk, K);
	}
}
