/* select.c - selects the cheapest candidate that suits at every size, by closed forms. */
#include "ranges.h"
#include <ordo/options.h>
#include <stdio.h>
#include <stdlib.h>

/* One range of a lower envelope. */
struct stretch {
	uint64_t from, to;
	uint32_t item;
};

struct envelope {
	struct stretch *items;
	uint32_t count;
	size_t room;
};

struct selecting {
	const struct ordo_selection_wish *wish;
	struct ordo_table table;
	struct ordo_line *lines; /* [table.count] */
	struct envelope found;
	struct envelope cheapest; /* of all candidates that compile */
	uint64_t last;		  /* size */
};

/* Sets the costs. Some are counted on moves, for which links may be missing. */
static bool find_costs(struct selecting *selecting, struct ordo_error *error)
{
	const struct ordo_machine *machine = &selecting->wish->machine;
	struct ordo_table *table = &selecting->table;
	for (uint32_t i = 0; i < table->count; i++) {
		struct ordo_evaluated *item = &table->items[i];
		const struct ordo_request request = ordo_table_request(table, i);
		struct ordo_error why = {0};
		if (item->why)
			continue;
		if (!ordo_cost_of(&request, &item->cost, &why)) {
			if (!ordo_refuse(table, i, &why, error))
				return false;
			continue;
		}
		const long double parts = (long double)item->cost.parts,
				  link = (long double)machine->bandwidth_gbs,
				  adding = (long double)machine->reduce_bandwidth_gbs;
		item->line.fixed = (long double)item->cost.steps * (long double)machine->latency_ns;
		item->line.slope = (long double)item->cost.wire / parts / link +
				   (long double)item->cost.reduced / parts / adding;
	}
	return true;
}

static bool add_stretch(struct envelope *envelope, struct stretch stretch, struct ordo_error *error)
{
	if (!ordo_array_reserve(&envelope->items, &envelope->room, (size_t)envelope->count + 1,
		    sizeof *envelope->items))
		return ordo_fail_memory(error);
	envelope->items[envelope->count++] = stretch;
	return true;
}

/* The envelope of the lines that are not left out; empty if all are. */
static bool make_envelope(
	const struct selecting *selecting, struct envelope *envelope, struct ordo_error *error)
{
	const struct ordo_line *lines = selecting->lines;
	const uint32_t count = selecting->table.count;
	uint64_t from = selecting->wish->from_bytes;
	envelope->count = 0;
	for (;;) {
		const uint32_t item = ordo_lowest_line(lines, count, from);
		if (item == ORDO_NONE)
			return true;
		const uint64_t next = ordo_next_crossing(lines, count, item, from, selecting->last);
		const struct stretch stretch = {
			from, next ? next - 1 : selecting->wish->to_bytes, item};
		if (!add_stretch(envelope, stretch, error))
			return false;
		if (!next)
			return true;
		from = next;
	}
}

enum demand { COMPILES, SUITS };

static bool meets(
	const struct ordo_table *table, uint32_t i, enum demand demand, const char *digest)
{
	return demand == COMPILES ? table->items[i].proved : ordo_may_win(table, i, digest);
}

/* The envelope of the candidates that meet a demand. Evaluates only candidates on the envelope; if
 * one does not meet the demand, leaves it out and computes the envelope again. digest: only those
 * with that order; NULL: any. */
static bool find_envelope(struct selecting *selecting, enum demand demand, const char *digest,
	struct envelope *envelope, struct ordo_error *error)
{
	struct ordo_table *table = &selecting->table;
	for (uint32_t i = 0; i < table->count; i++) {
		selecting->lines[i] = table->items[i].line;
		selecting->lines[i].left_out =
			ordo_is_evaluated(table, i) && !meets(table, i, demand, digest);
	}
	for (bool changed = true; changed;) {
		changed = false;
		if (!make_envelope(selecting, envelope, error))
			return false;
		for (uint32_t i = 0; i < envelope->count; i++) {
			const uint32_t item = envelope->items[i].item;
			if (!ordo_evaluate(table, item, error))
				return false;
			if (!meets(table, item, demand, digest))
				changed = selecting->lines[item].left_out = true;
		}
	}
	return true;
}

static bool costs_equal(const struct ordo_line *one, const struct ordo_line *other)
{
	return !(one->fixed < other->fixed || one->fixed > other->fixed ||
		 one->slope < other->slope || one->slope > other->slope);
}

/* Marks the candidates, from `chosen` on, that may win and cost exactly the same. */
static bool find_equals(struct selecting *selecting, uint32_t chosen, const char *digest,
	bool *cheapest, struct ordo_error *error)
{
	struct ordo_table *table = &selecting->table;
	for (uint32_t i = chosen; i < table->count; i++) {
		if (!table->items[i].candidate ||
			!costs_equal(&table->items[i].line, &table->items[chosen].line))
			continue;
		if (!ordo_evaluate(table, i, error))
			return false;
		cheapest[i] = ordo_may_win(table, i, digest);
	}
	return true;
}

/* See struct ordo_pricing. */
static bool find_ranges(
	void *closure, const char *digest, struct ordo_ranges *ranges, struct ordo_error *error)
{
	struct selecting *selecting = closure;
	struct envelope *found = &selecting->found;
	ranges->count = 0;
	if (!find_envelope(selecting, SUITS, digest, found, error))
		return false;
	for (uint32_t i = 0; i < found->count; i++) {
		const struct stretch *stretch = &found->items[i];
		const struct ordo_range range = {
			.from_bytes = stretch->from, .to_bytes = stretch->to};
		bool *cheapest = ordo_ranges_add(ranges, &selecting->table, range, error);
		if (!cheapest || !find_equals(selecting, stretch->item, digest, cheapest, error))
			return false;
	}
	return true;
}

