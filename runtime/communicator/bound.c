/* bound.c - collectives for calls by name: found by each rank without a lock, made when they are
 * first asked for, and so many of them kept. */
#include "bound.h"
#include "collective/collective.h"
#include "collective/group.h"
#include "kernels/arithmetic.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

struct wanted ordo_wanted(enum ordo_operator op, uint32_t root, enum ordo_type type,
	enum ordo_reduction reduction, uint64_t count)
{
	return (struct wanted){count, (uint64_t)root << 32 | (uint64_t)op << 16 |
					      (uint64_t)type << 8 | (uint64_t)reduction};
}

static enum ordo_operator op_of(const struct wanted *wanted)
{
	return (enum ordo_operator)(wanted->kind >> 16 & 0xff);
}

static uint32_t root_of(const struct wanted *wanted)
{
	return (uint32_t)(wanted->kind >> 32);
}

static bool is_same(const struct wanted *a, const struct wanted *b)
{
	return a->count == b->count && a->kind == b->kind;
}

static bool fail_unbound(const struct ordo_communicator *communicator, const struct wanted *wanted,
	struct ordo_error *error)
{
	const struct bound *bound = communicator->bound;
	const struct ordo_operator_facts *facts = ordo_operator_facts(op_of(wanted));
	char roots[64] = "";
	int length = 0;
	for (size_t i = 0; bound && i < bound->nbinding && length < (int)sizeof roots - 12; i++)
		if (bound->bindings[i].op == op_of(wanted))
			length += snprintf(roots + length, sizeof roots - (size_t)length,
				"%s%" PRIu32, length ? ", " : "", bound->bindings[i].root);
	if (length) {
		ordo_fail(error, ORDO_USAGE, 0,
			"%s with root %" PRIu32
			": the schedules bound to the communicator have root %s",
			facts->name, root_of(wanted), roots);
		return ordo_hint(error,
			"bind one for that root too: `ordo compile %s --ranks %" PRIu32
			" --root %" PRIu32 "`",
			facts->name, communicator->nrank, root_of(wanted));
	}
	ordo_fail(error, ORDO_USAGE, 0, "%s: no schedule of it is bound to the communicator",
		facts->name);
	return ordo_hint(error,
		"ordo_communicator_bind binds one; `ordo compile %s --ranks %" PRIu32 "` makes one",
		facts->name, communicator->nrank);
}

static bool is_held(
	const struct ordo_communicator *communicator, const struct ordo_collective *collective)
{
	for (uint32_t r = 0; r < communicator->nrank; r++)
		if (atomic_load(&communicator->bound->finders[r].held) == collective)
			return true;
	return false;
}

/* Destroys those that were not asked for for longest and that nobody holds, until there is room for
 * one more, or nothing to destroy. */
static void make_room(struct ordo_communicator *communicator)
{
	struct bound *bound = communicator->bound;
	if (bound->nkept >= communicator->most_kept)
		atomic_fetch_add(&bound->generation, 1);
	while (bound->nkept >= communicator->most_kept) {
		struct kept *oldest = NULL;
		for (size_t i = 0; i < bound->nkept; i++)
			if ((!oldest || bound->kept[i].asked < oldest->asked) &&
				!is_held(communicator, bound->kept[i].collective))
				oldest = &bound->kept[i];
		if (!oldest)
			return;
		ordo_collective_destroy(oldest->collective);
		*oldest = bound->kept[--bound->nkept];
	}
}

static struct kept *make(struct ordo_communicator *communicator, const struct wanted *wanted,
	struct ordo_error *error)
{
	struct bound *bound = communicator->bound;
	const struct binding *binding = NULL;
	for (size_t i = 0; i < bound->nbinding && !binding; i++)
		if (bound->bindings[i].op == op_of(wanted) &&
			bound->bindings[i].root == root_of(wanted))
			binding = &bound->bindings[i];
	if (!binding) {
		fail_unbound(communicator, wanted, error);
		return NULL;
	}
	make_room(communicator);
	const struct ordo_plan_options options = {
		.type = (enum ordo_type)(wanted->kind >> 8 & 0xff),
		.reduction = (enum ordo_reduction)(wanted->kind & 0xff),
		.count = wanted->count};
	if (!ordo_array_reserve(
		    &bound->kept, &bound->kept_room, bound->nkept + 1, sizeof *bound->kept)) {
		ordo_fail_memory(error);
		return NULL;
	}
	struct ordo_collective *collective = ordo_group_make(binding->group, &options, error);
	if (!collective)
		return NULL;
	bound->kept[bound->nkept] = (struct kept){*wanted, collective, 0};
	return &bound->kept[bound->nkept++];
}

/* Where a rank looks for a collective first. */
static uint32_t place_of(const struct wanted *wanted)
{
	const uint64_t mixed = wanted->count * UINT64_C(0x9e3779b97f4a7c15) ^
			       wanted->kind * UINT64_C(0xbf58476d1ce4e5b9);
	return (uint32_t)(mixed >> 58) % NFOUND;
}

/* Asks the list of all ranks. */
static const struct ordo_collective *ask(struct ordo_communicator *communicator,
	struct finder *finder, const struct wanted *wanted, struct ordo_error *error)
{
	struct bound *bound = communicator->bound;
	struct kept *kept = NULL;
	const struct ordo_collective *collective = NULL;
	pthread_mutex_lock(&bound->lock);
	for (size_t i = 0; i < bound->nkept && !kept; i++)
		if (is_same(&bound->kept[i].wanted, wanted))
			kept = &bound->kept[i];
	if (kept || (kept = make(communicator, wanted, error))) {
		const uint64_t generation = atomic_load(&bound->generation);
		if (finder->generation != generation)
			memset(finder->found, 0, sizeof finder->found);
		finder->generation = generation;
		collective = kept->collective;
		kept->asked = ++bound->nasked;
		atomic_store(&finder->held, collective);
		finder->found[place_of(wanted)].wanted = *wanted;
		finder->found[place_of(wanted)].collective = collective;
	}
	pthread_mutex_unlock(&bound->lock);
	return collective;
}

const struct ordo_collective *ordo_bound_find(struct ordo_communicator *communicator, uint32_t rank,
	const struct wanted *wanted, struct ordo_error *error)
{
	struct bound *bound = communicator->bound;
	if (!bound) {
		fail_unbound(communicator, wanted, error);
		return NULL;
	}
	struct finder *finder = &bound->finders[rank];
	const uint32_t place = place_of(wanted);
	const struct ordo_collective *collective = finder->found[place].collective;
	if (!collective || !is_same(&finder->found[place].wanted, wanted))
		return ask(communicator, finder, wanted, error);
	if (atomic_load_explicit(&finder->held, memory_order_relaxed) != collective)
		atomic_store(&finder->held, collective);
	return atomic_load(&bound->generation) == finder->generation
		       ? collective
		       : ask(communicator, finder, wanted, error);
}

void ordo_bound_destroy(struct bound *bound)
{
	if (!bound)
		return;
	for (size_t i = 0; i < bound->nkept; i++)
		ordo_collective_destroy(bound->kept[i].collective);
	for (size_t i = 0; i < bound->nbinding; i++)
		if (bound->bindings[i].owned)
			ordo_group_destroy(bound->bindings[i].group);
	free(bound->kept);
	free(bound->bindings);
	free(bound->parts);
	free(bound->finders);
	pthread_mutex_destroy(&bound->lock);
	free(bound);
}
