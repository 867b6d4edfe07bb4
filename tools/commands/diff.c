/* diff.c - `ordo diff`: are schedules bit-interchangeable, and if not, which elements differ, and
 * for which input? */
#include "cli/inputs.h"
#include "cli/memory_limit.h"
#include "commands.h"
#include "report/guarantees.h"
#include "report/proof.h"
#include "view/dot/two_trees.h"
#include "view/pictures.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/detail/accumulate.h>
#include <ordo/detail/compare.h>
#include <ordo/detail/input.h>
#include <ordo/detail/schedules.h>
#include <ordo/divisor.h>
#include <stdlib.h>
#include <string.h>

/* Limits of the text: leaves of a tree, and differences. */
enum { MOST_LEAVES = 32, MOST_PARTS = 4 };

struct args {
	struct topology_choice topology;
	struct arithmetic arithmetic;
	const char *input;
	struct picture_options picture;
};

/* One of the schedules, proved. */
struct side {
	const char *file;
	struct ordo_schedule *schedule;
	struct ordo_proof *proof;
	struct ordo_order *order;
};

/* Two compared sides. */
struct pair {
	const struct side *side[2];
	struct ordo_forest *forest;
	struct ordo_comparison comparison;
	bool interchangeable; /* for the type and the reduction */
	/* for some text, so the list is incomplete */
	bool no_memory;
	struct ordo_contradiction contradiction; /* if is_contradicted */
	struct ordo_arena arena;
};

static bool open_side(struct call *call, struct args *args, const char *file,
	struct ordo_forest *forest, struct side *side)
{
	struct ordo_error error;
	const struct ordo_verify_options options = {0};
	side->file = file;
	side->schedule = open_schedule(call, file);
	const bool checked = side->schedule && can_check_guarantees(call, &args->arithmetic,
						       &side->schedule->problem);
	side->proof = checked ? prove(call, side->schedule, &options) : NULL;
	if (!side->proof)
		return false;
	side->order = ordo_order_create(forest, side->schedule, side->proof, &error);
	if (side->order)
		return true;
	if (!error.file[0])
		snprintf(error.file, sizeof error.file, "%s", file);
	return refuse_error(call, &error);
}

static void close_side(struct side *side)
{
	ordo_order_destroy(side->order);
	ordo_proof_destroy(side->proof);
	ordo_schedule_destroy(side->schedule);
	*side = (struct side){0};
}

static bool adds(const struct pair *pair)
{
	return ordo_operator_facts(pair->side[0]->schedule->problem.op)->reduces;
}

/* Is there an input whose sums differ? Operators without sums differ only in the source of data. */
static bool is_contradicted(const struct pair *pair)
{
	return adds(pair) && !pair->interchangeable;
}

/* The text, or "" and a flag that there is none. */
static const char *text_or_mark(struct pair *pair, const char *text)
{
	pair->no_memory |= !text;
	return text ? text : "";
}

static const char *tree_text(struct pair *pair, uint32_t tree)
{
	return text_or_mark(
		pair, adds(pair) ? ordo_forest_print(pair->forest, &pair->arena, tree, MOST_LEAVES)
				 : ordo_arena_format(&pair->arena, "what rank %u sends",
					   pair->forest->facts[tree].smallest));
}

/* With its name, if it has one. */
static const char *named_tree_text(struct pair *pair, uint32_t tree)
{
	struct ordo_tree_name name = {ORDO_UNNAMED, 0};
	char word[64];
	const char *text = tree_text(pair, tree);
	if (!adds(pair))
		return text;
	pair->no_memory |= !ordo_forest_name(pair->forest, tree, &name);
	if (name.kind == ORDO_UNNAMED)
		return text;
	ordo_tree_name_print(name, word, sizeof word);
	return text_or_mark(pair, ordo_arena_format(&pair->arena, "%s, %s,", text, word));
}

/* "3/8"; 0 and 1 are the ends. */
static const char *position_text(struct pair *pair, struct ordo_position at)
{
	return text_or_mark(pair, at.whole == 1 ? ordo_arena_format(&pair->arena, "%" PRIu64, at.of)
						: ordo_arena_format(&pair->arena,
							  "%" PRIu64 "/%" PRIu64, at.of, at.whole));
}

static void report_part(
	const struct report *list, struct pair *pair, const struct ordo_vector_part *part)
{
	const char *begin = position_text(pair, part->begin), *end = position_text(pair, part->end);
	const struct report one = report_item(list), trees = report_list(&one, "trees");
	char span[64];
	snprintf(span, sizeof span, "[%s, %s)", begin, end);
	report_members(&one, "%s<begin> %s<end>", begin, end);
	for (int i = 0; i < 2; i++) {
		report_members(&trees, "%s<>", tree_text(pair, part->tree[i]));
		report_line(&one, i ? "" : span, "%s by %s", named_tree_text(pair, part->tree[i]),
			pair->side[i]->file);
	}
}

