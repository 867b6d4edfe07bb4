/* schedule.c - a schedule in words: its moves, its sums, and why it is correct. */
#include "cli/inputs.h"
#include "explain.h"
#include "report/proof.h"
#include <ordo/detail/schedules.h>
#include <stdlib.h>

/* The tasks of one phase, counted. */
struct phase_sum {
	uint32_t kinds[ORDO_NTASK_KIND];
	uint64_t chunks_sent;
	uint32_t example; /* the first Send or SendReduce, or another move; ORDO_NONE */
};

static void add_task(struct phase_sum *sum, const struct ordo_schedule *schedule, uint32_t task_id)
{
	const struct ordo_task *task = &schedule->tasks[task_id];
	sum->kinds[task->kind]++;
	if (!ordo_task_moves(task))
		return;
	bool sends = ordo_task_crosses(task);
	if (sends)
		sum->chunks_sent += task->count;
	if (sum->example == ORDO_NONE ||
		(sends && !ordo_task_crosses(&schedule->tasks[sum->example])))
		sum->example = task_id;
}

/* [nphase + 1]; the last is for tasks without a phase. NULL: no memory. */
static struct phase_sum *sum_phases(const struct ordo_schedule *schedule)
{
	struct phase_sum *sums = calloc((size_t)schedule->nphase + 1, sizeof *sums);
	for (uint32_t i = 0; sums && i <= schedule->nphase; i++)
		sums[i].example = ORDO_NONE;
	for (uint32_t t = 0; sums && t < schedule->ntask; t++) {
		uint32_t phase = schedule->tasks[t].phase;
		add_task(&sums[phase == ORDO_NO_PHASE ? schedule->nphase : phase], schedule, t);
	}
	return sums;
}

static void say_phase(struct call *call, const struct ordo_schedule *schedule, const char *name,
	const struct phase_sum *sum, cJSON *list)
{
	char example[256] = "";
	cJSON *one = cJSON_CreateObject(), *kinds = cJSON_AddObjectToObject(one, "tasks");
	add_text(one, "phase", name);
	say(call, "  %-12s", name ? name : "(no phase)");
	for (int kind = 0; kind < ORDO_NTASK_KIND; kind++) {
		const char *kind_name = ordo_task_kind_name((enum ordo_task_kind)kind);
		add_count(kinds, kind_name, sum->kinds[kind]);
		if (sum->kinds[kind])
			say(call, " %u %s,", sum->kinds[kind], kind_name);
	}
	say(call, " %llu chunk%s sent", (unsigned long long)sum->chunks_sent,
		sum->chunks_sent == 1 ? "" : "s");
	add_count(one, "chunks_sent", sum->chunks_sent);
	if (sum->example != ORDO_NONE) {
		uint32_t rank = schedule->streams[ordo_stream_of(schedule, sum->example)].rank;
		ordo_task_print(&schedule->tasks[sum->example], example, sizeof example);
		say(call, "; rank %u: %s", rank, example);
		add_text(one, "example", example);
	}
	say(call, "\n");
	cJSON_AddItemToArray(list, one);
}

static bool say_phases(struct call *call, const struct ordo_schedule *schedule)
{
	struct phase_sum *sums = sum_phases(schedule);
	if (!sums)
		return false;
	cJSON *list = cJSON_AddArrayToObject(call->answer, "phases");
	say(call, "\n%swhat moves%s (all ranks together, and the first move of each phase)\n",
		paint(stdout, BOLD), paint(stdout, PLAIN));
	for (uint32_t i = 0; i <= schedule->nphase; i++) {
		uint32_t total = 0;
		for (int kind = 0; kind < ORDO_NTASK_KIND; kind++)
			total += sums[i].kinds[kind];
		if (total)
			say_phase(call, schedule, i < schedule->nphase ? schedule->phases[i] : NULL,
				&sums[i], list);
	}
	free(sums);
	if (schedule->vias) {
		say(call,
			"  %u of %u streams name the switches that their data goes over (via); "
			"no bit depends on it\n",
			ordo_count_vias(schedule), schedule->nstream);
		add_count(call->answer, "vias", ordo_count_vias(schedule));
	}
	return true;
}

