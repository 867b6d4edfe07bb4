/* cost.c - how long an algorithm takes: by its formula, or by what it claims. */
#include "algorithms/direct/closed_form.h"
#include "passes.h"
#include "pipeline/pipeline.h"
#include <ordo/options.h>
#include <stdlib.h>

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
	if (topology->reduce_gbs > 0)
		machine->reduce_bandwidth_gbs = topology->reduce_gbs;
	if (topology->copy_gbs > 0)
		machine->copy_bandwidth_gbs = topology->copy_gbs;
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

/* What goes from rank to rank in one stream or through one rank, and what is added up there. */
struct load {
	uint64_t messages, chunks;	   /* sent */
	uint64_t got_messages, got_chunks; /* from others */
	uint64_t reduced;
};

/* Takes the larger of each. */
static void take_load(struct load *most, const struct load *load)
{
	most->messages = load->messages > most->messages ? load->messages : most->messages;
	most->chunks = load->chunks > most->chunks ? load->chunks : most->chunks;
	most->got_messages =
		load->got_messages > most->got_messages ? load->got_messages : most->got_messages;
	most->got_chunks =
		load->got_chunks > most->got_chunks ? load->got_chunks : most->got_chunks;
	most->reduced = load->reduced > most->reduced ? load->reduced : most->reduced;
}

static void count_moves(
	const struct ordo_sequence *sequence, struct load *ranks, struct load *lanes)
{
	for (uint32_t i = 0; i < sequence->nmove; i++) {
		const struct ordo_move *move = &sequence->moves[i];
		ranks[move->peer].reduced += move->reduces ? move->count : 0;
		if (move->peer == move->rank)
			continue;
		ranks[move->peer].got_messages++;
		ranks[move->peer].got_chunks += move->count;
		ranks[move->rank].messages++;
		ranks[move->rank].chunks += move->count;
		lanes[move->stream].messages++;
		lanes[move->stream].chunks += move->count;
	}
}

/* The busiest rank's and the busiest stream's load. */
static bool find_loads(const struct ordo_resolved_request *resolved, struct load *rank,
	struct load *lane, struct ordo_error *error)
{
	const uint32_t nrank = resolved->problem.nrank;
	struct ordo_sequence sequence = {0};
	bool worked = ordo_build(resolved, &sequence, error) && ordo_merge(&sequence, error);
	struct load *loads = worked ? calloc((size_t)nrank + sequence.nlane, sizeof *loads) : NULL;
	*rank = *lane = (struct load){0};
	if (loads) {
		count_moves(&sequence, loads, loads + nrank);
		for (uint32_t i = 0; i < nrank + sequence.nlane; i++)
			take_load(i < nrank ? rank : lane, &loads[i]);
	} else if (worked) {
		worked = ordo_fail_memory(error);
	}
	free(loads);
	ordo_sequence_free(&sequence);
	return worked;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* A stream does one thing after another, so neither steps nor bytes are fewer than in its busiest
 * stream; nor are bytes fewer than a chunk for each step that waits for the one before. On P ports
 * they are not fewer than a P-th of what the busiest rank sends or gets. Beyond that steps and
 * volume are as claimed. */
static bool cost_as_claimed(const struct ordo_resolved_request *resolved, struct ordo_cost *cost,
	struct ordo_error *error)
{
	const struct ordo_problem *problem = &resolved->problem;
	const uint64_t blocks =
			       problem->op == ORDO_ALLTOALL ? problem->nrank : ordo_nblock(problem),
		       ports = resolved->topology ? resolved->topology->ports : 0,
		       links = ports ? ports : 1;
	struct load rank, lane;
	struct ordo_claims claims;
	if (!find_loads(resolved, &rank, &lane, error) || !ordo_claims_of(resolved, &claims, error))
		return false;
	*cost = (struct ordo_cost){.steps = larger(claims.steps, lane.messages),
		.wire = larger(lane.chunks, claims.steps) * links,
		.reduced = rank.reduced * links,
		.parts = blocks * problem->chunks_per_block * links,
		.source = ORDO_COST_CLAIMS};
	if (!ports)
		return true;
	cost->steps =
		larger(cost->steps, (larger(rank.messages, rank.got_messages) + ports - 1) / ports);
	cost->wire = larger(cost->wire, larger(claims.volume, rank.got_chunks));
	return true;
}

/* The formula of a request whose K is settled, if its algorithm has one for it. */
static bool has_closed_form(const struct ordo_resolved_request *resolved, struct ordo_cost *cost)
{
	if (resolved->problem.nrank == 1)
		return ordo_form_is(cost, ORDO_COST_TABLE, 0, 0, 0, 1);
	return resolved->algorithm->closed_form && resolved->algorithm->closed_form(resolved, cost);
}

/* The formulas begin where every rank has added up its virtual shards: so many vectors less one. */
static bool cost_by_formula(const struct ordo_resolved_request *resolved, struct ordo_cost *cost)
{
	const uint32_t most = (resolved->nshard - 1) / resolved->problem.nrank + 1;
	if (!has_closed_form(resolved, cost))
		return false;
	if (resolved->nshard != resolved->problem.nshard)
		cost->reduced += (most - 1) * cost->parts;
	return true;
}

static bool cost_of(
	const struct ordo_request *request, struct ordo_cost *cost, struct ordo_error *error)
{
	struct ordo_resolved_request resolved;
	const bool worked =
		ordo_request_resolve(&resolved, request, error) &&
		(cost_by_formula(&resolved, cost) || cost_as_claimed(&resolved, cost, error));
	ordo_resolved_request_destroy(&resolved);
	return worked;
}

bool ordo_cost_of_sized(size_t size, const struct ordo_request *request, struct ordo_cost *cost,
	struct ordo_error *error)
{
	struct ordo_request own;
	return ordo_options_take(&own, sizeof own, request, size, error)
		       ? cost_of(&own, cost, error)
		       : false;
}

bool(ordo_cost_of)(
	const struct ordo_request *request, struct ordo_cost *cost, struct ordo_error *error)
{
	return ordo_cost_of_sized(ORDO_UP_TO(ordo_request, closure), request, cost, error);
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

double ordo_cost_seconds(
	const struct ordo_cost *cost, const struct ordo_machine *machine, uint64_t bytes)
{
	return ordo_cost_fixed(cost, machine) + ordo_cost_slope(cost, machine) * (double)bytes;
}
