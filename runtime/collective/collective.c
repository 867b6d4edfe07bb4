/* collective.c - proves a schedule, binds it to counts, and folds it. */
#include "collective.h"
#include "kernels/arithmetic.h"
#include <inttypes.h>
#include <ordo/options.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Folds are made from the results that an operator demands. */
static bool is_described(const struct ordo_problem *problem, struct ordo_error *error)
{
	return problem->op != ORDO_CUSTOM ||
	       ordo_fail(error, ORDO_USAGE, 0,
		       "Custom: nothing says what its results are; only a plan, which runs the "
		       "tasks, is possible");
}

struct ordo_proof *ordo_prove(const struct ordo_schedule *schedule, struct ordo_error *error)
{
	const struct ordo_verify_options options = {.max_findings = 1};
	if (!is_described(&schedule->problem, error))
		return NULL;
	struct ordo_proof *proof = ordo_verify(schedule, &options, error);
	if (!proof || proof->proved)
		return proof;
	if (error)
		ordo_finding_error(schedule, &proof->findings[0], error);
	ordo_proof_destroy(proof);
	return NULL;
}

static uint64_t mix(uint64_t hash, uint64_t number)
{
	hash = (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/* A hash of everything that ordo_collectives_agree compares. */
static uint64_t fingerprint_of(const struct ordo_collective *collective)
{
	const struct layout *layout = &collective->layout;
	const struct ordo_problem *problem = &layout->problem;
	uint64_t hash = mix(collective->folds.type, collective->folds.reduction);
	for (const char *c = collective->digest; *c; c++)
		hash = mix(hash, (unsigned char)*c);
	hash = mix(mix(mix(hash, problem->op), problem->nrank), problem->root);
	hash = mix(mix(hash, problem->nshard), layout->element);
	for (uint32_t block = 0; block <= ordo_nblock(problem); block++)
		hash = mix(hash, chunk_begin(layout, block * problem->chunks_per_block));
	return hash;
}

static bool is_eager(const struct layout *layout)
{
	bool fits = layout->problem.nrank <= EAGER_RANKS;
	for (uint32_t r = 0; fits && r < layout->problem.nrank; r++)
		fits = region_bytes(layout, r, ORDO_INPUT) <= EAGER_INPUT_BYTES;
	return fits;
}

/* Derives the folds, for every way a call can run. */
static bool derive(struct ordo_collective *collective, const struct ordo_plan_options *options,
	const struct ordo_proof *proof, struct ordo_error *error)
{
	const struct layout *layout = &collective->layout;
	if (!ordo_folds_derive(&collective->folds, layout, options, proof, 0, error))
		return false;
	if (ordo_two_stage_pays(layout) &&
		!ordo_folds_derive_two_stage(&collective->staged, layout, options, proof, error))
		return false;
	collective->fingerprint = fingerprint_of(collective);
	collective->is_eager = is_eager(layout);
	if (!collective->is_eager)
		return true;
	if (!ordo_folds_derive(
		    &collective->own, layout, options, proof, layout->problem.nrank, error))
		return false;
	collective->first_own = ordo_folds_index(&collective->own, error);
	return collective->first_own;
}

struct ordo_collective *ordo_collective_fold(const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, const struct ordo_plan_options *options,
	struct ordo_error *error)
{
	static _Atomic uint64_t nmade;
	if (!is_described(&schedule->problem, error))
		return NULL;
	struct ordo_collective *collective = calloc(1, sizeof *collective);
	if (!collective) {
		ordo_fail_memory(error);
		return NULL;
	}
	collective->serial = atomic_fetch_add_explicit(&nmade, 1, memory_order_relaxed) + 1;
	memcpy(collective->digest, proof->digest, sizeof collective->digest);
	if (!ordo_plan_options_check(options, error) ||
		!ordo_layout_make(
			&collective->layout, &schedule->problem, options, UINT64_MAX, error) ||
		!derive(collective, options, proof, error)) {
		ordo_collective_destroy(collective);
		return NULL;
	}
	return collective;
}

static struct ordo_collective *create_collective(const struct ordo_schedule *schedule,
	const struct ordo_plan_options *options, struct ordo_error *error)
{
	struct ordo_proof *proof = ordo_prove(schedule, error);
	struct ordo_collective *collective =
		proof ? ordo_collective_fold(schedule, proof, options, error) : NULL;
	ordo_proof_destroy(proof);
	return collective;
}

struct ordo_collective *ordo_collective_create_sized(size_t size,
	const struct ordo_schedule *schedule, const struct ordo_plan_options *options,
	struct ordo_error *error)
{
	struct ordo_plan_options own;
	return ordo_options_take(&own, sizeof own, options, size, error)
		       ? create_collective(schedule, &own, error)
		       : NULL;
}

struct ordo_collective *(ordo_collective_create)(const struct ordo_schedule *schedule,
	const struct ordo_plan_options *options, struct ordo_error *error)
{
	return ordo_collective_create_sized(
		ORDO_UP_TO(ordo_plan_options, tile_bytes), schedule, options, error);
}

void ordo_collective_destroy(struct ordo_collective *collective)
{
	if (!collective)
		return;
	ordo_folds_free(&collective->folds);
	ordo_folds_free(&collective->staged);
	ordo_folds_free(&collective->own);
	free(collective->first_own);
	ordo_layout_free(&collective->layout);
	free(collective);
}

const struct ordo_problem *ordo_collective_problem(const struct ordo_collective *collective)
{
	return &collective->layout.problem;
}

enum ordo_type ordo_collective_type(const struct ordo_collective *collective)
{
	return collective->folds.type;
}

enum ordo_reduction ordo_collective_reduction(const struct ordo_collective *collective)
{
	return collective->folds.reduction;
}

uint64_t ordo_collective_input_bytes(const struct ordo_collective *collective, uint32_t rank)
{
	return region_bytes(&collective->layout, rank, ORDO_INPUT);
}

uint64_t ordo_collective_output_bytes(const struct ordo_collective *collective, uint32_t rank)
{
	return region_bytes(&collective->layout, rank, ORDO_OUTPUT);
}

const char *ordo_collective_digest(const struct ordo_collective *collective)
{
	return collective->digest;
}

/* Whether both are the same operator on blocks of the same sizes. */
static bool have_equal_layout(const struct layout *a, const struct layout *b)
{
	const struct ordo_problem *p = &a->problem, *q = &b->problem;
	if (p->op != q->op || p->nrank != q->nrank || p->root != q->root ||
		p->nshard != q->nshard || a->element != b->element)
		return false;
	for (uint32_t block = 0; block <= ordo_nblock(p); block++)
		if (chunk_begin(a, block * p->chunks_per_block) !=
			chunk_begin(b, block * q->chunks_per_block))
			return false;
	return true;
}

bool ordo_collectives_agree(const struct ordo_collective *a, const struct ordo_collective *b)
{
	return a == b ||
	       (a->folds.type == b->folds.type && a->folds.reduction == b->folds.reduction &&
		       !strcmp(a->digest, b->digest) && have_equal_layout(&a->layout, &b->layout));
}

int ordo_collective_print(const struct ordo_collective *collective, char *out, size_t size)
{
	const struct layout *layout = &collective->layout;
	const struct ordo_operator_facts *facts = ordo_operator_facts(layout->problem.op);
	return snprintf(out, size, "%s of %" PRIu64 " %s%s%s (order %.8s)", facts->name,
		chunk_begin(layout, layout->nchunk), ordo_type_name(collective->folds.type),
		facts->reduces ? ", " : "",
		facts->reduces ? ordo_reduction_name(collective->folds.reduction) : "",
		collective->digest[0] ? collective->digest : "none");
}

bool ordo_collective_check_buffers(const struct ordo_collective *collective, uint32_t rank,
	struct ends *ends, bool *in_place, struct ordo_error *error)
{
	const struct layout *layout = &collective->layout;
	/* The caller's input is only read, unless it is also the output. */
	unsigned char *input = (unsigned char *)(uintptr_t)ends->input, *output = ends->output;
	*in_place = ordo_layout_is_in_place(layout, rank, input, output);
	if (!ordo_layout_check_buffers(layout, *in_place, rank, &input, &output, error))
		return false;
	*ends = (struct ends){input, output};
	return true;
}
