/* clocks.c - exact happens-before by vector clocks, which are affordable for one program.
 *
 * The clock of a stream of rank 0 has, for every stream of every rank, the latest Notify that
 * precedes its current point. A token carries the clock of its notifier; the entry of rank 0's
 * notifier for rank r is that of rank p's notifier for rank p + r. A clock has a row of all ranks
 * for each stream with a nonzero entry, and no row for the others.
 */
#include "quotient.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

/* Bounds: bytes in all rows; entries processed at all Notify and Wait together (a minute); rows of
 * all clocks. */
#define MOST_BYTES (UINT64_C(4) << 30)
#define MOST_WORK (UINT64_C(1) << 37)
#define MOST_ROWS (UINT64_C(1) << 26)

static bool give_up(struct quotient *q)
{
	return ordo_fail(q->findings.error, ORDO_UNDECIDED, 0,
		"the vector clocks of %u streams on each of %u ranks exceed the limit of memory or "
		"time",
		q->program.nstream, q->group->order);
}

bool ordo_quotient_open_clocks(struct quotient *q)
{
	const size_t nstream = (size_t)q->program.nstream + 1;
	if ((uint64_t)nstream * nstream > MOST_ROWS)
		return give_up(q);
	q->clocks.free_token = ORDO_NONE;
	q->clocks.of_stream = calloc(nstream, sizeof *q->clocks.of_stream);
	bool worked = q->clocks.of_stream;
	for (uint32_t s = 0; worked && s < q->program.nstream; s++)
		worked = (q->clocks.of_stream[s].rows =
				  calloc(nstream, sizeof *q->clocks.of_stream[s].rows));
	return worked ? true : ordo_fail_memory(q->findings.error);
}

/* A row that is not cleared, or NULL: see error. */
static uint32_t *take_row(struct quotient *q)
{
	const size_t size = (size_t)q->group->order * sizeof(uint32_t);
	if (q->clocks.nfree_row)
		return q->clocks.free_rows[--q->clocks.nfree_row];
	if ((q->clocks.nrow + 1) * (uint64_t)size > MOST_BYTES) {
		give_up(q);
		return NULL;
	}
	/* Room to release every row. */
	uint32_t *row = ordo_array_reserve(&q->clocks.free_rows, &q->clocks.free_row_room,
				(size_t)q->clocks.nrow + 1, sizeof *q->clocks.free_rows)
				? malloc(size)
				: NULL;
	if (row)
		q->clocks.nrow++;
	else
		ordo_fail_memory(q->findings.error);
	return row;
}

static uint32_t *cleared_row(struct quotient *q)
{
	uint32_t *row = take_row(q);
	if (row)
		memset(row, 0, (size_t)q->group->order * sizeof *row);
	return row;
}

static void release_rows(struct quotient *q, struct clock *clock)
{
	for (uint32_t s = 0; clock->rows && s < q->program.nstream; s++) {
		if (clock->rows[s])
			q->clocks.free_rows[q->clocks.nfree_row++] = clock->rows[s];
		clock->rows[s] = NULL;
	}
}

void ordo_quotient_close_clocks(struct quotient *q)
{
	for (uint32_t s = 0; q->clocks.of_stream && s < q->program.nstream; s++) {
		release_rows(q, &q->clocks.of_stream[s]);
		free(q->clocks.of_stream[s].rows);
	}
	for (uint32_t i = 0; i < q->clocks.ntoken; i++) {
		release_rows(q, &q->clocks.tokens[i].clock);
		free(q->clocks.tokens[i].clock.rows);
	}
	while (q->clocks.nfree_row)
		free(q->clocks.free_rows[--q->clocks.nfree_row]);
	free(q->clocks.free_rows);
	free(q->clocks.of_stream);
	free(q->clocks.tokens);
}

uint32_t ordo_quotient_known(const struct quotient *q, uint32_t stream, uint32_t of, uint32_t rank)
{
	const uint32_t *row = q->clocks.of_stream[stream].rows[of];
	return row ? row[rank] : 0;
}

static uint32_t take_token(struct quotient *q)
{
	uint32_t token = q->clocks.free_token;
	if (token != ORDO_NONE) {
		q->clocks.free_token = q->clocks.tokens[token].next;
		return token;
	}
	if (!ordo_array_reserve(&q->clocks.tokens, &q->clocks.token_room,
		    (size_t)q->clocks.ntoken + 1, sizeof *q->clocks.tokens) ||
		!(q->clocks.tokens[q->clocks.ntoken].clock.rows =
				calloc((size_t)q->program.nstream + 1, sizeof(uint32_t *)))) {
		ordo_fail_memory(q->findings.error);
		return ORDO_NONE;
	}
	return q->clocks.ntoken++;
}

