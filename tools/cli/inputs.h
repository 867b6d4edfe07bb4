/* inputs.h - the inputs of commands: schedules and topologies. */
#ifndef ORDO_TOOLS_CLI_INPUTS_H
#define ORDO_TOOLS_CLI_INPUTS_H

#include "options.h"
#include <ordo/schedule.h>
#include <ordo/topology.h>

/* --topology and what is down; without a name that implies a full mesh. */
struct topology_choice {
	const char *name;
	struct texts failed;   /* links, each "0-1" */
	struct texts switches; /* vertices */
	struct texts ranks;    /* gone; the others are renumbered */
};
#define TOPOLOGY_OPTIONS(choice)                                                                   \
	{"topology", 't', NAMED, &(choice).name, "T",                                              \
		"full-mesh, ring, star, ... or a file (a link between every two ranks)"},          \
		{"fail-link", 0, TEXTS, &(choice).failed, "A-B",                                   \
			"this link is down, in both directions; repeatable; alone it means a "     \
			"full mesh"},                                                              \
		{"fail-switch", 0, TEXTS, &(choice).switches, "SWITCH",                            \
			"all links of this switch are down; repeatable; numbered after the "       \
			"ranks"},                                                                  \
	{                                                                                          \
		"fail-rank", 0, TEXTS, &(choice).ranks, "RANK",                                    \
			"this rank is gone, others are renumbered; repeatable; only --order and "  \
			"map= use new numbers"                                                     \
	}

#define ROUTE_OPTION(through_ranks)                                                                \
	{                                                                                          \
		"route-through-ranks", 0, SWITCH, &(through_ranks), NULL,                          \
			"ranks forward data where there is no link and no path through switches"   \
	}

/* Is something down or gone? */
bool is_failing(const struct topology_choice *choice);
bool has_topology(const struct topology_choice *choice);
void free_topology_choice(struct topology_choice *choice);

/* From the ranks of --ranks (0: not given) to those that --fail-rank leaves. false: call->status.
 */
bool count_remaining(struct call *call, const struct topology_choice *choice, uint32_t *nrank);
/* The same of a problem, with its root. */
bool renumber_problem(
	struct call *call, const struct topology_choice *choice, struct ordo_problem *problem);

/* *nrank of --ranks; 0, it was not given: as many as the topology says in its name or document.
 * false: call->status. */
bool find_ranks(struct call *call, const struct topology_choice *choice, uint32_t *nrank);

/* The topology chosen, with nrank ranks after what is down (0: as many as its document leaves), in
 * *topology; NULL: none was chosen. Prints once how --fail-rank renumbers. false: call->status. The
 * caller destroys it. */
bool choose_topology(struct call *call, const struct topology_choice *choice, uint32_t nrank,
	struct ordo_topology **topology);

/* The topology of a file of NCCL or RCCL, of so many servers (0: as many as make nrank ranks);
 * prints warnings. nvlink: see machine.h; NULL. NULL: call->status. The caller destroys it. */
struct ordo_topology *open_machine(
	struct call *call, const char *path, uint32_t servers, uint32_t nrank, const char *nvlink);

struct ordo_moves;
/* The topology that is chosen, or else the one that the moves name; NULL where there is neither.
 * false: call->status. The caller destroys it. */
bool choose_moves_topology(struct call *call, const struct topology_choice *choice,
	const struct ordo_moves *moves, struct ordo_topology **topology);

/* The choice that the option --topology of TOPOLOGY_OPTIONS belongs to. */
const struct topology_choice *topology_of_option(const struct option *option);

/* The only operand of the command; `what` names it in messages. NULL: call->status. */
const char *only_operand(struct call *call, const char *what);
/* Reads a schedule, "-" is stdin; a name that ends in .xml is a program of MSCCL, and moves are
 * compiled, on the topology of the command, not proved. NULL: call->status. The caller destroys
 * it. */
struct ordo_schedule *open_schedule(struct call *call, const char *path);
/* For commands whose --topology is that of moves alone: was moves compiled on it, if there is one?
 * false: call->status. */
bool took_topology(struct call *call);
/* open_schedule for these commands. NULL: call->status. */
struct ordo_schedule *open_compiled(struct call *call, const char *path);
/* Replaces control characters in the names of a schedule; passes NULL on. NULL: call->status, from
 * `error` if the schedule could not be read. */
struct ordo_schedule *tame_schedule(
	struct call *call, struct ordo_schedule *schedule, struct ordo_error *error);

/* "0-3,6" -> a list of numbers below `limit`, in the order written; NULL: call->status. The caller
 * frees it.
 */
uint32_t *read_numbers(struct call *call, const char *option, const struct texts *texts,
	uint32_t limit, uint32_t *count);

/* "0-1" -> 0 and 1. */
bool read_link(const char *text, uint32_t *a, uint32_t *b);

/* Does the path name an existing folder? */
bool is_folder(const char *path);

#endif
