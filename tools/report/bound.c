/* bound.c - reports the least time of the wire, and its proof. */
#include "bound.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Sets that are printed as text; --json has them all. */
enum { MOST_SETS = 64, MOST_LINKS = 256, DECIMAL_SIZE = 64, MOST_PLACES = 18 };
/* Beyond, the bound of a compiled schedule takes longer than the rest of the command. */
enum { MOST_RANKS = 1024 };

/* units * unit / 10^digits GB/s, exactly. */
static const char *decimal_text(
	char out[DECIMAL_SIZE], uint64_t units, const struct ordo_wire_bound *bound)
{
	__extension__ typedef unsigned __int128 wide;
	const wide digits = (wide)units * bound->unit;
	const int places = bound->unit_digits;
	uint64_t scale = 1;
	for (int i = 0; i < places && i < MOST_PLACES; i++)
		scale *= 10;
	if (bound->rounded || places < 0 || places > MOST_PLACES || digits / scale > UINT64_MAX) {
		double value = (double)units * (double)bound->unit;
		for (int i = 0; i < places; i++)
			value /= 10;
		for (int i = places; i < 0; i++)
			value *= 10;
		snprintf(out, DECIMAL_SIZE, "%.15g", value);
		return out;
	}
	snprintf(out, DECIMAL_SIZE, "%" PRIu64, (uint64_t)(digits / scale));
	if (digits % scale == 0)
		return out;
	size_t length = strlen(out);
	snprintf(out + length, DECIMAL_SIZE - length, ".%0*" PRIu64, places,
		(uint64_t)(digits % scale));
	for (length = strlen(out); out[length - 1] == '0'; length--)
		out[length - 1] = 0;
	return out;
}

const char *wire_bound_text(char out[FRACTION_SIZE], const struct ordo_wire_bound *bound)
{
	char unit[DECIMAL_SIZE], denominator[32] = "";
	if (bound->denominator > 1)
		snprintf(denominator, sizeof denominator, "/%" PRIu64, bound->denominator);
	snprintf(out, FRACTION_SIZE, "%" PRIu64 "%s n/b, b = %s GB/s", bound->numerator,
		denominator, decimal_text(unit, 1, bound));
	return out;
}

/* `ranks 0-3, 5` or `switch 8`, of the vertices from..to-1; members of the list of that name. */
static void report_vertices(const struct report *report, const char *name,
	const struct ordo_wire_bound *bound, uint32_t from, uint32_t to)
{
	const struct report list = report_list(report, name);
	for (uint32_t i = from; i < to; i++)
		report_members(&list, "%u<>", bound->vertices[i]);
	for (uint32_t i = from, last; i < to; i = last + 1) {
		for (last = i;
			last + 1 < to && bound->vertices[last + 1] == bound->vertices[last] + 1;)
			last++;
		report_text(report, "%s%u", i == from ? "" : ", ", bound->vertices[i]);
		if (last > i)
			report_text(report, "-%u", bound->vertices[last]);
	}
}

static void report_links(
	const struct report *set, const struct ordo_wire_bound *bound, uint32_t number)
{
	const struct report list = report_list(set, "links");
	const uint32_t first = bound->first_term[number], end = bound->first_term[number + 1];
	char text[DECIMAL_SIZE];
	uint64_t units = 0, rest = 0;
	for (uint32_t i = first; i < end; i++) {
		units += bound->terms[i].units;
		rest += i - first < MOST_LINKS ? 0 : bound->terms[i].units;
	}
	report_text(set, ": %s GB/s %s", decimal_text(text, units, bound),
		bound->entering ? "enter" : "leave");
	report_members(set, "%s<gigabytes_per_second> %" PRIu64 "<units>", text, units);
	for (uint32_t i = first; i < end; i++) {
		const struct ordo_bound_term *term = &bound->terms[i];
		const struct report link = report_item(&list);
		decimal_text(text, term->units, bound);
		if (i - first < MOST_LINKS)
			report_text(set, "%s%s ", i == first ? " = " : " + ", text);
		if (i - first < MOST_LINKS && term->from == term->to)
			report_text(set, "(ports of %u)", term->from);
		else if (i - first < MOST_LINKS)
			report_text(set, "(%u->%u)", term->from, term->to);
		report_members(&link,
			"%u<from> %u<to> %s<gigabytes_per_second> %" PRIu64 "<units> %d<ports?>",
			term->from, term->to, text, term->units, term->from == term->to);
	}
	if (rest)
		report_text(set, " + %s of %u more links; --json lists them",
			decimal_text(text, rest, bound), end - first - MOST_LINKS);
	report_text(set, "\n");
}

