/* closure.c - which move must come after which by streams and pairs, closed under transitivity.
 *
 * Every pair leads from a move to a later one: in the order of the program, all that a move comes
 * after is known when its turn comes, a row of bits for each move. Quadratic, and plain.
 */
#include "closure.h"

#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

static void unite(uint64_t *into, const uint64_t *from, size_t words)
{
	for (size_t i = 0; i < words; i++)
		into[i] |= from[i];
}

struct closing {
	const struct ordo_sequence *sequence;
	const struct ordo_sync_edges *pairs;
	uint32_t dropped;	/* this pair does not count */
	uint32_t *first, *next; /* the pairs into a move: lists */
	uint64_t *rows;		/* [nmove][words] of all moves and relays, with themselves */
	uint64_t *ends;		/* [nlane][words] of all streams so far */
	struct closure *closure;
};

static void enter(const struct closing *closing, uint64_t *row, uint32_t rank)
{
	const size_t bit = closing->closure->nmove + rank;
	row[bit / 64] |= UINT64_C(1) << bit % 64;
}

/* What the notifying stream had behind it. */
static void hear(const struct closing *closing, uint64_t *row, const struct ordo_sync_edge *pair)
{
	const size_t words = closing->closure->words;
	if (pair->from == ORDO_NONE)
		enter(closing, row, closing->sequence->lanes[pair->from_lane].rank);
	else
		unite(row, closing->rows + pair->from * words, words);
}

static void close_moves(struct closing *closing)
{
	const struct ordo_sequence *sequence = closing->sequence;
	struct closure *closure = closing->closure;
	const size_t words = closure->words;
	uint32_t number = 0;
	for (uint32_t id = 0; id < sequence->nmove; id++) {
		const struct ordo_move *move = &sequence->moves[id];
		uint64_t *row = closing->rows + id * words;
		if (move->stream == ORDO_NONE)
			continue;
		uint64_t *end = closing->ends + move->stream * words;
		for (uint32_t p = closing->first[id]; p != ORDO_NONE; p = closing->next[p])
			hear(closing, row, &closing->pairs->items[p]);
		unite(row, end, words);
		if (!move->relays) {
			memcpy(closure->moves + number * words, row, words * sizeof *row);
			row[number / 64] |= UINT64_C(1) << number % 64;
			number++;
		}
		memcpy(end, row, words * sizeof *row);
	}
}

static void close_leaving(struct closing *closing)
{
	const struct ordo_sequence *sequence = closing->sequence;
	struct closure *closure = closing->closure;
	const size_t words = closure->words;
	for (uint32_t lane = 0; lane < sequence->nlane; lane++) {
		uint64_t *leave = closure->leaves + sequence->lanes[lane].rank * words;
		unite(leave, closing->ends + lane * words, words);
	}
	for (uint32_t p = 0; p < closing->pairs->count; p++) {
		const struct ordo_sync_edge *pair = &closing->pairs->items[p];
		const uint32_t rank = sequence->lanes[pair->to_lane].rank;
		if (pair->to == ORDO_NONE && p != closing->dropped)
			hear(closing, closure->leaves + rank * words, pair);
	}
}

struct closure close_over(
	const struct ordo_sequence *sequence, const struct ordo_sync_edges *pairs, uint32_t dropped)
{
	struct closure closure = {.nrank = sequence->problem.nrank};
	for (uint32_t id = 0; id < sequence->nmove; id++)
		closure.nmove += !sequence->moves[id].relays;
	const size_t words = closure.words = (closure.nmove + closure.nrank) / 64 + 1;
	closure.moves = calloc(closure.nmove * words + 1, sizeof *closure.moves);
	closure.leaves = calloc(closure.nrank * words, sizeof *closure.leaves);
	struct closing closing = {.sequence = sequence,
		.pairs = pairs,
		.dropped = dropped,
		.first = ordo_array_make((size_t)sequence->nmove + 1, sizeof(uint32_t), 0xff),
		.next = ordo_array_make((size_t)pairs->count + 1, sizeof(uint32_t), 0xff),
		.rows = calloc(sequence->nmove * words + 1, sizeof(uint64_t)),
		.ends = calloc(sequence->nlane * words + 1, sizeof(uint64_t)),
		.closure = &closure};
	for (uint32_t p = 0; p < pairs->count; p++)
		if (pairs->items[p].to != ORDO_NONE && p != dropped) {
			closing.next[p] = closing.first[pairs->items[p].to];
			closing.first[pairs->items[p].to] = p;
		}
	for (uint32_t lane = 0; lane < sequence->nlane; lane++)
		enter(&closing, closing.ends + lane * words, sequence->lanes[lane].rank);
	close_moves(&closing);
	close_leaving(&closing);
	free(closing.first);
	free(closing.next);
	free(closing.rows);
	free(closing.ends);
	return closure;
}

void free_closure(struct closure *closure)
{
	free(closure->moves);
	free(closure->leaves);
}

bool are_same(const struct closure *a, const struct closure *b)
{
	const size_t row = a->words * sizeof(uint64_t);
	if (a->nmove != b->nmove || a->nrank != b->nrank)
		return false;
	return !memcmp(a->moves, b->moves, a->nmove * row) &&
	       !memcmp(a->leaves, b->leaves, a->nrank * row);
}

uint32_t count_superfluous(
	const struct ordo_sequence *sequence, const struct ordo_sync_edges *pairs)
{
	uint32_t count = 0;
	struct closure whole = close_over(sequence, pairs, ORDO_NONE);
	for (uint32_t p = 0; p < pairs->count; p++) {
		struct closure less = close_over(sequence, pairs, p);
		count += are_same(&whole, &less);
		free_closure(&less);
	}
	free_closure(&whole);
	return count;
}

uint32_t count_relays(const struct ordo_sequence *sequence)
{
	uint32_t count = 0;
	for (uint32_t id = 0; id < sequence->nmove; id++)
		count += sequence->moves[id].relays && sequence->moves[id].stream != ORDO_NONE;
	return count;
}
