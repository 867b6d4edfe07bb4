/* operator.c - the operator table, and the slots of each operator. */
#include <ordo/operator.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

static const struct ordo_operator_facts operators[ORDO_CUSTOM + 1] = {
	[ORDO_ALLREDUCE] = {"AllReduce", true, false, true,
		"every rank gets the sum of all ranks' vectors"},
	[ORDO_REDUCE] = {"Reduce", true, true, true, "the root gets the sum of all ranks' vectors"},
	[ORDO_BROADCAST] = {"Broadcast", false, true, true, "every rank gets the root's vector"},
	[ORDO_REDUCESCATTER] = {"ReduceScatter", true, false, true,
		"rank r gets block r of the sum of all ranks' vectors"},
	[ORDO_ALLGATHER] = {"AllGather", false, false, true, "every rank gets every rank's block"},
	[ORDO_SCATTER] = {"Scatter", false, true, true, "rank r gets block r of the root"},
	[ORDO_GATHER] = {"Gather", false, true, true, "the root gets every rank's block"},
	[ORDO_ALLTOALL] = {"AllToAll", false, false, false,
		"rank r gets the block that every rank has for r"},
	[ORDO_CUSTOM] = {"Custom", false, false, false,
		"what each rank gets is not described, and not judged"},
};

const struct ordo_operator_facts *ordo_operator_facts(enum ordo_operator op)
{
	return &operators[op];
}

bool ordo_operator_from_name(const char *name, enum ordo_operator *op)
{
	for (int i = 0; i <= ORDO_CUSTOM; i++)
		if (!strcmp(name, operators[i].name)) {
			*op = (enum ordo_operator)i;
			return true;
		}
	return false;
}

bool ordo_has_counts(enum ordo_operator op)
{
	return op == ORDO_REDUCESCATTER || op == ORDO_ALLGATHER || op == ORDO_SCATTER ||
	       op == ORDO_GATHER || op == ORDO_ALLTOALL;
}

static bool is_operator(const char *plain, enum ordo_operator *op)
{
	for (int i = 0; i <= ORDO_CUSTOM; i++)
		if (!strcasecmp(plain, operators[i].name)) {
			*op = (enum ordo_operator)i;
			return true;
		}
	return false;
}

bool ordo_operator_from_typed(const char *name, enum ordo_operator *op)
{
	char plain[32];
	size_t length = 0;
	for (; *name; name++) {
		if (*name == '-' || *name == '_')
			continue;
		if (length + 1 >= sizeof plain)
			return false;
		plain[length++] = *name;
	}
	plain[length] = 0;
	if (is_operator(plain, op))
		return true;
	if (!length || strcasecmp(plain + length - 1, "v") != 0)
		return false;
	plain[length - 1] = 0;
	return is_operator(plain, op) && ordo_has_counts(*op);
}

const char *ordo_buffer_name(enum ordo_buffer buffer)
{
	static const char *const names[] = {"input", "output", "scratch"};
	return names[buffer];
}

static uint64_t nblock_of(const struct ordo_problem *problem)
{
	switch (problem->op) {
	case ORDO_ALLREDUCE:
	case ORDO_REDUCE:
	case ORDO_BROADCAST:
		return 1;
	case ORDO_REDUCESCATTER:
	case ORDO_ALLGATHER:
	case ORDO_SCATTER:
	case ORDO_GATHER:
	case ORDO_CUSTOM:
		return problem->nrank;
	case ORDO_ALLTOALL:
		return (uint64_t)problem->nrank * problem->nrank;
	}
	return 0;
}

