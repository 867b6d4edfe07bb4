/* test_addresses.c - where everything lies, for counts that no machine has the memory for: chunks,
 * slots and folds against 128-bit arithmetic, and runs on buffers of which only what is touched
 * exists.
 */
#include "collective/collective.h"
#include "tasks/layout.h"
#include <ordo/communicator.h>
#include <ordo/compiler.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

__extension__ typedef unsigned __int128 wide;

static const uint64_t huge[] = {(UINT64_C(1) << 31) - 1, UINT64_C(1) << 31, (UINT64_C(1) << 31) + 1,
	(UINT64_C(1) << 32) - 1, (UINT64_C(1) << 32) + 5, (UINT64_C(1) << 40) + 7,
	(UINT64_C(1) << 50) - 3};
enum { NHUGE = 7, NCOUNT = 7 + NHUGE };

/* 0, 1, around the number of ranks and chunks, odd, and huge ones. */
static uint64_t count_of(int i, uint32_t nrank, uint32_t K)
{
	const uint64_t chunks = (uint64_t)nrank * K;
	const uint64_t small[NCOUNT - NHUGE] = {
		0, 1, nrank - 1, chunks, chunks + 1, chunks - 1, 12345};
	return i < NCOUNT - NHUGE ? small[i] : huge[i - (NCOUNT - NHUGE)];
}

static struct ordo_problem problem_of(
	enum ordo_operator op, uint32_t nrank, uint32_t K, bool in_place, uint32_t nshard)
{
	return (struct ordo_problem){.op = op,
		.nrank = nrank,
		.chunks_per_block = K,
		.in_place = in_place,
		.nshard = nshard};
}

static wide ceiling(wide a, wide b)
{
	return (a + b - 1) / b;
}

/* Elements of a chunk, as the format says. */
static uint64_t chunk_elements(
	const struct ordo_problem *problem, const struct ordo_plan_options *options, uint32_t chunk)
{
	const uint32_t K = problem->chunks_per_block;
	const wide n = options->block_count ? options->block_count[chunk / K] : options->count,
		   A = options->alignment ? options->alignment : 1;
	wide begin[2];
	for (uint32_t i = 0; i < 2; i++) {
		begin[i] = A * ceiling(ceiling((wide)(chunk % K + i) * n, K), A);
		begin[i] = begin[i] < n ? begin[i] : n;
	}
	return (uint64_t)(begin[1] - begin[0]);
}

/* The slots of a buffer lie one behind another, each as long as its chunk, and fill it. */
static void check_buffer(const struct layout *layout, const struct ordo_plan_options *options,
	uint32_t rank, enum ordo_buffer buffer)
{
	const struct ordo_problem *problem = &layout->problem;
	const uint32_t nslot = buffer == ORDO_INPUT ? ordo_input_slots(problem, rank)
						    : ordo_output_slots(problem, rank);
	wide at = 0;
	for (uint32_t slot = 0; slot < nslot; slot++) {
		const uint32_t chunk = buffer == ORDO_INPUT
					       ? ordo_input_chunk(problem, rank, slot)
					       : ordo_output_chunk(problem, rank, slot);
		assert_true(slot_begin(layout, rank, buffer, slot) == at);
		at += chunk_elements(problem, options, chunk);
		assert_true(slot_begin(layout, rank, buffer, slot + 1) == at);
	}
	assert_true(region_bytes(layout, rank, buffer) == at * ordo_type_size(options->type));
}

/* Rounds cover the longest chunk, and not one more than needed; scratch slots hold a round's
 * part. */
static void check_rounds(const struct layout *layout, uint64_t longest)
{
	assert_true(layout->largest == longest);
	assert_true((wide)layout->nround * layout->tile >= longest);
	assert_true(layout->nround >= 1 &&
		    (layout->nround == 1 || (wide)(layout->nround - 1) * layout->tile < longest));
	assert_true(layout->stride >= layout->tile &&
		    layout->stride * layout->element % CACHE_LINE == 0);
}

