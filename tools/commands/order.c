/* order.c - `ordo order`: the order of every sum. */
#include "choose/order_table.h"
#include "cli/inputs.h"
#include "cli/memory_limit.h"
#include "commands.h"
#include "report/proof.h"
#include "view/dot/drawings.h"
#include "view/dot/two_trees.h"
#include "view/pictures.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/detail/accumulate.h>
#include <stdlib.h>
#include <string.h>

struct args {
	const char *file;
	struct picture_options picture;
	struct texts chunks;
	const char *why; /* the name of a guarantee */
	struct arithmetic arithmetic;
	uint32_t max_leaves, max_orders;
	bool table;
	struct order_table_options matrix;
	struct topology_choice topology;
};

/* One proved schedule, with the names of its trees. */
struct subject {
	struct ordo_schedule *schedule;
	struct ordo_proof *proof;
	struct ordo_forest *forest;
	struct ordo_order *order;
	struct ordo_arena arena;
};

/* A refuted schedule has no order: reports the first broken rule, and whether there are others. */
static bool refuse_unsound(struct call *call, const struct subject *subject)
{
	struct ordo_error error;
	char text[sizeof error.text];
	ordo_finding_error(subject->schedule, &subject->proof->findings[0], &error);
	snprintf(text, sizeof text,
		"the schedule is not sound, so its sums have no defined order: %.1800s",
		error.text);
	memcpy(error.text, text, sizeof text);
	return refuse_error(call, &error);
}

static bool open_subject(struct call *call, struct args *args, struct subject *subject)
{
	struct ordo_error error;
	const struct ordo_verify_options options = {0};
	*subject = (struct subject){.schedule = open_compiled(call, args->file)};
	const bool checked = subject->schedule && can_check_guarantees(call, &args->arithmetic,
							  &subject->schedule->problem);
	subject->proof = checked ? prove(call, subject->schedule, &options) : NULL;
	if (!subject->proof)
		return false;
	if (!subject->proof->proved)
		return refuse_unsound(call, subject);
	subject->forest = ordo_forest_create(&error);
	if (subject->forest)
		subject->order = ordo_order_create(
			subject->forest, subject->schedule, subject->proof, &error);
	return subject->order ? true : refuse_error(call, &error);
}

static void close_subject(struct subject *subject)
{
	ordo_order_destroy(subject->order);
	ordo_forest_destroy(subject->forest);
	ordo_proof_destroy(subject->proof);
	ordo_schedule_destroy(subject->schedule);
	ordo_arena_free(&subject->arena);
}

/* Does some rank's copy of the chunk have a tree of the class? *copy advances with the chunks. */
static bool has_class(
	const struct ordo_order *order, uint32_t chunk, uint32_t class, uint32_t *copy)
{
	const struct ordo_trees *trees = &order->forest->trees;
	const uint32_t wanted = ordo_same_tree(trees, order->classes[class].tree);
	bool found = order->chunk_class[chunk] == class;
	for (; *copy < order->ncopy && order->copies[*copy].chunk <= chunk; ++*copy)
		found |= order->copies[*copy].chunk == chunk &&
			 ordo_same_tree(trees, order->copies[*copy].tree) == wanted;
	return found;
}

/* "0-3, 8": the first intervals of chunks of which some copy has the class's tree. NULL: no
 * memory. */
static const char *list_chunks(struct subject *subject, uint32_t class)
{
	enum { MOST_STRETCHES = 4 };
	const struct ordo_order *order = subject->order;
	char text[128] = "";
	size_t length = 0;
	uint32_t copy = 0, nstretch = 0, first = ORDO_NONE;
	for (uint32_t chunk = order->classes[class].first_chunk; chunk <= order->nchunk; chunk++) {
		if (chunk < order->nchunk && has_class(order, chunk, class, &copy)) {
			first = first == ORDO_NONE ? chunk : first;
			continue;
		}
		if (first == ORDO_NONE)
			continue;
		if (nstretch++ == MOST_STRETCHES) {
			snprintf(text + length, sizeof text - length, ", ...");
			break;
		}
		length += (size_t)snprintf(text + length, sizeof text - length,
			first + 1 == chunk ? "%s%" PRIu32 : "%s%" PRIu32 "-%" PRIu32,
			length ? ", " : "", first, chunk - 1);
		first = ORDO_NONE;
	}
	return ordo_arena_text(&subject->arena, text, strlen(text));
}

