/* quotient.c - the verifier of symmetric schedules: one run of rank 0's program represents every
 * run of all ranks.
 *
 * Let G act freely on the ranks, and every rank's program be rank 0's relabelled. verify.c shows
 * why one run of the whole proves all runs; here that one run is the one in which all ranks do the
 * same task at once.
 *
 * R7. It is a run: if rank 0 can do a task, so can every rank its copy, and none disables another
 * (R5). If rank 0 deadlocks, all do, and the whole does. Tokens are taken in their order, so what
 * takes rank p's j-th token is a copy of the j-th Wait.
 *
 * Happens-before. The vector clocks of rank 0's streams are exact (clocks.c); those of rank p are
 * the same, relabelled by p. A path of the whole projects to rank 0's tasks with the net element
 * that it gains, and lifts from there; so nothing is lost. In particular copies of one task are
 * never ordered: a path from one to another, repeated, would come back, and the run has no cycle.
 *
 * R8, R9. All accesses of rank 0's memory are recorded, with their ranks (memory.c); those of other
 * memories are their copies. Consecutive conflicting ones are queried, as in the whole, along the
 * run.
 *
 * R10, R11. What rank r holds is what rank 0 holds, relabelled (values.h).
 *
 * R1 to R4 are checked task by task, and invariant; so are R12's links, each of which is checked on
 * all ranks.
 *
 * Cost: T/N tasks, and for every Notify and Wait of them a clock: all ranks, times the streams with
 * a row.
 */
#include "quotient.h"
#include <ordo/arena.h>
#include <ordo/greedy.h>
#include <ordo/options.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static bool breaks_rules(const struct ordo_proof *proof)
{
	for (uint32_t i = 0; i < proof->nfinding; i++)
		if (proof->findings[i].rule != 13)
			return true;
	return false;
}

/* Takes rank 0's program, which must be one that canonical forms can be of. */
static bool open_program(struct quotient *q)
{
	const struct view view = ordo_view_from(q->programs, q->symmetry, 0);
	if (!q->programs->give(q->programs, 0, &q->program, q->findings.error))
		return false;
	q->stream_of = malloc(((size_t)q->program.ntask + 1) * sizeof *q->stream_of);
	q->link = malloc(((size_t)q->program.ntask + 1) * sizeof *q->link);
	if (!q->stream_of || !q->link)
		return ordo_fail_memory(q->findings.error);
	for (uint32_t s = 0, id = 0; s < q->program.nstream; s++)
		for (; id < q->program.ends[s]; id++) {
			q->stream_of[id] = s;
			if (!ordo_fits_view(&view, &q->program.tasks[id]))
				return ordo_fail(q->findings.error, ORDO_USAGE, 0,
					"the schedule is not symmetric: %s",
					ordo_quotient_where(q, id).text);
		}
	return true;
}

/* Those limits of R13 that are counts. */
static bool verify_sizes(struct quotient *q)
{
	const struct ordo_limits *limits = &q->options->limits;
	return (!limits->scratch_slots || q->programs->scratch_slots <= limits->scratch_slots ||
		       ordo_add_finding(&q->findings, 13, NULL, 0, NULL,
			       "the schedule uses %u scratch slots a rank, wanted at most %u",
			       q->programs->scratch_slots, limits->scratch_slots)) &&
	       (!limits->streams || q->program.nstream <= limits->streams ||
		       ordo_add_finding(&q->findings, 13, NULL, 0, NULL,
			       "every rank has %u streams, wanted at most %u", q->program.nstream,
			       limits->streams));
}

static bool verify_tokens(struct quotient *q)
{
	const uint32_t allowed = q->options->limits.tokens_in_flight,
		       found = q->findings.proof->tokens_in_flight;
	char text[80] = "one token more in every call";
	if (!allowed || found <= allowed)
		return true;
	if (found != ORDO_UNBOUNDED)
		snprintf(text, sizeof text, "up to %u tokens over calls back to back", found);
	return ordo_add_finding(&q->findings, 13, NULL, 0,
		"a Wait by the notifying stream for an acknowledgement would hold it back; "
		"`ordo compile --max-tokens` compiles for a limit",
		"a signal holds %s, wanted at most %u: that many Notify up to\n  %s\n  may come "
		"before the Wait that takes the first",
		text, allowed, ordo_quotient_where(q, q->orbits.fullest).text);
}

struct run {
	struct quotient *q;
	struct ordo_greedy greedy;
	struct ordo_stream *streams; /* [nstream] rank 0's */
	ordo_quotient_step *step;
	uint32_t nfired;
	bool worked;
};

static bool run_task(struct quotient *q, uint32_t id)
{
	switch (q->program.tasks[id].kind) {
	case ORDO_NOTIFY:
		return ordo_quotient_notify(q, id);
	case ORDO_WAIT:
		return ordo_quotient_wait(q, id);
	default:
		return ordo_quotient_access(q, id);
	}
}

static enum ordo_visit visit(void *closure, uint32_t stream, uint32_t id)
{
	struct run *run = closure;
	struct quotient *q = run->q;
	(void)stream;
	run->worked = run->step(q, id);
	if (!run->worked)
		return ORDO_VISIT_STOP;
	run->nfired++;
	if (q->options->progress && !(run->nfired & 0xfff))
		q->options->progress(q->options->closure, "proving", run->nfired, q->program.ntask);
	return ORDO_VISIT_ON;
}

