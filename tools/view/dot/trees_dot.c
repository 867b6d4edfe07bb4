/* trees_dot.c - draws the trees by which the results of a rank reach the others, a colour for each.
 */
#include "topology_drawing.h"
#include "view/colours/oklch.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* More cannot be told apart. */
enum { MOST_TREES = 12, COLOUR_SIZE = 8 };

/* A link is as busy as the busiest if it is within this share of it. */
static const double nearly = 0.999;

static uint32_t count_drawn(const struct drawing *drawing)
{
	return drawing->trees->ntree < MOST_TREES ? drawing->trees->ntree : MOST_TREES;
}

static void colour_of(const struct drawing *drawing, uint32_t tree, char colour[COLOUR_SIZE])
{
	/* Neighbours in hue differ in lightness too. */
	write_oklch(colour, tree % 2 ? 0.72 : 0.56, 0.15,
		25 + 360.0 * tree / (double)count_drawn(drawing));
}

static bool has_arc(const struct sent_tree *tree, uint32_t from, uint32_t to)
{
	return tree->parents[to] == from && from != to;
}

/* The colours of the trees with an arc, `#rrggbb:#rrggbb`; empty if the first of them is not
 * `first`. */
static void colours_of_arc(const struct drawing *drawing, uint32_t first, uint32_t from,
	uint32_t to, char text[MOST_TREES * COLOUR_SIZE + 1])
{
	size_t length = 0;
	*text = 0;
	for (uint32_t i = 0; i < count_drawn(drawing); i++) {
		if (!has_arc(&drawing->trees->trees[i], from, to))
			continue;
		if (i < first)
			return;
		if (length)
			text[length++] = ':';
		colour_of(drawing, i, text + length);
		length += COLOUR_SIZE - 1;
	}
}

/* The arcs of a tree that no tree before it has. */
static bool add_arcs(struct drawing *drawing, uint32_t tree)
{
	const struct sent_tree *arcs = &drawing->trees->trees[tree];
	char colours[MOST_TREES * COLOUR_SIZE + 1], tip[64];
	for (uint32_t to = 0; to < drawing->trees->nrank; to++) {
		const uint32_t from = arcs->parents[to];
		if (from == to)
			continue;
		colours_of_arc(drawing, tree, from, to, colours);
		Agedge_t *edge = *colours ? add_curve(drawing, from, to, true) : NULL;
		if (*colours && !edge)
			return false;
		if (!edge)
			continue;
		snprintf(tip, sizeof tip, "%" PRIu32 " to %" PRIu32, from, to);
		set_all(edge, "color=%s; penwidth=2.2; arrowsize=0.6; class=tree", colours);
		set_text(edge, "tooltip", tip, "");
	}
	return true;
}

bool add_trees(struct drawing *drawing)
{
	if (!add_unloaded(drawing))
		return false;
	for (uint32_t tree = 0; tree < count_drawn(drawing); tree++)
		if (!add_arcs(drawing, tree))
			return false;
	return true;
}

/* `load: 52 of 52 links are as busy as the busiest` */
static bool add_load(struct drawing *drawing)
{
	const struct loads *loads = &drawing->loads;
	uint32_t nup = 0, nfull = 0;
	char text[96];
	for (uint32_t i = 0; i < loads->topology->nlink; i++) {
		const struct ordo_link *link = &loads->topology->links[i];
		nup += !link->down;
		nfull += !link->down && use_of(loads, link) >= nearly * loads->most_use;
	}
	snprintf(text, sizeof text,
		nfull == nup ? "load: all %" PRIu32 " links are equally busy"
			     : "load: %" PRIu32 " of %" PRIu32 " links are as busy as the busiest",
		nfull, nup);
	if (!add_words(drawing, text))
		return false;
	if (!loads->nidle)
		return true;
	snprintf(text, sizeof text, "%" PRIu32 " link%s idle", loads->nidle,
		loads->nidle == 1 ? " is" : "s are");
	return add_words(drawing, text);
}

bool add_tree_legend(struct drawing *drawing)
{
	const struct sent_trees *trees = drawing->trees;
	char text[96], colour[COLOUR_SIZE];
	for (uint32_t i = 0; i < count_drawn(drawing); i++) {
		const struct sent_tree *tree = &trees->trees[i];
		snprintf(text, sizeof text, "%" PRIu32 " of %" PRIu32 " chunk%s, height %" PRIu32,
			tree->nchunk, trees->nchunk, trees->nchunk == 1 ? "" : "s", tree->height);
		Agedge_t *edge = add_sample(drawing, text);
		if (!edge)
			return false;
		colour_of(drawing, i, colour);
		set_all(edge, "color=%s; penwidth=2.2", colour);
	}
	if (trees->ntree > count_drawn(drawing)) {
		snprintf(text, sizeof text, "%" PRIu32 " trees more, not drawn",
			trees->ntree - count_drawn(drawing));
		if (!add_words(drawing, text))
			return false;
	}
	drawing->legend_y += 0.1;
	return add_load(drawing);
}

void describe_trees(const struct drawing *drawing, char text[512])
{
	const char *name = drawing->topology->name ? drawing->topology->name : "topology";
	const struct ordo_schedule *schedule = drawing->loads.prediction->timeline->schedule;
	char count[32];
	snprintf(count, sizeof count, "%" PRIu32 " trees", drawing->trees->ntree);
	snprintf(text, 512, "%s by %.100s on %.200s: the %s of rank %" PRIu32,
		ordo_operator_facts(schedule->problem.op)->name, schedule->algorithm, name,
		drawing->trees->ntree == 1 ? "only tree" : count, drawing->trees->root);
}
