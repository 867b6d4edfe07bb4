/* group.c - the schedules of one operator, and the collectives made from them. */
#include "group.h"
#include "collective.h"
#include "kernels/arithmetic.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/detail/slots.h>
#include <ordo/options.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The schedule of a range of sizes. It is proved on first use. */
struct member {
	uint64_t from_bytes, to_bytes;
	const struct ordo_schedule *schedule; /* NULL: none for these sizes */
	struct ordo_schedule *owned;	      /* NULL: the caller or an earlier member owns it */
	struct ordo_proof *proof;
};

/* A collective, with the options it was made for. */
struct entry {
	struct ordo_plan_options options;
	uint64_t *block_count; /* [nblock], or NULL */
	struct ordo_collective *collective;
};

struct ordo_group {
	pthread_mutex_t lock;
	struct ordo_problem problem;
	struct member *members; /* by size */
	uint32_t nmember;
	struct entry *entries;
	size_t nentry, room;
};

static struct ordo_group *create(
	const struct ordo_problem *problem, uint32_t nmember, struct ordo_error *error)
{
	struct ordo_group *group = calloc(1, sizeof *group);
	if (group)
		group->members = calloc((size_t)nmember + 1, sizeof *group->members);
	if (!group || !group->members) {
		free(group);
		ordo_fail_memory(error);
		return NULL;
	}
	pthread_mutex_init(&group->lock, NULL);
	group->problem = *problem;
	group->nmember = nmember;
	return group;
}

struct ordo_group *ordo_group_of_schedules(const struct ordo_plan_set *set,
	const struct ordo_schedule *const *schedules, struct ordo_error *error)
{
	struct ordo_group *group = create(&set->problem, set->nrange, error);
	for (uint32_t i = 0; group && i < set->nrange; i++)
		group->members[i] = (struct member){set->ranges[i].from_bytes,
			set->ranges[i].to_bytes, schedules[i], NULL, NULL};
	return group;
}

void ordo_group_adopt(struct ordo_group *group, struct ordo_schedule *const *schedules)
{
	for (uint32_t i = 0; i < group->nmember; i++)
		group->members[i].owned = schedules[i];
}

struct ordo_group *ordo_group_of_schedule(
	const struct ordo_schedule *schedule, struct ordo_error *error)
{
	struct ordo_group *group = create(&schedule->problem, 1, error);
	if (group)
		group->members[0] = (struct member){0, ORDO_ENDLESS, schedule, NULL, NULL};
	return group;
}

void ordo_group_destroy(struct ordo_group *group)
{
	if (!group)
		return;
	for (size_t i = 0; i < group->nentry; i++) {
		free(group->entries[i].block_count);
		ordo_collective_destroy(group->entries[i].collective);
	}
	for (uint32_t i = 0; i < group->nmember; i++) {
		ordo_proof_destroy(group->members[i].proof);
		ordo_schedule_destroy(group->members[i].owned);
	}
	free(group->entries);
	free(group->members);
	pthread_mutex_destroy(&group->lock);
	free(group);
}

/* The bytes of one rank's vector, as plan_set.h counts them; UINT64_MAX on overflow. */
static uint64_t count_bytes(
	const struct ordo_problem *problem, const struct ordo_plan_options *options)
{
	const uint64_t nblock =
			       problem->op == ORDO_ALLTOALL ? problem->nrank : ordo_nblock(problem),
		       most = UINT64_MAX / ordo_type_size(options->type);
	uint64_t count = 0;
	if (options->block_count && !ordo_blocks_size(problem, options->block_count, &count))
		return UINT64_MAX;
	if (!options->block_count && options->count > most / nblock)
		return UINT64_MAX;
	count = options->block_count ? count : options->count * nblock;
	return count * ordo_type_size(options->type);
}

static struct member *find_member(
	struct ordo_group *group, const struct ordo_plan_options *options, struct ordo_error *error)
{
	const uint64_t bytes = count_bytes(&group->problem, options);
	for (uint32_t i = 0; i < group->nmember; i++) {
		struct member *member = &group->members[i];
		if (bytes < member->from_bytes || bytes > member->to_bytes)
			continue;
		if (member->schedule)
			return member;
		ordo_fail(error, ORDO_USAGE, 0,
			"%" PRIu64 " bytes: the plan set has no schedule for this size: it leaves "
			"it to the library",
			bytes);
		return NULL;
	}
	ordo_fail(error, ORDO_USAGE, 0,
		"%" PRIu64 " bytes: the plan set has schedules for %" PRIu64 " to %" PRIu64
		" bytes",
		bytes, group->nmember ? group->members[0].from_bytes : 0,
		group->nmember ? group->members[group->nmember - 1].to_bytes : 0);
	return NULL;
}

