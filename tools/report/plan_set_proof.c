/* plan_set_proof.c - reports the proof of a plan set. */
#include "plan_set_proof.h"
#include "proof.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/detail/accumulate.h>
#include <ordo/detail/compare.h>
#include <stdlib.h>
#include <string.h>

/* Limits of the text: leaves of a tree, changes, and parts of a change. */
enum { MOST_LEAVES = 32, MOST_CHANGES = 8, MOST_PARTS = 2 };

bool open_set_proof(struct call *call, struct set_proof *set_proof, const struct ordo_plan_set *set,
	const struct arithmetic *arithmetic)
{
	struct ordo_error error;
	*set_proof = (struct set_proof){.set = set,
		.arithmetic = *arithmetic,
		.forest = ordo_forest_create(&error),
		.proved = true};
	set_proof->ranges = calloc(set->nrange, sizeof *set_proof->ranges);
	const bool worked = (set_proof->forest && set_proof->ranges ? true : refuse_memory(call)) &&
			    can_check_guarantees(call, &set_proof->arithmetic, &set->problem);
	set_proof->any_order = ordo_operator_facts(set->problem.op)->reduces &&
			       (ordo_is_order_free(&set->problem) ||
				       ordo_is_associative(set_proof->arithmetic.type,
					       set_proof->arithmetic.reduction));
	return worked;
}

void close_set_proof(struct set_proof *set_proof)
{
	for (uint32_t i = 0; set_proof->ranges && i < set_proof->set->nrange; i++)
		if (ordo_plan_set_first(set_proof->set, i) == i)
			ordo_order_destroy(set_proof->ranges[i].order);
	free(set_proof->ranges);
	ordo_forest_destroy(set_proof->forest);
	ordo_arena_free(&set_proof->arena);
	*set_proof = (struct set_proof){0};
}

/* The findings of all ranges are in one list. */
static void report_findings(
	struct call *call, const struct ordo_schedule *schedule, const struct ordo_proof *proof)
{
	const struct report errors = report_of(call, stderr);
	struct report list = errors;
	list.json = cJSON_GetObjectItemCaseSensitive(call->answer, "findings");
	if (!list.json)
		list = report_list(&errors, "findings");
	for (uint32_t i = 0; i < proof->nfinding; i++) {
		struct ordo_error error;
		ordo_finding_error(schedule, &proof->findings[i], &error);
		const struct report one = report_item(&list);
		report_error(&one, &error);
		if (list.text)
			print_error(list.text, &error);
	}
}

bool prove_range(struct call *call, struct set_proof *set_proof, uint32_t range,
	const struct ordo_schedule *schedule, const struct ordo_verify_options *options)
{
	struct range_proof *range_proof = &set_proof->ranges[range];
	struct ordo_error error;
	struct ordo_proof *proof = prove(call, schedule, options);
	if (!proof)
		return false;
	bool worked = true;
	range_proof->proved = proof->proved;
	range_proof->algorithm = ordo_arena_text(
		&set_proof->arena, schedule->algorithm, strlen(schedule->algorithm));
	if (proof->proved) {
		range_proof->order = ordo_order_create(set_proof->forest, schedule, proof, &error);
		worked = range_proof->order ? true : refuse_error(call, &error);
	} else {
		report_findings(call, schedule, proof);
	}
	ordo_proof_destroy(proof);
	return worked && (range_proof->algorithm ? true : refuse_memory(call));
}

/* Digests exist if G1 and G2 hold; bit-interchangeable schedules have equal digests. */
static bool same_order(const struct range_proof *one, const struct range_proof *other)
{
	return one->order && other->order && one->order->digest[0] &&
	       !strcmp(one->order->digest, other->order->digest);
}

static enum ordo_verdict verdict_of(const struct ordo_order *order, int guarantee)
{
	return guarantee == 0	? order->rank_equal
	       : guarantee == 1 ? order->run_to_run
				: order->position_invariant;
}

