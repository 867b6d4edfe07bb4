/* tune.c - the fastest candidate at each size of a range.
 *
 * Sizes are simulated at the powers of two. Going from one to the next, a stretch keeps the set of
 * entrants that were the fastest at all of its sizes. Where that would become empty the size is
 * looked for at which it does: between two columns a third is put, where lines through their times
 * would cross, until they are neighbours. Then both are completed, and if somebody else turns out
 * to be faster there it all begins again, with those columns known.
 */
#include "columns.h"
#include "cost/tie_break.h"
#include <math.h>
#include <ordo/arena.h>
#include <ordo/options.h>
#include <stdlib.h>
#include <string.h>

/* Of an endless range: the last size that is simulated. */
#define ENDLESS_IS (UINT64_C(1) << 40)

/* Neighbouring columns that have fastest entrants in common. */
struct stretch {
	uint32_t first, last; /* columns */
	uint32_t chosen;
};

struct stretches {
	struct stretch *items; /* [count] */
	uint32_t count;
	size_t room;
	bool *common; /* [count][entrants] */
	size_t common_room;
};

struct tuning {
	struct ordo_tune_wish wish;
	struct ordo_contest contest;
	struct ordo_columns columns;
	struct ordo_tuning *result;
	uint64_t last; /* size */
	uint32_t turn; /* of the search for a crossing */
	struct ordo_error *error;
};

static void free_stretches(struct stretches *stretches)
{
	free(stretches->items);
	free(stretches->common);
}

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

/* Takes out of a stretch's set who is not the fastest at one more column; if nobody would be left,
 * nothing is changed. */
static bool keep_common(
	const struct tuning *tuning, uint32_t column, const char *digest, bool *common)
{
	const uint32_t count = tuning->contest.count;
	bool any = false;
	for (uint32_t i = 0; i < count; i++)
		any |= common[i] && ordo_is_fastest(&tuning->columns, column, digest, i);
	for (uint32_t i = 0; any && i < count; i++)
		common[i] = common[i] && ordo_is_fastest(&tuning->columns, column, digest, i);
	return any;
}

/* Where the one that is fastest at a column and the one that is at the next would cross if their
 * times were lines; every other time the middle, for they need not be. */
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

/* What the columns do not say yet about the end of a stretch. *done: they say it all. */
static bool look_closer(
	struct tuning *tuning, uint32_t column, const char *digest, const bool *common, bool *done)
{
	struct ordo_column *low = &tuning->columns.items[column], *high = low + 1;
	*done = false;
	if (low->bytes + 1 < high->bytes)
		return ordo_columns_add_between(&tuning->columns,
			guess_crossing(tuning, column, digest, common), digest, tuning->error);
	if (!low->full)
		return ordo_columns_complete(&tuning->columns, column, tuning->error);
	if (!high->full)
		return ordo_columns_complete(&tuning->columns, column + 1, tuning->error);
	*done = true;
	return true;
}

/* A new stretch that begins at a column; NULL: no memory. */
static bool *begin_stretch(const struct tuning *tuning, struct stretches *stretches,
	uint32_t column, const char *digest)
{
	const size_t count = tuning->contest.count, at = stretches->count;
	if (!ordo_array_reserve(
		    &stretches->items, &stretches->room, at + 1, sizeof *stretches->items) ||
		!ordo_array_reserve(&stretches->common, &stretches->common_room, (at + 1) * count,
			sizeof *stretches->common)) {
		ordo_fail_memory(tuning->error);
		return NULL;
	}
	stretches->items[stretches->count++] = (struct stretch){.first = column, .last = column};
	bool *common = stretches->common + at * count;
	for (uint32_t i = 0; i < count; i++)
		common[i] = ordo_is_fastest(&tuning->columns, column, digest, i);
	return common;
}

/* Goes over the columns once. *whole: they were enough; else there is one column more, or a more
 * complete one. */
