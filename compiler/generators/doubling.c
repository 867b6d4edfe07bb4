/* doubling.c - exchanges with the rank that differs in one bit, far first or near first: AllReduce
 * by halving and doubling, and by exchanging everything. */
#include "generator.h"

static uint32_t count_steps(const struct ordo_problem *problem)
{
	uint32_t steps = 0;
	while (problem->nrank >> steps > 1)
		steps++;
	return steps;
}

/* The bit in which the peer of a step differs. */
static uint32_t mask_at(const struct ordo_programs *programs, uint32_t step)
{
	const struct generator *generator = programs->closure;
	return generator->near_first ? 1u << step : programs->problem.nrank >> 1 >> step;
}

static void larger_first(uint32_t *a, uint32_t *b)
{
	const uint32_t larger = *a > *b ? *a : *b;
	*b = *a > *b ? *b : *a;
	*a = larger;
}

static uint32_t reverse_bits(uint32_t x, uint32_t n)
{
	uint32_t reverse = 0;
	for (uint32_t bit = 1; bit < n; bit *= 2)
		reverse |= x & bit ? n / 2 / bit : 0;
	return reverse;
}

/* Halving and doubling. The chunks that a rank keeps after a step: those of the ranks that agree
 * with it in the bits of all steps up to that. Near first, they lie in bit-reversed order. */
static struct place kept_by(const struct ordo_programs *programs, uint32_t rank, uint32_t step)
{
	const struct generator *generator = programs->closure;
	const uint32_t n = programs->problem.nrank, size = n >> 1 >> step;
	const uint32_t place = generator->near_first ? reverse_bits(rank, n) : rank;
	return (struct place){ORDO_OUTPUT, place & ~(size - 1)};
}

/* Between the peers of the first step signal 0 means that the copies are ready, and signal 1 that
 * data was sent. */
static uint32_t signal_of(const struct ordo_programs *programs, uint32_t step)
{
	return step == 0 && !programs->problem.in_place;
}

static void wait_for_both(
	struct writing *w, uint32_t before, uint32_t ready, uint32_t signal, uint32_t phase)
{
	uint32_t first = ready, second = before;
	larger_first(&first, &second);
	ordo_write_wait(w, first, first == before ? signal : 0, phase);
	ordo_write_wait(w, second, second == before ? signal : 0, phase);
}

/* In each step a rank sends its peer what that keeps, which it has from the peer of the step
 * before, and which that one's peer has copied or added up. */
static void halve(struct writing *w, const struct ordo_programs *programs, uint32_t rank)
{
	const uint32_t q = count_steps(&programs->problem);
	for (uint32_t step = 0; step < q; step++) {
		const uint32_t peer = rank ^ mask_at(programs, step);
		const struct place kept = kept_by(programs, peer, step);
		if (step) {
			const uint32_t before = rank ^ mask_at(programs, step - 1);
			wait_for_both(w, before, before ^ mask_at(programs, step),
				signal_of(programs, step - 1), step);
		} else {
			ordo_write_wait(w, peer, 0, step);
		}
		ordo_write_send(w, true, peer, kept.slot, programs->problem.nrank >> 1 >> step,
			(struct place){
				step || programs->problem.in_place ? ORDO_OUTPUT : ORDO_INPUT,
				kept.slot},
			kept, step);
		uint32_t last = peer, first = peer;
		if (step + 1 < q)
			first = peer ^ mask_at(programs, step + 1);
		larger_first(&last, &first);
		ordo_write_notify(w, first, first == peer ? signal_of(programs, step) : 0, step);
		if (step + 1 < q)
			ordo_write_notify(
				w, last, last == peer ? signal_of(programs, step) : 0, step);
	}
}

static bool give_halving(const struct ordo_programs *programs, uint32_t rank,
	struct ordo_rank_program *program, struct ordo_error *error)
{
	const uint32_t n = programs->problem.nrank, q = count_steps(&programs->problem);
	const struct place own = kept_by(programs, rank, 0);
	struct writing w = {program, error, false};
	ordo_rank_program_clear(program);
	if (!programs->problem.in_place) {
		ordo_write_stream(&w, "copy");
		ordo_write_copy(&w, own.slot, n / 2, (struct place){ORDO_INPUT, own.slot}, own, 0);
		ordo_write_notify(&w, rank ^ mask_at(programs, 0), 0, 0);
	}
	ordo_write_stream(&w, "send");
	if (programs->problem.in_place)
		ordo_write_notify(&w, rank ^ mask_at(programs, 0), 0, 0);
	halve(&w, programs, rank);
	for (uint32_t step = q; step-- > 0;) {
		const uint32_t before = step + 1 < q ? step + 1 : q - 1, phase = 2 * q - 1 - step;
		const uint32_t peer = rank ^ mask_at(programs, step);
		const struct place summed = kept_by(programs, rank, step);
		ordo_write_wait(
			&w, rank ^ mask_at(programs, before), signal_of(programs, before), phase);
		ordo_write_send(
			&w, false, peer, summed.slot, n >> 1 >> step, summed, summed, phase);
		ordo_write_notify(&w, peer, signal_of(programs, step), phase);
	}
	ordo_write_wait(&w, rank ^ mask_at(programs, 0), signal_of(programs, 0), 2 * q - 1);
	return !w.failed;
}