/* The set has a guarantee only if each schedule has it. */
static enum ordo_verdict verdict_over_all(const struct set_proof *set_proof, int guarantee)
{
	for (uint32_t i = 0; !set_proof->any_order && i < set_proof->set->nrange; i++) {
		const struct ordo_order *order = set_proof->ranges[i].order;
		if (order && verdict_of(order, guarantee) != ORDO_HOLDS)
			return verdict_of(order, guarantee);
	}
	return set_proof->nunknown ? ORDO_NOT_ASKED : ORDO_HOLDS;
}

/* The next range from `i` on that has a schedule; nrange: there is none. */
static uint32_t next_known(const struct set_proof *set_proof, uint32_t i)
{
	while (i < set_proof->set->nrange && !set_proof->set->ranges[i].schedule)
		i++;
	return i;
}

/* Ranges of which each has another order than the one before. */
static uint32_t count_changes(const struct set_proof *set_proof)
{
	const uint32_t nrange = set_proof->set->nrange;
	uint32_t count = 0;
	for (uint32_t i = next_known(set_proof, 0), next; i < nrange; i = next) {
		next = next_known(set_proof, i + 1);
		count += next < nrange &&
			 !same_order(&set_proof->ranges[i], &set_proof->ranges[next]);
	}
	return count;
}

static bool adds(const struct set_proof *set_proof)
{
	return ordo_operator_facts(set_proof->set->problem.op)->reduces;
}

void conclude_set_proof(struct set_proof *set_proof)
{
	const uint32_t nrange = set_proof->set->nrange;
	for (uint32_t i = 0; i < nrange; i++) {
		set_proof->ranges[i] = set_proof->ranges[ordo_plan_set_first(set_proof->set, i)];
		if (set_proof->set->ranges[i].schedule)
			set_proof->proved &= set_proof->ranges[i].proved;
		else
			set_proof->nunknown++;
	}
	set_proof->nchange = set_proof->proved ? count_changes(set_proof) : 0;
	set_proof->constant =
		set_proof->proved && !set_proof->nunknown &&
		(set_proof->any_order ||
			(!set_proof->nchange && set_proof->ranges[0].order->digest[0]));
	for (int i = 0; i < 3; i++)
		set_proof->guarantees[i] =
			set_proof->proved ? verdict_over_all(set_proof, i) : ORDO_NOT_ASKED;
	if ((set_proof->guarantees[2] == ORDO_HOLDS && !set_proof->constant) ||
		(adds(set_proof) && set_proof->nchange && !set_proof->any_order))
		set_proof->guarantees[2] = ORDO_DOES_NOT_HOLD;
}

const char *sizes_text(char out[64], const struct ordo_plan_range *range)
{
	if (range->to_bytes == ORDO_ENDLESS)
		snprintf(out, 64, "%" PRIu64 "..", range->from_bytes);
	else
		snprintf(out, 64, "%" PRIu64 "..%" PRIu64, range->from_bytes, range->to_bytes);
	return out;
}

/* `dyadic`, `unnamed`, `4 orders`. */
static const char *order_text(
	char out[64], const struct set_proof *set_proof, const struct ordo_order *order)
{
	struct ordo_tree_name name;
	if (!order)
		return "refuted";
	if (!adds(set_proof))
		return "-";
	if (!order->nclass)
		return "not fixed";
	if (order->nclass > 1) {
		snprintf(out, 64, "%u orders", order->nclass);
		return out;
	}
	if (!ordo_forest_name(set_proof->forest, order->classes[0].tree, &name)) {
		set_incomplete();
		return "?";
	}
	ordo_tree_name_print(name, out, 64);
	return out;
}

/* The columns of a range without a schedule. */
static const char own_choice[] = "the library's", unknown[] = "unknown";

/* The width of a column. */
struct widths {
	int sizes, schedule, algorithm, order;
};

static void widen(int *width, const char *text)
{
	const int length = (int)strlen(text);
	*width = length > *width ? length : *width;
}

