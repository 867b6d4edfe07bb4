/* against.c - a machine's answers against the order of a schedule, or of those of a plan set. */
#include "answers.h"
#include "cli/sizes.h"
#include "report/proof.h"
#include <inttypes.h>
#include <ordo/verify.h>
#include <stdlib.h>

/* One size, and the order of its schedule. */
struct comparison {
	struct against *against;
	uint32_t size;
	const struct ordo_order *order;
	uint32_t nchunk; /* of a block */
};

static bool check_problems(struct call *call, const struct ordo_problem *asked,
	const struct ordo_problem *problem, const char *path)
{
	if (problem->op != asked->op || problem->nrank != asked->nrank)
		return refuse_usage(call, NULL,
			"--against %s: found %s on %u rank%s, wanted %s on %u as in the answers",
			path, ordo_operator_facts(problem->op)->name, problem->nrank,
			plural(problem->nrank), ordo_operator_facts(asked->op)->name, asked->nrank);
	if (problem->op == ORDO_REDUCE && problem->root != asked->root)
		return refuse_usage(call, NULL, "--against %s: found root %u, wanted %u", path,
			problem->root, asked->root);
	if (problem->nshard != problem->nrank)
		return refuse_usage(call, NULL,
			"--against %s: found virtual shards, wanted one of each rank", path);
	return true;
}

/* The chunk of an element of a rank's block. */
static uint32_t chunk_of(const struct comparison *c, uint32_t rank, uint32_t element)
{
	const struct ordo_answers *answers = c->against->answered->answers;
	const uint64_t count = answers->sizes[c->size].count;
	uint32_t first = 0, end = c->nchunk;
	while (end - first > 1) {
		const uint32_t middle = first + (end - first) / 2;
		if (ordo_chunk_begin(count, c->nchunk, middle, 1) <= element)
			first = middle;
		else
			end = middle;
	}
	return first + (answers->problem.op == ORDO_REDUCESCATTER ? rank * c->nchunk : 0);
}

static bool is_same(const struct comparison *c, uint32_t a, uint32_t b)
{
	const struct ordo_trees *trees = &c->against->forest->trees;
	return a != ORDO_NONE && b != ORDO_NONE &&
	       ordo_same_tree(trees, a) == ordo_same_tree(trees, b);
}

/* Does the document add any chunk of the rank so? */
static bool occurs(const struct comparison *c, uint32_t rank, uint32_t tree)
{
	const uint32_t first = c->against->answered->answers->problem.op == ORDO_REDUCESCATTER
				       ? rank * c->nchunk
				       : 0;
	for (uint32_t k = 0; k < c->nchunk; k++)
		if (is_same(c, tree, ordo_order_tree(c->order, first + k, rank)))
			return true;
	return false;
}

/* The first place that differs; `elsewhere`: every tree occurs in the document. */
static bool find_difference(
	const struct comparison *c, uint32_t *holder, uint32_t *place, bool *elsewhere)
{
	const struct ordo_answers *answers = c->against->answered->answers;
	const struct ordo_answered_size *size = &answers->sizes[c->size];
	bool found = false;
	*elsewhere = true;
	for (uint32_t h = 0; h < answers->nholder; h++) {
		const struct probe *probe = probe_of(c->against->answered, c->size, 0, h);
		const uint32_t rank = rank_of_holder(answers, h);
		for (uint32_t p = 0; p < size->nplace; p++) {
			const uint32_t tree = tree_seen(probe, p);
			if (is_same(c, tree,
				    ordo_order_tree(
					    c->order, chunk_of(c, rank, size->places[p]), rank)))
				continue;
			*elsewhere = *elsewhere && occurs(c, rank, tree);
			if (found)
				continue;
			found = true;
			*holder = h;
			*place = p;
		}
	}
	return found;
}

static void report_difference(
	const struct comparison *c, const struct report *one, uint32_t holder, uint32_t place)
{
	const struct answered *answered = c->against->answered;
	const uint32_t rank = rank_of_holder(answered->answers, holder),
		       element = answered->answers->sizes[c->size].places[place];
	const char *wanted = ordo_forest_print(c->against->forest, c->against->arena,
		ordo_order_tree(c->order, chunk_of(c, rank, element), rank), 32);
	report_text(one, "    rank %u<rank>, element %u<element>:\n", rank, element);
	report_text(one, "      found  %s<found>\n",
		print_place(probe_of(answered, c->size, 0, holder), place, c->against->forest,
			c->against->arena));
	report_text(one, "      wanted %s<wanted>\n", wanted ? wanted : "");
}