static uint32_t no_scratch(const struct ordo_problem *problem)
{
	(void)problem;
	return 0;
}

static uint32_t half_of_chunks(const struct ordo_problem *problem)
{
	return problem->nrank / 2;
}

static uint32_t chunks(const struct ordo_problem *problem)
{
	return problem->nrank;
}

static uint32_t twice_steps(const struct ordo_problem *problem)
{
	return 2 * count_steps(problem);
}

const struct generator ordo_generate_halving_doubling = {
	.facts = {.name = "halving-doubling", .operators = 1u << ORDO_ALLREDUCE, .ranks = "2^q"},
	.power_of_two = true,
	.chunks = chunks,
	.in_place = true,
	.scratch = no_scratch,
	.phases = twice_steps,
	.give = give_halving,
	.level = ordo_level_by_phase,
	.most_chunks = half_of_chunks,
};

const struct generator ordo_generate_halving_doubling_near = {
	.facts = {.name = "halving-doubling(masks=near)",
		.operators = 1u << ORDO_ALLREDUCE,
		.ranks = "2^q"},
	.power_of_two = true,
	.chunks = chunks,
	.near_first = true,
	.in_place = true,
	.scratch = no_scratch,
	.phases = twice_steps,
	.give = give_halving,
	.level = ordo_level_by_phase,
	.most_chunks = half_of_chunks,
};

/* Everything to everybody: what arrives waits in one of two scratch slots, in turn. */
static bool give_exchange(const struct ordo_programs *programs, uint32_t rank,
	struct ordo_rank_program *program, struct ordo_error *error)
{
	const uint32_t q = count_steps(&programs->problem);
	const struct place input = {ORDO_INPUT, 0}, output = {ORDO_OUTPUT, 0};
	struct writing w = {program, error, false};
	ordo_rank_program_clear(program);
	ordo_write_stream(&w, "exchange");
	for (uint32_t step = 0; step < 2 && step < q; step++)
		ordo_write_notify(&w, rank ^ mask_at(programs, step), 0, step);
	for (uint32_t step = 0; step < q; step++) {
		const uint32_t peer = rank ^ mask_at(programs, step);
		const struct place arrival = {ORDO_SCRATCH, step % 2};
		ordo_write_wait(&w, peer, 0, step);
		ordo_write_send(&w, false, peer, 0, 1, step ? output : input, arrival, step);
		ordo_write_notify(&w, peer, 0, step);
		if (!step && !programs->problem.in_place)
			ordo_write_copy(&w, 0, 1, input, output, step);
		ordo_write_wait(&w, peer, 0, step);
		ordo_write_reduce(&w, 0, arrival, output, step);
		if (step + 2 < q)
			ordo_write_notify(&w, rank ^ mask_at(programs, step + 2), 0, step);
	}
	return !w.failed;
}

/* What arrives in a phase is added in it. */
static uint32_t level_of_exchange(const struct ordo_task *task)
{
	return 2 * task->phase + (task->kind == ORDO_LOCAL_REDUCE);
}

static uint32_t two_places(const struct ordo_problem *problem)
{
	return problem->nrank > 2 ? 2 : 1;
}

const struct generator ordo_generate_recursive_doubling = {
	.facts = {.name = "recursive-doubling", .operators = 1u << ORDO_ALLREDUCE, .ranks = "2^q"},
	.power_of_two = true,
	.in_place = true,
	.scratch = two_places,
	.phases = count_steps,
	.give = give_exchange,
	.level = level_of_exchange,
};

const struct generator ordo_generate_recursive_doubling_near = {
	.facts = {.name = "recursive-doubling(masks=near)",
		.operators = 1u << ORDO_ALLREDUCE,
		.ranks = "2^q"},
	.power_of_two = true,
	.near_first = true,
	.in_place = true,
	.scratch = two_places,
	.phases = count_steps,
	.give = give_exchange,
	.level = level_of_exchange,
};
