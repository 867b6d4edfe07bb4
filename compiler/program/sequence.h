/* sequence.h - the sequential program as the builder leaves it and the passes take it: moves in
 * compact arrays. */
#ifndef ORDO_COMPILER_PROGRAM_SEQUENCE_H
#define ORDO_COMPILER_PROGRAM_SEQUENCE_H

#include <ordo/document.h>
#include <ordo/map.h>
#include <ordo/schedule.h>
#include <ordo/topology.h>

/* 32 bytes, in program order: that is the order it all means. */
struct ordo_move {
	uint32_t reduces : 1;
	uint32_t relays : 1; /* moves nothing: see relay.c */
	uint32_t src_buffer : 2;
	uint32_t dst_buffer : 2;
	uint32_t phase : 25; /* index into phases, or ORDO_NO_PHASE */
	uint32_t stream;     /* of `rank`: index into streams; ORDO_NONE: an unused relay */
	/* src lies on rank, which does it; dst lies on peer, possibly the same */
	uint32_t rank, peer;
	uint32_t chunk, count, src, dst;
};

/* The name of a stream or phase: `name`, or `name number`. */
struct ordo_label {
	const char *name;
	uint32_t number; /* ORDO_NONE: none */
};

/* Labels, each once. */
struct ordo_labels {
	struct ordo_label *items;
	uint32_t count;
	size_t room;
	struct ordo_map ids; /* (name's id, number) -> index */
	const char **names;  /* different names */
	uint32_t nname;
	size_t name_room;
	struct ordo_map name_ids; /* (hash of the name, how many before have it) -> its index */
};

/* One stream of one rank, in the order of their first moves. */
struct ordo_lane {
	uint32_t rank, label;	    /* label: index into stream_labels */
	const struct ordo_via *via; /* NULL: it names no way */
};

struct ordo_sequence {
	struct ordo_problem problem;
	const struct ordo_topology *topology; /* where there are relays; NULL */
	uint32_t scratch_slots;
	struct ordo_move *moves;
	uint32_t nmove;
	size_t move_room;
	/* Of a document: which of its moves each comes from, and where that stands. */
	uint32_t *origins; /* [nmove]; NULL: it comes from none */
	size_t origin_room;
	uint32_t origin;		 /* of what is appended next */
	const struct ordo_place *places; /* [origin] of the document; NULL: it comes from none */
	struct ordo_lane *lanes;
	uint32_t nlane;
	size_t lane_room;
	struct ordo_map lane_ids; /* (rank, label) -> index into lanes */
	struct ordo_labels stream_labels, phases;
	ordo_progress *progress; /* of ordering, by moves; NULL: nobody asks */
	void *closure;		 /* of progress */
	struct ordo_arena arena;
};

/* The index of a label, making it if it is new; ORDO_NONE: no memory. */
uint32_t ordo_label_id(struct ordo_sequence *sequence, struct ordo_labels *labels, const char *name,
	uint32_t number);
/* The stream of a rank with that label, making it if it is new; ORDO_NONE: no memory. */
uint32_t ordo_lane_id(struct ordo_sequence *sequence, uint32_t rank, uint32_t label);
/* The move has the origin at hand, if the sequence comes from a document. */
bool ordo_sequence_append(struct ordo_sequence *sequence, const struct ordo_move *move);
/* Takes over the moves of another sequence, and gives it its own. */
void ordo_sequence_exchange(struct ordo_sequence *sequence, struct ordo_sequence *other);
void ordo_sequence_free(struct ordo_sequence *sequence);

/* Every place of every rank as a number: two places are one cell if and only if they are the same
 * memory. Input out of place is never written, and comes last. */
struct ordo_cells {
	uint32_t *input, *output, *scratch; /* [nrank] the cell of slot 0 */
	uint32_t nwritable, count;
};

/* ORDO_USAGE if there are too many. Free them also after false. */
bool ordo_cells_make(struct ordo_cells *cells, const struct ordo_problem *problem,
	uint32_t scratch_slots, struct ordo_error *error);
void ordo_cells_free(struct ordo_cells *cells);

static inline uint32_t ordo_cell(
	const struct ordo_cells *cells, uint32_t rank, uint32_t buffer, uint32_t slot)
{
	const uint32_t *first = buffer == ORDO_INPUT	? cells->input
				: buffer == ORDO_OUTPUT ? cells->output
							: cells->scratch;
	return first[rank] + slot;
}

#endif
