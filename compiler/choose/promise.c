/* promise.c - which numbers of chunks are worth trying, told from the times of those that were. */
#include "promise.h"
#include <math.h>

/* A candidate that took so many times as long as with fewer chunks is not tried with more. */
#define GROWN 1.1
/* A candidate that takes at most so many times the best may be the best with half or with twice as
 * many chunks. */
#define NEAR (1 + 1. / 32)

bool ordo_has_more_chunks(const struct ordo_table *table, uint32_t i)
{
	return i && i < table->count && table->items[i].candidate && !table->items[i].between &&
	       table->items[i].candidate == table->items[i - 1].candidate &&
	       table->items[i].chunks_per_block > table->items[i - 1].chunks_per_block;
}

bool ordo_has_grown(const struct ordo_columns *columns, const struct ordo_column *column,
	uint32_t i, double best)
{
	const struct ordo_selection_wish *wish = &columns->wish->selection;
	if (wish->from_bytes != wish->to_bytes || !ordo_has_more_chunks(columns->table, i) ||
		!ordo_has_more_chunks(columns->table, i - 1))
		return false;
	const double before = column->seconds[i - 2],
		     last = fmax(column->seconds[i - 1], column->over[i - 1]);
	return (before >= 0 && last > best * ORDO_FAR && last > GROWN * before) ||
	       ordo_has_grown(columns, column, i - 1, best);
}

/* The part of the time of candidate i that is saved by `chunks` in place of its own, from what it
 * saves over fewer, those of i - 1: a pipeline takes a time that does not shrink, and its ends,
 * which do in proportion to a chunk. Where a usual number saved a tenth, links are not busy yet, so
 * twice that may be saved. Negative: not known. */
static double gain_of(const struct ordo_columns *columns, const struct ordo_column *column,
	uint32_t i, uint32_t chunks)
{
	const struct ordo_evaluated *items = columns->table->items;
	const double before = fmax(column->seconds[i - 1], column->over[i - 1]),
		     last = column->seconds[i];
	if (before < 0 || last < 0)
		return -1;
	const double shrunk = 1. / items[i - 1].chunks_per_block - 1. / items[i].chunks_per_block,
		     shrinks = 1. / items[i].chunks_per_block - 1. / chunks;
	const bool idle_links = items[i].worth == 0 && before > 1.1 * last;
	return (before - last) / shrunk * shrinks * (idle_links ? 2 : 1);
}

/* Seconds that another number of chunks may save, whatever those tried promise. */
static double may_save(const struct ordo_evaluated *item, double seconds)
{
	return seconds * item->candidate->may_save / 100;
}

bool ordo_is_promising(const struct ordo_columns *columns, const struct ordo_column *column,
	uint32_t i, double best, uint32_t ahead)
{
	const struct ordo_evaluated *items = columns->table->items;
	if (!ordo_has_more_chunks(columns->table, i) ||
		(ahead > 1 && items[i].worth >= ORDO_WORTH_MOST))
		return false;
	if (!ordo_has_more_chunks(columns->table, i - 1))
		return column->seconds[i - 1] >= 0;
	const double last = column->seconds[i - 1],
		     known = gain_of(columns, column, i - 1, ahead * items[i].chunks_per_block),
		     hoped = items[i - 1].worth == 0 ? may_save(&items[i], last) : 0;
	return (known >= 0 || hoped > 0) && last - fmax(hoped, known) < best * (1 - items[i].worth);
}

/* Whether two algorithms took the same time with every number of chunks that was tried of both, two
 * at least: then they differ in nothing that costs time here, such as ways where there is one. */
