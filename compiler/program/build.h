/* build.h - how a builder is opened and closed. Private to compiler/. */
#ifndef ORDO_COMPILER_PROGRAM_BUILD_H
#define ORDO_COMPILER_PROGRAM_BUILD_H

#include "algorithm.h"
#include "sequence.h"

/* A builder that appends moves to the sequence, which must live as long. NULL: no memory. */
struct ordo_builder *ordo_builder_create(const struct ordo_resolved_request *request,
	struct ordo_sequence *sequence, struct ordo_error *error);
/* The moves that follow are the algorithm's: of no phase, in stream "main". */
void ordo_builder_begin_algorithm(struct ordo_builder *b);
/* Destroys the builder. false: *error is its first error. */
bool ordo_builder_finish(struct ordo_builder *b, struct ordo_error *error);

/* Do ranks fold their shards before the algorithm begins? */
static inline bool ordo_folds_shards(const struct ordo_resolved_request *request)
{
	return request->nshard != request->problem.nshard;
}

#endif
