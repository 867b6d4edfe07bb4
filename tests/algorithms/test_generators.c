/* test_generators.c - what is generated is what is compiled, task for task, and no other request is
 * generated. */
#include <ordo/compiler.h>
#include <ordo/detail/generators.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t failures, compared;

static void check(const char *what, const char *algorithm, uint32_t nrank, bool good)
{
	if (!good)
		printf("%s, %u ranks: %s\n", algorithm, nrank, what);
	failures += !good;
}

static void compare_streams(const struct ordo_schedule *a, const struct ordo_schedule *b,
	const char *algorithm, uint32_t nrank)
{
	for (uint32_t s = 0; s < a->nstream && s < b->nstream; s++)
		check("the same streams", algorithm, nrank,
			a->streams[s].rank == b->streams[s].rank &&
				a->streams[s].first == b->streams[s].first &&
				a->streams[s].end == b->streams[s].end &&
				!strcmp(a->streams[s].name, b->streams[s].name));
	for (uint32_t i = 0; i < a->ntask && i < b->ntask; i++)
		if (memcmp(&a->tasks[i], &b->tasks[i], sizeof *a->tasks) != 0) {
			char left[128], right[128];
			ordo_task_print(&a->tasks[i], left, sizeof left);
			ordo_task_print(&b->tasks[i], right, sizeof right);
			printf("task %u is %s, phase %u, wanted %s, phase %u\n", i, left,
				a->tasks[i].phase, right, b->tasks[i].phase);
			check("the same tasks", algorithm, nrank, false);
			return;
		}
}

static void compare(const char *algorithm, const struct ordo_problem *problem)
{
	struct ordo_programs programs;
	struct ordo_error error;
	const struct ordo_request request = {.problem = *problem, .algorithm = algorithm};
	struct ordo_schedule *compiled = ordo_compile(&request, &error), *generated = NULL;
	const bool applies = ordo_generate(algorithm, problem, &programs, &error);
	check("generated if there is such a thing", algorithm, problem->nrank,
		applies == (compiled && problem->nrank > 1));
	if (applies && compiled) {
		generated = ordo_programs_gather(&programs, &error);
		check("gathered", algorithm, problem->nrank, generated);
	}
	if (generated) {
		check("of the same name", algorithm, problem->nrank,
			!strcmp(generated->algorithm, compiled->algorithm));
		check("of the same size", algorithm, problem->nrank,
			generated->ntask == compiled->ntask &&
				generated->nstream == compiled->nstream &&
				generated->scratch_slots == compiled->scratch_slots &&
				programs.nphase == compiled->nphase &&
				generated->problem.chunks_per_block ==
					compiled->problem.chunks_per_block);
		compare_streams(generated, compiled, algorithm, problem->nrank);
		compared++;
	}
	ordo_schedule_destroy(generated);
	ordo_schedule_destroy(compiled);
}

static void check_refusals(void)
{
	const struct ordo_problem four = {.op = ORDO_ALLREDUCE, .nrank = 4, .nshard = 4};
	struct ordo_programs programs;
	struct ordo_problem problem = four;
	problem.in_place = true;
	check("not in place", "ring", 4, !ordo_generate("ring", &problem, &programs, NULL));
	problem = four;
	problem.chunks_per_block = 3;
	check("not with other chunks", "ring", 4,
		!ordo_generate("ring", &problem, &programs, NULL));
	problem = four;
	problem.nshard = 8;
	check("not with other shards", "ring", 4,
		!ordo_generate("ring", &problem, &programs, NULL));
	check("not what there is not", "mesh", 4, !ordo_generate("mesh", &four, &programs, NULL));
	problem = four;
	problem.op = ORDO_ALLTOALL;
	check("not for other operators", "ring", 4,
		!ordo_generate("ring", &problem, &programs, NULL));
}

int main(int argc, char **argv)
{
	const uint32_t last = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 64;
	uint32_t count;
	const struct ordo_generator_facts *const *generators = ordo_generators(&count);
	for (uint32_t i = 0; i < count; i++)
		for (int op = 0; op < ORDO_NOPERATOR; op++)
			for (uint32_t n = 1; n <= last && generators[i]->operators >> op & 1; n++)
				compare(generators[i]->name,
					&(struct ordo_problem){.op = (enum ordo_operator)op,
						.nrank = n,
						.nshard = n});
	check_refusals();
	printf("%u generated schedules are what is compiled\n", compared);
	return failures || compared < 5 * (last - 1) ? EXIT_FAILURE : EXIT_SUCCESS;
}
