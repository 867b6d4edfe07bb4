/* split_evenly.c - logical links between ranks in place of switches, as wide one way as the other.
 *
 * A switch joins what leads to it two by two. The widest links are joined first, each to all others
 * that are as wide, by equal parts, until they are as wide as the next; so nothing is left over,
 * unless one link is wider than all others together. For spanning trees, which use a link both
 * ways.
 *
 * A switch may begin with its ranks, joined with each other: that keeps ways short where ranks at
 * one switch need not be reached over others; where they must be, it leaves nothing for them. Or it
 * may begin with its other links, joined with its ranks: then ranks behind another switch are
 * reached over few links between ranks, wide enough for whole trees. What comes over one link of
 * the switch, from several ends, is then joined as one, in proportion.
 */
#include "split.h"
#include <ordo/arena.h>
#include <ordo/divisor.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* Units are multiplied by this: what 14 links share divides evenly. */
	PARTS = 720720,
	MOST_UNITS = 1 << 20,
	/* Ways over chains of switches multiply: two servers of which every card is behind four
	 * switches have 1.8 million, and trees on them gain nothing. */
	MOST_EDGES = 1 << 15
};

/* A link between two vertices, over way[0] .. way[nway-1] from ends[0] to ends[1]. */
struct edge {
	uint32_t ends[2], nway, *way;
	int64_t units;
};

/* An edge at the switch that is split, and what it has left. */
struct side {
	int64_t left;
	uint32_t edge, far, near; /* its other end; the vertex next to the switch on it */
	const char *name;	  /* of the class that its way takes; NULL */
};

/* Sides that are joined as one: a single one, or all whose ways take the same link of the switch,
 * of which none is joined to another, since a way does not go back. */
struct bundle {
	int64_t left; /* of all */
	struct side *sides;
	uint32_t count;
};

struct splitting {
	const struct ordo_capacities *graph;
	struct ordo_arena arena;
	struct edge *edges;
	size_t nedge, edge_room;
	struct side *sides; /* [nside] of the switch */
	uint32_t nside;
	size_t side_room;
	struct bundle *bundles; /* [nside] */
	size_t bundle_room;
	enum ordo_split_first first;
	bool one_class, too_many, failed;
};

static void add_edge(struct splitting *it, struct edge edge)
{
	it->too_many = it->nedge == MOST_EDGES;
	if (it->too_many ||
		!ordo_array_reserve(&it->edges, &it->edge_room, it->nedge + 1, sizeof *it->edges))
		it->failed = true;
	else
		it->edges[it->nedge++] = edge;
}

/* Writes the way of an edge to the vertex `end`, or from there. Returns the end. */
static uint32_t *copy_way(uint32_t *out, const struct edge *edge, uint32_t end, bool towards)
{
	const bool forward = (edge->ends[1] == end) == towards;
	for (uint32_t i = 0; i < edge->nway; i++)
		out[i] = edge->way[forward ? i : edge->nway - 1 - i];
	return out + edge->nway;
}

/* Leaves out what lies between two visits of a switch. Returns how many are left. */
static uint32_t cut_loops(uint32_t *way, uint32_t nway)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < nway; i++) {
		const uint32_t v = way[i];
		for (uint32_t j = nway - 1; j > i; j--)
			if (way[j] == v)
				i = j;
		way[count++] = v;
	}
	return count;
}

/* Whether one class, or none, names the way of an edge, and that class. */
static bool name_of(const struct splitting *it, const struct edge *edge, const char **name)
{
	const struct ordo_apart_way way = {
		edge->ends[0], edge->ends[1], edge->nway, edge->way, false};
	return ordo_parallel_links_nameable(it->graph->parallel, &way, name);
}

/* Adds an edge over both sides. */
static void join(
	struct splitting *it, uint32_t w, const struct side *a, const struct side *b, int64_t units)
{
	const struct edge *from = &it->edges[a->edge], *to = &it->edges[b->edge];
	struct edge edge = {
		.ends = {a->far, b->far}, .nway = from->nway + 1 + to->nway, .units = units};
	if (a->far == b->far)
		return;
	const char *name;
	edge.way = ordo_arena_alloc(&it->arena, edge.nway * sizeof *edge.way);
	if (!edge.way) {
		it->failed = true;
		return;
	}
	uint32_t *end = copy_way(edge.way, from, w, true);
	*end = w;
	copy_way(end + 1, to, w, false);
	edge.nway = cut_loops(edge.way, edge.nway);
	if (!it->one_class || name_of(it, &edge, &name))
		add_edge(it, edge);
}

/* Units that are taken from a bundle, side by side. */
struct taking {
	const struct bundle *from;
	int64_t units, before, taken; /* of all; of the sides that were looked at */
	uint32_t next;
	struct side *side; /* the last one, and what it gives */
	int64_t part;
};

/* Goes on to the next side that gives something: what it has left, in proportion. false: that was
 * all. */
