/* bound.h - what is bound to a communicator, and the collectives that calls by name have needed so
 * far. Private to runtime/.
 *
 * Collectives are kept in one list for all ranks, behind a lock. So that a call that was made
 * before takes no lock and touches no line of another rank, every rank has a table of its own, of
 * collectives that it found in the list, and says which one it holds. A collective that is to be
 * destroyed:
 *
 *   who destroys   counts the generation up, then looks who holds the collective, and lets it be if
 *                  anyone does
 *   who calls      holds the collective, then looks whether the generation is that of his table,
 *                  and asks the list if it is not
 *
 * Both in one order for all (sequentially consistent): so either the first sees that it is held, or
 * the second sees that his table is old.
 */
#ifndef ORDO_BOUND_H
#define ORDO_BOUND_H

#include "state.h"

/* What a call asks for: a count, and root, operator, type and reduction in one number. */
struct wanted {
	uint64_t count, kind;
};

/* Of the schedules of one operator, and one root. */
struct binding {
	enum ordo_operator op;
	uint32_t root;
	struct ordo_group *group;
	bool owned;
};

struct kept {
	struct wanted wanted;
	struct ordo_collective *collective;
	uint64_t asked; /* when a rank last asked for it, in such questions */
};

#define NFOUND 64
/* Of one rank: only who acts for the rank uses it, but for `held`. */
struct finder {
	alignas(CACHE_LINE) _Atomic(const struct ordo_collective *) held;
	uint64_t generation; /* of what was found */
	struct {
		struct wanted wanted;
		const struct ordo_collective *collective;
	} found[NFOUND];
};

struct bound {
	pthread_mutex_t lock;
	struct binding *bindings;
	size_t nbinding, binding_room;
	struct kept *kept;
	size_t nkept, kept_room;
	uint64_t nasked;
	struct ordo_part *parts; /* [nrank] of calls for all ranks */
	struct finder *finders;	 /* [nrank] */
	alignas(CACHE_LINE) _Atomic uint64_t generation;
};

struct wanted ordo_wanted(enum ordo_operator op, uint32_t root, enum ordo_type type,
	enum ordo_reduction reduction, uint64_t count);
/* The collective that is wanted, until the rank, which the caller acts for, wants another one.
 * NULL: see error. */
const struct ordo_collective *ordo_bound_find(struct ordo_communicator *communicator, uint32_t rank,
	const struct wanted *wanted, struct ordo_error *error);
/* Binds a group, which is destroyed with the communicator if it is owned; if this fails, at once.
 * */
bool ordo_bind(struct ordo_communicator *communicator, struct ordo_group *group, bool owned,
	struct ordo_error *error);
void ordo_bound_destroy(struct bound *bound); /* takes NULL */

#endif