static void say_shards(const struct ordo_problem *problem)
{
	if (problem->nshard == problem->nrank)
		return;
	printf("the vectors are virtual shards 0..%u, numbered independently of the rank that has "
	       "them: rank r has those from floor(%u r/%u) up to the next rank's\n",
		problem->nshard - 1, problem->nshard, problem->nrank);
}

enum { MOST_LEAVES = 64 };

/* The first chunk of each distinct tree, at most `most`. */
static void say_trees(struct call *call, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, uint32_t most)
{
	struct ordo_arena arena = {0};
	bool *seen = calloc((size_t)proof->trees.nnode + 1, sizeof *seen);
	uint32_t shown = 0;
	cJSON *list = cJSON_AddArrayToObject(call->answer, "trees");
	say(call,
		"\n%swhich sums are made%s (numbers are %s; a chunk's bits follow from its tree)\n",
		paint(stdout, BOLD), paint(stdout, PLAIN),
		schedule->problem.nshard == schedule->problem.nrank ? "ranks" : "shards");
	for (uint32_t chunk = 0; seen && chunk < ordo_nchunk(&schedule->problem) && shown < most;
		chunk++) {
		uint32_t tree = proof->chunk_tree[chunk];
		if (tree >= proof->trees.nnode || seen[tree])
			continue;
		const char *text = ordo_tree_print(&arena, &proof->trees, tree, MOST_LEAVES);
		cJSON *one = cJSON_CreateObject();
		seen[tree] = true;
		shown++;
		add_count(one, "chunk", chunk);
		add_text(one, "tree", text);
		cJSON_AddItemToArray(list, one);
		say(call, "  chunk %-6u %s\n", chunk, text ? text : "?");
	}
	if (shown < proof->ndistinct)
		say(call, "  ... and %u more; --trees N shows more\n", proof->ndistinct - shown);
	free(seen);
	ordo_arena_free(&arena);
}

static void say_soundness(
	struct call *call, const struct ordo_schedule *schedule, const struct ordo_proof *proof)
{
	struct task_counts counts = count_tasks(schedule);
	say(call, "\n%swhy it is sound%s\n", paint(stdout, BOLD), paint(stdout, PLAIN));
	say(call,
		"  Each of its %u signals has one stream that notifies and one that waits (R5), as "
		"often (R6): the j-th Wait\n"
		"  always takes the j-th Notify, so the %u pairs order the streams the same way in "
		"every run.\n"
		"  One run ends, so every run ends (R7).\n"
		"  Every two accesses of one slot, one of them a write, are ordered, with a rank's "
		"entering and leaving (R8, R9):\n"
		"  so every run computes the same values, and one evaluation stands for all.\n",
		proof->nsignal, counts.notify);
	if (proof->contents_unjudged)
		say(call, "  It reads nothing undefined (R10). Nothing says what its output slots "
			  "should hold, so R11 was not checked.\n");
	else
		say(call,
			"  It reads nothing undefined (R10), and every output slot holds what %s "
			"requires (R11).\n",
			ordo_operator_facts(schedule->problem.op)->name);
}

static int report_explanation(struct call *call, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, uint32_t trees)
{
	const struct report report = report_of(call, stdout), errors = report_of(call, stderr);
	const struct ordo_operator_facts *facts = ordo_operator_facts(schedule->problem.op);
	report_schedule(&report, schedule);
	report_text(&report, "%s\n", facts->meaning);
	if (!call->json)
		say_shards(&schedule->problem);
	if (!say_phases(call, schedule)) {
		refuse_memory(call);
		return call->status;
	}
	if (!proof->proved)
		say(call, "\n%sit is not sound%s\n", paint(stdout, RED), paint(stdout, PLAIN));
	report_proof(&errors, schedule, proof);
	if (!proof->proved)
		return ORDO_REFUTED;
	if (facts->reduces)
		say_trees(call, schedule, proof, trees);
	say_soundness(call, schedule, proof);
	const struct arithmetic sums = usual_sums(&schedule->problem);
	return check_and_report_guarantees(call, &sums, schedule, proof) ? ORDO_OK : call->status;
}

int explain_schedule(struct call *call, const char *path, uint32_t trees)
{
	const struct ordo_verify_options options = {.max_findings = 0};
	struct ordo_schedule *schedule = open_compiled(call, path);
	struct ordo_proof *proof = schedule ? prove(call, schedule, &options) : NULL;
	int status = proof ? report_explanation(call, schedule, proof, trees) : call->status;
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
	return status;
}