static bool take_next(struct taking *it)
{
	__extension__ typedef __int128 wide;
	while (it->taken < it->units) {
		it->side = &it->from->sides[it->next++];
		it->before += it->side->left;
		const int64_t end = (int64_t)((wide)it->before * it->units / it->from->left);
		it->part = end - it->taken;
		it->taken = end;
		it->side->left -= it->part;
		if (it->part)
			return true;
	}
	return false;
}

/* Takes units from two bundles to edges over both. */
static void join_bundles(
	struct splitting *it, uint32_t w, struct bundle *a, struct bundle *b, int64_t units)
{
	struct taking from = {.from = a, .units = units}, to = {.from = b, .units = units};
	while (!it->failed && (from.part || take_next(&from)) && (to.part || take_next(&to))) {
		const int64_t part = from.part < to.part ? from.part : to.part;
		join(it, w, from.side, to.side, part);
		from.part -= part;
		to.part -= part;
	}
	a->left -= units;
	b->left -= units;
}

/* Takes units that nothing can be joined to. */
static void lose(struct bundle *bundle, int64_t units)
{
	struct taking taking = {.from = bundle, .units = units};
	while (take_next(&taking))
		;
	bundle->left -= units;
}

static int compare_sides(const void *one, const void *other)
{
	const struct side *a = one, *b = other;
	if (a->near != b->near)
		return a->near < b->near ? -1 : 1;
	return (a->edge > b->edge) - (a->edge < b->edge);
}

/* The widest first. */
static int compare_bundles(const void *one, const void *other)
{
	const struct bundle *a = one, *b = other;
	if (a->left != b->left)
		return a->left < b->left ? 1 : -1;
	return (a->sides->edge > b->sides->edge) - (a->sides->edge < b->sides->edge);
}

/* Puts the first sides into bundles. Returns how many these are. */
static uint32_t make_bundles(struct splitting *it, uint32_t nside)
{
	uint32_t count = 0;
	qsort(it->sides, nside, sizeof *it->sides, compare_sides);
	for (uint32_t i = 0; i < nside; i++) {
		struct side *side = &it->sides[i];
		if (!i || it->first != ORDO_SPLIT_RANK_SIDE || side->near != side[-1].near)
			it->bundles[count++] = (struct bundle){0, side, 0};
		it->bundles[count - 1].left += side->left;
		it->bundles[count - 1].count++;
	}
	qsort(it->bundles, count, sizeof *it->bundles, compare_bundles);
	return count;
}

/* How many bundles from one on are as wide as that. */
static uint32_t count_alike(const struct splitting *it, uint32_t first, uint32_t count)
{
	uint32_t end = first;
	while (end < count && it->bundles[end].left == it->bundles[first].left)
		end++;
	return end - first;
}

static int64_t least_of(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Joins bundles, of which the first `top` are the widest, to each other, or the first to those that
 * come next, until others are as wide. count: of all that are joined. */
static void join_widest(struct splitting *it, uint32_t w, uint32_t top, uint32_t count)
{
	struct bundle *bundles = it->bundles;
	const uint32_t more = top > 1 ? 0 : count_alike(it, 1, count), last = top + more;
	const int64_t next = last < count ? bundles[last].left : 0;
	int64_t part = bundles[last - 1].left - next;
	if (more > 1)
		part = least_of(part, (bundles[0].left - bundles[1].left) / (more - 1));
	if (top > 1)
		part /= top - 1;
	for (uint32_t i = 0; part && i < (more ? 1 : top) && !it->failed; i++)
		for (uint32_t j = more ? 1 : i + 1; j < last && !it->failed; j++)
			join_bundles(it, w, &bundles[i], &bundles[j], part);
	/* What does not divide is lost. */
	for (uint32_t i = 0; i < top; i++)
		if (!part || (top > 1 && bundles[i].left - next < top - 1))
			lose(&bundles[i], bundles[i].left - (more ? bundles[1].left : next));
}

/* Puts those sides first that have something left. name: NULL, or only those that take this class.
 * Returns how many they are. */
static uint32_t pick_sides(struct splitting *it, bool ranks_only, const char *name)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < it->nside; i++) {
		const struct side side = it->sides[i];
		if (side.left <= 0 || (ranks_only && side.far >= it->graph->nrank) ||
			(name && side.name != name))
			continue;
		it->sides[i] = it->sides[count];
		it->sides[count++] = side;
	}
	return count;
}

/* Joins the sides of a switch. name: as above */
static void join_sides(struct splitting *it, uint32_t w, bool ranks_only, const char *name)
{
	for (;;) {
		const uint32_t count = make_bundles(it, pick_sides(it, ranks_only, name));
		if (count < 2 || it->failed)
			return;
		join_widest(it, w, count_alike(it, 0, count), count);
	}
}

/* Joins the other links of a switch with its ranks, with all in proportion: first the narrowest,
 * whose bandwidth trees can least do without. */
