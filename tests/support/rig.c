/* rig.c - buffers around a plan: filled, run and compared with what the operator means. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants those before it. */
#include "rig.h"
#include <cmocka.h>
#include <ordo/communicator.h>
#include <stdlib.h>
#include <string.h>

bool run_plan(struct ordo_plan *plan, enum drive drive, uint64_t seed, struct ordo_error *error)
{
	return drive == BY_SEED
		       ? ordo_plan_run_seeded(plan, seed, error)
		       : ordo_plan_run_threads(plan, (uint32_t)(drive - BY_RANK_THREADS), error);
}

static void *allocate(size_t bytes)
{
	void *memory = malloc(bytes ? bytes : 1);
	assert_non_null(memory);
	return memory;
}

static uint64_t input_bytes(const struct rig *rig, uint32_t rank)
{
	return ordo_plan_input_bytes(rig->plan, rank);
}

static void allocate_rank(struct rig *rig, uint32_t rank)
{
	const uint64_t ninput = input_bytes(rig, rank),
		       noutput = ordo_plan_output_bytes(rig->plan, rank);
	struct ordo_error error;
	if (!rig->schedule->problem.in_place) {
		rig->wholes[rank] = rig->inputs[rank] = allocate(ninput);
		rig->outputs[rank] = allocate(noutput);
		assert_true(ordo_plan_bind(
			rig->plan, rank, rig->inputs[rank], rig->outputs[rank], &error));
		return;
	}
	const uint32_t in_slots = ordo_input_slots(&rig->schedule->problem, rank);
	const uint32_t out_slots = ordo_output_slots(&rig->schedule->problem, rank);
	const bool nested = in_slots && out_slots && in_slots != out_slots;
	const uint64_t skip =
		nested ? rig->block_begin[rank] * ordo_type_size(rig->options.type) : 0;
	unsigned char *whole = allocate(ninput > noutput ? ninput : noutput);
	rig->wholes[rank] = whole;
	rig->inputs[rank] = in_slots < out_slots ? whole + skip : whole;
	rig->outputs[rank] = out_slots < in_slots ? whole + skip : whole;
	assert_true(ordo_plan_bind(rig->plan, rank, in_slots < out_slots ? NULL : whole,
		in_slots < out_slots ? whole : NULL, &error));
}

struct rig rig_create(const struct ordo_schedule *schedule, struct ordo_plan_options options)
{
	const uint32_t nrank = schedule->problem.nrank, nblock = ordo_nblock(&schedule->problem);
	struct ordo_error error = {0};
	struct rig rig = {.schedule = schedule,
		.options = options,
		.plan = ordo_plan_create(schedule, &options, &error)};
	if (!rig.plan)
		fail_msg("%s", error.text);
	rig.block_begin = allocate(((size_t)nblock + 1) * sizeof *rig.block_begin);
	rig.block_begin[0] = 0;
	for (uint32_t b = 0; b < nblock; b++)
		rig.block_begin[b + 1] =
			rig.block_begin[b] +
			(options.block_count ? options.block_count[b] : options.count);
	rig.inputs = allocate(nrank * sizeof *rig.inputs);
	rig.outputs = allocate(nrank * sizeof *rig.outputs);
	rig.wholes = allocate(nrank * sizeof *rig.wholes);
	for (uint32_t r = 0; r < nrank; r++)
		allocate_rank(&rig, r);
	return rig;
}

void rig_destroy(struct rig *rig)
{
	ordo_plan_destroy(rig->plan);
	for (uint32_t r = 0; r < rig->schedule->problem.nrank; r++) {
		if (!rig->schedule->problem.in_place)
			free(rig->outputs[r]);
		free(rig->wholes[r]);
	}
	free(rig->block_begin);
	free(rig->inputs);
	free(rig->outputs);
	free(rig->wholes);
}

/* Integers of 8 and 16 bits wrap. */
static void store(enum ordo_type type, unsigned char *array, uint64_t i, int value)
{
	const size_t size = ordo_type_size(type);
	const uint8_t byte = (uint8_t)value;
	const uint16_t word = (uint16_t)value;
	if (size > 2 || ordo_type_facts(type)->is_float)
		ordo_element_put(type, array, i, value);
	else
		memcpy(array + i * size, size == 1 ? (const void *)&byte : &word, size);
}

int rig_value(uint32_t rank, uint64_t i, uint32_t call)
{
	uint64_t hash = (i * 1000003 + rank * UINT64_C(7919) + call) * UINT64_C(0x9e3779b97f4a7c15);
	return (int)(hash >> 61);
}

/* fp8 counts to 8 or 16, so its numbers are 0 and 1. */
static int value_of(const struct rig *rig, uint32_t rank, uint64_t i, uint32_t call)
{
	const uint32_t precision = ordo_type_facts(rig->options.type)->precision;
	const int value = rig_value(rank, i, call);
	return precision && precision < 8 ? value & 1 : value;
}

void rig_fill(const struct rig *rig, uint32_t rank, uint32_t call)
{
	memset(rig->outputs[rank], 0xa5, ordo_plan_output_bytes(rig->plan, rank));
	const uint64_t n = input_bytes(rig, rank) / ordo_type_size(rig->options.type);
	for (uint64_t i = 0; i < n; i++)
		store(rig->options.type, rig->inputs[rank], i, value_of(rig, rank, i, call));
}

