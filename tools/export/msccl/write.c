/* write.c - tries with fused steps, then without, and judges what comes back from the import. */
#include "write.h"
#include "arrange.h"
#include "msccl/lower.h"
#include "print.h"
#include <inttypes.h>
#include <ordo/detail/fail.h>
#include <ordo/verify.h>
#include <stdlib.h>
#include <string.h>

/* One way to write the schedule, as it comes back. */
struct attempt {
	char *text; /* NULL: not tried */
	struct msccl_program *program;
	struct msccl_links links;
	struct msccl_capacity capacity;
	uint32_t nfused;
	bool is_taken; /* by the runtime */
};

static void close_attempt(struct attempt *attempt)
{
	msccl_links_close(&attempt->links);
	msccl_destroy(attempt->program);
	free(attempt->text);
}

static bool refuse(struct ordo_error *error, const char *what, const char *why)
{
	return ordo_fail(error, ORDO_UNDECIDED, 0, "%s: %s", what, why);
}

static bool check_problem(
	const struct ordo_schedule *schedule, enum msccl_runtime runtime, struct ordo_error *error)
{
	const struct ordo_problem *problem = &schedule->problem;
	if (!msccl_collective_name(problem->op, runtime))
		return refuse(error, ordo_operator_facts(problem->op)->name,
			"no file of MSCCL says what its results are, so nobody could judge it");
	if (problem->nshard != problem->nrank)
		return refuse(error, "virtual shards", "MSCCL has none");
	if (problem->accumulate)
		return refuse(error, "sums accumulated in another form",
			"MSCCL adds in the type of the call");
	return true;
}

/* What a size allows comes first, then fewer steps. */
static bool is_better(const struct attempt *a, const struct attempt *b)
{
	if (!b->text || a->is_taken != b->is_taken)
		return !b->text || a->is_taken;
	return a->capacity.safe_bytes > b->capacity.safe_bytes;
}

static bool read_back(struct attempt *attempt, struct ordo_error *error)
{
	attempt->program = msccl_read_text(attempt->text, strlen(attempt->text), "the file", error);
	return attempt->program && msccl_link(&attempt->links, attempt->program, error);
}

static bool attempt_export(struct attempt *attempt, const struct msccl_events *events,
	const struct msccl_export *options, bool fuses, struct ordo_error *error)
{
	struct msccl_arrangement a;
	char text[128];
	const bool chains =
		options->runtime != MSCCL_MICROSOFT || options->protocol != MSCCL_SIMPLE;
	*attempt = (struct attempt){0};
	bool worked = msccl_arrange(&a, events, fuses, chains,
		msccl_most_blocks(options->runtime, events->nchannel), error);
	for (uint32_t s = 0; worked && s < a.nstep; s++)
		attempt->nfused += a.steps[s].send != ORDO_NONE;
	if (worked) {
		attempt->text = msccl_print(&a, options, UINT64_MAX);
		worked = attempt->text || ordo_fail_memory(error);
	}
	msccl_arrangement_close(&a);
	worked = worked && read_back(attempt, error) &&
		 msccl_find_capacity(attempt->program, &attempt->links, &attempt->capacity, error);
	attempt->is_taken = worked && !msccl_refusal(attempt->program, options->runtime, text) &&
			    attempt->capacity.safe_bytes;
	if (!worked)
		close_attempt(attempt);
	return worked;
}

static bool has_rule(const struct ordo_proof *proof, int rule)
{
	for (uint32_t i = 0; i < proof->nfinding; i++)
		if (proof->findings[i].rule == rule)
			return true;
	return false;
}

/* The file as a schedule again. digest: NULL: only whether it ends with the slots of the protocol.
 */
static bool judge_lowered(const struct attempt *attempt, const struct ordo_problem *problem,
	const char *digest, struct ordo_error *error)
{
	const struct msccl_options options = {.slots = digest ? 0 : attempt->capacity.slots,
		.in_place = problem->in_place,
		.root = problem->root};
	struct ordo_schedule *schedule =
		msccl_lower(attempt->program, &attempt->links, &options, error);
	struct ordo_proof *proof = schedule ? ordo_verify(schedule, NULL, error) : NULL;
	const bool right = proof && (digest ? proof->proved && !strcmp(proof->digest, digest)
					    : !has_rule(proof, 7));
	if (proof && !right)
		ordo_fail(error, ORDO_UNDECIDED, 0, "the file is not the schedule: %s",
			proof->nfinding ? proof->findings[0].text : "its order is another");
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
	return right;
}

static bool judge(const struct attempt *attempt, const struct ordo_problem *problem,
	const char *digest, const struct msccl_export *options, struct ordo_error *error)
{
	char text[128];
	const char *refusal = msccl_refusal(attempt->program, options->runtime, text);
	if (refusal)
		return ordo_fail(error, ORDO_UNDECIDED, 0, "%s would ignore the file: %s",
			msccl_runtime_names[options->runtime], refusal);
	if (!attempt->capacity.safe_bytes)
		return refuse(error, "the slots of the protocol", "the file would hang with them");
	if (options->most_bytes && options->most_bytes > attempt->capacity.safe_bytes)
		return ordo_fail(error, ORDO_UNDECIDED, 0,
			"it would hang above %" PRIu64 " bytes, wanted up to %" PRIu64,
			attempt->capacity.safe_bytes, options->most_bytes);
	if (attempt->program->nwarning)
		return refuse(error, "runtimes take the file otherwise than it looks",
			attempt->program->warnings[0].text);
	return judge_lowered(attempt, problem, digest, error) &&
	       judge_lowered(attempt, problem, NULL, error);
}

/* Once more, with its largest size. */
static char *print_final(const struct msccl_events *events, const struct msccl_export *options,
	const struct attempt *attempt, struct msccl_exported *exported, struct ordo_error *error)
{
	struct msccl_arrangement a;
	const bool chains =
		options->runtime != MSCCL_MICROSOFT || options->protocol != MSCCL_SIMPLE;
	char *text = NULL;
	*exported = (struct msccl_exported){.nstep = attempt->program->nstep,
		.nfused = attempt->nfused,
		.nblock = attempt->program->nblock,
		.nchannel = attempt->program->nchannel,
		.most_bytes =
			options->most_bytes ? options->most_bytes : attempt->capacity.safe_bytes,
		.capacity = attempt->capacity};
	if (msccl_arrange(&a, events, attempt->nfused > 0, chains,
		    msccl_most_blocks(options->runtime, events->nchannel), error)) {
		text = msccl_print(&a, options, exported->most_bytes);
		if (!text)
			ordo_fail_memory(error);
	}
	msccl_arrangement_close(&a);
	return text;
}

char *msccl_export(const struct ordo_schedule *schedule, const char *digest,
	const struct msccl_export *options, struct msccl_exported *exported,
	struct ordo_error *error)
{
	struct msccl_events events = {0};
	struct attempt best = {0}, other;
	char *text = NULL;
	bool worked =
		check_problem(schedule, options->runtime, error) &&
		msccl_events_open(&events, schedule, msccl_most_steps(options->runtime), error);
	for (int fuses = 1; worked && fuses >= 0; fuses--) {
		worked = attempt_export(&other, &events, options, fuses, error);
		if (!worked)
			break;
		const bool better = is_better(&other, &best);
		close_attempt(better ? &best : &other);
		best = better ? other : best;
		if (best.is_taken && best.capacity.safe_bytes == UINT64_MAX)
			break;
	}
	if (worked && judge(&best, &schedule->problem, digest, options, error))
		text = print_final(&events, options, &best, exported, error);
	close_attempt(&best);
	msccl_events_close(&events);
	return text;
}
