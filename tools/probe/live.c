/* live.c - runs a schedule as the summing machine that the probe examines. */
#include "live.h"
#include <ordo/detail/accumulate.h>
#include <stdlib.h>
#include <string.h>

/* Fills memory that no run has written: a NaN in every float type. */
enum { UNWRITTEN = 0xff, NCOLOUR = 4 };

static uint64_t chunk_length(const struct live *live, uint32_t chunk)
{
	const uint32_t K = live->schedule->problem.chunks_per_block;
	const uint64_t count = live->options.count;
	return ordo_chunk_begin(count, K, chunk % K + 1, 1) -
	       ordo_chunk_begin(count, K, chunk % K, 1);
}

/* Adjacent elements, and elements of other rounds, mostly differ in colour. */
static uint8_t colour_at(uint64_t position)
{
	position *= UINT64_C(0x9e3779b97f4a7c15);
	position ^= position >> 32;
	position *= UINT64_C(0xbf58476d1ce4e5b9);
	return (uint8_t)(position >> 56) % NCOLOUR;
}

/* Fills a chunk's slot: each element gets its shard's value for its colour. */
static void fill_slot(
	const struct live *live, void *input, uint64_t first, uint32_t chunk, const double *leaf)
{
	const struct ordo_problem *problem = &live->schedule->problem;
	const size_t size = ordo_type_size(live->options.type);
	const uint64_t position = element_of_slot(problem, live->options.count, chunk);
	unsigned char numbers[NCOLOUR][sizeof(uint64_t)];
	for (uint32_t colour = 0; colour < NCOLOUR; colour++)
		ordo_element_put(live->options.type, numbers[colour], 0,
			leaf[(size_t)colour * problem->nshard]);
	unsigned char *at = (unsigned char *)input + first * size;
	const uint64_t length = chunk_length(live, chunk);
	for (uint64_t e = 0; e < length; e++, at += size)
		memcpy(at, numbers[colour_at(position + e)], size);
}

static void fill_input(const struct live *live, uint32_t rank, const double *leaves)
{
	const struct ordo_problem *problem = &live->schedule->problem;
	for (uint32_t slot = 0; slot < ordo_input_slots(problem, rank); slot++)
		fill_slot(live, live->buffers.inputs[rank],
			element_of_slot(problem, live->options.count, slot),
			ordo_input_chunk(problem, rank, slot),
			leaves + ordo_input_shard(problem, rank, slot));
}

static void fill_buffers(const struct live *live, const double *leaves)
{
	for (uint32_t rank = 0; rank < live->schedule->problem.nrank; rank++) {
		const uint64_t bytes = ordo_plan_output_bytes(live->plan, rank);
		if (bytes)
			memset(live->buffers.outputs[rank], UNWRITTEN, bytes);
		fill_input(live, rank, leaves);
	}
}

/* Elements of a rank are numbered in the order of its output, slot after slot. */
static bool run_live(
	void *closure, const double *leaves, double *elements, struct ordo_error *error)
{
	struct live *live = closure;
	fill_buffers(live, leaves);
	if (live->progress)
		live->progress(live->closure, "probing", live->nrun, live->expected);
	live->nrun++;
	if (!(live->drive.seeded ? ordo_plan_run_seeded(live->plan, live->drive.seed, error)
				 : ordo_plan_run_threads(live->plan, live->drive.nworker, error)))
		return false;
	for (uint32_t rank = 0; rank < live->schedule->problem.nrank; rank++)
		for (uint64_t e = live->first[rank]; e < live->first[rank + 1]; e++)
			elements[e] = ordo_element_get(live->options.type,
				live->buffers.outputs[rank], e - live->first[rank]);
	return true;
}

static bool colour_elements(struct live *live)
{
	const struct ordo_problem *problem = &live->schedule->problem;
	live->colour_of = malloc((size_t)live->first[problem->nrank] + 1);
	if (!live->colour_of)
		return false;
	uint8_t *colour = live->colour_of;
	for (uint32_t rank = 0; rank < problem->nrank; rank++)
		for (uint32_t slot = 0; slot < ordo_output_slots(problem, rank); slot++) {
			const uint32_t chunk = ordo_output_chunk(problem, rank, slot);
			const uint64_t position =
				element_of_slot(problem, live->options.count, chunk);
			for (uint64_t e = 0; e < chunk_length(live, chunk); e++)
				*colour++ = colour_at(position + e);
		}
	return true;
}

bool open_live(struct live *live, const struct ordo_schedule *schedule, enum ordo_type type,
	uint64_t count, uint64_t tile_bytes, struct ordo_error *error)
{
	const struct ordo_problem *problem = &schedule->problem;
	*live = (struct live){.schedule = schedule,
		.options = {.type = type,
			.reduction = ORDO_SUM,
			.count = count,
			.tile_bytes = tile_bytes},
		.first = calloc((size_t)problem->nrank + 1, sizeof *live->first)};
	if (!live->first)
		return ordo_fail_memory(error);
	for (uint32_t rank = 0; rank < problem->nrank; rank++)
		live->first[rank + 1] =
			live->first[rank] +
			element_of_slot(problem, count, ordo_output_slots(problem, rank));
	if (!colour_elements(live))
		return ordo_fail_memory(error);
	live->plan = ordo_plan_create(schedule, &live->options, error);
	return live->plan &&
	       allocate_and_bind(&live->buffers, live->plan, problem, &live->options, error);
}

void close_live(struct live *live)
{
	ordo_plan_destroy(live->plan);
	free_buffers(&live->buffers);
	free(live->first);
	free(live->colour_of);
}

struct machine live_machine(struct live *live)
{
	const uint32_t nrank = live->schedule->problem.nrank;
	return (struct machine){.nleaf = live->schedule->problem.nshard,
		.nelement = live->first[nrank],
		.ncolour = NCOLOUR,
		.colour_of = live->colour_of,
		.type = ordo_type_facts(live->options.type),
		.accumulator = ordo_type_facts(
			ordo_accumulator(&live->schedule->problem, live->options.type)),
		.run = run_live,
		.closure = live};
}

uint64_t live_slot(const struct live *live, uint32_t rank, uint32_t slot)
{
	return live->first[rank] +
	       element_of_slot(&live->schedule->problem, live->options.count, slot);
}

struct element_place live_place(const struct live *live, uint64_t element)
{
	const struct ordo_problem *problem = &live->schedule->problem;
	struct element_place place = {0};
	while (live->first[place.rank + 1] <= element)
		place.rank++;
	while (live_slot(live, place.rank, place.slot + 1) <= element)
		place.slot++;
	place.chunk = ordo_output_chunk(problem, place.rank, place.slot);
	place.offset = element - live_slot(live, place.rank, place.slot);
	return place;
}