static bool go_over(
	struct tuning *tuning, const char *digest, struct stretches *stretches, bool *whole)
{
	stretches->count = 0;
	bool *common = begin_stretch(tuning, stretches, 0, digest);
	*whole = true;
	for (uint32_t i = 0; common && i + 1 < tuning->columns.count; i++) {
		/* Put there for another order, and complete enough for that. */
		if (ordo_fastest(&tuning->columns, i + 1, digest) == ORDO_NONE) {
			*whole = false;
			return ordo_columns_complete(&tuning->columns, i + 1, tuning->error);
		}
		if (!keep_common(tuning, i + 1, digest, common)) {
			if (!look_closer(tuning, i, digest, common, whole))
				return false;
			if (!*whole)
				return true;
			common = begin_stretch(tuning, stretches, i + 1, digest);
		}
		stretches->items[stretches->count - 1].last = i + 1;
	}
	return common;
}

/* The stretches of those that may be taken. */
static bool find_stretches(struct tuning *tuning, const char *digest, struct stretches *stretches)
{
	bool whole = false;
	while (!whole)
		if (!go_over(tuning, digest, stretches, &whole))
			return false;
	return true;
}

/* Equal digests have the number of the first entrant that has them. */
static uint32_t order_of(const struct tuning *tuning, uint32_t entrant)
{
	uint32_t order = 0;
	while (strcmp(tuning->contest.entrants[order].digest,
		       tuning->contest.entrants[entrant].digest) != 0)
		order++;
	return order;
}

/* Of equally fast ones those with which the order changes least often. */
static bool settle(struct tuning *tuning, struct stretches *stretches)
{
	const uint32_t count = tuning->contest.count, nstretch = stretches->count;
	struct ordo_alternative *items = calloc((size_t)nstretch * count + 1, sizeof *items);
	uint32_t *ends = calloc((size_t)nstretch + 1, sizeof *ends),
		 *choice = calloc((size_t)nstretch + 1, sizeof *choice), end = 0;
	bool worked = items && ends && choice ? true : ordo_fail_memory(tuning->error);
	for (uint32_t s = 0; worked && s < nstretch; s++) {
		for (uint32_t i = 0; i < count; i++)
			if (stretches->common[(size_t)s * count + i])
				items[end++] = (struct ordo_alternative){i, order_of(tuning, i)};
		ends[s] = end;
	}
	worked = worked && ordo_settle(items, ends, nstretch, choice, tuning->error);
	for (uint32_t s = 0; worked && s < nstretch; s++)
		stretches->items[s].chosen = items[choice[s]].option;
	free(items);
	free(ends);
	free(choice);
	return worked;
}

/* The fastest of all that were simulated at a column, whether they suit or not. */
static double least_seconds(const struct tuning *tuning, uint32_t column)
{
	const double *seconds = tuning->columns.items[column].seconds;
	double least = -1;
	for (uint32_t i = 0; i < tuning->contest.count; i++)
		if (seconds[i] >= 0 && (least < 0 || seconds[i] < least))
			least = seconds[i];
	return least;
}

/* The greatest ratio of what was chosen to the fastest of all. */
static double find_price(
	const struct tuning *tuning, const struct stretches *stretches, uint64_t *bytes)
{
	double most = 1;
	*bytes = tuning->wish.selection.from_bytes;
	for (uint32_t s = 0; s < stretches->count; s++)
		for (uint32_t at = stretches->items[s].first; at <= stretches->items[s].last;
			at++) {
			const struct ordo_column *column = &tuning->columns.items[at];
			const double least = least_seconds(tuning, at),
				     paid = column->seconds[stretches->items[s].chosen];
			const double ratio = column->full && least > 0 ? paid / least : 1;
			if (ratio > most) {
				most = ratio;
				*bytes = column->bytes;
			}
		}
	return most;
}

static bool was_seen(const struct tuning *tuning, uint32_t entrant)
{
	for (uint32_t i = 0; i < entrant; i++)
		if (tuning->contest.entrants[i].suits &&
			!strcmp(tuning->contest.entrants[i].digest,
				tuning->contest.entrants[entrant].digest))
			return true;
	return false;
}

