/* cost.c - how long an algorithm takes: by its formula, or by what it claims. */
#include "cost/cost.h"
#include "passes.h"
#include <stdlib.h>
#include <string.h>

struct ordo_machine ordo_machine_usual(void)
{
	return (struct ordo_machine){.latency_ns = 1000, .bandwidth_gbs = 56, .reduce_bandwidth_gbs = 195};
}

/* The slowest of some links. */
struct slowest {
	double latency_ns, bandwidth_gbs;
	bool any;
};

static void take_link(struct slowest *slowest, const struct ordo_link *link)
{
	if (!slowest->any || link->latency_ns > slowest->latency_ns)
		slowest->latency_ns = link->latency_ns;
	if (!slowest->any || link->bandwidth_gbs < slowest->bandwidth_gbs)
		slowest->bandwidth_gbs = link->bandwidth_gbs;
	slowest->any = true;
}

void ordo_machine_take(struct ordo_machine *machine, const struct ordo_topology *topology)
{
	/* Between ranks; from a rank to a switch, between switches, and from one to a rank. */
	struct slowest direct = {0}, all = {0}, legs[3] = {{0}};
	const uint32_t nrank = topology->nrank;
	for (uint32_t i = 0; i < topology->nlink; i++) {
		const struct ordo_link *link = &topology->links[i];
		if (link->down)
			continue;
		const bool begins = link->from < nrank, ends = link->to < nrank;
		take_link(&all, link);
		take_link(begins && ends ? &direct : &legs[begins ? 0 : ends ? 2 : 1], link);
	}
	if (!all.any)
		return;
	const double through = legs[0].latency_ns + legs[1].latency_ns + legs[2].latency_ns;
	machine->latency_ns = through > direct.latency_ns ? through : direct.latency_ns;
	machine->bandwidth_gbs = all.bandwidth_gbs;
}

/* What lands on the busiest rank: chunks that come from others, and chunks that are added to what is there. */
struct landing {
	uint64_t received, reduced;
};

static bool count_landing(const struct ordo_recipe *recipe, struct landing *most, struct ordo_error *error)
{
	struct ordo_sequence sequence = {0};
	struct landing *ranks = calloc(recipe->problem.nrank, sizeof *ranks);
	const bool worked = ranks ? ordo_build(recipe, &sequence, error) : ordo_fail_memory(error);
	*most = (struct landing){0};
	for (uint32_t i = 0; worked && i < sequence.nmove; i++) {
		const struct ordo_move *move = &sequence.moves[i];
		struct landing *rank = &ranks[move->peer];
		rank->received += move->peer == move->rank ? 0 : move->count;
		rank->reduced += move->reduces ? move->count : 0;
		most->received = rank->received > most->received ? rank->received : most->received;
		most->reduced = rank->reduced > most->reduced ? rank->reduced : most->reduced;
	}
	free(ranks);
	ordo_sequence_free(&sequence);
	return worked;
}

/* The rings of an algorithm that has several go side by side, over links of their own. */
static uint64_t links_at_once(const struct ordo_recipe *recipe)
{
	if (strcmp(recipe->algorithm->facts.name, "ring") != 0)
		return 1;
	const uint64_t lanes = (uint64_t)ordo_recipe_number(recipe, "directions") *
			       ordo_recipe_number(recipe, "rings"),
		       ports = recipe->topology ? recipe->topology->ports : 0;
	return ports && ports < lanes ? ports : lanes;
}

/* A rank sends and receives at once, so the busier of the two ways counts. */
static bool cost_as_claimed(
	const struct ordo_recipe *recipe, struct ordo_cost *cost, struct ordo_error *error)
{
	const struct ordo_problem *problem = &recipe->problem;
	const uint64_t blocks = problem->op == ORDO_ALLTOALL ? problem->nrank : ordo_nblock(problem),
		       links = links_at_once(recipe), sent = recipe->algorithm->volume(recipe);
	struct landing landing;
	if (!count_landing(recipe, &landing, error))
		return false;
	*cost = (struct ordo_cost){.steps = recipe->algorithm->steps(recipe),
		.wire = sent > landing.received ? sent : landing.received,
		.reduced = landing.reduced * links,
		.parts = blocks * problem->chunks_per_block * links,
		.source = ORDO_COST_CLAIMS};
	return true;
}

/* The formulas begin where every rank has added up its virtual shards: so many vectors less one. */
static bool cost_by_formula(const struct ordo_recipe *recipe, struct ordo_cost *cost)
{
	const uint32_t most = (recipe->nshard - 1) / recipe->problem.nrank + 1;
	if (!ordo_closed_form(recipe, cost))
		return false;
	if (recipe->nshard != recipe->problem.nshard)
		cost->reduced += (most - 1) * cost->parts;
	return true;
}

bool ordo_cost_of(const struct ordo_request *request, struct ordo_cost *cost, struct ordo_error *error)
{
	struct ordo_recipe recipe;
	const bool worked = ordo_recipe_make(&recipe, request, error) &&
			    (cost_by_formula(&recipe, cost) || cost_as_claimed(&recipe, cost, error));
	ordo_recipe_destroy(&recipe);
	return worked;
}

double ordo_cost_fixed(const struct ordo_cost *cost, const struct ordo_machine *machine)
{
	return (double)cost->steps * machine->latency_ns * 1e-9;
}

double ordo_cost_slope(const struct ordo_cost *cost, const struct ordo_machine *machine)
{
	const double parts = (double)cost->parts;
	return ((double)cost->wire / parts / machine->bandwidth_gbs +
		       (double)cost->reduced / parts / machine->reduce_bandwidth_gbs) *
	       1e-9;
}

double ordo_cost_seconds(const struct ordo_cost *cost, const struct ordo_machine *machine, uint64_t bytes)
{
	return ordo_cost_fixed(cost, machine) + ordo_cost_slope(cost, machine) * (double)bytes;
}