/* Text shows the first parts; --json has all. */
static void report_parts(const struct report *report, struct pair *pair)
{
	const struct ordo_comparison *comparison = &pair->comparison;
	struct report list = report_list(report, "differing");
	if (comparison->ndiffering && comparison->ndiffering == comparison->npart)
		report_line(report, "elements that differ", "all of the vector");
	else if (comparison->ndiffering)
		report_line(report, "elements that differ", "%u of %u parts of the vector",
			comparison->ndiffering, comparison->npart);
	for (uint32_t i = 0, nth = 0; i < comparison->npart; i++) {
		if (comparison->parts[i].same)
			continue;
		if (nth++ == MOST_PARTS)
			list.text = NULL;
		report_part(&list, pair, &comparison->parts[i]);
	}
	if (comparison->ndiffering > MOST_PARTS)
		report_line(report, "", "and %u more; --json has them all",
			comparison->ndiffering - MOST_PARTS);
}

/* The smallest sum that only one of them makes. */
static bool report_node(struct call *call, const struct report *report, struct pair *pair)
{
	struct ordo_error error;
	struct ordo_witness witness;
	const struct ordo_vector_part *part = &pair->comparison.parts[pair->comparison.first];
	if (!adds(pair))
		return true;
	if (!ordo_tree_witness(pair->forest, part->tree[0], part->tree[1], &witness, &error))
		return refuse_error(call, &error);
	const struct report node = report_object(report, "node"),
			    trees = report_list(&node, "trees"),
			    leaves = report_list(&node, "leaves");
	report_line(&trees, "first node that differs", "%s<> by %s",
		tree_text(pair, witness.node[0]), pair->side[0]->file);
	report_line(&trees, "", "%s<> by %s, where %u and %u meet only after %u is added",
		tree_text(pair, witness.node[1]), pair->side[1]->file,
		witness.a < witness.b ? witness.a : witness.b,
		witness.a < witness.b ? witness.b : witness.a, witness.c);
	report_members(&leaves, "%u<> %u<> %u<>", witness.a, witness.b, witness.c);
	return true;
}

/* The first schedule's problem with chunks of one element, as many as each part of the comparison
 * needs to begin with a chunk of its own. */
static bool cut_finely(const struct pair *pair, struct ordo_problem *fine, struct ordo_error *error)
{
	const uint64_t nblock = ordo_nblock(&pair->side[0]->schedule->problem);
	const uint64_t one = pair->side[0]->order->nchunk, other = pair->side[1]->order->nchunk,
		       multiple = one / ordo_common_divisor(one, other) * other;
	*fine = pair->side[0]->schedule->problem;
	fine->in_place = false;
	if (multiple > ORDO_LIMIT)
		return ordo_fail(error, ORDO_UNDECIDED, 0,
			"the shortest vector on which both cut alike has %" PRIu64
			" elements, wanted at most %u",
			multiple, ORDO_LIMIT);
	fine->chunks_per_block = (uint32_t)(multiple / nblock);
	return true;
}

/* An input for which an element of the first differing part has two values. */
static bool contradict(struct call *call, struct pair *pair, const struct args *args)
{
	struct ordo_error error;
	const struct ordo_element anywhere[2] = {{0, 0, 0}};
	const bool found = ordo_contradict(pair->forest, args->arithmetic.type,
		ordo_accumulator(&pair->side[0]->schedule->problem, args->arithmetic.type),
		args->arithmetic.reduction, anywhere,
		pair->comparison.parts[pair->comparison.first].tree, &pair->contradiction, &error);
	return found ? true : refuse_error(call, &error);
}

/* The element is the first of that part. */
static bool write_input(struct call *call, struct pair *pair, const struct args *args)
{
	struct ordo_error error;
	struct ordo_problem fine;
	const struct ordo_vector_part *part = &pair->comparison.parts[pair->comparison.first];
	struct ordo_element element = {0, 0, 0};
	if (!cut_finely(pair, &fine, &error))
		return refuse_error(call, &error);
	element.chunk = (uint32_t)(part->begin.of * (ordo_nchunk(&fine) / part->begin.whole));
	while (ordo_output_slot(&fine, element.rank, element.chunk) == ORDO_NONE)
		element.rank++;
	pair->contradiction.element[0] = pair->contradiction.element[1] = element;
	struct ordo_input *input = ordo_input_contradicting(&fine, &pair->contradiction, &error);
	if (input)
		input->nelement = 1; /* both are the same element, in two schedules */
	const bool written = input && ordo_input_write(input, args->input, &error);
	ordo_input_destroy(input);
	return written ? true : refuse_error(call, &error);
}