/* The description of one class. */
struct portrait {
	const char *tree, *name, *chunks;
	struct ordo_tree_facts facts;
	double bound;
	enum ordo_type accumulator;
};

static bool portray(struct call *call, const struct args *args, struct subject *subject,
	uint32_t class, struct portrait *portrait)
{
	const uint32_t tree = subject->order->classes[class].tree;
	struct ordo_tree_name name;
	char word[64];
	if (!ordo_forest_name(subject->forest, tree, &name))
		return refuse_memory(call);
	ordo_tree_name_print(name, word, sizeof word);
	*portrait = (struct portrait){
		.tree = ordo_forest_print(subject->forest, &subject->arena, tree, args->max_leaves),
		.name = ordo_arena_text(&subject->arena, word, strlen(word)),
		.chunks = list_chunks(subject, class),
		.facts = subject->forest->facts[tree]};
	portrait->accumulator = ordo_accumulator(&subject->order->problem, args->arithmetic.type);
	portrait->bound = ordo_error_bound(args->arithmetic.type, portrait->accumulator,
		args->arithmetic.reduction, &portrait->facts);
	return portrait->tree && portrait->name && portrait->chunks ? true : refuse_memory(call);
}

static void report_rounding(
	const struct report *order, const struct args *args, const struct portrait *portrait)
{
	const struct arithmetic *arithmetic = &args->arithmetic;
	const char *type = ordo_type_name(arithmetic->type),
		   *reduction = ordo_reduction_name(arithmetic->reduction);
	report_label(order, "");
	const bool order_free = ordo_type_facts(portrait->accumulator)->kind == ORDO_STATE;
	if (order_free)
		report_text(order, "or any other: %u contributions, rounded once, to %s",
			portrait->facts.leaves, type);
	else
		report_text(order, "depth %u, %u rounding%s", portrait->facts.depth,
			portrait->facts.leaves - 1, plural(portrait->facts.leaves - 1));
	report_members(order, "%u<depth> %u<roundings>", portrait->facts.depth,
		order_free ? 1 : portrait->facts.leaves - 1);
	if (!order_free && portrait->accumulator != arithmetic->type)
		report_text(
			order, " to %s and one to %s", ordo_type_name(portrait->accumulator), type);
	if (ordo_is_associative(arithmetic->type, arithmetic->reduction))
		report_text(order, "; %s %s: nothing is rounded\n", type, reduction);
	else
		report_text(order, "; %s %s: error at most %.3g of the %s\n", type, reduction,
			portrait->bound,
			arithmetic->reduction == ORDO_PROD  ? "product"
			: arithmetic->reduction == ORDO_AVG ? "average of absolute values"
							    : "sum of absolute values");
}

static void report_portrait(const struct report *order, const struct args *args,
	const struct subject *subject, uint32_t class, const struct portrait *portrait)
{
	const struct ordo_class *one = &subject->order->classes[class];
	const uint32_t nchunk = subject->order->nchunk, nrank = subject->order->problem.nrank;
	char title[32];
	snprintf(title, sizeof title, "order %" PRIu32, class);
	report_line(order, title, "%s%s%s", paint(order->text, BOLD), portrait->name,
		paint(order->text, PLAIN));
	report_line(order, "", "%s<tree>", portrait->tree);
	add_text(order->json, "name",
		strcmp(portrait->name, "unnamed") != 0 ? portrait->name : NULL);
	report_label(order, "");
	report_text(order, "%u<chunks> of %u chunk%s (%s) on %u<ranks> of %u rank%s", one->nchunk,
		nchunk, plural(nchunk), portrait->chunks, one->nrank, nrank, plural(nrank));
	if (one->nidentical > 1)
		report_text(order, ", operands in %u different orders", one->nidentical);
	report_text(order, "\n");
	report_members(order, "%u<first_chunk> %" PRIu64 "<copies> %u<operand_orders> %u<leaves>",
		one->first_chunk, one->ncopy, one->nidentical, portrait->facts.leaves);
	report_rounding(order, args, portrait);
	report_members(order, "%g<relative_error>", portrait->bound);
}

