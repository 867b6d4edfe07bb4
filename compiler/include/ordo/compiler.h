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
	/* No signal ever holds more tokens, in any interleaving of any number of calls: 1 is what
	 * flags need that are set and cleared. Signals are split, and nothing else changes. 0: no
	 * limit */
	uint32_t max_tokens;
	/* Other ranks touch scratch only, never input or output, and a rank has at most so many
	 * slots of it, those that the algorithm itself takes included; the schedule says so
	 * (staging). No order of additions changes. Fewer slots than work are refused, with their
	 * number (ORDO_USAGE). 0: no staging */
	uint32_t staging_slots;
	/* The tree of every sum, where an algorithm leaves its choice open (order=auto or searched
	 * of `placed`), as in its parameter: "dyadic", "(0+2)+(1+3)". Others ignore it. NULL: the
	 * algorithm chooses */
	const char *order;
	/* A program of more moves is given up (ORDO_ENVIRONMENT, error->too_large) while the
	 * algorithm writes it, before what takes most of the time and the memory. 0: no limit */
	uint32_t most_moves;
	/* internal, set by a choice for all its candidates; NULL */
	struct ordo_kept_placements *kept_placements;
	struct ordo_kept_phases *kept_phases; /* likewise */
	/* Only schedules that add every element by one tree (G3) are of use to the caller: a choice
	 * then tries algorithms made for that among more ranks, as it does where `order` is given.
	 * It refuses nothing; the caller does. */
	bool one_tree;
};

/* Compiles a schedule, and proves it before it is returned.
 *
 *   request   what is wanted; not needed afterwards. Not NULL
 *   error     filled if the result is NULL; may be NULL
 *
 * Without request->algorithm the result is the one that is fastest with 1 MiB of f32 on the
 * topology, of all that apply, as `ordo compile` chooses: each is compiled, proved and
 * simulated. Returns a schedule that the caller destroys. NULL: ORDO_USAGE, the request does not
 * apply, with what does apply as the hint; or ORDO_ENVIRONMENT, no memory, or more than
 * ordo_set_memory_limit allows. Any thread. */
ORDO_API struct ordo_schedule *ordo_compile(
	const struct ordo_request *request, struct ordo_error *error);

/* Makes a topology by its name, such as "full-mesh", "ring", "a3:2x8" (`ordo list` shows all),
 * or reads it from a document.
 *
 *   name    a name with a slash or that ends in `.json` is the path of a document
 *   nrank   ranks; 0: as many as the document has, or the sizes in the name give
 *   error   filled if the result is NULL; may be NULL
 *
 * Returns a finished topology that the caller destroys. NULL: ORDO_USAGE, no such name, or
 * another number of ranks; or as ordo_topology_read. */
ORDO_API struct ordo_topology *ordo_topology_make(
	const char *name, uint32_t nrank, struct ordo_error *error);

/* The calls above pass the size of the options that they are compiled with, so that options can
 * grow (version.h). */
ORDO_API struct ordo_schedule *ordo_compile_sized(
	size_t size, const struct ordo_request *request, struct ordo_error *error);
#define ordo_compile(...) ordo_compile_sized(sizeof(struct ordo_request), __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif

/* Internal functions, declared here for one release; <ordo/ordo.h> leaves them out. */
#ifndef ORDO_EMBEDDER
#include <ordo/detail/algorithms.h>
#include <ordo/detail/choose.h>
#endif