static void report_input(
	const struct report *report, const struct pair *pair, const struct args *args)
{
	const struct ordo_contradiction *contradiction = &pair->contradiction;
	const struct report input = report_object(report, "input"),
			    results = report_list(&input, "results");
	report_label(&input, "an input that shows it");
	report_shard_values(&input, contradiction);
	for (int i = 0; i < 2; i++) {
		const struct report one = report_item(&results);
		char number[32];
		report_text(&one, "%s%s by %s", i ? ", " : ": ",
			real_text(number, contradiction->result[i]), pair->side[i]->file);
		report_members(&one, "%a<value> %0*" PRIx64 "<bits>", contradiction->result[i],
			2 * (int)ordo_type_size(contradiction->type), contradiction->bits[i]);
	}
	report_text(&input, "\n");
	if (args->input)
		report_line(&input, "input written", "%s<file>, for `ordo run %s --input %s`",
			args->input, pair->side[0]->file, args->input);
}

static bool report_guarantee(struct call *call, const struct report *report, struct pair *pair,
	enum ordo_guarantee guarantee)
{
	const struct ordo_pair_judgement judgement =
		ordo_judge_pair(guarantee, pair->side[0]->schedule, pair->side[1]->schedule,
			pair->interchangeable, &pair->arena);
	char title[32];
	if (!judgement.why)
		return refuse_memory(call);
	const bool asked =
		judgement.verdict == ORDO_HOLDS || judgement.verdict == ORDO_DOES_NOT_HOLD;
	const struct report one = report_object(report, ordo_guarantee_name(guarantee));
	snprintf(title, sizeof title, "%s %s", ordo_guarantee_name(guarantee),
		ordo_guarantee_title(guarantee));
	report_line(&one, title, "%s%s<verdict>%s%s: %s<why>",
		paint(one.text, verdict_colour(judgement.verdict)), verdict_text(judgement.verdict),
		paint(one.text, PLAIN), asked ? " between these two" : "", judgement.why);
	return true;
}

static void report_digests(const struct report *report, struct pair *pair)
{
	const char *first = pair->side[0]->proof->digest, *second = pair->side[1]->proof->digest;
	const bool same = !strcmp(first, second);
	report_members(report, "%s<order_digest>", second);
	report_line(
		report, "order digest", "%s%s%s", first, same ? "" : " and ", same ? "" : second);
}

/* Orders that agree block by block, with blocks cut at multiples of an alignment, each from its own
 * beginning: see compare.h. */
static bool depends_on_alignment(const struct pair *pair)
{
	const struct ordo_problem *a = &pair->side[0]->schedule->problem,
				  *b = &pair->side[1]->schedule->problem;
	return pair->interchangeable && !pair->comparison.ndiffering &&
	       pair->comparison.npart > 1 && a->op == ORDO_REDUCESCATTER && a->nrank != b->nrank;
}

/* Why the bits are equal anyway, or the limits of the comparison. */
static void report_reservations(
	const struct report *report, struct pair *pair, const struct args *args)
{
	const struct ordo_problem *a = &pair->side[0]->schedule->problem,
				  *b = &pair->side[1]->schedule->problem;
	const bool same = !pair->comparison.ndiffering;
	if (!adds(pair))
		report_line(report, "orders",
			"nothing is added: data arrives with the bits it was sent with");
	else if (pair->interchangeable && !same)
		report_line(report, "orders",
			"differ in %u of %u parts of the vector, but for %s %s every order has the "
			"same bits",
			pair->comparison.ndiffering, pair->comparison.npart,
			ordo_type_name(args->arithmetic.type),
			ordo_reduction_name(args->arithmetic.reduction));
	else if (same)
		report_line(report, "orders", "the same");
	if (depends_on_alignment(pair)) {
		report_members(report, "%d<depends_on_alignment?>", true);
		report_line(report, "alignment",
			"with an alignment above 1, the bits are the same if blocks are multiples "
			"of it");
	}
	if (ordo_operator_facts(a->op)->rooted && ordo_operator_facts(a->op)->reduces &&
		a->root != b->root)
		report_line(report, "root", "the result is on rank %u by %s, on rank %u by %s",
			a->root, pair->side[0]->file, b->root, pair->side[1]->file);
}

