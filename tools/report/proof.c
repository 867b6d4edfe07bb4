/* proof.c - what a proof says, in words and in JSON. */
#include "proof.h"
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

void add_schedule(cJSON *answer, const struct ordo_schedule *schedule)
{
	const struct ordo_problem *problem = &schedule->problem;
	struct task_counts counts = count_tasks(schedule);
	add_text(answer, "operator", ordo_operator_facts(problem->op)->name);
	add_text(answer, "algorithm", schedule->algorithm);
	add_count(answer, "ranks", problem->nrank);
	if (ordo_operator_facts(problem->op)->rooted)
		add_count(answer, "root", problem->root);
	if (problem->nshard != problem->nrank)
		add_count(answer, "shards", problem->nshard);
	add_count(answer, "chunks_per_block", problem->chunks_per_block);
	add_count(answer, "chunks", ordo_nchunk(problem));
	add_count(answer, "scratch_slots", schedule->scratch_slots);
	add_truth(answer, "in_place", problem->in_place);
	if (problem->accumulate_f32)
		add_text(answer, "accumulate", "f32");
	add_text(answer, "topology", schedule->topology_name);
	add_count(answer, "streams", schedule->nstream);
	add_count(answer, "tasks", schedule->ntask);
	add_count(answer, "moves", counts.move);
	add_count(answer, "notifies", counts.notify);
	add_count(answer, "waits", counts.wait);
}

static cJSON *finding_json(const struct ordo_schedule *schedule, const struct ordo_finding *finding)
{
	struct ordo_error error;
	char where[512];
	ordo_finding_error(schedule, finding, &error);
	cJSON *one = error_json(&error);
	cJSON *tasks = cJSON_AddArrayToObject(one, "tasks");
	for (uint32_t i = 0; i < finding->ntask; i++) {
		ordo_task_locate(schedule, finding->tasks[i], where, sizeof where);
		cJSON_AddItemToArray(tasks, cJSON_CreateString(where));
	}
	return one;
}

void add_proof(cJSON *answer, const struct ordo_schedule *schedule, const struct ordo_proof *proof)
{
	add_truth(answer, "proved", proof->proved);
	cJSON *findings = cJSON_AddArrayToObject(answer, "findings");
	for (uint32_t i = 0; i < proof->nfinding; i++)
		cJSON_AddItemToArray(findings, finding_json(schedule, &proof->findings[i]));
	if (!proof->proved)
		return;
	add_count(answer, "distinct_orders", proof->ndistinct);
	add_text(answer, "order_digest", proof->digest[0] ? proof->digest : NULL);
	add_count(answer, "signals", proof->nsignal);
	add_count(answer, "tokens_in_flight", proof->tokens_in_flight);
}

void print_schedule_line(FILE *out, const struct ordo_schedule *schedule)
{
	const struct ordo_problem *problem = &schedule->problem;
	const struct ordo_operator_facts *facts = ordo_operator_facts(problem->op);
	struct task_counts counts = count_tasks(schedule);
	fprintf(out, "%s%s on %u rank%s by %s", facts->name, problem->in_place ? " in place" : "",
		problem->nrank, problem->nrank == 1 ? "" : "s", schedule->algorithm);
	if (facts->rooted)
		fprintf(out, ", root %u", problem->root);
	if (problem->nshard != problem->nrank)
		fprintf(out, ", %u shards", problem->nshard);
	if (problem->accumulate_f32)
		fprintf(out, ", accumulates in f32");
	fprintf(out, ": %u task%s in %u stream%s, %u move%s and %u notify-wait pair%s\n",
		schedule->ntask, schedule->ntask == 1 ? "" : "s", schedule->nstream,
		schedule->nstream == 1 ? "" : "s", counts.move, counts.move == 1 ? "" : "s",
		counts.notify, counts.notify == 1 ? "" : "s");
}

void print_rules(FILE *out, const struct ordo_limits *limits, bool topology, bool through_ranks)
{
	const bool limited = limits->streams || limits->scratch_slots || limits->signals ||
			     limits->tokens_in_flight;
	fprintf(out, "  %-23s R1-R%s%s hold in every interleaving%s\n", "rules",
		topology ? "12" : "11", limited ? ", R13" : "",
		!topology	? "; R12 asks for --topology"
		: through_ranks ? "; ranks pass on what is not for them"
				: "");
}

void print_guarantees(FILE *out, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, const struct judgements *judgements)
{
	print_judgements(out, judgements);
	/* Without a digest no order is fixed, and there is nothing to count. */
	if (ordo_operator_facts(schedule->problem.op)->reduces && proof->digest[0])
		fprintf(out, "  %-23s %u%s over %u chunk%s\n", "orders", proof->ndistinct,
			proof->ndistinct == 1 ? "" : " different", ordo_nchunk(&schedule->problem),
			ordo_nchunk(&schedule->problem) == 1 ? "" : "s");
	fprintf(out, "  %-23s %s\n", "order digest",
		proof->digest[0]			  ? proof->digest
		: proof->rank_equal == ORDO_DOES_NOT_HOLD ? "none: the ranks' copies differ"
							  : "none: the order is not fixed");
	if (proof->tokens_in_flight || !proof->nsignal)
		fprintf(out, "  %-23s %u, at most %u token%s in flight on each\n", "signals",
			proof->nsignal, proof->tokens_in_flight,
			proof->tokens_in_flight == 1 ? "" : "s");
	else
		fprintf(out, "  %-23s %u; tokens in flight are counted if --max-tokens asks\n",
			"signals", proof->nsignal);
	fprintf(out, "  %-23s %u slot%s on every rank\n", "scratch", schedule->scratch_slots,
		schedule->scratch_slots == 1 ? "" : "s");
}

bool tell_guarantees(struct call *call, const struct arithmetic *arithmetic,
	const struct ordo_schedule *schedule, const struct ordo_proof *proof)
{
	struct judgements judgements;
	const bool judged =
		make_judgements(call, arithmetic, &schedule->problem, proof, NULL, &judgements);
	if (judged)
		add_judgements(call->answer, &judgements);
	if (judged && !call->json)
		print_guarantees(stdout, schedule, proof, &judgements);
	free_judgements(&judgements);
	return judged;
}

void print_findings(FILE *out, const struct ordo_schedule *schedule, const struct ordo_proof *proof)
{
	struct ordo_error error;
	for (uint32_t i = 0; i < proof->nfinding; i++) {
		ordo_finding_error(schedule, &proof->findings[i], &error);
		print_error(out, &error);
	}
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
