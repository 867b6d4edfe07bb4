/* happens_before.h - explicit paths of happens-before, for certificates. Private to
 * schedules/verify/.
 *
 * A path leads from one stream to another by hops, each a Notify and the Wait that takes its token,
 * named by the Wait; between two hops lies program order. Along the data flow paths overlap, since
 * a chunk is forwarded from move to move: these hops are stored once, in routes, and paths refer to
 * parts of them.
 */
#ifndef ORDO_SCHEDULES_VERIFY_HAPPENS_BEFORE_H
#define ORDO_SCHEDULES_VERIFY_HAPPENS_BEFORE_H

#include "execution/execution.h"
#include <ordo/map.h>

/* A hop (route ORDO_NONE: the Wait `first`), or hops first..last of a route. */
struct path_item {
	uint32_t route, first, last;
};

/* Items first..end-1 lead to a task, or to the end of a rank. */
struct path {
	uint32_t goal;
	uint32_t first, end;
};

/* The data flow: each move follows the writer of what it reads. A chain is a line of such moves,
 * its route the hops between them. It begins at `entry`, a move of another chain, or ORDO_NONE. */
struct chain {
	uint32_t entry;
	uint32_t tail;
	uint32_t *hops, nhop;
	size_t room;
};

/* Of a move: its chain, and how many hops of the route lead to it; its parent, and how many of
 * these come from there. */
struct link {
	uint32_t chain, nhop;
	uint32_t parent, nlast;
};

struct data_chains {
	struct link *links; /* [ntask] of moves */
	struct chain *chains;
	size_t room;
	uint32_t nchain;
};

struct path_list {
	struct path *paths;
	size_t room;
	uint32_t npath;
};

/* A backward search from a task: the places visited, and their predecessors. */
struct search {
	struct step {
		uint32_t stream, end; /* before task `end` */
		uint32_t wait, from;  /* by this Wait of the step `from`; ORDO_NONE: begins here */
	} * steps;
	size_t room;
	uint32_t nstep;
	uint32_t *stamps, *seen; /* [nstream] the last search that visited it, and how far */
	uint32_t stamp;		 /* of this search */
};

struct happens_before {
	struct ordo_execution execution; /* of one call */
	const struct ordo_schedule *schedule;
	struct ordo_error *error;
	struct ordo_interleaving order;
	uint32_t *stream_of; /* [ntask] */
	uint32_t *at;	     /* [ntask] place in the order */
	/* (from stream, to stream) -> the latest Wait of `to` for a Notify of `from` */
	struct ordo_map latest;
	struct data_chains data;
	struct search search;
	/* What is found: items, and the paths that they make. */
	struct path_item *items;
	size_t item_room;
	uint32_t nitem;
	struct path_list paths, leaving;
};

bool ordo_happens_before_open(struct happens_before *before, const struct ordo_schedule *schedule,
	struct ordo_error *error);
void ordo_happens_before_close(struct happens_before *before);

/* Records that a Wait has taken its token. */
bool ordo_happens_before_note_wait(struct happens_before *before, uint32_t wait);
/* Records a move that follows `parent`, the writer of what it reads (ORDO_NONE: none), extends its
 * chain, and finds the path between the two. */
bool ordo_happens_before_note_move(struct happens_before *before, uint32_t move, uint32_t parent);

/* Adds the items of a path that leads from after `a` to before `b`, a noted move. false: there is
 * none (ORDO_REFUTED), or no memory. */
bool ordo_happens_before_find(struct happens_before *before, uint32_t a, uint32_t b);
/* From any task of a rank to before b; from after a to the end of any stream of a rank. */
bool ordo_happens_before_find_entering(struct happens_before *before, uint32_t rank, uint32_t b);
bool ordo_happens_before_find_leaving(struct happens_before *before, uint32_t a, uint32_t rank);
/* Items first.. become a path to the goal, at the end of the list (before->paths or ->leaving).
 * false: no memory. */
bool ordo_happens_before_keep(
	struct happens_before *before, struct path_list *list, uint32_t goal, uint32_t first);
/* The Notify that the path of items first.. begins with. */
uint32_t ordo_happens_before_first_notify(const struct happens_before *before, uint32_t first);

#endif
