/* columns.c - the sizes that were simulated, and what each entrant took there. */
#include "columns.h"
#include <math.h>
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

/* Times that differ by less are equal: sums of the same terms in another order. */
#define SAME (1 + 1e-9)

static void free_times(struct ordo_column *column)
{
	free(column->seconds);
	free(column->over);
}

void ordo_columns_free(struct ordo_columns *columns)
{
	for (uint32_t i = 0; i < columns->count; i++)
		free_times(&columns->items[i]);
	free(columns->items);
}

bool ordo_may_win(const struct ordo_contest *contest, uint32_t entrant, const char *digest)
{
	const struct ordo_entrant *one = &contest->entrants[entrant];
	return one->suits && (!digest || !strcmp(digest, one->digest));
}

uint32_t ordo_fastest(const struct ordo_columns *columns, uint32_t at, const char *digest)
{
	const double *seconds = columns->items[at].seconds;
	uint32_t fastest = ORDO_NONE;
	for (uint32_t i = 0; i < columns->contest->count; i++)
		if (seconds[i] >= 0 && ordo_may_win(columns->contest, i, digest) &&
			(fastest == ORDO_NONE || seconds[i] < seconds[fastest]))
			fastest = i;
	return fastest;
}

bool ordo_is_fastest(
	const struct ordo_columns *columns, uint32_t at, const char *digest, uint32_t entrant)
{
	const double *seconds = columns->items[at].seconds;
	const uint32_t fastest = ordo_fastest(columns, at, digest);
	return fastest != ORDO_NONE && seconds[entrant] >= 0 &&
	       ordo_may_win(columns->contest, entrant, digest) &&
	       seconds[entrant] <= seconds[fastest] * SAME;
}

/* Simulates one entrant, and asks it if it is the fastest so far of those that suit; eagerly, in
 * any case. */
static bool time_entrant(struct ordo_columns *columns, struct ordo_column *column, uint32_t i,
	double *best, struct ordo_error *error)
{
	struct ordo_contest *contest = columns->contest;
	const struct ordo_entrant *entrant = &contest->entrants[i];
	const bool lazily = contest->wish->lazily;
	const double *seconds = &column->seconds[i];
	if (*seconds >= 0)
		return true;
	if (!lazily && !ordo_contest_ask(contest, i, error))
		return false;
	/* Lazily, as fast is not fast enough to be asked, but it is to be known. */
	const double enough = lazily ? *best / SAME : *best * SAME,
		     limit = isfinite(*best) ? *best * SAME : 0;
	const double least =
		lazily ? fmax(ordo_contest_bound(contest, i, column->bytes), column->over[i]) : 0;
	if (least > enough)
		return true;
	if (!ordo_contest_time(contest, i, column, lazily ? limit : 0, error))
		return false;
	if (*seconds < 0 || *seconds > enough)
		return true;
	if (!ordo_contest_ask(contest, i, error))
		return false;
	if (entrant->suits && *seconds < *best)
		*best = *seconds;
	return true;
}

/* Entrants by what they take at least, so that the fast ones rule the slow ones out. */
static bool order_entrants(const struct ordo_contest *contest, uint64_t bytes, uint32_t *order)
{
	double *bounds = calloc((size_t)contest->count + 1, sizeof *bounds);
	for (uint32_t i = 0; bounds && i < contest->count; i++) {
		const double bound =
			contest->wish->lazily ? ordo_contest_bound(contest, i, bytes) : 0;
		uint32_t at = i;
		for (; at && bounds[at - 1] > bound; at--) {
			bounds[at] = bounds[at - 1];
			order[at] = order[at - 1];
		}
		bounds[at] = bound;
		order[at] = i;
	}
	free(bounds);
	return bounds;
}

