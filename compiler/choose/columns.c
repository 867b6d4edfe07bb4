/* columns.c - simulates candidates at sizes, and keeps their times. */
#include "columns.h"
#include "promise.h"
#include <math.h>
#include <ordo/arena.h>
#include <ordo/predict.h>
#include <stdlib.h>
#include <string.h>

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

/* Finds the least latency of any link and the greatest bandwidth of any rank. */
void ordo_columns_find_limits(struct ordo_columns *columns)
{
	const struct ordo_selection_wish *wish = &columns->wish->selection;
	const struct ordo_topology *topology = wish->topology;
	columns->least_latency = wish->machine.latency_ns * 1e-9;
	columns->most_bandwidth = wish->machine.bandwidth_gbs * 1e9 * wish->problem.nrank;
	if (!topology)
		return;
	columns->most_bandwidth = 0;
	bool any = false;
	for (uint32_t rank = 0; rank < topology->nrank; rank++) {
		double sum = 0;
		for (uint32_t l = topology->first_link[rank]; l < topology->first_link[rank + 1];
			l++) {
			const struct ordo_link *link = &topology->links[l];
			if (link->down)
				continue;
			sum += link->bandwidth_gbs * 1e9;
			if (!any || link->latency_ns * 1e-9 < columns->least_latency)
				columns->least_latency = link->latency_ns * 1e-9;
			any = true;
		}
		columns->most_bandwidth =
			sum > columns->most_bandwidth ? sum : columns->most_bandwidth;
	}
}

/* A lower bound on the bytes that the busiest rank sends: all chunks as short as the shortest. */
static double least_bytes_of_busiest(
	const struct ordo_columns *columns, const struct ordo_evaluated *item, uint64_t bytes)
{
	const struct ordo_problem *problem = &columns->wish->selection.problem;
	const uint32_t element = columns->wish->element_bytes, nrank = problem->nrank;
	const bool alltoall = problem->op == ORDO_ALLTOALL;
	const uint64_t blocks = alltoall ? nrank : ordo_nblock(problem),
		       all = alltoall ? blocks * nrank : blocks;
	const double share = (double)item->candidate->volume / (double)item->candidate->whole;
	double block = (double)bytes / (double)blocks;
	if (element) {
		const uint64_t K = item->chunks_per_block;
		block = (double)(bytes / blocks / element / K * K * element);
	}
	return share * (double)all * block;
}

double ordo_columns_bound(const struct ordo_columns *columns, uint32_t i, uint64_t bytes)
{
	const struct ordo_evaluated *item = &columns->table->items[i];
	/* Claims are of equal blocks. */
	if (item->refused || columns->most_bandwidth <= 0 || columns->wish->block_count)
		return 0;
	/* Claims are for the natural K. With more chunks there are no fewer steps, and the volume
	 * differs by rounding. */
	if (item->chunks_per_block < item->candidate->chunks_per_block)
		return 0;
	const bool natural = item->chunks_per_block == item->candidate->chunks_per_block;
	const double chain = (double)item->candidate->steps * columns->least_latency,
		     volume = natural ? least_bytes_of_busiest(columns, item, bytes) /
						columns->most_bandwidth
				      : 0;
	return chain > volume ? chain : volume;
}

uint32_t ordo_fastest(const struct ordo_columns *columns, uint32_t at, const char *digest)
{
	const double *seconds = columns->items[at].seconds;
	uint32_t fastest = ORDO_NONE;
	for (uint32_t i = 0; i < columns->table->count; i++)
		if (seconds[i] >= 0 && ordo_may_win(columns->table, i, digest) &&
			(fastest == ORDO_NONE || seconds[i] < seconds[fastest]))
			fastest = i;
	return fastest;
}

bool ordo_is_fastest(
	const struct ordo_columns *columns, uint32_t at, const char *digest, uint32_t i)
{
	const double *seconds = columns->items[at].seconds;
	const uint32_t fastest = ordo_fastest(columns, at, digest);
	return fastest != ORDO_NONE && seconds[i] >= 0 && ordo_may_win(columns->table, i, digest) &&
	       seconds[i] <= seconds[fastest] * ORDO_SAME_TIME;
}

