/* placed.c - one tree of sums for every element, each sum computed where it costs least.
 *
 * The tree is given, or chosen for the topology. Every chunk has places of its own for the sums, so
 * that all links share the work: cheapest places at prices of the links, which rise with their
 * loads. For AllReduce the result goes from the last sum to all ranks. Moves are written as a list
 * schedule starts them.
 *
 * steps   the longest path of a value to the last rank that needs it
 * volume  what the placement takes of the links of the busiest rank
 * order   the tree given or chosen, for every element
 * source  multiplicative weights: A. Plotkin, D. Shmoys and E. Tardos, 1995
 */
#include "algorithm.h"
#include "algorithms/direct/places.h"
#include "arrivals.h"
#include "lanes.h"
#include "synthesis/place/list.h"
#include "synthesis/place/order.h"
#include <ordo/topology.h>
#include <stdlib.h>

extern const struct ordo_algorithm ordo_algorithm_placed;

/* A choice tries it up to fewer ranks, unless one order is asked for: with more it takes seconds,
 * and trees of several orders are faster. */
enum { MOST_RANKS = 64, MOST_TRIED_RANKS = 32 };

struct placed {
	struct ordo_topology *mesh; /* where the request has no topology; NULL */
	struct ordo_placed_order order;
};

static bool applicable(const struct ordo_resolved_request *request, struct ordo_error *error)
{
	if (request->problem.nrank <= MOST_RANKS)
		return true;
	return ordo_fail(error, ORDO_USAGE, 0, "placed: found %u ranks, wanted up to %d",
		request->problem.nrank, MOST_RANKS);
}

static bool prepare(struct ordo_resolved_request *request, struct ordo_error *error)
{
	struct placed *placed = ordo_arena_alloc(&request->arena, sizeof *placed);
	request->prepared = placed;
	if (!placed)
		return ordo_fail_memory(error);
	if (request->problem.nrank == 1)
		return true;
	const struct ordo_topology *topology = request->topology;
	if (!topology)
		topology = placed->mesh =
			ordo_topology_make("full-mesh", request->problem.nrank, error);
	const struct ordo_placed_wish wish = {.order = ordo_parameter_value(request, "order")->word,
		.spreads = request->problem.op == ORDO_ALLREDUCE,
		.adding_gbs =
			topology && ordo_sums_are_apart(request) ? ordo_adding_gbs(topology) : 0,
		.chunks = request->problem.chunks_per_block,
		.kept = request->kept_placements};
	return topology && ordo_placed_order_make(&placed->order, topology, &wish, error);
}

static void release(struct ordo_resolved_request *request)
{
	struct placed *placed = request->prepared;
	if (!placed)
		return;
	ordo_topology_destroy(placed->mesh);
	ordo_placed_order_free(&placed->order);
}

const struct ordo_placed_order *ordo_placed_order_of(const struct ordo_resolved_request *resolved)
{
	const struct placed *placed = resolved->prepared;
	return resolved->algorithm == &ordo_algorithm_placed && resolved->problem.nrank > 1
		       ? &placed->order
		       : NULL;
}

static uint32_t block_count(const struct ordo_resolved_request *request)
{
	return request->problem.op == ORDO_ALLREDUCE ? 1 : request->problem.nrank;
}

static uint32_t natural_chunks(const struct ordo_resolved_request *request)
{
	const struct placed *placed = request->prepared;
	return request->problem.nrank == 1 ? 1 : placed->order.chunks;
}

/* Chunks of the document, in turn those of all blocks. */
struct ways {
	const struct ordo_place_chunk **items; /* [count] */
	uint32_t *chunks;		       /* [count] of the document */
	uint32_t count;
};

static void free_ways(struct ways *ways)
{
	free(ways->items);
	free(ways->chunks);
}

static bool make_ways(struct ways *ways, const struct ordo_resolved_request *request)
{
	const struct placed *placed = request->prepared;
	const struct ordo_placement *placement = &placed->order.placement;
	const uint32_t K = request->problem.chunks_per_block, blocks = block_count(request);
	*ways = (struct ways){.count = request->problem.nrank > 1 ? K * blocks : 0};
	ways->items = ordo_array_make((size_t)ways->count + 1, sizeof *ways->items, 0);
	ways->chunks = ordo_array_make((size_t)ways->count + 1, sizeof *ways->chunks, 0);
	for (uint32_t i = 0; ways->items && ways->chunks && i < ways->count; i++) {
		ways->items[i] = &placement->chunks[i % placement->nchunk];
		ways->chunks[i] = i % blocks * K + i / blocks;
	}
	return ways->items && ways->chunks;
}

