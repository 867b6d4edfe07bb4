/* shape.c - checks that need one task at a time: R1 to R4, R12, and those limits of R13 that are
 * counts. */
#include "verifier.h"
#include <ordo/detail/accumulate.h>
#include <ordo/detail/schedules.h>
#include <ordo/plural.h>
#include <stdio.h>

static bool verify_range(struct verifier *verifier, uint32_t id, const struct ordo_task *task,
	uint32_t rank, unsigned buffer, uint32_t slot, const char *end)
{
	const struct ordo_problem *problem = &verifier->schedule->problem;
	uint32_t slots = verifier->schedule->scratch_slots;
	if (buffer == ORDO_INPUT)
		slots = ordo_input_slots(problem, rank);
	else if (buffer == ORDO_OUTPUT)
		slots = ordo_output_slots(problem, rank);
	if ((uint64_t)slot + task->count > slots)
		return ordo_add_finding(&verifier->findings, 3, &id, 1, NULL,
			"%s: %s is slots %u..%llu of the %s of rank %u, which has %u slots",
			ordo_where_is(verifier, id).text, end, slot,
			(unsigned long long)slot + task->count - 1,
			ordo_buffer_name((enum ordo_buffer)buffer), rank, slots);
	return true;
}

static uint32_t own_chunk(
	const struct ordo_problem *problem, uint32_t rank, unsigned buffer, uint32_t slot)
{
	return buffer == ORDO_INPUT ? ordo_input_chunk(problem, rank, slot)
				    : ordo_output_chunk(problem, rank, slot);
}

/* An input or output slot is as long as the chunk it is for, and no other chunk is known to fit.
 * Chunks rise with their slots, so where the first and the last of a slice are right, all between
 * are; and the first wrong one can be found by halving. */
static bool verify_fit(
	struct verifier *verifier, uint32_t id, const struct ordo_task *task, uint32_t rank)
{
	const struct ordo_problem *problem = &verifier->schedule->problem;
	/* All chunks of Custom have one length. */
	if (task->dst_buffer == ORDO_SCRATCH || verifier->memory.too_large ||
		problem->op == ORDO_CUSTOM)
		return true;
	uint32_t good = 0, bad = task->count;
	if (own_chunk(problem, rank, task->dst_buffer, task->dst) != task->chunk)
		bad = 0;
	else if (own_chunk(problem, rank, task->dst_buffer, task->dst + task->count - 1) ==
		 task->chunk + task->count - 1)
		return true;
	while (bad > good + 1) {
		const uint32_t middle = good + (bad - good) / 2;
		if (own_chunk(problem, rank, task->dst_buffer, task->dst + middle) ==
			task->chunk + middle)
			good = middle;
		else
			bad = middle;
	}
	return ordo_add_finding(&verifier->findings, 3, &id, 1,
		"chunks differ in length; only scratch slots are long enough for any chunk",
		"%s: writes chunk %u into %s slot %u of rank %u, which is as long as chunk %u",
		ordo_where_is(verifier, id).text, task->chunk + bad,
		ordo_buffer_name((enum ordo_buffer)task->dst_buffer), task->dst + bad, rank,
		own_chunk(problem, rank, task->dst_buffer, task->dst + bad));
}

/* Other ranks touch scratch only. */
static bool report_unstaged(struct verifier *verifier, uint32_t id, const struct ordo_task *task,
	uint32_t rank, uint32_t target)
{
	const bool source = task->src_buffer != ORDO_SCRATCH;
	const unsigned buffer = source ? task->src_buffer : task->dst_buffer;
	return ordo_add_finding(&verifier->findings, 3, &id, 1,
		"send from scratch to scratch, and let each rank copy in and out; `ordo compile "
		"--staging` does so",
		"%s: sends %s the %s of rank %u, and the schedule says that it has staging, so "
		"wanted scratch",
		ordo_where_is(verifier, id).text, source ? "from" : "to",
		ordo_buffer_name((enum ordo_buffer)buffer), source ? rank : target);
}