/* Of the columns that there are, the last is being filled. */
static void tell_progress(const struct ordo_columns *columns, uint32_t ndone)
{
	const struct ordo_selection_wish *wish = &columns->contest->wish->selection;
	const uint64_t count = columns->contest->count, ncolumn = columns->count > columns->nplanned
									  ? columns->count
									  : columns->nplanned;
	if (wish->progress)
		wish->progress(wish->progress_closure, "simulating",
			(columns->count - 1) * count + ndone, ncolumn * count);
}

static bool fill(
	struct ordo_columns *columns, uint32_t at, const bool *left_out, struct ordo_error *error)
{
	struct ordo_column *column = &columns->items[at];
	const struct ordo_contest *contest = columns->contest;
	uint32_t *order = calloc((size_t)contest->count + 1, sizeof *order);
	bool worked = order && order_entrants(contest, column->bytes, order)
			      ? true
			      : ordo_fail_memory(error);
	const uint32_t known = worked ? ordo_fastest(columns, at, NULL) : ORDO_NONE;
	double best = known == ORDO_NONE ? HUGE_VAL : column->seconds[known];
	for (uint32_t i = 0; worked && i < contest->count; i++) {
		tell_progress(columns, i);
		if (!left_out || !left_out[order[i]])
			worked = time_entrant(columns, column, order[i], &best, error);
	}
	column->full |= !left_out;
	free(order);
	return worked;
}

/* A column without times. */
static bool insert(
	struct ordo_columns *columns, uint64_t bytes, uint32_t *at, struct ordo_error *error)
{
	const struct ordo_contest *contest = columns->contest;
	struct ordo_column column = {.bytes = bytes,
		.seconds = malloc(((size_t)contest->count + 1) * sizeof *column.seconds),
		.over = malloc(((size_t)contest->count + 1) * sizeof *column.over)};
	if (!column.seconds || !column.over ||
		!ordo_array_reserve(&columns->items, &columns->room, (size_t)columns->count + 1,
			sizeof *columns->items)) {
		free_times(&column);
		return ordo_fail_memory(error);
	}
	for (uint32_t i = 0; i < contest->count; i++)
		column.seconds[i] = column.over[i] = -1;
	for (*at = columns->count++; *at && columns->items[*at - 1].bytes > bytes; --*at)
		columns->items[*at] = columns->items[*at - 1];
	columns->items[*at] = column;
	return true;
}

bool ordo_columns_add(struct ordo_columns *columns, uint64_t bytes, struct ordo_error *error)
{
	uint32_t at;
	return insert(columns, bytes, &at, error) && fill(columns, at, NULL, error);
}

/* Who takes longer at the column before than the fastest at either side. */
static void leave_out(
	const struct ordo_columns *columns, uint32_t at, const char *digest, bool *left_out)
{
	const struct ordo_column *low = &columns->items[at - 1], *high = &columns->items[at + 1];
	const uint32_t a = ordo_fastest(columns, at - 1, digest),
		       b = ordo_fastest(columns, at + 1, digest);
	const double least = fmax(a == ORDO_NONE ? HUGE_VAL : low->seconds[a],
		b == ORDO_NONE ? HUGE_VAL : high->seconds[b]);
	for (uint32_t i = 0; i < columns->contest->count; i++) {
		const double there = fmax(low->seconds[i], low->over[i]);
		left_out[i] = there < 0 || there > least * SAME;
	}
}

bool ordo_columns_add_between(
	struct ordo_columns *columns, uint64_t bytes, const char *digest, struct ordo_error *error)
{
	uint32_t at;
	bool *left_out = calloc((size_t)columns->contest->count + 1, sizeof *left_out);
	bool worked = left_out ? insert(columns, bytes, &at, error) : ordo_fail_memory(error);
	if (worked) {
		leave_out(columns, at, digest, left_out);
		worked = fill(columns, at, left_out, error);
	}
	free(left_out);
	return worked;
}

bool ordo_columns_complete(struct ordo_columns *columns, uint32_t at, struct ordo_error *error)
{
	return fill(columns, at, NULL, error);
}
