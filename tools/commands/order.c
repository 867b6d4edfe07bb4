/* order.c - `ordo order`: in which order every sum is made. */
#include "cli/inputs.h"
#include "cli/memory_limit.h"
#include "report/order_table.h"
#include "report/proof.h"
#include "report/two_trees.h"
#include "view/pictures.h"
#include "view/view.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/detail/accumulate.h>
#include <stdlib.h>
#include <string.h>

struct wish {
	const char *file;
	struct picture_wish picture;
	struct texts chunks;
	const char *why; /* the name of a guarantee */
	struct arithmetic arithmetic;
	uint32_t max_leaves, max_orders;
	bool table;
	struct order_table_wish matrix;
};

/* One schedule, proved, and what its trees are called. */
struct subject {
	struct ordo_schedule *schedule;
	struct ordo_proof *proof;
	struct ordo_forest *forest;
	struct ordo_order *order;
	struct ordo_arena arena;
};

static bool refuse(struct call *call, int status)
{
	call->status = status;
	return false;
}

static bool out_of_memory(struct call *call)
{
	struct ordo_error error;
	ordo_fail_memory(&error);
	return refuse(call, fail(call, &error));
}

/* A schedule that is not sound has no order: the first rule it breaks is said, and that there are
 * others. */
static bool refuse_unsound(struct call *call, const struct subject *subject)
{
	struct ordo_error error;
	char text[sizeof error.text];
	ordo_finding_error(subject->schedule, &subject->proof->findings[0], &error);
	snprintf(text, sizeof text,
		"the schedule is not sound, so its sums have no order to speak of: %.1800s",
		error.text);
	memcpy(error.text, text, sizeof text);
	return refuse(call, fail(call, &error));
}

static bool open_subject(struct call *call, const struct wish *wish, struct subject *subject)
{
	struct ordo_error error;
	const struct ordo_verify_options options = {0};
	*subject = (struct subject){.schedule = open_schedule(call, wish->file)};
	const bool judged = subject->schedule &&
			    can_judge(call, &wish->arithmetic, &subject->schedule->problem);
	subject->proof = judged ? prove(call, subject->schedule, &options) : NULL;
	if (!subject->proof)
		return false;
	if (!subject->proof->proved)
		return refuse_unsound(call, subject);
	subject->forest = ordo_forest_create(&error);
	if (subject->forest)
		subject->order = ordo_order_create(
			subject->forest, subject->schedule, subject->proof, &error);
	return subject->order ? true : refuse(call, fail(call, &error));
}

static void close_subject(struct subject *subject)
{
	ordo_order_destroy(subject->order);
	ordo_forest_destroy(subject->forest);
	ordo_proof_destroy(subject->proof);
	ordo_schedule_destroy(subject->schedule);
	ordo_arena_free(&subject->arena);
}

/* Does some rank's copy of the chunk have a tree of the class? *copy goes on with the chunks. */
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

/* "0-3, 8": the chunks of which some copy has the class's tree, the first stretches of them. NULL:
 * no memory. */
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

/* What one class is, in words. */
struct portrait {
	const char *tree, *name, *chunks;
	struct ordo_tree_facts facts;
	double bound;
	enum ordo_type accumulator;
};

static bool portray(struct call *call, const struct wish *wish, struct subject *subject,
	uint32_t class, struct portrait *portrait)
{
	const uint32_t tree = subject->order->classes[class].tree;
	struct ordo_tree_name name;
	char word[64];
	if (!ordo_forest_name(subject->forest, tree, &name))
		return out_of_memory(call);
	ordo_tree_name_print(name, word, sizeof word);
	*portrait = (struct portrait){
		.tree = ordo_forest_print(subject->forest, &subject->arena, tree, wish->max_leaves),
		.name = ordo_arena_text(&subject->arena, word, strlen(word)),
		.chunks = list_chunks(subject, class),
		.facts = subject->forest->facts[tree]};
	portrait->accumulator = ordo_accumulator(&subject->order->problem, wish->arithmetic.type);
	portrait->bound = ordo_error_bound(wish->arithmetic.type, portrait->accumulator,
		wish->arithmetic.reduction, &portrait->facts);
	return portrait->tree && portrait->name && portrait->chunks ? true : out_of_memory(call);
}

