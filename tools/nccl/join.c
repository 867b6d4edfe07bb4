/* join.c - the lines of all ranks as rings and trees. Nothing is guessed: what is missing, or does
 * not fit, is an error. */
#include "log.h"
#include <ordo/arena.h>
#include <ordo/detail/fail.h>
#include <ordo/plural.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The versions whose lines and orders are known: README.md. */
enum { FIRST_MINOR = 9, LAST_MINOR = 30 };

struct joining {
	const struct nccl_log *log;
	struct nccl_graph *graph;
	struct ordo_error *error;
};

static bool fail_unknown(struct ordo_error *error)
{
	if (error)
		error->code = ORDO_UNDECIDED;
	return false;
}

static bool check_version(const struct nccl_log *log, struct ordo_error *error)
{
	const struct nccl_version *version = &log->version;
	if (!version->major)
		return ordo_fail(error, ORDO_BAD_INPUT, 0,
			"no line \"NCCL version\": the order depends on it (one rank writes it)");
	if (version->rccl) {
		nccl_fail(version->place, error,
			"RCCL %u.%u.%u is not modelled: it may take calls by files of MSCCL",
			version->major, version->minor, version->patch);
		return fail_unknown(error);
	}
	if (version->major == 2 && version->minor >= FIRST_MINOR && version->minor <= LAST_MINOR)
		return true;
	nccl_fail(version->place, error, "NCCL %u.%u.%u is not modelled: wanted 2.%d to 2.%d",
		version->major, version->minor, version->patch, FIRST_MINOR, LAST_MINOR);
	return fail_unknown(error);
}

static bool is_other(const struct nccl_member *one, const struct nccl_member *other)
{
	const bool same =
		!strcmp(one->process, other->process) && !strcmp(one->pointer, other->pointer);
	return one->nrank != other->nrank ||
	       (one->id && other->id && strcmp(one->id, other->id) != 0) ||
	       (one->rank == other->rank) != same;
}