static struct widths find_widths(const struct set_proof *set_proof)
{
	struct widths widths = {5, 8, 9, 5};
	char text[64];
	for (uint32_t i = 0; i < set_proof->set->nrange; i++) {
		widen(&widths.sizes, sizes_text(text, &set_proof->set->ranges[i]));
		if (!set_proof->set->ranges[i].schedule) {
			widen(&widths.algorithm, own_choice);
			widen(&widths.order, unknown);
			continue;
		}
		widen(&widths.schedule, set_proof->set->ranges[i].schedule);
		widen(&widths.algorithm, set_proof->ranges[i].algorithm);
		widen(&widths.order, order_text(text, set_proof, set_proof->ranges[i].order));
	}
	return widths;
}

void add_sizes(cJSON *object, const struct ordo_plan_range *range)
{
	add_count(object, "from_bytes", range->from_bytes);
	if (range->to_bytes == ORDO_ENDLESS)
		add_text(object, "to_bytes", NULL);
	else
		add_count(object, "to_bytes", range->to_bytes);
}

static void report_cost(const struct report *range, const struct range_cost *cost)
{
	if (!cost)
		return;
	const struct report one = report_object(range, "cost_seconds");
	report_text(&one, "  %g<first:time>..%g<last:time>%s%s", cost->first, cost->last,
		cost->source ? ", " : "", cost->source ? cost->source : "");
	report_members(&one, "%s<source>", cost->source ? cost->source : "published");
}

static struct report report_range(const struct report *list, const struct set_proof *set_proof,
	uint32_t i, const struct widths *widths)
{
	const struct ordo_plan_range *range = &set_proof->set->ranges[i];
	const struct range_proof *range_proof = &set_proof->ranges[i];
	const char *digest = range_proof->order ? range_proof->order->digest : "";
	const struct report one = report_item(list);
	char sizes[64], order[64];
	add_sizes(one.json, range);
	if (!range->schedule) {
		add_text(one.json, "schedule", NULL);
		add_text(one.json, "algorithm", NULL);
		report_text(&one, "  %-*s  %-*s  %-*s  %-*s<order>", widths->sizes,
			sizes_text(sizes, range), widths->schedule, "-", widths->algorithm,
			own_choice, widths->order, unknown);
		add_truth(one.json, "proved", false);
		add_text(one.json, "order_digest", NULL);
		return one;
	}
	report_text(&one, "  %-*s  %-*s<schedule>  %-*s<algorithm>  %-*s<order>  %-32s",
		widths->sizes, sizes_text(sizes, range), widths->schedule, range->schedule,
		widths->algorithm, range_proof->algorithm, widths->order,
		order_text(order, set_proof, range_proof->order), digest);
	report_members(
		&one, "%d<proved?> %s<order_digest>", range_proof->proved, text_or_null(digest));
	return one;
}

void report_ranges(const struct report *report, const struct set_proof *set_proof,
	const struct range_cost *costs)
{
	const struct widths widths = find_widths(set_proof);
	const struct report list = report_list(report, "ranges");
	report_members(report, "%d<proved?>", set_proof->proved && !set_proof->nunknown);
	report_text(report, "  %-*s  %-*s  %-*s  %-*s  %s\n", widths.sizes, "bytes",
		widths.schedule, "schedule", widths.algorithm, "algorithm", widths.order, "order",
		costs ? "order digest                      cost" : "order digest");
	for (uint32_t i = 0; i < set_proof->set->nrange; i++) {
		const struct report one = report_range(&list, set_proof, i, &widths);
		report_cost(&one, costs ? &costs[i] : NULL);
		report_text(&one, "\n");
	}
}

/* A neighbouring pair of ranges whose orders differ. */
struct change {
	const struct ordo_plan_range *range[2];
	const struct ordo_order *order[2];
	struct ordo_comparison comparison;
};

static bool compare_ranges(struct call *call, const struct set_proof *set_proof, uint32_t before,
	uint32_t range, struct change *change)
{
	struct ordo_error error;
	*change = (struct change){
		.range = {&set_proof->set->ranges[before], &set_proof->set->ranges[range]},
		.order = {set_proof->ranges[before].order, set_proof->ranges[range].order}};
	/* Without a digest there is no single order to compare. */
	if (!change->order[0]->digest[0] || !change->order[1]->digest[0])
		return true;
	return ordo_compare(change->order[0], change->order[1], &change->comparison, &error)
		       ? true
		       : refuse_error(call, &error);
}