static bool verify_move(
	struct verifier *verifier, uint32_t id, const struct ordo_task *task, uint32_t rank)
{
	const struct ordo_problem *problem = &verifier->schedule->problem;
	uint32_t before = verifier->findings.proof->nfinding, target = rank,
		 nchunk = ordo_nchunk(problem);
	if (task->src_buffer >= ORDO_NBUFFER || task->dst_buffer >= ORDO_NBUFFER || !task->count)
		return ordo_add_finding(&verifier->findings, 1, &id, 1, NULL,
			"%s: a move needs two buffers and a count of at least 1",
			ordo_where_is(verifier, id).text);
	if (ordo_task_crosses(task)) {
		target = task->peer;
		if (target == rank)
			return ordo_add_finding(&verifier->findings, 2, &id, 1,
				"use LocalCopy or LocalReduce", "%s: sends to its own rank",
				ordo_where_is(verifier, id).text);
	}
	if ((uint64_t)task->chunk + task->count > nchunk)
		return ordo_add_finding(&verifier->findings, 3, &id, 1, NULL,
			"%s: moves chunks %u..%llu, %s here has chunks 0..%u",
			ordo_where_is(verifier, id).text, task->chunk,
			(unsigned long long)task->chunk + task->count - 1,
			ordo_operator_facts(problem->op)->name, nchunk - 1);
	if (!verify_range(verifier, id, task, rank, task->src_buffer, task->src, "src") ||
		!verify_range(verifier, id, task, target, task->dst_buffer, task->dst, "dst"))
		return false;
	if (verifier->findings.proof->nfinding != before)
		return true;
	if (task->dst_buffer == ORDO_INPUT && !problem->in_place)
		return ordo_add_finding(&verifier->findings, 4, &id, 1,
			"write to output or scratch, or compile for in place",
			"%s: writes to the input of rank %u, and the schedule is not in place",
			ordo_where_is(verifier, id).text, target);
	if (problem->accumulate && ordo_task_reduces(task) && task->dst_buffer != ORDO_SCRATCH)
		return ordo_add_finding(&verifier->findings, 4, &id, 1,
			"add up in scratch, and copy the complete sum to the output",
			"%s: reduces into the %s of rank %u, and the schedule accumulates in %s, "
			"which only scratch holds",
			ordo_where_is(verifier, id).text,
			ordo_buffer_name((enum ordo_buffer)task->dst_buffer), target,
			ordo_accumulation_name(problem->accumulate));
	if (verifier->schedule->staging && ordo_task_crosses(task) &&
		(task->src_buffer != ORDO_SCRATCH || task->dst_buffer != ORDO_SCRATCH))
		return report_unstaged(verifier, id, task, rank, target);
	return verify_fit(verifier, id, task, target);
}

static bool verify_link(
	struct verifier *verifier, uint32_t id, const struct ordo_task *task, uint32_t rank)
{
	bool incoming = task->kind == ORDO_WAIT;
	uint32_t from = incoming ? task->peer : rank, to = incoming ? rank : task->peer;
	const struct ordo_topology *topology = verifier->options->topology;
	if (from == to ||
		(verifier->passing ? ordo_switch_reachability_joined(verifier->passing, from, to)
				   : ordo_topology_reaches(topology, from, to)))
		return true;
	return ordo_add_finding(&verifier->findings, 12, &id, 1, NULL,
		"%s: there is no %s from rank %u to rank %u that is up in topology \"%s\"",
		ordo_where_is(verifier, id).text, verifier->passing ? "path" : "link", from, to,
		topology->name);
}

/* R12 of a stream that names its way: each hop is a link that is up. */
static bool verify_via(struct verifier *verifier, uint32_t id, const struct ordo_via *via,
	uint32_t rank, uint32_t peer)
{
	const struct ordo_topology *topology = verifier->options->topology;
	char why[256], way[128];
	if (ordo_via_links(via, topology, rank, peer, NULL, why, sizeof why))
		return true;
	ordo_via_print(via, way, sizeof way);
	return ordo_add_finding(&verifier->findings, 12, &id, 1, NULL,
		"%s: goes from rank %u to rank %u via %s, but in topology \"%s\" %s",
		ordo_where_is(verifier, id).text, rank, peer, way, topology->name, why);
}

