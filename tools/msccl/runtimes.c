/* runtimes.c - which runtimes take a program, and which of a folder's programs a size selects. */
#include "runtimes.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const msccl_runtime_names[MSCCL_NRUNTIME] = {"microsoft", "rccl", "azure"};

static uint32_t most_steps(const struct msccl_program *program)
{
	uint32_t most = 0;
	for (uint32_t b = 0; b < program->nblock; b++) {
		const uint32_t steps = program->blocks[b].end - program->blocks[b].first;
		most = steps > most ? steps : most;
	}
	return most;
}

static uint32_t most_blocks(const struct msccl_program *program)
{
	uint32_t most = 0;
	for (uint32_t g = 0; g < program->ngpu; g++) {
		const uint32_t blocks = program->gpus[g].end - program->gpus[g].first;
		most = blocks > most ? blocks : most;
	}
	return most;
}

uint32_t msccl_most_steps(enum msccl_runtime runtime)
{
	static const uint32_t most[MSCCL_NRUNTIME] = {
		[MSCCL_MICROSOFT] = 256, [MSCCL_RCCL] = 64, [MSCCL_AZURE] = UINT32_MAX};
	return most[runtime];
}

uint32_t msccl_most_blocks(enum msccl_runtime runtime, uint32_t nchannel)
{
	return runtime == MSCCL_MICROSOFT ? 216 : runtime == MSCCL_RCCL ? 64 : 32 * nchannel;
}

const char *msccl_refusal(
	const struct msccl_program *program, enum msccl_runtime runtime, char text[128])
{
	const bool microsoft = runtime == MSCCL_MICROSOFT;
	const char *scatter = msccl_collective_name(ORDO_REDUCESCATTER, runtime);
	const bool is_scatter = !strcmp(program->collective, "reduce_scatter") ||
				!strcmp(program->collective, "reducescatter");
	const uint32_t steps = msccl_most_steps(runtime),
		       blocks = msccl_most_blocks(runtime, program->nchannel);
	if (most_steps(program) > steps)
		snprintf(text, 128, "%" PRIu32 " steps in a tb, at most %" PRIu32,
			most_steps(program), steps);
	else if (most_blocks(program) > blocks)
		snprintf(text, 128, "%" PRIu32 " tb on a gpu, at most %" PRIu32,
			most_blocks(program), blocks);
	else if (program->nchannel > 32)
		snprintf(text, 128, "%" PRIu32 " channels, at most 32", program->nchannel);
	else if (!microsoft && !program->is_complete)
		snprintf(text, 128, "outofplace, minBytes or maxBytes is missing");
	else if (is_scatter && strcmp(program->collective, scatter) != 0)
		snprintf(text, 128, "coll=\"%s\", wanted %s", program->collective, scatter);
	else
		return NULL;
	return text;
}

bool msccl_serves(const struct msccl_program *program, const struct msccl_calls *calls)
{
	char text[128];
	return !strcmp(program->collective, calls->collective) && program->ngpu == calls->ngpu &&
	       (calls->in_place ? program->in_place : program->out_of_place) &&
	       !msccl_refusal(program, calls->runtime, text);
}

/* The last size; before `least_bytes`: none. */
static uint64_t last_size(const struct msccl_program *program, enum msccl_runtime runtime)
{
	if (runtime == MSCCL_MICROSOFT)
		return program->most_bytes - 1;
	return program->most_bytes ? program->most_bytes : UINT64_MAX;
}

static bool selects(
	const struct msccl_program *program, const struct msccl_calls *calls, uint64_t size)
{
	if (calls->runtime == MSCCL_MICROSOFT && !program->most_bytes)
		return false;
	return msccl_serves(program, calls) && program->least_bytes <= size &&
	       size <= last_size(program, calls->runtime);
}

static int by_size(const void *a, const void *b)
{
	uint64_t x, y;
	memcpy(&x, a, sizeof x);
	memcpy(&y, b, sizeof y);
	return (x > y) - (x < y);
}

/* The first sizes of ranges, with repetitions; 0 first. */
static uint32_t list_begins(struct msccl_program *const *programs, uint32_t nprogram,
	const struct msccl_calls *calls, uint64_t *begins)
{
	uint32_t count = 0;
	begins[count++] = 0;
	for (uint32_t i = 0; i < nprogram; i++) {
		const uint64_t last = last_size(programs[i], calls->runtime);
		if (!msccl_serves(programs[i], calls))
			continue;
		begins[count++] = programs[i]->least_bytes;
		if (last < UINT64_MAX)
			begins[count++] = last + 1;
	}
	qsort(begins, count, sizeof *begins, by_size);
	return count;
}

static bool is_same(const struct msccl_range *a, const struct msccl_range *b)
{
	return a->nprogram == b->nprogram &&
	       !memcmp(a->programs, b->programs, a->nprogram * sizeof *a->programs);
}

struct msccl_range *msccl_select(struct msccl_program *const *programs, uint32_t nprogram,
	const struct msccl_calls *calls, struct ordo_arena *arena, uint32_t *count)
{
	const size_t room = 2 * (size_t)nprogram + 1;
	uint64_t *begins = ordo_arena_alloc(arena, room * sizeof *begins);
	struct msccl_range *ranges = ordo_arena_alloc(arena, room * sizeof *ranges);
	*count = 0;
	if (!begins || !ranges)
		return NULL;
	const uint32_t nbegin = list_begins(programs, nprogram, calls, begins);
	for (uint32_t b = 0; b < nbegin; b++) {
		struct msccl_range range = {.from = begins[b], .to = UINT64_MAX};
		if (b && begins[b] == begins[b - 1])
			continue;
		range.programs =
			ordo_arena_alloc(arena, ((size_t)nprogram + 1) * sizeof *range.programs);
		if (!range.programs)
			return NULL;
		for (uint32_t i = 0; i < nprogram; i++)
			if (selects(programs[i], calls, range.from))
				range.programs[range.nprogram++] = i;
		if (*count && is_same(&ranges[*count - 1], &range))
			continue;
		if (*count)
			ranges[*count - 1].to = range.from - 1;
		ranges[(*count)++] = range;
	}
	return ranges;
}
