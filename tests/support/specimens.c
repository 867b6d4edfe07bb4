/* specimens.c - every algorithm for every operator it has, over ranks, roots, shards, chunks,
 * places and parameters.
 */
#include "specimens.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tour {
	const struct specimen_range *range;
	visit_specimen *visit;
	void *closure;
	struct specimen_count count;
	uint32_t request;
};

static void visit_one(struct tour *tour, const struct ordo_problem *problem, const char *algorithm)
{
	if (tour->range->every && tour->request++ % tour->range->every)
		return;
	struct specimen specimen = {.problem = *problem};
	struct ordo_error error;
	const struct ordo_request request = {
		.problem = *problem, .algorithm = algorithm, .topology = tour->range->topology};
	snprintf(specimen.algorithm, sizeof specimen.algorithm, "%s", algorithm);
	char chunks[32] = "natural chunks", shards[32] = "";
	if (problem->chunks_per_block)
		snprintf(chunks, sizeof chunks, "%u chunks a block", problem->chunks_per_block);
	if (problem->nshard != problem->nrank)
		snprintf(shards, sizeof shards, ", %u shards", problem->nshard);
	snprintf(specimen.title, sizeof specimen.title, "%s %s, %u ranks%s%s%s, root %u, %s%s",
		ordo_operator_facts(problem->op)->name, algorithm, problem->nrank, shards,
		request.topology ? ", " : "", request.topology ? request.topology->name : "",
		problem->root, chunks, problem->in_place ? ", in place" : "");
	struct ordo_schedule *schedule = ordo_compile(&request, &error);
	if (schedule) {
		specimen.problem = schedule->problem;
		tour->count.visited++;
		tour->visit(&specimen, schedule, tour->closure);
	} else if (error.code == ORDO_USAGE || lacks_solver(&error)) {
		tour->count.inapplicable++;
	} else {
		tour->count.failed++;
		printf("%s: R%d %s\n", specimen.title, error.rule, error.text);
	}
	ordo_schedule_destroy(schedule);
}

/* With one parameter set: to a word, or for an open range `3..` to the number after the first.
 * Lists are left out. */
static void visit_value(struct tour *tour, const struct ordo_problem *problem,
	const struct ordo_algorithm_facts *facts, const struct ordo_parameter *parameter,
	const char *value, size_t length)
{
	char algorithm[96], word[32] = "";
	strncat(word, value, length < 31 ? length : 31);
	char *range = strstr(word, "..");
	if (strpbrk(word, ", [") || !strcmp(word, parameter->fallback))
		return;
	if (range)
		snprintf(word, sizeof word, "%u", (uint32_t)strtoul(word, NULL, 10) + 1);
	snprintf(
		algorithm, sizeof algorithm, "%.20s(%.20s=%s)", facts->name, parameter->name, word);
	visit_one(tour, problem, algorithm);
}

/* With the fallbacks, then with each value that a parameter may have. */
static void visit_parameters(struct tour *tour, const struct ordo_problem *problem,
	const struct ordo_algorithm_facts *facts)
{
	visit_one(tour, problem, facts->name);
	for (uint32_t i = 0; tour->range->all_parameters && i < facts->nparameter; i++)
		for (const char *value = facts->parameters[i].values; *value;) {
			const size_t length = strcspn(value, "|");
			visit_value(tour, problem, facts, &facts->parameters[i], value, length);
			value += length + (value[length] == '|');
		}
}

static void visit_chunks(
	struct tour *tour, struct ordo_problem problem, const struct ordo_algorithm_facts *facts)
{
	const uint32_t chunks[] = {0, 2, 1, 3, problem.nrank + 1};
	for (uint32_t i = 0; i < (tour->range->all_chunks ? 5 : 2); i++) {
		if (i == 4 && problem.nrank <= 2)
			continue;
		problem.chunks_per_block = chunks[i];
		visit_parameters(tour, &problem, facts);
	}
}

/* One shard a rank, in place and out of place; then, if they are added, two, and three or four. */
static void visit_shards(
	struct tour *tour, struct ordo_problem problem, const struct ordo_algorithm_facts *facts)
{
	const struct ordo_operator_facts *facts_of_op = ordo_operator_facts(problem.op);
	const uint32_t shards[] = {2 * problem.nrank, 3 * problem.nrank + 1};
	for (int in_place = 0; in_place <= facts_of_op->has_in_place; in_place++) {
		problem.in_place = in_place;
		visit_chunks(tour, problem, facts);
	}
	problem.in_place = false;
	for (int i = 0; facts_of_op->reduces && i < 2; i++) {
		problem.nshard = shards[i];
		visit_chunks(tour, problem, facts);
	}
}

static void visit_problems(struct tour *tour, const struct ordo_algorithm_facts *facts,
	enum ordo_operator op, uint32_t nrank)
{
	const struct ordo_operator_facts *facts_of_op = ordo_operator_facts(op);
	for (uint32_t root = 0; root < (facts_of_op->rooted ? nrank : 1); root++) {
		const struct ordo_problem problem = {
			.op = op, .nrank = nrank, .root = root, .nshard = nrank};
		if (tour->range->all_roots || root == 0 || root + 1 == nrank)
			visit_shards(tour, problem, facts);
	}
}

static bool is_meant(const struct specimen_range *range, const struct ordo_algorithm_facts *facts)
{
	return !range->algorithm || !strcmp(range->algorithm, facts->name);
}

struct specimen_count visit_specimens(
	const struct specimen_range *range, visit_specimen *visit, void *closure)
{
	struct tour tour = {.range = range, .visit = visit, .closure = closure};
	uint32_t nalgorithm;
	const struct ordo_algorithm_facts *const *algorithms = ordo_algorithms(&nalgorithm);
	for (uint32_t n = range->first_rank; n <= range->last_rank; n++)
		for (uint32_t i = 0; i < nalgorithm; i++)
			for (int op = 0; op < ORDO_NOPERATOR; op++)
				if (is_meant(range, algorithms[i]) &&
					algorithms[i]->operators >> op & 1)
					visit_problems(
						&tour, algorithms[i], (enum ordo_operator)op, n);
	return tour.count;
}
