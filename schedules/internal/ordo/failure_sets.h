/* failure_sets.h - a schedule for each single link that is down: `ordo/failure-set/1`.
 *
 * A state is a link that is down, or none. A set has the schedule of each state of one topology,
 * the time that no schedule can beat there, and the time of this one. It is a folder with the
 * document `failure-set.json`, the topology `topology.json`, and the schedules `failure-0.json`,
 * ...; states with equal schedules share a file. What is said of documents in document.h holds
 * here.
 */
#ifndef ORDO_FAILURE_SETS_H
#define ORDO_FAILURE_SETS_H

#include <ordo/document.h>
#include <ordo/topology.h>

struct ordo_failure_state {
	uint32_t a, b;	       /* the vertices whose links are down, a < b; ORDO_NONE: none is */
	const char *schedule;  /* NULL: the network is in parts then, and no schedule is possible;
				 * all that follows is 0 */
	const char *algorithm; /* for people, as in the schedule */
	const char *order_digest; /* 32 hexadecimal digits, of its proof */
	/* the least time of the wire: numerator/denominator * bytes / bandwidth_gbs ns */
	uint64_t numerator, denominator;
	double bandwidth_gbs;
	double time_ns;		 /* predicted for the bytes of the set */
	double price;		 /* time_ns over the bound; 0: the bound is 0 */
	struct ordo_place place; /* of its value in the document; line 0 if it was not read */
};

/* Read it from any number of threads. */
struct ordo_failure_set {
	struct ordo_problem problem; /* of all schedules; chunks_per_block is 1 here */
	const char *topology_name, *topology_digest; /* without the failures */
	uint64_t bytes;				     /* the size that schedules were chosen for */
	/* [nstate], the first without a failure, then the links in ascending order */
	struct ordo_failure_state *states;
	uint32_t nstate;
	const char *extra; /* the text of the "x" object in canonical form; NULL */
	const char *file;  /* the document's name; NULL if it was not read */

	/* Private. */
	struct ordo_place topology_place, states_place;
	int folder;		 /* descriptor; -1: there is none */
	const char *folder_name; /* with its slash */
	size_t room;
	struct ordo_arena arena;
};

/* A set without states; the texts are copied. The caller destroys it. NULL: no memory or a bad
 * problem. */
struct ordo_failure_set *ordo_failure_set_create(const struct ordo_problem *problem,
	const char *topology_name, const char *topology_digest, uint64_t bytes,
	struct ordo_error *error);
void ordo_failure_set_destroy(struct ordo_failure_set *set);

/* The price that a state should have; 0: its bound is 0. */
double ordo_failure_price(const struct ordo_failure_state *state, uint64_t bytes);

/* Is the price of a state, which may be without a schedule, the one it should have? */
bool ordo_failure_price_check(
	const struct ordo_failure_state *state, uint64_t bytes, struct ordo_error *error);

/* The next state, whose texts are copied. ORDO_BAD_INPUT, R1: a state that the format does not
 * allow (FORMAT.md), such as links that do not ascend, or a price that is not time over bound. */
bool ordo_failure_set_add(struct ordo_failure_set *set, const struct ordo_failure_state *state,
	struct ordo_error *error);

/* The state in which the link between two vertices is down, in any order (ORDO_NONE: none is).
 * ORDO_NONE: there is none. */
uint32_t ordo_failure_set_find(const struct ordo_failure_set *set, uint32_t a, uint32_t b);
/* The first state with the same schedule. */
uint32_t ordo_failure_set_first(const struct ordo_failure_set *set, uint32_t state);

/* Whether a file is a failure set, by its schema, or a folder, by whether it holds
 * failure-set.json. */
bool ordo_is_failure_set(const char *path);
struct ordo_failure_set *ordo_failure_set_read(const char *path, struct ordo_error *error);
/* As ordo_failure_set_read, from memory: there is nothing beside it. */
struct ordo_failure_set *ordo_failure_set_read_text(
	const char *text, size_t size, const char *name, struct ordo_error *error);
/* Reads the topology beside the set. NULL also if it is not the one that the set names, or has
 * other links than the set has states. The caller destroys it. */
struct ordo_topology *ordo_failure_set_topology(
	const struct ordo_failure_set *set, struct ordo_error *error);
/* Reads the schedule of a state. NULL also if the state has none, if it is missing, or of another
 * problem than the set. The caller destroys it. */
struct ordo_schedule *ordo_failure_set_open(const struct ordo_failure_set *set, uint32_t state,
	const struct ordo_read_options *options, struct ordo_error *error);

bool ordo_failure_set_print(
	const struct ordo_failure_set *set, FILE *out, struct ordo_error *error);
/* Writes a folder with the set, its topology and schedules[nstate] (equal names: the first of them;
 * a state without one: NULL). All of it appears or nothing. */
bool ordo_failure_set_write(const struct ordo_failure_set *set,
	const struct ordo_topology *topology, const struct ordo_schedule *const *schedules,
	const char *path, struct ordo_error *error);

#endif
