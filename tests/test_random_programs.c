/* test_random_programs.c - random sequential programs through the builder and the passes: what is derived must be right and minimal.
 *
 * Arguments: how many programs (400), first seed (1).
 */
#include "judging.h"
#include "mutate.h"
#include "passes.h"
#include "random_schedule.h"
#include "running.h"

#include <stdlib.h>

static uint32_t wrong;

static void complain(uint64_t seed, const struct ordo_schedule *schedule, const char *what)
{
	if (wrong++ >= 3)
		return;
	printf("seed %llu: %s\n", (unsigned long long)seed, what);
	if (schedule)
		print_handmade(schedule, stdout);
}

/* The "algorithm": says the program's moves, on a stream that each move's place in the program picks. */
static void say_program(struct ordo_builder *b, const struct ordo_recipe *recipe)
{
	const struct random_program *program = recipe->prepared;
	uint64_t random = program->nstep;
	const uint32_t nstream = 1 + below(&random, 3);
	ordo_scratch(b, program->scratch_slots);
	for (uint32_t i = 0; i < program->nstep; i++) {
		const struct random_step *step = &program->steps[i];
		const struct ordo_task *task = &step->task;
		const struct ordo_at from =
			ordo_at(step->rank, (enum ordo_buffer)task->src_buffer, task->src);
		const struct ordo_at to =
			ordo_at(step->target, (enum ordo_buffer)task->dst_buffer, task->dst);
		ordo_stream(b, "random", below(&random, nstream));
		if (ordo_task_reduces(task))
			ordo_reduce(b, to, from, task->count);
		else
			ordo_copy(b, to, from, task->count);
	}
}

static struct ordo_schedule *derive(
	struct random_program *program, uint64_t *guessed, struct ordo_error *error)
{
	const struct ordo_algorithm algorithm = {.facts = {.name = "random"}, .build = say_program};
	const struct ordo_recipe recipe = {.problem = program->problem,
		.nshard = program->problem.nshard,
		.algorithm = &algorithm,
		.notation = "random",
		.prepared = program};
	struct ordo_sequence sequence = {0};
	struct ordo_pairs pairs = {0};
	struct ordo_schedule *schedule = NULL;
	if (ordo_build(&recipe, &sequence, error) && ordo_merge(&sequence, error) &&
		ordo_order(&sequence, ORDO_SEARCH_VISITS, &pairs, error))
		schedule = ordo_emit(&recipe, &sequence, &pairs, error);
	*guessed = pairs.guessed;
	free(pairs.items);
	ordo_sequence_free(&sequence);
	return schedule;
}

/* Without any one pair it must not be sound. */
static uint32_t drop_pairs(const struct ordo_schedule *schedule, uint64_t seed)
{
	uint32_t dropped = 0;
	for (uint32_t t = 0; t < schedule->ntask; t++) {
		struct ordo_schedule *mutant = with_fault(schedule, FAULT_DROP_PAIR, t, 0);
		if (!mutant)
			continue;
		struct judgement judgement;
		judge_schedule(mutant, &(struct judging){0}, &judgement);
		dropped++;
		if (*judgement.quarrel)
			complain(seed, mutant, judgement.quarrel);
		else if (judgement.proved) {
			char what[64];
			snprintf(what, sizeof what, "the pair of task %u is superfluous", t);
			complain(seed, schedule, what);
		}
		ordo_schedule_destroy(mutant);
	}
	return dropped;
}

int main(int argc, char **argv)
{
	const uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 400;
	const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	const struct random_shape shape = {.max_ranks = 6, .max_chunks = 3, .shards = true};
	uint64_t dropped = 0, guesses = 0;
	for (uint64_t seed = first; seed < first + count; seed++) {
		struct random_program program;
		struct ordo_error error;
		uint64_t guessed;
		char why[512];
		random_program(&program, &shape, seed);
		struct ordo_schedule *schedule = derive(&program, &guessed, &error);
		if (!schedule) {
			complain(seed, NULL, error.text);
			continue;
		}
		struct judgement judgement;
		judge_schedule(schedule, &(struct judging){.max_states = 1000}, &judgement);
		if (*judgement.quarrel || !judgement.proved)
			complain(seed, schedule, *judgement.quarrel ? judgement.quarrel : "is not proved");
		else if (!runs_right(schedule, 5, false, why))
			complain(seed, schedule, why);
		else if (!guessed)
			dropped += drop_pairs(schedule, seed);
		guesses += guessed;
		ordo_schedule_destroy(schedule);
	}
	printf("%llu programs, %llu pairs dropped, %llu questions guessed, %u wrong\n",
		(unsigned long long)count, (unsigned long long)dropped, (unsigned long long)guesses, wrong);
	return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
