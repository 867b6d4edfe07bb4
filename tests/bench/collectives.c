/* collectives.c - the cells inside one process: PROGRAM CONTENDER[:ALGORITHM] RANKS SECONDS
 * OPERATOR:BYTES... or PROGRAM tasks RANKS SECONDS
 *
 * Prints a line of JSON for every cell. tests/bench/collectives.py runs it, beside the same under
 * MPI.
 */
#include "contenders.h"
#include "team.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int usage(void)
{
	fprintf(stderr,
		"usage: bench_collectives CONTENDER[:ALGORITHM] RANKS SECONDS OPERATOR:BYTES...\n"
		"       bench_collectives tasks RANKS SECONDS\n\n");
	for (size_t i = 0; i < ncontender; i++)
		fprintf(stderr, "  %-14s %s\n", contenders[i].name, contenders[i].meaning);
	return 2;
}

static const struct contender *contender_named(const char *text)
{
	const size_t length = strcspn(text, ":");
	for (size_t i = 0; i < ncontender; i++)
		if (strlen(contenders[i].name) == length &&
			!strncmp(text, contenders[i].name, length))
			return &contenders[i];
	return NULL;
}

/* One call drives two cores, which can sum their halves of the ranks apart before they meet. Worth
 * it for these sizes only. */
static bool is_summed_by_halves(const struct contender *contender, const struct cell *cell)
{
	const uint64_t bytes = cell->count * sizeof(float);
	return !strcmp(contender->name, "ordo-pool") && cell->operator== CELL_ALLREDUCE &&
							cell->nrank >= 8 && cell->nrank % 2 == 0 &&
							bytes >= 4 << 10 && bytes <= 128 << 10;
}

/* Every rank deals with every other, and sums in one pass over all inputs, or over those of its
 * half. */
static const char *usual_algorithm(const struct contender *contender, const struct cell *cell)
{
	static char by_halves[64];
	const bool reduces = cell->operator== CELL_ALLREDUCE || cell->operator== CELL_REDUCESCATTER;
	if (!is_summed_by_halves(contender, cell))
		return reduces ? "mesh(fold=linear)" : "mesh";
	snprintf(by_halves, sizeof by_halves,
		"hierarchical(mesh(fold=linear),mesh,sizes=[%" PRIu32 ",2])", cell->nrank / 2);
	return by_halves;
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return usage();
	const uint32_t nrank = (uint32_t)strtoul(argv[2], NULL, 10);
	const double budget_s = strtod(argv[3], NULL);
	if (!strcmp(argv[1], "tasks")) {
		measure_interpretation(nrank, budget_s);
		return 0;
	}
	const struct contender *contender = contender_named(argv[1]);
	if (!contender || nrank < 2 || nrank > TEAM_MOST)
		return usage();
	const char *colon = strchr(argv[1], ':'), *wanted = colon ? colon + 1 : NULL;
	for (int i = 4; i < argc; i++) {
		struct cell cell;
		if (!cell_read(argv[i], nrank, &cell))
			return usage();
		const char *algorithm = wanted ? wanted : usual_algorithm(contender, &cell);
		const struct measured measured = contender->measure(&cell, algorithm, budget_s);
		cell_report(argv[1], &cell, measured.seconds, measured.nwrong,
			contender->scheduled ? algorithm : NULL);
	}
	return 0;
}
