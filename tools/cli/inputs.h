/* inputs.h - the inputs of commands: schedules and topologies. */
#ifndef ORDO_TOOLS_CLI_INPUTS_H
#define ORDO_TOOLS_CLI_INPUTS_H

#include "options.h"
#include <ordo/schedule.h>
#include <ordo/topology.h>

/* --topology and --fail-link; --fail-link alone implies a full mesh. */
struct topology_choice {
	const char *name;
	struct texts failed; /* each "0-1" */
};
#define TOPOLOGY_OPTIONS(choice)                                                                   \
	{"topology", 't', NAMED, &(choice).name, "T",                                              \
		"full-mesh, ring, star, ... or a file (a link between every two ranks)"},          \
	{                                                                                          \
		"fail-link", 0, TEXTS, &(choice).failed, "A-B",                                    \
			"this link is down, in both directions; repeatable; alone it means a "     \
			"full mesh"                                                                \
	}

#define ROUTE_OPTION(through_ranks)                                                                \
	{                                                                                          \
		"route-through-ranks", 0, SWITCH, &(through_ranks), NULL,                          \
			"ranks forward data where there is no link and no path through switches"   \
	}

/* The topology chosen for nrank ranks (0: as many as its document has), in *topology; NULL: none
 * was chosen. false: call->status. The caller destroys it. */
bool choose_topology(struct call *call, const struct topology_choice *choice, uint32_t nrank,
	struct ordo_topology **topology);

/* The topology of a file of NCCL or RCCL, of so many servers (0: as many as make nrank ranks);
 * prints warnings. nvlink: see machine.h; NULL. NULL: call->status. The caller destroys it. */
struct ordo_topology *open_machine(
	struct call *call, const char *path, uint32_t servers, uint32_t nrank, const char *nvlink);

/* The only operand of the command; `what` names it in messages. NULL: call->status. */
const char *only_operand(struct call *call, const char *what);
/* Reads a schedule, "-" is stdin; a name that ends in .xml is a program of MSCCL. NULL:
 * call->status. The caller destroys it. */
struct ordo_schedule *open_schedule(struct call *call, const char *path);
/* Replaces control characters in the names of a schedule; passes NULL on. NULL: call->status, from
 * `error` if the schedule could not be read. */
struct ordo_schedule *tame_schedule(
	struct call *call, struct ordo_schedule *schedule, struct ordo_error *error);

/* "0-3,6" -> a list of numbers below `limit`, in the order written; NULL: call->status. The caller
 * frees it.
 */
uint32_t *read_numbers(struct call *call, const char *option, const struct texts *texts,
	uint32_t limit, uint32_t *count);

/* Does the path name an existing folder? */
bool is_folder(const char *path);

#endif
