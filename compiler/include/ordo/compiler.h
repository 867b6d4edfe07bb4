/* compiler.h - from a problem, an algorithm and a topology to a proved schedule. */
#ifndef ORDO_COMPILER_H
#define ORDO_COMPILER_H

#include <ordo/verify.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ordo_request {
	/* chunks_per_block 0: the algorithm chooses; nshard 0: nrank */
	struct ordo_problem problem;
	/* "ring", "ring(directions=2,rings=3)", "mesh(shots=1)", ..., or an alias: "pairwise";
	 * NULL: ordo_compile chooses, and the others fail (ORDO_USAGE) */
	const char *algorithm;
	const struct ordo_topology
		*topology; /* NULL: every rank reaches every other, and the document names none */
	/* skip the proof, for measuring it apart; the caller must verify before it writes */
	bool unproved;
	ordo_progress *progress;
	void *closure;
	/* small, and compiled to estimate another: not held against the memory limit */
	bool is_sample;
};

/* Compiles, and proves the result with ordo_verify before returning it. Without an algorithm it
 * is the one that is fastest with 1 MiB of f32 on the topology, of all that apply, as `ordo
 * compile` chooses: each is compiled, proved and simulated (tune.h, which takes other sizes,
 * types and machines). The caller destroys it. NULL: the request does not apply (ORDO_USAGE, with
 * what does apply as the hint), no memory, or, were the compiler wrong, the proof's first
 * finding. */
ORDO_API struct ordo_schedule *ordo_compile(
	const struct ordo_request *request, struct ordo_error *error);

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

enum ordo_parameter_kind {
	ORDO_WORD,   /* one of the words of `values`, which are separated by `|` */
	ORDO_NUMBER, /* least..most; or one of the words of `values` */
	/* [0,2,1,3], or several lists [[0,1,2],[0,2,1]]; or one of the words of `values` */
	ORDO_LISTS,
	/* algorithms with their own parameters, without a key: (ring(directions=2),nhr) */
	ORDO_ALGORITHMS,
};

/* One parameter of an algorithm, as written between its parentheses. */
struct ordo_parameter {
	const char *name;
	const char *values;   /* for people: "dyadic|folded|linear", "1..64", "auto|[0,2,1,3]" */
	const char *fallback; /* the value if left out, as text */
	const char *meaning;
	enum ordo_parameter_kind kind;
	uint32_t least, most; /* ORDO_NUMBER */
};

/* A form of an algorithm that is worth trying when one is to be chosen: it adds in another order,
 * or costs otherwise. */
struct ordo_variant {
	/* bit (1 << op) for every operator it is tried for; 0: all the algorithm has */
	uint32_t operators;
	/* what stands between the parentheses, "fold=folded"; "" for the plain name. `#` stands for
	 * the number of servers of the topology, or, with `rings`, for that of the rings every rank
	 * has links for */
	const char *settings;
	bool servers; /* only where the topology tells several servers apart */
	bool rings;   /* only where every rank has links for several rings */
	/* bit (1 << op): chunks follow each other, so that K is worth choosing by size */
	uint32_t pipelines;
};

/* Another name, one that the field has for an algorithm with these settings. Several algorithms may
 * share one, for different operators: `pairwise` is an AllToAll and a ReduceScatter. */
struct ordo_alias {
	const char *name;
	/* bit (1 << op) for every operator it is a name for; 0: all there are */
	uint32_t operators;
	const char *settings; /* what the parentheses hold: "shape=double-binary"; "": none */
	const char *note;     /* what differs from what the field calls so, for people; or NULL */
};

/* What `ordo list` shows. */
struct ordo_algorithm_facts {
	const char *name;
	const char *summary;
	uint32_t operators; /* bit (1 << op) for every operator it has */
	const char *ranks;  /* condition on N, for people: "any", "2^k" */
	const char *steps;  /* formulas for people, of the header of its file */
	const char *volume;
	const char *order; /* what trees it makes */
	const char *topologies;
	const char *source;
	const struct ordo_parameter *parameters;
	uint32_t nparameter;
	const struct ordo_variant *variants; /* NULL: the plain name alone */
	uint32_t nvariant;
	const struct ordo_alias *aliases; /* a document never carries one */
	uint32_t nalias;
	/* For people, a paragraph each: how it works, and when to choose it. `ordo explain` and the
	 * gallery show them. */
	const char *how, *when;
};