static bool are_twins(const struct ordo_columns *columns, const struct ordo_column *column,
	const struct ordo_candidate *one, const struct ordo_candidate *other)
{
	const struct ordo_table *table = columns->table;
	uint32_t same = 0;
	for (uint32_t a = 0; a < table->count; a++)
		for (uint32_t b = 0; table->items[a].candidate == one && b < table->count; b++) {
			const double of_a = column->seconds[a], of_b = column->seconds[b];
			if (table->items[b].candidate != other || of_a < 0 || of_b < 0 ||
				table->items[a].chunks_per_block !=
					table->items[b].chunks_per_block)
				continue;
			if (of_b < of_a / ORDO_SAME_TIME || of_b > of_a * ORDO_SAME_TIME)
				return false;
			same++;
		}
	return same >= 2;
}

bool ordo_has_twin(const struct ordo_columns *columns, const struct ordo_column *column, uint32_t i)
{
	const struct ordo_evaluated *items = columns->table->items;
	for (uint32_t k = 0; k < i; k++)
		if (items[k].candidate && items[k].candidate != items[i].candidate &&
			!items[k].why && items[k].chunks_per_block == items[i].chunks_per_block &&
			are_twins(columns, column, items[k].candidate, items[i].candidate))
			return true;
	return false;
}

bool ordo_is_large(const struct ordo_evaluated *item)
{
	return item->worth > 0 && !item->between;
}

/* The fastest of the usual numbers of chunks of candidate i; ORDO_NONE: none was timed and may win.
 */
static uint32_t fastest_sibling(
	const struct ordo_columns *columns, const struct ordo_column *column, uint32_t i)
{
	const struct ordo_evaluated *items = columns->table->items;
	uint32_t fastest = ORDO_NONE;
	for (uint32_t k = 0; k < columns->table->count; k++)
		if (items[k].candidate == items[i].candidate && !items[k].between &&
			!items[k].why && column->seconds[k] >= 0 &&
			(fastest == ORDO_NONE || column->seconds[k] < column->seconds[fastest]))
			fastest = k;
	return fastest;
}

bool ordo_is_neighbour(const struct ordo_columns *columns, const struct ordo_column *column,
	uint32_t i, double best)
{
	const struct ordo_evaluated *items = columns->table->items, *item = &items[i];
	if (!item->between || item->worth > 0)
		return false;
	const uint32_t sibling = fastest_sibling(columns, column, i);
	if (sibling == ORDO_NONE)
		return false;
	const double seconds = column->seconds[sibling], saved = may_save(item, seconds);
	const uint64_t K = item->chunks_per_block, most = items[sibling].chunks_per_block;
	return saved > 0 ? seconds - saved < best
			 : seconds <= best * NEAR && (K == 2 * most || 2 * K == most);
}

/* The same algorithm as candidate i with so many chunks; ORDO_NONE. */
static uint32_t with_chunks(const struct ordo_table *table, uint32_t i, uint64_t chunks)
{
	uint32_t k = table->count;
	while (k-- && (table->items[k].candidate != table->items[i].candidate ||
			      table->items[k].chunks_per_block != chunks))
		;
	return k;
}

bool ordo_is_doubled(const struct ordo_table *table, uint32_t i)
{
	const uint64_t twice = 2 * (uint64_t)table->items[i].chunks_per_block;
	return with_chunks(table, i, twice) != ORDO_NONE;
}

bool ordo_promises_more(const struct ordo_columns *columns, const struct ordo_column *column,
	uint32_t i, double best)
{
	const struct ordo_table *table = columns->table;
	const struct ordo_evaluated *item = &table->items[i];
	const uint64_t K = item->chunks_per_block;
	if (!item->between || item->worth == 0 || K % 2)
		return false;
	const uint32_t half = with_chunks(table, i, K / 2), twice = with_chunks(table, i, 2 * K);
	if (half == ORDO_NONE || table->items[half].between || !ordo_has_more_chunks(table, half) ||
		(twice != ORDO_NONE && column->seconds[twice] >= 0 &&
			column->seconds[half] > column->seconds[twice] * NEAR))
		return false;
	const double gain = gain_of(columns, column, half, item->chunks_per_block);
	return gain >= 0 && column->seconds[half] - gain < best * (1 - item->worth);
}