static void check_layout(
	const struct ordo_problem *problem, const struct ordo_plan_options *options)
{
	struct layout layout = {.nchunk = 0};
	struct ordo_error error = {0};
	if (!ordo_layout_make(&layout, problem, options, UINT64_C(1) << 18, &error))
		fail_msg("%s", error.text);
	wide at = 0;
	uint64_t longest = 0;
	for (uint32_t chunk = 0; chunk < layout.nchunk; chunk++) {
		const uint64_t n = chunk_elements(problem, options, chunk);
		assert_true(chunk_begin(&layout, chunk) == at);
		at += n;
		assert_true(chunk_begin(&layout, chunk + 1) == at);
		longest = n > longest ? n : longest;
	}
	check_rounds(&layout, longest);
	for (uint32_t rank = 0; rank < problem->nrank; rank++) {
		check_buffer(&layout, options, rank, ORDO_INPUT);
		check_buffer(&layout, options, rank, ORDO_OUTPUT);
	}
	ordo_layout_free(&layout);
}

/* Equal blocks; and blocks of which one is huge, one is empty and the others have few elements. */
static void check_counts(const struct ordo_problem *problem)
{
	const uint32_t nblock = ordo_nblock(problem);
	uint64_t *block_count = malloc(nblock * sizeof *block_count);
	assert_non_null(block_count);
	for (int i = 0; i < NCOUNT; i++) {
		struct ordo_plan_options options = {.type = (enum ordo_type)(i % ORDO_F32_I32),
			.count = count_of(i, problem->nrank, problem->chunks_per_block)};
		check_layout(problem, &options);
		options.alignment = 32;
		check_layout(problem, &options);
		for (uint32_t b = 0; b < nblock; b++)
			block_count[b] = b == nblock / 2 ? options.count : b * 7 % 5;
		options.block_count = block_count;
		check_layout(problem, &options);
	}
	free(block_count);
}

static void chunks_and_slots_of_any_count_are_where_the_format_says(void **unused)
{
	(void)unused;
	for (enum ordo_operator op = 0; op < ORDO_NOPERATOR; op++)
		for (uint32_t nrank = 1; nrank <= 7; nrank += 3)
			for (uint32_t K = 1; K <= 3; K += 2) {
				struct ordo_problem problem =
					problem_of(op, nrank, K, false, nrank);
				check_counts(&problem);
				if (!ordo_operator_facts(op)->reduces)
					continue;
				problem.nshard = 3 * nrank + 1;
				check_counts(&problem);
			}
}

static void what_has_2_to_the_60_bytes_is_refused(void **unused)
{
	(void)unused;
	const struct ordo_problem problem = problem_of(ORDO_ALLGATHER, 4, 1, false, 4);
	const uint64_t counts[] = {
		UINT64_C(1) << 55, (UINT64_C(1) << 55) + 1, UINT64_MAX / 8, UINT64_MAX};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		const struct ordo_plan_options options = {.type = ORDO_F64, .count = counts[i]};
		struct layout layout = {.nchunk = 0};
		struct ordo_error error = {0};
		assert_true(
			ordo_layout_make(&layout, &problem, &options, 1 << 18, &error) == (i == 0));
		assert_true(i == 0 || error.code == ORDO_USAGE);
		ordo_layout_free(&layout);
	}
}

static struct ordo_schedule *compile(
	enum ordo_operator op, const char *algorithm, uint32_t nrank, bool in_place)
{
	struct ordo_error error = {0};
	const struct ordo_request request = {
		.problem = {.op = op, .nrank = nrank, .in_place = in_place},
		.algorithm = algorithm};
	struct ordo_schedule *schedule = ordo_compile(&request, &error);
	if (!schedule)
		fail_msg("%s", error.text);
	return schedule;
}