static bool predict(struct ordo_columns *columns, uint32_t i, const struct ordo_schedule *schedule,
	struct ordo_column *column, double limit, struct ordo_error *error)
{
	const struct ordo_tune_wish *wish = columns->wish;
	const struct ordo_predict_options options = {.no_bounds = true,
		.topology = wish->selection.topology,
		.machine = wish->selection.machine,
		.bytes = column->bytes,
		.element_bytes = wish->element_bytes,
		.scratch_element_bytes = wish->scratch_element_bytes,
		.block_count = wish->block_count,
		.proportional = wish->block_count,
		.add_cost = wish->add_cost,
		.limit = limit};
	struct ordo_prediction *prediction = ordo_predict(schedule, &options, error);
	if (!prediction)
		return false;
	if (prediction->given_up)
		column->over[i] = limit;
	else
		column->seconds[i] = prediction->timeline->total;
	columns->nprediction++;
	ordo_prediction_destroy(prediction);
	return true;
}

/* Predicts a candidate's time, and gives up beyond the limit (0: none). Skips candidates that do
 * not compile. In any case keeps the schedule of one that takes no longer than `enough`. */
static bool time_candidate(struct ordo_columns *columns, uint32_t i, struct ordo_column *column,
	double limit, double enough, struct ordo_error *error)
{
	struct ordo_schedule *schedule = NULL;
	if (!columns->table->items[i].refused &&
		!ordo_table_schedule(columns->table, i, &schedule, error))
		return false;
	if (!schedule && ordo_table_repeats(columns->table, i)) {
		column->seconds[i] = column->seconds[columns->table->items[i].plain];
		column->over[i] = column->over[columns->table->items[i].plain];
	}
	if (!schedule)
		return true;
	const bool worked = predict(columns, i, schedule, column, limit, error);
	ordo_table_keep(columns->table, i, schedule,
		column->seconds[i] >= 0 && column->seconds[i] <= enough);
	return worked;
}

/* Whether a candidate has a single chunk, though its own number is larger. */
static bool is_whole(const struct ordo_table *table, uint32_t i)
{
	const struct ordo_evaluated *item = &table->items[i];
	return item->candidate && item->chunks_per_block == 1 &&
	       item->candidate->chunks_per_block > 1;
}

/* Simulates one candidate, and evaluates it if it is the fastest so far of those that suit; unless
 * `lazily`, evaluates it in any case. */
static bool compare_candidate(struct ordo_columns *columns, struct ordo_column *column, uint32_t i,
	double *best, struct ordo_error *error)
{
	const struct ordo_evaluated *item = &columns->table->items[i];
	const bool lazily = columns->wish->lazily;
	const double *seconds = &column->seconds[i];
	if (*seconds >= 0)
		return true;
	if (!lazily && !ordo_evaluate(columns->table, i, error))
		return false;
	/* Lazily, a candidate as fast as the best is timed but not evaluated. */
	const double enough = lazily ? *best / ORDO_SAME_TIME : *best * ORDO_SAME_TIME,
		     far = ordo_has_more_chunks(columns->table, i + 1) ? 2 * ORDO_FAR
								       : ORDO_SAME_TIME,
		     limit = isfinite(*best) ? *best * far : 0;
	const double least =
		lazily ? fmax(ordo_columns_bound(columns, i, column->bytes), column->over[i]) : 0;
	if (least > enough || (lazily && ordo_has_grown(columns, column, i, *best)))
		return true;
	if (!time_candidate(columns, i, column, lazily ? limit : 0, enough, error))
		return false;
	if (*seconds < 0 || *seconds > enough)
		return true;
	if (!ordo_evaluate(columns->table, i, error))
		return false;
	if (item->suits && *seconds < *best)
		*best = *seconds;
	return true;
}

/* Sorts candidates by their lower bounds, so that fast ones rule out slow ones. Last, from the
 * fewest on, come those that two with fewer chunks may rule out, and those with a single chunk, of
 * which no bound is known. */