static const char *tree_text(struct set_proof *set_proof, uint32_t tree)
{
	struct ordo_tree_name name;
	char word[64];
	const char *text =
		ordo_forest_print(set_proof->forest, &set_proof->arena, tree, MOST_LEAVES);
	if (!text || !ordo_forest_name(set_proof->forest, tree, &name)) {
		set_incomplete();
		return "?";
	}
	if (name.kind == ORDO_UNNAMED)
		return text;
	ordo_tree_name_print(name, word, sizeof word);
	const char *named = ordo_arena_format(&set_proof->arena, "%s, %s,", text, word);
	if (!named)
		set_incomplete();
	return named ? named : "?";
}

static const char *position_text(char out[64], struct ordo_position at)
{
	if (at.whole == 1)
		snprintf(out, 64, "%" PRIu64, at.of);
	else
		snprintf(out, 64, "%" PRIu64 "/%" PRIu64, at.of, at.whole);
	return out;
}

/* Values of an input on which the results of both sides differ. */
static bool contradict(const struct set_proof *set_proof, const struct change *change,
	struct ordo_contradiction *contradiction, struct ordo_error *error)
{
	const struct ordo_vector_part *part = &change->comparison.parts[change->comparison.first];
	const struct ordo_element element[2] = {{0, part->chunk[0], 0}, {0, part->chunk[1], 0}};
	return ordo_contradict(set_proof->forest, set_proof->arithmetic.type,
		ordo_accumulator(&set_proof->set->problem, set_proof->arithmetic.type),
		set_proof->arithmetic.reduction, element, part->tree, contradiction, error);
}

static void report_input(const struct report *report, const struct set_proof *set_proof,
	const struct ordo_contradiction *found)
{
	const char *who =
		set_proof->set->problem.nshard == set_proof->set->problem.nrank ? "rank" : "shard";
	const uint32_t leaf[3] = {found->witness.a, found->witness.b, found->witness.c};
	const struct report input = report_object(report, "input"),
			    values = report_object(&input, "values"),
			    results = report_list(&input, "results");
	for (int i = 0; i < 3; i++) {
		char name[16];
		snprintf(name, sizeof name, "%" PRIu32, leaf[i]);
		add_number(values.json, name, found->value[i]);
	}
	report_text(&input,
		"      %s %.9g from %s %u, %.9g from %u, %.9g from %u, %.9g<rest> from all "
		"others: ",
		ordo_type_name(found->type), found->value[0], who, leaf[0], found->value[1],
		leaf[1], found->value[2], leaf[2], found->rest);
	report_text(&results, "%.9g<> and %.9g<>\n", found->result[0], found->result[1]);
}

static void report_part(const struct report *list, struct set_proof *set_proof,
	const struct change *change, const struct ordo_vector_part *part)
{
	const struct report one = report_item(list), trees = report_list(&one, "trees");
	char begin[64], end[64];
	position_text(begin, part->begin);
	position_text(end, part->end);
	report_text(&one, "      [%s<begin>, %s<end>) of the vector: ", begin, end);
	for (int side = 0; side < 2; side++) {
		const char *tree = ordo_forest_print(
			set_proof->forest, &set_proof->arena, part->tree[side], MOST_LEAVES);
		report_members(&trees, "%s<>", tree ? tree : "?");
		report_text(&one, "%*s%s by %s\n",
			side ? (int)(strlen(begin) + strlen(end)) + 26 : 0, "",
			tree_text(set_proof, part->tree[side]), change->range[side]->schedule);
	}
}

/* Text shows the first parts; --json has all. */
static void report_parts(const struct report *change_report, struct set_proof *set_proof,
	const struct change *change)
{
	const struct ordo_comparison *comparison = &change->comparison;
	struct report list = report_list(change_report, "differing");
	for (uint32_t i = 0, shown = 0; i < comparison->npart; i++) {
		if (comparison->parts[i].same)
			continue;
		if (shown++ == MOST_PARTS)
			list.text = NULL;
		report_part(&list, set_proof, change, &comparison->parts[i]);
	}
	if (comparison->ndiffering > MOST_PARTS)
		report_text(change_report, "      and %u further parts\n",
			comparison->ndiffering - MOST_PARTS);
}

