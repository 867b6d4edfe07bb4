/* bound.c - `ordo bound`: the least time that the wire takes on a topology, and what proves it. */
#include "report/bound.h"
#include "choose/rejected.h"
#include "cli/inputs.h"
#include "cli/memory_limit.h"
#include "cli/problem.h"
#include "commands.h"
#include <stdlib.h>
#include <string.h>

struct args {
	struct problem_options what;
	struct topology_choice topology;
	uint64_t bytes;
};

static struct ordo_topology *find_topology(struct call *call, struct args *args)
{
	const struct topology_choice *choice = &args->topology;
	struct ordo_topology *topology = NULL;
	if (!has_topology(choice)) {
		refuse_usage(call, "`ordo list topologies` lists them", "--topology T is missing");
		return NULL;
	}
	if (find_ranks(call, choice, &args->what.problem.nrank) &&
		renumber_problem(call, choice, &args->what.problem))
		choose_topology(call, choice, args->what.problem.nrank, &topology);
	return topology;
}

static int bound_on(
	struct call *call, const struct args *args, const struct ordo_topology *topology)
{
	struct ordo_error error = {0};
	struct ordo_problem problem = args->what.problem;
	problem.nrank = topology->nrank;
	const struct ordo_operator_facts *facts = ordo_operator_facts(problem.op);
	if (problem.root >= problem.nrank || (problem.root && !facts->rooted))
		return fail_usage(call, NULL, "--root: found %u, wanted %s", problem.root,
			facts->rooted ? "one of the ranks" : "an operator with a root");
	struct ordo_wire_bound *bound =
		ordo_wire_bound_make(problem.op, problem.root, topology, true, &error);
	if (!bound) {
		lacks_a_way(
			&(struct ordo_request){.problem = problem, .topology = topology}, &error);
		return fail(call, &error);
	}
	const struct report report = report_of(call, stdout);
	report_wire_bound(&report, &problem, topology, bound, args->bytes);
	ordo_wire_bound_destroy(bound);
	return ORDO_OK;
}

static int bound_with(struct call *call, struct args *args)
{
	if (!read_operator(call, &args->what.problem.op))
		return call->status;
	struct ordo_topology *topology = find_topology(call, args);
	const int status = topology ? bound_on(call, args, topology) : call->status;
	ordo_topology_destroy(topology);
	return status;
}

static int bound(struct call *call)
{
	struct args args = {.bytes = 1 << 20};
	const struct option options[] = {
		TOPOLOGY_OPTIONS(args.topology),
		{"ranks", 'n', POSITIVE, &args.what.problem.nrank, "N",
			"how many ranks (as many as the topology says)"},
		{"root", 'r', NUMBER, &args.what.problem.root, "R",
			"the root of Reduce, Broadcast, Scatter and Gather (0)"},
		{"size", 's', SIZE, &args.bytes, "SIZE",
			"bytes of a rank's larger buffer, for the time in seconds (1MiB)"},
		MEMORY_LIMIT_OPTION,
	};
	const int status = READ_OPTIONS(call, options) ? bound_with(call, &args) : call->status;
	free_topology_choice(&args.topology);
	return status;
}

const struct command bound_command = {
	.name = "bound",
	.summary = "prints the least time possible on a topology, and the cut that proves it",
	.usage = "OPERATOR --topology T [OPTION]...",
	.examples = "  ordo bound allreduce --ranks 8 --topology full-mesh --fail-link 0-1\n"
		    "  ordo bound allgather --topology torus:4x4 --size 1GiB\n"
		    "  ordo bound broadcast --topology dgx-h100:2 --root 3 --json",
	.run = bound,
};