static bool order_candidates(const struct ordo_columns *columns, uint64_t bytes, uint32_t *order)
{
	const struct ordo_table *table = columns->table;
	double *bounds = calloc((size_t)table->count + 1, sizeof *bounds);
	for (uint32_t i = 0; bounds && i < table->count; i++) {
		const bool last = is_whole(table, i) || (ordo_has_more_chunks(table, i) &&
								ordo_has_more_chunks(table, i - 1));
		const double bound = !columns->wish->lazily ? 0
				     : last		    ? HUGE_VAL
							    : ordo_columns_bound(columns, i, bytes);
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

/* The last column is the one being filled. */
static void report_progress(const struct ordo_columns *columns, uint32_t ndone)
{
	const struct ordo_selection_wish *wish = &columns->wish->selection;
	const uint64_t count = columns->table->count, ncolumn = columns->count > columns->nplanned
									? columns->count
									: columns->nplanned;
	if (wish->progress)
		wish->progress(wish->progress_closure, "simulating",
			(columns->count - 1) * count + ndone, ncolumn * count);
}

/* Simulates a candidate with many chunks if it is promising, unless it is left out; *best becomes
 * the least time of those that are not known not to suit. None is given up whose time the promise
 * of more chunks needs; nor where an order is chosen, since the fastest of each is wanted. */
static bool time_one_large(struct ordo_columns *columns, struct ordo_column *column,
	const bool *left_out, uint32_t ahead, uint32_t i, double *best, struct ordo_error *error)
{
	const struct ordo_evaluated *item = &columns->table->items[i];
	const bool whole = columns->wish->selection.one_order,
		   last = !ordo_has_more_chunks(columns->table, i + 1) &&
			  !ordo_is_doubled(columns->table, i);
	const double limit = isfinite(*best) && last && !whole ? *best * ORDO_SAME_TIME : 0;
	if ((left_out && left_out[i]) || !ordo_is_promising(columns, column, i, *best, ahead) ||
		(!whole && ordo_has_twin(columns, column, i)))
		return true;
	if (column->seconds[i] < 0 && column->over[i] < *best &&
		!time_candidate(columns, i, column, limit, *best, error))
		return false;
	if (column->seconds[i] >= 0 && column->seconds[i] < *best && !item->why)
		*best = column->seconds[i];
	return true;
}

/* The least number of chunks above this one of those that have many; 0: there is none. */
static uint32_t next_chunks(const struct ordo_table *table, uint32_t chunks)
{
	uint32_t next = 0;
	for (uint32_t i = 0; i < table->count; i++) {
		const uint32_t K = table->items[i].chunks_per_block;
		if (ordo_is_large(&table->items[i]) && K > chunks && (!next || K < next))
			next = K;
	}
	return next;
}

/* From the fewest chunks on: what takes longest to compile is compared with the best of all that
 * take less. */
static bool time_large(struct ordo_columns *columns, struct ordo_column *column,
	const bool *left_out, uint32_t ahead, double *best, struct ordo_error *error)
{
	const struct ordo_table *table = columns->table;
	for (uint32_t K = next_chunks(table, 0); K; K = next_chunks(table, K))
		for (uint32_t i = 0; i < table->count; i++)
			if (ordo_is_large(&table->items[i]) &&
				table->items[i].chunks_per_block == K &&
				!time_one_large(columns, column, left_out, ahead, i, best, error))
				return false;
	return true;
}

/* Evaluates those with many chunks that are as fast as the best. *lost: the best of all is one of
 * them, and none of them suits. */
static bool evaluate_large(struct ordo_columns *columns, const struct ordo_column *column,
	double best, bool *lost, struct ordo_error *error)
{
	bool won = false;
	*lost = false;
	for (uint32_t i = 0; i < columns->table->count; i++) {
		const struct ordo_evaluated *item = &columns->table->items[i];
		if (!ordo_is_large(item) || item->why || column->seconds[i] < 0 ||
			column->seconds[i] > best * ORDO_SAME_TIME ||
			(won && columns->wish->lazily))
			continue;
		if (!ordo_evaluate(columns->table, i, error))
			return false;
		won |= item->suits;
		*lost |= !item->suits;
	}
	*lost &= !won;
	return true;
}

/* Those with many chunks come last, from the fewest on. Their proofs take long, so only what is
 * the fastest is proved; if that does not suit, others are looked at again. */
static bool fill_large(struct ordo_columns *columns, struct ordo_column *column,
	const bool *left_out, uint32_t ahead, double best, struct ordo_error *error)
{
	bool lost = true;
	while (lost) {
		double least = best;
		if (!time_large(columns, column, left_out, ahead, &least, error) ||
			!evaluate_large(columns, column, least, &lost, error))
			return false;
	}
	return true;
}

/* Multiples of chunks are far apart, so what is between is tried beside the best of a candidate.
 * What is found there rules out nothing that was promised before it was found. */
static bool fill_between(struct ordo_columns *columns, uint32_t at, struct ordo_error *error)
{
	struct ordo_column *column = &columns->items[at];
	const uint32_t best = ordo_fastest(columns, at, NULL);
	const double before = best == ORDO_NONE ? 0 : column->seconds[best];
	double least = before;
	for (uint32_t i = 0; best != ORDO_NONE && i < columns->table->count; i++)
		if ((ordo_is_neighbour(columns, column, i, before) ||
			    ordo_promises_more(columns, column, i, before)) &&
			!compare_candidate(columns, column, i, &least, error))
			return false;
	return true;
}

/* Then those are tried, but the longest to compile, that promise something only with twice as many
 * chunks, for one size: the first that promise something alone, so that those that come later lose
 * nothing. */
static bool fill_ahead(
	struct ordo_columns *columns, uint32_t at, const bool *left_out, struct ordo_error *error)
{
	struct ordo_column *column = &columns->items[at];
	for (uint32_t ahead = 1; ahead <= 2; ahead++) {
		const uint32_t best = ordo_fastest(columns, at, NULL);
		const double seconds = best == ORDO_NONE ? HUGE_VAL : column->seconds[best];
		if (!fill_large(columns, column, left_out, ahead, seconds, error) ||
			!fill_between(columns, at, error))
			return false;
	}
	return true;
}

static bool fill(
	struct ordo_columns *columns, uint32_t at, const bool *left_out, struct ordo_error *error)
{
	struct ordo_column *column = &columns->items[at];
	const struct ordo_table *table = columns->table;
	uint32_t *order = calloc((size_t)table->count + 1, sizeof *order);
	bool worked = order && order_candidates(columns, column->bytes, order)
			      ? true
			      : ordo_fail_memory(error);
	const uint32_t known = worked ? ordo_fastest(columns, at, NULL) : ORDO_NONE;
	double best = known == ORDO_NONE ? HUGE_VAL : column->seconds[known];
	for (uint32_t i = 0; worked && i < table->count; i++) {
		report_progress(columns, i);
		if (table->items[order[i]].worth == 0 && !table->items[order[i]].between &&
			(!left_out || !left_out[order[i]]))
			worked = compare_candidate(columns, column, order[i], &best, error);
	}
	worked = worked && fill_ahead(columns, at, left_out, error);
	column->full |= !left_out;
	free(order);
	return worked;
}

/* Inserts a column without times. */
static bool insert(
	struct ordo_columns *columns, uint64_t bytes, uint32_t *at, struct ordo_error *error)
{
	const struct ordo_table *table = columns->table;
	struct ordo_column column = {.bytes = bytes,
		.seconds = malloc(((size_t)table->count + 1) * sizeof *column.seconds),
		.over = malloc(((size_t)table->count + 1) * sizeof *column.over)};
	if (!column.seconds || !column.over ||
		!ordo_array_reserve(&columns->items, &columns->room, (size_t)columns->count + 1,
			sizeof *columns->items)) {
		free_times(&column);
		return ordo_fail_memory(error);
	}
	for (uint32_t i = 0; i < table->count; i++)
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

/* Leaves out the candidates that take longer at the column before than the slower of the fastest
 * ones on both sides. */
static void leave_out(
	const struct ordo_columns *columns, uint32_t at, const char *digest, bool *left_out)
{
	const struct ordo_column *low = &columns->items[at - 1], *high = &columns->items[at + 1];
	const uint32_t a = ordo_fastest(columns, at - 1, digest),
		       b = ordo_fastest(columns, at + 1, digest);
	const double least = fmax(a == ORDO_NONE ? HUGE_VAL : low->seconds[a],
		b == ORDO_NONE ? HUGE_VAL : high->seconds[b]);
	for (uint32_t i = 0; i < columns->table->count; i++) {
		const double there = fmax(low->seconds[i], low->over[i]);
		left_out[i] = there < 0 || there > least * ORDO_SAME_TIME;
	}
}

bool ordo_columns_add_between(
	struct ordo_columns *columns, uint64_t bytes, const char *digest, struct ordo_error *error)
{
	uint32_t at;
	bool *left_out = calloc((size_t)columns->table->count + 1, sizeof *left_out);
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
