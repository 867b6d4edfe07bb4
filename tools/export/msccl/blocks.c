/* blocks.c - connections become thread blocks, and receives are fused with sends.
 *
 * A block has one connection to send, one to receive, of one channel. Those are paired between
 * which most data is passed on.
 */
#include "arrange.h"
#include <ordo/arena.h>
#include <stdlib.h>

/* How many receives of one connection could be fused with sends of another. */
struct pairing {
	uint32_t in, out, count;
};

static int by_connections(const void *a, const void *b)
{
	const struct pairing *x = a, *y = b;
	if (x->in != y->in)
		return x->in < y->in ? -1 : 1;
	return (x->out > y->out) - (x->out < y->out);
}

static int by_count(const void *a, const void *b)
{
	const struct pairing *x = a, *y = b;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return by_connections(a, b);
}

/* Every receive and send of the same data on one channel; those of the same connections added up.
 * NULL: no memory. */
static struct pairing *list_pairings(const struct msccl_arrangement *a, uint32_t *count)
{
	const struct msccl_events *events = a->events;
	struct pairing *list = malloc(((size_t)events->nevent + 1) * sizeof *list);
	uint32_t n = 0, kept = 0;
	for (uint32_t e = 0; list && e < events->nevent; e++) {
		const struct msccl_event *send = &events->events[e];
		if (send->source == ORDO_NONE)
			continue;
		const uint32_t in = events->events[send->source].connection;
		if (events->routes[in].channel == events->routes[send->connection].channel)
			list[n++] = (struct pairing){in, send->connection, 1};
	}
	if (n)
		qsort(list, n, sizeof *list, by_connections);
	for (uint32_t i = 0; i < n; i++) {
		if (kept && !by_connections(&list[kept - 1], &list[i]))
			list[kept - 1].count++;
		else
			list[kept++] = list[i];
	}
	if (kept)
		qsort(list, kept, sizeof *list, by_count);
	*count = kept;
	return list;
}

/* The connection that is received in the block that sends on another; ORDO_NONE. */
static bool pair_by_data(const struct msccl_arrangement *a, uint32_t *in_of, uint32_t *out_of)
{
	uint32_t count;
	struct pairing *list = list_pairings(a, &count);
	for (uint32_t i = 0; list && i < count; i++)
		if (in_of[list[i].out] == ORDO_NONE && out_of[list[i].in] == ORDO_NONE) {
			in_of[list[i].out] = list[i].in;
			out_of[list[i].in] = list[i].out;
		}
	free(list);
	return list;
}

/* Joins what is left of one rank and channel, as there are too many blocks. incoming: the
 * connections to each rank, a list. */
static void pair_the_rest(const struct msccl_arrangement *a, const uint32_t *incoming,
	const uint32_t *next, uint32_t *in_of, uint32_t *out_of)
{
	const struct msccl_route *routes = a->events->routes;
	for (uint32_t out = 0; out < a->events->nroute; out++) {
		if (in_of[out] != ORDO_NONE)
			continue;
		uint32_t in = incoming[routes[out].from];
		while (in != ORDO_NONE &&
			(out_of[in] != ORDO_NONE || routes[in].channel != routes[out].channel))
			in = next[in];
		if (in == ORDO_NONE)
			continue;
		in_of[out] = in;
		out_of[in] = out;
	}
}

static void add_block(struct msccl_arrangement *a, uint32_t rank, uint32_t send, uint32_t receive,
	uint32_t channel)
{
	a->blocks[a->nblock] =
		(struct msccl_thread_block){rank, send, receive, channel, ORDO_NONE, ORDO_NONE, 0};
	if (send != ORDO_NONE)
		a->sends_by[send] = a->nblock;
	if (receive != ORDO_NONE)
		a->receives_by[receive] = a->nblock;
	a->nblock++;
}

/* Two of each rank are for what it does alone. Routes are in the order of their senders. */
static void make_blocks(struct msccl_arrangement *a, const uint32_t *incoming, const uint32_t *next,
	const uint32_t *in_of, const uint32_t *out_of)
{
	const struct msccl_events *events = a->events;
	uint32_t out = 0;
	for (uint32_t rank = 0; rank < events->schedule->problem.nrank; rank++) {
		a->first_block[rank] = a->nblock;
		for (; out < events->nroute && events->routes[out].from == rank; out++)
			add_block(a, rank, out, in_of[out], events->routes[out].channel);
		for (uint32_t in = incoming[rank]; in != ORDO_NONE; in = next[in])
			if (out_of[in] == ORDO_NONE)
				add_block(a, rank, ORDO_NONE, in, events->routes[in].channel);
		add_block(a, rank, ORDO_NONE, ORDO_NONE, 0);
		add_block(a, rank, ORDO_NONE, ORDO_NONE, 0);
		a->first_block[rank + 1] = a->nblock;
	}
}

static bool has_too_many(const struct msccl_arrangement *a, uint32_t most)
{
	for (uint32_t rank = 0; rank < a->events->schedule->problem.nrank; rank++)
		if (a->first_block[rank + 1] - a->first_block[rank] > most)
			return true;
	return false;
}

/* Each receive with one send at most, in the order of the events. */
static void choose_fused(struct msccl_arrangement *a)
{
	const struct msccl_events *events = a->events;
	for (uint32_t e = 0; e < events->nevent; e++) {
		const struct msccl_event *send = &events->events[e];
		if (send->source == ORDO_NONE || a->fused[send->source] != ORDO_NONE ||
			a->sends_by[send->connection] !=
				a->receives_by[events->events[send->source].connection])
			continue;
		a->fused[e] = send->source;
		a->fused[send->source] = e;
	}
}

bool msccl_arrange_blocks(struct msccl_arrangement *a, uint32_t most_blocks)
{
	const struct msccl_events *events = a->events;
	const uint32_t nrank = events->schedule->problem.nrank, nroute = events->nroute;
	uint32_t *in_of = ordo_array_make((size_t)nroute + 1, sizeof *in_of, 0xff),
		 *out_of = ordo_array_make((size_t)nroute + 1, sizeof *out_of, 0xff),
		 *incoming = ordo_array_make((size_t)nrank + 1, sizeof *incoming, 0xff),
		 *next = ordo_array_make((size_t)nroute + 1, sizeof *next, 0xff);
	const size_t most = 2 * ((size_t)nrank + nroute);
	a->blocks = ordo_arena_alloc(&a->arena, most * sizeof *a->blocks);
	bool worked = in_of && out_of && incoming && next && a->blocks;
	for (uint32_t c = nroute; worked && c-- > 0;) {
		next[c] = incoming[events->routes[c].to];
		incoming[events->routes[c].to] = c;
	}
	worked = worked && pair_by_data(a, in_of, out_of);
	if (worked) {
		make_blocks(a, incoming, next, in_of, out_of);
		if (has_too_many(a, most_blocks)) {
			a->nblock = 0;
			pair_the_rest(a, incoming, next, in_of, out_of);
			make_blocks(a, incoming, next, in_of, out_of);
		}
		if (a->fuses)
			choose_fused(a);
	}
	free(in_of);
	free(out_of);
	free(incoming);
	free(next);
	return worked;
}
