/* select.c - the cheapest algorithm at every size, among those that suit. */
#include "algorithm.h"
#include "cost/envelope.h"
#include "cost/tie_break.h"
#include <ordo/arena.h>
#include <ordo/detail/select.h>
#include <ordo/options.h>
#include <stdlib.h>
#include <string.h>

/* What is known of a candidate. */
struct option {
	struct ordo_cost cost;
	struct ordo_line line;
	bool tried;    /* compiled and proved; what follows is known */
	bool compiles; /* every link that it needs is there */
	bool suits;
	char digest[33];
};

struct selecting {
	const struct ordo_selection_wish *wish;
	struct ordo_selection *selection;
	struct option *options; /* [count] */
	uint32_t count;
	uint64_t last; /* size */
	struct ordo_error *error;
};

/* One range of an envelope. */
struct stretch {
	uint64_t from, to;
	uint32_t option;
};

struct envelope {
	struct stretch *items;
	uint32_t count;
	size_t room;
};

static struct ordo_request request_of(const struct selecting *selecting, uint32_t i)
{
	const struct ordo_selection_wish *wish = selecting->wish;
	return (struct ordo_request){.problem = wish->problem,
		.algorithm = selecting->selection->candidates.items[i].algorithm,
		.topology = wish->topology,
		.progress = wish->progress,
		.closure = wish->progress_closure};
}

/* The schedule of a candidate, and its proof. NULL: *why is about the candidate (ORDO_USAGE), or
 * the end. */
static struct ordo_schedule *compile(const struct selecting *selecting, uint32_t i,
	struct ordo_proof **proof, struct ordo_error *why)
{
	const struct ordo_request request = request_of(selecting, i);
	return ordo_compile_proved(&request, proof, why);
}

static bool refuse(struct selecting *selecting, uint32_t i, const struct ordo_error *why)
{
	struct ordo_candidates *candidates = &selecting->selection->candidates;
	if (ordo_is_of_candidate(why))
		return ordo_refuse_candidate(
			candidates, candidates->items[i].algorithm, why, selecting->error);
	if (selecting->error)
		*selecting->error = *why;
	return false;
}

/* Of some the cost is counted on the moves, for which links may be missing. */
static bool find_costs(struct selecting *selecting)
{
	const struct ordo_machine *machine = &selecting->wish->machine;
	for (uint32_t i = 0; i < selecting->count; i++) {
		struct option *option = &selecting->options[i];
		const struct ordo_request request = request_of(selecting, i);
		struct ordo_error why = {0};
		option->tried = !ordo_cost_of(&request, &option->cost, &why);
		if (option->tried && !refuse(selecting, i, &why))
			return false;
		if (option->tried)
			continue;
		const long double parts = (long double)option->cost.parts,
				  link = (long double)machine->bandwidth_gbs,
				  adding = (long double)machine->reduce_bandwidth_gbs;
		option->line.fixed =
			(long double)option->cost.steps * (long double)machine->latency_ns;
		option->line.slope = (long double)option->cost.wire / parts / link +
				     (long double)option->cost.reduced / parts / adding;
	}
	return true;
}

/* Finds out about a candidate. */
static bool try(struct selecting *selecting, uint32_t i)
{
	const struct ordo_selection_wish *wish = selecting->wish;
	struct option *option = &selecting->options[i];
	struct ordo_error why = {0};
	struct ordo_proof *proof;
	if (option->tried)
		return true;
	option->tried = true;
	struct ordo_schedule *schedule = compile(selecting, i, &proof, &why);
	option->compiles = schedule;
	option->suits =
		schedule && (!wish->suits || wish->suits(schedule, proof, wish->closure, &why));
	if (schedule)
		memcpy(option->digest, proof->digest, sizeof option->digest);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
	return option->suits ? true : refuse(selecting, i, &why);
}

static bool add_stretch(struct envelope *envelope, struct stretch stretch, struct ordo_error *error)
{
	if (!ordo_array_reserve(&envelope->items, &envelope->room, (size_t)envelope->count + 1,
		    sizeof *envelope->items))
		return ordo_fail_memory(error);
	envelope->items[envelope->count++] = stretch;
	return true;
}

/* Of the lines that are not left out; empty if all are. */
static bool make_envelope(
	const struct selecting *selecting, const struct ordo_line *lines, struct envelope *envelope)
{
	uint64_t from = selecting->wish->from_bytes;
	envelope->count = 0;
	for (;;) {
		const uint32_t option = ordo_lowest_line(lines, selecting->count, from);
		if (option == ORDO_NONE)
			return true;
		const uint64_t next =
			ordo_next_crossing(lines, selecting->count, option, from, selecting->last);
		const struct stretch stretch = {
			from, next ? next - 1 : selecting->wish->to_bytes, option};
		if (!add_stretch(envelope, stretch, selecting->error))
			return false;
		if (!next)
			return true;
		from = next;
	}
}