/* The order of least price: NULL if there is no memory, or nothing suits. */
static const char *find_order(struct tuning *tuning)
{
	const char *best = NULL;
	double least = 0;
	for (uint32_t i = 0; i < tuning->contest.count; i++) {
		const struct ordo_entrant *entrant = &tuning->contest.entrants[i];
		struct stretches one = {0};
		uint64_t bytes;
		if (!entrant->suits || was_seen(tuning, i))
			continue;
		const bool worked =
			find_stretches(tuning, entrant->digest, &one) && settle(tuning, &one);
		const double price = worked ? find_price(tuning, &one, &bytes) : 0;
		free_stretches(&one);
		if (!worked)
			return NULL;
		if (!best || price < least) {
			best = entrant->digest;
			least = price;
		}
	}
	return best;
}

static enum ordo_standing standing_of(const struct tuning *tuning, uint32_t i)
{
	const struct ordo_entrant *entrant = &tuning->contest.entrants[i];
	if (entrant->refused)
		return entrant->uncarried ? ORDO_UNCARRIED : ORDO_INAPPLICABLE;
	if (entrant->asked)
		return entrant->suits ? ORDO_TIMED : ORDO_UNSUITABLE;
	for (uint32_t at = 0; at < tuning->columns.count; at++)
		if (tuning->columns.items[at].seconds[i] >= 0)
			return ORDO_SLOWER;
	return ORDO_OUTRUN;
}

static struct ordo_contender contender_of(const struct tuning *tuning, uint32_t i)
{
	const struct ordo_entrant *entrant = &tuning->contest.entrants[i];
	const struct ordo_columns *columns = &tuning->columns;
	struct ordo_contender contender = {.algorithm = entrant->algorithm,
		.chunks_per_block = entrant->chunks_per_block,
		.standing = standing_of(tuning, i),
		.why = entrant->why,
		.bound = fmax(
			ordo_contest_bound(&tuning->contest, i, tuning->wish.selection.from_bytes),
			columns->count ? columns->items[0].over[i] : 0),
		.first = columns->count ? columns->items[0].seconds[i] : -1,
		.last = columns->count ? columns->items[columns->count - 1].seconds[i] : -1};
	memcpy(contender.digest, entrant->digest, sizeof contender.digest);
	return contender;
}

/* Those that suit and were timed first, by their times; then by standing. */
static bool comes_before(const struct ordo_contender *one, const struct ordo_contender *other)
{
	if (one->standing != other->standing)
		return one->standing < other->standing;
	if (one->first < 0 || other->first < 0)
		return one->first >= 0 && other->first < 0;
	return one->first < other->first;
}

/* places[entrant] becomes its place among the contenders. */
static bool list_contenders(struct tuning *tuning, uint32_t *places)
{
	const uint32_t count = tuning->contest.count;
	struct ordo_tuning *result = tuning->result;
	result->contenders = calloc((size_t)count + 1, sizeof *result->contenders);
	uint32_t *entrants = calloc((size_t)count + 1, sizeof *entrants);
	for (uint32_t i = 0; result->contenders && entrants && i < count; i++) {
		const struct ordo_contender one = contender_of(tuning, i);
		uint32_t at = i;
		for (; at && comes_before(&one, &result->contenders[at - 1]); at--) {
			result->contenders[at] = result->contenders[at - 1];
			entrants[at] = entrants[at - 1];
		}
		result->contenders[at] = one;
		entrants[at] = i;
	}
	const bool worked = result->contenders && entrants;
	for (uint32_t at = 0; worked && at < count; at++)
		places[entrants[at]] = at;
	result->ncontender = worked ? count : 0;
	free(entrants);
	return worked ? true : ordo_fail_memory(tuning->error);
}

