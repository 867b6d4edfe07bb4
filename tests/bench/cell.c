/* cell.c - sizes, contents and traffic of what is measured. */
#include "cell.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const operator_names[CELL_NOPERATOR] = {
	"AllReduce", "ReduceScatter", "AllGather", "Broadcast", "AllToAll"};

const char *cell_operator_name(enum cell_operator operator)
{
	return operator_names[operator];
}

static bool has_blocks(enum cell_operator operator)
{
	return operator!= CELL_ALLREDUCE && operator!= CELL_BROADCAST;
}

bool cell_read(const char *text, uint32_t nrank, struct cell *cell)
{
	const char *colon = strchr(text, ':');
	if (!colon)
		return false;
	for (int op = 0; op < CELL_NOPERATOR; op++) {
		if (strlen(operator_names[op]) != (size_t)(colon - text) ||
			strncmp(text, operator_names[op], (size_t)(colon - text)) != 0)
			continue;
		const uint64_t count =
			(strtoull(colon + 1, NULL, 10) + sizeof(float) - 1) / sizeof(float);
		const uint64_t blocks = has_blocks((enum cell_operator)op) ? nrank : 1;
		*cell = (struct cell){
			(enum cell_operator)op, nrank, (count + blocks - 1) / blocks * blocks};
		return count > 0 && nrank > 0;
	}
	return false;
}

uint64_t cell_block(const struct cell *cell)
{
	return has_blocks(cell->operator) ? cell->count / cell->nrank : cell->count;
}

uint64_t cell_input_count(const struct cell *cell, uint32_t rank)
{
	if (cell->operator== CELL_ALLGATHER)
		return cell_block(cell);
	return cell->operator== CELL_BROADCAST && rank != 0 ? 0 : cell->count;
}

uint64_t cell_output_count(const struct cell *cell, uint32_t rank)
{
	(void)rank;
	return cell->operator== CELL_REDUCESCATTER ? cell_block(cell) : cell->count;
}

bool cell_in_place(const struct cell *cell)
{
	return cell->operator== CELL_BROADCAST;
}

bool cell_may_run_ahead(const struct cell *cell)
{
	return cell->operator== CELL_BROADCAST;
}

uint64_t cell_traffic(const struct cell *cell)
{
	uint64_t moved = 0;
	for (uint32_t rank = 0; rank < cell->nrank; rank++) {
		const bool has_it = cell_in_place(cell) && rank == 0;
		moved +=
			cell_input_count(cell, rank) + (has_it ? 0 : cell_output_count(cell, rank));
	}
	return moved * sizeof(float);
}

void cell_report(const char *contender, const struct cell *cell, double seconds, uint64_t nwrong,
	const char *schedule)
{
	printf("{\"contender\": \"%s\", \"operator\": \"%s\", \"ranks\": %" PRIu32
	       ", \"bytes\": %" PRIu64 ", \"us\": %.4f, \"wrong\": %" PRIu64,
		contender, cell_operator_name(cell->operator), cell->nrank,
		cell->count * sizeof(float), seconds * 1e6, nwrong);
	if (schedule)
		printf(", \"schedule\": \"%s\"", schedule);
	printf("}\n");
	fflush(stdout);
}

/* Contents are integers below 2^18, so that sums of few ranks are exact in any order. Element i of
 * rank r in phase p: pattern(i) + 256 r + 65536 p. The pattern repeats at no distance that a block
 * could be off by. */
static inline float pattern(uint64_t i)
{
	const uint32_t low = (uint32_t)i;
	return (float)(int32_t)((low ^ low >> 7 ^ low >> 15) & 255);
}

static void write_input(const struct owner *owner, uint32_t phase)
{
	const uint64_t n = cell_input_count(&owner->cell, owner->rank);
	const float addend = (float)(256 * owner->rank + 65536 * phase);
	float *input = owner->input;
	for (uint64_t i = 0; i < n; i++)
		input[i] = pattern(i) + addend;
}

/* Every output block is scale * pattern(from + j) + addend. */
struct content {
	uint64_t from;
	float scale, addend;
};