static void print_portrait(const struct wish *wish, const struct subject *subject, uint32_t class,
	const struct portrait *portrait)
{
	const struct ordo_class *one = &subject->order->classes[class];
	const struct arithmetic *arithmetic = &wish->arithmetic;
	char title[32];
	snprintf(title, sizeof title, "order %" PRIu32, class);
	printf("  %-23s %s%s%s\n  %-23s %s\n", title, paint(stdout, BOLD), portrait->name,
		paint(stdout, PLAIN), "", portrait->tree);
	printf("  %-23s %" PRIu32 " of %" PRIu32 " chunk%s (%s) on %" PRIu32 " of %" PRIu32
	       " rank%s",
		"", one->nchunk, subject->order->nchunk, subject->order->nchunk == 1 ? "" : "s",
		portrait->chunks, one->nrank, subject->order->problem.nrank,
		subject->order->problem.nrank == 1 ? "" : "s");
	if (one->nidentical > 1)
		printf(", operands in %" PRIu32 " different orders", one->nidentical);
	printf("\n  %-23s depth %" PRIu32 ", %" PRIu32 " rounding%s", "", portrait->facts.depth,
		portrait->facts.leaves - 1, portrait->facts.leaves == 2 ? "" : "s");
	if (portrait->accumulator != arithmetic->type)
		printf(" to %s and one to %s", ordo_type_name(portrait->accumulator),
			ordo_type_name(arithmetic->type));
	if (ordo_is_associative(arithmetic->type, arithmetic->reduction))
		printf("; %s %s: nothing is rounded\n", ordo_type_name(arithmetic->type),
			ordo_reduction_name(arithmetic->reduction));
	else
		printf("; %s %s: off by at most %.3g of the %s\n", ordo_type_name(arithmetic->type),
			ordo_reduction_name(arithmetic->reduction), portrait->bound,
			arithmetic->reduction == ORDO_PROD  ? "product"
			: arithmetic->reduction == ORDO_AVG ? "average of absolute values"
							    : "sum of absolute values");
}

static void add_portrait(
	cJSON *list, const struct subject *subject, uint32_t class, const struct portrait *portrait)
{
	const struct ordo_class *one = &subject->order->classes[class];
	cJSON *json = cJSON_CreateObject();
	add_text(json, "tree", portrait->tree);
	add_text(json, "name", strcmp(portrait->name, "unnamed") != 0 ? portrait->name : NULL);
	add_count(json, "chunks", one->nchunk);
	add_count(json, "first_chunk", one->first_chunk);
	add_count(json, "ranks", one->nrank);
	add_count(json, "copies", one->ncopy);
	add_count(json, "operand_orders", one->nidentical);
	add_count(json, "leaves", portrait->facts.leaves);
	add_count(json, "depth", portrait->facts.depth);
	add_count(json, "roundings", portrait->facts.leaves - 1);
	add_number(json, "relative_error", portrait->bound);
	cJSON_AddItemToArray(list, json);
}

/* People see the first few; --json has all. */
static bool tell_classes(struct call *call, const struct wish *wish, struct subject *subject)
{
	const struct ordo_order *order = subject->order;
	cJSON *list = cJSON_AddArrayToObject(call->answer, "orders");
	for (uint32_t class = 0; class < order->nclass; class ++) {
		struct portrait portrait;
		if (!call->json && class == wish->max_orders)
			break;
		if (!portray(call, wish, subject, class, &portrait))
			return false;
		if (call->json)
			add_portrait(list, subject, class, &portrait);
		else
			print_portrait(wish, subject, class, &portrait);
	}
	if (order->nclass > wish->max_orders)
		say(call, "  %-23s and %" PRIu32 " more; --max-orders %" PRIu32 " shows all\n", "",
			order->nclass - wish->max_orders, order->nclass);
	return true;
}

static bool tell_judgements(
	struct call *call, const struct wish *wish, const struct subject *subject)
{
	struct judgements judgements;
	const bool judged = make_judgements(call, &wish->arithmetic, &subject->order->problem,
		subject->proof, subject->order, &judgements);
	if (judged)
		add_judgements(call->answer, &judgements);
	if (judged && !call->json)
		print_judgements(stdout, &judgements);
	free_judgements(&judgements);
	return judged;
}

