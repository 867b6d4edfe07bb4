/* tune.c - finds the fastest candidate at each size of a range, by simulation.
 *
 * Powers of two are simulated first. Going from one to the next, a range keeps the set of
 * candidates that are the fastest at all of its sizes. Where the set would become empty, the exact
 * size is searched for: a column is inserted between two columns, where lines through their times
 * would cross, until the two are adjacent sizes. Then both are completed; if another candidate is
 * faster there, the search starts again with the new columns.
 */
#include "columns.h"
#include "promise.h"
#include "ranges.h"
#include "tuning.h"
#include <math.h>
#include <ordo/arena.h>
#include <ordo/options.h>
#include <stdlib.h>
#include <string.h>

/* The last simulated size of an endless range. */
#define LAST_OF_ENDLESS (UINT64_C(1) << 40)

struct tuning {
	struct ordo_tune_wish wish;
	struct ordo_table table;
	struct ordo_columns columns;
	struct ordo_tuning *result;
	uint64_t last; /* size */
	uint32_t turn; /* counts steps of the search for a crossing */
	bool full;     /* new columns get the times of all candidates */
	struct ordo_error *error;
};

static bool simulate_powers(struct tuning *tuning)
{
	const uint64_t first = tuning->wish.selection.from_bytes;
	struct ordo_columns *columns = &tuning->columns;
	uint64_t power = 1;
	while (power <= first)
		power *= 2;
	columns->nplanned = tuning->last == first ? 1 : 2;
	for (uint64_t p = power; p < tuning->last; p *= 2)
		columns->nplanned++;
	if (!ordo_columns_add(columns, first, tuning->error))
		return false;
	for (; power < tuning->last; power *= 2)
		if (!ordo_columns_add(columns, power, tuning->error))
			return false;
	return tuning->last == first || ordo_columns_add(columns, tuning->last, tuning->error);
}

/* Removes from a range's set the candidates that are not the fastest at one more column. false:
 * none would be left, and nothing changes. */
static bool keep_common(
	const struct tuning *tuning, uint32_t column, const char *digest, bool *common)
{
	const uint32_t count = tuning->table.count;
	bool any = false;
	for (uint32_t i = 0; i < count; i++)
		any |= common[i] && ordo_is_fastest(&tuning->columns, column, digest, i);
	for (uint32_t i = 0; any && i < count; i++)
		common[i] = common[i] && ordo_is_fastest(&tuning->columns, column, digest, i);
	return any;
}

/* The size at which the fastest candidates of two adjacent columns would cross if their times were
 * lines; every other time the middle, since times need not be lines. */
static uint64_t guess_crossing(
	struct tuning *tuning, uint32_t column, const char *digest, const bool *common)
{
	const struct ordo_column *low = &tuning->columns.items[column], *high = low + 1;
	const uint32_t next = ordo_fastest(&tuning->columns, column + 1, digest);
	const uint64_t gap = high->bytes - low->bytes;
	uint32_t now = 0;
	while (!common[now])
		now++;
	if (++tuning->turn % 2 == 0 || low->seconds[next] < 0 || high->seconds[now] < 0)
		return low->bytes + gap / 2;
	const double before = low->seconds[next] - low->seconds[now],
		     behind = high->seconds[now] - high->seconds[next];
	const double share = before + behind > 0 ? before / (before + behind) : 0.5;
	const uint64_t step = (uint64_t)(share * (double)gap);
	return low->bytes + (step < 1 ? 1 : step >= gap ? gap - 1 : step);
}

/* Completes a column. If a candidate that was left out is the fastest, then times do not grow with
 * the size everywhere, and no more are left out: otherwise each size would be searched. */
static bool complete(struct tuning *tuning, uint32_t column, const char *digest)
{
	const uint32_t before = ordo_fastest(&tuning->columns, column, digest);
	if (!ordo_columns_complete(&tuning->columns, column, tuning->error))
		return false;
	tuning->full |= !ordo_is_fastest(&tuning->columns, column, digest, before);
	return true;
}

