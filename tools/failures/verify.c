/* verify.c - `ordo verify` of a failure set: every schedule on the topology of its state, and the
 * table that the set has of them. */
#include "base/progress.h"
#include "failures.h"
#include "report/proof.h"
#include <inttypes.h>
#include <string.h>

/* A number of the table that is wrong, at its state in the set. */
static bool refuse_table(struct call *call, const struct ordo_failure_set *set,
	const struct ordo_failure_state *state, const char *key, const char *found,
	const char *wanted)
{
	struct ordo_error error;
	ordo_fail(&error, ORDO_REFUTED, 1, "%s: found %s, but it is %s", key, found, wanted);
	snprintf(error.file, sizeof error.file, "%s", set->file);
	error.line = state->place.line;
	error.column = state->place.column;
	return refuse_error(call, &error);
}

static bool check_bound(struct call *call, const struct ordo_failure_set *set,
	const struct ordo_failure_state *state, const struct ordo_topology *topology)
{
	struct ordo_failure_state own = {0};
	char found[100], wanted[100];
	if (!find_bound(call, &set->problem, topology, &own))
		return false;
	snprintf(found, sizeof found, "%" PRIu64 "/%" PRIu64 " n/b, bandwidth_gbs %.17g",
		state->numerator, state->denominator, state->bandwidth_gbs);
	snprintf(wanted, sizeof wanted, "%" PRIu64 "/%" PRIu64 " n/b, bandwidth_gbs %.17g",
		own.numerator, own.denominator, own.bandwidth_gbs);
	return !strcmp(found, wanted) || refuse_table(call, set, state, "bound", found, wanted);
}

static bool check_proof(struct call *call, const struct failures_question *question,
	const struct ordo_failure_set *set, const struct ordo_failure_state *state,
	const struct ordo_schedule *schedule, const struct ordo_proof *proof)
{
	struct ordo_error error;
	struct conditions conditions = *question->conditions;
	if (!proof->proved) {
		const struct report errors = report_of(call, stderr);
		report_proof(&errors, schedule, proof);
		note(call, "refuted with the link %" PRId64 "-%" PRId64 " down",
			state->a == ORDO_NONE ? -1 : (int64_t)state->a,
			state->a == ORDO_NONE ? -1 : (int64_t)state->b);
		return refuse(call, ORDO_REFUTED);
	}
	if (strcmp(proof->digest, state->order_digest) != 0)
		return refuse_table(
			call, set, state, "order_digest", state->order_digest, proof->digest);
	return !has_conditions(&conditions) ||
	       meets_conditions(schedule, proof, &conditions, &error) || refuse_error(call, &error);
}

/* A state without a schedule: no schedule is possible. */
static bool check_none(struct call *call, const struct ordo_failure_set *set,
	const struct ordo_failure_state *state, const struct ordo_topology *topology)
{
	return cuts_off_ranks(topology) ||
	       refuse_table(call, set, state, "schedule", "null", "possible: no rank is cut off");
}

static bool verify_state(struct call *call, const struct failures_question *question,
	const struct ordo_failure_set *set, const struct ordo_failure_state *state,
	const struct ordo_topology *whole)
{
	struct ordo_error error;
	struct ordo_verify_options options = question->options;
	struct ordo_topology *topology = fail_state(call, whole, state->a, state->b);
	if (!state->schedule) {
		const bool right = topology && check_none(call, set, state, topology);
		ordo_topology_destroy(topology);
		return right;
	}
	struct ordo_schedule *schedule =
		topology ? ordo_failure_set_open(set, (uint32_t)(state - set->states), NULL, &error)
			 : NULL;
	if (topology)
		schedule = tame_schedule(call, schedule, &error);
	options.topology = topology;
	struct ordo_proof *proof = schedule ? prove(call, schedule, &options) : NULL;
	const bool worked = proof && check_proof(call, question, set, state, schedule, proof) &&
			    check_bound(call, set, state, topology);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
	ordo_topology_destroy(topology);
	return worked;
}

int verify_failures(struct call *call, const struct failures_question *question)
{
	struct ordo_error error;
	struct ordo_failure_set *set = open_failures(call, question->path);
	struct ordo_topology *topology = set ? ordo_failure_set_topology(set, &error) : NULL;
	bool worked = topology;
	if (set && !topology)
		refuse_error(call, &error);
	for (uint32_t i = 0; worked && i < set->nstate; i++)
		worked = verify_state(call, question, set, &set->states[i], topology);
	const struct report report = report_of(call, stdout);
	if (set && topology)
		report_members(&report, "%d<proved?>", worked);
	if (worked) {
		report_text(&report, "%s: %sproved%s\n  ", question->path,
			paint(report.text, GREEN), paint(report.text, PLAIN));
		report_states(&report, set, "");
		report_line(&report, "rules",
			"R1-R12 hold in every interleaving of every schedule%s",
			question->options.through_ranks ? "; ranks forward data" : "");
	}
	ordo_topology_destroy(topology);
	ordo_failure_set_destroy(set);
	return worked ? ORDO_OK : call->status;
}
