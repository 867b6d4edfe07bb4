/* build.h - how a builder is opened and closed. Private to compiler/. */
#ifndef ORDO_COMPILER_PROGRAM_BUILD_H
#define ORDO_COMPILER_PROGRAM_BUILD_H

#include "sequence.h"
#include <ordo/builder.h>

struct ordo_building {
	const char *notation;		      /* of the algorithm, in front of errors */
	const struct ordo_topology *topology; /* NULL: every rank reaches every other */
	const uint32_t *map; /* [nrank] the ranks' numbers for errors about links; NULL: the same */
	bool folds_shards;   /* ranks fold their shards before the algorithm begins */
	uint32_t most_moves; /* 0: no limit */
};

/* A builder that appends moves to the sequence, which must live as long. NULL: no memory. */
struct ordo_builder *ordo_builder_create(const struct ordo_building *building,
	struct ordo_sequence *sequence, struct ordo_error *error);
/* The moves that follow are the algorithm's: of no phase, in stream "main". */
void ordo_builder_begin_algorithm(struct ordo_builder *b);
/* The moves come from a document; places: [origin] where they stand there. */
void ordo_builder_begin_document(struct ordo_builder *b, const struct ordo_place *places);
/* The label of a stream, or of a phase, by its whole name. ORDO_NONE: the builder has failed. */
uint32_t ordo_builder_stream_label(struct ordo_builder *b, const char *name);
uint32_t ordo_builder_phase_label(struct ordo_builder *b, const char *name);
/* The moves that follow go to that stream and phase, and come from that move of the document. */
void ordo_builder_place(
	struct ordo_builder *b, uint32_t stream_label, uint32_t phase, uint32_t origin);
/* The way of a stream of a rank; lives as long as the sequence. false: the rank does nothing in
 * it. */
bool ordo_builder_set_via(
	struct ordo_builder *b, uint32_t rank, uint32_t stream_label, const struct ordo_via *via);
/* Destroys the builder. false: *error is its first error. */
bool ordo_builder_finish(struct ordo_builder *b, struct ordo_error *error);

/* The rule that the first error breaks; 0: there is no error, or none with a rule. */
int ordo_builder_rule(const struct ordo_builder *b);
/* Was the first error that the topology lacks a link? Then the caller has the hint. */
bool ordo_builder_lacks_link(const struct ordo_builder *b);

#endif