/* Adds or completes a column at the end of a range. *done: the columns already determine it. */
static bool refine(
	struct tuning *tuning, uint32_t column, const char *digest, const bool *common, bool *done)
{
	struct ordo_column *low = &tuning->columns.items[column], *high = low + 1;
	*done = false;
	if (low->bytes + 1 < high->bytes) {
		const uint64_t bytes = guess_crossing(tuning, column, digest, common);
		return tuning->full ? ordo_columns_add(&tuning->columns, bytes, tuning->error)
				    : ordo_columns_add_between(
					      &tuning->columns, bytes, digest, tuning->error);
	}
	if (!low->full)
		return complete(tuning, column, digest);
	if (!high->full)
		return complete(tuning, column + 1, digest);
	*done = true;
	return true;
}

/* Begins a range at a column; returns the set of the fastest candidates there. NULL: no memory. */
static bool *begin_range(const struct tuning *tuning, struct ordo_ranges *ranges, uint32_t column,
	const char *digest)
{
	const struct ordo_range range = {.first = column, .last = column};
	bool *common = ordo_ranges_add(ranges, &tuning->table, range, tuning->error);
	for (uint32_t i = 0; common && i < tuning->table.count; i++)
		common[i] = ordo_is_fastest(&tuning->columns, column, digest, i);
	return common;
}

/* Scans the columns once. *whole: they suffice; otherwise one column was added or completed. */
static bool scan_columns(
	struct tuning *tuning, const char *digest, struct ordo_ranges *ranges, bool *whole)
{
	ranges->count = 0;
	bool *common = begin_range(tuning, ranges, 0, digest);
	*whole = true;
	for (uint32_t i = 0; common && i + 1 < tuning->columns.count; i++) {
		/* The column was added for another order, and has no times for this one. */
		if (ordo_fastest(&tuning->columns, i + 1, digest) == ORDO_NONE) {
			*whole = false;
			return ordo_columns_complete(&tuning->columns, i + 1, tuning->error);
		}
		if (!keep_common(tuning, i + 1, digest, common)) {
			if (!refine(tuning, i, digest, common, whole))
				return false;
			if (!*whole)
				return true;
			common = begin_range(tuning, ranges, i + 1, digest);
		}
		ranges->items[ranges->count - 1].last = i + 1;
	}
	return common;
}

/* Sets the sizes of the ranges, after the last column was added. */
static void find_ends(const struct tuning *tuning, struct ordo_ranges *ranges)
{
	const struct ordo_column *columns = tuning->columns.items;
	for (uint32_t r = 0; r < ranges->count; r++) {
		struct ordo_range *range = &ranges->items[r];
		range->from_bytes = columns[range->first].bytes;
		range->to_bytes = r + 1 == ranges->count ? tuning->wish.selection.to_bytes
							 : columns[range->last].bytes;
	}
}

static bool any_suits(const struct ordo_table *table)
{
	for (uint32_t i = 0; i < table->count; i++)
		if (table->items[i].suits)
			return true;
	return false;
}

/* See struct ordo_pricing. The fastest candidates are evaluated, so if any suits, one is known. */
static bool find_ranges(
	void *closure, const char *digest, struct ordo_ranges *ranges, struct ordo_error *error)
{
	struct tuning *tuning = closure;
	(void)error; /* tuning->error is the same */
	ranges->count = 0;
	for (bool whole = !any_suits(&tuning->table); !whole;)
		if (!scan_columns(tuning, digest, ranges, &whole))
			return false;
	find_ends(tuning, ranges);
	return true;
}

/* The least time simulated at a column, whether the candidate suits or not. */
static double least_seconds(const struct tuning *tuning, uint32_t column)
{
	const double *seconds = tuning->columns.items[column].seconds;
	double least = -1;
	for (uint32_t i = 0; i < tuning->table.count; i++)
		if (seconds[i] >= 0 && (least < 0 || seconds[i] < least))
			least = seconds[i];
	return least;
}

/* See struct ordo_pricing. */
static double find_ratio(void *closure, const struct ordo_ranges *ranges, uint64_t *bytes)
{
	const struct tuning *tuning = closure;
	double most = 1;
	*bytes = tuning->wish.selection.from_bytes;
	for (uint32_t r = 0; r < ranges->count; r++)
		for (uint32_t at = ranges->items[r].first; at <= ranges->items[r].last; at++) {
			const struct ordo_column *column = &tuning->columns.items[at];
			const double least = least_seconds(tuning, at),
				     paid = column->seconds[ranges->items[r].chosen];
			const double ratio = column->full && least > 0 ? paid / least : 1;
			if (ratio > most) {
				most = ratio;
				*bytes = column->bytes;
			}
		}
	return most;
}