static uint64_t end_of(const struct selecting *selecting, uint64_t to)
{
	return to < selecting->last ? to : selecting->last;
}

/* Between breakpoints both envelopes are lines, and a ratio of lines is greatest at an end. See
 * struct ordo_pricing. */
static double find_ratio(void *closure, const struct ordo_ranges *ranges, uint64_t *bytes)
{
	const struct selecting *selecting = closure;
	const struct envelope *cheapest = &selecting->cheapest;
	const struct ordo_evaluated *items = selecting->table.items;
	double most = 0;
	*bytes = selecting->wish->from_bytes;
	for (uint32_t i = 0, k = 0; i < ranges->count && k < cheapest->count;) {
		const struct ordo_range *a = &ranges->items[i];
		const struct stretch *b = &cheapest->items[k];
		const uint64_t ends[2] = {a->from_bytes > b->from ? a->from_bytes : b->from,
			end_of(selecting, a->to_bytes < b->to ? a->to_bytes : b->to)};
		for (int end = 0; end < 2; end++) {
			const long double paid = ordo_line_at(&items[a->chosen].line, ends[end]);
			const long double least = ordo_line_at(&items[b->item].line, ends[end]);
			const double ratio = least > 0 ? (double)(paid / least) : 1;
			if (ratio > most) {
				most = ratio;
				*bytes = ends[end];
			}
		}
		const uint64_t to = a->to_bytes;
		i += to <= b->to;
		k += b->to <= to;
	}
	return most;
}

static bool select_ranges(
	struct selecting *selecting, struct ordo_selection *selection, struct ordo_error *error)
{
	const struct ordo_pricing pricing = {selecting, find_ranges, find_ratio};
	struct ordo_ranges ranges = {0};
	const char *digest;
	selecting->lines = calloc((size_t)selecting->table.count + 1, sizeof *selecting->lines);
	bool worked = selecting->lines ? true : ordo_fail_memory(error);
	worked = worked && find_costs(selecting, error) &&
		 find_envelope(selecting, COMPILES, NULL, &selecting->cheapest, error) &&
		 ordo_ranges_choose(&selecting->table, &pricing, selecting->wish->one_order,
			 &ranges, &digest, selection, error) &&
		 ordo_ranges_take(&selecting->table, &ranges, selection, error);
	free(selecting->lines);
	free(selecting->found.items);
	free(selecting->cheapest.items);
	ordo_ranges_free(&ranges);
	return worked;
}

static bool select_cheapest(const struct ordo_selection_wish *wish,
	struct ordo_selection *selection, struct ordo_error *error)
{
	struct selecting selecting = {.wish = wish,
		.table = {.request = {.problem = wish->problem,
				  .topology = wish->topology,
				  .progress = wish->progress,
				  .closure = wish->progress_closure,
				  .max_tokens = wish->max_tokens,
				  .staging_slots = wish->staging_slots,
				  .order = wish->order,
				  .one_tree = wish->one_tree},
			.suits = wish->suits,
			.closure = wish->closure,
			.candidates = &selection->candidates,
			.lists_refused = true,
			.most_kept = ORDO_MOST_KEPT},
		.last = wish->to_bytes == ORDO_ENDLESS ? ORDO_BYTES_LIMIT : wish->to_bytes};
	*selection = (struct ordo_selection){0};
	if (!ordo_check_sizes(wish, selecting.last, error) ||
		!ordo_candidates_make(&selection->candidates, &selecting.table.request, error))
		return false;
	const bool worked = ordo_table_open(&selecting.table, false, error) &&
			    select_ranges(&selecting, selection, error);
	ordo_table_close(&selecting.table);
	return worked;
}

bool ordo_select_sized(size_t size, const struct ordo_selection_wish *wish,
	struct ordo_selection *selection, struct ordo_error *error)
{
	struct ordo_selection_wish own;
	*selection = (struct ordo_selection){0};
	return ordo_options_take(&own, sizeof own, wish, size, error)
		       ? select_cheapest(&own, selection, error)
		       : false;
}

bool(ordo_select)(const struct ordo_selection_wish *wish, struct ordo_selection *selection,
	struct ordo_error *error)
{
	return ordo_select_sized(
		ORDO_UP_TO(ordo_selection_wish, progress_closure), wish, selection, error);
}

void ordo_selection_free(struct ordo_selection *selection)
{
	for (uint32_t i = 0; i < selection->nrange; i++) {
		ordo_proof_destroy(selection->ranges[i].proof);
		ordo_schedule_destroy(selection->ranges[i].schedule);
	}
	free(selection->ranges);
	ordo_candidates_free(&selection->candidates);
	*selection = (struct ordo_selection){0};
}

struct ordo_plan_set *ordo_selection_plan_set(const struct ordo_selection *selection,
	const struct ordo_problem *problem, struct ordo_error *error)
{
	struct ordo_problem whole = *problem;
	whole.nshard = whole.nshard ? whole.nshard : whole.nrank;
	struct ordo_plan_set *set = ordo_plan_set_create(&whole, error);
	for (uint32_t i = 0; set && i < selection->nrange; i++) {
		char name[32];
		snprintf(name, sizeof name, "range-%u.json", i);
		if (!ordo_plan_set_add(set, selection->ranges[i].from_bytes,
			    selection->ranges[i].to_bytes, name, error)) {
			ordo_plan_set_destroy(set);
			return NULL;
		}
	}
	return set;
}