static bool verify_task(
	struct verifier *verifier, uint32_t id, const struct ordo_task *task, uint32_t rank)
{
	const struct ordo_schedule *schedule = verifier->schedule;
	if (task->kind >= ORDO_NTASK_KIND)
		return ordo_add_finding(&verifier->findings, 1, &id, 1, NULL,
			"rank %u: task %u is of unknown kind (%u)", rank, id, task->kind);
	if (task->phase != ORDO_NO_PHASE && task->phase >= schedule->nphase)
		return ordo_add_finding(&verifier->findings, 1, &id, 1, NULL,
			"%s: phase %u, the schedule has %u", ordo_where_is(verifier, id).text,
			task->phase, schedule->nphase);
	if (ordo_task_crosses(task) && task->peer >= schedule->problem.nrank)
		return ordo_add_finding(&verifier->findings, 2, &id, 1, NULL,
			"%s: peer %u is not a rank, wanted 0..%u", ordo_where_is(verifier, id).text,
			task->peer, schedule->problem.nrank - 1);
	return !ordo_task_moves(task) || verify_move(verifier, id, task, rank);
}

static bool verify_stream(struct verifier *verifier, uint32_t number)
{
	const struct ordo_stream *stream = &verifier->schedule->streams[number];
	const struct ordo_via *via = ordo_via_of(verifier->schedule, number);
	/* Links repeat: only the last one that was good, each way, is remembered. */
	uint32_t good_out = stream->rank, good_in = stream->rank, good_via = stream->rank;
	for (uint32_t id = stream->first;
		id < stream->end && !ordo_findings_full(&verifier->findings); id++) {
		const struct ordo_task *task = &verifier->schedule->tasks[id];
		uint32_t before = verifier->findings.proof->nfinding;
		if (!verify_task(verifier, id, task, stream->rank))
			return false;
		if (!verifier->options->topology || verifier->findings.proof->nfinding != before ||
			!ordo_task_crosses(task))
			continue;
		const bool goes_via = via && ordo_task_moves(task);
		uint32_t *good = goes_via		   ? &good_via
				 : task->kind == ORDO_WAIT ? &good_in
							   : &good_out;
		if (*good == task->peer)
			continue;
		if (goes_via ? !verify_via(verifier, id, via, stream->rank, task->peer)
			     : !verify_link(verifier, id, task, stream->rank))
			return false;
		*good = verifier->findings.proof->nfinding == before ? task->peer : stream->rank;
	}
	return true;
}

bool ordo_verify_shape(struct verifier *verifier)
{
	const struct ordo_schedule *schedule = verifier->schedule;
	const struct ordo_topology *topology = verifier->options->topology;
	const struct ordo_limits *limits = &verifier->options->limits;
	if (topology && topology->nrank != schedule->problem.nrank)
		return ordo_add_finding(&verifier->findings, 12, NULL, 0, NULL,
			"the schedule has %u rank%s, topology \"%s\" has %u",
			schedule->problem.nrank, ordo_plural(schedule->problem.nrank),
			topology->name, topology->nrank);
	if (topology && verifier->options->through_ranks &&
		!(verifier->passing = ordo_switch_reachability_through_ranks(
			  topology, verifier->findings.error)))
		return false;
	if (limits->scratch_slots && schedule->scratch_slots > limits->scratch_slots &&
		!ordo_add_finding(&verifier->findings, 13, NULL, 0, NULL,
			"the schedule uses %u scratch slots a rank, wanted at most %u",
			schedule->scratch_slots, limits->scratch_slots))
		return false;
	for (uint32_t rank = 0; rank < schedule->problem.nrank; rank++) {
		uint32_t nstream =
			schedule->programs[rank].end_stream - schedule->programs[rank].first_stream;
		if (limits->streams && nstream > limits->streams &&
			!ordo_add_finding(&verifier->findings, 13, NULL, 0, NULL,
				"rank %u has %u streams, wanted at most %u", rank, nstream,
				limits->streams))
			return false;
	}
	for (uint32_t i = 0; i < schedule->nstream; i++)
		if (!verify_stream(verifier, i))
			return false;
	return true;
}
