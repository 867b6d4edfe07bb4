/* witnessing.c - replays of what the verifier found, carried out on the runtime. */
#include "witnessing.h"

#include "check/observed_run.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_FINDINGS = 4 };

static const struct values VALUES = {7, ORDO_F32, ORDO_SUM};

/* The verifier promised: R7 that it is stuck, R8 and R9 that both orders can be had, adjacent. */
static bool keeps_promise(
	const struct ordo_replay *replay, const struct observed_run *run, uint32_t which)
{
	const int rule = atoi(replay->shows + 1);
	if (!run->completed && run->error.code != ORDO_REFUTED)
		return false;
	if (rule == 7)
		return !run->completed;
	if (rule == 8 && replay->ntask == 2)
		return run->completed &&
		       run->observations[which].step + 1 == run->observations[!which].step;
	return rule == 6 || run->completed;
}

static bool shows(const struct observed_run *run)
{
	return !run->completed || run->wrong.count || run->left_over.nsignal;
}

static enum witnessed carry_out(const struct ordo_schedule *schedule,
	const struct ordo_replay *replay, uint64_t count, char why[512])
{
	struct observed_run runs[2] = {{.outputs = NULL}, {.outputs = NULL}};
	struct ordo_error error;
	enum witnessed witnessed = UNSEEN;
	const struct replay_data data = {VALUES, count, NULL};
	for (uint32_t i = 0; i < replay->ninterleaving && witnessed != NO_WITNESS; i++) {
		if (!observe_run(&runs[i], schedule, replay, i, &data, &error)) {
			snprintf(why, 512, "%s: %.400s", replay->shows, error.text);
			witnessed = NO_WITNESS;
		} else if (!keeps_promise(replay, &runs[i], i)) {
			snprintf(why, 512, "%s: interleaving %u: %.400s", replay->shows, i + 1,
				runs[i].completed ? "went to its end" : runs[i].error.text);
			witnessed = NO_WITNESS;
		} else if (shows(&runs[i])) {
			witnessed = SHOWN;
		}
	}
	if (witnessed == UNSEEN && replay->ninterleaving == 2 &&
		compare_observed_runs(schedule, replay, runs, &data).count)
		witnessed = SHOWN;
	close_observed_run(&runs[0]);
	close_observed_run(&runs[1]);
	return witnessed;
}

static enum witnessed witness_finding(
	const struct ordo_schedule *schedule, const struct ordo_finding *finding, char why[512])
{
	struct ordo_error error;
	struct ordo_replay *replay = ordo_replay_of_finding(schedule, finding, &error);
	if (!replay) {
		snprintf(why, 512, "R%d: %.400s", finding->rule, error.text);
		return NO_WITNESS;
	}
	const uint64_t count = 8 * (uint64_t)schedule->problem.chunks_per_block;
	enum witnessed witnessed = carry_out(schedule, replay, count, why);
	/* A wrong chunk id shows where chunks differ in length; but then a plan may refuse the
	 * schedule. */
	if (witnessed == UNSEEN && carry_out(schedule, replay, count + 3, why) == SHOWN)
		witnessed = SHOWN;
	ordo_replay_destroy(replay);
	return witnessed;
}

enum witnessed witness(const struct ordo_schedule *schedule, char why[512])
{
	struct ordo_proof *proof = ordo_verify(schedule, NULL, NULL);
	enum witnessed witnessed = UNSEEN;
	if (!proof || !proof->nfinding || proof->findings[0].rule < 6)
		witnessed = NOTHING_RUNS;
	for (uint32_t i = 0; witnessed == UNSEEN && i < proof->nfinding && i < MOST_FINDINGS; i++)
		witnessed = witness_finding(schedule, &proof->findings[i], why);
	ordo_proof_destroy(proof);
	return witnessed;
}