bool ordo_problem_check(const struct ordo_problem *problem, struct ordo_error *error)
{
	const struct ordo_operator_facts *facts = &operators[problem->op];
	if (problem->nrank < 1 || problem->nrank > ORDO_LIMIT)
		return ordo_fail(error, ORDO_BAD_INPUT, 1, "ranks: found %u, wanted 1..%u",
			problem->nrank, ORDO_LIMIT);
	if (problem->chunks_per_block < 1 || problem->chunks_per_block > ORDO_LIMIT)
		return ordo_fail(error, ORDO_BAD_INPUT, 1,
			"chunks_per_block: found %u, wanted 1..%u", problem->chunks_per_block,
			ORDO_LIMIT);
	if (problem->nshard < 1 || problem->nshard > ORDO_LIMIT)
		return ordo_fail(error, ORDO_BAD_INPUT, 1, "shards: found %u, wanted 1..%u",
			problem->nshard, ORDO_LIMIT);
	if (problem->root >= problem->nrank)
		return ordo_fail(error, ORDO_BAD_INPUT, 1, "root: found %u, wanted a rank of 0..%u",
			problem->root, problem->nrank - 1);
	if (problem->root && !facts->rooted)
		return ordo_fail(error, ORDO_BAD_INPUT, 1, "root: %s has no root", facts->name);
	uint64_t nblock = nblock_of(problem);
	if (nblock > ORDO_LIMIT || nblock * problem->chunks_per_block > ORDO_LIMIT)
		return ordo_fail(error, ORDO_BAD_INPUT, 1,
			"chunks: %llu blocks of %u chunks, wanted at most %u chunks in all",
			(unsigned long long)nblock, problem->chunks_per_block, ORDO_LIMIT);
	if (problem->in_place && !facts->has_in_place)
		return ordo_fail(
			error, ORDO_BAD_INPUT, 1, "in_place: %s has no in-place form", facts->name);
	if (problem->accumulate && !facts->reduces)
		return ordo_fail(error, ORDO_BAD_INPUT, 1,
			"accumulate: %s does not reduce, so there is nothing to accumulate",
			facts->name);
	if (problem->nshard == problem->nrank)
		return true;
	if (!facts->reduces)
		return ordo_fail(error, ORDO_BAD_INPUT, 1,
			"shards: %s does not reduce, found %u, wanted %u (the number of ranks)",
			facts->name, problem->nshard, problem->nrank);
	if (problem->in_place)
		return ordo_fail(error, ORDO_BAD_INPUT, 1,
			"in_place: there is no in-place form with %u shards on %u ranks",
			problem->nshard, problem->nrank);
	uint64_t most = ((uint64_t)problem->nshard + problem->nrank - 1) / problem->nrank;
	if (most * nblock * problem->chunks_per_block > ORDO_LIMIT)
		return ordo_fail(error, ORDO_BAD_INPUT, 1,
			"shards: %llu shards a rank of %llu chunks, wanted at most %u input slots",
			(unsigned long long)most,
			(unsigned long long)nblock * problem->chunks_per_block, ORDO_LIMIT);
	return true;
}

uint32_t ordo_nblock(const struct ordo_problem *problem)
{
	return (uint32_t)nblock_of(problem);
}

uint32_t ordo_nchunk(const struct ordo_problem *problem)
{
	return (uint32_t)nblock_of(problem) * problem->chunks_per_block;
}

uint32_t ordo_ncontribution(const struct ordo_problem *problem)
{
	if (problem->op == ORDO_CUSTOM)
		return ordo_nchunk(problem);
	return operators[problem->op].reduces ? problem->nshard : problem->nrank;
}

uint32_t ordo_first_shard(const struct ordo_problem *problem, uint32_t rank)
{
	return (uint32_t)((uint64_t)rank * problem->nshard / problem->nrank);
}

uint32_t ordo_input_slots(const struct ordo_problem *problem, uint32_t rank)
{
	switch (problem->op) {
	case ORDO_ALLREDUCE:
	case ORDO_REDUCE:
	case ORDO_REDUCESCATTER:
		return (ordo_first_shard(problem, rank + 1) - ordo_first_shard(problem, rank)) *
		       ordo_nchunk(problem);
	case ORDO_BROADCAST:
	case ORDO_SCATTER:
		return rank == problem->root ? ordo_nchunk(problem) : 0;
	case ORDO_ALLGATHER:
	case ORDO_GATHER:
	case ORDO_CUSTOM:
		return problem->chunks_per_block;
	case ORDO_ALLTOALL:
		return problem->nrank * problem->chunks_per_block;
	}
	return 0;
}

uint32_t ordo_output_slots(const struct ordo_problem *problem, uint32_t rank)
{
	switch (problem->op) {
	case ORDO_ALLREDUCE:
	case ORDO_BROADCAST:
	case ORDO_ALLGATHER:
		return ordo_nchunk(problem);
	case ORDO_REDUCE:
	case ORDO_GATHER:
		return rank == problem->root ? ordo_nchunk(problem) : 0;
	case ORDO_REDUCESCATTER:
	case ORDO_SCATTER:
	case ORDO_CUSTOM:
		return problem->chunks_per_block;
	case ORDO_ALLTOALL:
		return problem->nrank * problem->chunks_per_block;
	}
	return 0;
}

uint32_t ordo_input_chunk(const struct ordo_problem *problem, uint32_t rank, uint32_t slot)
{
	const uint32_t K = problem->chunks_per_block;
	switch (problem->op) {
	case ORDO_ALLREDUCE:
	case ORDO_REDUCE:
	case ORDO_REDUCESCATTER:
		return slot % ordo_nchunk(problem);
	case ORDO_BROADCAST:
	case ORDO_SCATTER:
		return slot;
	case ORDO_ALLGATHER:
	case ORDO_GATHER:
	case ORDO_CUSTOM:
		return rank * K + slot;
	case ORDO_ALLTOALL:
		return (rank * problem->nrank + slot / K) * K + slot % K;
	}
	return ORDO_NONE;
}

