/* verify.c - the judge: one run, from which everything is proved.
 *
 * Why one run proves all runs. A schedule is a Petri net: every task a transition, program order
 * and signals its places.
 *
 *  1. R5 gives every signal one waiting stream, so every place has at most one transition that
 *     takes from it:
 * firing one task can never disable another (the net is choice-free, hence persistent). By Keller's
 * theorem all maximal executions fire the same tasks: if one greedy run completes, every execution
 * does, and if it gets stuck, every execution gets stuck at the same tasks (R7).
 *  2. R5 gives every signal one notifying stream too: its Notifies come in one order, its Waits in
 *     one order,
 * and so in every execution the j-th Wait takes the j-th Notify. (Suppose not, and look at the
 * first Wait of an execution that takes another: an earlier one of the same signal would have to be
 * it.) With R6 none is left over. Hence happens-before, the transitive closure of program order and
 * of Notify j -> Wait j, is one
 *     fixed partial order, the same in every execution.
 *  3. If every two accesses to one slot of which one writes are ordered by it (R8), then every
 *     execution
 * gives every read the value of the same write: by induction along happens-before all executions
 * compute the same values, and the symbolic values of the one run (R10, R11) are those of every
 * execution. It is enough to ask about consecutive conflicting accesses of a slot, for the rest
 * follows: between two writes the reads
 *     lie, each asked to follow the one and to precede the other.
 *  4. Entering a call is a write of all the rank's memory before all its streams, leaving one after
 *     them. If
 * these too are ordered against all accesses by others (R9), calls may follow each other without a
 * barrier: in B;B an access of the first call precedes its rank's leaving, that precedes the
 * entering of the next, and that the accesses of the second. Signals are balanced within a call
 * (R6), so tokens of one call are never taken in another, and what holds for B;B holds for B^k, and
 * for any sequence of proved schedules.
 *
 * The conditions are those named: R5 and R6 before 1 and 2, R7 before 3, and values are only
 * claimed when R8 holds. With --atomic-reduce two reduces into one slot may be unordered: then 3
 * holds for which contributions a slot has, not for their order, and G2 is refuted.
 *
 * Scale: every part is linear in tasks and chunks moved, but for the queries that ordering.c
 * cannot close by certificates. Those about entering and leaving entry_exit.c answers exactly, in
 * time (ranks asked about / 512) * (Notify and Wait); the others reachability.c, in time (streams
 * asked about / 16) * (Notify and Wait); both in linear memory.
 */
#include "judge.h"
#include <ordo/arena.h>
#include <ordo/options.h>
#include <stdlib.h>
#include <string.h>

/* Whether anything is wrong but the limits that were asked for. */
static bool breaks_rules(const struct ordo_proof *proof)
{
	for (uint32_t i = 0; i < proof->nfinding; i++)
		if (proof->findings[i].rule != 13)
			return true;
	return false;
}

static bool judge_all(struct judge *judge)
{
	struct ordo_proof *proof = judge->findings.proof;
	if (!measure_memory(judge) || !judge_shape(judge))
		return false;
	if (breaks_rules(proof))
		return true;
	if (!judge_signals(judge))
		return false;
	if (breaks_rules(proof))
		return true;
	if (!judge_limits(judge) || !prepare_trees(judge) || !prepare_memory(judge) ||
		!judge_run(judge))
		return false;
	if (judge->stuck)
		return true;
	if (!judge_order(judge) || !judge_outputs(judge))
		return false;
	proof->complete = true;
	return true;
}

/* R13, as far as it is about tokens. */
static bool judge_tokens(struct judge *judge)
{
	const uint32_t allowed = judge->options->limits.tokens_in_flight,
		       found = judge->findings.proof->tokens_in_flight;
	if (!allowed || found <= allowed)
		return true;
	const struct signal *signal =
		&judge->signals.items[judge->tasks[judge->signals.fullest].link];
	return ordo_add_finding(&judge->findings, 13, &judge->signals.fullest, 1,
		"a Wait by the notifying stream for an acknowledgement would hold it back",
		"signal %u from rank %u to rank %u holds up to %u tokens, allowed are %u: that "
		"many Notify up to\n  %s\n"
		"  may come before the Wait that takes the first",
		signal->number, signal->from, signal->to, found, allowed,
		where_is(judge, judge->signals.fullest).text);
}

