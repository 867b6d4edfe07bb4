/* proof.c - reports a schedule and its proof. */
#include "proof.h"
#include "base/progress.h"
#include <ordo/detail/accumulate.h>
#include <string.h>

struct task_counts count_tasks(const struct ordo_schedule *schedule)
{
	struct task_counts counts = {0};
	for (uint32_t i = 0; i < schedule->ntask; i++) {
		const struct ordo_task *task = &schedule->tasks[i];
		counts.move += ordo_task_moves(task);
		counts.notify += task->kind == ORDO_NOTIFY;
		counts.wait += task->kind == ORDO_WAIT;
	}
	return counts;
}

void report_schedule(const struct report *report, const struct ordo_schedule *schedule)
{
	const struct ordo_problem *problem = &schedule->problem;
	const struct ordo_operator_facts *facts = ordo_operator_facts(problem->op);
	const struct task_counts counts = count_tasks(schedule);
	report_members(report, "%s<operator> %s<algorithm> %u<ranks>", facts->name,
		schedule->algorithm, problem->nrank);
	report_text(report, "%s%s on %u rank%s by %s", facts->name,
		problem->in_place ? " in place" : "", problem->nrank, plural(problem->nrank),
		schedule->algorithm);
	if (facts->rooted)
		report_text(report, ", root %u<root>", problem->root);
	if (problem->nshard != problem->nrank)
		report_text(report, ", %u<shards> shards", problem->nshard);
	report_members(report, "%u<chunks_per_block> %u<chunks> %u<scratch_slots> %d<in_place?>",
		problem->chunks_per_block, ordo_nchunk(problem), schedule->scratch_slots,
		problem->in_place);
	if (problem->accumulate)
		report_text(report, ", accumulates in %s<accumulate>",
			ordo_accumulation_name(problem->accumulate));
	if (schedule->staging)
		report_text(report, ", through %u<staging_slots> slot%s of staging memory",
			schedule->scratch_slots, plural(schedule->scratch_slots));
	report_members(
		report, "%s<topology> %u<streams>", schedule->topology_name, schedule->nstream);
	report_text(report,
		": %u<tasks> task%s in %u stream%s, %u<moves> move%s and %u<notifies> notify-wait "
		"pair%s\n",
		schedule->ntask, plural(schedule->ntask), schedule->nstream,
		plural(schedule->nstream), counts.move, plural(counts.move), counts.notify,
		plural(counts.notify));
	report_members(report, "%u<waits>", counts.wait);
}

static void report_finding(const struct report *findings, const struct ordo_schedule *schedule,
	const struct ordo_finding *finding)
{
	struct ordo_error error;
	char where[512];
	ordo_finding_error(schedule, finding, &error);
	if (findings->text)
		print_error(findings->text, &error);
	const struct report one = report_item(findings);
	report_error(&one, &error);
	const struct report tasks = report_list(&one, "tasks");
	for (uint32_t i = 0; tasks.json && i < finding->ntask; i++) {
		ordo_task_locate(schedule, finding->tasks[i], where, sizeof where);
		report_members(&tasks, "%s<>", where);
	}
}

uint32_t count_more_findings(const struct more_findings *more)
{
	uint32_t count = 0;
	for (uint32_t i = 0; more->proof && i < more->proof->nfinding; i++)
		count += more->proof->findings[i].rule == more->rule;
	return count;
}

