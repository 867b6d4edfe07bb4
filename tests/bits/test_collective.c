/* test_collective.c - collectives give the bits that the tasks give: every algorithm and operator,
 * in place or not, every type, counts from nothing on, blocks of different sizes, on callers'
 * threads and helpers.
 *
 * Arguments: the largest number of ranks (9), compile every so manieth request (3).
 */
#include "mutate.h"
#include "specimens.h"
#include <ordo/communicator.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Buffers are followed by so many bytes that nobody may write. */
#define GUARD 64
#define GUARD_BYTE 0x5a

struct bench {
	uint32_t nvisit, nrun, nwrong;
};

/* Buffers of all ranks, begun at an odd address if they are to be. */
struct memory {
	uint32_t nrank;
	uint64_t *ninput, *noutput; /* bytes */
	unsigned char **inputs, **outputs;
	uint32_t shift;
};

static void *allocate(size_t bytes)
{
	void *memory = malloc(bytes + 1);
	if (!memory)
		abort();
	return memory;
}

/* Finite numbers of every size that do not overflow soon, or any integers. */
static void fill(enum ordo_type type, unsigned char *memory, uint64_t nbyte, uint64_t seed)
{
	const uint64_t size = ordo_type_size(type);
	for (uint64_t i = 0; i < nbyte / size; i++) {
		const uint64_t bits = next_random(&seed), words[2] = {bits, next_random(&seed)};
		const double number =
			(double)(int32_t)(bits >> 32) / (double)(UINT32_C(1) << (20 + bits % 11));
		if (ordo_type_facts(type)->is_float)
			ordo_element_put(type, memory, i, ordo_type_round(type, number));
		else
			memcpy(memory + i * size, words, size);
	}
}

static struct memory open_memory(
	const struct ordo_collective *collective, uint32_t nrank, uint32_t shift)
{
	struct memory memory = {nrank, allocate(nrank * sizeof(uint64_t)),
		allocate(nrank * sizeof(uint64_t)), allocate(nrank * sizeof(void *)),
		allocate(nrank * sizeof(void *)), shift};
	for (uint32_t r = 0; r < nrank; r++) {
		memory.ninput[r] = ordo_collective_input_bytes(collective, r);
		memory.noutput[r] = ordo_collective_output_bytes(collective, r);
		memory.inputs[r] =
			(unsigned char *)allocate(memory.ninput[r] + shift + GUARD) + shift;
		memory.outputs[r] =
			(unsigned char *)allocate(memory.noutput[r] + shift + GUARD) + shift;
	}
	return memory;
}

static void close_memory(struct memory *memory)
{
	for (uint32_t r = 0; r < memory->nrank; r++) {
		free(memory->inputs[r] - memory->shift);
		free(memory->outputs[r] - memory->shift);
	}
	free(memory->inputs);
	free(memory->outputs);
	free(memory->ninput);
	free(memory->noutput);
}

static void refill(const struct memory *memory, enum ordo_type type)
{
	for (uint32_t r = 0; r < memory->nrank; r++) {
		fill(type, memory->inputs[r], memory->ninput[r], r + 1);
		memset(memory->inputs[r] + memory->ninput[r], GUARD_BYTE, GUARD);
		memset(memory->outputs[r], 0xee, memory->noutput[r]);
		memset(memory->outputs[r] + memory->noutput[r], GUARD_BYTE, GUARD);
	}
}

static bool is_guarded(const unsigned char *guard)
{
	for (int i = 0; i < GUARD; i++)
		if (guard[i] != GUARD_BYTE)
			return false;
	return true;
}

/* Inputs as they were, guards too, and these outputs. */
static bool are_right(
	const struct memory *memory, enum ordo_type type, unsigned char *const *wanted)
{
	bool right = true;
	for (uint32_t r = 0; r < memory->nrank; r++) {
		unsigned char *input = allocate(memory->ninput[r]);
		fill(type, input, memory->ninput[r], r + 1);
		right = right && !memcmp(input, memory->inputs[r], memory->ninput[r]) &&
			!memcmp(wanted[r], memory->outputs[r], memory->noutput[r]) &&
			is_guarded(memory->inputs[r] + memory->ninput[r]) &&
			is_guarded(memory->outputs[r] + memory->noutput[r]);
		free(input);
	}
	return right;
}

/* What the tasks make of it. */
static unsigned char **run_tasks(const struct ordo_schedule *schedule,
	const struct ordo_plan_options *options, const struct memory *memory)
{
	const uint32_t nrank = schedule->problem.nrank;
	struct ordo_error error;
	struct ordo_plan *plan = ordo_plan_create(schedule, options, &error);
	unsigned char **outputs = allocate(nrank * sizeof *outputs);
	bool worked = plan;
	for (uint32_t r = 0; worked && r < nrank; r++) {
		outputs[r] = allocate(memory->noutput[r]);
		worked = ordo_plan_bind(plan, r, memory->inputs[r], outputs[r], &error);
	}
	worked = worked && ordo_plan_run_seeded(plan, 7, &error);
	ordo_plan_destroy(plan);
	if (!worked) {
		printf("# the tasks: %s\n", error.text);
		abort();
	}
	return outputs;
}

