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
};

/* A builder that appends moves to the sequence, which must live as long. NULL: no memory. */
struct ordo_builder *ordo_builder_create(const struct ordo_building *building,
	struct ordo_sequence *sequence, struct ordo_error *error);
/* The moves that follow are the algorithm's: of no phase, in stream "main". */
void ordo_builder_begin_algorithm(struct ordo_builder *b);
/* Destroys the builder. false: *error is its first error. */
bool ordo_builder_finish(struct ordo_builder *b, struct ordo_error *error);

/* Was the first error that the topology lacks a link? Then the caller has the hint. */
bool ordo_builder_lacks_link(const struct ordo_builder *b);

#endif