/* Where the values are while the program is written. */
struct writer {
	struct ordo_builder *b;
	const struct ordo_resolved_request *request;
	const struct ordo_sum_tree *tree;
	const struct ways *ways;
	struct ordo_at *places; /* [way][nnode] */
	uint32_t *used;		/* [nrank] of the scratch slots below */
	uint32_t *slots;	/* [nslot] rising */
	uint32_t nslot;
	size_t room;
	uint16_t *senders; /* [nslot][nrank] who sends to a slot of a rank */
	size_t sender_room;
	struct free_slots *free; /* [nrank][nrank] by sender, then rank; NULL: none is used again */
	struct lanes *lanes;	 /* [nrank][nrank] NULL: no topology */
	uint32_t *path;		 /* [graph.nplace] room */
};

/* The streams that carry what a rank sends to another, where links of several classes lie side by
 * side; else one. */
struct lanes {
	uint32_t count; /* 0: not looked at yet */
	struct ordo_class_lane items[ORDO_MOST_CLASSES];
};

/* Indices of slots whose value is not needed any more, the one used longest ago first. */
struct free_slots {
	uint32_t *items;
	size_t first, count, room; /* in items: from `first` on, up to `count` */
};

/* As many stay free before one is used again, so that nobody waits for it. */
enum { SPARE_SLOTS = 2 };

static struct ordo_at *place_of(const struct writer *writer, uint32_t way, uint32_t node)
{
	return &writer->places[(size_t)way * writer->tree->nnode + node];
}

/* A slot that no rank has used yet. */
static bool add_slot(struct writer *writer)
{
	const size_t count = (size_t)writer->nslot + 1;
	if (!ordo_array_reserve(&writer->slots, &writer->room, count, sizeof *writer->slots) ||
		!ordo_array_reserve(&writer->senders, &writer->sender_room,
			count * writer->tree->nleaf, sizeof *writer->senders)) {
		ordo_builder_fail_memory(writer->b);
		return false;
	}
	writer->slots[writer->nslot++] = ordo_scratch(writer->b, 1);
	return true;
}

/* A slot of a rank that holds nothing that is needed, for what comes from another. */
static struct ordo_at new_slot(struct writer *writer, uint32_t rank, uint32_t from)
{
	const uint32_t nrank = writer->tree->nleaf;
	struct free_slots *of = writer->free ? &writer->free[from * nrank + rank] : NULL;
	if (of && of->count - of->first > SPARE_SLOTS)
		return ordo_at(rank, ORDO_SCRATCH, writer->slots[of->items[of->first++]]);
	if (writer->used[rank] == writer->nslot && !add_slot(writer))
		return ordo_at(rank, ORDO_SCRATCH, 0);
	const uint32_t index = writer->used[rank]++;
	writer->senders[(size_t)index * nrank + rank] = (uint16_t)from;
	return ordo_at(rank, ORDO_SCRATCH, writer->slots[index]);
}

static int compare_slots(const void *one, const void *other)
{
	const uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
	return (a > b) - (a < b);
}

/* What a place holds is not needed any more. */
static void leave_slot(struct writer *writer, struct ordo_at place)
{
	const uint32_t nrank = writer->tree->nleaf,
		       *slot = writer->free && place.buffer == ORDO_SCRATCH && writer->nslot
				       ? bsearch(&place.slot, writer->slots, writer->nslot,
						 sizeof *writer->slots, compare_slots)
				       : NULL;
	if (!slot)
		return;
	const size_t index = (size_t)(slot - writer->slots);
	struct free_slots *of =
		&writer->free[writer->senders[index * nrank + place.rank] * nrank + place.rank];
	if (ordo_array_reserve(&of->items, &of->room, of->count + 1, sizeof *of->items))
		of->items[of->count++] = (uint32_t)index;
	else
		ordo_builder_fail_memory(writer->b);
}

/* Ranks' own values: in the input, or at work places if others are added to them. */
static void contribute(struct writer *writer)
{
	const struct ordo_sum_tree *tree = writer->tree;
	ordo_stream(writer->b, "copy", ORDO_NONE);
	ordo_phase(writer->b, "copy in", ORDO_NONE);
	for (uint32_t way = 0; way < writer->ways->count; way++)
		for (uint32_t leaf = 0; leaf < tree->nleaf; leaf++) {
			const struct ordo_place_chunk *chunk = writer->ways->items[way];
			const uint32_t parent = tree->parents[leaf],
				       number = writer->ways->chunks[way];
			const bool kept = chunk->at[parent] == leaf &&
					  ordo_place_kept(tree, chunk, parent) == leaf;
			if (kept)
				ordo_contribute(writer->b, leaf, number, 1);
			*place_of(writer, way, leaf) =
				kept ? ordo_work(writer->b, leaf, number)
				     : ordo_input_of(writer->b, leaf, number);
		}
}

