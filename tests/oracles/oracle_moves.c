/* oracle_moves.c - runs moves on a memory of contributions. */
#include "oracle_moves.h"
#include "oracle_document.h"

#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t value)
{
	value = (value ^ value >> 31) * UINT64_C(0x7fb5d329728ea185);
	value = (value ^ value >> 27) * UINT64_C(0x81dadef4bc2dd44d);
	return value ^ value >> 33;
}

static uint64_t sum_of(uint64_t a, uint64_t b)
{
	return a < b ? mix(mix(a) + 3 * b) : mix(mix(b) + 3 * a);
}

static bool adds(enum ordo_operator op)
{
	return op == ORDO_ALLREDUCE || op == ORDO_REDUCE || op == ORDO_REDUCESCATTER;
}

static struct oracle_content *cell_at(const struct oracle_memory *m, struct oracle_place at)
{
	return &m->cells[m->first_cell[at.rank] +
			 cell_in_rank(&m->problem, at.rank, at.buffer, at.slot)];
}

static uint32_t slots_at(const struct oracle_memory *m, struct oracle_place at)
{
	return slots_in(&m->problem, at.rank, at.buffer, m->scratch_slots);
}

struct oracle_memory oracle_open_memory(const struct ordo_problem *problem, uint32_t scratch_slots)
{
	struct oracle_memory m = {.problem = *problem, .scratch_slots = scratch_slots};
	m.first_cell = must_alloc((size_t)problem->nrank + 1, sizeof *m.first_cell);
	/* At most so many cells: where input and output share memory, some are not used. */
	for (uint32_t rank = 0; rank < problem->nrank; rank++)
		m.first_cell[rank + 1] = m.first_cell[rank] + scratch_slots +
					 slots_in(problem, rank, ORDO_INPUT, scratch_slots) +
					 slots_in(problem, rank, ORDO_OUTPUT, scratch_slots);
	m.cells = must_alloc(m.first_cell[problem->nrank], sizeof *m.cells);
	for (uint32_t i = 0; i < m.first_cell[problem->nrank]; i++)
		m.cells[i].chunk = ORDO_NONE;
	for (uint32_t rank = 0; rank < problem->nrank; rank++)
		for (uint32_t slot = 0; slot < slots_in(problem, rank, ORDO_INPUT, 0); slot++) {
			const struct oracle_place at = {rank, ORDO_INPUT, slot};
			struct oracle_content *cell = cell_at(&m, at);
			const uint32_t shard = shard_given(problem, rank, slot);
			if (shard >= ORACLE_MOST_SHARDS)
				abort();
			cell->chunk = chunk_given(problem, rank, slot);
			cell->tree = mix(shard + 1);
			cell->times[shard] = 1;
		}
	return m;
}

void oracle_close_memory(struct oracle_memory *memory)
{
	free(memory->first_cell);
	free(memory->cells);
}

/* One slot of a move. */
static int move_one(
	struct oracle_memory *m, struct oracle_place to, struct oracle_place from, bool reduces)
{
	const struct oracle_content *source = cell_at(m, from);
	struct oracle_content *target = cell_at(m, to);
	if (source->chunk == ORDO_NONE)
		return 10;
	if (to.buffer == ORDO_INPUT && !m->problem.in_place)
		return 4;
	if (reduces && target->chunk != source->chunk)
		return 10;
	if ((to.buffer == ORDO_INPUT &&
		    chunk_given(&m->problem, to.rank, to.slot) != source->chunk) ||
		(to.buffer == ORDO_OUTPUT &&
			chunk_wanted(&m->problem, to.rank, to.slot) != source->chunk))
		return 11;
	if (!reduces) {
		*target = *source;
		return 0;
	}
	target->tree = sum_of(target->tree, source->tree);
	for (int i = 0; i < ORACLE_MOST_SHARDS; i++)
		target->times[i] = (uint8_t)(target->times[i] + source->times[i]);
	return 0;
}

int oracle_move(struct oracle_memory *m, struct oracle_place to, struct oracle_place from,
	uint32_t count, bool reduces)
{
	if (from.rank >= m->problem.nrank || to.rank >= m->problem.nrank)
		return 2;
	if ((uint64_t)from.slot + count > slots_at(m, from) ||
		(uint64_t)to.slot + count > slots_at(m, to))
		return 3;
	const struct oracle_content *source = cell_at(m, from), *target = cell_at(m, to);
	if (source == target && !reduces)
		return 0;
	if ((source >= target ? source - target : target - source) < count)
		return 3;
	for (uint32_t i = 0; i < count; i++) {
		const int rule = move_one(m, (struct oracle_place){to.rank, to.buffer, to.slot + i},
			(struct oracle_place){from.rank, from.buffer, from.slot + i}, reduces);
		if (rule)
			return rule;
	}
	return 0;
}

/* Each contribution once, where it is a sum; else the one that there is. */
static bool is_wanted(const struct oracle_memory *m, const struct oracle_content *cell)
{
	uint32_t sum = 0, most = 0;
	for (uint32_t i = 0; i < ORACLE_MOST_SHARDS; i++) {
		sum += cell->times[i];
		most = cell->times[i] > most ? cell->times[i] : most;
	}
	return most == 1 && sum == (adds(m->problem.op) ? m->problem.nshard : 1);
}

bool oracle_is_result(const struct oracle_memory *m)
{
	for (uint32_t rank = 0; rank < m->problem.nrank; rank++)
		for (uint32_t slot = 0; slot < slots_in(&m->problem, rank, ORDO_OUTPUT, 0);
			slot++) {
			const struct oracle_place at = {rank, ORDO_OUTPUT, slot};
			const struct oracle_content *cell = cell_at(m, at);
			if (cell->chunk != chunk_wanted(&m->problem, rank, slot) ||
				!is_wanted(m, cell))
				return false;
		}
	return true;
}

uint64_t oracle_orders(const struct oracle_memory *m)
{
	uint64_t hash = 0;
	for (uint32_t rank = 0; rank < m->problem.nrank; rank++)
		for (uint32_t slot = 0; slot < slots_in(&m->problem, rank, ORDO_OUTPUT, 0); slot++)
			hash = mix(
				hash +
				cell_at(m, (struct oracle_place){rank, ORDO_OUTPUT, slot})->tree);
	return hash;
}
