/* model.c - programs of rings and trees, written move by move. */
#include "model.h"
#include <inttypes.h>
#include <ordo/builder.h>
#include <ordo/detail/fail.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Larger ones take minutes. */
#define MOST_MOVES (UINT64_C(1) << 22)

struct writing {
	const struct nccl_subject *subject;
	const struct nccl_choice *choice;
	struct ordo_builder *b;
	const uint32_t *ring;
	uint32_t *order; /* [nrank], for trees */
	uint32_t nrank, scratch;
};

const char *nccl_not_modelled(enum ordo_operator op, const struct nccl_choice *choice)
{
	if (op != ORDO_ALLREDUCE && op != ORDO_REDUCESCATTER && op != ORDO_REDUCE)
		return "it adds nothing";
	return choice->algorithm == NCCL_TREE && op != ORDO_ALLREDUCE ? "trees are of AllReduce"
								      : NULL;
}

void nccl_print_choice(const struct nccl_choice *choice, char *out, size_t size)
{
	const char *name = choice->algorithm == NCCL_RING ? "Ring" : "Tree";
	if (choice->first == choice->last)
		snprintf(out, size, "%s, %s, channel %" PRIu32, name, choice->protocol,
			choice->first);
	else
		snprintf(out, size, "%s, %s, channels %" PRIu32 "..%" PRIu32, name,
			choice->protocol, choice->first, choice->last);
}

static uint32_t at_place(const struct writing *w, uint64_t place)
{
	return w->ring[place % w->nrank];
}

static struct ordo_at input(const struct writing *w, uint32_t rank, uint32_t chunk)
{
	return ordo_input_of(w->b, rank, chunk);
}

/* Where a rank adds: its output, or scratch if it has no output for the chunk. */
static struct ordo_at sum_at(const struct writing *w, uint32_t rank, uint32_t chunk, uint32_t end)
{
	return w->subject->op == ORDO_ALLREDUCE || rank == end
		       ? ordo_output_of(w->b, rank, chunk)
		       : ordo_at(rank, ORDO_SCRATCH, w->scratch + chunk);
}

/* One step of the chain that ends at a place: the rank `step` places after it sends to the next,
 * which adds its own. */
static void add_on(const struct writing *w, uint32_t chunk, uint32_t place, uint32_t step)
{
	const uint32_t end = at_place(w, place), from = at_place(w, (uint64_t)place + step),
		       to = at_place(w, (uint64_t)place + step + 1);
	const struct ordo_at sum = sum_at(w, to, chunk, end);
	ordo_copy(w->b, sum, input(w, to, chunk), 1);
	ordo_builder_reduce(
		w->b, sum, step == 1 ? input(w, from, chunk) : sum_at(w, from, chunk, end), 1);
}

/* Chunk j of a channel is complete at place j, and goes round from there. */
static void write_allreduce_ring(const struct writing *w, uint32_t first_chunk)
{
	const uint32_t N = w->nrank;
	if (N == 1)
		ordo_copy(w->b, ordo_output_of(w->b, 0, first_chunk), input(w, 0, first_chunk), 1);
	ordo_phase(w->b, "reduce-scatter", ORDO_NONE);
	for (uint32_t step = 1; step < N; step++)
		for (uint32_t j = 0; j < N; j++)
			add_on(w, first_chunk + j, j, step);
	ordo_phase(w->b, "all-gather", ORDO_NONE);
	for (uint32_t step = 0; step + 1 < N; step++)
		for (uint32_t j = 0; j < N; j++)
			ordo_copy(w->b,
				ordo_output_of(
					w->b, at_place(w, (uint64_t)j + step + 1), first_chunk + j),
				ordo_output_of(
					w->b, at_place(w, (uint64_t)j + step), first_chunk + j),
				1);
}

/* A chain to one rank. */
static void write_chain(const struct writing *w, uint32_t chunk, uint32_t end)
{
	uint32_t place = 0;
	while (w->ring[place] != end)
		place++;
	if (w->nrank == 1)
		ordo_copy(w->b, ordo_output_of(w->b, end, chunk), input(w, end, chunk), 1);
	for (uint32_t step = 1; step < w->nrank; step++)
		add_on(w, chunk, place, step);
}