static bool matches(
	const struct entry *entry, const struct ordo_plan_options *options, uint32_t nblock)
{
	const struct ordo_plan_options *has = &entry->options;
	const uint64_t alignment = options->alignment ? options->alignment : 1;
	if (has->type != options->type || has->reduction != options->reduction ||
		has->alignment != alignment || !entry->block_count != !options->block_count)
		return false;
	return entry->block_count ? !memcmp(entry->block_count, options->block_count,
					    nblock * sizeof *entry->block_count)
				  : has->count == options->count;
}

static bool keep(struct ordo_group *group, const struct ordo_plan_options *options,
	struct ordo_collective *collective, struct ordo_error *error)
{
	const uint32_t nblock = ordo_nblock(&group->problem);
	struct entry entry = {*options, NULL, collective};
	entry.options.alignment = options->alignment ? options->alignment : 1;
	if (!ordo_array_reserve(
		    &group->entries, &group->room, group->nentry + 1, sizeof *group->entries))
		return ordo_fail_memory(error);
	if (options->block_count) {
		if (!(entry.block_count = malloc(nblock * sizeof *entry.block_count)))
			return ordo_fail_memory(error);
		memcpy(entry.block_count, options->block_count, nblock * sizeof *entry.block_count);
	}
	group->entries[group->nentry++] = entry;
	return true;
}

static bool prove(struct member *member, struct ordo_error *error)
{
	return member->proof || (member->proof = ordo_prove(member->schedule, error));
}

static struct ordo_collective *fold(
	struct ordo_group *group, const struct ordo_plan_options *options, struct ordo_error *error)
{
	struct member *member = find_member(group, options, error);
	return member && prove(member, error)
		       ? ordo_collective_fold(member->schedule, member->proof, options, error)
		       : NULL;
}

static const struct ordo_collective *make(
	struct ordo_group *group, const struct ordo_plan_options *options, struct ordo_error *error)
{
	struct ordo_collective *collective = fold(group, options, error);
	if (collective && keep(group, options, collective, error))
		return collective;
	ordo_collective_destroy(collective);
	return NULL;
}

const struct ordo_problem *ordo_group_problem(const struct ordo_group *group)
{
	return &group->problem;
}

bool ordo_group_prove(struct ordo_group *group, struct ordo_error *error)
{
	pthread_mutex_lock(&group->lock);
	const bool proved = group->nmember != 1 || !group->members[0].schedule ||
			    prove(&group->members[0], error);
	pthread_mutex_unlock(&group->lock);
	return proved;
}

struct ordo_collective *ordo_group_make(
	struct ordo_group *group, const struct ordo_plan_options *options, struct ordo_error *error)
{
	if (!ordo_plan_options_check(options, error))
		return NULL;
	pthread_mutex_lock(&group->lock);
	struct ordo_collective *collective = fold(group, options, error);
	pthread_mutex_unlock(&group->lock);
	return collective;
}

static const struct ordo_collective *find_collective(
	struct ordo_group *group, const struct ordo_plan_options *options, struct ordo_error *error)
{
	if (!ordo_plan_options_check(options, error))
		return NULL;
	const uint32_t nblock = ordo_nblock(&group->problem);
	const struct ordo_collective *collective = NULL;
	pthread_mutex_lock(&group->lock);
	for (size_t i = group->nentry; i > 0 && !collective; i--)
		if (matches(&group->entries[i - 1], options, nblock))
			collective = group->entries[i - 1].collective;
	if (!collective)
		collective = make(group, options, error);
	pthread_mutex_unlock(&group->lock);
	return collective;
}

const struct ordo_collective *ordo_group_collective_sized(size_t size, struct ordo_group *group,
	const struct ordo_plan_options *options, struct ordo_error *error)
{
	struct ordo_plan_options own;
	return ordo_options_take(&own, sizeof own, options, size, error)
		       ? find_collective(group, &own, error)
		       : NULL;
}

const struct ordo_collective *(ordo_group_collective)(struct ordo_group *group,
	const struct ordo_plan_options *options, struct ordo_error *error)
{
	return ordo_group_collective_sized(
		ORDO_UP_TO(ordo_plan_options, tile_bytes), group, options, error);
}
