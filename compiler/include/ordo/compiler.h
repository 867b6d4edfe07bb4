/* compiler.h - from a problem, an algorithm and a topology to a proved schedule. */
#ifndef ORDO_COMPILER_H
#define ORDO_COMPILER_H

#include <ordo/verify.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ordo_request {
	struct ordo_problem problem; /* chunks_per_block 0: the algorithm chooses; nshard 0: nrank */
	const char *algorithm; /* "ring", "ring(directions=2,rings=3)", "mesh(shots=1,fold=linear)", ... */
	const struct ordo_topology
		*topology; /* NULL: every rank reaches every other, and the document names none */
	bool unproved; /* skip the proof, for measuring it apart; the caller must verify before it writes */
	ordo_progress *progress;
	void *closure;
};

/* Compiles, and proves the result with ordo_verify before returning it. The caller destroys it. NULL: the
 * request does not apply (ORDO_USAGE, with what does apply as the hint), no memory, or, were the compiler
 * wrong, the proof's first finding. */
ORDO_API struct ordo_schedule *ordo_compile(const struct ordo_request *request, struct ordo_error *error);

enum ordo_parameter_kind {
	ORDO_WORD,	 /* one of the words of `values`, which are separated by `|` */
	ORDO_NUMBER,	 /* least..most; or one of the words of `values` */
	ORDO_LISTS,	 /* [0,2,1,3], or several lists [[0,1,2],[0,2,1]]; or one of the words of `values` */
	ORDO_ALGORITHMS, /* algorithms with their own parameters, without a key: (ring(directions=2),nhr) */
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
};

ORDO_API const struct ordo_algorithm_facts *const *ordo_algorithms(uint32_t *count);

/* Topologies by name: "full-mesh", "ring", "a3:2x8", ... with nrank ranks. A name with a slash or ending in
 * `.json` is read as a document. nrank 0 accepts as many as the document or the sizes in the name say. Finished. NULL: see error. The caller destroys
 * it. */
ORDO_API struct ordo_topology *ordo_topology_make(const char *name, uint32_t nrank, struct ordo_error *error);

struct ordo_topology_facts {
	const char *name, *summary, *ranks;
};
ORDO_API const struct ordo_topology_facts *ordo_topologies(uint32_t *count);

#ifdef __cplusplus
}
#endif
#endif
