/* bind.c - binds schedules to a communicator, for calls by name. */
#include "bound.h"
#include "collective/collective.h"
#include "collective/group.h"
#include "communicator.h"
#include "kernels/arithmetic.h"
#include "lines.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/collectives.h>

static struct bound *create(uint32_t nrank, struct ordo_error *error)
{
	struct bound *bound = allocate_lines(1, sizeof *bound);
	if (!bound) {
		ordo_fail_memory(error);
		return NULL;
	}
	pthread_mutex_init(&bound->lock, NULL);
	bound->parts = calloc(nrank, sizeof *bound->parts);
	bound->lookup_tables = allocate_lines(nrank, sizeof *bound->lookup_tables);
	if (bound->parts && bound->lookup_tables)
		return bound;
	ordo_bound_destroy(bound);
	ordo_fail_memory(error);
	return NULL;
}

/* Destroys the collectives made from a binding that is replaced. No rank is inside a call. */
static void forget_binding(struct bound *bound, const struct binding *binding)
{
	const uint64_t kind = ordo_call_key(binding->op, binding->root, 0, 0, 0).kind;
	atomic_fetch_add(&bound->generation, 1);
	for (size_t i = bound->nkept; i > 0; i--) {
		if (bound->kept[i - 1].key.kind >> 16 != kind >> 16)
			continue;
		ordo_kept_destroy(&bound->kept[i - 1]);
		bound->kept[i - 1] = bound->kept[--bound->nkept];
	}
	if (binding->owned)
		ordo_group_destroy(binding->group);
}

/* The caller acts for all ranks. */
static bool bind(struct ordo_communicator *communicator, const struct binding *binding,
	struct ordo_error *error)
{
	if (!communicator->bound && !(communicator->bound = create(communicator->nrank, error)))
		return false;
	struct bound *bound = communicator->bound;
	for (size_t i = 0; i < bound->nbinding; i++)
		if (bound->bindings[i].op == binding->op &&
			bound->bindings[i].root == binding->root) {
			forget_binding(bound, &bound->bindings[i]);
			bound->bindings[i] = *binding;
			return true;
		}
	if (!ordo_array_reserve(&bound->bindings, &bound->binding_room, bound->nbinding + 1,
		    sizeof *bound->bindings))
		return ordo_fail_memory(error);
	bound->bindings[bound->nbinding++] = *binding;
	return true;
}

static bool check_ranks(const struct ordo_communicator *communicator,
	const struct ordo_problem *problem, struct ordo_error *error)
{
	const char *name = ordo_operator_facts(problem->op)->name;
	if (problem->nrank == communicator->nrank)
		return true;
	ordo_fail(error, ORDO_USAGE, 0,
		"a schedule of %s for %" PRIu32 " ranks, on a communicator of %" PRIu32, name,
		problem->nrank, communicator->nrank);
	return ordo_hint(error, "`ordo compile %s --ranks %" PRIu32 "` makes a matching schedule",
		name, communicator->nrank);
}

bool ordo_bind(struct ordo_communicator *communicator, struct ordo_group *group, bool owned,
	struct ordo_error *error)
{
	const struct ordo_problem *problem = ordo_group_problem(group);
	const struct binding binding = {problem->op, problem->root, group, owned};
	bool bound = false;
	if (check_ranks(communicator, problem, error) && ordo_group_prove(group, error) &&
		ordo_enter_all(communicator, error)) {
		bound = bind(communicator, &binding, error);
		ordo_leave_all(communicator);
	}
	if (!bound && owned)
		ordo_group_destroy(group);
	return bound;
}

bool ordo_communicator_bind(struct ordo_communicator *communicator,
	const struct ordo_schedule *schedule, struct ordo_error *error)
{
	struct ordo_group *group = ordo_group_of_schedule(schedule, error);
	return group && ordo_bind(communicator, group, true, error);
}

bool ordo_communicator_bind_group(
	struct ordo_communicator *communicator, struct ordo_group *group, struct ordo_error *error)
{
	return ordo_bind(communicator, group, false, error);
}
