/* binary_blocks.c - AllReduce by blocks of powers of two of ranks: near first inside a block, and
 * from the smallest block to the largest between them. */
#include "generator.h"

enum { MOST_BLOCKS = 32 };

struct block {
	uint32_t first, size; /* ranks */
};

/* A rank's view. */
struct blocks {
	struct writing writing;
	struct block of[MOST_BLOCKS]; /* the largest first */
	uint32_t count;
	uint32_t steps; /* of the largest block */
	bool in_place;
	uint32_t rank;
	uint32_t number; /* of the rank's block */
	uint32_t own;	 /* the rank's number in it */
};

static struct blocks blocks_of(const struct ordo_problem *problem, uint32_t rank)
{
	struct blocks blocks = {.in_place = problem->in_place, .rank = rank};
	for (uint32_t first = 0, size; first < problem->nrank; first += size) {
		for (size = 1; size <= (problem->nrank - first) / 2;)
			size *= 2;
		if (rank >= first) {
			blocks.number = blocks.count;
			blocks.own = rank - first;
		}
		blocks.of[blocks.count++] = (struct block){first, size};
	}
	while (1u << blocks.steps < blocks.of[0].size)
		blocks.steps++;
	return blocks;
}

static uint32_t size_of(const struct blocks *blocks)
{
	return blocks->of[blocks->number].size;
}

static bool has_smaller(const struct blocks *blocks)
{
	return blocks->number + 1 < blocks->count;
}

/* The rank of the next smaller block that has what a rank of this block has, and more. */
static uint32_t in_smaller(const struct blocks *blocks, uint32_t rank)
{
	const struct block smaller = blocks->of[blocks->number + 1];
	return smaller.first + (rank - blocks->of[blocks->number].first) % smaller.size;
}

static uint32_t chunks_of(const struct blocks *blocks, uint32_t reach)
{
	return blocks->of[0].size / reach;
}

/* The first of the chunks that number `l` of a block keeps when it has exchanged with the ranks
 * that differ in bits below `reach`. */
static uint32_t kept(const struct blocks *blocks, uint32_t l, uint32_t reach)
{
	uint32_t reverse = 0;
	for (uint32_t bit = 1; bit < reach; bit *= 2)
		reverse |= l & bit ? reach / 2 / bit : 0;
	return reverse * chunks_of(blocks, reach);
}

/* Phases: copy in, reduce-scatter of each step, inter-block reduce, inter-block copy, and
 * all-gather. */
static uint32_t phase_to_larger(const struct blocks *blocks, uint32_t number)
{
	return blocks->steps + blocks->count - number - blocks->in_place;
}

static uint32_t phase_to_smaller(const struct blocks *blocks, uint32_t number)
{
	return blocks->steps + blocks->count + number - blocks->in_place;
}

static uint32_t phase_back(const struct blocks *blocks, uint32_t mask)
{
	uint32_t phase = blocks->steps + 2 * blocks->count - 1 - blocks->in_place;
	for (uint32_t larger = blocks->of[0].size / 2; larger > mask; larger /= 2)
		phase++;
	return phase;
}

static void send(struct blocks *blocks, bool reduces, uint32_t peer, struct place from,
	uint32_t count, uint32_t phase)
{
	ordo_write_send(&blocks->writing, reduces, peer, from.slot, count, from,
		(struct place){ORDO_OUTPUT, from.slot}, phase);
}

/* Between neighbours signal 0 means that the copies are ready, and signal 1 that data was sent. */
static uint32_t signal_of(const struct blocks *blocks, uint32_t mask)
{
	return mask == 1 && !blocks->in_place;
}

/* What a rank keeps after a step is next written by the peer's peer of the next step, or by a rank
 * of the smaller block. The peer hears of it from that, or reads first, and then from this rank. */
static void notify_of_sum(struct blocks *blocks, uint32_t peer, uint32_t mask, uint32_t phase)
{
	struct writing *w = &blocks->writing;
	const bool last = 2 * mask == size_of(blocks);
	const uint32_t writer = peer ^ 2 * mask;
	if (last && has_smaller(blocks)) {
		ordo_write_notify(w, in_smaller(blocks, peer), 0, phase);
		return;
	}
	if (!last && writer < peer)
		ordo_write_notify(w, writer, 0, phase);
	ordo_write_notify(w, peer, signal_of(blocks, mask), phase);
	if (!last && writer > peer)
		ordo_write_notify(w, writer, 0, phase);
}

static void wait_for_both(
	struct writing *w, uint32_t before, uint32_t ready, uint32_t signal, uint32_t phase)
{
	if (ready > before)
		ordo_write_wait(w, ready, 0, phase);
	ordo_write_wait(w, before, signal, phase);
	if (ready < before)
		ordo_write_wait(w, ready, 0, phase);
}

/* Numbers in a block are exclusive-ored like ranks, for the first rank of a block is a multiple of
 * its size. */
static void halve(struct blocks *blocks)
{
	struct writing *w = &blocks->writing;
	for (uint32_t mask = 1, phase = !blocks->in_place; mask < size_of(blocks);
		mask *= 2, phase++) {
		const uint32_t peer = blocks->rank ^ mask, before = blocks->rank ^ mask / 2;
		if (mask == 1)
			ordo_write_wait(w, peer, 0, phase);
		else
			wait_for_both(w, before, before ^ mask, signal_of(blocks, mask / 2), phase);
		const struct place from = {mask > 1 ? ORDO_OUTPUT : ORDO_INPUT,
			kept(blocks, blocks->own ^ mask, 2 * mask)};
		send(blocks, true, peer, from, chunks_of(blocks, 2 * mask), phase);
		notify_of_sum(blocks, peer, mask, phase);
	}
}

