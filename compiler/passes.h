/* passes.h - from a resolved request to a schedule, one pass a line in compile.c. */
#ifndef ORDO_PASSES_H
#define ORDO_PASSES_H

#include "algorithm.h"
#include "program/sequence.h"

/* Needs a resolved request; gives its sequential program. Free the sequence also after false. */
bool ordo_build(const struct ordo_resolved_request *request, struct ordo_sequence *sequence,
	struct ordo_error *error);

/* If the problem accumulates: moves sums into scratch, and rounds each once. Needs nothing;
 * may add scratch slots, moves within a rank and streams. */
bool ordo_accumulate(struct ordo_sequence *sequence, struct ordo_error *error);

/* Makes one move of neighbours that continue each other. Needs nothing, changes no meaning. */
bool ordo_merge(struct ordo_sequence *sequence, struct ordo_error *error);

/* Lets other ranks touch scratch only, at most `slots` slots of a rank with those of the algorithm:
 * copies what is sent to staging slots, and takes what comes from there. 0: nothing to do. Needs
 * ordo_merge to have been; no order of additions changes. ORDO_USAGE: fewer slots than work. */
bool ordo_stage(struct ordo_sequence *sequence, uint32_t slots, struct ordo_error *error);

/* On a topology: puts a relay, a place for the rank that owns the cell, between two writers of a
 * cell that have no link. Needs ordo_merge to have been. Where nothing else orders the two,
 * ordo_order_moves gives it a stream, and ordo_emit writes down what it waits for and notifies.
 * topology NULL: nothing to do. */
bool ordo_relay(struct ordo_sequence *sequence, const struct ordo_topology *topology,
	struct ordo_error *error);

/* What must wait for what across streams: one Notify and its Wait. */
struct ordo_sync_edge {
	uint32_t from_lane, to_lane;
	uint32_t from; /* the move after which from_lane notifies; ORDO_NONE: when it begins */
	uint32_t to;   /* the move before which to_lane waits; ORDO_NONE: when it ends */
	uint32_t signal;
};

/* In the order of `to`, those that wait at the end last; within one (from_lane, to_lane), also in
 * the order of `from`. */
struct ordo_sync_edges {
	struct ordo_sync_edge *items;
	uint32_t count;
	size_t room;
	uint64_t visits; /* how much searching it took */
	/* questions on which the search was given up: so many edges may be superfluous */
	uint64_t guessed;
};

/* Finds the edges that a sequence needs. Adds streams: to ranks that others write to and that do
 * nothing themselves, and for relays that would delay something in any stream of their rank. After
 * search_visits steps of searching an edge, or such a stream, may be superfluous;
 * ORDO_SEARCH_VISITS are never reached at the sizes people look at, and take about two seconds. */
#define ORDO_SEARCH_VISITS 200000000u
bool ordo_order_moves(struct ordo_sequence *sequence, uint64_t search_visits,
	struct ordo_sync_edges *edges, struct ordo_error *error);

/* Writes sequence and edges down as a schedule. NULL: no memory. */
struct ordo_schedule *ordo_emit(const struct ordo_resolved_request *request,
	const struct ordo_sequence *sequence, const struct ordo_sync_edges *edges,
	struct ordo_error *error);

/* Splits signals so that none holds more than `most` tokens, in any interleaving of any number of
 * calls; 0: as many as come. Needs a schedule that ordo_emit wrote; changes the numbers of signals
 * alone. false: no memory. */
bool ordo_limit_tokens(struct ordo_schedule *schedule, uint32_t most, struct ordo_error *error);

#endif
