/* specimens.c - every algorithm for every operator it has, over ranks, roots, chunks, places and parameters.
 */
#include "specimens.h"

#include <stdio.h>
#include <string.h>

struct tour {
	const struct specimen_range *range;
	visit_specimen *visit;
	void *closure;
	struct specimen_count count;
};

static void visit_one(struct tour *tour, const struct ordo_problem *problem, const char *algorithm)
{
	struct specimen specimen = {.problem = *problem};
	struct ordo_error error;
	const struct ordo_request request = {.problem = *problem, .algorithm = algorithm};
	snprintf(specimen.algorithm, sizeof specimen.algorithm, "%s", algorithm);
	char chunks[32] = "natural chunks";
	if (problem->chunks_per_block)
		snprintf(chunks, sizeof chunks, "%u chunks a block", problem->chunks_per_block);
	snprintf(specimen.title, sizeof specimen.title, "%s %s, %u ranks, root %u, %s%s",
		ordo_operator_facts(problem->op)->name, algorithm, problem->nrank, problem->root, chunks,
		problem->in_place ? ", in place" : "");
	struct ordo_schedule *schedule = ordo_compile(&request, &error);
	if (schedule) {
		specimen.problem = schedule->problem;
		tour->count.visited++;
		tour->visit(&specimen, schedule, tour->closure);
	} else if (error.code == ORDO_USAGE) {
		tour->count.inapplicable++;
	} else {
		tour->count.failed++;
		printf("%s: R%d %s\n", specimen.title, error.rule, error.text);
	}
	ordo_schedule_destroy(schedule);
}

/* Calls visit_one with the fallbacks, then with each word or small number that a parameter's values name. */
static void visit_parameters(
	struct tour *tour, const struct ordo_problem *problem, const struct ordo_algorithm_facts *facts)
{
	visit_one(tour, problem, facts->name);
	for (uint32_t i = 0; tour->range->all_parameters && i < facts->nparameter; i++) {
		const struct ordo_parameter *parameter = &facts->parameters[i];
		for (const char *value = parameter->values; *value;) {
			const size_t length = strcspn(value, "|");
			char algorithm[96];
			snprintf(algorithm, sizeof algorithm - 64, "%s(%s=", facts->name, parameter->name);
			strncat(algorithm, value, length < 60 ? length : 60);
			strcat(algorithm, ")");
			if (!memchr(value, ',', length) && !memchr(value, ' ', length) &&
				strncmp(value, parameter->fallback, length))
				visit_one(tour, problem, algorithm);
			value += length;
			value += *value == '|';
		}
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

static void visit_problems(
	struct tour *tour, const struct ordo_algorithm_facts *facts, enum ordo_operator op, uint32_t nrank)
{
	const struct ordo_operator_facts *facts_of_op = ordo_operator_facts(op);
	for (uint32_t root = 0; root < (facts_of_op->rooted ? nrank : 1); root++)
		for (int in_place = 0; in_place <= facts_of_op->has_in_place; in_place++) {
			const struct ordo_problem problem = {.op = op,
				.nrank = nrank,
				.root = root,
				.nshard = nrank,
				.in_place = in_place};
			if (tour->range->all_roots || root == 0 || root + 1 == nrank)
				visit_chunks(tour, problem, facts);
		}
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
				if (algorithms[i]->operators >> op & 1)
					visit_problems(&tour, algorithms[i], (enum ordo_operator)op, n);
	return tour.count;
}