uint32_t ordo_output_chunk(const struct ordo_problem *problem, uint32_t rank, uint32_t slot)
{
	const uint32_t K = problem->chunks_per_block;
	switch (problem->op) {
	case ORDO_ALLREDUCE:
	case ORDO_REDUCE:
	case ORDO_BROADCAST:
	case ORDO_ALLGATHER:
	case ORDO_GATHER:
		return slot;
	case ORDO_REDUCESCATTER:
	case ORDO_SCATTER:
	case ORDO_CUSTOM:
		return rank * K + slot;
	case ORDO_ALLTOALL:
		return (slot / K * problem->nrank + rank) * K + slot % K;
	}
	return ORDO_NONE;
}

uint32_t ordo_input_slot(const struct ordo_problem *problem, uint32_t rank, uint32_t chunk)
{
	const uint32_t K = problem->chunks_per_block;
	uint32_t slot = chunk;
	switch (problem->op) {
	case ORDO_ALLREDUCE:
	case ORDO_REDUCE:
	case ORDO_REDUCESCATTER:
	case ORDO_BROADCAST:
	case ORDO_SCATTER:
		break;
	case ORDO_ALLGATHER:
	case ORDO_GATHER:
	case ORDO_CUSTOM:
		if (chunk / K != rank)
			return ORDO_NONE;
		slot = chunk % K;
		break;
	case ORDO_ALLTOALL:
		if (chunk / K / problem->nrank != rank)
			return ORDO_NONE;
		slot = chunk / K % problem->nrank * K + chunk % K;
		break;
	}
	return slot < ordo_input_slots(problem, rank) ? slot : ORDO_NONE;
}

uint32_t ordo_output_slot(const struct ordo_problem *problem, uint32_t rank, uint32_t chunk)
{
	const uint32_t K = problem->chunks_per_block;
	uint32_t slot = chunk;
	switch (problem->op) {
	case ORDO_ALLREDUCE:
	case ORDO_REDUCE:
	case ORDO_BROADCAST:
	case ORDO_ALLGATHER:
	case ORDO_GATHER:
		break;
	case ORDO_REDUCESCATTER:
	case ORDO_SCATTER:
	case ORDO_CUSTOM:
		if (chunk / K != rank)
			return ORDO_NONE;
		slot = chunk % K;
		break;
	case ORDO_ALLTOALL:
		if (chunk / K % problem->nrank != rank)
			return ORDO_NONE;
		slot = chunk / K / problem->nrank * K + chunk % K;
		break;
	}
	return slot < ordo_output_slots(problem, rank) ? slot : ORDO_NONE;
}

uint32_t ordo_input_shard(const struct ordo_problem *problem, uint32_t rank, uint32_t slot)
{
	if (problem->op == ORDO_CUSTOM)
		return ordo_input_chunk(problem, rank, slot);
	if (!operators[problem->op].reduces)
		return rank;
	return ordo_first_shard(problem, rank) + slot / ordo_nchunk(problem);
}

uint32_t ordo_chunk_source(const struct ordo_problem *problem, uint32_t chunk)
{
	switch (problem->op) {
	case ORDO_ALLGATHER:
	case ORDO_GATHER:
	case ORDO_CUSTOM:
		return chunk / problem->chunks_per_block;
	case ORDO_ALLTOALL:
		return chunk / problem->chunks_per_block / problem->nrank;
	case ORDO_BROADCAST:
	case ORDO_SCATTER:
	case ORDO_ALLREDUCE:
	case ORDO_REDUCE:
	case ORDO_REDUCESCATTER:
		break;
	}
	return problem->root;
}

void ordo_chunk_holders(
	const struct ordo_problem *problem, uint32_t chunk, uint32_t *first, uint32_t *end)
{
	const uint32_t block = chunk / problem->chunks_per_block;
	switch (problem->op) {
	case ORDO_ALLREDUCE:
	case ORDO_BROADCAST:
	case ORDO_ALLGATHER:
		*first = 0;
		*end = problem->nrank;
		return;
	case ORDO_REDUCE:
	case ORDO_GATHER:
		*first = problem->root;
		break;
	case ORDO_REDUCESCATTER:
	case ORDO_SCATTER:
	case ORDO_CUSTOM:
		*first = block;
		break;
	case ORDO_ALLTOALL:
		*first = block % problem->nrank;
		break;
	}
	*end = *first + 1;
}

uint32_t ordo_in_place_output_slot(
	const struct ordo_problem *problem, uint32_t rank, uint32_t input_slot)
{
	if (!problem->in_place)
		return ORDO_NONE;
	return ordo_output_slot(problem, rank, ordo_input_chunk(problem, rank, input_slot));
}

uint64_t ordo_chunk_begin(uint64_t n, uint32_t K, uint32_t k, uint64_t alignment)
{
	/* ceil(k*n/K) without overflow: n = qK + s, so k*n/K = kq + k*s/K with k*s < 2^64. */
	uint64_t quotient = n / K, remainder = n % K;
	uint64_t begin = quotient * k + (remainder * k + K - 1) / K;
	uint64_t beyond = begin % alignment;
	if (beyond)
		begin = n - begin < alignment - beyond ? n : begin + (alignment - beyond);
	return begin;
}