/* Ways over switches decide times, not bits. */
static void report_ways(const struct report *report, const struct pair *pair)
{
	const struct ordo_schedule *a = pair->side[0]->schedule, *b = pair->side[1]->schedule;
	if (!a->vias && !b->vias)
		return;
	bool same = a->nstream == b->nstream;
	for (uint32_t s = 0; same && s < a->nstream; s++)
		same = ordo_via_same(ordo_via_of(a, s), ordo_via_of(b, s));
	report_members(report, "%d<same_ways?>", same);
	const uint32_t ina = ordo_count_vias(a), inb = ordo_count_vias(b);
	report_line(report, "via",
		same ? "the same switches"
		     : "%u stream%s of the one and %u of the other name switches; no bit depends "
		       "on "
		       "them",
		ina, plural(ina), inb);
}

static bool report_pair(
	struct call *call, const struct report *report, struct pair *pair, const struct args *args)
{
	const bool same = pair->interchangeable;
	const struct report text = {.text = report->text};
	report_text(report, "%s and %s<file>: %s%s%s\n", pair->side[0]->file, pair->side[1]->file,
		paint(report->text, same ? GREEN : YELLOW),
		same ? "bit-interchangeable" : "different", paint(report->text, PLAIN));
	for (int i = 0; i < 2; i++) {
		report_text(&text, "  ");
		report_schedule(&text, pair->side[i]->schedule);
	}
	report_members(report, "%d<interchangeable?> %d<same_orders?>", same,
		!pair->comparison.ndiffering);
	report_digests(report, pair);
	report_reservations(report, pair, args);
	report_ways(report, pair);
	if (!same)
		report_parts(report, pair);
	if (args->input && !is_contradicted(pair))
		note(call, "%s is not written: %s", args->input,
			same ? "there is no input on which they differ"
			     : "nothing is added; any data shows it");
	if (!same && !report_node(call, report, pair))
		return false;
	if (is_contradicted(pair))
		report_input(report, pair, args);
	return report_guarantee(call, report, pair, ORDO_G4) &&
	       report_guarantee(call, report, pair, ORDO_G5);
}

/* false: call->status; true also if they differ. */
static bool compare_sides(struct call *call, const struct args *args, struct pair *pair)
{
	struct ordo_error error;
	const struct side *first = pair->side[0], *second = pair->side[1];
	if (!ordo_compare(first->order, second->order, &pair->comparison, &error)) {
		char text[sizeof error.text];
		snprintf(text, sizeof text, "%s and %s: %.1500s", first->file, second->file,
			error.text);
		memcpy(error.text, text, sizeof text);
		return refuse_error(call, &error);
	}
	pair->interchangeable = !pair->comparison.ndiffering ||
				(adds(pair) && ordo_is_associative(args->arithmetic.type,
						       args->arithmetic.reduction));
	return !is_contradicted(pair) ||
	       (contradict(call, pair, args) && (!args->input || write_input(call, pair, args)));
}

/* Reads, proves, compares and writes everything before it reports anything. */
struct assembly {
	struct ordo_forest *forest;
	size_t count;	    /* of all schedules */
	struct side *sides; /* [count] */
	struct pair *pairs; /* [count]: the comparison of each with the first; [0] is unused */
};

static bool assemble(struct call *call, struct args *args, struct assembly *assembly)
{
	struct ordo_error error;
	assembly->count = call->noperand;
	assembly->forest = ordo_forest_create(&error);
	assembly->sides = calloc(assembly->count, sizeof *assembly->sides);
	assembly->pairs = calloc(assembly->count, sizeof *assembly->pairs);
	if (!assembly->forest || !assembly->sides || !assembly->pairs) {
		ordo_fail_memory(&error);
		return refuse_error(call, &error);
	}
	for (size_t i = 0; i < assembly->count; i++) {
		if (!open_side(
			    call, args, call->operands[i], assembly->forest, &assembly->sides[i]))
			return false;
		assembly->pairs[i].forest = assembly->forest;
		assembly->pairs[i].side[0] = &assembly->sides[0];
		assembly->pairs[i].side[1] = &assembly->sides[i];
	}
	return took_topology(call);
}

static void dismiss(struct assembly *assembly)
{
	for (size_t i = 0; assembly->sides && assembly->pairs && i < assembly->count; i++) {
		ordo_comparison_free(&assembly->pairs[i].comparison);
		ordo_arena_free(&assembly->pairs[i].arena);
		close_side(&assembly->sides[i]);
	}
	free(assembly->pairs);
	free(assembly->sides);
	ordo_forest_destroy(assembly->forest);
}

