/* verify.c - the verifier: proves all executions from one run.
 *
 * Why one run proves all runs. A schedule is a Petri net: every task a transition, program order
 * and signals its places.
 *
 *  1. R5 gives every signal one waiting stream, so every place has at most one transition that
 *     takes from it: firing one task can never disable another (the net is choice-free, hence
 *     persistent). By Keller's theorem all maximal executions fire the same tasks: if one greedy
 *     run completes, every execution does, and if it deadlocks, every execution deadlocks at the
 *     same tasks (R7).
 *  2. R5 gives every signal one notifying stream too: its Notifies come in one order, its Waits in
 *     one order, and so in every execution the j-th Wait takes the j-th Notify. (Otherwise, take
 *     the first Wait of an execution that takes a different one: an earlier Wait of the same signal
 *     must have taken its own, and would be the first.) With R6 none is left over. Hence
 *     happens-before, the transitive closure of program order and of Notify j -> Wait j, is one
 *     fixed partial order, the same in every execution.
 *  3. If every two accesses to one slot of which one writes are ordered by it (R8), then every
 *     execution gives every read the value of the same write: by induction along happens-before all
 *     executions compute the same values, and the symbolic values of the one run (R10, R11) are
 *     those of every execution. It is enough to check consecutive conflicting accesses of a slot,
 *     because the rest follows: each read between two writes is checked against both.
 *  4. Entering a call is a write of all the rank's memory before all its streams, leaving one after
 *     them. If these too are ordered against all accesses by others (R9), calls may follow each
 *     other without a barrier: in B;B an access of the first call precedes its rank's leaving, that
 *     precedes the entering of the next, and that the accesses of the second. Signals are balanced
 *     within a call (R6), so tokens of one call are never taken in another, and what holds for B;B
 *     holds for B^k, and for any sequence of proved schedules.
 *  5. Tokens in flight (R13) are counted over any number of calls: passes/tokens.c has the
 *     argument, and why T + 1 calls decide a limit of T.
 *
 * The conditions are those named: R5 and R6 before 1 and 2, R7 before 3, and values are only
 * claimed when R8 holds. With --atomic-reduce two reduces into one slot may be unordered: then 3
 * holds for which contributions a slot has, not for their order, and G2 is refuted.
 *
 * Scale: every part is linear in tasks and chunks moved, except for the queries that ordering.c
 * cannot decide by certificates. passes/entry_exit.c decides those about entering and leaving, in
 * time (queried ranks / 512) * (Notify and Wait); passes/reachability.c decides the others, in time
 * (queried streams / 16) * (Notify and Wait); both in linear memory.
 */
#include "verifier.h"
#include <ordo/arena.h>
#include <ordo/options.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Is any rule broken except R13? */
static bool breaks_rules(const struct ordo_proof *proof)
{
	for (uint32_t i = 0; i < proof->nfinding; i++)
		if (proof->findings[i].rule != 13)
			return true;
	return false;
}

static bool verify_all(struct verifier *verifier)
{
	struct ordo_proof *proof = verifier->findings.proof;
	if (!ordo_measure_memory(verifier) || !ordo_verify_shape(verifier))
		return false;
	if (breaks_rules(proof))
		return true;
	if (!ordo_verify_signals(verifier))
		return false;
	if (breaks_rules(proof))
		return true;
	if (!ordo_verify_limits(verifier) || !ordo_prepare_trees(verifier) ||
		!ordo_prepare_memory(verifier) || !ordo_verify_run(verifier))
		return false;
	if (verifier->deadlocked)
		return true;
	if (!ordo_verify_order(verifier) || !ordo_verify_outputs(verifier))
		return false;
	proof->complete = true;
	return true;
}

/* R13 for tokens in flight: the text of what was found. */
static bool report_tokens(struct verifier *verifier, const char *found)
{
	const uint32_t task = verifier->signals.fullest;
	const struct ordo_signal *signal =
		&verifier->signals.table.items[verifier->tasks[task].link];
	return ordo_add_finding(&verifier->findings, 13, &task, 1,
		"a Wait by the notifying stream for an acknowledgement would hold it back; "
		"`ordo compile --max-tokens` compiles for a limit",
		"signal %u from rank %u to rank %u holds %s, wanted at most %u: that many Notify "
		"up "
		"to\n  %s\n"
		"  may come before the Wait that takes the first",
		signal->number, signal->from, signal->to, found,
		verifier->options->limits.tokens_in_flight, ordo_where_is(verifier, task).text);
}

/* R13 for tokens in flight. */
static bool verify_tokens(struct verifier *verifier)
{
	const uint32_t allowed = verifier->options->limits.tokens_in_flight,
		       found = verifier->findings.proof->tokens_in_flight;
	if (!allowed || found <= allowed)
		return true;
	char text[80] = "one token more in every call";
	if (found != ORDO_UNBOUNDED)
		snprintf(text, sizeof text, "up to %u tokens over calls back to back", found);
	return report_tokens(verifier, text);
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

static void free_verifier(struct verifier *verifier)
{
	ordo_switch_reachability_destroy(verifier->passing);
	free(verifier->tasks);
	free(verifier->signals.table.items);
	free(verifier->signals.items);
	free(verifier->signals.notifies);
	free(verifier->signals.waits);
	free(verifier->syncs.items);
	ordo_near_free(&verifier->syncs.of);
	free(verifier->touches.items);
	ordo_near_free(&verifier->touches.of);
	free(verifier->recent);
	free(verifier->memory.cells_of);
	free(verifier->memory.cells);
	free(verifier->memory.groups);
	free(verifier->memory.items);
	free(verifier->chains.items);
	free(verifier->queries.order);
	free(verifier->queries.items);
	ordo_tree_builder_free(&verifier->tree_builder);
	free(verifier->chunk_rank);
}

/* Completes the proof after all rules were checked. */
static bool conclude(struct verifier *verifier)
{
	struct ordo_proof *proof = verifier->findings.proof;
	sort_findings(proof);
	proof->run_to_run = proof->rank_equal = proof->position_invariant = ORDO_NOT_ASKED;
	proof->proved = proof->complete && !proof->nfinding;
	proof->contents_unjudged = verifier->schedule->problem.op == ORDO_CUSTOM;
	memcpy(proof->unordered, verifier->unordered, sizeof proof->unordered);
	if (proof->proved)
		return ordo_verify_guarantees(verifier);
	free(proof->chunk_tree);
	proof->chunk_tree = NULL;
	return true;
}

static struct ordo_proof *verify(const struct ordo_schedule *schedule,
	const struct ordo_verify_options *options, struct ordo_error *error)
{
	static const struct ordo_verify_options default_options;
	struct ordo_proof *proof = calloc(1, sizeof *proof);
	struct verifier verifier = {.schedule = schedule,
		.options = options ? options : &default_options,
		.findings = {.proof = proof, .error = error},
		.signals = {.fullest = ORDO_NONE},
		.unequal = {.chunk = ORDO_NONE},
		.unordered = {ORDO_NONE, ORDO_NONE}};
	verifier.findings.max =
		verifier.options->max_findings ? verifier.options->max_findings : 16;
	verifier.tasks = ordo_array_make((size_t)schedule->ntask + 1, sizeof *verifier.tasks, 0);
	bool worked = false;
	if (proof && verifier.tasks)
		worked = verify_all(&verifier) && verify_tokens(&verifier) && conclude(&verifier);
	else
		ordo_fail_memory(error);
	free_verifier(&verifier);
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