/* Text shows the first few; --json has all. */
static bool report_classes(struct call *call, const struct report *report, const struct args *args,
	struct subject *subject)
{
	const struct ordo_order *order = subject->order;
	const struct report list = report_list(report, "orders");
	for (uint32_t class = 0; class < order->nclass; class ++) {
		struct portrait portrait;
		if (!call->json && class == args->max_orders)
			break;
		if (!portray(call, args, subject, class, &portrait))
			return false;
		const struct report one = report_item(&list);
		report_portrait(&one, args, subject, class, &portrait);
	}
	if (order->nclass > args->max_orders)
		report_line(report, "", "and %u more; --max-orders %u shows all",
			order->nclass - args->max_orders, order->nclass);
	return true;
}

static bool check_order(struct call *call, const struct report *report, const struct args *args,
	const struct subject *subject)
{
	struct guarantee_verdicts verdicts;
	const bool checked = check_guarantees(call, &args->arithmetic, &subject->order->problem,
		subject->proof, subject->order, &verdicts);
	if (checked)
		report_verdicts(report, &verdicts);
	free_guarantee_verdicts(&verdicts);
	return checked;
}

static bool report_orders(struct call *call, const struct args *args, struct subject *subject)
{
	const struct ordo_order *order = subject->order;
	const struct ordo_operator_facts *facts = ordo_operator_facts(order->problem.op);
	const struct report report = report_of(call, stdout);
	const char *digest = text_or_null(order->digest);
	report_text(&report, "%s: ", args->file);
	report_schedule(&report, subject->schedule);
	if (facts->reduces)
		report_line(&report, "orders", "%u%s over %u chunk%s", order->nclass,
			order->nclass == 1 ? "" : " different", order->nchunk,
			plural(order->nchunk));
	else
		report_line(&report, "orders", "none: %s adds nothing", facts->name);
	if ((facts->reduces && !report_classes(call, &report, args, subject)) ||
		!check_order(call, &report, args, subject))
		return false;
	report_line(
		&report, "order digest", "%s", digest ? digest : "none: the ranks' copies differ");
	report_members(&report, "%s<order_digest>", digest);
	return true;
}

struct copies {
	struct ordo_copy *copies;
	uint32_t count;
	size_t room;
};

static bool add_copy(
	struct copies *copies, const struct ordo_order *order, uint32_t chunk, uint32_t rank)
{
	if (!ordo_array_reserve(&copies->copies, &copies->room, (size_t)copies->count + 1,
		    sizeof *copies->copies))
		return false;
	copies->copies[copies->count++] =
		(struct ordo_copy){chunk, rank, ordo_order_tree(order, chunk, rank)};
	return true;
}

/* The chunk's copies on the selected ranks, or the first copy if no rank was selected. */
static bool add_copies_of(struct copies *copies, const struct ordo_order *order, uint32_t chunk,
	const uint32_t *ranks, uint32_t nrank)
{
	uint32_t first, end;
	bool worked = true;
	ordo_chunk_holders(&order->problem, chunk, &first, &end);
	if (!ranks)
		return add_copy(copies, order, chunk, first);
	for (uint32_t i = 0; worked && i < nrank; i++)
		if (ranks[i] >= first && ranks[i] < end)
			worked = add_copy(copies, order, chunk, ranks[i]);
	return worked;
}

