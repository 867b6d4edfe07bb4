/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* algorithms.h - algorithms and topologies by name, and facts about them. */
#ifndef ORDO_ALGORITHMS_H
#define ORDO_ALGORITHMS_H

#include <ordo/compiler.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ordo_parameter_kind {
	ORDO_WORD,   /* one of the words of `values`, which are separated by `|` */
	ORDO_NUMBER, /* least..most; or one of the words of `values` */
	/* [0,2,1,3], or several lists [[0,1,2],[0,2,1]]; or one of the words of `values` */
	ORDO_LISTS,
	/* algorithms with their own parameters, without a key: (ring(directions=2),nhr) */
	ORDO_ALGORITHMS,
	/* additions, ((0+1)+(2+3)); or one of the words of `values` */
	ORDO_SUMS,
};

/* One parameter of an algorithm, as written between its parentheses. */
struct ordo_parameter {
	const char *name;
	const char *values;   /* for people: "dyadic|folded|linear", "1..64", "auto|[0,2,1,3]" */
	const char *fallback; /* the value if left out, as text */
	const char *meaning;
	enum ordo_parameter_kind kind;
	uint32_t least, most; /* ORDO_NUMBER */
	bool fixes_chunks;    /* ORDO_NUMBER: if it is given, no other K is tried by size */
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
	bool servers;	     /* only where the topology tells several servers apart */
	bool rings;	     /* only where every rank has links for several rings */
	bool owners;	     /* only where some ranks have links to all others, and some do not */
	bool sparse;	     /* only where some ranks lack links to others */
	bool uneven;	     /* only there, or where links are unequal, shared, or on ports */
	bool slow;	     /* only where links are slower than ways over a third rank */
	bool one_way;	     /* only where links lead one way */
	bool unequal;	     /* only where links are not as wide one way as the other */
	bool parallel;	     /* only where links lie side by side, or with via=spread */
	bool switched;	     /* only where the topology has switches */
	bool adds;	     /* only where a rank does not add much faster than links bring */
	uint32_t most_ranks; /* only up to so many; 0: any number */
	/* likewise, where all ranks add: AllReduce and ReduceScatter */
	uint32_t most_adders;
	/* likewise, where one switch joins all ranks */
	uint32_t most_at_switch;
	bool one_tree; /* most_ranks does not count where one tree for all elements is asked for */
	/* bit (1 << op): chunks follow each other, so that K is worth choosing by size */
	uint32_t pipelines;
	uint8_t halves; /* how often half of its own K, and half of that, is worth trying too */
	/* percent of its time that another K may save, more than those that were tried promise */
	uint8_t may_save;
	/* it is for little data, with most_moves at most: those who name it get what others try */
	bool little;
	/* more chunks than its own only while they are large, for one size */
	bool large_chunks;
	/* the greatest K that is tried, times blocks and ranks; 0: no limit but that of any K */
	uint32_t most_moves;
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
	/* tools/survey sets it: nowhere in compiler/SURVEY.md the fastest, and others make the
	 * orders that it makes. It compiles, and is tried, as any other. */
	bool never_fastest;
};

/* What is said of an algorithm with never_fastest. */
#define ORDO_NEVER_FASTEST "never the fastest in the survey; kept for its name"

ORDO_API const struct ordo_algorithm_facts *const *ordo_algorithms(uint32_t *count);

/* All algorithms have two parameters more than those of their own: `via`, and `map`, the last. */
ORDO_API uint32_t ordo_parameter_count(const struct ordo_algorithm_facts *facts);
/* index < ordo_parameter_count(facts) */
ORDO_API const struct ordo_parameter *ordo_parameter_at(
	const struct ordo_algorithm_facts *facts, uint32_t index);

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

struct ordo_topology_facts {
	const char *name, *summary;
	const char *ranks; /* condition on the number of ranks, for people: "any", "2^k" */
	/* For people: what it looks like, and what hardware has it. */
	const char *how, *where;
	const char *sample; /* the name of one that has eight ranks: "a3:8", "ring" */
};
ORDO_API const struct ordo_topology_facts *ordo_topologies(uint32_t *count);

#ifdef __cplusplus
}
#endif
#endif
