/* test_unequal.c - the V operators: every algorithm, on blocks of random sizes of which many are
 * empty, moves and adds what the operators mean, on all transports and folded, bit for bit.
 *
 * What is wanted is computed here from the definition of the operators and of the partition of a
 * block alone; of the proof it takes the trees of sums. The values are those of a hash of the
 * contributor and of the place of an element among those of all blocks.
 */
#include "check/execution.h"
#include "specimens.h"
#include <inttypes.h>
#include <ordo/detail/interpreter.h>
#include <ordo/detail/plans.h>
#include <stdlib.h>
#include <string.h>

struct unequal {
	uint64_t random;
	uint32_t nvisit, nwrong;
	char why[512];
};

/* The buffers of a problem whose blocks have counts. */
struct blocks {
	const struct ordo_problem *problem;
	const struct ordo_proof *proof;
	uint64_t *count, *begin; /* [nblock], [nblock + 1] */
	uint32_t nblock;
	enum ordo_type type;
};

static void *allocate(uint64_t size)
{
	void *memory = calloc(size + 1, 1);
	if (!memory)
		abort();
	return memory;
}

static uint64_t hash(uint64_t x)
{
	x ^= x >> 31;
	x *= UINT64_C(0x9e3779b97f4a7c15);
	x ^= x >> 29;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	return x ^ x >> 32;
}

static uint64_t draw(struct unequal *unequal)
{
	return hash(unequal->random++);
}

/* Half of the blocks are empty, and sometimes all or all but one. */
static void draw_counts(struct unequal *unequal, struct blocks *blocks)
{
	const uint64_t form = draw(unequal) % 8;
	for (uint32_t b = 0; b < blocks->nblock; b++) {
		const uint64_t one = draw(unequal);
		blocks->count[b] = one % 2 ? 0 : one / 2 % (one / 64 % 4 ? 9 : 60);
		if (form == 0 || (form == 1 && b != draw(unequal) % blocks->nblock))
			blocks->count[b] = 0;
		blocks->begin[b + 1] = blocks->begin[b] + blocks->count[b];
	}
}

/* The block that stands at place i of a rank's input or output; -1: none does. */
static int64_t input_block(const struct ordo_problem *problem, uint32_t rank, uint32_t i)
{
	if (problem->op == ORDO_ALLTOALL)
		return (int64_t)rank * problem->nrank + i;
	if (problem->op == ORDO_ALLGATHER || problem->op == ORDO_GATHER)
		return i ? -1 : (int64_t)rank;
	return problem->op == ORDO_SCATTER && rank != problem->root ? -1 : (int64_t)i;
}

static int64_t output_block(const struct ordo_problem *problem, uint32_t rank, uint32_t i)
{
	if (problem->op == ORDO_ALLTOALL)
		return (int64_t)i * problem->nrank + rank;
	if (problem->op == ORDO_REDUCESCATTER || problem->op == ORDO_SCATTER)
		return i ? -1 : (int64_t)rank;
	return problem->op == ORDO_GATHER && rank != problem->root ? -1 : (int64_t)i;
}

typedef int64_t block_at(const struct ordo_problem *problem, uint32_t rank, uint32_t i);

static uint64_t length_of(const struct blocks *blocks, uint32_t rank, block_at *at)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < blocks->problem->nrank; i++) {
		const int64_t block = at(blocks->problem, rank, i);
		n += block < 0 ? 0 : blocks->count[block];
	}
	return n;
}

static uint64_t bits_of(uint32_t source, uint64_t e)
{
	return hash(e * 1000003 + source);
}

static float float_of(uint32_t source, uint64_t e)
{
	const uint64_t bits = bits_of(source, e);
	return (float)(bits >> 40) * (bits % 2 ? 0x1p-20f : 0x1p-9f);
}

static void put(const struct blocks *blocks, void *memory, uint64_t i, uint32_t source, uint64_t e)
{
	if (blocks->type == ORDO_I64)
		((uint64_t *)memory)[i] = bits_of(source, e);
	else
		((float *)memory)[i] = float_of(source, e);
}

/* The chunk of an element of a block: b(k) = ceil(k n / K). */
static uint32_t chunk_of(const struct blocks *blocks, uint32_t block, uint64_t e)
{
	const uint64_t n = blocks->count[block], K = blocks->problem->chunks_per_block;
	uint32_t k = 0;
	while (((k + 1) * n + K - 1) / K <= e)
		k++;
	return block * (uint32_t)K + k;
}

static float sum_of_tree(const struct blocks *blocks, uint32_t tree, uint64_t e)
{
	const uint32_t *node = blocks->proof->trees.nodes[tree];
	if (node[0] == ORDO_NONE)
		return float_of(node[1], e);
	return sum_of_tree(blocks, node[0], e) + sum_of_tree(blocks, node[1], e);
}

