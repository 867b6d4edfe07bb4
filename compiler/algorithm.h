/* algorithm.h - what one algorithm is: facts, a condition, its natural number of chunks, a builder,
 * and claims that tests evaluate.
 *
 * A new algorithm is one file in algorithms/ and one line in algorithms/table.h.
 */
#ifndef ORDO_ALGORITHM_H
#define ORDO_ALGORITHM_H

#include <ordo/arena.h>
#include <ordo/builder.h>
#include <ordo/compiler.h>

/* The library has another function of this name, which callers of collectives see
 * (collectives.h). */
static inline void ordo_reduce(
	struct ordo_builder *b, struct ordo_at dst, struct ordo_at src, uint32_t count)
{
	ordo_builder_reduce(b, dst, src, count);
}

/* The value of one parameter. */
struct ordo_value {
	const char *word;      /* as written, spaces aside */
	uint32_t number;       /* ORDO_NUMBER; ORDO_NONE if it is a word */
	const uint32_t *items; /* ORDO_LISTS: the numbers of all lists, one list after another */
	const uint32_t *ends;  /* [nlist] where each list ends in items */
	uint32_t nlist;
	const char **algorithms; /* ORDO_ALGORITHMS: [nalgorithm] in canonical notation */
	uint32_t nalgorithm;
};

/* What an algorithm is asked for: a checked problem, where, and how.
 *
 * With virtual shards, V != N, a rank folds its own before the algorithm begins, into the places
 * where the algorithm adds anyway: what it is asked for is then the problem of N ranks with one
 * vector each, in place.
 */
struct ordo_resolved_request {
	/* chunks_per_block is 0 in applicable, prepare and chunks if the user gave none */
	struct ordo_problem problem;
	uint32_t nshard; /* V; problem.nshard, unless ranks fold their shards first */
	const struct ordo_topology *topology; /* NULL: every rank reaches every other */
	const struct ordo_algorithm *algorithm;
	/* [algorithm->facts.nparameter]; the fallback where the user gave none */
	struct ordo_value *values;
	/* canonical: only what differs from the fallbacks, in the order of the table */
	const char *notation;
	void *prepared;		 /* what `prepare` found; NULL */
	struct ordo_arena arena; /* lives as long as the request */
};

struct ordo_algorithm {
	struct ordo_algorithm_facts facts;
	/* What the algorithm demands beyond its operators and the ranges of its parameters. NULL:
	 * nothing. Reads as a formula. */
	bool (*applicable)(const struct ordo_resolved_request *request, struct ordo_error *error);
	/* Finds, once, what both `chunks` and `build` need (say, the cycles of a topology), into
	 * request->prepared, from request->arena. NULL: nothing. */
	bool (*prepare)(struct ordo_resolved_request *request, struct ordo_error *error);
	/* K if the user gives none. NULL: 1. */
	uint32_t (*chunks)(const struct ordo_resolved_request *request);
	void (*build)(struct ordo_builder *b, const struct ordo_resolved_request *request);
	/* Gives back what `prepare` took and request->arena does not own. NULL: nothing. */
	void (*release)(struct ordo_resolved_request *request);
	/* it is asked for the problem of V shards as it is, and they are not folded before */
	bool takes_shards;
	/* it finds its way around links that are not there: named in hints to those who use one
	 * that is not */
	bool avoids_links;

	/* Claims, for the tests. Steps: the longest chain of cross-rank moves that each carry on
	 * what the one before brought. Volume: how many chunks the busiest rank sends to others.
	 * With the K of the request. ORDO_UNCOUNTED: no memory. */
	uint64_t (*steps)(const struct ordo_resolved_request *request);
	uint64_t (*volume)(const struct ordo_resolved_request *request);
};

#define ORDO_UNCOUNTED UINT64_MAX
struct ordo_claims {
	uint64_t steps, volume;
};
/* What the request's algorithm claims of it. false: no memory. */
bool ordo_claims_of(const struct ordo_resolved_request *resolved, struct ordo_claims *claims,
	struct ordo_error *error);

