/* read_moves.h - programs of moves made in memory, and documents that are one of these or a
 * schedule. */
#ifndef ORDO_READ_MOVES_H
#define ORDO_READ_MOVES_H

#include <ordo/document.h>
#include <ordo/moves.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A program without moves, phases and streams; copies the name. The caller destroys it. NULL: no
 * memory. */
struct ordo_moves *ordo_moves_create(
	const struct ordo_problem *problem, const char *algorithm, struct ordo_error *error);
/* false: no memory, or more than ORDO_LIMIT moves. */
bool ordo_moves_append(
	struct ordo_moves *moves, const struct ordo_moves_item *item, struct ordo_error *error);
/* The way is copied. */
bool ordo_moves_add_way(
	struct ordo_moves *moves, const struct ordo_moves_way *way, struct ordo_error *error);

/* A schedule or the moves of one: the other is NULL. */
struct ordo_read_either {
	struct ordo_schedule *schedule;
	struct ordo_moves *moves;
};
/* Reads a document of either kind, as ordo_schedule_read reads schedules; the caller destroys what
 * was read. false: see error. */
bool ordo_read_either(const char *path, const struct ordo_read_options *options,
	struct ordo_read_either *either, struct ordo_error *error);

#ifdef __cplusplus
}
#endif
#endif