/* Element e of a block, as it must be at the end. */
static void want(const struct blocks *blocks, void *memory, uint64_t i, uint32_t block, uint64_t e)
{
	const struct ordo_problem *problem = blocks->problem;
	const uint64_t place = blocks->begin[block] + e;
	if (problem->op != ORDO_REDUCESCATTER) {
		put(blocks, memory, i,
			problem->op == ORDO_ALLTOALL  ? block / problem->nrank
			: problem->op == ORDO_SCATTER ? problem->root
						      : block,
			place);
	} else if (blocks->type == ORDO_I64) {
		uint64_t sum = 0, one;
		for (uint32_t shard = 0; shard < problem->nshard; shard++, sum += one)
			put(blocks, &one, 0, shard, place);
		((uint64_t *)memory)[i] = sum;
	} else {
		((float *)memory)[i] = sum_of_tree(
			blocks, blocks->proof->chunk_tree[chunk_of(blocks, block, e)], place);
	}
}

/* Of a rank: its input, and what its output must be. */
static void fill_input(const struct blocks *blocks, uint32_t rank, void *input)
{
	const struct ordo_problem *problem = blocks->problem;
	const uint32_t first = (uint32_t)((uint64_t)rank * problem->nshard / problem->nrank),
		       end = (uint32_t)(((uint64_t)rank + 1) * problem->nshard / problem->nrank);
	const bool sums = problem->op == ORDO_REDUCESCATTER;
	uint64_t at = 0;
	for (uint32_t shard = first; shard < (sums ? end : first + 1); shard++)
		for (uint32_t i = 0; i < problem->nrank; i++) {
			const int64_t block = input_block(problem, rank, i);
			for (uint64_t e = 0; block >= 0 && e < blocks->count[block]; e++)
				put(blocks, input, at++, sums ? shard : rank,
					blocks->begin[block] + e);
		}
}

static void fill_wanted(const struct blocks *blocks, uint32_t rank, void *wanted)
{
	uint64_t at = 0;
	for (uint32_t i = 0; i < blocks->problem->nrank; i++) {
		const int64_t block = output_block(blocks->problem, rank, i);
		for (uint64_t e = 0; block >= 0 && e < blocks->count[block]; e++)
			want(blocks, wanted, at++, (uint32_t)block, e);
	}
}

struct memory {
	unsigned char *whole[2], *input, *output, *wanted;
	uint64_t input_size, output_size;
};

/* In place, the inner buffer begins at the rank's own block. */
static void open_memory(const struct blocks *blocks, uint32_t rank, struct memory *memory)
{
	const struct ordo_problem *problem = blocks->problem;
	const uint64_t size = ordo_type_size(blocks->type);
	const uint32_t nvector =
		problem->op == ORDO_REDUCESCATTER
			? (uint32_t)(((uint64_t)rank + 1) * problem->nshard / problem->nrank -
				     (uint64_t)rank * problem->nshard / problem->nrank)
			: 1;
	memory->input_size = nvector * length_of(blocks, rank, input_block) * size;
	memory->output_size = length_of(blocks, rank, output_block) * size;
	const bool outer_input = memory->input_size > memory->output_size;
	memory->whole[0] = allocate(outer_input ? memory->input_size : memory->output_size);
	memory->whole[1] = allocate(memory->input_size);
	memory->output = memory->whole[0];
	memory->input = memory->whole[1];
	memory->wanted = allocate(memory->output_size);
	if (problem->in_place) {
		const bool inner_input =
				   problem->op == ORDO_ALLGATHER || problem->op == ORDO_GATHER,
			   both = memory->input_size && memory->output_size &&
				  (problem->op == ORDO_ALLGATHER ||
					  problem->op == ORDO_REDUCESCATTER ||
					  rank == problem->root);
		const uint64_t offset = both ? blocks->begin[rank] * size : 0;
		memory->input = memory->whole[0] + (inner_input ? offset : 0);
		memory->output = memory->whole[0] + (inner_input ? 0 : offset);
	}
	fill_wanted(blocks, rank, memory->wanted);
}

static void refill(const struct blocks *blocks, struct memory *memories)
{
	for (uint32_t r = 0; r < blocks->problem->nrank; r++) {
		memset(memories[r].output, 0xee, memories[r].output_size);
		fill_input(blocks, r, memories[r].input);
	}
}

static bool are_right(const struct blocks *blocks, const struct memory *memories)
{
	for (uint32_t r = 0; r < blocks->problem->nrank; r++)
		if (memcmp(memories[r].output, memories[r].wanted, memories[r].output_size) != 0)
			return false;
	return true;
}

static bool fail(struct unequal *unequal, const char *way, const char *text)
{
	snprintf(unequal->why, sizeof unequal->why, "%s: %.480s", way, text);
	return false;
}