static void join_ranks(struct splitting *it, uint32_t w)
{
	const uint32_t nside = pick_sides(it, false, NULL), count = make_bundles(it, nside);
	/* Sides are sorted by what lies next to the switch. */
	struct bundle ranks = {.sides = it->sides};
	for (; ranks.count < nside && it->sides[ranks.count].near < it->graph->nrank; ranks.count++)
		ranks.left += it->sides[ranks.count].left;
	for (uint32_t i = count; i-- && ranks.left && !it->failed;)
		if (it->bundles[i].sides->near >= it->graph->nrank)
			join_bundles(it, w, &it->bundles[i], &ranks,
				least_of(it->bundles[i].left, ranks.left));
}

/* Joins the sides of each class to each other first: one class names their ways. */
static void join_classes(struct splitting *it, uint32_t w)
{
	const struct ordo_parallel_links *parallel = it->graph->parallel;
	for (uint32_t i = 0; parallel && i < parallel->given->nclass; i++)
		join_sides(it, w, false, parallel->given->class_names[i]);
}

/* The vertex next to an end of an edge on its way. */
static uint32_t next_to(const struct edge *edge, uint32_t end)
{
	const bool begins = edge->ends[0] == end;
	if (!edge->nway)
		return edge->ends[begins];
	return edge->way[begins ? 0 : edge->nway - 1];
}

/* Takes the edges of a switch apart. */
static void split_switch(struct splitting *it, uint32_t w)
{
	it->nside = 0;
	for (uint32_t i = 0; i < it->nedge && !it->failed; i++) {
		struct edge *edge = &it->edges[i];
		if ((edge->ends[0] != w && edge->ends[1] != w) || !edge->units)
			continue;
		const size_t nside = (size_t)it->nside + 1;
		if (!ordo_array_reserve(&it->sides, &it->side_room, nside, sizeof *it->sides) ||
			!ordo_array_reserve(
				&it->bundles, &it->bundle_room, nside, sizeof *it->bundles)) {
			it->failed = true;
			return;
		}
		struct side *side = &it->sides[it->nside++];
		*side = (struct side){
			edge->units, i, edge->ends[edge->ends[0] == w], next_to(edge, w), NULL};
		name_of(it, edge, &side->name);
		edge->units = 0;
	}
	join_classes(it, w);
	if (it->first == ORDO_SPLIT_RANKS)
		join_sides(it, w, true, NULL);
	if (it->first == ORDO_SPLIT_RANK_SIDE)
		join_ranks(it, w);
	join_sides(it, w, false, NULL);
}

/* Both directions of every edge, in as few units as are exact, or so many that nothing matters. */
static bool write_links(const struct splitting *it, struct ordo_logical_links *logical)
{
	uint64_t divisor = 0, most = 0;
	size_t nvia = 0;
	for (size_t i = 0; i < it->nedge; i++) {
		const uint64_t units = (uint64_t)it->edges[i].units;
		divisor = ordo_common_divisor(units, divisor);
		most = units > most ? units : most;
		nvia += 2 * (size_t)it->edges[i].nway;
	}
	if (divisor && most / divisor > MOST_UNITS)
		divisor = most / MOST_UNITS + 1;
	logical->first = ordo_array_make(it->graph->nvertex, sizeof *logical->first, 0xff);
	logical->links = ordo_array_make(2 * it->nedge, sizeof *logical->links, 0);
	logical->via = ordo_array_make(nvia, sizeof *logical->via, 0);
	if (!logical->first || !logical->links || !logical->via)
		return false;
	for (size_t i = 0; i < 2 * it->nedge; i++) {
		const struct edge *edge = &it->edges[i / 2];
		const uint32_t from = edge->ends[i % 2], to = edge->ends[1 - i % 2];
		if (!edge->units)
			continue;
		logical->links[logical->nlink] = (struct ordo_logical_link){from, to,
			(uint32_t)((uint64_t)edge->units / divisor), (uint32_t)logical->nvia,
			edge->nway, logical->first[from]};
		logical->first[from] = logical->nlink++;
		copy_way(logical->via + logical->nvia, edge, to, true);
		logical->nvia += edge->nway;
	}
	return true;
}

bool ordo_split_evenly(struct ordo_logical_links *logical, const struct ordo_capacities *graph,
	enum ordo_split_first first, bool one_class, struct ordo_error *error)
{
	struct splitting it = {.graph = graph, .first = first, .one_class = one_class};
	const int64_t parts = graph->total < INT64_MAX / 16 / graph->nrank / PARTS ? PARTS : 1;
	*logical = (struct ordo_logical_links){0};
	for (uint32_t i = 0; i < graph->narc && !it.failed; i++)
		if (graph->arcs[i].from < graph->arcs[i].to)
			add_edge(
				&it, (struct edge){.ends = {graph->arcs[i].from, graph->arcs[i].to},
					     .units = parts * graph->arcs[i].units});
	for (uint32_t w = graph->nrank; w < graph->nvertex && !it.failed; w++)
		split_switch(&it, w);
	const bool worked = !it.failed && write_links(&it, logical);
	free(it.edges);
	free(it.sides);
	free(it.bundles);
	ordo_arena_free(&it.arena);
	return worked || (!it.too_many && ordo_fail_memory(error));
}