static int combine(enum ordo_reduction reduction, int a, int b)
{
	switch (reduction) {
	case ORDO_SUM:
	case ORDO_AVG:
		return a + b;
	case ORDO_PROD:
		return a * b;
	case ORDO_MIN:
	case ORDO_MINLOC:
		return a < b ? a : b;
	case ORDO_BAND:
		return a & b;
	case ORDO_BOR:
		return a | b;
	case ORDO_BXOR:
		return a ^ b;
	case ORDO_MAX:
	case ORDO_MAXLOC:
		break;
	}
	return a > b ? a : b;
}

/* All ranks' element i of the vector. */
static int reduced(const struct rig *rig, uint64_t i, uint32_t call)
{
	int value = value_of(rig, 0, i, call);
	for (uint32_t r = 1; r < rig->schedule->problem.nrank; r++)
		value = combine(rig->options.reduction, value, value_of(rig, r, i, call));
	return value;
}

/* Element i of what an AllToAll must leave on a rank. */
static int transposed(const struct rig *rig, uint32_t rank, uint64_t i, uint32_t call)
{
	const uint32_t N = rig->schedule->problem.nrank;
	for (uint32_t from = 0; from < N; from++) {
		const uint64_t *block = &rig->block_begin[from * N + rank];
		if (i < block[1] - block[0])
			return value_of(rig, from, block[0] - rig->block_begin[from * N] + i, call);
		i -= block[1] - block[0];
	}
	return -1;
}

static int wanted(const struct rig *rig, uint32_t rank, uint64_t i, uint32_t call)
{
	uint32_t owner = 0;
	switch (rig->schedule->problem.op) {
	case ORDO_ALLREDUCE:
	case ORDO_REDUCE:
		return reduced(rig, i, call);
	case ORDO_REDUCESCATTER:
		return reduced(rig, rig->block_begin[rank] + i, call);
	case ORDO_BROADCAST:
		return value_of(rig, rig->schedule->problem.root, i, call);
	case ORDO_SCATTER:
		return value_of(rig, rig->schedule->problem.root, rig->block_begin[rank] + i, call);
	case ORDO_ALLGATHER:
	case ORDO_GATHER:
		while (i >= rig->block_begin[owner + 1])
			owner++;
		return value_of(rig, owner, i - rig->block_begin[owner], call);
	case ORDO_ALLTOALL:
	case ORDO_CUSTOM: /* no test wants anything of it */
		break;
	}
	return transposed(rig, rank, i, call);
}

/* A sum of nrank numbers, as it wrapped, divided. */
static void divide(enum ordo_type type, unsigned char *sum, uint32_t nrank)
{
	const double quotient = ordo_element_get(type, sum, 0) / nrank;
	ordo_element_put(
		type, sum, 0, ordo_type_facts(type)->precision ? quotient : (double)(int)quotient);
}

bool rig_is_right(const struct rig *rig, uint32_t rank, uint32_t call, uint64_t *element)
{
	const size_t size = ordo_type_size(rig->options.type);
	const uint64_t n = ordo_plan_output_bytes(rig->plan, rank) / size;
	for (uint64_t i = 0; i < n; i++) {
		unsigned char right[16];
		store(rig->options.type, right, 0, wanted(rig, rank, i, call));
		if (rig->options.reduction == ORDO_AVG &&
			ordo_operator_facts(rig->schedule->problem.op)->reduces)
			divide(rig->options.type, right, rig->schedule->problem.nrank);
		*element = i;
		if (memcmp(right, rig->outputs[rank] + i * size, size) != 0)
			return false;
	}
	return true;
}

void rig_run(const struct rig *rig, enum drive drive, uint64_t seed, uint32_t call)
{
	const uint32_t nrank = rig->schedule->problem.nrank;
	struct ordo_error error = {0};
	for (uint32_t r = 0; r < nrank; r++)
		rig_fill(rig, r, call);
	if (!run_plan(rig->plan, drive, seed, &error))
		fail_msg("%s", error.text);
	uint64_t element;
	for (uint32_t r = 0; r < nrank; r++)
		if (!rig_is_right(rig, r, call, &element))
			fail_msg("%s of %u ranks: element %llu of rank %u is wrong in call %u",
				ordo_operator_facts(rig->schedule->problem.op)->name, nrank,
				(unsigned long long)element, r, call);
}

void rig_run_folded(const struct rig *rig)
{
	const uint32_t nrank = rig->schedule->problem.nrank;
	struct ordo_error error = {0};
	struct ordo_part *parts = calloc(nrank, sizeof *parts);
	struct ordo_collective *collective =
		ordo_collective_create(rig->schedule, &rig->options, &error);
	struct ordo_communicator *communicator = ordo_communicator_create(
		&(struct ordo_communicator_options){.nrank = nrank}, &error);
	assert_non_null(parts);
	if (!collective || !communicator)
		fail_msg("%s", error.text);
	for (uint32_t rank = 0; rank < nrank; rank++)
		parts[rank] = (struct ordo_part){.collective = collective,
			.input = rig->inputs[rank],
			.output = rig->outputs[rank]};
	if (!ordo_communicator_run_all(communicator, parts, &error))
		fail_msg("%s", error.text);
	ordo_communicator_destroy(communicator);
	ordo_collective_destroy(collective);
	free(parts);
}