/* Before the own sum is read: from the smaller block, or from the last peer. */
static void wait_for_sum(struct blocks *blocks, uint32_t phase)
{
	const uint32_t half = size_of(blocks) / 2;
	if (has_smaller(blocks))
		ordo_write_wait(&blocks->writing, in_smaller(blocks, blocks->rank), 0, phase);
	else if (half)
		ordo_write_wait(
			&blocks->writing, blocks->rank ^ half, signal_of(blocks, half), phase);
}

/* What was sent last is waited for first. */
static void send_to_larger(struct blocks *blocks)
{
	struct writing *w = &blocks->writing;
	const struct block larger = blocks->of[blocks->number - 1];
	const uint32_t size = size_of(blocks), chunks = chunks_of(blocks, larger.size),
		       phase = phase_to_larger(blocks, blocks->number);
	if (has_smaller(blocks))
		wait_for_sum(blocks, phase);
	for (uint32_t l = blocks->own; l < larger.size; l += size) {
		const struct place from = {
			size > 1 ? ORDO_OUTPUT : ORDO_INPUT, kept(blocks, l, larger.size)};
		ordo_write_wait(w, larger.first + (l ^ larger.size / 2), 0, phase);
		if (l == blocks->own && !has_smaller(blocks))
			wait_for_sum(blocks, phase);
		send(blocks, true, larger.first + l, from, chunks, phase);
		ordo_write_notify(w, larger.first + l, 0, phase);
	}
}

/* In the phase in which the result is passed on, if it is. */
static void wait_for_larger(struct blocks *blocks)
{
	const struct block larger = blocks->of[blocks->number - 1];
	const uint32_t size = size_of(blocks);
	uint32_t phase = phase_to_smaller(blocks, blocks->number - 1);
	if (has_smaller(blocks))
		phase = phase_to_smaller(blocks, blocks->number);
	else if (size > 1)
		phase = phase_back(blocks, size / 2);
	for (uint32_t l = blocks->own + larger.size; l >= size; l -= size)
		ordo_write_wait(&blocks->writing, larger.first + l - size, 0, phase);
}

static void send_to_smaller(struct blocks *blocks)
{
	const uint32_t phase = phase_to_smaller(blocks, blocks->number),
		       peer = in_smaller(blocks, blocks->rank), size = size_of(blocks);
	send(blocks, false, peer, (struct place){ORDO_OUTPUT, kept(blocks, blocks->own, size)},
		chunks_of(blocks, size), phase);
	ordo_write_notify(&blocks->writing, peer, 0, phase);
}

/* The first Send waits for nothing but what came before, the others for the step before. */
static void gather(struct blocks *blocks)
{
	struct writing *w = &blocks->writing;
	for (uint32_t mask = size_of(blocks) / 2; mask; mask /= 2) {
		const uint32_t phase = phase_back(blocks, mask), peer = blocks->rank ^ mask;
		const struct place from = {ORDO_OUTPUT, kept(blocks, blocks->own, 2 * mask)};
		send(blocks, false, peer, from, chunks_of(blocks, 2 * mask), phase);
		ordo_write_notify(w, peer, signal_of(blocks, mask), phase);
		ordo_write_wait(w, peer, signal_of(blocks, mask),
			mask > 1 ? phase_back(blocks, mask / 2) : phase);
	}
}

static bool give(const struct ordo_programs *programs, uint32_t rank,
	struct ordo_rank_program *program, struct ordo_error *error)
{
	struct blocks blocks = blocks_of(&programs->problem, rank);
	blocks.writing = (struct writing){program, error, false};
	ordo_rank_program_clear(program);
	if (size_of(&blocks) > 1 && !blocks.in_place) {
		const uint32_t own = kept(&blocks, blocks.own, 2);
		ordo_write_stream(&blocks.writing, "copy");
		ordo_write_copy(&blocks.writing, own, chunks_of(&blocks, 2),
			(struct place){ORDO_INPUT, own}, (struct place){ORDO_OUTPUT, own}, 0);
		ordo_write_notify(&blocks.writing, rank ^ 1, 0, 0);
	}
	ordo_write_stream(&blocks.writing, "exchange");
	if (size_of(&blocks) > 1 && blocks.in_place)
		ordo_write_notify(&blocks.writing, rank ^ 1, 0, 0);
	halve(&blocks);
	if (blocks.number) {
		send_to_larger(&blocks);
		wait_for_larger(&blocks);
	} else {
		wait_for_sum(&blocks, phase_to_smaller(&blocks, 0));
	}
	if (has_smaller(&blocks))
		send_to_smaller(&blocks);
	gather(&blocks);
	return !blocks.writing.failed;
}

static uint32_t no_scratch(const struct ordo_problem *problem)
{
	(void)problem;
	return 0;
}

static uint32_t phases(const struct ordo_problem *problem)
{
	const struct blocks blocks = blocks_of(problem, 0);
	return 2 * (blocks.steps + blocks.count) - 1 - blocks.in_place;
}

static uint32_t chunks(const struct ordo_problem *problem)
{
	return blocks_of(problem, 0).of[0].size;
}

static uint32_t half_of_chunks(const struct ordo_problem *problem)
{
	return chunks(problem) / 2;
}

const struct generator ordo_generate_binary_blocks = {
	.facts = {.name = "binary-blocks", .operators = 1u << ORDO_ALLREDUCE, .ranks = "2 or more"},
	.chunks = chunks,
	.in_place = true,
	.scratch = no_scratch,
	.phases = phases,
	.give = give,
	.level = ordo_level_by_phase,
	.most_chunks = half_of_chunks,
};
