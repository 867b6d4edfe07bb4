/* doubling.c - exchanges with the rank that differs in one bit, far first: AllReduce by halving and
 * doubling, and by exchanging everything. */
#include "generator.h"

static uint32_t count_steps(const struct ordo_problem *problem)
{
	uint32_t steps = 0;
	while (problem->nrank >> steps > 1)
		steps++;
	return steps;
}

static void larger_first(uint32_t *a, uint32_t *b)
{
	const uint32_t larger = *a > *b ? *a : *b;
	*b = *a > *b ? *b : *a;
	*a = larger;
}

/* Halving and doubling. The chunks that agree with a rank in all bits from `size` on. */
static struct place block_of(uint32_t rank, uint32_t size)
{
	return (struct place){ORDO_OUTPUT, rank & ~(size - 1)};
}

/* Data that the farthest rank sends or gets is told of by signal 1: 0 is its copies' being
 * ready. */
static uint32_t signal_of(uint32_t mask, uint32_t n)
{
	return mask == n / 2;
}

/* In the step of `mask` a rank sends its peer what that keeps, which it has from the peer of the
 * step before, and which that one's peer has copied or added up. */
static void halve(struct writing *w, uint32_t rank, uint32_t n)
{
	for (uint32_t mask = n / 2, step = 0; mask; mask /= 2, step++) {
		const uint32_t peer = rank ^ mask, before = rank ^ 2 * mask, ready = before ^ mask;
		const struct place kept = block_of(peer, mask);
		if (!step) {
			ordo_write_wait(w, peer, 0, step);
		} else {
			uint32_t first = ready, second = before;
			larger_first(&first, &second);
			ordo_write_wait(
				w, first, first == before ? signal_of(2 * mask, n) : 0, step);
			ordo_write_wait(
				w, second, second == before ? signal_of(2 * mask, n) : 0, step);
		}
		ordo_write_send(w, true, peer, kept.slot, mask,
			(struct place){step ? ORDO_OUTPUT : ORDO_INPUT, kept.slot}, kept, step);
		uint32_t last = peer, first = peer;
		if (mask > 1)
			first = peer ^ mask / 2;
		larger_first(&last, &first);
		ordo_write_notify(w, first, first == peer ? signal_of(mask, n) : 0, step);
		if (mask > 1)
			ordo_write_notify(w, last, last == peer ? signal_of(mask, n) : 0, step);
	}
}

static bool give_halving(const struct ordo_programs *programs, uint32_t rank,
	struct ordo_rank_program *program, struct ordo_error *error)
{
	const uint32_t n = programs->problem.nrank, half = n / 2,
		       q = count_steps(&programs->problem);
	const struct place own = block_of(rank, half);
	struct writing w = {program, error, false};
	ordo_rank_program_clear(program);
	ordo_write_stream(&w, "copy");
	ordo_write_copy(&w, own.slot, half, (struct place){ORDO_INPUT, own.slot}, own, 0);
	ordo_write_notify(&w, rank ^ half, 0, 0);
	ordo_write_stream(&w, "send");
	halve(&w, rank, n);
	uint32_t before = 1;
	for (uint32_t mask = 1, step = q; mask < n; mask *= 2, step++) {
		const struct place summed = block_of(rank, mask);
		ordo_write_wait(&w, rank ^ before, signal_of(before, n), step);
		ordo_write_send(&w, false, rank ^ mask, summed.slot, mask, summed, summed, step);
		ordo_write_notify(&w, rank ^ mask, signal_of(mask, n), step);
		before = mask;
	}
	ordo_write_wait(&w, rank ^ before, signal_of(before, n), 2 * q - 1);
	return !w.failed;
}

static uint32_t no_scratch(const struct ordo_problem *problem)
{
	(void)problem;
	return 0;
}

static uint32_t twice_steps(const struct ordo_problem *problem)
{
	return 2 * count_steps(problem);
}

const struct generator ordo_generate_halving_doubling = {
	.facts = {.name = "halving-doubling", .operators = 1u << ORDO_ALLREDUCE, .ranks = "2^q"},
	.power_of_two = true,
	.cuts = true,
	.scratch = no_scratch,
	.phases = twice_steps,
	.give = give_halving,
};

/* Everything to everybody: what arrives waits in one of two scratch slots, in turn. */
static bool give_exchange(const struct ordo_programs *programs, uint32_t rank,
	struct ordo_rank_program *program, struct ordo_error *error)
{
	const uint32_t n = programs->problem.nrank;
	const struct place input = {ORDO_INPUT, 0}, output = {ORDO_OUTPUT, 0};
	struct writing w = {program, error, false};
	ordo_rank_program_clear(program);
	ordo_write_stream(&w, "exchange");
	ordo_write_notify(&w, rank ^ n / 2, 0, 0);
	if (n > 2)
		ordo_write_notify(&w, rank ^ n / 4, 0, 1);
	for (uint32_t mask = n / 2, step = 0; mask; mask /= 2, step++) {
		const uint32_t peer = rank ^ mask;
		const struct place arrival = {ORDO_SCRATCH, step % 2};
		ordo_write_wait(&w, peer, 0, step);
		ordo_write_send(&w, false, peer, 0, 1, step ? output : input, arrival, step);
		ordo_write_notify(&w, peer, 0, step);
		if (!step)
			ordo_write_copy(&w, 0, 1, input, output, step);
		ordo_write_wait(&w, peer, 0, step);
		ordo_write_reduce(&w, 0, arrival, output, step);
		if (mask >= 4)
			ordo_write_notify(&w, rank ^ mask / 4, 0, step);
	}
	return !w.failed;
}

static uint32_t two_places(const struct ordo_problem *problem)
{
	return problem->nrank > 2 ? 2 : 1;
}

const struct generator ordo_generate_recursive_doubling = {
	.facts = {.name = "recursive-doubling", .operators = 1u << ORDO_ALLREDUCE, .ranks = "2^q"},
	.power_of_two = true,
	.scratch = two_places,
	.phases = count_steps,
	.give = give_exchange,
};
