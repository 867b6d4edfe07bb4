/* flow.c - maximum flows of integers from one vertex to a set of others.
 *
 * The first searches end at the nearest target: in a sweep, where most vertices are targets, flows
 * are short. Later ones go on, so that targets at many distances do not take a search each.
 *
 * source E. A. Dinic, Soviet Math. Doklady 11, 1970: maximum flow by blocking flows
 */
#include "flow.h"
#include <ordo/arena.h>
#include <ordo/operator.h>
#include <stdlib.h>

bool ordo_network_make(
	struct ordo_network *network, uint32_t nvertex, size_t narc, struct ordo_error *error)
{
	*network = (struct ordo_network){.nvertex = nvertex,
		.first = ordo_array_make(nvertex, sizeof *network->first, 0xff),
		.next = ordo_array_make(2 * narc, sizeof *network->next, 0),
		.to = ordo_array_make(2 * narc, sizeof *network->to, 0),
		.capacity = ordo_array_make(2 * narc, sizeof *network->capacity, 0),
		.room = ordo_array_make(2 * narc, sizeof *network->room, 0),
		.target = ordo_array_make(nvertex, sizeof *network->target, 0),
		.depth = ordo_array_make(nvertex, sizeof *network->depth, 0xff),
		.at = ordo_array_make(nvertex, sizeof *network->at, 0),
		.queue = ordo_array_make(nvertex, sizeof *network->queue, 0),
		.path = ordo_array_make(nvertex, sizeof *network->path, 0),
		.budget = ordo_array_make((size_t)nvertex + 1, sizeof *network->budget, 0),
		.sent = ordo_array_make((size_t)nvertex + 1, sizeof *network->sent, 0)};
	return (2 * narc < ORDO_NONE && network->first && network->next && network->to &&
		       network->capacity && network->room && network->target && network->depth &&
		       network->at && network->queue && network->path && network->budget &&
		       network->sent) ||
	       ordo_fail_memory(error);
}

void ordo_network_free(struct ordo_network *network)
{
	free(network->first);
	free(network->next);
	free(network->to);
	free(network->capacity);
	free(network->room);
	free(network->target);
	free(network->depth);
	free(network->at);
	free(network->queue);
	free(network->path);
	free(network->budget);
	free(network->sent);
	free(network->changed);
}

uint32_t ordo_network_add(
	struct ordo_network *network, uint32_t from, uint32_t to, int64_t capacity)
{
	const uint32_t arc = network->narc, ends[2] = {from, to};
	network->narc += 2;
	for (uint32_t way = 0; way < 2; way++) {
		network->to[arc + way] = ends[1 - way];
		network->next[arc + way] = network->first[ends[way]];
		network->first[ends[way]] = arc + way;
	}
	ordo_network_set(network, arc, capacity);
	return arc;
}

void ordo_network_set(struct ordo_network *network, uint32_t arc, int64_t capacity)
{
	network->capacity[arc] = network->room[arc] = capacity;
}

bool ordo_network_order_ranks(const struct ordo_network *network, uint32_t nrank, uint32_t first,
	uint32_t *order, struct ordo_error *error)
{
	bool *seen = ordo_array_make(network->nvertex, sizeof *seen, 0);
	uint32_t count = 0, kept = 0;
	if (!seen)
		return ordo_fail_memory(error);
	for (uint32_t turn = 0; turn < nrank; turn++) {
		const uint32_t from = (first + turn) % nrank;
		uint32_t done = count;
		if (!seen[from])
			order[count++] = from;
		seen[from] = true;
		for (; done < count; done++)
			for (uint32_t arc = network->first[order[done]]; arc != ORDO_NONE;
				arc = network->next[arc])
				if (!seen[network->to[arc]]) {
					seen[network->to[arc]] = true;
					order[count++] = network->to[arc];
				}
	}
	for (uint32_t i = 0; i < count; i++)
		if (order[i] < nrank)
			order[kept++] = order[i];
	free(seen);
	return true;
}