/* false: call->status. */
static bool find_copies(struct call *call, const struct args *args, const struct ordo_order *order,
	struct copies *copies)
{
	uint32_t nrank = 0, nchunk, *ranks = NULL;
	uint32_t *chunks = read_numbers(call, "chunks", &args->chunks, order->nchunk, &nchunk);
	const struct texts *wanted = &args->matrix.ranks;
	if (chunks && wanted->count)
		ranks = read_numbers(call, "ranks", wanted, order->problem.nrank, &nrank);
	bool worked = chunks && (ranks || !wanted->count), memory = true;
	for (uint32_t i = 0; worked && memory && i < nchunk; i++)
		memory = add_copies_of(copies, order, chunks[i], ranks, nrank);
	free(chunks);
	free(ranks);
	if (!memory)
		return refuse_memory(call);
	if (worked && !copies->count)
		return refuse_usage(
			call, NULL, "--ranks: none of these ranks has one of these chunks");
	return worked;
}

/* "chunk 3 on rank 1: dyadic, depth 3". NULL: call->status. */
static const char *title_copy(
	struct call *call, struct subject *subject, const struct ordo_copy *copy)
{
	struct ordo_tree_name name;
	char word[64];
	if (!ordo_forest_name(subject->forest, copy->tree, &name)) {
		refuse_memory(call);
		return NULL;
	}
	ordo_tree_name_print(name, word, sizeof word);
	const char *title = ordo_arena_format(&subject->arena,
		"chunk %" PRIu32 " on rank %" PRIu32 ": %s, depth %" PRIu32, copy->chunk,
		copy->rank, word, subject->forest->facts[copy->tree].depth);
	if (!title)
		refuse_memory(call);
	return title;
}

static bool report_copies(struct call *call, const struct args *args, struct subject *subject)
{
	struct copies copies = {.copies = NULL};
	bool worked = find_copies(call, args, subject->order, &copies);
	const struct report report = report_of(call, stdout), list = report_list(&report, "copies");
	for (uint32_t i = 0; worked && i < copies.count; i++) {
		const struct ordo_copy *copy = &copies.copies[i];
		const char *title = title_copy(call, subject, copy);
		const char *tree = ordo_forest_print(
			subject->forest, &subject->arena, copy->tree, args->max_leaves);
		worked = title && (tree || refuse_memory(call));
		if (!worked)
			break;
		const struct report one = report_item(&list);
		report_members(&one, "%u<chunk> %u<rank>", copy->chunk, copy->rank);
		report_text(&one, "%s\n  %s<tree>\n", title, tree);
	}
	free(copies.copies);
	return worked;
}

static bool draw_trees(struct call *call, const struct args *args, const struct subject *subject,
	const struct titled_tree *trees, uint32_t ntree, FILE *out)
{
	struct ordo_error error;
	const struct order_picture picture = {
		.trees = trees, .ntree = ntree, .max_leaves = args->max_leaves};
	return draw_order(out, subject->forest, &picture, &error) || refuse_error(call, &error);
}

static bool draw_copies(
	struct call *call, const struct args *args, struct subject *subject, FILE *out)
{
	struct copies copies = {.copies = NULL};
	bool worked = find_copies(call, args, subject->order, &copies);
	struct titled_tree *trees = calloc((size_t)copies.count + 1, sizeof *trees);
	if (worked && !trees)
		worked = refuse_memory(call);
	for (uint32_t i = 0; worked && i < copies.count; i++) {
		trees[i] = (struct titled_tree){copies.copies[i].tree,
			title_copy(call, subject, &copies.copies[i]), ORDO_NONE, {0}};
		worked = trees[i].title;
	}
	worked = worked && draw_trees(call, args, subject, trees, copies.count, out);
	free(trees);
	free(copies.copies);
	return worked;
}