static void report_set(const struct report *list, const struct ordo_wire_bound *bound,
	uint32_t number, uint32_t nrank)
{
	struct report set = report_item(list);
	uint32_t middle = bound->first[number];
	const uint32_t end = bound->first[number + 1];
	if (number >= MOST_SETS)
		set.text = NULL;
	while (middle < end && bound->vertices[middle] < nrank)
		middle++;
	report_text(&set, "  set of rank%s ", plural(middle - bound->first[number]));
	report_vertices(&set, "ranks", bound, bound->first[number], middle);
	if (middle < end)
		report_text(&set, " and switch%s ", end - middle > 1 ? "es" : "");
	report_vertices(&set, "switches", bound, middle, end);
	report_links(&set, bound, number);
}

/* The links of a length, a line each as far as they are printed. */
static void report_lengths(const struct report *report, const struct ordo_wire_bound *bound)
{
	char text[DECIMAL_SIZE];
	const struct report list = report_list(report, "lengths");
	report_text(report,
		"links have lengths: the shortest paths of all pairs of ranks add up to %" PRIu64
		", for n/%" PRIu64 " each,\n%26sand bandwidths times lengths to %s GB/s\n",
		bound->crossing, bound->parts, "", decimal_text(text, bound->units, bound));
	for (uint32_t i = 0; i < bound->nlength; i++) {
		const struct ordo_bound_term *term = &bound->terms[i];
		const struct report link = report_item(&list);
		decimal_text(text, term->units, bound);
		if (i < MOST_SETS && term->from == term->to)
			report_text(report, "  ports of %u: ", term->from);
		else if (i < MOST_SETS)
			report_text(report, "  link %u->%u: ", term->from, term->to);
		if (i < MOST_SETS)
			report_text(report, "%s GB/s, length %" PRIu64 "\n", text, term->length);
		report_members(&link,
			"%u<from> %u<to> %s<gigabytes_per_second> %" PRIu64 "<units> %" PRIu64
			"<length> %d<ports?>",
			term->from, term->to, text, term->units, term->length,
			term->from == term->to);
	}
	if (bound->nlength > MOST_SETS)
		report_text(report, "  and %u more links; --json lists them\n",
			bound->nlength - MOST_SETS);
}

static void report_proof_of(
	const struct report *report, const struct ordo_wire_bound *bound, uint32_t nrank)
{
	char text[DECIMAL_SIZE];
	report_label(report, "proof");
	if (bound->nlength) {
		report_lengths(report, bound);
	} else if (!bound->nset) {
		report_text(report, "one rank moves nothing\n");
	} else {
		const bool whole = bound->crossing % bound->parts == 0;
		report_text(report, "%" PRIu64, bound->crossing / (whole ? bound->parts : 1));
		if (!whole)
			report_text(report, "/%" PRIu64, bound->parts);
		report_text(report, " n %s %s over %s GB/s\n",
			bound->entering ? "must enter" : "must leave",
			bound->nset > 1 ? "these sets together" : "this set",
			decimal_text(text, bound->units, bound));
	}
	const struct report list = report_list(report, "sets");
	for (uint32_t i = 0; i < bound->nset; i++)
		report_set(&list, bound, i, nrank);
	if (bound->nset > MOST_SETS)
		report_text(
			report, "  and %u more sets; --json lists them\n", bound->nset - MOST_SETS);
}

static const struct {
	const char *name, *meaning;
} statuses[] = {[ORDO_BOUND_REACHED] = {"reached", "schedules come as near to it as they like"},
	[ORDO_BOUND_NOT_PROVED] = {"not proved reachable",
		"no schedule is faster; none is proved to be as fast"},
	[ORDO_BOUND_LOWER] = {
		"a lower bound", "no schedule is faster; there may be greater bounds"}};

static void report_fraction(const struct report *report, const struct ordo_wire_bound *bound)
{
	char unit[DECIMAL_SIZE];
	report_members(report,
		"%" PRIu64 "<numerator> %" PRIu64 "<denominator> %s<unit_gigabytes_per_second> "
		"%d<rounded?>",
		bound->numerator, bound->denominator, decimal_text(unit, 1, bound), bound->rounded);
}