/* Own, then what each child sends, in the order of the line; the result of the root to all. */
static void write_tree(const struct writing *w, uint32_t channel, uint32_t chunk)
{
	const struct nccl_graph *graph = w->subject->graph;
	const struct nccl_node *nodes = &graph->trees[(size_t)channel * graph->nrank];
	nccl_tree_order(graph, channel, w->order);
	ordo_phase(w->b, "up", ORDO_NONE);
	for (uint32_t i = w->nrank; i-- > 0;) {
		const uint32_t rank = w->order[i], *children = nodes[rank].children;
		const struct ordo_at sum = ordo_output_of(w->b, rank, chunk);
		ordo_copy(w->b, sum, input(w, rank, chunk), 1);
		for (int d = 0; d < NCCL_MOST_CHILDREN; d++)
			if (children[d] != ORDO_NONE)
				ordo_builder_reduce(
					w->b, sum, ordo_output_of(w->b, children[d], chunk), 1);
	}
	ordo_phase(w->b, "down", ORDO_NONE);
	for (uint32_t i = 1; i < w->nrank; i++)
		ordo_copy(w->b, ordo_output_of(w->b, w->order[i], chunk),
			ordo_output_of(w->b, nodes[w->order[i]].parent, chunk), 1);
}

static void write_program(struct ordo_builder *b, const struct ordo_problem *problem, void *closure)
{
	struct writing *w = closure;
	const struct nccl_choice *choice = w->choice;
	const uint32_t N = w->nrank, nchannel = choice->last - choice->first + 1;
	w->b = b;
	if (problem->op != ORDO_ALLREDUCE)
		w->scratch = ordo_scratch(b, problem->op == ORDO_REDUCE ? nchannel : N * nchannel);
	for (uint32_t c = choice->first; c <= choice->last; c++) {
		const uint32_t i = c - choice->first;
		w->ring = &w->subject->graph->rings[(size_t)c * N];
		ordo_stream(b, "channel", c);
		if (choice->algorithm == NCCL_TREE)
			write_tree(w, c, i);
		else if (problem->op == ORDO_ALLREDUCE)
			write_allreduce_ring(w, i * N);
		else if (problem->op == ORDO_REDUCE)
			write_chain(w, i, problem->root);
		else
			for (uint32_t q = 0; q < N; q++)
				write_chain(w, q * nchannel + i, q);
	}
}

static bool check_size(const struct nccl_subject *subject, const struct nccl_choice *choice,
	struct ordo_error *error)
{
	const struct nccl_graph *graph = subject->graph;
	const uint64_t nchannel = (uint64_t)choice->last - choice->first + 1, N = graph->nrank,
		       chains =
			       choice->algorithm == NCCL_TREE || subject->op == ORDO_REDUCE ? 1 : N;
	if (choice->last >= graph->nchannel)
		return ordo_fail(error, ORDO_BAD_INPUT, 0,
			"channels %" PRIu32 "..%" PRIu32 ": the log has rings of 0..%" PRIu32,
			choice->first, choice->last, graph->nchannel - 1);
	if (N > MOST_MOVES || chains * N * nchannel > MOST_MOVES / 3)
		return ordo_fail(error, ORDO_UNDECIDED, 0,
			"%" PRIu64 " ranks with %" PRIu64 " channels have too many moves to be "
			"followed",
			N, nchannel);
	return true;
}

struct ordo_schedule *nccl_schedule(const struct nccl_subject *subject,
	const struct nccl_choice *choice, struct ordo_error *error)
{
	char name[128], chosen[80];
	const struct nccl_version *version = subject->version;
	const uint32_t N = subject->graph->nrank;
	if (!check_size(subject, choice, error))
		return NULL;
	const bool ring = choice->algorithm == NCCL_RING;
	nccl_print_choice(choice, chosen, sizeof chosen);
	snprintf(name, sizeof name, "NCCL %" PRIu32 ".%" PRIu32 ".%" PRIu32 " %s", version->major,
		version->minor, version->patch, chosen);
	struct writing w = {.subject = subject, .choice = choice, .nrank = N};
	struct ordo_request request = {
		.problem = {.op = subject->op,
			.nrank = N,
			.nshard = N,
			.root = subject->root,
			.chunks_per_block = (choice->last - choice->first + 1) *
					    (ring && subject->op == ORDO_ALLREDUCE ? N : 1)},
		.algorithm = name};
	w.order = malloc(((size_t)N + 1) * sizeof *w.order);
	struct ordo_schedule *schedule = NULL;
	if (w.order)
		schedule = ordo_compile_program(&request, write_program, &w, error);
	else
		ordo_fail_memory(error);
	free(w.order);
	return schedule;
}