/* The complete column nearest to the middle of a stretch, as sizes are seen: by their ratios. */
static uint32_t middle_of(const struct tuning *tuning, const struct stretch *stretch)
{
	const struct ordo_column *columns = tuning->columns.items;
	const double middle = log2((double)columns[stretch->first].bytes + 1) / 2 +
			      log2((double)columns[stretch->last].bytes + 1) / 2;
	uint32_t nearest = stretch->first;
	double least = HUGE_VAL;
	for (uint32_t at = stretch->first; at <= stretch->last; at++) {
		const double distance = fabs(log2((double)columns[at].bytes + 1) - middle);
		if (columns[at].full && distance < least) {
			nearest = at;
			least = distance;
		}
	}
	return nearest;
}

static struct ordo_tuned_times times_of(const struct tuning *tuning, const struct stretch *stretch,
	uint32_t middle, uint32_t entrant)
{
	const struct ordo_column *columns = tuning->columns.items;
	return (struct ordo_tuned_times){columns[stretch->first].seconds[entrant],
		columns[middle].seconds[entrant], columns[stretch->last].seconds[entrant]};
}

static struct ordo_tuned tuned_of(const struct tuning *tuning, const struct stretch *stretch,
	const char *digest, const uint32_t *places)
{
	const uint32_t middle = middle_of(tuning, stretch);
	const double *seconds = tuning->columns.items[middle].seconds;
	uint32_t second = ORDO_NONE;
	for (uint32_t i = 0; i < tuning->contest.count; i++)
		if (seconds[i] >= 0 && ordo_may_win(&tuning->contest, i, digest) &&
			!ordo_is_fastest(&tuning->columns, middle, digest, i) &&
			(second == ORDO_NONE || seconds[i] < seconds[second]))
			second = i;
	struct ordo_tuned tuned = {.middle_bytes = tuning->columns.items[middle].bytes,
		.contender = places[stretch->chosen],
		.runner_up = ORDO_NONE,
		.times = times_of(tuning, stretch, middle, stretch->chosen)};
	if (second != ORDO_NONE) {
		tuned.runner_up = places[second];
		tuned.runner_up_times = times_of(tuning, stretch, middle, second);
	}
	return tuned;
}

/* The schedules of the stretches, each compiled already or once more. */
static bool keep(struct tuning *tuning, const struct stretches *stretches, const char *digest,
	const uint32_t *places)
{
	struct ordo_tuning *result = tuning->result;
	struct ordo_selection *selection = &result->selection;
	const uint32_t nrange = stretches->count;
	selection->ranges = calloc((size_t)nrange + 1, sizeof *selection->ranges);
	result->ranges = calloc((size_t)nrange + 1, sizeof *result->ranges);
	if (!selection->ranges || !result->ranges)
		return ordo_fail_memory(tuning->error);
	for (uint32_t s = 0; s < nrange; s++) {
		const struct stretch *stretch = &stretches->items[s];
		const struct ordo_column *columns = tuning->columns.items;
		const struct ordo_entrant *entrant = &tuning->contest.entrants[stretch->chosen];
		const bool last = s + 1 == nrange;
		struct ordo_selected *range = &selection->ranges[selection->nrange++];
		*range = (struct ordo_selected){.from_bytes = columns[stretch->first].bytes,
			.to_bytes = last ? tuning->wish.selection.to_bytes
					 : columns[stretch->last].bytes,
			.algorithm = entrant->algorithm,
			.schedule = ordo_contest_take(
				&tuning->contest, stretch->chosen, tuning->error)};
		memcpy(range->digest, entrant->digest, sizeof range->digest);
		if (!range->schedule)
			return false;
		result->ranges[s] = tuned_of(tuning, stretch, digest, places);
		if (s) {
			result->ranges[s].before =
				columns[stretch->first].seconds[stretch[-1].chosen];
			result->ranges[s].early =
				columns[stretch[-1].last].seconds[stretch->chosen];
		}
	}
	return true;
}

/* Whoever is chosen was asked, so somebody that suits was. */
static bool any_suits(const struct tuning *tuning)
{
	for (uint32_t i = 0; i < tuning->contest.count; i++)
		if (tuning->contest.entrants[i].suits)
			return true;
	return ordo_fail(tuning->error, ORDO_REFUTED, 0, "no algorithm suits, of %u that have %s",
		tuning->contest.count,
		ordo_operator_facts(tuning->wish.selection.problem.op)->name);
}

