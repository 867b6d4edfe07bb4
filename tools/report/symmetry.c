/* symmetry.c - proofs from one program, of documents and of programs generated on demand. */
#include "symmetry.h"
#include "base/clock.h"
#include "base/progress.h"
#include "cli/memory_limit.h"
#include "proof.h"
#include <inttypes.h>
#include <ordo/detail/generators.h>
#include <string.h>

/* Below this number of tasks a proof of all ranks is as fast as finding a symmetry, and lists the
 * trees. */
enum { FEW_TASKS = 1 << 20 };
/* A generated schedule with more tasks is too large to be gathered for a proof of all ranks. */
enum { MANY_TASKS = 1 << 25 };

bool read_symmetry_use(struct call *call, const char *text, enum symmetry_use *use)
{
	static const char *const words[] = {"auto", "off", "only"};
	for (int i = 0; i < 3; i++)
		if (!text || !strcmp(text, words[i])) {
			*use = (enum symmetry_use)i;
			return true;
		}
	call->status =
		fail_usage(call, NULL, "--symmetry: found %s, wanted auto, off or only", text);
	return false;
}

/* 1: found; 0: there is none; -1: call->status. */
static int find_symmetry(struct call *call, const struct ordo_programs *programs,
	enum ordo_compared_ranks comparison, struct symmetry_found *found)
{
	struct ordo_error error;
	struct progress progress = {0};
	struct ordo_rank_program program = {0};
	found->found = ordo_symmetry_find(
		programs, comparison, show_progress, &progress, &found->symmetry, &error);
	hide_progress(&progress);
	if (found->found && programs->give(programs, 0, &program, &error))
		found->ntask = program.ntask;
	ordo_rank_program_free(&program);
	if (error.code != ORDO_OK)
		call->status = fail(call, &error);
	return error.code != ORDO_OK ? -1 : found->found;
}

/* NULL with ORDO_UNDECIDED: this method cannot prove or refute it. */
static struct ordo_proof *prove_part(const struct ordo_programs *programs,
	const struct symmetry_found *found, const struct ordo_verify_options *options,
	struct ordo_error *error)
{
	struct progress progress = {0};
	struct ordo_verify_options wanted = *options;
	wanted.progress = show_progress;
	wanted.closure = &progress;
	struct ordo_proof *proof =
		ordo_verify_symmetric(programs, &found->symmetry, &wanted, error);
	hide_progress(&progress);
	return proof;
}

static struct ordo_proof *refuse_asymmetric(struct call *call)
{
	struct ordo_error error;
	ordo_fail(&error, ORDO_UNDECIDED, 0,
		"not every rank's program is found to be rank 0's, relabelled, and --symmetry is "
		"only");
	ordo_hint(&error, "--symmetry off proves all ranks");
	call->status = fail(call, &error);
	return NULL;
}

static struct ordo_proof *refuse_ways(struct call *call)
{
	struct ordo_error error;
	ordo_fail(&error, ORDO_UNDECIDED, 0,
		"streams name their paths over switches (via), and --symmetry is only");
	ordo_hint(&error, "--symmetry off proves all ranks");
	call->status = fail(call, &error);
	return NULL;
}

struct ordo_proof *prove_schedule(struct call *call, const struct ordo_schedule *schedule,
	const struct ordo_verify_options *options, enum symmetry_use use,
	struct symmetry_found *found)
{
	const struct ordo_programs programs = ordo_programs_of(schedule);
	struct ordo_proof *proof = NULL;
	struct ordo_error error;
	*found = (struct symmetry_found){0};
	/* Ways are of single ranks. */
	const bool names_ways = schedule->vias && options->topology;
	if (names_ways && use == SYMMETRY_ONLY)
		return refuse_ways(call);
	if (use == SYMMETRY_OFF || names_ways ||
		(use == SYMMETRY_AUTO && (schedule->ntask < FEW_TASKS || options->atomic_reduce)))
		return prove(call, schedule, options);
	const int symmetric = find_symmetry(call, &programs, ORDO_COMPARE_ALL, found);
	if (symmetric < 0)
		return NULL;
	if (!symmetric && use == SYMMETRY_ONLY)
		return refuse_asymmetric(call);
	if (symmetric)
		proof = prove_part(&programs, found, options, &error);
	if (!proof && symmetric && (use == SYMMETRY_ONLY || error.code != ORDO_UNDECIDED)) {
		call->status = fail(call, &error);
		return NULL;
	}
	if (proof && proof->proved)
		return proof;
	ordo_proof_destroy(proof);
	found->found = false;
	return prove(call, schedule, options);
}

void report_symmetry(const struct report *report, const struct symmetry_found *found)
{
	char group[128];
	if (!found->found)
		return;
	const uint32_t order = found->symmetry.group.order, ncompared = found->symmetry.ncompared;
	const bool all = ncompared + 1 == order;
	const struct report symmetry = report_object(report, "symmetry");
	ordo_symmetry_print(&found->symmetry.group, group, sizeof group);
	report_label(&symmetry, "symmetry");
	report_text(&symmetry, "%s<group>: proved from the %u<tasks_judged> tasks of one rank; ",
		group, found->ntask);
	if (all)
		report_text(&symmetry, "all ranks' programs compared\n");
	else
		report_text(&symmetry, "by construction, %u of %u programs compared\n", ncompared,
			order);
	report_members(&symmetry, "%u<programs_compared> %d<all_compared?>", ncompared, all);
}

