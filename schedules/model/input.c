/* input.c - inputs that demonstrate a property of a schedule. */
#include <ordo/arena.h>
#include <ordo/detail/input.h>
#include <stdlib.h>

struct ordo_input *ordo_input_create(const struct ordo_problem *problem, enum ordo_type type,
	enum ordo_reduction reduction, uint64_t count, struct ordo_error *error)
{
	const struct ordo_operator_facts *facts = ordo_operator_facts(problem->op);
	if (!facts->reduces) {
		ordo_fail(error, ORDO_USAGE, 0, "%s does not reduce, so it has no order to show",
			facts->name);
		return NULL;
	}
	if (!count || count > ORDO_LIMIT) {
		ordo_fail(error, ORDO_USAGE, 0, "count: found %llu, wanted 1..%u",
			(unsigned long long)count, ORDO_LIMIT);
		return NULL;
	}
	struct ordo_input *input = calloc(1, sizeof *input);
	if (!input) {
		ordo_fail_memory(error);
		return NULL;
	}
	input->problem = *problem;
	input->problem.in_place = false;
	input->problem.accumulate = ORDO_ACCUMULATE_NONE;
	input->type = type;
	input->reduction = reduction;
	input->count = count;
	return input;
}

void ordo_input_destroy(struct ordo_input *input)
{
	if (!input)
		return;
	free(input->values);
	free(input);
}

bool ordo_input_add(struct ordo_input *input, uint32_t shard, uint64_t position,
	union ordo_number number, struct ordo_error *error)
{
	if (!ordo_array_reserve(
		    &input->values, &input->value_room, input->nvalue + 1, sizeof *input->values))
		return ordo_fail_memory(error);
	input->values[input->nvalue++] = (struct ordo_input_value){shard, position, number};
	return true;
}

union ordo_number ordo_input_at(const struct ordo_input *input, uint32_t shard, uint64_t position)
{
	size_t low = 0, high = input->nvalue;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct ordo_input_value *value = &input->values[middle];
		if (value->shard < shard || (value->shard == shard && value->position < position))
			low = middle + 1;
		else
			high = middle;
	}
	const struct ordo_input_value *value = &input->values[low];
	return low < input->nvalue && value->shard == shard && value->position == position
		       ? value->number
		       : input->rest;
}

uint64_t ordo_position_of(
	const struct ordo_problem *problem, uint64_t count, uint32_t chunk, uint64_t offset)
{
	const uint32_t K = problem->chunks_per_block;
	return chunk / K * count + ordo_chunk_begin(count, K, chunk % K, 1) + offset;
}

void ordo_chunk_at(const struct ordo_problem *problem, uint64_t count, uint64_t position,
	uint32_t *chunk, uint64_t *offset)
{
	const uint32_t K = problem->chunks_per_block;
	const uint64_t element = position % count;
	/* The last chunk that begins at or before the element; chunks may be empty. */
	uint32_t low = 0, high = K - 1;
	while (low < high) {
		const uint32_t middle = high - (high - low) / 2;
		if (ordo_chunk_begin(count, K, middle, 1) <= element)
			low = middle;
		else
			high = middle - 1;
	}
	*chunk = (uint32_t)(position / count) * K + low;
	*offset = element - ordo_chunk_begin(count, K, low, 1);
}

static bool add_witness(struct ordo_input *input, const struct ordo_contradiction *contradiction,
	struct ordo_error *error)
{
	const struct ordo_witness *witness = &contradiction->witness;
	const uint32_t leaves[3] = {witness->a, witness->b, witness->c};
	const uint64_t one = input->elements[0].position, other = input->elements[1].position;
	bool added[3] = {false};
	for (int turn = 0; turn < 3; turn++) {
		int next = -1;
		for (int i = 0; i < 3; i++)
			if (!added[i] && (next < 0 || leaves[i] < leaves[next]))
				next = i;
		const union ordo_number number = {.real = contradiction->value[next]};
		if (!ordo_input_add(
			    input, leaves[next], one < other ? one : other, number, error) ||
			(one != other && !ordo_input_add(input, leaves[next],
						 one < other ? other : one, number, error)))
			return false;
		added[next] = true;
	}
	return true;
}

struct ordo_input *ordo_input_contradicting(const struct ordo_problem *problem,
	const struct ordo_contradiction *contradiction, struct ordo_error *error)
{
	struct ordo_input *input = ordo_input_create(problem, contradiction->type,
		contradiction->reduction, problem->chunks_per_block, error);
	if (!input)
		return NULL;
	for (uint32_t i = 0; i < 2; i++) {
		const struct ordo_element *element = &contradiction->element[i];
		input->elements[i] = (struct ordo_output_element){element->rank,
			ordo_position_of(problem, input->count, element->chunk, element->offset)};
	}
	input->nelement = 2;
	input->rest = (union ordo_number){.real = contradiction->rest};
	if (add_witness(input, contradiction, error))
		return input;
	ordo_input_destroy(input);
	return NULL;
}