static bool tell(struct call *call, const struct wish *wish, struct subject *subject)
{
	const struct ordo_order *order = subject->order;
	const bool adds = ordo_operator_facts(order->problem.op)->reduces;
	add_schedule(call->answer, subject->schedule);
	if (!call->json) {
		printf("%s: ", wish->file);
		print_schedule_line(stdout, subject->schedule);
		printf("  %-23s ", "orders");
		if (adds)
			printf("%" PRIu32 "%s over %" PRIu32 " chunk%s\n", order->nclass,
				order->nclass == 1 ? "" : " different", order->nchunk,
				order->nchunk == 1 ? "" : "s");
		else
			printf("none: %s adds nothing\n",
				ordo_operator_facts(order->problem.op)->name);
	}
	if (adds && !tell_classes(call, wish, subject))
		return false;
	if (!tell_judgements(call, wish, subject))
		return false;
	say(call, "  %-23s %s\n", "order digest",
		order->digest[0] ? order->digest : "none: the ranks' copies differ");
	add_text(call->answer, "order_digest", order->digest[0] ? order->digest : NULL);
	return true;
}

/* Copies that were asked for, one by one. */

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

/* The chunk's copies on the ranks that have one, or on the first of them if none was chosen. */
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
static bool find_copies(struct call *call, const struct wish *wish, const struct ordo_order *order,
	struct copies *copies)
{
	uint32_t nrank = 0, nchunk, *ranks = NULL;
	uint32_t *chunks = read_numbers(call, "chunks", &wish->chunks, order->nchunk, &nchunk);
	const struct texts *wanted = &wish->matrix.ranks;
	if (chunks && wanted->count)
		ranks = read_numbers(call, "ranks", wanted, order->problem.nrank, &nrank);
	bool worked = chunks && (ranks || !wanted->count), memory = true;
	for (uint32_t i = 0; worked && memory && i < nchunk; i++)
		memory = add_copies_of(copies, order, chunks[i], ranks, nrank);
	free(chunks);
	free(ranks);
	if (!memory)
		return out_of_memory(call);
	if (worked && !copies->count)
		return refuse(call,
			fail_usage(call, NULL, "--ranks: none of them has one of these chunks"));
	return worked;
}

/* "chunk 3 on rank 1: dyadic, depth 3". NULL: call->status. */
static const char *title_copy(
	struct call *call, struct subject *subject, const struct ordo_copy *copy)
{
	struct ordo_tree_name name;
	char word[64];
	if (!ordo_forest_name(subject->forest, copy->tree, &name)) {
		out_of_memory(call);
		return NULL;
	}
	ordo_tree_name_print(name, word, sizeof word);
	const char *title = ordo_arena_format(&subject->arena,
		"chunk %" PRIu32 " on rank %" PRIu32 ": %s, depth %" PRIu32, copy->chunk,
		copy->rank, word, subject->forest->facts[copy->tree].depth);
	if (!title)
		out_of_memory(call);
	return title;
}

static bool tell_copies(struct call *call, const struct wish *wish, struct subject *subject)
{
	struct copies copies = {.copies = NULL};
	bool worked = find_copies(call, wish, subject->order, &copies);
	cJSON *list = cJSON_AddArrayToObject(call->answer, "copies");
	for (uint32_t i = 0; worked && i < copies.count; i++) {
		const struct ordo_copy *copy = &copies.copies[i];
		const char *title = title_copy(call, subject, copy);
		const char *tree = ordo_forest_print(
			subject->forest, &subject->arena, copy->tree, wish->max_leaves);
		worked = title && (tree || out_of_memory(call));
		if (!worked)
			break;
		say(call, "%s\n  %s\n", title, tree);
		cJSON *one = cJSON_CreateObject();
		add_count(one, "chunk", copy->chunk);
		add_count(one, "rank", copy->rank);
		add_text(one, "tree", tree);
		cJSON_AddItemToArray(list, one);
	}
	free(copies.copies);
	return worked;
}

/* Pictures. */

static bool draw_trees(struct call *call, const struct wish *wish, const struct subject *subject,
	const struct titled_tree *trees, uint32_t ntree, FILE *out)
{
	struct ordo_error error;
	const struct order_picture picture = {
		.trees = trees, .ntree = ntree, .max_leaves = wish->max_leaves};
	return draw_order(out, subject->forest, &picture, &error) ||
	       refuse(call, fail(call, &error));
}