static int by_rank(const void *a, const void *b)
{
	const struct nccl_member *x = a, *y = b;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static bool fail_two(
	const struct nccl_member *one, const struct nccl_member *other, struct ordo_error *error)
{
	return nccl_fail(other->place, error,
		"two communicators: comm %s has rank %u of %u, and comm %s at %s:%u rank %u of %u; "
		"import the lines of one",
		other->pointer, other->rank, other->nrank, one->pointer, one->place.file,
		one->place.line, one->rank, one->nrank);
}

static bool check_members(const struct nccl_log *log, struct ordo_error *error)
{
	if (!log->nmember)
		return ordo_fail(error, ORDO_BAD_INPUT, 0,
			"no line \"comm 0x... rank r nranks n ... Init\": NCCL_DEBUG=INFO with "
			"NCCL_DEBUG_SUBSYS=INIT,GRAPH,TUNING writes it");
	struct nccl_member *sorted = malloc(log->nmember * sizeof *sorted);
	bool worked = sorted ? true : ordo_fail_memory(error);
	if (worked) {
		memcpy(sorted, log->members, log->nmember * sizeof *sorted);
		qsort(sorted, log->nmember, sizeof *sorted, by_rank);
	}
	for (uint32_t i = 1; worked && i < log->nmember; i++)
		if (is_other(&sorted[i - 1], &sorted[i]))
			worked = fail_two(&sorted[i - 1], &sorted[i], error);
	free(sorted);
	return worked;
}

/* Are there enough numbers in the log for all rings? So memory is bounded by its size. */
static bool are_enough(const struct joining *j, uint64_t wanted)
{
	uint64_t found = j->log->nring;
	for (uint32_t i = 0; i < j->log->nchannel; i++)
		found += j->log->channels[i].nrank;
	return found >= wanted;
}

static bool count_channels(struct joining *j)
{
	const struct nccl_log *log = j->log;
	const struct nccl_channel *channels = log->channels;
	uint32_t count = log->nchannel ? channels[0].nchannel : 0;
	for (uint32_t i = 1; i < log->nchannel; i++)
		if (channels[i].nchannel != count)
			return nccl_fail(channels[i].place, j->error,
				"found %u channels, and %u at %s:%u: two communicators, or a cut "
				"line",
				channels[i].nchannel, count, channels[0].place.file,
				channels[0].place.line);
	for (uint32_t i = 0; i < log->nring; i++)
		if (log->nchannel && log->rings[i].channel >= count)
			return nccl_fail(log->rings[i].place, j->error,
				"ring %u: there are %u channels", log->rings[i].channel, count);
		else if (!log->nchannel && log->rings[i].channel >= count)
			count = log->rings[i].channel + 1;
	j->graph->nchannel = count;
	if (!count)
		return ordo_fail(j->error, ORDO_BAD_INPUT, 0,
			"no line \"Channel 00/..\" or \"Ring 00\": rings are unknown; "
			"NCCL_DEBUG_SUBSYS=INIT,GRAPH,TUNING writes them");
	if (!are_enough(j, (uint64_t)count * j->graph->nrank))
		return ordo_fail(j->error, ORDO_BAD_INPUT, 0,
			"lines are missing or cut: the rings of %u channels of %u ranks are not "
			"complete; the \"Ring\" lines of all ranks would complete them",
			count, j->graph->nrank);
	return true;
}

/* A line of all ranks in the order of sending. A shorter one is cut: Ring lines may do. */
static bool take_channel(struct joining *j, const struct nccl_channel *channel, uint32_t *starts)
{
	const uint32_t nrank = j->graph->nrank;
	uint32_t *next = &j->graph->rings[(size_t)channel->channel * nrank];
	if (channel->nrank > nrank)
		return nccl_fail(channel->place, j->error,
			"channel %u: found %u rank%s, wanted %u: two communicators, or mixed lines",
			channel->channel, channel->nrank, ordo_plural(channel->nrank), nrank);
	for (uint32_t i = 0; i < channel->nrank; i++) {
		const uint32_t rank = channel->ranks[i],
			       after = i + 1 < nrank ? channel->ranks[i + 1] : channel->ranks[0];
		if (rank >= nrank)
			return nccl_fail(channel->place, j->error, "channel %u: no rank %u of %u",
				channel->channel, rank, nrank);
		if (i + 1 == channel->nrank && channel->nrank < nrank)
			break;
		if (next[rank] != ORDO_NONE && next[rank] != after)
			return nccl_fail(channel->place, j->error,
				"channel %u: rank %u sends to %u and to %u", channel->channel, rank,
				next[rank], after);
		next[rank] = after;
	}
	if (channel->nrank == nrank)
		starts[channel->channel] = channel->ranks[0];
	return true;
}

static bool take_ring(struct joining *j, const struct nccl_ring *ring)
{
	const uint32_t nrank = j->graph->nrank,
		       pairs[2][2] = {{ring->before, ring->rank}, {ring->rank, ring->after}};
	uint32_t *next = &j->graph->rings[(size_t)ring->channel * nrank];
	for (int i = 0; i < 2; i++) {
		const uint32_t from = pairs[i][0], to = pairs[i][1];
		if (from >= nrank || to >= nrank)
			return nccl_fail(ring->place, j->error, "ring %u: no rank %u of %u",
				ring->channel, from >= nrank ? from : to, nrank);
		if (next[from] != ORDO_NONE && next[from] != to)
			return nccl_fail(ring->place, j->error,
				"ring %u: rank %u sends to %u, and in another line to %u",
				ring->channel, from, to, next[from]);
		next[from] = to;
	}
	return true;
}

/* From who comes after each rank to the order from the first one on. */
static bool follow_ring(struct joining *j, uint32_t channel, uint32_t start, uint32_t *order)
{
	const uint32_t nrank = j->graph->nrank;
	uint32_t *next = &j->graph->rings[(size_t)channel * nrank], rank = start;
	for (uint32_t i = 0; i < nrank; i++) {
		order[i] = rank;
		if (next[rank] == ORDO_NONE)
			return ordo_fail(j->error, ORDO_BAD_INPUT, 0,
				"channel %u: the ring is cut: no line \"Ring %02u\" of rank %u",
				channel, channel, rank);
		rank = next[rank];
		if (rank == start && i + 1 < nrank)
			return ordo_fail(j->error, ORDO_BAD_INPUT, 0,
				"channel %u: the ring ends after %u of %u ranks", channel, i + 1,
				nrank);
	}
	if (rank != start)
		return ordo_fail(j->error, ORDO_BAD_INPUT, 0,
			"channel %u: the ring does not come back to rank %u", channel, start);
	memcpy(next, order, nrank * sizeof *order);
	return true;
}

static bool join_rings(struct joining *j)
{
	const struct nccl_log *log = j->log;
	struct nccl_graph *graph = j->graph;
	const size_t count = (size_t)graph->nchannel * graph->nrank;
	uint32_t *order = malloc(((size_t)graph->nrank + 1) * sizeof *order);
	graph->rings = ordo_array_make(count, sizeof *graph->rings, 0xff);
	uint32_t *starts = calloc(graph->nchannel, sizeof *starts);
	bool worked = order && starts && graph->rings ? true : ordo_fail_memory(j->error);
	for (uint32_t i = 0; worked && i < log->nchannel; i++)
		worked = take_channel(j, &log->channels[i], starts);
	for (uint32_t i = 0; worked && i < log->nring; i++)
		worked = take_ring(j, &log->rings[i]);
	for (uint32_t c = 0; worked && c < graph->nchannel; c++)
		worked = follow_ring(j, c, starts[c], order);
	free(order);
	free(starts);
	return worked;
}

/* Trees. */

static struct nccl_node *node_of(const struct nccl_graph *graph, uint32_t channel, uint32_t rank)
{
	return &graph->trees[(size_t)channel * graph->nrank + rank];
}

static bool take_node(struct joining *j, const struct nccl_node *node)
{
	struct nccl_graph *graph = j->graph;
	if (node->channel >= graph->nchannel || node->rank >= graph->nrank)
		return nccl_fail(node->place, j->error,
			"tree %u, rank %u: there are %u channels and %u ranks: two communicators, "
			"or mixed lines",
			node->channel, node->rank, graph->nchannel, graph->nrank);
	struct nccl_node *known = node_of(graph, node->channel, node->rank);
	if (known->place.line &&
		(known->parent != node->parent ||
			memcmp(known->children, node->children, sizeof node->children) != 0))
		return nccl_fail(node->place, j->error,
			"tree %u, rank %u: two different lines, the other at %s:%u", node->channel,
			node->rank, known->place.file, known->place.line);
	*known = *node;
	return true;
}

static bool has_child(const struct nccl_node *node, uint32_t rank)
{
	for (int i = 0; i < NCCL_MOST_CHILDREN; i++)
		if (node->children[i] == rank)
			return true;
	return false;
}

/* Every rank has its parent's place, and there is one root. */
static bool check_tree(const struct nccl_graph *graph, uint32_t channel, struct ordo_error *error)
{
	uint32_t nroot = 0;
	for (uint32_t rank = 0; rank < graph->nrank; rank++) {
		const struct nccl_node *node = node_of(graph, channel, rank);
		uint32_t ends[1 + NCCL_MOST_CHILDREN] = {
			node->parent, node->children[0], node->children[1], node->children[2]};
		nroot += node->parent == ORDO_NONE;
		for (int i = 0; i < 1 + NCCL_MOST_CHILDREN; i++) {
			if (ends[i] == ORDO_NONE)
				continue;
			const struct nccl_node *other =
				ends[i] < graph->nrank ? node_of(graph, channel, ends[i]) : NULL;
			if (!other || !(i ? other->parent == rank : has_child(other, rank)))
				return nccl_fail(node->place, error,
					"tree %u: rank %u names rank %u as its %s, which does not "
					"name it",
					channel, rank, ends[i], i ? "child" : "parent");
		}
	}
	if (nroot != 1)
		return ordo_fail(error, ORDO_BAD_INPUT, 0,
			"tree %u: found %u ranks without a parent, wanted 1", channel, nroot);
	return true;
}

uint32_t nccl_tree_order(const struct nccl_graph *graph, uint32_t channel, uint32_t *order)
{
	uint32_t count = 0;
	for (uint32_t rank = 0; rank < graph->nrank && !count; rank++)
		if (node_of(graph, channel, rank)->parent == ORDO_NONE)
			order[count++] = rank;
	for (uint32_t i = 0; i < count; i++)
		for (int d = 0; d < NCCL_MOST_CHILDREN; d++) {
			const uint32_t child = node_of(graph, channel, order[i])->children[d];
			if (child == ORDO_NONE)
				continue;
			if (count == graph->nrank)
				return ORDO_NONE;
			order[count++] = child;
		}
	return count;
}

/* With one root and mutual links, what the root does not reach is a circle; a child named twice is
 * reached twice. */
static bool reaches_all(const struct nccl_graph *graph, uint32_t channel, struct ordo_error *error)
{
	uint32_t *order = malloc(((size_t)graph->nrank + 1) * sizeof *order);
	if (!order)
		return ordo_fail_memory(error);
	const uint32_t count = nccl_tree_order(graph, channel, order);
	free(order);
	return count == graph->nrank ||
	       ordo_fail(error, ORDO_BAD_INPUT, 0,
		       "tree %u: its links do not lead from the root to every rank once", channel);
}

bool nccl_need_trees(
	const struct nccl_log *log, const struct nccl_graph *graph, struct ordo_error *error)
{
	if (!log->nnode)
		return ordo_fail(error, ORDO_BAD_INPUT, 0,
			"no line \"Trees\": trees are unknown; each rank writes one with "
			"NCCL_DEBUG_SUBSYS=INIT,GRAPH,TUNING");
	for (uint32_t rank = 0; rank < graph->nrank; rank++)
		for (uint32_t channel = 0; channel < graph->nchannel; channel++)
			if (!node_of(graph, channel, rank)->place.line)
				return ordo_fail(error, ORDO_BAD_INPUT, 0,
					"no line \"Trees\" of rank %u has channel %u: every rank's "
					"lines are needed",
					rank, channel);
	for (uint32_t channel = 0; channel < graph->nchannel; channel++)
		if (!check_tree(graph, channel, error) || !reaches_all(graph, channel, error))
			return false;
	return true;
}

static bool join_trees(struct joining *j)
{
	const struct nccl_log *log = j->log;
	const size_t count = (size_t)j->graph->nchannel * j->graph->nrank;
	if (!log->nnode)
		return true;
	j->graph->trees = ordo_array_make(count, sizeof *j->graph->trees, 0);
	if (!j->graph->trees)
		return ordo_fail_memory(j->error);
	for (uint32_t i = 0; i < log->nnode; i++)
		if (!take_node(j, &log->nodes[i]))
			return false;
	return true;
}

bool nccl_join(const struct nccl_log *log, struct nccl_graph *graph, struct ordo_error *error)
{
	struct joining j = {log, graph, error};
	*graph = (struct nccl_graph){0};
	if (!check_version(log, error) || !check_members(log, error))
		return false;
	graph->nrank = log->members[0].nrank;
	return count_channels(&j) && join_rings(&j) && join_trees(&j);
}

void nccl_graph_free(struct nccl_graph *graph)
{
	free(graph->rings);
	free(graph->trees);
	*graph = (struct nccl_graph){0};
}