static bool report_deadlock(struct quotient *q, const struct run *run)
{
	for (uint32_t s = 0; s < q->program.nstream; s++)
		if (run->greedy.next[s] < q->program.ends[s])
			return ordo_add_finding(&q->findings, 7, NULL, 0,
				"some Notify must come before the Wait it stands after",
				"deadlock: every rank waits forever at the task of rank 0,\n  %s",
				ordo_quotient_where(q, run->greedy.next[s]).text);
	return true;
}

/* All ranks do the same task at once: a Notify of rank 0 also stands for the one that its Wait
 * takes. */
static bool run_all(struct quotient *q, ordo_quotient_step *step, struct run *run)
{
	const uint32_t nstream = q->program.nstream;
	*run = (struct run){.q = q, .step = step, .worked = true};
	run->streams = calloc((size_t)nstream + 1, sizeof *run->streams);
	if (!run->streams)
		return false;
	for (uint32_t s = 0; s < nstream; s++) {
		run->streams[s].first = s ? q->program.ends[s - 1] : 0;
		run->streams[s].end = q->program.ends[s];
	}
	if (!ordo_greedy_open_streams(&run->greedy, q->program.tasks, run->streams, nstream,
		    q->link, 1, q->orbits.count))
		return false;
	ordo_greedy_run(&run->greedy, visit, run);
	return true;
}

static void close_run(struct run *run)
{
	ordo_greedy_close(&run->greedy);
	free(run->streams);
}

bool ordo_quotient_run(struct quotient *q, ordo_quotient_step *step)
{
	struct run run;
	const bool worked =
		run_all(q, step, &run) ? run.worked : ordo_fail_memory(q->findings.error);
	close_run(&run);
	return worked;
}

static bool verify_run(struct quotient *q)
{
	struct run run;
	bool worked = run_all(q, run_task, &run) ? run.worked : ordo_fail_memory(q->findings.error);
	if (worked && run.nfired < q->program.ntask)
		worked = report_deadlock(q, &run);
	else if (worked &&
		 (worked = ordo_quotient_verify_touches(q) && ordo_quotient_verify_outputs(q)))
		q->findings.proof->complete = true;
	close_run(&run);
	return worked;
}

static bool verify_all(struct quotient *q)
{
	struct ordo_proof *proof = q->findings.proof;
	uint32_t nmove = 0;
	proof->run_to_run = proof->rank_equal = proof->position_invariant = ORDO_NOT_ASKED;
	if (!open_program(q) || !verify_sizes(q) || !ordo_quotient_verify_links(q))
		return false;
	if (breaks_rules(proof))
		return true;
	if (!ordo_quotient_number_orbits(q))
		return false;
	if (breaks_rules(proof))
		return true;
	if (!ordo_quotient_open_clocks(q) || !ordo_quotient_open_memory(q) || !verify_run(q) ||
		!ordo_quotient_count_tokens(q) || !verify_tokens(q))
		return false;
	for (uint32_t id = 0; id < q->program.ntask; id++)
		nmove += ordo_task_moves(&q->program.tasks[id]);
	const uint64_t nmoves = (uint64_t)nmove * q->group->order;
	proof->nmove = nmoves > ORDO_LIMIT ? ORDO_LIMIT : (uint32_t)nmoves;
	proof->proved = proof->complete && !proof->nfinding;
	return !proof->proved || ordo_quotient_verify_orders(q);
}

static void free_quotient(struct quotient *q)
{
	ordo_quotient_close_clocks(q);
	ordo_rank_program_free(&q->program);
	free(q->stream_of);
	free(q->link);
	free(q->orbits.items);
	free(q->orbits.waits);
	free(q->touches.items);
	ordo_map_free(&q->touches.of);
	ordo_orbit_forest_free(&q->memory.forest);
	free(q->memory.cells);
	free(q->memory.readers);
	free(q->chunk_values);
}

static struct ordo_proof *verify_symmetric(const struct ordo_programs *programs,
	const struct ordo_symmetry *symmetry, const struct ordo_verify_options *options,
	struct ordo_error *error)
{
	static const struct ordo_verify_options nothing_asked;
	struct ordo_proof *proof = calloc(1, sizeof *proof);
	struct quotient q = {.programs = programs,
		.problem = &programs->problem,
		.symmetry = symmetry,
		.group = &symmetry->group,
		.options = options ? options : &nothing_asked,
		.findings = {.proof = proof, .error = error}};
	q.findings.max = q.options->max_findings ? q.options->max_findings : 16;
	bool worked = false;
	if (q.options->atomic_reduce)
		ordo_fail(error, ORDO_UNDECIDED, 0,
			"only the whole schedule can be verified with reduces in no fixed order");
	else if (programs->problem.accumulate)
		ordo_fail(error, ORDO_UNDECIDED, 0,
			"only the whole schedule can be verified with sums accumulated in another "
			"type");
	else
		worked = proof ? verify_all(&q) : ordo_fail_memory(error);
	free_quotient(&q);
	if (worked)
		return proof;
	ordo_proof_destroy(proof);
	return NULL;
}

struct ordo_proof *ordo_verify_symmetric_sized(size_t size, const struct ordo_programs *programs,
	const struct ordo_symmetry *symmetry, const struct ordo_verify_options *options,
	struct ordo_error *error)
{
	struct ordo_verify_options own;
	return ordo_options_take(&own, sizeof own, options, size, error)
		       ? verify_symmetric(programs, symmetry, &own, error)
		       : NULL;
}

struct ordo_proof *(ordo_verify_symmetric)(const struct ordo_programs *programs,
	const struct ordo_symmetry *symmetry, const struct ordo_verify_options *options,
	struct ordo_error *error)
{
	return ordo_verify_symmetric_sized(
		ORDO_UP_TO(ordo_verify_options, closure), programs, symmetry, options, error);
}