/* Counts the work of each row; false: too much. */
static bool may_go_on(struct quotient *q)
{
	q->clocks.work += q->group->order;
	return q->clocks.work <= MOST_WORK || give_up(q);
}

static bool copy_clock(struct quotient *q, struct clock *to, const struct clock *from)
{
	for (uint32_t s = 0; s < q->program.nstream; s++) {
		if (!from->rows[s])
			continue;
		if (!may_go_on(q) || !(to->rows[s] = take_row(q)))
			return false;
		memcpy(to->rows[s], from->rows[s], (size_t)q->group->order * sizeof **from->rows);
	}
	return true;
}

bool ordo_quotient_notify(struct quotient *q, uint32_t task)
{
	struct orbit *orbit = &q->orbits.items[q->link[task]];
	struct clock *clock = &q->clocks.of_stream[q->stream_of[task]];
	uint32_t **own = &clock->rows[q->stream_of[task]];
	if (!*own && !(*own = cleared_row(q)))
		return false;
	(*own)[0] = q->clocks.base + task + 1;
	const uint32_t token = take_token(q);
	if (token == ORDO_NONE || !copy_clock(q, &q->clocks.tokens[token].clock, clock))
		return false;
	q->clocks.tokens[token].next = ORDO_NONE;
	*(orbit->oldest == ORDO_NONE ? &orbit->oldest : &q->clocks.tokens[orbit->newest].next) =
		token;
	orbit->newest = token;
	orbit->posted++;
	return true;
}

static void take_larger(uint32_t *to, const uint32_t *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = to[i] < from[i] ? from[i] : to[i];
}

/* to[r + by] = larger of itself and from[r], for all elements r with digits up to `ndigit`. */
static void learn(const struct ordo_symmetry_group *group, uint32_t ndigit, uint32_t size,
	uint32_t by, uint32_t *to, const uint32_t *from)
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

bool ordo_quotient_wait(struct quotient *q, uint32_t task)
{
	struct orbit *orbit = &q->orbits.items[q->link[task]];
	const struct ordo_symmetry_group *group = q->group;
	struct token *token = &q->clocks.tokens[orbit->oldest];
	uint32_t **rows = q->clocks.of_stream[q->stream_of[task]].rows;
	for (uint32_t s = 0; s < q->program.nstream; s++) {
		if (!token->clock.rows[s])
			continue;
		if (!may_go_on(q) || (!rows[s] && !(rows[s] = cleared_row(q))))
			return false;
		learn(group, group->ndigit, group->order, q->program.tasks[task].peer, rows[s],
			token->clock.rows[s]);
	}
	release_rows(q, &token->clock);
	const uint32_t next = token->next;
	token->next = q->clocks.free_token;
	q->clocks.free_token = orbit->oldest;
	orbit->oldest = next;
	orbit->taken++;
	return true;
}

bool ordo_quotient_enter(struct quotient *q, const uint32_t *entered)
{
	const size_t norder = q->group->order, nstream = q->program.nstream;
	for (size_t s = 0; s < nstream; s++) {
		release_rows(q, &q->clocks.of_stream[s]);
		for (size_t t = 0; t < nstream; t++) {
			uint32_t **row = &q->clocks.of_stream[s].rows[t];
			if (!entered[t * norder])
				continue;
			if (!may_go_on(q) || !(*row = take_row(q)))
				return false;
			memcpy(*row, entered + t * norder, norder * sizeof **row);
		}
	}
	return true;
}

void ordo_quotient_leave(struct quotient *q, uint32_t end, uint32_t *left)
{
	const size_t norder = q->group->order, nstream = q->program.nstream;
	for (size_t s = 0; s < nstream; s++)
		for (size_t t = 0; t < nstream; t++)
			if (q->clocks.of_stream[s].rows[t])
				take_larger(
					left + t * norder, q->clocks.of_stream[s].rows[t], norder);
	for (size_t t = 0; t < nstream; t++)
		left[t * norder] = end;
}

bool ordo_quotient_is_before(
	const struct quotient *q, uint32_t a, uint32_t by, uint32_t stream, uint32_t at)
{
	const uint32_t apart = group_add(q->group, by, ordo_symmetry_negate(q->group, at));
	if (q->stream_of[a] == stream && !apart)
		return true;
	return ordo_quotient_known(q, stream, q->stream_of[a], apart) > a;
}

bool ordo_quotient_has_entered(const struct quotient *q, uint32_t stream, uint32_t rank)
{
	for (uint32_t s = 0; s < q->program.nstream; s++)
		if (ordo_quotient_known(q, stream, s, rank))
			return true;
	return false;
}