/* All algorithms, in the order of `ordo list`. */
extern const struct ordo_algorithm *const ordo_algorithm_table[];
extern const uint32_t ordo_nalgorithm;

/* Reads `name(key=value,key=value)` or `name(algorithm,algorithm,key=value)`, checks values,
 * operator and problem, prepares, and settles K. Words and numbers are written plainly, a list in
 * brackets `order=[0,2,1,3]`, several lists as `order=[[0,1,2],[0,2,1]]`. The caller destroys it,
 * also after false. */
bool ordo_request_resolve(struct ordo_resolved_request *resolved,
	const struct ordo_request *request, struct ordo_error *error);
/* The part of ordo_request_resolve that is the same for all algorithms: checks the problem and the
 * topology. */
bool ordo_request_take_problem(struct ordo_resolved_request *resolved,
	const struct ordo_request *request, struct ordo_error *error);
/* Ranks fold their shards, and the algorithm sees one vector a rank where it adds anyway: in place;
 * unless it takes the shards as they are. */
void ordo_leave_shards_to_ranks(struct ordo_resolved_request *resolved);
/* A problem is part of a request: its errors are usage errors (ORDO_USAGE), not errors of a
 * document. */
bool ordo_check_problem(const struct ordo_problem *problem, struct ordo_error *error);
void ordo_resolved_request_destroy(struct ordo_resolved_request *resolved);
/* The part of ordo_request_resolve that takes no memory worth a name: all but `prepare`, and K. */
bool ordo_request_read(struct ordo_resolved_request *resolved, const struct ordo_request *request,
	struct ordo_error *error);
/* Whether there may be memory to compile what was read, and to prove it. If not,
 * error->too_large. */
bool ordo_fits_in_memory(const struct ordo_resolved_request *resolved,
	const struct ordo_request *request, struct ordo_error *error);
/* Says of an error that it arose in a part of what was asked for: "where: ...". Always returns
 * false. */
bool ordo_error_in(struct ordo_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The schedule of a resolved request, proved unless request->unproved; the caller destroys it.
 * NULL: see error. */
struct ordo_schedule *ordo_compile_resolved(const struct ordo_request *request,
	const struct ordo_resolved_request *resolved, struct ordo_error *error);
/* The schedule of a request that names its algorithm, proved unless request->unproved; the caller
 * destroys it. NULL: see error. */
struct ordo_schedule *ordo_compile_named(
	const struct ordo_request *request, struct ordo_error *error);
/* Compiles and proves. The caller destroys both. NULL: *why is about what was asked for
 * (ordo_is_of_candidate), or ends every search. */
struct ordo_schedule *ordo_compile_proved(
	const struct ordo_request *request, struct ordo_proof **proof, struct ordo_error *why);
/* The proof of what was compiled without. NULL: there is none, and *why says so. */
struct ordo_proof *ordo_prove_compiled(const struct ordo_request *request,
	const struct ordo_schedule *schedule, struct ordo_error *why);
/* Does an error mean that this candidate will not do, rather than that nothing will? */
bool ordo_is_of_candidate(const struct ordo_error *why);

/* One more that cannot, or did not suit; copies both texts. */
bool ordo_refuse_candidate(struct ordo_candidates *candidates, const char *algorithm,
	const struct ordo_error *why, struct ordo_error *error);

/* The problem that the schedule solves: of V shards, not in place if V != N. */
struct ordo_problem ordo_whole_problem(const struct ordo_resolved_request *resolved);

/* The value of a parameter the algorithm declares (asserted). */
const struct ordo_value *ordo_parameter_value(
	const struct ordo_resolved_request *resolved, const char *name);
bool ordo_parameter_is(
	const struct ordo_resolved_request *resolved, const char *name, const char *word);
uint32_t ordo_parameter_number(const struct ordo_resolved_request *resolved, const char *name);

#endif