static bool run_tasks(struct unequal *unequal, const struct ordo_schedule *schedule,
	const struct blocks *blocks, struct memory *memories)
{
	struct ordo_error error = {.text = "the bits differ"};
	const struct ordo_plan_options options = {
		.type = blocks->type, .block_count = blocks->count, .tile_bytes = 64};
	struct ordo_plan *plan = ordo_plan_create(schedule, &options, &error);
	bool right = plan;
	for (uint32_t r = 0; right && r < blocks->problem->nrank; r++)
		right = ordo_plan_input_bytes(plan, r) == memories[r].input_size &&
			ordo_plan_output_bytes(plan, r) == memories[r].output_size &&
			ordo_plan_bind(plan, r, memories[r].input_size ? memories[r].input : NULL,
				memories[r].output_size ? memories[r].output : NULL, &error);
	for (uint32_t way = 0; right && way < 3; way++) {
		refill(blocks, memories);
		right = (way < 2 ? ordo_plan_run_seeded(plan, unequal->random + way, &error)
				 : ordo_plan_run_threads(plan, 2, &error)) &&
			are_right(blocks, memories);
	}
	ordo_plan_destroy(plan);
	return right || fail(unequal, "tasks", error.text);
}

static bool run_folded(struct unequal *unequal, const struct ordo_schedule *schedule,
	const struct blocks *blocks, struct memory *memories)
{
	struct ordo_error error = {.text = "the bits differ"};
	const uint32_t nrank = blocks->problem->nrank;
	const struct ordo_plan_options options = {
		.type = blocks->type, .block_count = blocks->count};
	const struct ordo_communicator_options how = {.nrank = nrank};
	struct ordo_part *parts = allocate(nrank * sizeof *parts);
	struct ordo_collective *collective = ordo_collective_create(schedule, &options, &error);
	struct ordo_communicator *communicator = ordo_communicator_create(&how, &error);
	for (uint32_t r = 0; r < nrank; r++)
		parts[r] = (struct ordo_part){.collective = collective,
			.input = memories[r].input_size ? memories[r].input : NULL,
			.output = memories[r].output_size ? memories[r].output : NULL};
	refill(blocks, memories);
	const bool right = collective && communicator &&
			   ordo_communicator_run_all(communicator, parts, &error) &&
			   are_right(blocks, memories);
	ordo_communicator_destroy(communicator);
	ordo_collective_destroy(collective);
	free(parts);
	return right || fail(unequal, "folded", error.text);
}

/* As `ordo run --counts --check` does it. */
static bool run_checked(
	struct unequal *unequal, const struct ordo_schedule *schedule, const struct blocks *blocks)
{
	struct ordo_error error = {0};
	struct execution execution = {0};
	const struct execution_options how = {.type = blocks->type,
		.block_count = blocks->count,
		.folded = unequal->random % 2,
		.seeded = true,
		.nworker = 2,
		.repeat = 1,
		.check = true};
	const bool right = execute(&execution, schedule, blocks->proof, &how, &error) &&
			   !is_wrong(&execution.check);
	if (!right)
		fail(unequal, "checked", error.text[0] ? error.text : execution.check.text);
	close_execution(&execution);
	return right;
}

static void visit(
	const struct specimen *specimen, const struct ordo_schedule *schedule, void *closure)
{
	struct unequal *unequal = closure;
	const struct ordo_problem *problem = &schedule->problem;
	if (!ordo_has_counts(problem->op))
		return;
	struct ordo_proof *proof = ordo_verify(schedule, NULL, NULL);
	struct blocks blocks = {.problem = problem,
		.proof = proof,
		.nblock = ordo_nblock(problem),
		.type = unequal->nvisit++ % 2 ? ORDO_I64 : ORDO_F32};
	struct memory *memories = allocate(problem->nrank * sizeof *memories);
	blocks.count = allocate(blocks.nblock * sizeof *blocks.count);
	blocks.begin = allocate((blocks.nblock + 1) * sizeof *blocks.begin);
	draw_counts(unequal, &blocks);
	for (uint32_t r = 0; r < problem->nrank; r++)
		open_memory(&blocks, r, &memories[r]);
	if (!run_tasks(unequal, schedule, &blocks, memories) ||
		!run_folded(unequal, schedule, &blocks, memories) ||
		!run_checked(unequal, schedule, &blocks)) {
		if (unequal->nwrong++ < 5)
			printf("# %s: %s\n", specimen->title, unequal->why);
	}
	for (uint32_t r = 0; r < problem->nrank; r++) {
		free(memories[r].whole[0]);
		free(memories[r].whole[1]);
		free(memories[r].wanted);
	}
	ordo_proof_destroy(proof);
	free(memories);
	free(blocks.count);
	free(blocks.begin);
}

int main(int argc, char **argv)
{
	const struct specimen_range range = {.first_rank = 1,
		.last_rank = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 7,
		.every = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 10,
		.all_roots = true,
		.all_chunks = true,
		.all_parameters = true};
	struct unequal unequal = {.random = argc > 3 ? strtoull(argv[3], NULL, 10) : 1};
	const struct specimen_count count = visit_specimens(&range, visit, &unequal);
	printf("1..2\n%s 1 - every algorithm compiles\n", count.failed ? "not ok" : "ok");
	printf("%s 2 - %" PRIu32 " schedules move and add blocks of unequal sizes rightly\n",
		unequal.nwrong || !unequal.nvisit ? "not ok" : "ok", unequal.nvisit);
	return unequal.nwrong || count.failed || !unequal.nvisit ? EXIT_FAILURE : EXIT_SUCCESS;
}