/* All that folds write, together, is all output; and what they read and write lies inside the
 * buffers. */
static void check_folds(const struct ordo_collective *collective)
{
	const struct folds *folds = &collective->folds;
	const struct ordo_problem *problem = &collective->layout.problem;
	wide written = 0, outputs = 0, covered = 0, elements = 0;
	for (size_t f = 0; f < folds->nfold; f++) {
		const struct fold *fold = &folds->list[f];
		const wide bytes = (wide)fold->nelement * collective->layout.element;
		elements += fold->nelement;
		for (uint32_t s = fold->first_step; s < fold->first_step + fold->nstep; s++) {
			const struct step *step = &folds->steps[s];
			for (uint32_t i = 0; i < step->nsrc + step->ndst; i++) {
				const bool reads = i < step->nsrc;
				const struct operand *operand =
					&folds->operands[reads ? step->src + i
							       : step->dst + i - step->nsrc];
				if (operand->rank == ORDO_NONE)
					continue;
				assert_true(operand->begin + bytes <=
					    region_bytes(&collective->layout, operand->rank,
						    reads ? ORDO_INPUT : ORDO_OUTPUT));
				written += reads ? 0 : bytes;
			}
		}
	}
	for (uint32_t rank = 0; rank < problem->nrank; rank++)
		outputs += ordo_collective_output_bytes(collective, rank);
	assert_true(written == outputs);
	for (size_t i = 0; i < folds->nitem; i++) {
		const struct item *item = &folds->items[i];
		assert_true(item->nfold > 1 ||
			    (wide)item->begin + item->n <= folds->list[item->fold].nelement);
		covered += item->nfold == 1 ? item->n : 0;
		for (uint32_t f = item->fold; item->nfold > 1 && f < item->fold + item->nfold; f++)
			covered += folds->list[f].nelement;
	}
	assert_true(covered == elements);
}

static void folds_of_any_count_cover_all_output(void **unused)
{
	(void)unused;
	static const struct {
		enum ordo_operator op;
		const char *algorithm;
	} subjects[] = {{ORDO_ALLREDUCE, "ring"}, {ORDO_ALLREDUCE, "dyadic"},
		{ORDO_REDUCESCATTER, "ring"}, {ORDO_ALLGATHER, "ring"}, {ORDO_ALLTOALL, "mesh"},
		{ORDO_BROADCAST, "tree"}};
	for (size_t s = 0; s < sizeof subjects / sizeof *subjects; s++) {
		struct ordo_schedule *schedule =
			compile(subjects[s].op, subjects[s].algorithm, 5, false);
		/* Items are as many as the bytes need: up to a few terabytes. */
		for (int i = 0; i < NCOUNT - 2; i++) {
			const struct ordo_plan_options options = {
				.type = (enum ordo_type)(i % ORDO_F32_I32),
				.count = count_of(i, 5, schedule->problem.chunks_per_block)};
			struct ordo_error error = {0};
			struct ordo_collective *collective =
				ordo_collective_create(schedule, &options, &error);
			if (!collective)
				fail_msg("%s", error.text);
			check_folds(collective);
			ordo_collective_destroy(collective);
		}
		ordo_schedule_destroy(schedule);
	}
}

/* Address space of which a page exists when it is touched; NULL: the system does not give so
 * much. */
