/* bound.c - the cache of collectives for calls by name: each rank looks them up without a lock;
 * they are created on first use, and the least recently used are evicted. */
#include "bound.h"
#include "collective/collective.h"
#include "collective/group.h"
#include "kernels/arithmetic.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

struct key ordo_call_key(enum ordo_operator op, uint32_t root, enum ordo_type type,
	enum ordo_reduction reduction, uint64_t count)
{
	return (struct key){.count = count,
		.kind = (uint64_t)root << 32 | (uint64_t)op << 16 | (uint64_t)type << 8 |
			(uint64_t)reduction};
}

static enum ordo_operator op_of(const struct key *key)
{
	return (enum ordo_operator)(key->kind >> 16 & 0xff);
}

static uint32_t root_of(const struct key *key)
{
	return (uint32_t)(key->kind >> 32);
}

struct key ordo_call_key_unequal(
	const struct key *equal, const uint64_t *block_count, uint32_t nrank)
{
	struct key key = *equal;
	key.block_count = block_count;
	key.nblock = op_of(equal) == ORDO_ALLTOALL ? (size_t)nrank * nrank : nrank;
	key.count = 0;
	for (size_t b = 0; b < key.nblock; b++)
		key.count = (key.count ^ block_count[b]) * UINT64_C(0x9e3779b97f4a7c15) +
			    (key.count >> 29);
	return key;
}

static bool is_same(const struct key *a, const struct key *b)
{
	return a->count == b->count && a->kind == b->kind && a->nblock == b->nblock &&
	       (!a->nblock ||
		       !memcmp(a->block_count, b->block_count, a->nblock * sizeof(uint64_t)));
}

void ordo_kept_destroy(struct kept *kept)
{
	ordo_collective_destroy(kept->collective);
	free(kept->counts);
}

/* Gives the key counts of its own. false: no memory. */
static bool own_counts(struct kept *kept)
{
	const size_t size = kept->key.nblock * sizeof *kept->counts;
	if (!size)
		return true;
	kept->counts = malloc(size);
	if (kept->counts)
		memcpy(kept->counts, kept->key.block_count, size);
	kept->key.block_count = kept->counts;
	return kept->counts;
}

static bool fail_unbound(const struct ordo_communicator *communicator, const struct key *key,
	struct ordo_error *error)
{
	const struct bound *bound = communicator->bound;
	const struct ordo_operator_facts *facts = ordo_operator_facts(op_of(key));
	char roots[64] = "";
	int length = 0;
	for (size_t i = 0; bound && i < bound->nbinding && length < (int)sizeof roots - 12; i++)
		if (bound->bindings[i].op == op_of(key))
			length += snprintf(roots + length, sizeof roots - (size_t)length,
				"%s%" PRIu32, length ? ", " : "", bound->bindings[i].root);
	if (length) {
		ordo_fail(error, ORDO_USAGE, 0,
			"%s with root %" PRIu32
			": the schedules bound to the communicator have root %s",
			facts->name, root_of(key), roots);
		return ordo_hint(error,
			"bind one for that root too: `ordo compile %s --ranks %" PRIu32
			" --root %" PRIu32 "`",
			facts->name, communicator->nrank, root_of(key));
	}
	ordo_fail(error, ORDO_USAGE, 0, "%s: no schedule for it is bound to the communicator",
		facts->name);
	return ordo_hint(error,
		"ordo_communicator_bind binds one; `ordo compile %s --ranks %" PRIu32 "` makes one",
		facts->name, communicator->nrank);
}

static bool is_held(
	const struct ordo_communicator *communicator, const struct ordo_collective *collective)
{
	for (uint32_t r = 0; r < communicator->nrank; r++)
		if (atomic_load(&communicator->bound->lookup_tables[r].held) == collective)
			return true;
	return false;
}

/* Evicts the least recently used collectives that no rank holds, until there is room for one more,
 * or all are held. */
static void evict(struct ordo_communicator *communicator)
{
	struct bound *bound = communicator->bound;
	if (bound->nkept >= communicator->max_kept)
		atomic_fetch_add(&bound->generation, 1);
	while (bound->nkept >= communicator->max_kept) {
		struct kept *oldest = NULL;
		for (size_t i = 0; i < bound->nkept; i++)
			if ((!oldest || bound->kept[i].last_lookup < oldest->last_lookup) &&
				!is_held(communicator, bound->kept[i].collective))
				oldest = &bound->kept[i];
		if (!oldest)
			return;
		ordo_kept_destroy(oldest);
		*oldest = bound->kept[--bound->nkept];
	}
}