/* Depths from the start over arcs with room. far: beyond the nearest target too. false: no target
 * is reached. */
static bool search(struct ordo_network *network, uint32_t start, bool far)
{
	uint32_t *depth = network->depth, *queue = network->queue;
	bool found = false;
	for (uint32_t i = 0; i < network->reached; i++)
		depth[queue[i]] = ORDO_NONE;
	queue[0] = start;
	depth[start] = 0;
	network->at[start] = network->first[start];
	network->reached = 1;
	for (uint32_t i = 0; i < network->reached && (far || !found); i++) {
		const uint32_t v = queue[i];
		for (uint32_t arc = network->first[v]; arc != ORDO_NONE; arc = network->next[arc]) {
			const uint32_t to = network->to[arc];
			if (!network->room[arc] || depth[to] != ORDO_NONE)
				continue;
			if (network->target[to]) {
				found = true;
				continue;
			}
			depth[to] = depth[v] + 1;
			network->at[to] = network->first[to];
			queue[network->reached++] = to;
		}
	}
	return found;
}

/* The next arc of v that leads to a target or deeper; ORDO_NONE. */
static uint32_t find_arc(struct ordo_network *network, uint32_t v)
{
	uint32_t arc = network->at[v];
	for (; arc != ORDO_NONE; arc = network->next[arc]) {
		const uint32_t to = network->to[arc];
		if (network->room[arc] &&
			(network->target[to] || network->depth[to] == network->depth[v] + 1))
			break;
	}
	network->at[v] = arc;
	return arc;
}

/* Sends up to `enough` along paths on which depth increases: path[] is the arcs from the start to
 * the current vertex, and to each vertex of it `budget` may come, of which `sent` went on. -1: no
 * memory. */
static int64_t send(struct ordo_network *network, uint32_t start, int64_t enough)
{
	uint32_t length = 0, v = start;
	int64_t *budget = network->budget, *sent = network->sent;
	budget[0] = enough;
	sent[0] = 0;
	for (;;) {
		uint32_t arc = ORDO_NONE;
		if (network->target[v])
			sent[length] = budget[length];
		else if (sent[length] < budget[length])
			arc = find_arc(network, v);
		if (arc != ORDO_NONE) {
			const int64_t rest = budget[length] - sent[length];
			network->path[length++] = arc;
			budget[length] = network->room[arc] < rest ? network->room[arc] : rest;
			sent[length] = 0;
			v = network->to[arc];
			continue;
		}
		if (!length)
			return sent[0];
		arc = network->path[--length];
		v = network->to[arc ^ 1];
		if (sent[length + 1] < budget[length + 1])
			network->at[v] = network->next[arc];
		if (!sent[length + 1])
			continue;
		if (!ordo_array_reserve(&network->changed, &network->changed_room,
			    network->nchanged + 1, sizeof *network->changed))
			return -1;
		network->changed[network->nchanged++] = arc;
		network->room[arc] -= sent[length + 1];
		network->room[arc ^ 1] += sent[length + 1];
		sent[length] += sent[length + 1];
	}
}

/* Short searches at first, for most flows are done then. */
enum { SHORT_SEARCHES = 4 };

int64_t ordo_flow(struct ordo_network *network, uint32_t start, int64_t enough)
{
	int64_t sum = 0;
	for (uint32_t turn = 0; sum < enough && search(network, start, turn >= SHORT_SEARCHES);
		turn++) {
		const int64_t sent = send(network, start, enough - sum);
		if (sent < 0)
			return -1;
		sum += sent;
	}
	return sum;
}

bool ordo_flow_reaches(const struct ordo_network *network, uint32_t vertex)
{
	return network->depth[vertex] != ORDO_NONE;
}

void ordo_flow_undo(struct ordo_network *network)
{
	for (size_t i = 0; i < network->nchanged; i++) {
		const uint32_t arc = network->changed[i];
		network->room[arc] = network->capacity[arc];
		network->room[arc ^ 1] = network->capacity[arc ^ 1];
	}
	network->nchanged = 0;
}