struct caller {
	struct ordo_communicator *communicator;
	const struct ordo_part *part;
	uint32_t rank;
	bool worked;
	struct ordo_error error;
};

static void *call(void *argument)
{
	struct caller *caller = argument;
	caller->worked = ordo_communicator_run(
		caller->communicator, caller->rank, caller->part, &caller->error);
	return NULL;
}

static bool run_by_callers(struct ordo_communicator *communicator, const struct ordo_part *parts,
	uint32_t nrank, struct ordo_error *error)
{
	struct caller *callers = allocate(nrank * sizeof *callers);
	pthread_t *threads = allocate(nrank * sizeof *threads);
	bool worked = true;
	for (uint32_t r = 0; r < nrank; r++) {
		callers[r] =
			(struct caller){.communicator = communicator, .part = &parts[r], .rank = r};
		if (pthread_create(&threads[r], NULL, call, &callers[r]))
			abort();
	}
	for (uint32_t r = 0; r < nrank; r++) {
		pthread_join(threads[r], NULL);
		if (!callers[r].worked)
			*error = callers[r].error;
		worked &= callers[r].worked;
	}
	free(callers);
	free(threads);
	return worked;
}

/* Started by one thread, last rank first, and waited for. */
static bool run_by_tickets(struct ordo_communicator *communicator, const struct ordo_part *parts,
	uint32_t nrank, struct ordo_error *error)
{
	struct ordo_ticket *tickets = allocate(nrank * sizeof *tickets);
	bool worked = true;
	for (uint32_t r = nrank; worked && r > 0; r--)
		worked = ordo_communicator_start(
			communicator, r - 1, &parts[r - 1], &tickets[r - 1], error);
	for (uint32_t r = 0; worked && r < nrank; r++) {
		enum ordo_call_state state = ORDO_UNDER_WAY;
		while (r % 2 && state == ORDO_UNDER_WAY)
			state = ordo_communicator_test(communicator, &tickets[r], error);
		worked = r % 2 ? state == ORDO_OVER
			       : ordo_communicator_wait(communicator, &tickets[r], error);
	}
	free(tickets);
	return worked;
}

enum way { BY_ONE, BY_TICKETS, BY_CALLERS, IN_PLACE };

static bool run_way(enum way way, struct ordo_communicator *communicator,
	const struct ordo_part *parts, uint32_t nrank, struct ordo_error *error)
{
	if (way == BY_CALLERS)
		return run_by_callers(communicator, parts, nrank, error);
	if (way == BY_TICKETS)
		return run_by_tickets(communicator, parts, nrank, error);
	return ordo_communicator_run_all(communicator, parts, error);
}

/* In place, the parts are given one buffer, and the outputs are brought out of it. */
static bool run_in_place(struct ordo_communicator *communicator,
	const struct ordo_collective *collective, const struct memory *memory,
	struct ordo_error *error)
{
	struct ordo_part *parts = allocate(memory->nrank * sizeof *parts);
	unsigned char **wholes = allocate(memory->nrank * sizeof *wholes);
	uint64_t *skips = allocate(memory->nrank * sizeof *skips), before = 0;
	const enum ordo_operator op = ordo_collective_problem(collective)->op;
	const bool gathers = op == ORDO_ALLGATHER || op == ORDO_GATHER,
		   nests = gathers || op == ORDO_REDUCESCATTER || op == ORDO_SCATTER;
	for (uint32_t r = 0; r < memory->nrank; r++) {
		const uint64_t nin = memory->ninput[r], nout = memory->noutput[r];
		const bool is_output = nout && (gathers || !nin);
		wholes[r] = allocate(nin > nout ? nin : nout);
		skips[r] = nests && nin && nout ? before : 0;
		before += gathers ? nin : nout;
		fill(ordo_collective_type(collective), wholes[r] + (is_output ? skips[r] : 0), nin,
			r + 1);
		parts[r] = (struct ordo_part){.collective = collective,
			.input = is_output ? NULL : wholes[r],
			.output = is_output ? wholes[r] : NULL};
	}
	const bool worked = ordo_communicator_run_all(communicator, parts, error);
	for (uint32_t r = 0; r < memory->nrank; r++) {
		memcpy(memory->outputs[r], wholes[r] + (gathers ? 0 : skips[r]),
			memory->noutput[r]);
		free(wholes[r]);
	}
	free(parts);
	free(wholes);
	free(skips);
	return worked;
}

