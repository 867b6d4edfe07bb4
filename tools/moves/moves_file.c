/* moves_file.c - programs of moves from a file, for commands. */
#include "moves_file.h"
#include "base/progress.h"
#include "base/report.h"
#include <ordo/arena.h>
#include <ordo/builder.h>
#include <ordo/detail/topologies.h>
#include <string.h>

bool names_moves(const char *operand)
{
	return !strcmp(operand, "-") || strpbrk(operand, "./");
}

static bool tame_text(struct ordo_moves *moves, const char **text)
{
	char *tamed = ordo_arena_text(&moves->arena, *text, strlen(*text));
	if (!tamed)
		return false;
	tame(tamed, false);
	*text = tamed;
	return true;
}

static bool tame_names(struct ordo_moves *moves)
{
	bool worked = tame_text(moves, &moves->algorithm);
	if (moves->topology_name)
		worked = worked && tame_text(moves, &moves->topology_name);
	for (uint32_t i = 0; worked && i < moves->nphase; i++)
		worked = tame_text(moves, &moves->phases[i]);
	for (uint32_t i = 0; worked && i < moves->nstream; i++)
		worked = tame_text(moves, &moves->streams[i]);
	return worked;
}

struct ordo_moves *tame_moves(struct call *call, struct ordo_moves *moves, struct ordo_error *error)
{
	if (moves && tame_names(moves))
		return moves;
	if (moves)
		ordo_fail_memory(error);
	ordo_moves_destroy(moves);
	call->status = fail(call, error);
	return NULL;
}

struct ordo_moves *open_moves(struct call *call, const char *path)
{
	struct ordo_error error;
	return tame_moves(call, ordo_moves_read(path, &error), &error);
}

bool find_moves_topology(
	struct call *call, const struct ordo_moves *moves, struct ordo_topology **topology)
{
	struct ordo_error error;
	char digest[33] = "";
	*topology = NULL;
	if (!moves->topology_name)
		return true;
	*topology = ordo_topology_make(moves->topology_name, moves->problem.nrank, &error);
	if (*topology)
		ordo_topology_digest(*topology, digest);
	if (!strcmp(digest, moves->topology_digest))
		return true;
	ordo_topology_destroy(*topology);
	*topology = NULL;
	ordo_fail(&error, ORDO_USAGE, 0,
		"the moves are for topology \"%.200s\" of digest %s, which is none of those known "
		"by name",
		moves->topology_name, moves->topology_digest);
	snprintf(error.file, sizeof error.file, "%s", moves->file);
	ordo_hint(&error,
		"-t names it, and --fail-link what is down in it; `ordo compile MOVES.json "
		"-t FILE.json -o OUT.json` makes a schedule that every command reads");
	return refuse_error(call, &error);
}

struct ordo_schedule *moves_schedule(
	struct call *call, const struct ordo_moves *moves, const struct ordo_topology *topology)
{
	struct ordo_error error;
	struct progress progress = {0};
	const struct ordo_request request = {.topology = topology,
		.unproved = true,
		.progress = show_progress,
		.closure = &progress};
	struct ordo_schedule *schedule = ordo_compile_moves(moves, &request, &error);
	hide_progress(&progress);
	if (!schedule)
		refuse_error(call, &error);
	return schedule;
}
