/* random_program.c - random sequential programs that do what an operator means.
 *
 * Chunk group by chunk group: the parts that the ranks contribute lie at places; as long as there
 * are two, one is added to another, here or over there, directly or by way of scratch; the last one
 * is then carried to everybody who wants it, from anybody who has it.
 */
#include "mutate.h"
#include "oracle_document.h"
#include "random_schedule.h"

#include <stdlib.h>
#include <string.h>

#define MAX_PARTS 64

struct place {
	uint32_t rank, slot;
	enum ordo_buffer buffer;
};

struct making {
	struct random_program *program;
	uint64_t random;
	uint32_t chunk, count; /* the group being made */
	struct place parts[MAX_PARTS];
	uint32_t npart;
	/* the one rank the group is being made for; ORDO_NONE: for all at once */
	uint32_t only;
	bool *scratch_used; /* [nrank][scratch_slots] */
};

static uint32_t cell_of(const struct making *m, struct place place)
{
	return cell_in_rank(&m->program->problem, place.rank, place.buffer, place.slot);
}

static bool same_place(const struct making *m, struct place a, struct place b)
{
	return a.rank == b.rank && cell_of(m, a) == cell_of(m, b);
}

static void put_down(struct making *m, struct place to, struct place from, bool reduces)
{
	if (m->program->nstep == sizeof m->program->steps / sizeof *m->program->steps)
		abort();
	const bool far = to.rank != from.rank;
	struct ordo_task task = {.phase = ORDO_NO_PHASE,
		.peer = far ? to.rank : 0,
		.chunk = m->chunk,
		.count = m->count,
		.src_buffer = from.buffer & 3,
		.src = from.slot,
		.dst_buffer = to.buffer & 3,
		.dst = to.slot};
	task.kind = ((far ? ORDO_SEND : ORDO_LOCAL_COPY) + reduces) & 7;
	m->program->steps[m->program->nstep++] = (struct random_step){from.rank, to.rank, task};
}

static bool wanted_at(const struct making *m, uint32_t rank, struct place *place)
{
	const uint32_t slot = ordo_output_slot(&m->program->problem, rank, m->chunk);
	*place = (struct place){rank, slot, ORDO_OUTPUT};
	return slot != ORDO_NONE && (m->only == ORDO_NONE || m->only == rank);
}

/* Free slots for the group in the scratch of a rank. */
static bool take_scratch(struct making *m, uint32_t rank, struct place *place)
{
	const uint32_t nslot = m->program->scratch_slots;
	if (nslot < m->count)
		return false;
	const uint32_t first = below(&m->random, nslot - m->count + 1);
	bool *used = m->scratch_used + (size_t)rank * nslot + first;
	for (uint32_t i = 0; i < m->count; i++)
		if (used[i])
			return false;
	memset(used, true, m->count);
	*place = (struct place){rank, first, ORDO_SCRATCH};
	return true;
}

static void give_back(struct making *m, struct place place)
{
	if (place.buffer == ORDO_SCRATCH)
		memset(m->scratch_used + (size_t)place.rank * m->program->scratch_slots +
				place.slot,
			false, m->count);
}

/* A move that is needed, and now and then one that is not: it reads what somebody else reads too,
 * and writes what nobody reads. */
static void emit(struct making *m, struct place to, struct place from, bool reduces)
{
	struct place idle;
	put_down(m, to, from, reduces);
	if (below(&m->random, 4) == 0 &&
		take_scratch(m, below(&m->random, m->program->problem.nrank), &idle)) {
		put_down(m, idle, below(&m->random, 2) ? from : to, false);
		give_back(m, idle);
	}
}

static bool is_part(const struct making *m, struct place place)
{
	for (uint32_t i = 0; i < m->npart; i++)
		if (same_place(m, m->parts[i], place))
			return true;
	return false;
}

static bool writable(const struct making *m, struct place place)
{
	return place.buffer != ORDO_INPUT || m->program->problem.in_place;
}

/* Moves a part to where it can be added to: scratch somewhere, or the output of somebody who wants
 * it. */
static bool make_writable(struct making *m, struct place *part)
{
	const uint32_t nrank = m->program->problem.nrank;
	for (int attempt = 0; attempt < 20 && !writable(m, *part); attempt++) {
		struct place to;
		uint32_t rank = below(&m->random, 2) ? part->rank : below(&m->random, nrank);
		bool found = below(&m->random, 2) ? take_scratch(m, rank, &to)
						  : wanted_at(m, rank, &to) && !is_part(m, to);
		if (found) {
			emit(m, to, *part, false);
			*part = to;
		}
	}
	return writable(m, *part);
}