static void report_comparison(
	const struct comparison *c, const struct report *list, const char *name)
{
	const struct ordo_answers *answers = c->against->answered->answers;
	const struct report one = report_item(list);
	uint32_t holder = 0, place = 0;
	bool elsewhere;
	const bool differs = find_difference(c, &holder, &place, &elsewhere);
	const char *verdict = !differs	  ? "agrees"
			      : elsewhere ? "the same trees, at other places"
					  : "differs";
	report_text(&one, "    %" PRIu64 "<bytes> bytes%s%s<schedule>: %s<verdict>\n",
		bytes_of_count(&answers->problem, answers->type, answers->sizes[c->size].count),
		name ? ", " : "", name ? name : "", verdict);
	if (differs)
		report_difference(c, &one, holder, place);
	c->against->differs = c->against->differs || differs;
}

/* A set ends somewhere, or leaves a range to the library: then nobody said what it computes. */
static bool has_schedule(const struct against *against, uint32_t size)
{
	const struct ordo_answers *answers = against->answered->answers;
	const struct ordo_plan_set *set = against->subject.set;
	const uint64_t bytes =
		bytes_of_count(&answers->problem, answers->type, answers->sizes[size].count);
	const uint32_t range = set ? ordo_plan_set_find(set, bytes) : 0;
	return !set || (range != ORDO_NONE && set->ranges[range].schedule);
}

static void report_missing(struct against *against, uint32_t size, const struct report *list)
{
	const struct ordo_answers *answers = against->answered->answers;
	const struct report one = report_item(list);
	report_text(&one, "    %" PRIu64 "<bytes> bytes: %s<verdict>\n",
		bytes_of_count(&answers->problem, answers->type, answers->sizes[size].count),
		"not compared, the set has no schedule for this size");
	against->incomplete = true;
}

static bool prove_wanted(struct against *against, struct proved_schedule *found)
{
	const struct ordo_verify_options options = {0};
	if (!found->proof)
		found->proof = prove(against->call, found->schedule, &options);
	if (!found->proof || found->proof->proved)
		return found->proof;
	const struct report errors = report_of(against->call, stderr);
	report_proof(&errors, found->schedule, found->proof);
	note(against->call, "not compared, because it is refuted");
	return refuse(against->call, ORDO_REFUTED);
}

static bool compare_size(struct against *against, uint32_t size, const struct report *list)
{
	if (!has_schedule(against, size)) {
		report_missing(against, size, list);
		return true;
	}
	struct ordo_error error;
	const struct ordo_answers *answers = against->answered->answers;
	struct proved_schedule *found = find_schedule(
		against->call, &against->subject, answers->type, answers->sizes[size].count);
	if (!found || !prove_wanted(against, found))
		return false;
	struct ordo_order *order =
		ordo_order_create(against->forest, found->schedule, found->proof, &error);
	if (!order)
		return refuse_error(against->call, &error);
	const struct comparison comparison = {
		against, size, order, found->schedule->problem.chunks_per_block};
	report_comparison(&comparison, list, found->name);
	ordo_order_destroy(order);
	return true;
}

bool open_against(struct against *against, const struct ordo_answers *answers)
{
	struct topology_choice choice = {0};
	return !against->path ||
	       (open_subject(against->call, &against->subject, against->path, &choice) &&
		       check_problems(against->call, &answers->problem, &against->subject.problem,
			       against->path));
}

bool compare_with_document(struct against *against, const struct report *report)
{
	const struct ordo_answers *answers = against->answered->answers;
	report_label(report, "against");
	report_text(report, "%s<against>, in its first repetition\n", against->path);
	const struct report list = report_list(report, "comparisons");
	for (uint32_t s = 0; s < answers->nsize; s++)
		if (!compare_size(against, s, &list))
			return false;
	return true;
}