/* Why the bound is not proved reachable. compares: it is where two other bounds take no longer. */
static void report_obstacles(
	const struct report *report, const struct ordo_wire_bound *bound, bool compares)
{
	char in[DECIMAL_SIZE], out[DECIMAL_SIZE];
	if (bound->one_way[0] != ORDO_NONE) {
		const struct report link = report_object(report, "one_way");
		report_line(&link, "",
			"link %u<from> -> %u<to> has none back, over which a Notify could answer",
			bound->one_way[0], bound->one_way[1]);
	}
	if (bound->unbalanced == ORDO_NONE && bound->one_way[0] == ORDO_NONE && compares)
		report_line(report, "",
			"ReduceScatter and then AllGather take longer, and nothing else shows it");
	if (bound->unbalanced == ORDO_NONE)
		return;
	const struct report object = report_object(report, "unbalanced");
	report_line(&object, "",
		"switch %u<switch> has %s<in_gigabytes_per_second> GB/s in and "
		"%s<out_gigabytes_per_second> GB/s out",
		bound->unbalanced, decimal_text(in, bound->units_in, bound),
		decimal_text(out, bound->units_out, bound));
}

void report_wire_bound(const struct report *report, const struct ordo_problem *problem,
	const struct ordo_topology *topology, const struct ordo_wire_bound *bound, uint64_t bytes)
{
	const struct ordo_operator_facts *facts = ordo_operator_facts(problem->op);
	char text[FRACTION_SIZE];
	report_text(report, "%s<operator> on %s<topology>, %u<ranks> rank%s", facts->name,
		topology->name, topology->nrank, plural(topology->nrank));
	if (facts->rooted)
		report_text(report, ", root %u<root>", problem->root);
	report_text(report, "\n");
	report_line(report, "least time", "%s; n is the larger buffer of a rank",
		wire_bound_text(text, bound));
	report_line(report, "in seconds", "%g<seconds:time> for %g<bytes:bytes>",
		ordo_wire_bound_seconds(bound, (double)bytes), (double)bytes);
	report_line(report, "status", "%s<status>: %s%s", statuses[bound->status].name,
		statuses[bound->status].meaning,
		bound->rounded ? "; bandwidths have too many digits and were rounded up" : "");
	report_obstacles(report, bound,
		problem->op == ORDO_ALLREDUCE && !topology->ports && !bound->rounded &&
			bound->status == ORDO_BOUND_NOT_PROVED);
	report_fraction(report, bound);
	report_members(report,
		"%d<entering?> %" PRIu64 "<crossing> %" PRIu64 "<parts> %" PRIu64 "<units>",
		bound->entering, bound->crossing, bound->parts, bound->units);
	report_proof_of(report, bound, topology->nrank);
}

bool find_least_time(struct call *call, const struct ordo_problem *problem,
	const struct ordo_topology *topology, struct ordo_wire_bound **bound)
{
	struct ordo_error error = {0};
	*bound = NULL;
	if (!topology || problem->nrank > MOST_RANKS || problem->nshard < problem->nrank)
		return true;
	*bound = ordo_wire_bound_make(problem->op, problem->root, topology, false, &error);
	return *bound || error.code == ORDO_USAGE || refuse_error(call, &error);
}

void report_least_time(const struct report *report, const struct ordo_wire_bound *bound,
	uint64_t bytes, const struct bound_ratios *schedule)
{
	char text[FRACTION_SIZE];
	if (!bound)
		return;
	const struct report object = report_object(report, "bound");
	const double seconds = ordo_wire_bound_seconds(bound, (double)bytes),
		     predicted = schedule->predicted, loads = schedule->loads;
	report_text(&object, "the wire takes at least %s", wire_bound_text(text, bound));
	report_fraction(&object, bound);
	report_members(&object, "%s<status>", statuses[bound->status].name);
	if (predicted > 0)
		report_text(&object, ": %g<seconds:time>", seconds);
	if (bound->status != ORDO_BOUND_REACHED)
		report_text(&object, " (%s%s)", statuses[bound->status].name,
			bound->rounded ? ", bandwidths rounded up" : "");
	if (loads > 0 && seconds > 0)
		report_text(&object, "; the busiest link takes %.3f<loads> times that",
			loads / seconds);
	if (predicted > 0 && seconds > 0)
		report_text(
			&object, ", the prediction is %.3g<ratio> times that", predicted / seconds);
	report_text(&object, "\n");
}
