/* test_nans.c - reductions have the same bits on every transport, NaNs included: those of the
 * trees.
 *
 * Data are numbers, special values and NaNs of both signs, signalling and quiet, with any payload.
 * What a tree means is spelled out element by element; tasks, by one thread and by several, and
 * folds have to give just that.
 *
 * Arguments: the largest number of ranks (9), compile every so manieth request (23), and how many
 * documents there must be at least (100).
 */
#include "element_reference.h"
#include "half_reference.h"
#include "mutate.h"
#include "specimens.h"
#include <math.h>
#include <ordo/communicator.h>
#include <ordo/detail/accumulate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One document, bound. */
struct subject {
	const char *title;
	const struct ordo_schedule *schedule;
	const struct ordo_proof *proof;
	struct ordo_plan_options options;
	enum ordo_type accumulator;
	size_t size; /* of an element */
	uint32_t nrank, nshard, nvector;
	unsigned char **shards; /* [nshard] a whole vector each, so long: */
	uint64_t nelement;
	unsigned char **inputs, **wanted, **found; /* [nrank] */
	uint64_t *ninput, *noutput;		   /* [nrank] bytes */
};

struct bench {
	uint32_t nvisit, nwrong;
	uint64_t nelement, nnan;
};

static void *allocate(size_t bytes)
{
	void *memory = calloc(1, bytes + 1);
	if (!memory)
		abort();
	return memory;
}

/* The bits of infinity; more than that, without the sign, is a NaN. */
static uint64_t infinity_of(enum ordo_type type)
{
	static const uint64_t bits[] = {[ORDO_F16] = 0x7c00,
		[ORDO_BF16] = 0x7f80,
		[ORDO_F32] = 0x7f800000,
		[ORDO_F64] = UINT64_C(0x7ff0000000000000)};
	return bits[type];
}

static uint64_t bits_of(const unsigned char *element, size_t size)
{
	uint64_t bits = 0;
	memcpy(&bits, element, size);
	return bits;
}

static bool is_nan(enum ordo_type type, const unsigned char *element)
{
	const size_t size = ordo_type_size(type);
	const uint64_t sign = UINT64_C(1) << (8 * size - 1);
	return (bits_of(element, size) & (sign - 1)) > infinity_of(type);
}

static void make_element(enum ordo_type type, unsigned char *element, uint64_t *state)
{
	const size_t size = ordo_type_size(type);
	const uint64_t random = next_random(state), infinity = infinity_of(type),
		       sign = UINT64_C(1) << (8 * size - 1);
	const uint64_t payload = next_random(state) & (sign - 1) & ~infinity;
	const uint64_t bits = (random >> 63 ? sign : 0) | infinity | payload | !payload;
	size_t nspecial;
	const unsigned char *special = special_values(type, &nspecial);
	if (random % 32 == 0)
		memcpy(element, &bits, size);
	else if (random % 32 == 1)
		memcpy(element, special + below(state, (uint32_t)nspecial) * size, size);
	else
		ordo_element_put(type, element, 0,
			ordo_type_round(type, (double)(int32_t)(random >> 16) /
						      (double)(UINT32_C(1) << (20 + random % 11))));
}

/* What the accumulator holds of an element of the type, and back. */
static void widen(const struct subject *subject, unsigned char *wide, const unsigned char *element)
{
	const float value = (float)ordo_element_get(subject->options.type, element, 0);
	if (subject->accumulator == subject->options.type)
		memcpy(wide, element, subject->size);
	else
		memcpy(wide, &value, sizeof value);
}

/* Positive, quiet, without payload: the quiet bit is the one below the exponent. */
static void put_nan(enum ordo_type type, unsigned char *element)
{
	const uint64_t infinity = infinity_of(type), bits = infinity | (infinity & -infinity) >> 1;
	memcpy(element, &bits, ordo_type_size(type));
}