static struct kept *make(
	struct ordo_communicator *communicator, const struct key *key, struct ordo_error *error)
{
	struct bound *bound = communicator->bound;
	const struct binding *binding = NULL;
	for (size_t i = 0; i < bound->nbinding && !binding; i++)
		if (bound->bindings[i].op == op_of(key) && bound->bindings[i].root == root_of(key))
			binding = &bound->bindings[i];
	if (!binding) {
		fail_unbound(communicator, key, error);
		return NULL;
	}
	evict(communicator);
	const struct ordo_plan_options options = {.type = (enum ordo_type)(key->kind >> 8 & 0xff),
		.reduction = (enum ordo_reduction)(key->kind & 0xff),
		.count = key->count,
		.block_count = key->block_count};
	struct kept kept = {.key = *key};
	if (!ordo_array_reserve(
		    &bound->kept, &bound->kept_room, bound->nkept + 1, sizeof *bound->kept) ||
		!own_counts(&kept)) {
		ordo_fail_memory(error);
		return NULL;
	}
	kept.collective = ordo_group_make(binding->group, &options, error);
	if (!kept.collective) {
		ordo_kept_destroy(&kept);
		return NULL;
	}
	bound->kept[bound->nkept] = kept;
	return &bound->kept[bound->nkept++];
}

/* The slot of a collective in a rank's table: a hash of its key. */
static uint32_t table_slot(const struct key *key)
{
	const uint64_t mixed = key->count * UINT64_C(0x9e3779b97f4a7c15) ^
			       key->kind * UINT64_C(0xbf58476d1ce4e5b9);
	return (uint32_t)(mixed >> 58) % TABLE_SIZE;
}

/* Looks the collective up in the list of all ranks, or creates it. */
static const struct ordo_collective *look_up(struct ordo_communicator *communicator,
	struct lookup_table *table, const struct key *key, struct ordo_error *error)
{
	struct bound *bound = communicator->bound;
	struct kept *kept = NULL;
	const struct ordo_collective *collective = NULL;
	pthread_mutex_lock(&bound->lock);
	for (size_t i = 0; i < bound->nkept && !kept; i++)
		if (is_same(&bound->kept[i].key, key))
			kept = &bound->kept[i];
	if (kept || (kept = make(communicator, key, error))) {
		const uint64_t generation = atomic_load(&bound->generation);
		if (table->generation != generation)
			memset(table->found, 0, sizeof table->found);
		table->generation = generation;
		collective = kept->collective;
		kept->last_lookup = ++bound->nlookup;
		atomic_store(&table->held, collective);
		if (!key->nblock) {
			table->found[table_slot(key)].key = *key;
			table->found[table_slot(key)].collective = collective;
		}
	}
	pthread_mutex_unlock(&bound->lock);
	return collective;
}

const struct ordo_collective *ordo_bound_find(struct ordo_communicator *communicator, uint32_t rank,
	const struct key *key, struct ordo_error *error)
{
	struct bound *bound = communicator->bound;
	if (!bound) {
		fail_unbound(communicator, key, error);
		return NULL;
	}
	struct lookup_table *table = &bound->lookup_tables[rank];
	/* Counts are looked up behind the lock: a table would have to own them. */
	if (key->nblock)
		return look_up(communicator, table, key, error);
	const uint32_t slot = table_slot(key);
	const struct ordo_collective *collective = table->found[slot].collective;
	if (!collective || !is_same(&table->found[slot].key, key))
		return look_up(communicator, table, key, error);
	if (atomic_load_explicit(&table->held, memory_order_relaxed) != collective)
		atomic_store(&table->held, collective);
	return atomic_load(&bound->generation) == table->generation
		       ? collective
		       : look_up(communicator, table, key, error);
}

void ordo_bound_destroy(struct bound *bound)
{
	if (!bound)
		return;
	for (size_t i = 0; i < bound->nkept; i++)
		ordo_kept_destroy(&bound->kept[i]);
	for (size_t i = 0; i < bound->nbinding; i++)
		if (bound->bindings[i].owned)
			ordo_group_destroy(bound->bindings[i].group);
	free(bound->kept);
	free(bound->bindings);
	free(bound->parts);
	free(bound->lookup_tables);
	pthread_mutex_destroy(&bound->lock);
	free(bound);
}