static struct content content_of(const struct owner *owner, uint64_t block, uint32_t phase)
{
	const uint32_t nrank = owner->cell.nrank;
	const uint64_t own_block = owner->rank * cell_block(&owner->cell);
	switch (owner->cell.operator) {
	case CELL_ALLREDUCE:
	case CELL_REDUCESCATTER: {
		const uint32_t sum = 256 * (nrank * (nrank - 1) / 2) + 65536 * phase * nrank;
		return (struct content){owner->cell.operator== CELL_REDUCESCATTER ? own_block : 0,
			(float)nrank, (float)sum};
	}
	case CELL_ALLGATHER:
	case CELL_ALLTOALL:
		return (struct content){owner->cell.operator== CELL_ALLTOALL ? own_block : 0, 1,
			(float)(256 * (uint32_t)block + 65536 * phase)};
	case CELL_BROADCAST:
		break;
	}
	return (struct content){0, 1, (float)(65536 * phase)};
}

static inline float content_at(struct content content, uint64_t j)
{
	return content.scale * pattern(content.from + j) + content.addend;
}

static inline uint32_t bits_of(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static uint32_t expected_checksum(const struct owner *owner, uint32_t phase)
{
	const uint64_t n = cell_output_count(&owner->cell, owner->rank),
		       block = cell_block(&owner->cell);
	uint32_t sum = 0;
	for (uint64_t b = 0; b < n / block; b++) {
		const struct content content = content_of(owner, b, phase);
		for (uint64_t j = 0; j < block; j++)
			sum += bits_of(content_at(content, j));
	}
	return sum;
}

static uint32_t output_checksum(const struct owner *owner)
{
	const uint64_t n = cell_output_count(&owner->cell, owner->rank);
	const float *output = owner->output;
	uint32_t sum = 0;
	for (uint64_t i = 0; i < n; i++)
		sum += bits_of(output[i]);
	return sum;
}

/* On pages of its own, and there. */
static float *make_buffer(uint64_t count)
{
	const size_t page = 4096, size = (count * sizeof(float) + page - 1) / page * page;
	float *buffer = aligned_alloc(page, size ? size : page);
	if (buffer)
		memset(buffer, 0, size);
	return buffer;
}

bool owner_create(struct owner *owner, const struct cell *cell, uint32_t rank)
{
	*owner = (struct owner){.cell = *cell, .rank = rank};
	owner->output = make_buffer(cell_output_count(cell, rank));
	owner->input =
		cell_in_place(cell) ? owner->output : make_buffer(cell_input_count(cell, rank));
	for (uint32_t phase = 0; phase < CELL_NPHASE; phase++)
		owner->expected[phase] = expected_checksum(owner, phase);
	if (owner->input && owner->output) {
		write_input(owner, 0);
		return true;
	}
	owner_destroy(owner);
	return false;
}

void owner_destroy(struct owner *owner)
{
	if (owner->input != owner->output)
		free(owner->input);
	free(owner->output);
	owner->input = owner->output = NULL;
}

void owner_touch(struct owner *owner, bool called)
{
	const uint32_t found = output_checksum(owner);
	if (called || (cell_in_place(&owner->cell) && owner->rank == 0))
		owner->delivered = owner->written;
	if (called)
		owner->called = true;
	if (owner->called)
		owner->nwrong += found != owner->expected[owner->delivered];
	owner->written = (owner->written + 1) % CELL_NPHASE;
	write_input(owner, owner->written);
}

void owner_check(struct owner *owner)
{
	const uint64_t n = cell_output_count(&owner->cell, owner->rank),
		       block = cell_block(&owner->cell);
	uint64_t differ = 0;
	for (uint64_t b = 0; b < n / block; b++) {
		const struct content content = content_of(owner, b, owner->written);
		for (uint64_t j = 0; j < block; j++)
			differ += bits_of(owner->output[b * block + j]) !=
				  bits_of(content_at(content, j));
	}
	owner->nwrong += differ != 0;
}
