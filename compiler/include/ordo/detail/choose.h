/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* choose.h - estimates, candidates, and the choice among them. */
#ifndef ORDO_CHOOSE_H
#define ORDO_CHOOSE_H

#include <ordo/compiler.h>

#ifdef __cplusplus
extern "C" {
#endif

/* About what a request takes, from schedules of the same kind for at most some 80 ranks: right
 * within a factor of four, where N, K and V are such as the algorithm has. */
struct ordo_estimate {
	double tasks;
	double bytes; /* of memory, at most at a time, to compile and prove it */
};

/* Takes milliseconds, however large the request is. false: it does not apply, or no memory.
 * ordo_compile and all that choose refuse by it what ordo_set_memory_limit (memory.h) does not
 * allow. */
ORDO_API bool ordo_estimate(const struct ordo_request *request, struct ordo_estimate *estimate,
	struct ordo_error *error);

/* What it costs that ranks have several of V virtual shards. A rank whose shards are no subtree of
 * the tree over all of them is left with several sums, and sends each. */
struct ordo_shard_price {
	uint32_t least_shards, most_shards; /* of a rank */
	uint32_t most_sums;		    /* that a rank is left with: 1 if it folds all it has */
	uint64_t sums;			    /* of all ranks */
	uint64_t volume,
		/* chunks that the busiest rank sends, and would if each rank had one shard */
		plain_volume;
};

/* Of a request that can be compiled; does not compile it. false: it cannot be. */
ORDO_API bool ordo_shard_price(const struct ordo_request *request, struct ordo_shard_price *price,
	struct ordo_error *error);

/* Algorithms for a problem, to choose from. An algorithm here has its parameters with it:
 * "mesh(fold=linear)". */

/* One that can do it, with its claims. */
struct ordo_candidate {
	const char *algorithm;
	uint32_t chunks_per_block; /* K, as given or as it chooses */
	/* the longest chain of moves between ranks that carry on each other's data */
	uint64_t steps;
	uint64_t volume,
		/* the busiest rank sends volume/whole of what all blocks are; in lowest terms */
		whole;
	bool pipelines;	      /* chunks follow each other: another K would be another cost */
	uint8_t halves;	      /* how often half as many chunks are worth trying too */
	uint8_t may_save;     /* percent of its time, by another K, more than those tried promise */
	bool little;	      /* it is for little data, and never has more than most_chunks */
	bool large_chunks;    /* with more chunks than its own only while they are large */
	uint32_t most_chunks; /* the greatest K that is tried; 0: no limit of its own */
};

/* One that cannot, or did not suit. */
struct ordo_refusal {
	const char *algorithm;
	const char *why;
	bool too_large; /* for the memory that it would take */
};

struct ordo_candidates {
	struct ordo_candidate *items; /* [count], as ordo_candidates_make orders them */
	uint32_t count;
	struct ordo_refusal *refused; /* [nrefused] */
	uint32_t nrefused;

	/* Private. */
	size_t room, refused_room;
	struct ordo_arena arena;
	struct ordo_kept_placements *kept_placements;
	struct ordo_kept_phases *kept_phases;
};

/* All variants of all algorithms that have the operator and apply to the problem, and those that do
 * not. The cheapest first: least volume, then fewest steps, then as the table of algorithms has
 * them; by their claims, nothing is compiled, so one may still turn out to need a link that is not
 * there. Of the request its problem, topology, order and progress count: chunks_per_block 0: each
 * algorithm chooses; topology may be NULL. The caller frees it, also after false: no memory, or no
 * such problem. */
ORDO_API bool ordo_candidates_make(struct ordo_candidates *candidates,
	const struct ordo_request *request, struct ordo_error *error);
/* The one that request->algorithm names, also where no variant is like it. The same, and false
 * too if it does not apply. */
ORDO_API bool ordo_candidates_take(struct ordo_candidates *candidates,
	const struct ordo_request *request, struct ordo_error *error);
ORDO_API void ordo_candidates_free(struct ordo_candidates *candidates);

/* Does a schedule, with what was proved of it, suit? If not, error says why: ORDO_REFUTED for a
 * schedule that does not; any other code ends the search. */
typedef bool ordo_suits(const struct ordo_schedule *schedule, const struct ordo_proof *proof,
	void *closure, struct ordo_error *error);

/* The first candidate for the request that, compiled and proved, suits; request->algorithm is not
 * looked at. refused (empty before; NULL: not wanted) gets those that came before it or, with none
 * found, all: the caller frees it. *proof is the proof, to be destroyed like the schedule. NULL:
 * none suits (ORDO_REFUTED), or whatever kept it from being found. */
ORDO_API struct ordo_schedule *ordo_choose(const struct ordo_request *request, ordo_suits *suits,
	void *closure, struct ordo_candidates *refused, struct ordo_proof **proof,
	struct ordo_error *error);

/* The names of those that suit, "mesh, dyadic, birs(servers=2)", at most `most` of them, in the
 * arena; "" for none. NULL: see error. */
ORDO_API const char *ordo_list_suiting(const struct ordo_request *request, ordo_suits *suits,
	void *closure, uint32_t most, struct ordo_arena *arena, struct ordo_error *error);

/* The calls above pass the size of the options that they are compiled with, so that options can
 * grow (version.h). */
ORDO_API bool ordo_shard_price_sized(size_t size, const struct ordo_request *request,
	struct ordo_shard_price *price, struct ordo_error *error);
ORDO_API struct ordo_schedule *ordo_choose_sized(size_t size, const struct ordo_request *request,
	ordo_suits *suits, void *closure, struct ordo_candidates *refused,
	struct ordo_proof **proof, struct ordo_error *error);
ORDO_API const char *ordo_list_suiting_sized(size_t size, const struct ordo_request *request,
	ordo_suits *suits, void *closure, uint32_t most, struct ordo_arena *arena,
	struct ordo_error *error);
#define ordo_shard_price(...) ordo_shard_price_sized(sizeof(struct ordo_request), __VA_ARGS__)
#define ordo_choose(...) ordo_choose_sized(sizeof(struct ordo_request), __VA_ARGS__)
#define ordo_list_suiting(...) ordo_list_suiting_sized(sizeof(struct ordo_request), __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