/* The result of a chunk where a rank must have it, or passes it on. */
static struct ordo_at result_at(struct writer *writer, uint32_t rank, uint32_t from, uint32_t chunk)
{
	return ordo_has_output(writer->b, rank, chunk) ? ordo_output_of(writer->b, rank, chunk)
						       : new_slot(writer, rank, from);
}

static bool is_same(struct ordo_at a, struct ordo_at b)
{
	return a.rank == b.rank && a.buffer == b.buffer && a.slot == b.slot;
}

/* The last sum is complete: it goes to the output, if it is there that it is wanted. */
static void finish(struct writer *writer, uint32_t way)
{
	const struct ordo_place_chunk *chunk = writer->ways->items[way];
	struct ordo_at *place = place_of(writer, way, writer->tree->nnode - 1);
	const uint32_t number = writer->ways->chunks[way];
	if (!ordo_has_output(writer->b, place->rank, number))
		return;
	const struct ordo_at output = ordo_output_of(writer->b, place->rank, number);
	if (is_same(output, *place) || chunk->at[writer->tree->nnode - 1] != chunk->target)
		return;
	ordo_stream(writer->b, "sum", ORDO_NONE);
	ordo_copy(writer->b, output, *place, 1);
	leave_slot(writer, *place);
	*place = output;
}

static void add(struct writer *writer, uint32_t way, uint32_t node, uint32_t other)
{
	const uint32_t *children = writer->tree->children[node],
		       kept = children[0] == other ? children[1] : children[0];
	*place_of(writer, way, node) = *place_of(writer, way, kept);
	ordo_builder_reduce(
		writer->b, *place_of(writer, way, kept), *place_of(writer, way, other), 1);
	leave_slot(writer, *place_of(writer, way, other));
	if (node == writer->tree->nnode - 1)
		finish(writer, way);
}

/* The vertices on the leg between two ranks, which the network has backwards: path[nplace]. */
static uint32_t lay_path(
	const struct ordo_place_network *network, uint32_t from, uint32_t to, uint32_t *path)
{
	const struct ordo_leg *leg = &network->legs[from * network->nrank + to];
	uint32_t count = 0;
	path[count++] = from;
	for (uint32_t i = leg->end; i-- > leg->first;) {
		const uint32_t v = network->graph->arcs[network->arcs[i]].to;
		if (v < network->graph->nplace)
			path[count++] = v;
	}
	return count;
}

/* The stream of a hop is next; each carries as much as its links are wide. */
static void take_lane(struct writer *writer, const struct ordo_place_hop *hop)
{
	const struct placed *placed = writer->request->prepared;
	const struct ordo_place_network *network = &placed->order.network;
	struct lanes *lanes =
		writer->lanes ? &writer->lanes[hop->from * network->nrank + hop->to] : NULL;
	const uint32_t count = lanes && lanes->count != 1
				       ? lay_path(network, hop->from, hop->to, writer->path)
				       : 0;
	if (lanes && !lanes->count)
		lanes->count = ordo_classes_along(
			writer->request->topology, writer->path, count, lanes->items);
	const uint32_t next = lanes ? ordo_next_class(lanes->items, lanes->count) : 0;
	ordo_stream(writer->b, ordo_lane_name(next), hop->to);
	if (lanes && lanes->count > 1 && !lanes->items[next].sent++)
		ordo_via(writer->b, hop->from, writer->path + 1, count - 2,
			lanes->items[next].class_name);
}

