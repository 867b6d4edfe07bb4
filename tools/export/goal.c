/* goal.c - Group Operation Assembly Language (GOAL), the input of LogGOPSim.
 *
 * Grammar, as its translator reads it: `num_ranks N`, then for each rank `rank R {`, operations and
 * `}`. An operation is a line: `LABEL: send SIZEb to RANK tag TAG cpu CPU nic NIC`, `recv SIZEb
 * from RANK ...` or `calc NANOSECONDS cpu CPU`; `LABEL requires LABEL` is a dependence between
 * operations above it. Source: Hoefler, Siebert, Lumsdaine, Group Operation Assembly Language, ICPP
 * 2009; and LogGOPSim's txt2bin. */
#include "formats.h"
#include "graph.h"
#include <inttypes.h>
#include <math.h>
#include <ordo/arena.h>
#include <ordo/detail/schedules.h>
#include <stdlib.h>

/* Numbers of cpus and nics have 8 bits. What is added on a rank shares one cpu, what is copied
 * another; every stream sends on one of its own. */
enum { ADDER, COPIER, FIRST_STREAM, NCPU = 256, NNIC = 256 };

struct goal {
	const struct graph *graph;
	const struct exported *exported;
	FILE *out;
	/* [nrank] of the ranks that are so far apart: different links at both ends */
	uint32_t *nic;
	uint32_t nnic;
};

static uint32_t distance(const struct goal *goal, const struct operation *operation)
{
	const uint32_t nrank = goal->graph->schedule->problem.nrank;
	return operation->kind == OPERATION_SEND
		       ? (operation->peer + nrank - operation->rank) % nrank
		       : (operation->rank + nrank - operation->peer) % nrank;
}

static bool number_nics(struct goal *goal)
{
	const struct graph *graph = goal->graph;
	goal->nic = ordo_array_make(graph->schedule->problem.nrank, sizeof *goal->nic, 255);
	for (uint32_t i = 0; goal->nic && i < graph->count; i++) {
		const struct operation *operation = &graph->operations[i];
		if (operation->kind != OPERATION_SEND)
			continue;
		uint32_t *nic = &goal->nic[distance(goal, operation)];
		if (*nic == ORDO_NONE)
			*nic = goal->nnic++;
	}
	return goal->nic;
}

static void print_label(const struct goal *goal, const struct operation *operation)
{
	char label[LABEL_SIZE];
	fputs(operation_label(goal->graph, operation, label), goal->out);
}

static void print_message(const struct goal *goal, const struct operation *operation)
{
	const struct ordo_schedule *schedule = goal->graph->schedule;
	const uint32_t s = ordo_stream_of(schedule, operation->task),
		       number = s - schedule->programs[schedule->streams[s].rank].first_stream;
	const bool sends = operation->kind == OPERATION_SEND;
	fprintf(goal->out,
		"%s %" PRIu64 "b %s %" PRIu32 " tag %" PRIu32 " cpu %" PRIu32 " nic %" PRIu32 "\n",
		sends ? "send" : "recv", operation->bytes, sends ? "to" : "from", operation->peer,
		operation->tag, FIRST_STREAM + number % (NCPU - FIRST_STREAM),
		goal->nic[distance(goal, operation)] % NNIC);
}

static void print_operation(const struct goal *goal, const struct operation *operation)
{
	const struct graph *graph = goal->graph;
	print_label(goal, operation);
	fputs(": ", goal->out);
	if (operation->kind == OPERATION_SEND || operation->kind == OPERATION_RECEIVE)
		print_message(goal, operation);
	else
		fprintf(goal->out, "calc %.0f cpu %d\n", floor(operation->seconds * 1e9 + 0.5),
			operation->kind == OPERATION_ADD ? ADDER : COPIER);
	for (uint32_t i = 0; i < operation->ndependence; i++) {
		print_label(goal, operation);
		fputs(" requires ", goal->out);
		print_label(goal,
			&graph->operations[graph->dependences[operation->first_dependence + i]]);
		fputc('\n', goal->out);
	}
}

static void print_goal(const struct goal *goal)
{
	const struct graph *graph = goal->graph;
	const struct ordo_problem *problem = &graph->schedule->problem;
	fprintf(goal->out,
		"// %s on %" PRIu32 " ranks by %s, %" PRIu64 " bytes of %s, proved by ordo "
		"%s\nnum_ranks %" PRIu32 "\n",
		ordo_operator_facts(problem->op)->name, problem->nrank, graph->schedule->algorithm,
		goal->exported->bytes, ordo_type_name(goal->exported->type), ordo_version(),
		problem->nrank);
	for (uint32_t rank = 0; rank < problem->nrank; rank++) {
		fprintf(goal->out, "\nrank %" PRIu32 " {\n", rank);
		for (uint32_t i = graph->first_of_rank[rank]; i < graph->first_of_rank[rank + 1];
			i++)
			print_operation(goal, &graph->operations[graph->of_rank[i]]);
		fputs("}\n", goal->out);
	}
}

bool export_goal(struct call *call, const struct exported *exported, FILE *out)
{
	struct graph graph;
	struct goal goal = {.graph = &graph, .exported = exported, .out = out};
	struct ordo_error error;
	if (!make_export_graph(&graph, exported, &error)) {
		free_graph(&graph);
		return refuse_error(call, &error);
	}
	const bool worked = number_nics(&goal);
	if (worked) {
		print_goal(&goal);
		report_graph(call, exported, &graph);
		if (goal.nnic > NNIC)
			note(call, "links of %" PRIu32 " kinds share %d nics", goal.nnic, NNIC);
	}
	free(goal.nic);
	free_graph(&graph);
	return worked || refuse_memory(call);
}
