/* bound.h - the schedules bound to a communicator, and the collectives cached for calls by name.
 * Private to runtime/.
 *
 * Collectives are kept in one list for all ranks, behind a lock. So that a repeated call takes no
 * lock and touches no cache line of another rank, every rank has a table of its own, of collectives
 * that it found in the list, and publishes the one it holds (a hazard pointer). When a collective
 * is to be destroyed:
 *
 *   the destroyer  increments the generation, then keeps the collective if any rank holds it
 *   the caller     holds the collective, then compares the generation with that of its table, and
 *                  goes to the list if they differ
 *
 * Both are sequentially consistent, so either the destroyer sees that the collective is held, or
 * the caller sees that its table is stale.
 */
#ifndef ORDO_BOUND_H
#define ORDO_BOUND_H

#include "state.h"

/* The key of a collective: a count, and root, operator, type and reduction packed in `kind`. Of
 * blocks that have each its own count these are compared too, and `count` is a hash of them. */
struct key {
	uint64_t count, kind;
	const uint64_t *block_count; /* [nblock]; or NULL */
	size_t nblock;
};

/* The schedules bound for one operator and root. */
struct binding {
	enum ordo_operator op;
	uint32_t root;
	struct ordo_group *group;
	bool owned;
};

struct kept {
	struct key key;
	uint64_t *counts; /* those of the key; or NULL */
	struct ordo_collective *collective;
	uint64_t last_lookup; /* value of bound->nlookup when a rank last looked it up */
};

#define TABLE_SIZE 64
/* The table of one rank. Only the thread that acts for the rank uses it, except `held`. */
struct lookup_table {
	alignas(CACHE_LINE) _Atomic(const struct ordo_collective *) held;
	uint64_t generation; /* of the entries of `found` */
	struct {
		struct key key;
		const struct ordo_collective *collective;
	} found[TABLE_SIZE];
};

struct bound {
	pthread_mutex_t lock;
	struct binding *bindings;
	size_t nbinding, binding_room;
	struct kept *kept;
	size_t nkept, kept_room;
	uint64_t nlookup;
	struct ordo_part *parts;	    /* [nrank] of calls for all ranks */
	struct lookup_table *lookup_tables; /* [nrank] */
	alignas(CACHE_LINE) _Atomic uint64_t generation;
};

struct key ordo_call_key(enum ordo_operator op, uint32_t root, enum ordo_type type,
	enum ordo_reduction reduction, uint64_t count);
/* The same of blocks with counts: [nrank], or of AllToAll [nrank * nrank]; the key borrows
 * them. */
struct key ordo_call_key_unequal(
	const struct key *equal, const uint64_t *block_count, uint32_t nrank);
/* The collective for a key; valid until the rank, for which the caller acts, looks up another one.
 * NULL: see error. */
const struct ordo_collective *ordo_bound_find(struct ordo_communicator *communicator, uint32_t rank,
	const struct key *key, struct ordo_error *error);
/* Binds a group. An owned group is destroyed with the communicator, or at once if this fails. */
bool ordo_bind(struct ordo_communicator *communicator, struct ordo_group *group, bool owned,
	struct ordo_error *error);
/* Frees what is kept for a key. */
void ordo_kept_destroy(struct kept *kept);
void ordo_bound_destroy(struct bound *bound); /* takes NULL */

#endif