static bool draw_copies(
	struct call *call, const struct wish *wish, struct subject *subject, FILE *out)
{
	struct copies copies = {.copies = NULL};
	bool worked = find_copies(call, wish, subject->order, &copies);
	struct titled_tree *trees = calloc((size_t)copies.count + 1, sizeof *trees);
	if (worked && !trees)
		worked = out_of_memory(call);
	for (uint32_t i = 0; worked && i < copies.count; i++) {
		trees[i] = (struct titled_tree){copies.copies[i].tree,
			title_copy(call, subject, &copies.copies[i]), ORDO_NONE, {0}};
		worked = trees[i].title;
	}
	worked = worked && draw_trees(call, wish, subject, trees, copies.count, out);
	free(trees);
	free(copies.copies);
	return worked;
}

static bool draw_classes(
	struct call *call, const struct wish *wish, struct subject *subject, FILE *out)
{
	const struct ordo_order *order = subject->order;
	const uint32_t ntree = order->nclass < wish->max_orders ? order->nclass : wish->max_orders;
	struct titled_tree *trees = calloc((size_t)ntree + 1, sizeof *trees);
	bool worked = trees ? true : out_of_memory(call);
	for (uint32_t class = 0; worked && class < ntree; class ++) {
		struct portrait portrait;
		if (!(worked = portray(call, wish, subject, class, &portrait)))
			break;
		const struct ordo_class *one = &order->classes[class];
		trees[class].tree = one->tree;
		trees[class].red = ORDO_NONE;
		trees[class].title = ordo_arena_format(&subject->arena,
			"%s: %" PRIu32 " of %" PRIu32 " chunk%s (%s), depth %" PRIu32 "%s",
			portrait.name, one->nchunk, order->nchunk, order->nchunk == 1 ? "" : "s",
			portrait.chunks, portrait.facts.depth,
			portrait.facts.leaves > wish->max_leaves ? "; dashed: so many leaves" : "");
		worked = trees[class].title ? true : out_of_memory(call);
	}
	worked = worked && draw_trees(call, wish, subject, trees, ntree, out);
	free(trees);
	if (worked && ntree < order->nclass)
		note(call, "drawn: %" PRIu32 " of %" PRIu32 " orders; --max-orders draws more",
			ntree, order->nclass);
	return worked;
}

/* The two elements that refute a guarantee. */
static bool draw_refutation(
	struct call *call, const struct wish *wish, struct subject *subject, FILE *out)
{
	struct ordo_error error;
	struct ordo_judgement judgement;
	enum ordo_guarantee guarantee;
	if (!ordo_guarantee_read(wish->why, &guarantee))
		return refuse(call,
			fail_usage(call, NULL, "--why: found %s, wanted G1 or G3", wish->why));
	if (!ordo_judge_guarantee(subject->order, guarantee, wish->arithmetic.type,
		    wish->arithmetic.reduction, &subject->arena, &judgement, &error))
		return refuse(call, fail(call, &error));
	if (judgement.verdict != ORDO_DOES_NOT_HOLD || !judgement.contradicted)
		return refuse(call,
			fail_usage(call, "G4 and G5 are about two schedules: `ordo diff`",
				"--why %s: it is not refuted by two elements of this schedule",
				ordo_guarantee_name(guarantee)));
	struct two_trees two = {.forest = subject->forest,
		.contradiction = &judgement.contradiction,
		.max_leaves = wish->max_leaves};
	for (int i = 0; i < 2; i++) {
		const struct ordo_element *element = &judgement.contradiction.element[i];
		two.title[i] = ordo_arena_format(&subject->arena,
			"%s does not hold: chunk %" PRIu32 " on rank %" PRIu32,
			ordo_guarantee_name(guarantee), element->chunk, element->rank);
		if (!two.title[i])
			return out_of_memory(call);
	}
	return draw_two_trees(call, &two, out);
}

/* What is drawn, and of what. */
struct drawn {
	const struct wish *wish;
	struct subject *subject;
};

static bool write_picture(struct call *call, const void *closure, FILE *out)
{
	const struct drawn *drawn = closure;
	return (drawn->wish->why	    ? draw_refutation
		: drawn->wish->chunks.count ? draw_copies
					    : draw_classes)(call, drawn->wish, drawn->subject, out);
}