void report_proof_and(const struct report *report, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, const struct more_findings *more)
{
	const bool proved = proof->proved && !count_more_findings(more);
	report_members(report, "%d<proved?> %d<contents_judged?>",
		proved && !proof->contents_unjudged, !proof->contents_unjudged);
	const struct report findings = report_list(report, "findings");
	for (uint32_t i = 0; i < proof->nfinding; i++)
		report_finding(&findings, schedule, &proof->findings[i]);
	for (uint32_t i = 0; more->proof && i < more->proof->nfinding; i++)
		if (more->proof->findings[i].rule == more->rule)
			report_finding(&findings, more->schedule, &more->proof->findings[i]);
	if (proved)
		report_members(report, "%u<distinct_orders> %s<order_digest> %u<signals>",
			proof->ndistinct, text_or_null(proof->digest), proof->nsignal);
	if (proved && proof->tokens_in_flight == ORDO_UNBOUNDED)
		report_members(report, "%s<tokens_in_flight>", "unbounded");
	else if (proved)
		report_members(report, "%u<tokens_in_flight>", proof->tokens_in_flight);
}

void report_proof(const struct report *report, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof)
{
	report_proof_and(report, schedule, proof, &(struct more_findings){0});
}

void report_rules(const struct report *report, const struct ordo_limits *limits, bool topology,
	bool through_ranks, bool unjudged)
{
	const bool limited = limits->streams || limits->scratch_slots || limits->signals ||
			     limits->tokens_in_flight;
	report_line(report, "rules", "R1-R%s%s hold in every interleaving%s",
		unjudged   ? topology ? "10, R12" : "10"
		: topology ? "12"
			   : "11",
		limited ? ", R13" : "",
		!topology	? "; R12 needs --topology"
		: through_ranks ? "; ranks forward data"
				: "");
}

static void report_order(const struct report *report, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof)
{
	const uint32_t nchunk = ordo_nchunk(&schedule->problem);
	/* Without a digest no order is fixed, so orders are not counted. */
	if (ordo_operator_facts(schedule->problem.op)->reduces && proof->digest[0])
		report_line(report, "orders", "%u%s over %u chunk%s", proof->ndistinct,
			proof->ndistinct == 1 ? "" : " different", nchunk, plural(nchunk));
	report_line(report, "order digest", "%s",
		proof->digest[0]			  ? proof->digest
		: proof->rank_equal == ORDO_DOES_NOT_HOLD ? "none: the ranks' copies differ"
							  : "none: the order is not fixed");
}

void report_guarantees(const struct report *report, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, const struct guarantee_verdicts *verdicts)
{
	report_verdicts(report, verdicts);
	report_order(report, schedule, proof);
	if (proof->tokens_in_flight == ORDO_UNBOUNDED)
		report_line(report, "signals",
			"%u; on some, every call back to back adds tokens that none waits for "
			"first",
			proof->nsignal);
	else if (proof->tokens_in_flight || !proof->nsignal)
		report_line(report, "signals", "%u, at most %u token%s in flight on each",
			proof->nsignal, proof->tokens_in_flight, plural(proof->tokens_in_flight));
	else
		report_line(report, "signals", "%u; --max-tokens counts tokens in flight",
			proof->nsignal);
	report_line(report, "scratch", "%u slot%s on every rank", schedule->scratch_slots,
		plural(schedule->scratch_slots));
}

bool check_and_report_guarantees(struct call *call, const struct arithmetic *arithmetic,
	const struct ordo_schedule *schedule, const struct ordo_proof *proof)
{
	struct guarantee_verdicts verdicts;
	const struct report report = report_of(call, stdout);
	const bool checked =
		check_guarantees(call, arithmetic, &schedule->problem, proof, NULL, &verdicts);
	if (checked)
		report_guarantees(&report, schedule, proof, &verdicts);
	free_guarantee_verdicts(&verdicts);
	return checked;
}

struct ordo_proof *prove(struct call *call, const struct ordo_schedule *schedule,
	const struct ordo_verify_options *options)
{
	struct ordo_error error;
	struct progress progress = {0};
	struct ordo_verify_options wanted = *options;
	wanted.progress = show_progress;
	wanted.closure = &progress;
	show_progress(&progress, "proving", 0, schedule->ntask);
	struct ordo_proof *proof = ordo_verify(schedule, &wanted, &error);
	hide_progress(&progress);
	if (!proof)
		call->status = fail(call, &error);
	return proof;
}