static void run_ways(const struct specimen *specimen, const struct ordo_collective *collective,
	const struct memory *memory, unsigned char *const *wanted, struct bench *bench)
{
	const struct ordo_problem *problem = &specimen->problem;
	const struct ordo_communicator_options options = {.nrank = problem->nrank,
		.nhelper = bench->nvisit % 3,
		.depth = 1 + bench->nvisit % 2};
	struct ordo_error error = {.text = "other bits"};
	struct ordo_communicator *communicator = ordo_communicator_create(&options, &error);
	struct ordo_part *parts = allocate(problem->nrank * sizeof *parts);
	if (!communicator)
		abort();
	for (uint32_t r = 0; r < problem->nrank; r++)
		parts[r] = (struct ordo_part){.collective = collective,
			.input = memory->inputs[r],
			.output = memory->outputs[r]};
	const bool may_be_in_place =
		ordo_operator_facts(problem->op)->has_in_place && problem->nshard == problem->nrank;
	for (enum way way = BY_ONE; way <= IN_PLACE; way++) {
		if ((way == BY_CALLERS && bench->nvisit % 4) ||
			(way == IN_PLACE && !may_be_in_place))
			continue;
		refill(memory, ordo_collective_type(collective));
		const bool worked =
			way == IN_PLACE ? run_in_place(communicator, collective, memory, &error)
					: run_way(way, communicator, parts, problem->nrank, &error);
		bench->nrun++;
		if (worked && are_right(memory, ordo_collective_type(collective), wanted))
			continue;
		if (bench->nwrong++ < 5)
			printf("# %s, way %d: %s\n", specimen->title, (int)way, error.text);
	}
	free(parts);
	ordo_communicator_destroy(communicator);
}

/* 0, 1, one less than the ranks, as many, one more, and more; or blocks of different sizes, some
 * empty. */
static void choose_counts(const struct ordo_problem *problem, uint32_t number,
	struct ordo_plan_options *options, uint64_t *block_count)
{
	const uint64_t counts[] = {
		0, 1, problem->nrank - 1, problem->nrank, problem->nrank + 1, 37, 1500};
	options->count = counts[number % 7];
	if (number % 5 || ordo_nblock(problem) == 1)
		return;
	for (uint32_t b = 0; b < ordo_nblock(problem); b++)
		block_count[b] = b * 11 % 7 * (number % 4);
	options->block_count = block_count;
}

/* The same specimen, holding sums in f32; the caller destroys it. */
static struct ordo_schedule *accumulate(const struct specimen *specimen)
{
	struct ordo_request request = {
		.problem = specimen->problem, .algorithm = specimen->algorithm};
	struct ordo_error error;
	request.problem.accumulate = ORDO_ACCUMULATE_F32;
	struct ordo_schedule *schedule = ordo_compile(&request, &error);
	if (!schedule) {
		printf("# %s, accumulating in f32: %s\n", specimen->title, error.text);
		abort();
	}
	return schedule;
}

static void visit(const struct specimen *specimen, const struct ordo_schedule *given, void *closure)
{
	struct bench *bench = closure;
	const struct ordo_problem *problem = &specimen->problem;
	/* The same trees. */
	if (problem->in_place)
		return;
	uint64_t *block_count = allocate(ordo_nblock(problem) * sizeof *block_count);
	const uint32_t number = bench->nvisit++;
	struct ordo_plan_options options = {.type = (enum ordo_type)(number % ORDO_NTYPE),
		.reduction = (enum ordo_reduction)(number / ORDO_NTYPE % ORDO_NREDUCTION)};
	struct ordo_error error;
	if (!ordo_has_reduction(options.type, options.reduction, NULL))
		options.reduction = ordo_type_facts(options.type)->kind == ORDO_PAIR
					    ? ORDO_MINLOC + number % 2
					    : ORDO_SUM;
	const bool may_accumulate = (options.type == ORDO_F16 || options.type == ORDO_BF16) &&
				    ordo_operator_facts(problem->op)->reduces && number / 3 % 2;
	struct ordo_schedule *own = may_accumulate ? accumulate(specimen) : NULL;
	const struct ordo_schedule *schedule = own ? own : given;
	choose_counts(problem, number, &options, block_count);
	struct ordo_collective *collective = ordo_collective_create(schedule, &options, &error);
	if (collective) {
		struct memory memory = open_memory(collective, problem->nrank, number % 3 ? 0 : 1);
		refill(&memory, options.type);
		unsigned char **wanted = run_tasks(schedule, &options, &memory);
		run_ways(specimen, collective, &memory, wanted, bench);
		for (uint32_t r = 0; r < problem->nrank; r++)
			free(wanted[r]);
		free(wanted);
		close_memory(&memory);
	} else if (bench->nwrong++ < 5) {
		printf("# %s: %s\n", specimen->title, error.text);
	}
	ordo_collective_destroy(collective);
	ordo_schedule_destroy(own);
	free(block_count);
}

int main(int argc, char **argv)
{
	const struct specimen_range range = {.first_rank = 1,
		.last_rank = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 9,
		.every = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 3,
		.all_roots = true,
		.all_chunks = true};
	struct bench bench = {0, 0, 0};
	const struct specimen_count count = visit_specimens(&range, visit, &bench);
	printf("1..2\n%s 1 - every algorithm compiles\n", count.failed ? "not ok" : "ok");
	printf("%s 2 - folded, %u schedules have the bits of their tasks in %u calls\n",
		bench.nwrong || !bench.nrun ? "not ok" : "ok", count.visited, bench.nrun);
	return bench.nwrong || count.failed || !bench.nrun ? EXIT_FAILURE : EXIT_SUCCESS;
}
