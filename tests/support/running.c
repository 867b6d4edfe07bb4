/* running.c - schedules run on the real runtime, their results compared with what the operator
 * means. */
#include "running.h"

#include "mutate.h"
#include "oracle_document.h"

#include <ordo/communicator.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A schedule with buffers of its own, all of one element type. */
struct trial {
	const struct ordo_schedule *schedule;
	struct ordo_plan *plan;
	struct ordo_collective *collective;
	struct ordo_communicator *communicator;
	struct ordo_part *parts; /* [nrank] */
	enum ordo_type type;
	uint64_t *block_count;		 /* [nblock] */
	unsigned char **input, **output; /* [nrank]; in place the same */
	uint64_t *output_elements;	 /* [nrank] */
};

static uint64_t chunk_elements(const struct trial *t, uint32_t chunk)
{
	const uint32_t K = t->schedule->problem.chunks_per_block;
	const uint64_t n = t->block_count[chunk / K];
	return ordo_chunk_begin(n, K, chunk % K + 1, 1) - ordo_chunk_begin(n, K, chunk % K, 1);
}

/* Elements in the first slots of a buffer. */
static uint64_t elements_before(
	const struct trial *t, uint32_t rank, enum ordo_buffer buffer, uint32_t slot)
{
	const struct ordo_problem *p = &t->schedule->problem;
	uint64_t n = 0;
	for (uint32_t i = 0; i < slot; i++)
		n += chunk_elements(t,
			buffer == ORDO_INPUT ? chunk_given(p, rank, i) : chunk_wanted(p, rank, i));
	return n;
}

/* In place, the buffer that holds both. */
static enum ordo_buffer longer_buffer(const struct ordo_problem *p, uint32_t rank)
{
	return slots_in(p, rank, ORDO_INPUT, 0) >= slots_in(p, rank, ORDO_OUTPUT, 0) ? ORDO_INPUT
										     : ORDO_OUTPUT;
}

static uint64_t element_of_slot(
	const struct trial *t, uint32_t rank, enum ordo_buffer buffer, uint32_t slot)
{
	const struct ordo_problem *p = &t->schedule->problem;
	if (p->in_place)
		return elements_before(
			t, rank, longer_buffer(p, rank), cell_in_rank(p, rank, buffer, slot));
	return elements_before(t, rank, buffer, slot);
}

static uint64_t integer_at(uint32_t shard, uint32_t chunk, uint64_t element)
{
	uint64_t state = ((uint64_t)shard << 40) + ((uint64_t)chunk << 20) + element;
	return next_random(&state);
}

static void fill_element(
	const struct trial *t, unsigned char *at, uint32_t shard, uint32_t chunk, uint64_t element)
{
	const uint64_t bits = integer_at(shard, chunk, element);
	const float real =
		(float)((int64_t)(bits % 2000001) - 1000000) / (float)(1u << bits / 2000001 % 12);
	if (t->type == ORDO_F32)
		memcpy(at, &real, sizeof real);
	else
		memcpy(at, &bits, sizeof bits);
}

static void fill_inputs(const struct trial *t)
{
	const struct ordo_problem *p = &t->schedule->problem;
	const size_t size = ordo_type_size(t->type);
	for (uint32_t r = 0; r < p->nrank; r++) {
		if (!p->in_place && t->output_elements[r])
			memset(t->output[r], 0xee, t->output_elements[r] * size);
		for (uint32_t slot = 0; slot < slots_in(p, r, ORDO_INPUT, 0); slot++) {
			const uint32_t chunk = chunk_given(p, r, slot);
			unsigned char *at =
				t->input[r] + element_of_slot(t, r, ORDO_INPUT, slot) * size;
			for (uint64_t e = 0; e < chunk_elements(t, chunk); e++)
				fill_element(t, at + e * size, shard_given(p, r, slot), chunk, e);
		}
	}
}

static uint64_t wanted_integer(const struct ordo_problem *p, uint32_t chunk, uint64_t element)
{
	if (!ordo_operator_facts(p->op)->reduces)
		return integer_at(ordo_chunk_source(p, chunk), chunk, element);
	uint64_t sum = 0;
	for (uint32_t shard = 0; shard < p->nshard; shard++)
		sum += integer_at(shard, chunk, element);
	return sum;
}

static bool output_is_exact(const struct trial *t, char why[512])
{
	const struct ordo_problem *p = &t->schedule->problem;
	for (uint32_t r = 0; r < p->nrank; r++)
		for (uint32_t slot = 0; slot < slots_in(p, r, ORDO_OUTPUT, 0); slot++) {
			const uint32_t chunk = chunk_wanted(p, r, slot);
			const unsigned char *at =
				t->output[r] +
				element_of_slot(t, r, ORDO_OUTPUT, slot) * sizeof(uint64_t);
			for (uint64_t e = 0; e < chunk_elements(t, chunk); e++) {
				uint64_t found;
				memcpy(&found, at + e * sizeof found, sizeof found);
				if (found == wanted_integer(p, chunk, e))
					continue;
				snprintf(why, 512, "rank %u, output slot %u, element %llu is wrong",
					r, slot, (unsigned long long)e);
				return false;
			}
		}
	return true;
}

/* The bytes of all outputs, slot by slot. */
static unsigned char *copy_outputs(const struct trial *t, size_t *size)
{
	const struct ordo_problem *p = &t->schedule->problem;
	const size_t element = ordo_type_size(t->type);
	unsigned char *all = NULL;
	*size = 0;
	for (uint32_t r = 0; r < p->nrank; r++)
		for (uint32_t slot = 0; slot < slots_in(p, r, ORDO_OUTPUT, 0); slot++) {
			const size_t more = chunk_elements(t, chunk_wanted(p, r, slot)) * element;
			if (!(all = realloc(all, *size + more + 1)))
				abort();
			if (more)
				memcpy(all + *size,
					t->output[r] +
						element_of_slot(t, r, ORDO_OUTPUT, slot) * element,
					more);
			*size += more;
		}
	return all;
}