static enum ordo_standing standing_of(const struct tuning *tuning, uint32_t i)
{
	const struct ordo_evaluated *item = &tuning->table.items[i];
	if (item->refused)
		return item->lacks_link ? ORDO_UNCARRIED : ORDO_INAPPLICABLE;
	if (item->proved)
		return item->suits ? ORDO_TIMED : ORDO_UNSUITABLE;
	for (uint32_t at = 0; at < tuning->columns.count; at++)
		if (tuning->columns.items[at].seconds[i] >= 0)
			return ORDO_SLOWER;
	return ORDO_OUTRUN;
}

static struct ordo_contender contender_of(const struct tuning *tuning, uint32_t i)
{
	const struct ordo_evaluated *item = &tuning->table.items[i];
	const struct ordo_columns *columns = &tuning->columns;
	struct ordo_contender contender = {.algorithm = item->algorithm,
		.chunks_per_block = item->chunks_per_block,
		.standing = standing_of(tuning, i),
		.why = item->why,
		.bound = fmax(ordo_columns_bound(columns, i, tuning->wish.selection.from_bytes),
			columns->count ? columns->items[0].over[i] : 0),
		.first = columns->count ? columns->items[0].seconds[i] : -1,
		.last = columns->count ? columns->items[columns->count - 1].seconds[i] : -1};
	memcpy(contender.digest, item->digest, sizeof contender.digest);
	return contender;
}

/* By standing, those that suit first; then by time. */
static bool comes_before(const struct ordo_contender *one, const struct ordo_contender *other)
{
	if (one->standing != other->standing)
		return one->standing < other->standing;
	if (one->first < 0 || other->first < 0)
		return one->first >= 0 && other->first < 0;
	return one->first < other->first;
}

/* Whether a candidate was left aside: one with many chunks that promised nothing, or with half or
 * twice as many as one that does not come near the fastest. */
static bool is_aside(const struct tuning *tuning, uint32_t i)
{
	const struct ordo_evaluated *item = &tuning->table.items[i];
	return (item->worth > 0 || item->between) && standing_of(tuning, i) == ORDO_OUTRUN &&
	       (!tuning->columns.count || tuning->columns.items[0].over[i] < 0);
}

/* Moves the chosen candidate before those that take the same time but for rounding. */
static void put_first(
	struct ordo_contender *contenders, uint32_t *candidates, uint32_t count, uint32_t chosen)
{
	uint32_t at = 0;
	while (at < count && candidates[at] != chosen)
		at++;
	if (at == count)
		return;
	const struct ordo_contender one = contenders[at];
	for (; at && contenders[at - 1].standing == one.standing &&
		contenders[at - 1].first >= one.first / ORDO_SAME_TIME;
		at--) {
		contenders[at] = contenders[at - 1];
		candidates[at] = candidates[at - 1];
	}
	contenders[at] = one;
	candidates[at] = chosen;
}

/* Lists the contenders, but for those left aside; places[candidate] becomes its index among them.
 * chosen: for the first size; ORDO_NONE. */
static bool list_contenders(struct tuning *tuning, uint32_t chosen, uint32_t *places)
{
	const uint32_t count = tuning->table.count;
	uint32_t listed = 0;
	struct ordo_tuning *result = tuning->result;
	result->contenders = calloc((size_t)count + 1, sizeof *result->contenders);
	uint32_t *candidates = calloc((size_t)count + 1, sizeof *candidates);
	for (uint32_t i = 0; result->contenders && candidates && i < count; i++) {
		const struct ordo_contender one = contender_of(tuning, i);
		uint32_t at = listed;
		if (is_aside(tuning, i))
			continue;
		listed++;
		for (; at && comes_before(&one, &result->contenders[at - 1]); at--) {
			result->contenders[at] = result->contenders[at - 1];
			candidates[at] = candidates[at - 1];
		}
		result->contenders[at] = one;
		candidates[at] = i;
	}
	const bool worked = result->contenders && candidates;
	if (worked)
		put_first(result->contenders, candidates, listed, chosen);
	for (uint32_t at = 0; worked && at < listed; at++)
		places[candidates[at]] = at;
	result->ncontender = worked ? listed : 0;
	free(candidates);
	return worked ? true : ordo_fail_memory(tuning->error);
}