static void narrow(const struct subject *subject, unsigned char *element, const unsigned char *wide)
{
	uint32_t bits;
	uint16_t half;
	if (subject->accumulator == subject->options.type) {
		memcpy(element, wide, subject->size);
		return;
	}
	memcpy(&bits, wide, sizeof bits);
	half = half_from_float_reference(subject->options.type, bits);
	memcpy(element, &half, sizeof half);
	if (is_nan(ORDO_F32, wide))
		put_nan(subject->options.type, element);
}

/* In the accumulator, one operation after another. */
static void evaluate(
	const struct subject *subject, uint32_t tree, uint64_t at, unsigned char wide[static 8])
{
	const uint32_t *node = subject->proof->trees.nodes[tree];
	unsigned char right[8];
	if (node[0] == ORDO_NONE) {
		widen(subject, wide, subject->shards[node[1]] + at * subject->size);
		return;
	}
	evaluate(subject, node[0], at, wide);
	evaluate(subject, node[1], at, right);
	element_reference(subject->accumulator, subject->options.reduction, wide, right);
}

static void evaluate_output(
	const struct subject *subject, uint32_t tree, uint64_t at, unsigned char *output)
{
	const enum ordo_type type = subject->options.type;
	unsigned char wide[8];
	evaluate(subject, tree, at, wide);
	narrow(subject, output, wide);
	if (subject->options.reduction != ORDO_AVG || subject->nshard == 1)
		return;
	if (is_nan(type, output))
		put_nan(type, output);
	else
		ordo_element_put(
			type, output, 0, ordo_element_get(type, output, 0) / subject->nshard);
}

static uint32_t tree_of(const struct ordo_proof *proof, uint32_t chunk, uint32_t rank)
{
	for (uint32_t i = 0; i < proof->ncopy; i++)
		if (proof->copies[i].chunk == chunk && proof->copies[i].rank == rank)
			return proof->copies[i].tree;
	return proof->chunk_tree[chunk];
}

/* Where a chunk begins in a whole vector. */
static uint64_t chunk_begin(const struct subject *subject, uint32_t chunk)
{
	const uint32_t K = subject->schedule->problem.chunks_per_block;
	return chunk / K * subject->options.count +
	       ordo_chunk_begin(subject->options.count, K, chunk % K, 1);
}

static void mean(const struct subject *subject)
{
	const struct ordo_problem *problem = &subject->schedule->problem;
	for (uint32_t rank = 0; rank < subject->nrank; rank++) {
		unsigned char *to = subject->wanted[rank];
		for (uint32_t slot = 0; slot < ordo_output_slots(problem, rank); slot++) {
			const uint32_t chunk = ordo_output_chunk(problem, rank, slot),
				       tree = tree_of(subject->proof, chunk, rank);
			for (uint64_t at = chunk_begin(subject, chunk);
				at < chunk_begin(subject, chunk + 1); at++, to += subject->size)
				evaluate_output(subject, tree, at, to);
		}
	}
}

static void fill(const struct subject *subject)
{
	const struct ordo_problem *problem = &subject->schedule->problem;
	for (uint32_t rank = 0; rank < subject->nrank; rank++) {
		const uint32_t first = ordo_first_shard(problem, rank),
			       end = ordo_first_shard(problem, rank + 1);
		for (uint32_t shard = first; shard < end; shard++)
			memcpy(subject->inputs[rank] +
					(shard - first) * subject->nelement * subject->size,
				subject->shards[shard], subject->nelement * subject->size);
		memset(subject->found[rank], 0xee, subject->noutput[rank]);
	}
}

static void compare(const struct subject *subject, const char *how, bool worked,
	const struct ordo_error *error, struct bench *bench)
{
	const char *type = ordo_type_name(subject->options.type),
		   *reduction = ordo_reduction_name(subject->options.reduction);
	if (!worked && bench->nwrong++ < 9)
		printf("# %s, %s %s, by %s: %s\n", subject->title, type, reduction, how,
			error->text);
	for (uint32_t rank = 0; worked && rank < subject->nrank; rank++)
		for (uint64_t i = 0; i < subject->noutput[rank]; i += subject->size) {
			const unsigned char *wanted = subject->wanted[rank] + i,
					    *found = subject->found[rank] + i;
			bench->nelement++;
			bench->nnan += is_nan(subject->options.type, wanted);
			if (!memcmp(wanted, found, subject->size) || bench->nwrong++ > 8)
				continue;
			printf("# %s, %s %s, by %s: rank %u, element %llu: found %llx, wanted "
			       "%llx\n",
				subject->title, type, reduction, how, rank,
				(unsigned long long)(i / subject->size),
				(unsigned long long)bits_of(found, subject->size),
				(unsigned long long)bits_of(wanted, subject->size));
		}
}

