/* failures.h - failure sets for commands: a schedule for each single link that is down. */
#ifndef ORDO_TOOLS_FAILURES_FAILURES_H
#define ORDO_TOOLS_FAILURES_FAILURES_H

#include "cli/inputs.h"
#include "cli/prediction_options.h"
#include "cli/requirements.h"
#include <ordo/detail/bound.h>
#include <ordo/failure_sets.h>
#include <ordo/verify.h>

/* Reads a set; NULL: call->status. The caller destroys it. */
struct ordo_failure_set *open_failures(struct call *call, const char *path);

/* The schedule for the links that are down, and its topology. */
struct chosen_state {
	struct ordo_schedule *schedule;
	char topology[4200]; /* the path of the set's topology, which the choice may name */
};
/* Selects from the set at `path` by --fail-link; without it, the schedule for no failure. A choice
 * that names no topology gets that of the set, by its path in `chosen`, which must live as long.
 * false: call->status. The caller destroys the schedule. */
bool choose_state(struct call *call, const char *path, struct topology_choice *choice,
	struct chosen_state *chosen);

/* The topology of a set with the link of a state down, finished. NULL: call->status. The caller
 * destroys it. */
struct ordo_topology *fail_state(
	struct call *call, const struct ordo_topology *topology, uint32_t a, uint32_t b);

/* Does some rank not reach another any more? Then no operator has a schedule, for signals must go
 * both ways. */
bool cuts_off_ranks(const struct ordo_topology *topology);

/* Fills the bound of a state. false: call->status. */
bool find_bound(struct call *call, const struct ordo_problem *problem,
	const struct ordo_topology *topology, struct ordo_failure_state *state);

/* `AllReduce on 8 ranks, full-mesh: 28 links, ...; 5 schedules` and a line for each state. */
void report_states(
	const struct report *report, const struct ordo_failure_set *set, const char *verdict);

/* `ordo verify SET`: proves every state on its topology, and checks the table. */
struct failures_question {
	const char *path;
	struct ordo_verify_options options; /* without the topology */
	const struct conditions *conditions;
};
int verify_failures(struct call *call, const struct failures_question *question);
/* `ordo list SET` */
int list_failures(struct call *call, const char *path);

/* `ordo compile ... --fail-any-link` */
struct failures_request {
	struct ordo_problem problem;
	const struct predicting *setting;
	const struct conditions *conditions; /* already read */
	const char *algorithm;		     /* NULL: the fastest */
	uint64_t bytes;
	const char *output;		    /* NULL: none */
	uint32_t max_tokens, staging_slots; /* as in a request */
};
int compile_failures(struct call *call, const struct failures_request *request);

#endif
