/* ring.c - the ring in its natural order, one direction: AllReduce, ReduceScatter, AllGather. */
#include "generator.h"

enum { WINDOW = 3 };

/* One rank's view of the ring. */
struct ring {
	struct writing writing;
	uint32_t n, rank, after, before; /* the neighbours */
	uint32_t window;		 /* ReduceScatter: places for arrivals */
};

/* rank - distance, for distance up to n. */
static uint32_t back(const struct ring *ring, uint32_t distance)
{
	return ring->rank >= distance ? ring->rank - distance : ring->rank + ring->n - distance;
}

static struct place at(enum ordo_buffer buffer, uint32_t slot)
{
	return (struct place){buffer, slot};
}

/* One step: what came is waited for, sent on and told of. */
static void send_on(struct ring *ring, bool reduces, uint32_t chunk, struct place src,
	struct place dst, uint32_t phase, bool first)
{
	struct writing *w = &ring->writing;
	ordo_write_wait(w, first ? ring->after : ring->before, 0, phase);
	ordo_write_send(w, reduces, ring->after, chunk, 1, src, dst, phase);
	ordo_write_notify(w, ring->after, 0, phase);
}

static void allreduce(struct ring *ring)
{
	struct writing *w = &ring->writing;
	const uint32_t n = ring->n, begins = ring->before;
	ordo_write_copy(w, begins + 1, n - 1 - begins, at(ORDO_INPUT, begins + 1),
		at(ORDO_OUTPUT, begins + 1), 0);
	ordo_write_copy(w, 0, begins, at(ORDO_INPUT, 0), at(ORDO_OUTPUT, 0), 0);
	ordo_write_notify(w, ring->before, 0, 0);
	for (uint32_t step = 0; step + 1 < n; step++) {
		const uint32_t chunk = back(ring, 1 + step);
		send_on(ring, true, chunk, at(step ? ORDO_OUTPUT : ORDO_INPUT, chunk),
			at(ORDO_OUTPUT, chunk), step, !step);
	}
	for (uint32_t step = 0; step + 1 < n; step++) {
		const uint32_t chunk = back(ring, step);
		send_on(ring, false, chunk, at(ORDO_OUTPUT, chunk), at(ORDO_OUTPUT, chunk),
			n - 1 + step, false);
	}
	ordo_write_wait(w, ring->before, 0, 2 * n - 3);
}

/* The own part of arrival number `arrival` waits in the window. */
static void contribute(struct ring *ring, uint32_t arrival, uint32_t phase)
{
	const uint32_t chunk = back(ring, 2 + arrival);
	ordo_write_copy(&ring->writing, chunk, 1, at(ORDO_INPUT, chunk),
		at(ORDO_SCRATCH, arrival % ring->window), phase);
}

static void reducescatter(struct ring *ring)
{
	struct writing *w = &ring->writing;
	const uint32_t n = ring->n;
	ring->window = n - 2 < WINDOW ? n - 2 : WINDOW;
	ordo_write_copy(w, ring->rank, 1, at(ORDO_INPUT, ring->rank), at(ORDO_OUTPUT, 0), 0);
	for (uint32_t a = ring->window; a-- > 0;)
		contribute(ring, a, 0);
	ordo_write_notify(w, ring->before, 0, 0);
	for (uint32_t step = 0; step + 1 < n; step++) {
		const uint32_t chunk = back(ring, 1 + step), next = step - 1 + ring->window;
		const bool last = step + 2 == n;
		ordo_write_wait(w, step ? ring->before : ring->after, 0, step);
		if (!last && step >= ring->window)
			ordo_write_wait(w, ring->after, 0, step);
		ordo_write_send(w, true, ring->after, chunk, 1,
			step ? at(ORDO_SCRATCH, (step - 1) % ring->window) : at(ORDO_INPUT, chunk),
			last ? at(ORDO_OUTPUT, 0) : at(ORDO_SCRATCH, step % ring->window), step);
		ordo_write_notify(w, ring->after, 0, step);
		if (step && next < n - 2) {
			contribute(ring, next, step);
			ordo_write_notify(w, ring->before, 0, step);
		}
	}
	ordo_write_wait(w, ring->before, 0, n - 2);
}

static void allgather(struct ring *ring)
{
	struct writing *w = &ring->writing;
	const uint32_t n = ring->n;
	ordo_write_notify(w, ring->before, 0, 0);
	for (uint32_t step = 0; step + 1 < n; step++) {
		const uint32_t chunk = back(ring, step);
		send_on(ring, false, chunk, step ? at(ORDO_OUTPUT, chunk) : at(ORDO_INPUT, 0),
			at(ORDO_OUTPUT, chunk), step, !step);
	}
	ordo_write_wait(w, ring->before, 0, n - 2);
	ordo_write_stream(w, "copy");
	ordo_write_copy(w, ring->rank, 1, at(ORDO_INPUT, 0), at(ORDO_OUTPUT, ring->rank), n - 1);
}

static bool give(const struct ordo_programs *programs, uint32_t rank,
	struct ordo_rank_program *program, struct ordo_error *error)
{
	const uint32_t n = programs->problem.nrank;
	struct ring ring = {.writing = {program, error, false},
		.n = n,
		.rank = rank,
		.after = rank + 1 == n ? 0 : rank + 1,
		.before = rank ? rank - 1 : n - 1};
	ordo_rank_program_clear(program);
	ordo_write_stream(&ring.writing, "ring");
	if (programs->problem.op == ORDO_ALLREDUCE)
		allreduce(&ring);
	else if (programs->problem.op == ORDO_REDUCESCATTER)
		reducescatter(&ring);
	else
		allgather(&ring);
	return !ring.writing.failed;
}

static uint32_t scratch(const struct ordo_problem *problem)
{
	const uint32_t arrivals = problem->op == ORDO_REDUCESCATTER ? problem->nrank - 2 : 0;
	return arrivals < WINDOW ? arrivals : WINDOW;
}

static uint32_t chunks(const struct ordo_problem *problem)
{
	return problem->op == ORDO_ALLREDUCE ? problem->nrank : 1;
}

static uint32_t phases(const struct ordo_problem *problem)
{
	const uint32_t steps = problem->nrank - 1;
	if (problem->op == ORDO_ALLREDUCE)
		return 2 * steps;
	/* AllGather: and a rank's own block */
	return problem->op == ORDO_ALLGATHER ? steps + 1 : steps;
}

const struct generator ordo_generate_ring = {
	.facts = {.name = "ring",
		.operators = 1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCESCATTER | 1u << ORDO_ALLGATHER,
		.ranks = "2 or more"},
	.chunks = chunks,
	.scratch = scratch,
	.phases = phases,
	.give = give,
	.level = ordo_level_by_phase,
};
