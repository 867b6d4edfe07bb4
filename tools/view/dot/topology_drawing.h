/* topology_drawing.h - a topology being drawn: what the pictures of its links, their loads and the
 * trees of a schedule share. */
#ifndef ORDO_TOOLS_VIEW_DOT_TOPOLOGY_DRAWING_H
#define ORDO_TOOLS_VIEW_DOT_TOPOLOGY_DRAWING_H

#include "graph.h"
#include "sent_trees.h"
#include "view/model/layout.h"
#include "view/model/loads.h"

struct drawing {
	const struct ordo_topology *topology;
	struct loads loads;
	const struct sent_trees *trees; /* drawn instead of the links; NULL: none */
	struct layout layout;
	Agraph_t *graph;
	Agnode_t **nodes;	/* [nvertex]; NULL: not drawn */
	uint32_t nline;		/* of the legend */
	struct point low, high; /* of all vertices and lines */
	double legend_x, legend_y;
};

/* An arrow from vertex to vertex, on its right side if `one_way`, else a line. NULL: no memory. */
Agedge_t *add_curve(struct drawing *drawing, uint32_t from, uint32_t to, bool one_way);
/* The links that carry nothing; beside trees also those of switches. false: no memory. */
bool add_unloaded(struct drawing *drawing);
/* A line of the legend: a sample of a kind of lines with a text, or a text alone. NULL, false: no
 * memory. */
Agedge_t *add_sample(struct drawing *drawing, const char *text);
bool add_words(struct drawing *drawing, const char *text);

/* The trees, a colour each, over the links that they leave idle; their legend; their title. false:
 * no memory. */
bool add_trees(struct drawing *drawing);
bool add_tree_legend(struct drawing *drawing);
void describe_trees(const struct drawing *drawing, char text[512]);

#endif