static bool report_change(struct call *call, const struct report *list, struct set_proof *set_proof,
	uint32_t before, uint32_t range)
{
	struct change change;
	struct ordo_error error;
	struct ordo_contradiction found;
	const struct report one = report_item(list), schedules = report_list(&one, "schedules");
	if (!compare_ranges(call, set_proof, before, range, &change))
		return false;
	report_text(&one, "    at %" PRIu64 "<bytes> bytes", change.range[1]->from_bytes);
	report_text(&schedules, ", from %s<> to %s<>%s\n", change.range[0]->schedule,
		change.range[1]->schedule,
		change.comparison.npart ? "" : ": one of them has no single order");
	report_parts(&one, set_proof, &change);
	bool worked = true;
	if (change.comparison.ndiffering) {
		worked = contradict(set_proof, &change, &found, &error) ||
			 refuse_error(call, &error);
		if (worked)
			report_input(&one, set_proof, &found);
	}
	ordo_comparison_free(&change.comparison);
	return worked;
}

/* The first schedule without the guarantee. */
static const char *first_without(const struct set_proof *set_proof, int guarantee)
{
	for (uint32_t i = 0; i < set_proof->set->nrange; i++)
		if (set_proof->ranges[i].order &&
			verdict_of(set_proof->ranges[i].order, guarantee) == ORDO_DOES_NOT_HOLD)
			return set_proof->set->ranges[i].schedule;
	return NULL;
}

static void report_set_guarantees(const struct report *report, const struct set_proof *set_proof)
{
	static const char *const meanings[] = {
		"every rank's copy has the same bits, by every schedule",
		"no timing changes a bit, by any schedule",
		"one order for all positions and sizes"};
	for (int i = 0; i < 3; i++) {
		char title[32], why[320];
		const bool holds = set_proof->guarantees[i] == ORDO_HOLDS,
			   undecided = set_proof->guarantees[i] == ORDO_NOT_ASKED;
		const char *without = holds ? NULL : first_without(set_proof, i);
		snprintf(title, sizeof title, "%s %s", ordo_guarantee_name((enum ordo_guarantee)i),
			ordo_guarantee_title((enum ordo_guarantee)i));
		snprintf(why, sizeof why, "%s%.250s", without ? "not by the schedule " : "",
			without ? without : "the order changes with the size");
		report_line(report, title, "%s%s%s: %s",
			paint(report->text, holds ? GREEN : YELLOW),
			holds	    ? "holds"
			: undecided ? "undecided"
				    : "does not hold",
			paint(report->text, PLAIN),
			undecided	       ? "at some sizes the library chooses"
			: !holds	       ? why
			: set_proof->any_order ? "whatever the order, the bits are the same"
					       : meanings[i]);
	}
}

/* `constant`, `changes`, ..., and the rest of the line. */
static void report_order(const struct report *report, const struct set_proof *set_proof)
{
	const char *green = paint(report->text, GREEN), *yellow = paint(report->text, YELLOW),
		   *plain = paint(report->text, PLAIN);
	if (set_proof->any_order)
		report_line(report, "order", "%sany%s: for %s %s every order has the same bits",
			green, plain, ordo_type_name(set_proof->arithmetic.type),
			ordo_reduction_name(set_proof->arithmetic.reduction));
	else if (set_proof->constant)
		report_line(report, "order",
			"%sconstant%s over all sizes: no bit depends on the schedule that a size "
			"selects",
			green, plain);
	else if (set_proof->nchange)
		report_line(report, "order", "%schanges%s with the size, and so do bits:", yellow,
			plain);
	else if (set_proof->nunknown)
		report_line(report, "order",
			"%sundecided%s: the schedules of the set agree, but at some sizes the "
			"library chooses",
			yellow, plain);
	else
		report_line(report, "order", "not fixed");
}