/* Adds part b to part a; b is gone then. */
static void add_parts(struct making *m, uint32_t a, uint32_t b)
{
	struct place to = m->parts[a], from = m->parts[b], between;
	if (to.rank != from.rank && below(&m->random, 3) == 0 &&
		take_scratch(m, to.rank, &between)) {
		emit(m, between, from, false);
		give_back(m, from);
		from = between;
	}
	emit(m, to, from, true);
	give_back(m, from);
	m->parts[b] = m->parts[--m->npart];
}

/* Adds all parts up. If nothing can be written to, the place of somebody who wants the result
 * is. */
static void add_up(struct making *m)
{
	while (m->npart > 1) {
		uint32_t a = below(&m->random, m->npart), b = below(&m->random, m->npart - 1);
		b += b >= a;
		for (uint32_t i = 0; i < m->npart; i++)
			if (m->parts[i].buffer == ORDO_OUTPUT && below(&m->random, 2)) {
				b = i == b ? a : b;
				a = i;
			}
		if (make_writable(m, &m->parts[a]))
			add_parts(m, a, b);
	}
}

/* Carries the result to everybody who wants it, each from somebody who has it already. */
static void deliver(struct making *m)
{
	struct place have[MAX_PARTS + 1] = {m->parts[0]}, to;
	const uint32_t nrank = m->program->problem.nrank, start = below(&m->random, nrank);
	uint32_t nhave = 1;
	for (uint32_t i = 0; i < nrank; i++) {
		if (!wanted_at(m, (start + i) % nrank, &to) || same_place(m, to, have[0]))
			continue;
		struct place from = have[below(&m->random, nhave)], between;
		uint32_t over = below(&m->random, nrank);
		if (below(&m->random, 3) == 0 && take_scratch(m, over, &between)) {
			emit(m, between, from, false);
			emit(m, to, between, false);
			give_back(m, between);
		} else {
			emit(m, to, from, false);
		}
		have[nhave++] = to;
	}
	give_back(m, have[0]);
}

static void list_parts(struct making *m)
{
	const struct ordo_problem *p = &m->program->problem;
	m->npart = 0;
	for (uint32_t r = 0; r < p->nrank; r++) {
		const uint32_t slot = ordo_input_slot(p, r, m->chunk),
			       nslot = ordo_input_slots(p, r);
		const uint32_t stride =
			ordo_operator_facts(p->op)->reduces ? ordo_nchunk(p) : nslot;
		for (uint32_t s = slot; slot != ORDO_NONE && s < nslot; s += stride)
			m->parts[m->npart++] = (struct place){r, s, ORDO_INPUT};
	}
}

static void choose_problem(
	struct random_program *program, const struct random_shape *shape, uint64_t *random)
{
	struct ordo_problem *p = &program->problem;
	*p = (struct ordo_problem){.op = (enum ordo_operator)below(random, ORDO_NOPERATOR),
		.nrank = 1 + below(random, shape->max_ranks),
		.chunks_per_block = 1 + below(random, shape->max_chunks)};
	p->nrank += p->nrank == 1 && below(random, 4);
	p->nrank = p->nrank > shape->max_ranks ? shape->max_ranks : p->nrank;
	p->nshard = p->nrank;
	p->root = ordo_operator_facts(p->op)->rooted ? below(random, p->nrank) : 0;
	p->in_place = ordo_operator_facts(p->op)->has_in_place && below(random, 2);
	if (shape->shards && ordo_operator_facts(p->op)->reduces && !p->in_place &&
		below(random, 4) == 0)
		p->nshard = 1 + below(random, 2 * p->nrank);
	program->scratch_slots = below(random, 4);
}

static void make_for_all(struct making *m)
{
	m->only = ORDO_NONE;
	list_parts(m);
	add_up(m);
	deliver(m);
}

/* Everybody adds up for himself, in an order of his own. */
static void make_for_each(struct making *m)
{
	for (m->only = 0; m->only < m->program->problem.nrank; m->only++) {
		list_parts(m);
		add_up(m);
		deliver(m);
	}
}

void random_program(struct random_program *program, const struct random_shape *shape, uint64_t seed)
{
	struct making m = {.program = program, .random = seed};
	program->nstep = 0;
	choose_problem(program, shape, &m.random);
	const uint32_t nchunk = ordo_nchunk(&program->problem),
		       K = program->problem.chunks_per_block;
	m.scratch_used = must_alloc(
		(size_t)program->problem.nrank * program->scratch_slots, sizeof *m.scratch_used);
	for (m.chunk = 0; m.chunk < nchunk; m.chunk += m.count) {
		m.count = 1 + below(&m.random, K - m.chunk % K);
		if (program->problem.op == ORDO_ALLREDUCE && !program->problem.in_place &&
			below(&m.random, 4) == 0)
			make_for_each(&m);
		else
			make_for_all(&m);
	}
	free(m.scratch_used);
}