enum demand { COMPILES, SUITS };

static bool meets(const struct option *option, enum demand demand)
{
	return demand == COMPILES ? option->compiles : option->suits;
}

/* The envelope of what meets a demand. Only candidates that would be in it are tried; while one of
 * them does not meet it, it is left out and the envelope made again. digest: only those with that
 * order; NULL: any. */
static bool find_envelope(struct selecting *selecting, enum demand demand, const char *digest,
	struct ordo_line *lines, struct envelope *envelope)
{
	for (uint32_t i = 0; i < selecting->count; i++) {
		const struct option *option = &selecting->options[i];
		lines[i] = option->line;
		lines[i].left_out = (option->tried && !meets(option, demand)) ||
				    (digest && strcmp(digest, option->digest) != 0);
	}
	for (bool changed = true; changed;) {
		changed = false;
		if (!make_envelope(selecting, lines, envelope))
			return false;
		for (uint32_t i = 0; i < envelope->count; i++) {
			const uint32_t option = envelope->items[i].option;
			if (!try(selecting, option))
				return false;
			if (!meets(&selecting->options[option], demand))
				changed = lines[option].left_out = true;
		}
	}
	return true;
}

static uint64_t end_of(const struct selecting *selecting, const struct stretch *stretch)
{
	return stretch->to < selecting->last ? stretch->to : selecting->last;
}

/* The greatest ratio of two envelopes. Between their corners both are lines, and a ratio of lines
 * is greatest at an end. */
static double find_price(const struct selecting *selecting, const struct envelope *envelope,
	const struct envelope *cheapest, uint64_t *bytes)
{
	double most = 0;
	*bytes = selecting->wish->from_bytes;
	for (uint32_t i = 0, k = 0; i < envelope->count && k < cheapest->count;) {
		const struct stretch *a = &envelope->items[i], *b = &cheapest->items[k];
		const uint64_t ends[2] = {a->from > b->from ? a->from : b->from,
			end_of(selecting, a->to < b->to ? a : b)};
		for (int end = 0; end < 2; end++) {
			const long double paid =
				ordo_line_at(&selecting->options[a->option].line, ends[end]);
			const long double least =
				ordo_line_at(&selecting->options[b->option].line, ends[end]);
			const double ratio = least > 0 ? (double)(paid / least) : 1;
			if (ratio > most) {
				most = ratio;
				*bytes = ends[end];
			}
		}
		i += a->to <= b->to;
		k += b->to <= a->to;
	}
	return most;
}

/* The envelope of the order that costs least against the cheapest. */
static bool find_one_order(struct selecting *selecting, const struct envelope *cheapest,
	struct ordo_line *lines, struct envelope *best)
{
	struct ordo_selection *selection = selecting->selection;
	for (uint32_t i = 0; i < selecting->count; i++)
		if (!try(selecting, i))
			return false;
	for (uint32_t i = 0; i < selecting->count; i++) {
		struct envelope envelope = {0};
		uint64_t bytes;
		bool seen = !selecting->options[i].suits;
		for (uint32_t k = 0; k < i && !seen; k++)
			seen = selecting->options[k].suits &&
			       !strcmp(selecting->options[k].digest, selecting->options[i].digest);
		if (seen)
			continue;
		if (!find_envelope(
			    selecting, SUITS, selecting->options[i].digest, lines, &envelope)) {
			free(envelope.items);
			return false;
		}
		const double price = find_price(selecting, &envelope, cheapest, &bytes);
		if (!best->count || price < selection->price) {
			free(best->items);
			*best = envelope;
			selection->price = price;
			selection->price_bytes = bytes;
		} else {
			free(envelope.items);
		}
	}
	return true;
}

/* Equal digests have the number of the first candidate that has them. */
static uint32_t order_of(const struct selecting *selecting, uint32_t option)
{
	uint32_t order = 0;
	while (strcmp(selecting->options[order].digest, selecting->options[option].digest) != 0)
		order++;
	return order;
}

static bool costs_as_much(const struct option *one, const struct option *other)
{
	return !(one->line.fixed < other->line.fixed || one->line.fixed > other->line.fixed ||
		 one->line.slope < other->line.slope || one->line.slope > other->line.slope);
}

/* Appends the candidates that suit and cost exactly what the one of a stretch costs: it and those
 * behind it. */
static bool add_alternatives(struct selecting *selecting, uint32_t chosen,
	struct ordo_alternative *items, uint32_t *count)
{
	for (uint32_t i = chosen; i < selecting->count; i++) {
		if (i != chosen &&
			!costs_as_much(&selecting->options[i], &selecting->options[chosen]))
			continue;
		if (!try(selecting, i))
			return false;
		if (selecting->options[i].suits)
			items[(*count)++] = (struct ordo_alternative){i, order_of(selecting, i)};
	}
	return true;
}