/* As the plan is written: by two seeds, by one worker, by two, and by a thread a rank. */
static void run_tasks(const struct subject *subject, struct ordo_plan *plan, struct bench *bench)
{
	struct ordo_error error;
	bool bound = true;
	for (uint32_t rank = 0; bound && rank < subject->nrank; rank++)
		bound = ordo_plan_bind(
			plan, rank, subject->inputs[rank], subject->found[rank], &error);
	for (uint64_t seed = 0; seed < 2; seed++) {
		fill(subject);
		compare(subject, "seeded tasks", bound && ordo_plan_run_seeded(plan, seed, &error),
			&error, bench);
	}
	fill(subject);
	compare(subject, "tasks on threads", ordo_plan_run_threads(plan, bench->nvisit % 3, &error),
		&error, bench);
}

static bool run_by_tickets(struct ordo_communicator *communicator, const struct ordo_part *parts,
	struct ordo_error *error)
{
	struct ordo_ticket tickets[64];
	const uint32_t nrank = ordo_collective_problem(parts->collective)->nrank;
	bool worked = nrank <= 64;
	for (uint32_t rank = 0; worked && rank < nrank; rank++)
		worked = ordo_communicator_start(
			communicator, rank, &parts[rank], &tickets[rank], error);
	for (uint32_t rank = 0; worked && rank < nrank; rank++)
		worked = ordo_communicator_wait(communicator, &tickets[rank], error);
	return worked;
}

/* All at once, and started rank by rank: few bytes are then folded by every rank for itself. */
static void run_folds(const struct subject *subject, struct bench *bench)
{
	struct ordo_error error;
	struct ordo_collective *collective =
		ordo_collective_create(subject->schedule, &subject->options, &error);
	struct ordo_communicator *communicator = ordo_communicator_create(
		&(struct ordo_communicator_options){
			.nrank = subject->nrank, .nhelper = bench->nvisit % 2},
		&error);
	struct ordo_part *parts = allocate(subject->nrank * sizeof *parts);
	for (uint32_t rank = 0; rank < subject->nrank; rank++)
		parts[rank] = (struct ordo_part){.collective = collective,
			.input = subject->inputs[rank],
			.output = subject->found[rank]};
	const bool made = collective && communicator;
	fill(subject);
	compare(subject, "folds", made && ordo_communicator_run_all(communicator, parts, &error),
		&error, bench);
	fill(subject);
	compare(subject, "started folds", made && run_by_tickets(communicator, parts, &error),
		&error, bench);
	free(parts);
	ordo_communicator_destroy(communicator);
	ordo_collective_destroy(collective);
}

static unsigned char **allocate_all(uint32_t count, const uint64_t *bytes, uint64_t each)
{
	unsigned char **all = allocate(count * sizeof *all);
	for (uint32_t i = 0; i < count; i++)
		all[i] = allocate(bytes ? bytes[i] : each);
	return all;
}

static void free_all(unsigned char **all, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		free(all[i]);
	free(all);
}

