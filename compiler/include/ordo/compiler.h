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
#define ordo_compile(...) ordo_compile_sized(sizeof(struct ordo_request), __VA_ARGS__)

#ifdef __cplusplus
}
#endif
/* What was declared here and is internal now, for one release. */
#include <ordo/detail/choose.h>

#endif
