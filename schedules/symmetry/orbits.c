/* orbits.c - signals up to relabelling: R5, R6, and the links of signals and data (R12). */
#include "model/switch_reachability.h"
#include "quotient.h"
#include <ordo/arena.h>
#include <ordo/plural.h>
#include <ordo/signals.h>
#include <ordo/topology.h>
#include <stdlib.h>

/* An orbit is a signal from rank 0, by its offset, and every other rank's like it. ORDO_NONE: no
 * memory. */
static uint32_t find_orbit(
	struct quotient *q, struct ordo_signal_table *table, const struct ordo_task *task)
{
	const uint32_t offset = task->kind == ORDO_NOTIFY
					? task->peer
					: ordo_symmetry_negate(q->group, task->peer),
		       index = ordo_signals_find(table, 0, offset, task->signal);
	if (index == ORDO_NONE || index < q->orbits.count)
		return index;
	if (!ordo_array_reserve(
		    &q->orbits.items, &q->orbits.room, (size_t)index + 1, sizeof *q->orbits.items))
		return ORDO_NONE;
	q->orbits.items[index] = (struct orbit){.offset = offset,
		.number = task->signal,
		.notifier = ORDO_NONE,
		.waiter = ORDO_NONE,
		.oldest = ORDO_NONE,
		.newest = ORDO_NONE};
	return q->orbits.count++;
}

static bool count_use(struct quotient *q, uint32_t id, uint32_t index)
{
	struct orbit *orbit = &q->orbits.items[index];
	const uint32_t stream = q->stream_of[id];
	const bool notifies = q->program.tasks[id].kind == ORDO_NOTIFY;
	uint32_t *user = notifies ? &orbit->notifier : &orbit->waiter;
	++*(notifies ? &orbit->nnotify : &orbit->nwait);
	q->link[id] = index;
	if (*user == ORDO_NONE)
		*user = stream;
	return *user == stream ||
	       ordo_add_finding(&q->findings, 5, NULL, 0,
		       "give each pair of streams a signal of its own",
		       "every rank: signal %u has two %s streams, \"%s\" and that of\n  %s",
		       orbit->number, notifies ? "notifying" : "waiting", q->program.names[*user],
		       ordo_quotient_where(q, id).text);
}

static bool verify_balance(struct quotient *q)
{
	for (uint32_t i = 0; i < q->orbits.count; i++) {
		const struct orbit *orbit = &q->orbits.items[i];
		if (orbit->nnotify != orbit->nwait &&
			!ordo_add_finding(&q->findings, 6, NULL, 0, NULL,
				"signal %u from rank 0 to rank %u, and every other rank's like it: "
				"%u Notify but %u Wait",
				orbit->number, orbit->offset, orbit->nnotify, orbit->nwait))
			return false;
	}
	return true;
}

static bool verify_number(struct quotient *q)
{
	const uint32_t allowed = q->options->limits.signals;
	uint64_t used = 0;
	for (uint32_t i = 0; i < q->orbits.count; i++)
		used += q->orbits.items[i].offset ? 2 : 1;
	return !allowed || used <= allowed ||
	       ordo_add_finding(&q->findings, 13, NULL, 0, NULL,
		       "every rank takes part in %llu signals, wanted at most %u",
		       (unsigned long long)used, allowed);
}

/* The waits of each orbit, one after another. */
static bool list_waits(struct quotient *q)
{
	uint32_t nwait = 0;
	for (uint32_t i = 0; i < q->orbits.count; i++) {
		q->orbits.items[i].first_wait = nwait;
		nwait += q->orbits.items[i].nwait;
	}
	uint32_t *filled = calloc((size_t)q->orbits.count + 1, sizeof *filled);
	q->orbits.waits = malloc(((size_t)nwait + 1) * sizeof *q->orbits.waits);
	const bool worked = filled && q->orbits.waits;
	for (uint32_t id = 0; worked && id < q->program.ntask; id++)
		if (q->program.tasks[id].kind == ORDO_WAIT)
			q->orbits.waits[q->orbits.items[q->link[id]].first_wait +
					filled[q->link[id]]++] = id;
	free(filled);
	return worked;
}

bool ordo_quotient_number_orbits(struct quotient *q)
{
	struct ordo_signal_table table;
	bool worked = true, memory = ordo_signals_open(&table, q->group->order, q->program.ntask);
	for (uint32_t id = 0; worked && memory && id < q->program.ntask; id++) {
		const struct ordo_task *task = &q->program.tasks[id];
		if (ordo_task_moves(task))
			continue;
		const uint32_t index = find_orbit(q, &table, task);
		memory = index != ORDO_NONE;
		worked = memory && count_use(q, id, index);
	}
	ordo_signals_close(&table);
	free(table.items);
	if (!memory || !worked)
		return memory ? false : ordo_fail_memory(q->findings.error);
	q->findings.proof->nsignal = (uint64_t)q->orbits.count * q->group->order > ORDO_LIMIT
					     ? ORDO_LIMIT
					     : q->orbits.count * q->group->order;
	return verify_balance(q) && verify_number(q) &&
	       (list_waits(q) || ordo_fail_memory(q->findings.error));
}

/* passing: reachability if ranks forward; NULL: they do not. */
static bool verify_offset(struct quotient *q, const struct ordo_switch_reachability *passing,
	uint32_t task, uint32_t offset)
{
	const struct ordo_topology *topology = q->options->topology;
	for (uint32_t from = 0; from < q->group->order; from++) {
		const uint32_t to = group_add(q->group, from, offset);
		if (from != to && !(passing ? ordo_switch_reachability_joined(passing, from, to)
					    : ordo_topology_reaches(topology, from, to)))
			return ordo_add_finding(&q->findings, 12, NULL, 0, NULL,
				"%s, as rank %u and rank %u do it: there is no %s from rank %u to "
				"rank %u that is up in topology \"%s\"",
				ordo_quotient_where(q, task).text, from, to,
				passing ? "path" : "link", from, to, topology->name);
	}
	return true;
}

/* Every rank uses the links of rank 0, relabelled; so each peer of rank 0 is checked once, for all
 * ranks. */
bool ordo_quotient_verify_links(struct quotient *q)
{
	if (!q->options->topology)
		return true;
	if (q->options->topology->nrank != q->group->order)
		return ordo_add_finding(&q->findings, 12, NULL, 0, NULL,
			"the schedule has %u rank%s, topology \"%s\" has %u", q->group->order,
			ordo_plural(q->group->order), q->options->topology->name,
			q->options->topology->nrank);
	struct ordo_switch_reachability *passing =
		q->options->through_ranks ? ordo_switch_reachability_through_ranks(
						    q->options->topology, q->findings.error)
					  : NULL;
	if (q->options->through_ranks && !passing)
		return false;
	uint8_t *checked = calloc(q->group->order, 1);
	bool worked = checked || ordo_fail_memory(q->findings.error);
	for (uint32_t id = 0; worked && id < q->program.ntask; id++) {
		const struct ordo_task *task = &q->program.tasks[id];
		if (!ordo_task_crosses(task))
			continue;
		const uint32_t offset = task->kind == ORDO_WAIT
						? ordo_symmetry_negate(q->group, task->peer)
						: task->peer;
		if (!checked[offset])
			worked = verify_offset(q, passing, id, offset);
		checked[offset] = 1;
	}
	free(checked);
	ordo_switch_reachability_destroy(passing);
	return worked;
}