static void judge(struct subject *subject, struct ordo_plan *plan, struct bench *bench)
{
	uint64_t state = bench->nvisit + 1;
	subject->ninput = allocate(subject->nrank * sizeof *subject->ninput);
	subject->noutput = allocate(subject->nrank * sizeof *subject->noutput);
	for (uint32_t rank = 0; rank < subject->nrank; rank++) {
		subject->ninput[rank] = ordo_plan_input_bytes(plan, rank);
		subject->noutput[rank] = ordo_plan_output_bytes(plan, rank);
	}
	subject->shards = allocate_all(subject->nshard, NULL, subject->nelement * subject->size);
	subject->inputs = allocate_all(subject->nrank, subject->ninput, 0);
	subject->wanted = allocate_all(subject->nrank, subject->noutput, 0);
	subject->found = allocate_all(subject->nrank, subject->noutput, 0);
	for (uint32_t shard = 0; shard < subject->nshard; shard++)
		for (uint64_t i = 0; i < subject->nelement; i++)
			make_element(subject->options.type,
				subject->shards[shard] + i * subject->size, &state);
	mean(subject);
	run_tasks(subject, plan, bench);
	run_folds(subject, bench);
	free_all(subject->shards, subject->nshard);
	free_all(subject->inputs, subject->nrank);
	free_all(subject->wanted, subject->nrank);
	free_all(subject->found, subject->nrank);
	free(subject->ninput);
	free(subject->noutput);
}

static void judge_schedule(const char *title, const struct ordo_schedule *schedule, uint32_t number,
	struct bench *bench)
{
	const struct ordo_problem *problem = &schedule->problem;
	static const uint64_t counts[] = {1, 3, 37, 150, 1100};
	struct ordo_error error;
	struct ordo_proof *proof = ordo_verify(schedule, NULL, &error);
	struct subject subject = {.title = title,
		.schedule = schedule,
		.proof = proof,
		.nrank = problem->nrank,
		.nshard = problem->nshard,
		.options = {.type = (enum ordo_type)(number % 4),
			.reduction = (enum ordo_reduction)(number / 4 % (ORDO_AVG + 1)),
			.count = counts[number % 5]}};
	if (problem->accumulate)
		subject.options.type = (enum ordo_type)(number % 2);
	subject.accumulator = ordo_accumulator(problem, subject.options.type);
	subject.size = ordo_type_size(subject.options.type);
	subject.nelement = subject.options.count * ordo_nblock(problem);
	struct ordo_plan *plan =
		proof ? ordo_plan_create(schedule, &subject.options, &error) : NULL;
	if (!plan || !proof->proved) {
		printf("# %s: %s\n", title, error.text);
		abort();
	}
	judge(&subject, plan, bench);
	bench->nvisit++;
	ordo_plan_destroy(plan);
	ordo_proof_destroy(proof);
}

static void visit(
	const struct specimen *specimen, const struct ordo_schedule *schedule, void *closure)
{
	struct bench *bench = closure;
	/* Buffers here are out of place. */
	if (!ordo_operator_facts(specimen->problem.op)->reduces || specimen->problem.in_place)
		return;
	judge_schedule(specimen->title, schedule, bench->nvisit, bench);
	if (bench->nvisit % 3)
		return;
	struct ordo_request request = {
		.problem = specimen->problem, .algorithm = specimen->algorithm};
	struct ordo_error error;
	request.problem.accumulate = ORDO_ACCUMULATE_F32;
	struct ordo_schedule *accumulating = ordo_compile(&request, &error);
	if (!accumulating)
		abort();
	judge_schedule(specimen->title, accumulating, bench->nvisit, bench);
	ordo_schedule_destroy(accumulating);
}

int main(int argc, char **argv)
{
	struct bench bench = {.nvisit = 0};
	const uint32_t wanted = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 100;
	const struct specimen_range range = {.first_rank = 1,
		.last_rank = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 9,
		.every = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 23,
		.all_chunks = true,
		.all_parameters = true};
	const struct specimen_count count = visit_specimens(&range, visit, &bench);
	const bool enough = !count.failed && bench.nvisit >= wanted &&
			    bench.nnan > bench.nelement / 20 &&
			    bench.nnan < bench.nelement - bench.nelement / 20;
	printf("1..1\n%sok 1 - %u documents, %llu elements, %llu of them NaN, have the bits of "
	       "their trees by tasks and folds\n",
		enough && !bench.nwrong ? "" : "not ", bench.nvisit,
		(unsigned long long)bench.nelement, (unsigned long long)bench.nnan);
	return enough && !bench.nwrong ? EXIT_SUCCESS : EXIT_FAILURE;
}