/* The complete column nearest to the geometric middle of a range. */
static uint32_t middle_of(const struct tuning *tuning, const struct ordo_range *range)
{
	const struct ordo_column *columns = tuning->columns.items;
	const double middle = log2((double)columns[range->first].bytes + 1) / 2 +
			      log2((double)columns[range->last].bytes + 1) / 2;
	uint32_t nearest = range->first;
	double least = HUGE_VAL;
	for (uint32_t at = range->first; at <= range->last; at++) {
		const double distance = fabs(log2((double)columns[at].bytes + 1) - middle);
		if (columns[at].full && distance < least) {
			nearest = at;
			least = distance;
		}
	}
	return nearest;
}

static struct ordo_tuned_times times_of(const struct tuning *tuning, const struct ordo_range *range,
	uint32_t middle, uint32_t candidate)
{
	const struct ordo_column *columns = tuning->columns.items;
	return (struct ordo_tuned_times){columns[range->first].seconds[candidate],
		columns[middle].seconds[candidate], columns[range->last].seconds[candidate]};
}

static struct ordo_tuned tuned_of(const struct tuning *tuning, const struct ordo_range *range,
	const char *digest, const uint32_t *places)
{
	const uint32_t middle = middle_of(tuning, range);
	const double *seconds = tuning->columns.items[middle].seconds;
	uint32_t second = ORDO_NONE;
	for (uint32_t i = 0; i < tuning->table.count; i++)
		if (seconds[i] >= 0 && ordo_may_win(&tuning->table, i, digest) &&
			!ordo_is_fastest(&tuning->columns, middle, digest, i) &&
			(second == ORDO_NONE || seconds[i] < seconds[second]))
			second = i;
	struct ordo_tuned tuned = {.middle_bytes = tuning->columns.items[middle].bytes,
		.contender = places[range->chosen],
		.runner_up = ORDO_NONE,
		.times = times_of(tuning, range, middle, range->chosen)};
	if (second != ORDO_NONE) {
		tuned.runner_up = places[second];
		tuned.runner_up_times = times_of(tuning, range, middle, second);
	}
	return tuned;
}

/* Fills the predicted times of each range. */
static bool fill_ranges(const struct tuning *tuning, const struct ordo_ranges *ranges,
	const char *digest, const uint32_t *places)
{
	struct ordo_tuning *result = tuning->result;
	const struct ordo_column *columns = tuning->columns.items;
	result->ranges = calloc((size_t)ranges->count + 1, sizeof *result->ranges);
	if (!result->ranges)
		return ordo_fail_memory(tuning->error);
	for (uint32_t r = 0; r < ranges->count; r++) {
		const struct ordo_range *range = &ranges->items[r];
		result->ranges[r] = tuned_of(tuning, range, digest, places);
		if (r) {
			result->ranges[r].before = columns[range->first].seconds[range[-1].chosen];
			result->ranges[r].early = columns[range[-1].last].seconds[range->chosen];
		}
	}
	return true;
}

/* Lists the contenders even if none suits, because they state why. */
static bool tune(struct tuning *tuning)
{
	const struct ordo_selection_wish *wish = &tuning->wish.selection;
	const struct ordo_pricing pricing = {tuning, find_ranges, find_ratio};
	struct ordo_selection *selection = &tuning->result->selection;
	struct ordo_ranges ranges = {0};
	const char *digest = NULL;
	uint32_t *places = calloc((size_t)tuning->table.count + 1, sizeof *places);
	const bool found =
		places ? simulate_powers(tuning) &&
				 ordo_ranges_choose(&tuning->table, &pricing, wish->one_order,
					 &ranges, &digest, selection, tuning->error)
		       : ordo_fail_memory(tuning->error);
	tuning->table.request.progress = wish->progress;
	tuning->table.request.closure = wish->progress_closure;
	const uint32_t chosen = found && ranges.count ? ranges.items[0].chosen : ORDO_NONE;
	const bool worked = places && list_contenders(tuning, chosen, places) && found &&
			    fill_ranges(tuning, &ranges, digest, places) &&
			    ordo_ranges_take(&tuning->table, &ranges, selection, tuning->error);
	free(places);
	ordo_ranges_free(&ranges);
	return worked;
}

