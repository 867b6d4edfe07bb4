/* bound.c - binds a part to a type and counts; parts as bytes. */
#include "bound.h"
#include "kernels/arithmetic.h"
#include <inttypes.h>
#include <ordo/detail/fail.h>
#include <stdlib.h>

/* Longer chunks are moved in rounds: large enough that a message costs little beside its bytes. */
#define TILE_BYTES (UINT64_C(1) << 20)
/* A message stays below 2^31 bytes; also of an accumulator, 12 times the elements at most. */
#define MOST_MESSAGE (UINT64_C(1) << 27)

/* The same on all ranks, so it depends on the schedule and the wish only. */
static uint64_t tile_bytes(const struct ordo_part *part, uint64_t wanted)
{
	const uint64_t most = MOST_MESSAGE / (part->most_chunks ? part->most_chunks : 1);
	const uint64_t tile = wanted ? wanted : TILE_BYTES;
	return tile < most ? tile : most;
}

/* opaque: NULL as for ordo_part_bind. */
static bool make_layout(struct ordo_bound_part *bound, const struct ordo_plan_options *options,
	const struct ordo_opaque *opaque, struct ordo_error *error)
{
	struct ordo_plan_options own = *options;
	const uint64_t tile = tile_bytes(bound->part, options->tile_bytes);
	if (!opaque)
		return ordo_layout_make(&bound->layout, &bound->part->problem, &own, tile, error);
	own.type = ORDO_U8; /* elements of one byte: offsets count elements */
	const uint64_t fits = opaque->size ? tile / opaque->size : tile;
	if (!ordo_layout_make(&bound->layout, &bound->part->problem, &own, fits ? fits : 1, error))
		return false;
	/* the last elements of a slot do not lie between those of the next */
	if (opaque->reach > opaque->extent)
		bound->layout.stride += (opaque->reach - 1) / opaque->extent;
	return true;
}

static bool allocate(struct ordo_bound_part *bound, struct ordo_error *error)
{
	const struct ordo_part *part = bound->part;
	const uint64_t slot = bound->layout.stride * bound->wide;
	if (part->scratch_slots && slot > (SIZE_MAX >> 1) / part->scratch_slots)
		return ordo_fail(error, ORDO_USAGE, 0,
			"scratch: %" PRIu32 " slots of %" PRIu64 " bytes", part->scratch_slots,
			slot);
	bound->scratch = aligned_alloc(CACHE_LINE,
		round_up(slot * part->scratch_slots, CACHE_LINE) + CACHE_LINE + 2 * bound->margin);
	bound->buffers = calloc((size_t)part->nrequest + 1, sizeof *bound->buffers);
	bound->unpacks = malloc(((size_t)part->nrequest + 1) * sizeof *bound->unpacks);
	if (!bound->scratch || !bound->buffers || !bound->unpacks)
		return ordo_fail_memory(error);
	return true;
}

struct ordo_bound_part *ordo_part_bind(const struct ordo_part *part,
	const struct ordo_plan_options *options, const struct ordo_opaque *opaque,
	struct ordo_error *error)
{
	if (!opaque && !ordo_plan_options_check(options, error))
		return NULL;
	struct ordo_bound_part *bound = calloc(1, sizeof *bound);
	if (!bound) {
		ordo_fail_memory(error);
		return NULL;
	}
	bound->part = part;
	bound->type = options->type;
	bound->reduction = options->reduction;
	bound->is_opaque = opaque;
	bound->margin = opaque ? round_up(opaque->margin, CACHE_LINE) : 0;
	bound->extent = opaque ? opaque->extent : ordo_type_size(options->type);
	bound->size = opaque ? opaque->size : bound->extent;
	bound->divisor = opaque ? 1 : ordo_divisor(&part->problem, options->reduction);
	bool worked = make_layout(bound, options, opaque, error);
	if (worked) {
		bound->converts = !opaque && bound->layout.accumulator != options->type;
		bound->wide =
			bound->converts ? ordo_type_size(bound->layout.accumulator) : bound->extent;
		worked = allocate(bound, error) && ordo_bound_part_reserve(bound, error);
	}
	if (worked)
		return bound;
	ordo_bound_part_destroy(bound);
	return NULL;
}

void ordo_bound_part_destroy(struct ordo_bound_part *bound)
{
	if (!bound)
		return;
	for (uint32_t i = 0; bound->buffers && i < bound->part->nrequest; i++)
		free(bound->buffers[i].memory);
	ordo_layout_free(&bound->layout);
	free(bound->scratch);
	free(bound->buffers);
	free(bound->unpacks);
	free(bound);
}

size_t ordo_part_bytes(const struct ordo_part *part)
{
	return part->bytes;
}

uint32_t ordo_part_requests(const struct ordo_part *part)
{
	return part->nrequest;
}
