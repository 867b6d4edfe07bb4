/* answers.c - trees by size, and whether ranks, repetitions, places and sizes agree. */
#include "answers.h"
#include "cli/sizes.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/detail/fail.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN_ORDERS = 16, MOST_SHOWN_LEAVES = 32 };

struct showing {
	struct call *call;
	const struct ordo_answers *answers;
	struct answered answered;
	struct ordo_forest *forest;
	struct ordo_arena arena;
	uint32_t without;		       /* places that have no tree */
	bool ranks_differ, repetitions_differ; /* of any size */
	bool places_differ;
	uint32_t *trees, ntree; /* of the first size, ascending */
	uint32_t other_size;	/* the first that has others; 0: none */
};

uint32_t rank_of_holder(const struct ordo_answers *answers, uint32_t holder)
{
	return answers->problem.op == ORDO_REDUCE ? answers->problem.root : holder;
}

const struct probe *probe_of(
	const struct answered *answered, uint32_t size, uint32_t repetition, uint32_t holder)
{
	const struct ordo_answers *answers = answered->answers;
	const size_t at = (size_t)repetition * answers->nholder + holder;
	return &answered->tables[size][answers->sizes[size].table_of[at]];
}

const char *print_place(const struct probe *probe, uint32_t place, struct ordo_forest *forest,
	struct ordo_arena *arena)
{
	const uint32_t tree = tree_seen(probe, place);
	const char *text = tree == ORDO_NONE
				   ? probe->recovered.classes[probe->recovered.class_of[place]].why
				   : ordo_forest_print(forest, arena, tree, MOST_SHOWN_LEAVES);
	if (!text)
		set_incomplete();
	return text ? text : "";
}

/* A tree and the places that have it, or places without a tree. */
struct shown {
	uint32_t tree;		/* as ordo_same_tree; ORDO_NONE: none */
	uint32_t holder, place; /* the first */
	uint32_t nplace;
};

static uint32_t canonical(const struct showing *showing, uint32_t tree)
{
	return tree == ORDO_NONE ? ORDO_NONE : ordo_same_tree(&showing->forest->trees, tree);
}

/* The trees of all ranks in the first repetition. NULL: no memory; freed by the caller. */
static struct shown *list_trees(struct showing *showing, uint32_t size, uint32_t *count)
{
	const struct ordo_answers *answers = showing->answers;
	struct shown *list = NULL;
	size_t room = 0;
	*count = 0;
	for (uint32_t h = 0; h < answers->nholder; h++)
		for (uint32_t p = 0; p < answers->sizes[size].nplace; p++) {
			const uint32_t tree = canonical(
				showing, tree_seen(probe_of(&showing->answered, size, 0, h), p));
			uint32_t at = 0;
			while (at < *count && list[at].tree != tree)
				at++;
			if (at == *count) {
				if (!ordo_array_reserve(
					    &list, &room, (size_t)*count + 1, sizeof *list)) {
					free(list);
					return NULL;
				}
				list[(*count)++] = (struct shown){tree, h, p, 0};
			}
			list[at].nplace++;
		}
	return list;
}

static const char *name_tree(struct showing *showing, uint32_t tree)
{
	struct ordo_tree_name name;
	char text[64];
	if (tree == ORDO_NONE || !ordo_forest_name(showing->forest, tree, &name) ||
		name.kind == ORDO_UNNAMED)
		return "";
	ordo_tree_name_print(name, text, sizeof text);
	const char *named = ordo_arena_format(&showing->arena, ", %s", text);
	return named ? named : "";
}

static void report_tree(struct showing *showing, const struct report *list, uint32_t size,
	const struct shown *shown, bool in_text)
{
	struct report one = report_item(list);
	const struct ordo_answered_size *of = &showing->answers->sizes[size];
	const struct probe *probe = probe_of(&showing->answered, size, 0, shown->holder);
	one.text = in_text ? one.text : NULL;
	report_text(&one,
		"      %u<places> place%s, the first element %u<element> on rank %u<rank>%s\n"
		"        %s%s\n",
		shown->nplace, plural(shown->nplace), of->places[shown->place],
		rank_of_holder(showing->answers, shown->holder), name_tree(showing, shown->tree),
		shown->tree == ORDO_NONE ? "no tree: " : "",
		print_place(probe, shown->place, showing->forest, &showing->arena));
	add_text(one.json, shown->tree == ORDO_NONE ? "why" : "tree",
		print_place(probe, shown->place, showing->forest, &showing->arena));
}