static bool report_changes(
	struct call *call, const struct report *report, struct set_proof *set_proof)
{
	uint32_t shown = 0;
	struct report list = report_list(report, "changes");
	const bool changes = adds(set_proof) && !set_proof->any_order && !set_proof->constant;
	const uint32_t nrange = changes ? set_proof->set->nrange : 0;
	for (uint32_t i = next_known(set_proof, 0), next; i < nrange; i = next) {
		next = next_known(set_proof, i + 1);
		if (next >= nrange || same_order(&set_proof->ranges[i], &set_proof->ranges[next]))
			continue;
		if (shown++ == MOST_CHANGES)
			list.text = NULL;
		if ((list.text || list.json) && !report_change(call, &list, set_proof, i, next))
			return false;
	}
	if (shown > MOST_CHANGES)
		report_text(report, "    and at %u further sizes; --json has them all\n",
			shown - MOST_CHANGES);
	return true;
}

bool report_set_proof(struct call *call, const struct report *report, struct set_proof *set_proof)
{
	const char *const words[] = {
		"holds", "does not hold", set_proof->nunknown ? "undecided" : "not asked"};
	if (!set_proof->proved)
		return true;
	const struct report guarantees = report_object(report, "guarantees");
	for (int i = 0; i < 3; i++)
		add_text(guarantees.json, ordo_guarantee_name((enum ordo_guarantee)i),
			words[set_proof->guarantees[i]]);
	report_members(report, "%d<constant_order?> %u<ranges_without_schedule>",
		set_proof->constant, set_proof->nunknown);
	if (adds(set_proof)) {
		report_set_guarantees(report, set_proof);
		report_order(report, set_proof);
	} else {
		report_line(report, "G1 G2 G3",
			"not applicable: %s adds nothing, so its bits are the same at all sizes",
			ordo_operator_facts(set_proof->set->problem.op)->name);
	}
	return report_changes(call, report, set_proof);
}

/* The sizes at which the order changes: "16385, 1048577 and 3 more". */
static const char *changes_text(char out[160], const struct set_proof *set_proof)
{
	enum { MOST = 4 };
	size_t length = 0;
	uint32_t shown = 0;
	out[0] = 0;
	const uint32_t nrange = set_proof->set->nrange;
	for (uint32_t i = next_known(set_proof, 0), next; i < nrange; i = next) {
		next = next_known(set_proof, i + 1);
		if (next >= nrange || same_order(&set_proof->ranges[i], &set_proof->ranges[next]))
			continue;
		if (shown++ < MOST)
			length += (size_t)snprintf(out + length, 160 - length, "%s%" PRIu64,
				length ? ", " : "", set_proof->set->ranges[next].from_bytes);
	}
	if (shown > MOST)
		snprintf(out + length, 160 - length, " and %u more", shown - MOST);
	return out;
}

static bool fail_condition(struct call *call, const struct set_proof *set_proof, const char *wanted,
	const char *without)
{
	struct ordo_error error;
	char sizes[160];
	if (without)
		ordo_fail(&error, ORDO_REFUTED, 0, "%s is required, but does not hold of %.250s",
			wanted, without);
	else
		ordo_fail(&error, ORDO_REFUTED, 0,
			"%s is required, but the order changes at %s bytes", wanted,
			changes_text(sizes, set_proof));
	if (set_proof->set->file)
		snprintf(error.file, sizeof error.file, "%s", set_proof->set->file);
	return refuse_error(call, &error);
}

bool set_meets_conditions(
	struct call *call, const struct set_proof *set_proof, const struct conditions *conditions)
{
	bool met = true;
	if (!set_proof->proved)
		return refuse(call, ORDO_REFUTED);
	for (int i = 0; adds(set_proof) && i < 3; i++)
		if (conditions->guarantees >> i & 1 &&
			set_proof->guarantees[i] == ORDO_DOES_NOT_HOLD)
			met = fail_condition(call, set_proof,
				ordo_guarantee_name((enum ordo_guarantee)i),
				first_without(set_proof, i));
	if (adds(set_proof) && conditions->constant && !set_proof->constant &&
		(set_proof->nchange || !set_proof->nunknown))
		met = fail_condition(
			call, set_proof, "a constant order", first_without(set_proof, 1));
	return met && (!set_proof->nunknown || refuse(call, ORDO_UNDECIDED));
}
