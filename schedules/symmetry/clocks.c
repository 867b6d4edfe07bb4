/* clocks.c - who knows of what: exact happens-before by dense clocks, which one program can afford.
 *
 * A stream of rank 0 keeps, for every stream of every rank, the latest Notify that it knows of. A token carries the clock of its
 * notifier; what rank 0's notifier knows of rank r, that of rank p knows of rank p + r.
 */
#include "quotient.h"
#include <stdlib.h>
#include <string.h>

/* Bytes in all clocks of streams; and entries handled at all Notify and Wait together: a minute. */
#define MOST_BYTES (UINT64_C(4) << 30)
#define MOST_WORK (UINT64_C(1) << 37)

bool q_open_clocks(struct quotient *q)
{
	const uint64_t size = (uint64_t)q->program.nstream * q->group->order;
	uint64_t nsync = 0;
	for (uint32_t id = 0; id < q->program.ntask; id++)
		nsync += !ordo_task_moves(&q->program.tasks[id]);
	if (size * q->program.nstream * sizeof(uint32_t) > MOST_BYTES || size * nsync > MOST_WORK)
		return ordo_fail(q->error, ORDO_UNDECIDED, 0,
			"%u streams on each of %u ranks with %llu Notify and Wait are too many to keep their "
			"clocks",
			q->program.nstream, q->group->order, (unsigned long long)nsync);
	q->clock_size = size;
	q->free_token = ORDO_NONE;
	q->clocks = calloc((size_t)q->program.nstream + 1, sizeof *q->clocks);
	bool worked = q->clocks;
	for (uint32_t s = 0; worked && s < q->program.nstream; s++)
		worked = (q->clocks[s] = calloc(q->clock_size + 1, sizeof **q->clocks));
	return worked ? true : ordo_fail_memory(q->error);
}

static uint32_t take_token(struct quotient *q)
{
	uint32_t token = q->free_token;
	if (token != ORDO_NONE) {
		q->free_token = q->tokens[token].next;
		return token;
	}
	if (!ordo_array_reserve(&q->tokens, &q->token_room, (size_t)q->ntoken + 1, sizeof *q->tokens) ||
		!(q->tokens[q->ntoken].clock = malloc((q->clock_size + 1) * sizeof **q->clocks)))
		return ORDO_NONE;
	return q->ntoken++;
}

/* How many tokens the counter may hold: those posted, less those of which the notifier knows that they are taken. */
static void measure_tokens(struct quotient *q, uint32_t task, struct orbit *orbit)
{
	const uint32_t known =
		q->clocks[q->stream_of[task]][(size_t)orbit->waiter * q->group->order + orbit->offset];
	while (orbit->passed < orbit->nwait && q->waits[orbit->first_wait + orbit->passed] < known)
		orbit->passed++;
	if (orbit->posted - orbit->passed <= q->proof->tokens_in_flight)
		return;
	q->proof->tokens_in_flight = orbit->posted - orbit->passed;
	q->fullest = task;
}

bool q_notify(struct quotient *q, uint32_t task)
{
	struct orbit *orbit = &q->orbits[q->link[task]];
	uint32_t *clock = q->clocks[q->stream_of[task]];
	clock[(size_t)q->stream_of[task] * q->group->order] = task + 1;
	const uint32_t token = take_token(q);
	if (token == ORDO_NONE)
		return ordo_fail_memory(q->error);
	memcpy(q->tokens[token].clock, clock, q->clock_size * sizeof *clock);
	q->tokens[token].next = ORDO_NONE;
	*(orbit->oldest == ORDO_NONE ? &orbit->oldest : &q->tokens[orbit->newest].next) = token;
	orbit->newest = token;
	orbit->posted++;
	measure_tokens(q, task, orbit);
	return true;
}

static void take_larger(uint32_t *to, const uint32_t *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = to[i] < from[i] ? from[i] : to[i];
}

/* to[r + by] = larger of itself and from[r], for all elements r with digits up to `ndigit`. */
static void learn(const struct ordo_group *group, uint32_t ndigit, uint32_t size, uint32_t by, uint32_t *to,
	const uint32_t *from)
{
	const uint32_t radix = ndigit ? group->radix[ndigit - 1] : 1, stride = size / radix;
	const uint32_t digit = by / stride, rest = by % stride;
	if (!rest) {
		take_larger(to + (size_t)digit * stride, from, (size_t)(radix - digit) * stride);
		take_larger(to, from + (size_t)(radix - digit) * stride, (size_t)digit * stride);
		return;
	}
	for (uint32_t d = 0; d < radix; d++)
		learn(group, ndigit - 1, stride, rest, to + (size_t)((d + digit) % radix) * stride,
			from + (size_t)d * stride);
}

bool q_wait(struct quotient *q, uint32_t task)
{
	struct orbit *orbit = &q->orbits[q->link[task]];
	const struct ordo_group *group = q->group;
	const uint32_t token = orbit->oldest, from = q->program.tasks[task].peer;
	if (token == ORDO_NONE)
		return false;
	for (uint32_t s = 0; s < q->program.nstream; s++)
		learn(group, group->ndigit, group->order, from,
			q->clocks[q->stream_of[task]] + (size_t)s * group->order,
			q->tokens[token].clock + (size_t)s * group->order);
	orbit->oldest = q->tokens[token].next;
	q->tokens[token].next = q->free_token;
	q->free_token = token;
	orbit->taken++;
	return true;
}

bool q_is_before(const struct quotient *q, uint32_t a, uint32_t by, uint32_t stream, uint32_t at)
{
	const uint32_t apart = group_add(q->group, by, ordo_group_negate(q->group, at));
	if (q->stream_of[a] == stream && !apart)
		return true;
	return q->clocks[stream][(size_t)q->stream_of[a] * q->group->order + apart] > a;
}

bool q_has_entered(const struct quotient *q, uint32_t stream, uint32_t rank)
{
	for (uint32_t s = 0; s < q->program.nstream; s++)
		if (q->clocks[stream][(size_t)s * q->group->order + rank])
			return true;
	return false;
}
