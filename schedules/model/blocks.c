/* blocks.c - blocks of unequal sizes: the size that they have together, and the same proportions at
 * another size. */
#include <ordo/detail/slots.h>

__extension__ typedef unsigned __int128 wide;

/* Adds to *sum; false: it would exceed the limit. */
static bool add(uint64_t *sum, uint64_t count)
{
	if (count > ORDO_COUNTS_LIMIT - *sum)
		return false;
	*sum += count;
	return true;
}

/* What a rank sends, or what it receives. */
static bool add_line(uint64_t *sum, const uint64_t *block_count, uint64_t nrank, uint64_t stride)
{
	for (uint64_t i = 0; i < nrank; i++)
		if (!add(sum, block_count[i * stride]))
			return false;
	return true;
}

bool ordo_blocks_size(
	const struct ordo_problem *problem, const uint64_t *block_count, uint64_t *elements)
{
	const uint64_t nrank = problem->nrank;
	uint64_t all = 0;
	*elements = 0;
	for (uint32_t b = 0; b < ordo_nblock(problem); b++)
		if (!add(&all, block_count[b]))
			return false;
	if (problem->op != ORDO_ALLTOALL) {
		*elements = all;
		return true;
	}
	for (uint64_t rank = 0; rank < nrank; rank++) {
		uint64_t sent = 0, received = 0;
		if (!add_line(&sent, block_count + rank * nrank, nrank, 1) ||
			!add_line(&received, block_count + rank, nrank, nrank))
			return false;
		*elements = sent > *elements ? sent : *elements;
		*elements = received > *elements ? received : *elements;
	}
	return true;
}

/* floor(count * elements / size); the product has at most 120 bits. */
static uint64_t scale(uint64_t count, uint64_t elements, uint64_t size)
{
	return (uint64_t)((wide)count * elements / size);
}

bool ordo_blocks_scale(const struct ordo_problem *problem, const uint64_t *block_count,
	uint64_t elements, uint64_t *scaled)
{
	uint64_t size;
	if (elements > ORDO_COUNTS_LIMIT || !ordo_blocks_size(problem, block_count, &size))
		return false;
	for (uint32_t b = 0; b < ordo_nblock(problem); b++)
		scaled[b] = size ? scale(block_count[b], elements, size) : 0;
	return true;
}
