/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* program_moves.h - the moves of an algorithm of the table. */
#ifndef ORDO_PROGRAM_MOVES_H
#define ORDO_PROGRAM_MOVES_H

#include <ordo/compiler.h>
#include <ordo/moves.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the algorithm of a schedule moves, in the order of its program. Compiled on the same
 * topology, it gives the same schedule.
 *
 *   request    as it was compiled; with the topology
 *   schedule   what it was compiled to
 *
 * The caller destroys the moves. NULL: see error. */
ORDO_API struct ordo_moves *ordo_moves_of(const struct ordo_request *request,
	const struct ordo_schedule *schedule, struct ordo_error *error);

#ifdef __cplusplus
}
#endif
#endif
