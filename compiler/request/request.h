/* request.h - from a request as it is written to one that its algorithm can build. */
#ifndef ORDO_COMPILER_REQUEST_REQUEST_H
#define ORDO_COMPILER_REQUEST_REQUEST_H

#include "algorithm.h"

/* Checks the problem and the topology: what is the same for all algorithms. */
bool ordo_request_take_problem(struct ordo_resolved_request *resolved,
	const struct ordo_request *request, struct ordo_error *error);
/* Every rank has a shard: algorithms need it, moves do not. */
bool ordo_has_enough_shards(const struct ordo_resolved_request *resolved, struct ordo_error *error);
/* Ranks fold their shards, and the algorithm sees one vector a rank where it adds anyway: in place;
 * unless it takes the shards as they are. */
void ordo_leave_shards_to_ranks(struct ordo_resolved_request *resolved);
/* A problem is part of a request: its errors are usage errors (ORDO_USAGE), not errors of a
 * document. */
bool ordo_check_problem(const struct ordo_problem *problem, struct ordo_error *error);

/* Reads `name(key=value,key=value)` or `name(algorithm,algorithm,key=value)` into resolved->values
 * and ->notation. Words and numbers are written plainly, a list in brackets `order=[0,2,1,3]`,
 * several lists as `order=[[0,1,2],[0,2,1]]`. Needs resolved->problem and ->registry. */
bool ordo_notation_read(
	struct ordo_resolved_request *resolved, const char *text, struct ordo_error *error);
/* The notation that was read, with map=[...] instead of its own map; without one if each map[i] is
 * i. NULL: no memory. */
const char *ordo_notation_with_map(struct ordo_resolved_request *resolved, const uint32_t *map);
/* Fails if the algorithm does not have the operator. */
bool ordo_has_operator(struct ordo_resolved_request *resolved, struct ordo_error *error);

/* Reads and checks; takes little memory. The caller destroys it, also after false. */
bool ordo_request_read(struct ordo_resolved_request *resolved, const struct ordo_registry *registry,
	const struct ordo_request *request, struct ordo_error *error);
/* After reading: what the algorithm prepares, and K. `resolve` is for the algorithms that this one
 * is made of. */
bool ordo_request_prepare(
	struct ordo_resolved_request *resolved, ordo_resolve *resolve, struct ordo_error *error);
void ordo_resolved_request_destroy(struct ordo_resolved_request *resolved);

/* The problem that the schedule solves: of V shards, not in place if V != N. */
struct ordo_problem ordo_whole_problem(const struct ordo_resolved_request *resolved);

struct ordo_claims {
	uint64_t steps, volume;
};
/* What the request's algorithm claims of it. false: no memory. */
bool ordo_claims_of(const struct ordo_resolved_request *resolved, struct ordo_claims *claims,
	struct ordo_error *error);

/* As ordo_algorithms_named and ordo_algorithm_suggest, in a registry. */
uint32_t ordo_registry_named(const struct ordo_registry *registry, const char *name,
	struct ordo_named named[ORDO_MOST_NAMED]);
const char *ordo_registry_suggest(
	const struct ordo_registry *registry, const char *word, uint32_t operators);

#endif