static bool bind_all(struct trial *t, struct ordo_error *error)
{
	const struct ordo_problem *p = &t->schedule->problem;
	const size_t size = ordo_type_size(t->type);
	for (uint32_t r = 0; r < p->nrank; r++) {
		const uint64_t in =
			elements_before(t, r, ORDO_INPUT, slots_in(p, r, ORDO_INPUT, 0));
		const uint64_t out =
			elements_before(t, r, ORDO_OUTPUT, slots_in(p, r, ORDO_OUTPUT, 0));
		t->output_elements[r] = out;
		t->input[r] = must_alloc(in > out ? in : out, size);
		t->output[r] = p->in_place ? t->input[r] : must_alloc(out, size);
		const bool input_only = p->in_place && longer_buffer(p, r) == ORDO_INPUT,
			   output_only = p->in_place && !input_only;
		void *input = output_only ? NULL : t->input[r],
		     *output = input_only ? NULL : t->output[r];
		t->parts[r] = (struct ordo_part){
			.collective = t->collective, .input = input, .output = output};
		if (!ordo_plan_bind(t->plan, r, input, output, error))
			return false;
	}
	return true;
}

static bool open_trial(struct trial *t, const struct ordo_schedule *schedule, enum ordo_type type,
	struct ordo_error *error)
{
	const uint32_t nrank = schedule->problem.nrank, nblock = ordo_nblock(&schedule->problem);
	*t = (struct trial){.schedule = schedule, .type = type};
	t->block_count = must_alloc(nblock, sizeof *t->block_count);
	for (uint32_t i = 0; i < nblock; i++)
		t->block_count[i] =
			nblock == 1 ? 2 * schedule->problem.chunks_per_block + 1 : i * 7 % 5;
	t->input = must_alloc(nrank, sizeof *t->input);
	t->output = must_alloc(nrank, sizeof *t->output);
	t->output_elements = must_alloc(nrank, sizeof *t->output_elements);
	t->parts = must_alloc(nrank, sizeof *t->parts);
	const struct ordo_plan_options options = {
		.type = type, .reduction = ORDO_SUM, .block_count = t->block_count};
	const struct ordo_communicator_options crew = {.nrank = nrank, .nhelper = nrank % 2};
	t->plan = ordo_plan_create(schedule, &options, error);
	t->collective = t->plan ? ordo_collective_create(schedule, &options, error) : NULL;
	t->communicator = t->collective ? ordo_communicator_create(&crew, error) : NULL;
	return t->communicator && bind_all(t, error);
}

static void close_trial(struct trial *t)
{
	ordo_plan_destroy(t->plan);
	ordo_communicator_destroy(t->communicator);
	ordo_collective_destroy(t->collective);
	free(t->parts);
	for (uint32_t r = 0; r < t->schedule->problem.nrank; r++) {
		free(t->input[r]);
		if (!t->schedule->problem.in_place)
			free(t->output[r]);
	}
	free(t->input);
	free(t->output);
	free(t->output_elements);
	free(t->block_count);
}

/* Run number nseed is on the communicator, the one after it, if there is one, on threads. */
static bool run(const struct trial *t, uint32_t number, uint32_t nseed, struct ordo_error *error)
{
	fill_inputs(t);
	if (number == nseed)
		return ordo_communicator_run_all(t->communicator, t->parts, error);
	return number < nseed ? ordo_plan_run_seeded(t->plan, number, error)
			      : ordo_plan_run_threads(t->plan, 2, error);
}

static bool integers_are_exact(const struct trial *t, uint32_t nrun, uint32_t nseed, char why[512])
{
	struct ordo_error error;
	for (uint32_t i = 0; i < nrun; i++) {
		if (!run(t, i, nseed, &error)) {
			snprintf(why, 512, "run %u: %.400s", i, error.text);
			return false;
		}
		if (!output_is_exact(t, why))
			return false;
	}
	return true;
}

static bool floats_are_equal(const struct trial *t, uint32_t nrun, uint32_t nseed, char why[512])
{
	struct ordo_error error;
	unsigned char *first = NULL;
	size_t size = 0;
	bool equal = true;
	for (uint32_t i = 0; i < nrun && equal; i++) {
		equal = run(t, i, nseed, &error);
		snprintf(why, 512, "run %u: %.400s", i,
			equal ? "other bits than run 0" : error.text);
		unsigned char *outputs = copy_outputs(t, &size);
		equal = equal && (!first || !size || !memcmp(first, outputs, size));
		if (i)
			free(outputs);
		else
			first = outputs;
	}
	free(first);
	return equal;
}

bool runs_right(
	const struct ordo_schedule *schedule, uint32_t nseed, bool on_threads, char why[512])
{
	const enum ordo_type types[] = {ORDO_I64, ORDO_F32};
	bool right = true;
	for (int i = 0; i < 2 && right; i++) {
		struct trial trial;
		struct ordo_error error;
		right = open_trial(&trial, schedule, types[i], &error);
		if (!right)
			snprintf(why, 512, "cannot bind: %.400s", error.text);
		else if (types[i] == ORDO_I64)
			right = integers_are_exact(&trial, nseed + 1 + on_threads, nseed, why);
		else
			right = floats_are_equal(&trial, nseed + 1 + on_threads, nseed, why);
		close_trial(&trial);
	}
	return right;
}