static void write_hop(struct writer *writer, uint32_t way, const struct ordo_place_hop *hop)
{
	const struct ordo_place_chunk *chunk = writer->ways->items[way];
	const struct ordo_sum_tree *tree = writer->tree;
	const uint32_t number = writer->ways->chunks[way];
	struct ordo_at *place = place_of(writer, way, hop->node), from = *place;
	take_lane(writer, hop);
	if (hop->result && from.rank != hop->from)
		from = ordo_output_of(writer->b, hop->from, number);
	if (hop->result) {
		const struct ordo_at to = result_at(writer, hop->to, hop->from, number);
		ordo_copy(writer->b, to, from, 1);
		if (block_count(writer->request) == 1)
			return;
		leave_slot(writer, from);
		*place = to;
		return;
	}
	const uint32_t parent = tree->parents[hop->node];
	if (!writer->free && hop->to == chunk->at[parent] &&
		ordo_place_kept(tree, chunk, parent) != hop->node) {
		add(writer, way, parent, hop->node);
		return;
	}
	*place = new_slot(writer, hop->to, hop->from);
	ordo_copy(writer->b, *place, from, 1);
	leave_slot(writer, from);
}

static void write_moves(struct writer *writer, const struct ordo_place_move *moves, size_t nmove)
{
	for (size_t i = 0; i < nmove && !ordo_builder_failed(writer->b); i++) {
		const struct ordo_place_move *move = &moves[i];
		const struct ordo_place_chunk *chunk = writer->ways->items[move->way];
		if (move->hop != ORDO_NONE) {
			write_hop(writer, move->way, &chunk->hops[move->hop]);
			continue;
		}
		const uint32_t *children = writer->tree->children[move->node],
			       kept = ordo_place_kept(writer->tree, chunk, move->node);
		ordo_stream(writer->b, "sum", ORDO_NONE);
		add(writer, move->way, move->node, children[0] == kept ? children[1] : children[0]);
	}
}

static bool make_writer(struct writer *writer, bool apart)
{
	const size_t nrank = writer->request->problem.nrank;
	writer->places = ordo_array_make(
		(size_t)writer->ways->count * writer->tree->nnode, sizeof *writer->places, 0);
	writer->used = ordo_array_make(nrank, sizeof *writer->used, 0);
	writer->free = apart ? ordo_array_make(nrank * nrank, sizeof *writer->free, 0) : NULL;
	writer->lanes = writer->request->topology
				? ordo_array_make(nrank * nrank, sizeof *writer->lanes, 0)
				: NULL;
	const struct placed *placed = writer->request->prepared;
	writer->path = ordo_array_make(placed->order.graph.nplace, sizeof *writer->path, 0);
	return writer->places && writer->used && writer->path && (writer->free || !apart) &&
	       (writer->lanes || !writer->request->topology);
}

static void free_writer(struct writer *writer)
{
	const size_t nrank = writer->request->problem.nrank;
	for (size_t i = 0; writer->free && i < nrank * nrank; i++)
		free(writer->free[i].items);
	free(writer->free);
	free(writer->lanes);
	free(writer->path);
	free(writer->places);
	free(writer->used);
	free(writer->slots);
	free(writer->senders);
}

static void build(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	const struct placed *placed = request->prepared;
	const struct ordo_sum_tree *tree = &placed->order.tree;
	struct ways ways;
	struct ordo_place_move *moves = NULL;
	size_t nmove = 0;
	uint64_t time;
	if (request->problem.nrank == 1) {
		ordo_keep_own(b, &request->problem);
		return;
	}
	struct writer writer = {.b = b, .request = request, .tree = tree, .ways = &ways};
	if (make_ways(&ways, request) && make_writer(&writer, ordo_sums_are_apart(request)) &&
		ordo_place_list(&moves, &nmove, &time, &placed->order.network, tree, ways.items,
			ways.count)) {
		contribute(&writer);
		ordo_phase(b,
			request->problem.op == ORDO_ALLREDUCE ? "all-reduce" : "reduce-scatter",
			ORDO_NONE);
		write_moves(&writer, moves, nmove);
	} else {
		ordo_builder_fail_memory(b);
	}
	free(moves);
	free_writer(&writer);
	free_ways(&ways);
}

/* depths: room for [nnode + nrank] */
static uint32_t depth_of(
	const struct ordo_sum_tree *tree, const struct ordo_place_chunk *chunk, uint32_t *depths)
{
	const uint32_t last = tree->nnode - 1;
	uint32_t h = 0, most = 0;
	for (uint32_t node = 0; node <= last; node++) {
		const uint32_t *children = tree->children[node];
		depths[node] = node < tree->nleaf			   ? 0
			       : depths[children[0]] > depths[children[1]] ? depths[children[0]]
									   : depths[children[1]];
		for (; node < last && h < chunk->nhop && chunk->hops[h].node == node &&
			!chunk->hops[h].result;
			h++)
			depths[node]++;
	}
	for (uint32_t v = 0; v < tree->nleaf; v++)
		depths[tree->nnode + v] = depths[last];
	most = depths[last];
	for (; h < chunk->nhop; h++) {
		const struct ordo_place_hop *hop = &chunk->hops[h];
		const uint32_t depth = depths[tree->nnode + hop->from] + 1;
		depths[tree->nnode + hop->to] = depth;
		most = depth > most ? depth : most;
	}
	return most;
}