static bool draw_classes(
	struct call *call, const struct args *args, struct subject *subject, FILE *out)
{
	const struct ordo_order *order = subject->order;
	const uint32_t ntree = order->nclass < args->max_orders ? order->nclass : args->max_orders;
	struct titled_tree *trees = calloc((size_t)ntree + 1, sizeof *trees);
	bool worked = trees ? true : refuse_memory(call);
	for (uint32_t class = 0; worked && class < ntree; class ++) {
		struct portrait portrait;
		if (!(worked = portray(call, args, subject, class, &portrait)))
			break;
		const struct ordo_class *one = &order->classes[class];
		trees[class].tree = one->tree;
		trees[class].red = ORDO_NONE;
		trees[class].title = ordo_arena_format(&subject->arena,
			"%s: %" PRIu32 " of %" PRIu32 " chunk%s (%s), depth %" PRIu32 "%s",
			portrait.name, one->nchunk, order->nchunk, plural(order->nchunk),
			portrait.chunks, portrait.facts.depth,
			portrait.facts.leaves > args->max_leaves ? "; dashed: so many leaves" : "");
		worked = trees[class].title ? true : refuse_memory(call);
	}
	worked = worked && draw_trees(call, args, subject, trees, ntree, out);
	free(trees);
	if (worked && ntree < order->nclass)
		note(call, "drawn: %" PRIu32 " of %" PRIu32 " orders; --max-orders draws more",
			ntree, order->nclass);
	return worked;
}

/* The two elements that refute a guarantee. */
static bool draw_refutation(
	struct call *call, const struct args *args, struct subject *subject, FILE *out)
{
	struct ordo_error error;
	struct ordo_judgement judgement;
	enum ordo_guarantee guarantee;
	if (!ordo_guarantee_read(args->why, &guarantee))
		return refuse_usage(call, NULL, "--why: found %s, wanted G1 or G3", args->why);
	if (!ordo_judge_guarantee(subject->order, guarantee, args->arithmetic.type,
		    args->arithmetic.reduction, &subject->arena, &judgement, &error))
		return refuse_error(call, &error);
	if (judgement.verdict != ORDO_DOES_NOT_HOLD || !judgement.contradicted)
		return refuse_usage(call, "G4 and G5 compare two schedules: `ordo diff`",
			"--why %s: it is not refuted by two elements of this schedule",
			ordo_guarantee_name(guarantee));
	struct two_trees two = {.forest = subject->forest,
		.contradiction = &judgement.contradiction,
		.max_leaves = args->max_leaves};
	for (int i = 0; i < 2; i++) {
		const struct ordo_element *element = &judgement.contradiction.element[i];
		two.title[i] = ordo_arena_format(&subject->arena,
			"%s does not hold: chunk %" PRIu32 " on rank %" PRIu32,
			ordo_guarantee_name(guarantee), element->chunk, element->rank);
		if (!two.title[i])
			return refuse_memory(call);
	}
	return draw_two_trees(call, &two, out);
}

/* The kind and the subject of a picture. */
struct drawn {
	const struct args *args;
	struct subject *subject;
};

static bool write_picture(struct call *call, const void *closure, FILE *out)
{
	const struct drawn *drawn = closure;
	return (drawn->args->why	    ? draw_refutation
		: drawn->args->chunks.count ? draw_copies
					    : draw_classes)(call, drawn->args, drawn->subject, out);
}

static bool draw(struct call *call, const struct args *args, struct subject *subject)
{
	const struct drawn drawn = {args, subject};
	return deliver_picture(
		call, &args->picture, !strcmp(args->picture.as, "dot"), write_picture, &drawn);
}