/* Findings in the order of their rules; of one rule, as they were found. Few: at most
 * max_findings. */
static void sort_findings(struct ordo_proof *proof)
{
	for (uint32_t i = 1; i < proof->nfinding; i++) {
		struct ordo_finding finding = proof->findings[i];
		uint32_t j = i;
		for (; j > 0 && proof->findings[j - 1].rule > finding.rule; j--)
			proof->findings[j] = proof->findings[j - 1];
		proof->findings[j] = finding;
	}
}

static void free_judge(struct judge *judge)
{
	ordo_reach_destroy(judge->passing);
	free(judge->tasks);
	free(judge->signals.items);
	free(judge->signals.notifies);
	free(judge->signals.waits);
	free(judge->syncs.items);
	near_free(&judge->syncs.of);
	free(judge->touches.items);
	near_free(&judge->touches.of);
	free(judge->recent);
	free(judge->memory.cells_of);
	free(judge->memory.cells);
	free(judge->memory.groups);
	free(judge->memory.items);
	free(judge->chains.items);
	free(judge->queries.order);
	free(judge->queries.items);
	growth_free(&judge->growth);
	free(judge->chunk_rank);
}

/* What is left to say once all rules were asked. */
static bool conclude(struct judge *judge)
{
	struct ordo_proof *proof = judge->findings.proof;
	sort_findings(proof);
	proof->run_to_run = proof->rank_equal = proof->position_invariant = ORDO_NOT_ASKED;
	proof->proved = proof->complete && !proof->nfinding;
	memcpy(proof->unordered, judge->unordered, sizeof proof->unordered);
	if (proof->proved)
		return judge_guarantees(judge);
	free(proof->chunk_tree);
	proof->chunk_tree = NULL;
	return true;
}

static struct ordo_proof *verify(const struct ordo_schedule *schedule,
	const struct ordo_verify_options *options, struct ordo_error *error)
{
	static const struct ordo_verify_options nothing_asked;
	struct ordo_proof *proof = calloc(1, sizeof *proof);
	struct judge judge = {.schedule = schedule,
		.options = options ? options : &nothing_asked,
		.findings = {.proof = proof, .error = error},
		.signals = {.fullest = ORDO_NONE},
		.unequal = {.chunk = ORDO_NONE},
		.unordered = {ORDO_NONE, ORDO_NONE}};
	judge.findings.max = judge.options->max_findings ? judge.options->max_findings : 16;
	judge.tasks = ordo_array_make((size_t)schedule->ntask + 1, sizeof *judge.tasks, 0);
	bool worked = false;
	if (proof && judge.tasks)
		worked = judge_all(&judge) && judge_tokens(&judge) && conclude(&judge);
	else
		ordo_fail_memory(error);
	free_judge(&judge);
	if (worked)
		return proof;
	ordo_proof_destroy(proof);
	return NULL;
}

struct ordo_proof *ordo_verify_sized(size_t size, const struct ordo_schedule *schedule,
	const struct ordo_verify_options *options, struct ordo_error *error)
{
	struct ordo_verify_options own;
	return ordo_options_take(&own, sizeof own, options, size, error)
		       ? verify(schedule, &own, error)
		       : NULL;
}

struct ordo_proof *(ordo_verify)(const struct ordo_schedule *schedule,
	const struct ordo_verify_options *options, struct ordo_error *error)
{
	return ordo_verify_sized(
		ORDO_UP_TO(ordo_verify_options, closure), schedule, options, error);
}

void ordo_proof_destroy(struct ordo_proof *proof)
{
	if (!proof)
		return;
	free(proof->findings);
	free(proof->trees.nodes);
	free(proof->trees.same);
	free(proof->copies);
	free(proof->chunk_tree);
	ordo_arena_free(&proof->arena);
	free(proof);
}