/* Among equal costs, bits that do not change with the size are to be had for nothing. */
static bool settle(struct selecting *selecting, struct envelope *envelope)
{
	const uint32_t nrange = envelope->count;
	struct ordo_alternative *items =
		calloc((size_t)nrange * selecting->count + 1, sizeof *items);
	uint32_t *ends = calloc((size_t)nrange + 1, sizeof *ends),
		 *choice = calloc((size_t)nrange + 1, sizeof *choice), count = 0;
	bool worked = items && ends && choice ? true : ordo_fail_memory(selecting->error);
	for (uint32_t i = 0; worked && i < nrange; i++) {
		worked = add_alternatives(selecting, envelope->items[i].option, items, &count);
		ends[i] = count;
	}
	worked = worked && ordo_settle(items, ends, nrange, choice, selecting->error);
	for (uint32_t i = 0; worked && i < nrange; i++)
		envelope->items[i].option = items[choice[i]].option;
	free(items);
	free(ends);
	free(choice);
	return worked;
}

/* Compiles what was selected. */
static bool keep(struct selecting *selecting, const struct envelope *envelope)
{
	struct ordo_selection *selection = selecting->selection;
	selection->ranges = calloc((size_t)envelope->count + 1, sizeof *selection->ranges);
	if (!selection->ranges)
		return ordo_fail_memory(selecting->error);
	for (uint32_t i = 0; i < envelope->count; i++) {
		const struct stretch *stretch = &envelope->items[i];
		const struct option *option = &selecting->options[stretch->option];
		struct ordo_selected *range = &selection->ranges[selection->nrange++];
		struct ordo_error why = {0};
		struct ordo_proof *proof;
		*range = (struct ordo_selected){.from_bytes = stretch->from,
			.to_bytes = stretch->to,
			.algorithm = selection->candidates.items[stretch->option].algorithm,
			.cost = option->cost,
			.schedule = compile(selecting, stretch->option, &proof, &why)};
		memcpy(range->digest, option->digest, sizeof range->digest);
		ordo_proof_destroy(proof);
		if (!range->schedule) {
			if (selecting->error)
				*selecting->error = why;
			return false;
		}
	}
	return true;
}

static bool select_ranges(struct selecting *selecting, struct ordo_line *lines)
{
	const struct ordo_selection_wish *wish = selecting->wish;
	struct ordo_selection *selection = selecting->selection;
	struct envelope cheapest = {0}, chosen = {0};
	bool worked =
		find_costs(selecting) && find_envelope(selecting, COMPILES, NULL, lines, &cheapest);
	if (worked && wish->one_order)
		worked = find_one_order(selecting, &cheapest, lines, &chosen);
	else if (worked)
		worked = find_envelope(selecting, SUITS, NULL, lines, &chosen) &&
			 settle(selecting, &chosen);
	if (worked && !chosen.count)
		worked = ordo_fail(selecting->error, ORDO_REFUTED, 0,
			"no algorithm suits, of %u that have %s", selection->candidates.nrefused,
			ordo_operator_facts(wish->problem.op)->name);
	if (worked && !wish->one_order)
		selection->price =
			find_price(selecting, &chosen, &cheapest, &selection->price_bytes);
	worked = worked && keep(selecting, &chosen);
	free(cheapest.items);
	free(chosen.items);
	return worked;
}

static bool select_cheapest(const struct ordo_selection_wish *wish,
	struct ordo_selection *selection, struct ordo_error *error)
{
	struct selecting selecting = {.wish = wish,
		.selection = selection,
		.last = wish->to_bytes == ORDO_ENDLESS ? ORDO_BYTES_LIMIT : wish->to_bytes,
		.error = error};
	*selection = (struct ordo_selection){0};
	if (wish->from_bytes > wish->to_bytes || selecting.last > ORDO_BYTES_LIMIT)
		return ordo_fail(error, ORDO_USAGE, 0,
			"sizes: found %llu..%llu, wanted an ascending range up to %llu",
			(unsigned long long)wish->from_bytes, (unsigned long long)wish->to_bytes,
			(unsigned long long)ORDO_BYTES_LIMIT);
	if (!ordo_candidates_make(&selection->candidates, &wish->problem, wish->topology, error))
		return false;
	selecting.count = selection->candidates.count;
	selecting.options = calloc((size_t)selecting.count + 1, sizeof *selecting.options);
	struct ordo_line *lines = calloc((size_t)selecting.count + 1, sizeof *lines);
	const bool worked = selecting.options && lines ? select_ranges(&selecting, lines)
						       : ordo_fail_memory(error);
	free(selecting.options);
	free(lines);
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
	for (uint32_t i = 0; i < selection->nrange; i++)
		ordo_schedule_destroy(selection->ranges[i].schedule);
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