static bool draw(struct call *call, const struct wish *wish, struct subject *subject)
{
	const struct drawn drawn = {wish, subject};
	return deliver_picture(
		call, &wish->picture, !strcmp(wish->picture.as, "dot"), write_picture, &drawn);
}

static int order_file(struct call *call, struct wish *wish)
{
	struct subject subject = {0};
	wish->file = only_operand(call, "the file or folder of a schedule, or - for stdin");
	if (!wish->file || !choose_picture_form(call, &wish->picture) ||
		!read_arithmetic(call, &wish->arithmetic))
		return call->status;
	bool worked = open_subject(call, wish, &subject);
	if (worked && wish->picture.as && !ordo_operator_facts(subject.order->problem.op)->reduces)
		worked = refuse(
			call, fail_usage(call, NULL, "%s adds nothing: there is no tree to draw",
				      ordo_operator_facts(subject.order->problem.op)->name));
	if (worked && wish->why && !wish->picture.as)
		worked = refuse(call, fail_usage(call, "--as dot, or -o OUT.svg",
					      "--why draws: wanted --as or -o"));
	worked = worked && (wish->picture.as		? draw
				   : wish->chunks.count ? tell_copies
							: tell)(call, wish, &subject);
	close_subject(&subject);
	return worked ? ORDO_OK : call->status;
}

static int order_wish(struct call *call, struct wish *wish)
{
	if (!wish->table && wish->matrix.operators.count)
		return fail_usage(call, NULL, "--operator goes with --table");
	if (!wish->table && wish->matrix.ranks.count && !wish->chunks.count)
		return fail_usage(call, NULL, "--ranks goes with --chunks or --table");
	if (wish->why && wish->chunks.count)
		return fail_usage(call, NULL, "--why and --chunks are two pictures");
	if (!wish->table)
		return order_file(call, wish);
	if (call->noperand || wish->picture.as || wish->picture.output || wish->chunks.count ||
		wish->why)
		return fail_usage(call, NULL, "--table takes no schedule and draws nothing");
	return print_order_table(call, &wish->matrix);
}

static int order(struct call *call)
{
	struct wish wish = {.max_leaves = 32, .max_orders = 16};
	const struct option options[] = {
		ARITHMETIC_OPTIONS(wish.arithmetic),
		{"max-leaves", 0, POSITIVE, &wish.max_leaves, "N",
			"cut a tree of more leaves than that with ... (32)"},
		{"max-orders", 0, POSITIVE, &wish.max_orders, "N",
			"show or draw the first N orders (16)"},
		{"as", 0, TEXT, &wish.picture.as, "dot|svg|png|pdf",
			"draw the trees in this form (as OUT ends)"},
		{"output", 'o', WRITTEN, &wish.picture.output, "OUT",
			"where a picture goes; stdout if left out"},
		{"chunks", 0, TEXTS, &wish.chunks, "A-B,C",
			"the trees of these chunks, one by one"},
		{"why", 0, TEXT, &wish.why, "G",
			"draw why this guarantee does not hold: two trees, what differs first in "
			"red"},
		{"table", 0, SWITCH, &wish.table, NULL,
			"instead of a schedule: how many orders every algorithm makes, by number "
			"of ranks"},
		{"ranks", 0, TEXTS, &wish.matrix.ranks, "A-B,C",
			"with --chunks: the copies of these ranks; of the table (4-16)"},
		{"operator", 0, TEXTS, &wish.matrix.operators, "OPERATOR,...",
			"of the table (ReduceScatter)"},
		MEMORY_LIMIT_OPTION,
	};
	const int status = READ_OPTIONS(call, options) ? order_wish(call, &wish) : call->status;
	free_texts(&wish.chunks);
	free_texts(&wish.matrix.ranks);
	free_texts(&wish.matrix.operators);
	return status;
}

const struct command order_command = {
	.name = "order",
	.summary = "tells in which order every sum is made, and what that guarantees",
	.usage = "FILE | --table [OPTION]...",
	.examples = "  ordo order ring.json\n"
		    "  ordo order ring.json --type f64 --op prod --max-orders 2\n"
		    "  ordo order dyadic.json -o dyadic.svg\n"
		    "  ordo order ring.json --chunks 0,3 --ranks 1\n"
		    "  ordo order ring.json --why G3 -o two-trees.svg\n"
		    "  ordo order --table --ranks 4-8 --operator allreduce",
	.reads = true,
	.run = order,
};