static int order_file(struct call *call, struct args *args)
{
	struct subject subject = {0};
	args->file = only_operand(call, "the file or folder of a schedule, or - for stdin");
	if (!args->file || !choose_picture_form(call, &args->picture) ||
		!read_arithmetic(call, &args->arithmetic))
		return call->status;
	bool worked = open_subject(call, args, &subject);
	if (worked && args->picture.as && !ordo_operator_facts(subject.order->problem.op)->reduces)
		worked = refuse_usage(call, NULL, "%s adds nothing: there is no tree to draw",
			ordo_operator_facts(subject.order->problem.op)->name);
	if (worked && args->why && !args->picture.as)
		worked = refuse_usage(
			call, "--as dot, or -o OUT.svg", "--why draws: wanted --as or -o");
	worked = worked && (args->picture.as		? draw
				   : args->chunks.count ? report_copies
							: report_orders)(call, args, &subject);
	close_subject(&subject);
	return worked ? ORDO_OK : call->status;
}

static int order_with(struct call *call, struct args *args)
{
	if (!args->table && args->matrix.operators.count)
		return fail_usage(call, NULL, "--operator goes with --table");
	if (!args->table && args->matrix.ranks.count && !args->chunks.count)
		return fail_usage(call, NULL, "--ranks goes with --chunks or --table");
	if (args->why && args->chunks.count)
		return fail_usage(call, NULL, "--why and --chunks are two pictures");
	if (!args->table)
		return order_file(call, args);
	if (call->noperand || args->picture.as || args->picture.output || args->chunks.count ||
		args->why)
		return fail_usage(call, NULL, "--table takes no schedule and draws nothing");
	if (!took_topology(call))
		return call->status;
	return print_order_table(call, &args->matrix);
}

static int order(struct call *call)
{
	struct args args = {.max_leaves = 32, .max_orders = 16};
	const struct option options[] = {
		TOPOLOGY_OPTIONS(args.topology),
		ARITHMETIC_OPTIONS(args.arithmetic),
		{"max-leaves", 0, POSITIVE, &args.max_leaves, "N",
			"abbreviate trees with more leaves by ... (32)"},
		{"max-orders", 0, POSITIVE, &args.max_orders, "N",
			"show or draw the first N orders (16)"},
		{"as", 0, TEXT, &args.picture.as, "dot|svg|png|pdf",
			"draw the trees in this format (by the ending of OUT)"},
		{"output", 'o', WRITTEN, &args.picture.output, "OUT",
			"where to write a picture (stdout)"},
		{"chunks", 0, TEXTS, &args.chunks, "A-B,C",
			"the trees of these chunks, one by one"},
		{"why", 0, TEXT, &args.why, "G",
			"draw why this guarantee does not hold: two trees, with the first "
			"difference in red"},
		{"table", 0, SWITCH, &args.table, NULL,
			"instead of a schedule: the number of orders of every algorithm, by number "
			"of ranks"},
		{"ranks", 0, TEXTS, &args.matrix.ranks, "A-B,C",
			"with --chunks: the copies of these ranks; with --table: the numbers of "
			"ranks (4-16)"},
		{"operator", 0, TEXTS, &args.matrix.operators, "OPERATOR,...",
			"with --table: the operators (ReduceScatter)"},
		MEMORY_LIMIT_OPTION,
	};
	const int status = READ_OPTIONS(call, options) ? order_with(call, &args) : call->status;
	free_topology_choice(&args.topology);
	free_texts(&args.chunks);
	free_texts(&args.matrix.ranks);
	free_texts(&args.matrix.operators);
	return status;
}

const struct command order_command = {
	.name = "order",
	.summary = "prints each reduction tree, and the guarantees that follow",
	.usage = "FILE | --table [OPTION]...",
	.examples = "  ordo order ring.json\n"
		    "  ordo order ring.json --type f64 --op prod --max-orders 2\n"
		    "  ordo order dyadic.json -o dyadic.svg\n"
		    "  ordo order ring.json --chunks 0,3 --ranks 1\n"
		    "  ordo order ring.json --why G3 -o two-trees.svg\n"
		    "  ordo order moves.json --topology cluster.json\n"
		    "  ordo order --table --ranks 4-8 --operator allreduce",
	.reads = true,
	.run = order,
};