static bool find_ranges(struct tuning *tuning, struct stretches *stretches, const char **digest)
{
	struct ordo_selection *selection = &tuning->result->selection;
	const bool one_order = tuning->wish.selection.one_order;
	if (!simulate_powers(tuning) || !any_suits(tuning))
		return false;
	*digest = one_order ? find_order(tuning) : NULL;
	if ((one_order && !*digest) || !find_stretches(tuning, *digest, stretches) ||
		!settle(tuning, stretches))
		return false;
	selection->price = find_price(tuning, stretches, &selection->price_bytes);
	return true;
}

/* Contenders are listed also where nothing suits: they say why. */
static bool tune(struct tuning *tuning)
{
	struct stretches stretches = {0};
	const char *digest = NULL;
	uint32_t *places = calloc((size_t)tuning->contest.count + 1, sizeof *places);
	const bool found =
		places ? find_ranges(tuning, &stretches, &digest) : ordo_fail_memory(tuning->error);
	const bool worked = places && list_contenders(tuning, places) && found &&
			    keep(tuning, &stretches, digest, places);
	free(places);
	free_stretches(&stretches);
	return worked;
}

static bool check_sizes(const struct tuning *tuning)
{
	const struct ordo_selection_wish *wish = &tuning->wish.selection;
	return wish->from_bytes <= wish->to_bytes && tuning->last <= ORDO_BYTES_LIMIT
		       ? true
		       : ordo_fail(tuning->error, ORDO_USAGE, 0,
				 "sizes: found %llu..%llu, wanted an ascending range up to %llu",
				 (unsigned long long)wish->from_bytes,
				 (unsigned long long)wish->to_bytes,
				 (unsigned long long)ORDO_BYTES_LIMIT);
}

/* What an endless range is simulated up to. */
static uint64_t end_of(const struct ordo_selection_wish *wish)
{
	if (wish->to_bytes != ORDO_ENDLESS)
		return wish->to_bytes;
	if (wish->from_bytes < ENDLESS_IS)
		return ENDLESS_IS;
	return wish->from_bytes <= ORDO_BYTES_LIMIT / 2 ? 2 * wish->from_bytes : ORDO_BYTES_LIMIT;
}

static bool tune_range(
	const struct ordo_tune_wish *wish, struct ordo_tuning *result, struct ordo_error *error)
{
	struct ordo_candidates *candidates = &result->selection.candidates;
	struct tuning tuning = {
		.wish = *wish, .result = result, .last = end_of(&wish->selection), .error = error};
	*result = (struct ordo_tuning){0};
	/* Which order costs least is known once all costs are. */
	tuning.wish.lazily = wish->lazily && !wish->selection.one_order;
	tuning.columns.contest = &tuning.contest;
	const struct ordo_request request = {.problem = wish->selection.problem,
		.algorithm = wish->algorithm,
		.topology = wish->selection.topology};
	if (!check_sizes(&tuning) ||
		!(wish->algorithm ? ordo_candidates_take(candidates, &request, error)
				  : ordo_candidates_make(
					    candidates, &request.problem, request.topology, error)))
		return false;
	const bool worked = ordo_contest_open(&tuning.contest, &tuning.wish, candidates, error) &&
			    tune(&tuning);
	result->nsize = tuning.columns.count;
	result->nprediction = tuning.contest.nprediction;
	result->first_bytes = wish->selection.from_bytes;
	result->last_bytes = tuning.last;
	ordo_columns_free(&tuning.columns);
	ordo_contest_close(&tuning.contest);
	return worked;
}

bool ordo_tune_sized(size_t size, const struct ordo_tune_wish *wish, struct ordo_tuning *result,
	struct ordo_error *error)
{
	struct ordo_tune_wish own;
	*result = (struct ordo_tuning){0};
	return ordo_options_take(&own, sizeof own, wish, size, error)
		       ? tune_range(&own, result, error)
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