/* Do all ranks have the tables of the first, which for AllReduce are of the same elements? */
static bool ranks_agree(const struct showing *showing, uint32_t size, uint32_t repetition)
{
	struct difference difference;
	const struct ordo_answers *answers = showing->answers;
	for (uint32_t h = 1; answers->problem.op == ORDO_ALLREDUCE && h < answers->nholder; h++)
		if (!agree_with_each_other(probe_of(&showing->answered, size, repetition, 0),
			    probe_of(&showing->answered, size, repetition, h), showing->forest,
			    answers->sizes[size].nplace, &difference))
			return false;
	return true;
}

static bool repetitions_agree(const struct showing *showing, uint32_t size)
{
	struct difference difference;
	const struct ordo_answers *answers = showing->answers;
	for (uint32_t r = 1; r < answers->sizes[size].nrepetition; r++)
		for (uint32_t h = 0; h < answers->nholder; h++)
			if (!agree_with_each_other(probe_of(&showing->answered, size, 0, h),
				    probe_of(&showing->answered, size, r, h), showing->forest,
				    answers->sizes[size].nplace, &difference))
				return false;
	return true;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x, y;
	memcpy(&x, a, sizeof x);
	memcpy(&y, b, sizeof y);
	return (x > y) - (x < y);
}

/* What the trees of a size say about places and other sizes. */
static bool note_trees(
	struct showing *showing, uint32_t size, const struct shown *list, uint32_t count)
{
	uint32_t *trees = malloc(((size_t)count + 1) * sizeof *trees);
	if (!trees)
		return refuse_memory(showing->call);
	showing->places_differ |= count > 1;
	for (uint32_t i = 0; i < count; i++) {
		trees[i] = list[i].tree;
		showing->without += list[i].tree == ORDO_NONE ? list[i].nplace : 0;
	}
	qsort(trees, count, sizeof *trees, by_number);
	if (!size) {
		showing->trees = trees;
		showing->ntree = count;
		return true;
	}
	if (!showing->other_size &&
		(count != showing->ntree ||
			memcmp(trees, showing->trees, count * sizeof *trees) != 0))
		showing->other_size = size;
	free(trees);
	return true;
}

static uint64_t bytes_of(const struct showing *showing, uint32_t size)
{
	const struct ordo_answers *answers = showing->answers;
	return bytes_of_count(&answers->problem, answers->type, answers->sizes[size].count);
}

static bool report_size(struct showing *showing, const struct report *sizes, uint32_t size)
{
	const struct ordo_answers *answers = showing->answers;
	const struct ordo_answered_size *of = &answers->sizes[size];
	const struct report one = report_item(sizes);
	uint32_t count;
	bool ranks = true;
	struct shown *list = list_trees(showing, size, &count);
	if (!list)
		return refuse_memory(showing->call);
	for (uint32_t r = 0; r < of->nrepetition; r++)
		ranks &= ranks_agree(showing, size, r);
	const bool repetitions = repetitions_agree(showing, size);
	uint32_t ntree = 0;
	for (uint32_t i = 0; i < count; i++)
		ntree += list[i].tree != ORDO_NONE;
	report_text(&one,
		"    %" PRIu64 "<bytes> bytes: %u<places> of %" PRIu64
		"<count> elements, %u<repetitions> repetition%s: %u<distinct> order%s%s%s%s\n",
		bytes_of(showing, size), of->nplace, of->count, of->nrepetition,
		plural(of->nrepetition), ntree, plural(ntree),
		ntree < count ? "; some have no tree" : "", ranks ? "" : "; ranks differ",
		repetitions ? "" : "; repetitions differ");
	report_members(
		&one, "%d<same_on_all_ranks?> %d<same_in_all_repetitions?>", ranks, repetitions);
	const struct report trees = report_list(&one, "orders");
	for (uint32_t i = 0; i < count; i++)
		report_tree(showing, &trees, size, &list[i], i < MOST_SHOWN_ORDERS);
	if (count > MOST_SHOWN_ORDERS)
		report_text(&one, "      and %u more; --json has them all\n",
			count - MOST_SHOWN_ORDERS);
	showing->ranks_differ |= !ranks;
	showing->repetitions_differ |= !repetitions;
	const bool noted = note_trees(showing, size, list, count);
	free(list);
	return noted;
}

