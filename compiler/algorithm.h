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

struct ordo_cost;
struct ordo_resolved_request;
/* Reads and checks a request, and finds what its algorithm prepares. The caller destroys it, also
 * after false. */
typedef bool ordo_resolve(struct ordo_resolved_request *resolved,
	const struct ordo_request *request, struct ordo_error *error);

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
	/* NULL: every rank reaches every other. With links=fast or paired: `fast`, and the
	 * document names `whole`. */
	const struct ordo_topology *topology;
	const struct ordo_topology *whole;
	struct ordo_topology *fast;	  /* owned; NULL */
	struct ordo_topology *renumbered; /* what the algorithm sees with a map; owned; NULL */
	/* [problem.nrank] the rank that the algorithm's rank i is; NULL: i. The algorithm sees its
	 * own numbers, also in problem.root. */
	const uint32_t *map;
	bool finds_map;				      /* map=auto: there is none yet */
	const char *order;			      /* as in struct ordo_request; not owned */
	uint32_t most_moves;			      /* likewise */
	struct ordo_kept_placements *kept_placements; /* likewise */
	struct ordo_kept_phases *kept_phases;	      /* likewise */
	const struct ordo_registry *registry; /* in which names of algorithms are looked up */
	ordo_resolve *resolve;		      /* for an algorithm that is made of others */
	const struct ordo_algorithm *algorithm;
	/* [ordo_parameter_count]; the fallback where the user gave none */
	struct ordo_value *values;
	/* canonical: only what differs from the fallbacks, in the order of the table */
	const char *notation;
	const char *unmapped;	 /* the same without the map */
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
	/* The same before `prepare`, for estimates, where K leaps from one number of ranks to the
	 * next; 0: not known. NULL: K grows steadily. */
	uint32_t (*foreseen_chunks)(const struct ordo_resolved_request *request);
	/* For estimates: fewer ranks than nrank, at least 2, for which a schedule is made alike; 1:
	 * there are none. NULL: half as many. */
	uint32_t (*fewer_ranks)(const struct ordo_resolved_request *request, uint32_t nrank);
	/* For estimates: about how many bytes `prepare` takes at a time, beside the schedule. NULL:
	 * few. */
	double (*prepared_bytes)(const struct ordo_resolved_request *request);
	void (*build)(struct ordo_builder *b, const struct ordo_resolved_request *request);
	/* Gives back what `prepare` took and request->arena does not own. NULL: nothing. */
	void (*release)(struct ordo_resolved_request *request);
	/* it is asked for the problem of V shards as it is, and they are not folded before */
	bool takes_shards;
	/* With via=spread its data may take other ways, also where the plain schedule's have one
	 * shortest way each. */
	bool finds_ways;
	/* how it is asked for so that it finds its way around links that are not there, for hints;
	 * NULL: it does not */
	const char *around_links;

	/* Claims, for the tests. Steps: the longest chain of cross-rank moves that each carry on
	 * what the one before brought. Volume: how many chunks the busiest rank sends to others.
	 * With the K of the request. ORDO_UNCOUNTED: no memory. */
	uint64_t (*steps)(const struct ordo_resolved_request *request);
	uint64_t (*volume)(const struct ordo_resolved_request *request);
	/* The cost as a formula, of more than one rank, with the K of the request (closed_form.h).
	 * false, or NULL: there is none, and claims tell. */
	bool (*closed_form)(const struct ordo_resolved_request *request, struct ordo_cost *cost);
};

struct ordo_registry {
	const struct ordo_algorithm *const
		*algorithms; /* [nalgorithm] in the order of `ordo list` */
	uint32_t nalgorithm;
};

#define ORDO_UNCOUNTED UINT64_MAX

/* The value of a parameter the algorithm declares (asserted). */
const struct ordo_value *ordo_parameter_value(
	const struct ordo_resolved_request *resolved, const char *name);
bool ordo_parameter_is(
	const struct ordo_resolved_request *resolved, const char *name, const char *word);
uint32_t ordo_parameter_number(const struct ordo_resolved_request *resolved, const char *name);

/* Puts the part of the request in front of a usage error that arose there: "where: ...". Always
 * returns false. */
bool ordo_error_in(struct ordo_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