/* The last simulated size. */
static uint64_t end_of(const struct ordo_selection_wish *wish)
{
	if (wish->to_bytes != ORDO_ENDLESS)
		return wish->to_bytes;
	if (wish->from_bytes < LAST_OF_ENDLESS)
		return LAST_OF_ENDLESS;
	return wish->from_bytes <= ORDO_BYTES_LIMIT / 2 ? 2 * wish->from_bytes : ORDO_BYTES_LIMIT;
}

bool ordo_tune_keeping(const struct ordo_tune_wish *wish, uint64_t most_kept,
	struct ordo_tuning *result, struct ordo_error *error)
{
	struct ordo_candidates *candidates = &result->selection.candidates;
	struct tuning tuning = {.wish = *wish,
		.table = {.request = {.problem = wish->selection.problem,
				  .topology = wish->selection.topology,
				  .max_tokens = wish->selection.max_tokens,
				  .staging_slots = wish->selection.staging_slots,
				  .order = wish->selection.order,
				  .one_tree = wish->selection.one_tree},
			.suits = wish->selection.suits,
			.closure = wish->selection.closure,
			.candidates = candidates,
			.most_kept = most_kept,
			.limited = !wish->algorithm,
			.one_size = wish->selection.from_bytes == wish->selection.to_bytes
					    ? wish->selection.to_bytes
					    : 0},
		.result = result,
		.last = end_of(&wish->selection),
		.error = error};
	*result = (struct ordo_tuning){0};
	/* The cheapest order is known only after all costs. */
	tuning.wish.lazily = wish->lazily && !wish->selection.one_order;
	tuning.columns = (struct ordo_columns){.table = &tuning.table, .wish = &tuning.wish};
	struct ordo_request request = tuning.table.request;
	request.algorithm = wish->algorithm;
	request.progress = wish->selection.progress;
	request.closure = wish->selection.progress_closure;
	if (!ordo_check_sizes(&wish->selection, tuning.last, error) ||
		!(wish->algorithm ? ordo_candidates_take(candidates, &request, error)
				  : ordo_candidates_make(candidates, &request, error)))
		return false;
	ordo_columns_find_limits(&tuning.columns);
	const bool worked = ordo_table_open(&tuning.table, true, error) && tune(&tuning);
	result->nsize = tuning.columns.count;
	result->nprediction = tuning.columns.nprediction;
	result->first_bytes = wish->selection.from_bytes;
	result->last_bytes = tuning.last;
	ordo_columns_free(&tuning.columns);
	ordo_table_close(&tuning.table);
	return worked;
}

bool ordo_tune_sized(size_t size, const struct ordo_tune_wish *wish, struct ordo_tuning *result,
	struct ordo_error *error)
{
	struct ordo_tune_wish own;
	*result = (struct ordo_tuning){0};
	return ordo_options_take(&own, sizeof own, wish, size, error)
		       ? ordo_tune_keeping(&own, ORDO_MOST_KEPT, result, error)
		       : false;
}

bool(ordo_tune)(
	const struct ordo_tune_wish *wish, struct ordo_tuning *result, struct ordo_error *error)
{
	return ordo_tune_sized(ORDO_UP_TO(ordo_tune_wish, lazily), wish, result, error);
}

void ordo_tuning_free(struct ordo_tuning *tuning)
{
	ordo_selection_free(&tuning->selection);
	free(tuning->ranges);
	free(tuning->contenders);
	*tuning = (struct ordo_tuning){0};
}

const char *ordo_standing_name(enum ordo_standing standing)
{
	static const char *const names[ORDO_NSTANDING] = {
		"timed", "slower", "outrun", "unsuitable", "no link", "not applicable"};
	return names[standing];
}