static unsigned char *reserve(uint64_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

enum { NRANK = 3, NEAR = 5 };

/* A Gather in place, at rank 0, whose own block is so long that the others lie behind 2^31
 * elements; nothing moves it. */
struct far {
	struct ordo_plan_options options;
	uint64_t block_count[NRANK];
	uint64_t bytes;
	unsigned char *whole, *others[NRANK];
};

static void fill_far(const struct far *far)
{
	const size_t size = ordo_type_size(far->options.type);
	for (uint32_t r = 1; r < NRANK; r++)
		for (size_t i = 0; i < NEAR * size; i++)
			far->others[r][i] = (unsigned char)(r * 100 + i);
	memset(far->whole + far->block_count[0] * size, 0xee, (NRANK - 1) * NEAR * size);
}

static void check_far(const struct far *far)
{
	const size_t size = ordo_type_size(far->options.type);
	for (uint32_t r = 1; r < NRANK; r++)
		assert_memory_equal(far->others[r],
			far->whole + (far->block_count[0] + (r - 1) * NEAR) * size, NEAR * size);
}

static void run_tasks(const struct ordo_schedule *schedule, const struct far *far)
{
	struct ordo_error error = {0};
	struct ordo_plan *plan = ordo_plan_create(schedule, &far->options, &error);
	if (!plan)
		fail_msg("%s", error.text);
	assert_true(ordo_plan_output_bytes(plan, 0) == far->bytes);
	for (uint32_t r = 0; r < NRANK; r++)
		assert_true(ordo_plan_bind(
			plan, r, r ? far->others[r] : NULL, r ? NULL : far->whole, &error));
	fill_far(far);
	assert_true(ordo_plan_run_threads(plan, 2, &error));
	check_far(far);
	fill_far(far);
	assert_true(ordo_plan_run_seeded(plan, 1, &error));
	check_far(far);
	ordo_plan_destroy(plan);
}

static void run_folds(const struct ordo_schedule *schedule, const struct far *far)
{
	struct ordo_error error = {0};
	const struct ordo_communicator_options wish = {.nrank = NRANK};
	struct ordo_collective *collective =
		ordo_collective_create(schedule, &far->options, &error);
	struct ordo_communicator *communicator = ordo_communicator_create(&wish, &error);
	assert_true(collective && communicator);
	struct ordo_part parts[NRANK];
	for (uint32_t r = 0; r < NRANK; r++)
		parts[r] = (struct ordo_part){.collective = collective,
			.input = r ? far->others[r] : far->whole,
			.output = r ? NULL : far->whole};
	fill_far(far);
	if (!ordo_communicator_run_all(communicator, parts, &error))
		fail_msg("%s", error.text);
	check_far(far);
	ordo_communicator_destroy(communicator);
	ordo_collective_destroy(collective);
}

static void gather_far(
	const struct ordo_schedule *schedule, enum ordo_type type, uint64_t first, uint64_t tile)
{
	const size_t size = ordo_type_size(type);
	struct far far = {.options = {.type = type, .tile_bytes = tile},
		.block_count = {first, NEAR, NEAR},
		.bytes = (first + (uint64_t)(NRANK - 1) * NEAR) * size};
	far.options.block_count = far.block_count;
	far.whole = reserve(far.bytes);
	if (!far.whole)
		skip();
	for (uint32_t r = 1; r < NRANK; r++)
		assert_non_null(far.others[r] = malloc(NEAR * size));
	run_tasks(schedule, &far);
	run_folds(schedule, &far);
	for (uint32_t r = 1; r < NRANK; r++)
		free(far.others[r]);
	munmap(far.whole, far.bytes);
}

static void blocks_behind_2_to_the_31_elements_are_moved(void **unused)
{
	(void)unused;
	struct ordo_schedule *schedule = compile(ORDO_GATHER, "mesh", NRANK, true);
	gather_far(schedule, ORDO_U8, (UINT64_C(1) << 31) + 3, 0);
	gather_far(schedule, ORDO_U8, (UINT64_C(1) << 32) + 1, UINT64_MAX);
	gather_far(schedule, ORDO_I64, (UINT64_C(1) << 32) - 1, UINT64_MAX);
	ordo_schedule_destroy(schedule);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chunks_and_slots_of_any_count_are_where_the_format_says),
		cmocka_unit_test(what_has_2_to_the_60_bytes_is_refused),
		cmocka_unit_test(folds_of_any_count_cover_all_output),
		cmocka_unit_test(blocks_behind_2_to_the_31_elements_are_moved),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