static bool report_pairs(
	struct call *call, const struct args *args, const struct assembly *assembly)
{
	const struct report report = report_of(call, stdout),
			    list = report_list(&report, "comparisons");
	bool no_memory = false;
	report_members(&report, "%s<first> %s<order_digest>", assembly->sides[0].file,
		assembly->sides[0].proof->digest);
	for (size_t i = 1; i < assembly->count; i++) {
		const struct report one = report_item(&list);
		if (!report_pair(call, &one, &assembly->pairs[i], args))
			return false;
		no_memory |= assembly->pairs[i].no_memory;
	}
	return no_memory ? refuse_memory(call) : true;
}

/* The trees of the first differing part. */
static bool write_picture(struct call *call, const void *closure, FILE *out)
{
	const struct pair *pair = closure;
	const struct two_trees two = {.forest = pair->forest,
		.contradiction = &pair->contradiction,
		.title = {pair->side[0]->file, pair->side[1]->file},
		.max_leaves = MOST_LEAVES};
	return draw_two_trees(call, &two, out);
}

static bool draw_pair(struct call *call, const struct args *args, const struct pair *pair)
{
	if (is_contradicted(pair))
		return deliver_picture(call, &args->picture, !strcmp(args->picture.as, "dot"),
			write_picture, pair);
	note(call, "nothing is drawn: %s",
		pair->interchangeable ? "no two trees differ in a bit" : "nothing is added");
	return true;
}

static int compare_all(struct call *call, struct args *args)
{
	struct assembly assembly = {0};
	size_t nsame = 0;
	bool worked = assemble(call, args, &assembly);
	for (size_t i = 1; worked && i < assembly.count; i++) {
		worked = compare_sides(call, args, &assembly.pairs[i]);
		nsame += assembly.pairs[i].interchangeable;
	}
	worked = worked && (args->picture.as ? draw_pair(call, args, &assembly.pairs[1])
					     : report_pairs(call, args, &assembly));
	dismiss(&assembly);
	if (!worked)
		return call->status;
	if (call->noperand > 2)
		say(call, "%zu of %zu are bit-interchangeable with %s\n", nsame, call->noperand - 1,
			call->operands[0]);
	return nsame == call->noperand - 1 ? ORDO_OK : ORDO_REFUTED;
}

static bool read_args(struct call *call, struct args *args)
{
	size_t nstdin = 0;
	for (size_t i = 0; i < call->noperand; i++)
		nstdin += !strcmp(call->operands[i], "-");
	if (call->noperand < 2)
		return refuse_usage(call, NULL, "wanted two schedules or more, found %s",
			call->noperand ? call->operands[0] : "none");
	if (nstdin > 1)
		return refuse_usage(call, NULL, "only one schedule can come through stdin");
	if (args->input && call->noperand > 2)
		return refuse_usage(call, NULL, "--write-input: wanted two schedules, found %zu",
			call->noperand);
	if ((args->picture.as || args->picture.output) && call->noperand > 2)
		return refuse_usage(
			call, NULL, "a picture needs two schedules, found %zu", call->noperand);
	return choose_picture_form(call, &args->picture) &&
	       read_arithmetic(call, &args->arithmetic);
}

static int diff(struct call *call)
{
	struct args args = {0};
	const struct option options[] = {
		TOPOLOGY_OPTIONS(args.topology),
		ARITHMETIC_OPTIONS(args.arithmetic),
		{"write-input", 0, WRITTEN, &args.input, "FILE",
			"an input on which the two differ, for `ordo run --input FILE`"},
		{"as", 0, TEXT, &args.picture.as, "dot|svg|png|pdf",
			"draw the first two trees that differ, in this format (by the ending of "
			"OUT)"},
		{"output", 'o', WRITTEN, &args.picture.output, "OUT",
			"where to write a picture (stdout)"},
		MEMORY_LIMIT_OPTION,
	};
	const int status = READ_OPTIONS(call, options) && read_args(call, &args)
				   ? compare_all(call, &args)
				   : call->status;
	free_topology_choice(&args.topology);
	return status;
}

const struct command diff_command = {
	.name = "diff",
	.summary = "checks whether schedules are bit-interchangeable, and shows where they differ",
	.usage = "FILE FILE... [OPTION]...",
	.examples = "  ordo diff ring.json dyadic.json\n"
		    "  ordo diff ring.json dyadic.json --write-input input.json\n"
		    "  ordo diff ring.json dyadic.json -o two-trees.svg\n"
		    "  ordo diff birs.json dyadic.json around.json --type i32\n"
		    "  ordo diff ring.json moves.json --topology cluster.json\n"
		    "  ordo diff ring.json around.json --json",
	.reads = true,
	.run = diff,
};