/* Generated programs. */

struct generated {
	struct ordo_programs programs;
	struct ordo_schedule *head; /* the problem, without tasks, for reports */
	struct symmetry_found found;
	struct ordo_proof *proof;
	double finding, proving; /* seconds */
};

static void report_generated(
	const struct report *report, const struct generate_options *args, const struct generated *g)
{
	const struct ordo_problem *problem = &g->programs.problem;
	const bool proved = g->proof->proved;
	report_text(report,
		"%s: %s%s%s\n  %s<operator> on %u<ranks> ranks by %s<algorithm>, generated",
		args->algorithm, paint(report->text, proved ? GREEN : RED),
		proved ? "proved" : "refuted", paint(report->text, PLAIN),
		ordo_operator_facts(problem->op)->name, problem->nrank, g->programs.algorithm);
	report_members(report, "%u<chunks_per_block> %u<scratch_slots>", problem->chunks_per_block,
		g->programs.scratch_slots);
	if (g->found.symmetry.ntask)
		report_text(report, ": %" PRIu64 "<tasks> tasks", g->found.symmetry.ntask);
	report_text(report, "\n");
	report_symmetry(report, &g->found);
	if (proved)
		report_rules(report, &args->options.limits, args->options.topology,
			args->options.through_ranks, g->proof->contents_unjudged);
}

static void report_generated_times(const struct report *report, const struct generated *g)
{
	const struct report times = report_object(report, "seconds");
	report_line(&times, "time",
		"programs compared in %g<comparison:time>, proof in %g<proof:time>", g->finding,
		g->proving);
	report_members(report, "%" PRIu64 "<peak_bytes>", peak_bytes());
}

/* The proof of all ranks, after a refutation of the quotient. */
static struct ordo_proof *prove_gathered(
	struct call *call, const struct generate_options *args, struct generated *g)
{
	struct ordo_error error;
	ordo_schedule_destroy(g->head);
	g->head = ordo_programs_gather(&g->programs, &error);
	if (!g->head) {
		call->status = fail(call, &error);
		return NULL;
	}
	g->found.symmetry.ntask = g->head->ntask;
	return prove(call, g->head, &args->options);
}

static struct ordo_proof *prove_generated(
	struct call *call, const struct generate_options *args, struct generated *g)
{
	struct ordo_error error;
	double began = clock_seconds();
	const int symmetric = find_symmetry(call, &g->programs,
		args->trust ? ORDO_COMPARE_GENERATORS : ORDO_COMPARE_ALL, &g->found);
	g->finding = clock_seconds() - began;
	if (symmetric <= 0)
		return symmetric ? NULL : refuse_asymmetric(call);
	struct ordo_proof *proof = prove_part(&g->programs, &g->found, &args->options, &error);
	if (!proof)
		call->status = fail(call, &error);
	if (!proof || proof->proved || !g->found.symmetry.ntask ||
		g->found.symmetry.ntask > MANY_TASKS)
		return proof;
	ordo_proof_destroy(proof);
	g->found.found = false;
	return prove_gathered(call, args, g);
}

static int prove_and_report(
	struct call *call, const struct generate_options *args, struct generated *g)
{
	const struct report report = report_of(call, stdout), errors = report_of(call, stderr);
	double began = clock_seconds();
	g->proof = args->use == SYMMETRY_OFF ? prove_gathered(call, args, g)
					     : prove_generated(call, args, g);
	g->proving = clock_seconds() - began - g->finding;
	if (!g->proof)
		return call->status;
	report_proof(&errors, g->head, g->proof);
	report_generated(&report, args, g);
	if (g->proof->proved &&
		!check_and_report_guarantees(call, &args->arithmetic, g->head, g->proof))
		return call->status;
	report_generated_times(&report, g);
	return g->proof->proved ? ORDO_OK : ORDO_REFUTED;
}

int verify_generated(struct call *call, const struct generate_options *args)
{
	struct generated g = {0};
	struct ordo_error error;
	struct ordo_problem problem = {
		.op = ORDO_ALLREDUCE, .nrank = args->ranks, .nshard = args->ranks};
	if (!args->ranks)
		return fail_usage(call, NULL, "--generate needs --ranks");
	if (args->operator&& !ordo_operator_from_typed(args->operator, & problem.op))
		return fail_usage(call, "`ordo list operators` lists them",
			"--operator: found %s, wanted one of the eight", args->operator);
	if (!ordo_generate(args->algorithm, &problem, &g.programs, &error))
		return fail(call, &error);
	g.head = ordo_schedule_create(&g.programs.problem, g.programs.algorithm, &error);
	if (!g.head)
		return fail(call, &error);
	g.head->scratch_slots = g.programs.scratch_slots;
	const int status = prove_and_report(call, args, &g);
	ordo_proof_destroy(g.proof);
	ordo_schedule_destroy(g.head);
	return status;
}
