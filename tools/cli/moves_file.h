/* moves_file.h - programs of moves from a file, for commands. */
#ifndef ORDO_TOOLS_CLI_MOVES_FILE_H
#define ORDO_TOOLS_CLI_MOVES_FILE_H

#include "inputs.h"
#include <ordo/moves.h>

/* Is an operand that could be an operator the name of a file? */
bool names_moves(const char *operand);
/* Replaces control characters in names; passes NULL on. NULL: call->status, from `error` if the
 * moves could not be read. */
struct ordo_moves *tame_moves(
	struct call *call, struct ordo_moves *moves, struct ordo_error *error);
/* Reads a file, "-" is stdin. NULL: call->status. The caller destroys it. */
struct ordo_moves *open_moves(struct call *call, const char *path);
/* The topology that is chosen, or else the one that the moves name; NULL where there is neither.
 * false: call->status. The caller destroys it. */
bool choose_moves_topology(struct call *call, const struct topology_choice *choice,
	const struct ordo_moves *moves, struct ordo_topology **topology);
/* The schedule of the moves on the topology of the command, not proved; destroys the moves. NULL:
 * call->status. The caller destroys it. */
struct ordo_schedule *moves_schedule(struct call *call, struct ordo_moves *moves);

#endif
