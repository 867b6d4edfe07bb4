/* moves_file.h - programs of moves from a file, for commands. */
#ifndef ORDO_TOOLS_MOVES_MOVES_FILE_H
#define ORDO_TOOLS_MOVES_MOVES_FILE_H

#include <ordo/moves.h>
#include <ordo/topology.h>

struct call;

/* Is an operand that could be an operator the name of a file? */
bool names_moves(const char *operand);
/* Replaces control characters in names; passes NULL on. NULL: call->status, from `error` if the
 * moves could not be read. */
struct ordo_moves *tame_moves(
	struct call *call, struct ordo_moves *moves, struct ordo_error *error);
/* Reads a file, "-" is stdin. NULL: call->status. The caller destroys it. */
struct ordo_moves *open_moves(struct call *call, const char *path);
/* The topology that the moves name; NULL if they name none. false: call->status, it is none of
 * those known by name. The caller destroys it. */
bool find_moves_topology(
	struct call *call, const struct ordo_moves *moves, struct ordo_topology **topology);
/* The schedule of the moves on a topology (NULL: none), not proved. NULL: call->status. The caller
 * destroys it. */
struct ordo_schedule *moves_schedule(
	struct call *call, const struct ordo_moves *moves, const struct ordo_topology *topology);

#endif