ORDO_API const struct ordo_algorithm_facts *const *ordo_algorithms(uint32_t *count);

/* One meaning of a name. */
struct ordo_named {
	const struct ordo_algorithm_facts *facts;
	const struct ordo_alias *alias; /* NULL: it is the algorithm's own name */
	uint32_t operators;		/* bit (1 << op) for every operator it has by this name */
};
/* A name has at most so many meanings. */
#define ORDO_MOST_NAMED 8

/* All that a name means, an algorithm's own name first; names are compared without regard to case,
 * hyphens and underscores. Returns how many there are: 0 for a name that nobody has. */
ORDO_API uint32_t ordo_algorithms_named(const char *name, struct ordo_named named[ORDO_MOST_NAMED]);

/* The name, of algorithms and aliases that have one of the operators (bits 1 << op), that is
 * nearest to a word; see ordo_suggest. NULL: none is near. */
ORDO_API const char *ordo_algorithm_suggest(const char *word, uint32_t operators);

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
	bool pipelines; /* chunks follow each other: another K would be another cost */
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
};

/* All variants of all algorithms that have the operator and apply to the problem, and those that do
 * not. The cheapest first: least volume, then fewest steps, then as the table of algorithms has
 * them; by their claims, nothing is compiled, so one may still turn out to need a link that is not
 * there. chunks_per_block 0: each algorithm chooses; topology may be NULL. The caller frees it,
 * also after false: no memory, or no such problem. */
ORDO_API bool ordo_candidates_make(struct ordo_candidates *candidates,
	const struct ordo_problem *problem, const struct ordo_topology *topology,
	struct ordo_error *error);
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

/* Topologies by name: "full-mesh", "ring", "a3:2x8", ... with nrank ranks. A name with a slash or
 * ending in `.json` is read as a document. nrank 0 accepts as many as the document or the sizes in
 * the name say. Finished. NULL: see error. The caller destroys it. */
ORDO_API struct ordo_topology *ordo_topology_make(
	const char *name, uint32_t nrank, struct ordo_error *error);

struct ordo_topology_facts {
	const char *name, *summary;
	const char *ranks; /* condition on the number of ranks, for people: "any", "2^k" */
	/* For people: what it looks like, and what hardware has it. */
	const char *how, *where;
	const char *sample; /* the name of one that has eight ranks: "a3:8", "ring" */
};
ORDO_API const struct ordo_topology_facts *ordo_topologies(uint32_t *count);

/* The calls above pass the size of the options that they are compiled with, so that options can
 * grow (version.h). */
ORDO_API struct ordo_schedule *ordo_compile_sized(
	size_t size, const struct ordo_request *request, struct ordo_error *error);
ORDO_API bool ordo_shard_price_sized(size_t size, const struct ordo_request *request,
	struct ordo_shard_price *price, struct ordo_error *error);
ORDO_API struct ordo_schedule *ordo_choose_sized(size_t size, const struct ordo_request *request,
	ordo_suits *suits, void *closure, struct ordo_candidates *refused,
	struct ordo_proof **proof, struct ordo_error *error);
ORDO_API const char *ordo_list_suiting_sized(size_t size, const struct ordo_request *request,
	ordo_suits *suits, void *closure, uint32_t most, struct ordo_arena *arena,
	struct ordo_error *error);
#define ordo_compile(...) ordo_compile_sized(sizeof(struct ordo_request), __VA_ARGS__)
#define ordo_shard_price(...) ordo_shard_price_sized(sizeof(struct ordo_request), __VA_ARGS__)
#define ordo_choose(...) ordo_choose_sized(sizeof(struct ordo_request), __VA_ARGS__)
#define ordo_list_suiting(...) ordo_list_suiting_sized(sizeof(struct ordo_request), __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