static uint64_t steps(const struct ordo_resolved_request *request)
{
	const struct placed *placed = request->prepared;
	const struct ordo_sum_tree *tree = &placed->order.tree;
	struct ways ways;
	uint32_t *depths =
		ordo_array_make((size_t)tree->nnode + tree->nleaf + 1, sizeof *depths, 0);
	const bool worked = make_ways(&ways, request) && depths;
	uint64_t most = worked ? 0 : ORDO_UNCOUNTED;
	for (uint32_t way = 0; worked && way < ways.count; way++) {
		const uint32_t depth = depth_of(tree, ways.items[way], depths);
		most = depth > most ? depth : most;
	}
	free(depths);
	free_ways(&ways);
	return most;
}

static uint64_t volume(const struct ordo_resolved_request *request)
{
	struct ways ways;
	uint64_t *sent = ordo_array_make(request->problem.nrank, sizeof *sent, 0);
	const bool worked = make_ways(&ways, request) && sent;
	uint64_t most = worked ? 0 : ORDO_UNCOUNTED;
	for (uint32_t way = 0; worked && way < ways.count; way++)
		for (uint32_t h = 0; h < ways.items[way]->nhop; h++)
			sent[ways.items[way]->hops[h].from]++;
	for (uint32_t v = 0; worked && v < request->problem.nrank; v++)
		most = sent[v] > most ? sent[v] : most;
	free(sent);
	free_ways(&ways);
	return most;
}

enum {
	BOTH = 1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCESCATTER,
	/* A choice by size tries more pieces while there are at most so many moves. */
	MOST_TRIED = 1 << 13,
	/* Where ranks share the sums, more chunks are placed than middle sizes are worth. */
	EIGHTHS = 3
};

static const struct ordo_parameter parameters[] = {
	{.name = "order",
		.values = "auto|searched|dyadic|folded|linear|((0+1)+(2+3))",
		.fallback = "auto",
		.meaning = "the tree of every sum; auto: a quick choice for the topology; "
			   "searched: a longer search, for large messages",
		.kind = ORDO_SUMS},
	ORDO_SUMS_PARAMETER,
};

/* Percent of the time that mixes of placements may save, which only many chunks have. */
enum { MIXED = 6 };

/* With sums apart, many chunks share adders more evenly. */
#define VARIANT(...)                                                                               \
	{                                                                                          \
		.pipelines = BOTH, .most_moves = MOST_TRIED, .most_ranks = MOST_TRIED_RANKS,       \
		.one_tree = true, .settings = __VA_ARGS__                                          \
	}
#define APART .adds = true, .halves = EIGHTHS, .may_save = MIXED
static const struct ordo_variant variants[] = {
	VARIANT("", .halves = true),
	VARIANT("sums=apart", APART),
	VARIANT("order=searched", .sparse = true, .halves = true),
	VARIANT("order=searched,sums=apart", .sparse = true, APART),
};

const struct ordo_algorithm ordo_algorithm_placed = {
	.facts = {.name = "placed",
		.summary =
			"one given tree for every element, each sum computed where links have room",
		.how = "Every element is summed by the same tree, so its bits do not depend on "
		       "its position. Each sum of the tree is computed at some rank; different "
		       "chunks use different ranks, so that all links share the work. For "
		       "AllReduce the result goes from the last sum to all ranks.",
		.when = "Where one order is required (G3) and the network is not a full mesh: "
			"failed links, rings, tori, servers. With `order=`, also where a "
			"particular tree is required.",
		.operators = BOTH,
		.ranks = "up to 64",
		.steps = "the longest path of a value",
		.volume = "what the placement takes of the busiest rank's links",
		.order = "the tree given or chosen, for every element",
		.topologies = "any",
		.source = "multiplicative weights: Plotkin, Shmoys and Tardos 1995",
		.parameters = parameters,
		.nparameter = sizeof parameters / sizeof *parameters,
		.variants = variants,
		.nvariant = sizeof variants / sizeof *variants},
	.applicable = applicable,
	.prepare = prepare,
	.chunks = natural_chunks,
	.build = build,
	.release = release,
	.around_links = "placed",
	.steps = steps,
	.volume = volume,
};
