/* tree.c - AllReduce up and down the binomial tree of rank 0, in one piece. */
#include "generator.h"

static uint32_t lowest_bit(uint32_t x)
{
	return x & (0u - x);
}

static uint32_t bits_below(uint32_t power_of_two)
{
	uint32_t count = 0;
	while (1u << count < power_of_two)
		count++;
	return count;
}

/* A node of the tree. Its children are rank + 1, rank + 2, rank + 4, ..., and add to it in this
 * order. */
struct node {
	uint32_t n, q, rank;
	bool in_place;
	uint32_t own; /* its number among its parent's children is log2 of this; 0: the root */
	uint32_t last_child; /* 0: none */
};

static struct node node_of(const struct ordo_problem *problem, uint32_t rank)
{
	const uint32_t n = problem->nrank;
	struct node node = {
		.n = n, .rank = rank, .in_place = problem->in_place, .own = lowest_bit(rank)};
	while ((uint64_t)1 << node.q < n)
		node.q++;
	const uint32_t end = rank ? node.own : 1u << node.q;
	for (uint32_t bit = 1; bit < end && bit < n - rank; bit *= 2)
		node.last_child = bit;
	return node;
}

/* The phase in which data goes down to the child of that bit. */
static uint32_t phase_down(const struct node *node, uint32_t bit)
{
	return 2 * node->q - 1 - bits_below(bit);
}

/* Waits for the own last child and for the parent's child before this one, or its copy; which of
 * them sends later comes first. Then notifies the parent's next child, or the parent. */
static void send_up(struct writing *w, const struct node *node)
{
	const uint32_t phase = bits_below(node->own), parent = node->rank - node->own,
		       next = 2 * node->own;
	const struct place output = {ORDO_OUTPUT, 0}, input = {ORDO_INPUT, 0};
	const bool has_next = (!parent || next < lowest_bit(parent)) && next < node->n - parent;
	ordo_write_stream(w, "up");
	if (node->in_place && node->last_child)
		ordo_write_notify(w, node->rank + 1, 0, 0);
	const bool own_first = node->last_child >= node->own / 2;
	if (node->last_child && own_first)
		ordo_write_wait(w, node->rank + node->last_child, 0, phase);
	ordo_write_wait(w, parent + node->own / 2, 0, phase);
	if (node->last_child && !own_first)
		ordo_write_wait(w, node->rank + node->last_child, 0, phase);
	ordo_write_send(w, true, parent, 0, 1, node->last_child || node->in_place ? output : input,
		output, phase);
	ordo_write_notify(w, has_next ? parent + next : parent, 0, phase);
}

/* The first child waits for its parent twice; both are signal 0 if they come from one stream. */
static uint32_t result_signal(const struct node *node, uint32_t parent, uint32_t bit)
{
	return bit == 1 && !(node->in_place && !parent);
}

/* In the phase in which it is passed on, if it is. */
static void wait_for_result(struct writing *w, const struct node *node)
{
	const uint32_t phase = phase_down(node, node->last_child ? node->last_child : node->own);
	if (node->own)
		ordo_write_wait(w, node->rank - node->own,
			result_signal(node, node->rank - node->own, node->own), phase);
	else
		ordo_write_wait(w, node->last_child, 0, phase);
}

static bool give(const struct ordo_programs *programs, uint32_t rank,
	struct ordo_rank_program *program, struct ordo_error *error)
{
	const struct node node = node_of(&programs->problem, rank);
	const struct place output = {ORDO_OUTPUT, 0}, input = {ORDO_INPUT, 0};
	struct writing w = {program, error, false};
	ordo_rank_program_clear(program);
	if (node.last_child && !node.in_place) {
		ordo_write_stream(&w, "copy");
		ordo_write_copy(&w, 0, 1, input, output, 0);
		ordo_write_notify(&w, rank + 1, 0, 0);
	}
	if (node.own)
		send_up(&w, &node);
	if (node.last_child)
		ordo_write_stream(&w, "down");
	if (node.in_place && node.last_child && !node.own)
		ordo_write_notify(&w, rank + 1, 0, 0);
	wait_for_result(&w, &node);
	for (uint32_t bit = node.last_child; bit; bit /= 2) {
		const uint32_t phase = phase_down(&node, bit);
		ordo_write_send(&w, false, rank + bit, 0, 1, output, output, phase);
		ordo_write_notify(&w, rank + bit, result_signal(&node, rank, bit), phase);
	}
	return !w.failed;
}

static uint32_t no_scratch(const struct ordo_problem *problem)
{
	(void)problem;
	return 0;
}

static uint32_t phases(const struct ordo_problem *problem)
{
	return 2 * node_of(problem, 0).q;
}

const struct generator ordo_generate_tree = {
	.facts = {.name = "tree", .operators = 1u << ORDO_ALLREDUCE, .ranks = "2 or more"},
	.in_place = true,
	.scratch = no_scratch,
	.phases = phases,
	.give = give,
	.level = ordo_level_by_phase,
};