static void report_sizes(const struct showing *showing, const struct report *report)
{
	if (showing->answers->nsize < 2)
		return;
	if (showing->without)
		report_line(report, "at all sizes", "not all have a tree");
	else if (showing->other_size)
		report_line(report, "at all sizes",
			"not the same: %" PRIu64 " bytes and %" PRIu64 " bytes have other orders",
			bytes_of(showing, 0), bytes_of(showing, showing->other_size));
	else
		report_line(report, "at all sizes", "%s",
			showing->places_differ ? "the same orders" : "the same order");
}

static void report_conclusions(const struct showing *showing, const struct report *report)
{
	const struct ordo_answers *answers = showing->answers;
	bool repeated = false;
	for (uint32_t s = 0; s < answers->nsize; s++)
		repeated |= answers->sizes[s].nrepetition > 1;
	if (answers->problem.op == ORDO_ALLREDUCE)
		report_line(report, "rank-equal", "%s",
			showing->ranks_differ ? "not the same trees on every rank"
					      : "the same trees on every rank");
	report_line(report, "run-to-run", "%s",
		!repeated		      ? "asked once"
		: showing->repetitions_differ ? "not the same trees each time"
					      : "the same trees each time");
	report_line(report, "at all places", "%s",
		showing->without	 ? "not all have a tree"
		: showing->places_differ ? "not one order"
					 : "one order");
	report_sizes(showing, report);
	report_members(report,
		"%u<without_tree> %d<rank_equal?> %d<run_to_run?> %d<one_order_at_all_places?> "
		"%d<same_orders_at_all_sizes?>",
		showing->without, !showing->ranks_differ, !showing->repetitions_differ,
		!showing->without && !showing->places_differ,
		!showing->without && !showing->other_size);
}

/* The exit code. */
static int conclude(const struct showing *showing, const struct against *against)
{
	const bool wrong = showing->without || showing->ranks_differ ||
			   showing->repetitions_differ || against->differs;
	return wrong ? ORDO_REFUTED : against->incomplete ? ORDO_UNDECIDED : ORDO_OK;
}

static void print_member(FILE *out, const cJSON *member)
{
	const cJSON *inner;
	if (cJSON_IsString(member))
		fprintf(out, " %s=%s", member->string, member->valuestring);
	cJSON_ArrayForEach(inner, member) print_member(out, inner);
}

/* All texts of the "x" object, with their names. */
static void report_machine(const struct report *report, const char *extra)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	cJSON *json = extra ? cJSON_Parse(extra) : NULL;
	if (out && json) {
		print_member(out, json);
		fflush(out);
		tame(text, false);
		report_line(report, "machine", "%s", text + (*text == ' '));
	}
	if (out)
		fclose(out);
	free(text);
	report_members(report, "%s<machine>", extra);
	cJSON_Delete(json);
}

static int show(struct showing *showing, const char *path, struct against *against)
{
	const struct report report = report_of(showing->call, stdout);
	const struct ordo_answers *answers = showing->answers;
	report_text(&report,
		"%s<file>: %s<operator> on %u<ranks> ranks, sums of %s<type>, %u<runs> runs\n",
		path, ordo_operator_facts(answers->problem.op)->name, answers->problem.nrank,
		ordo_type_name(answers->type), answers->nrun);
	report_machine(&report, answers->extra);
	const struct report sizes = report_list(&report, "sizes");
	for (uint32_t s = 0; s < answers->nsize; s++)
		if (!report_size(showing, &sizes, s))
			return showing->call->status;
	report_conclusions(showing, &report);
	if (against->path && !compare_with_document(against, &report))
		return showing->call->status;
	return conclude(showing, against);
}

static int show_against(struct showing *showing, const char *path, struct against *against)
{
	struct ordo_error error;
	if (!open_against(against, showing->answers))
		return showing->call->status;
	if (!open_answered(&showing->answered, showing->answers, showing->forest, &error))
		return fail(showing->call, &error);
	return show(showing, path, against);
}

int report_answers(struct call *call, const char *path, const char *against)
{
	struct ordo_error error;
	struct ordo_answers *answers = ordo_answers_read(path, &error);
	struct showing showing = {.call = call, .answers = answers};
	if (!answers)
		return fail(call, &error);
	showing.answered.answers = answers;
	showing.forest = ordo_forest_create(&error);
	struct against other = {.call = call,
		.path = against,
		.answered = &showing.answered,
		.forest = showing.forest,
		.arena = &showing.arena};
	const int status =
		showing.forest ? show_against(&showing, path, &other) : fail(call, &error);
	close_subject(&other.subject);
	close_answered(&showing.answered);
	ordo_forest_destroy(showing.forest);
	free(showing.trees);
	ordo_arena_free(&showing.arena);
	ordo_answers_destroy(answers);
	return status;
}
