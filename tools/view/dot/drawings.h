/* drawings.h - pictures of schedules, topologies and orders, as DOT. */
#ifndef ORDO_TOOLS_VIEW_DOT_DRAWINGS_H
#define ORDO_TOOLS_VIEW_DOT_DRAWINGS_H

#include "view/model/selection.h"
#include <ordo/detail/order.h>
#include <ordo/predict.h>
#include <ordo/schedule.h>
#include <ordo/topology.h>
#include <stdio.h>

struct witness;

/* Writes DOT. *drawn is the number of tasks in it: fewer than selected if max_tasks cut them. The
 * witness (NULL: none) is drawn in red. */
bool draw_schedule(FILE *out, const struct ordo_schedule *schedule,
	const struct selection *selection, const struct witness *witness, uint32_t *drawn,
	struct ordo_error *error);
/* The dependences of the selected moves. The slices of the schedule must be inside their buffers
 * (R1 to R3). `dot` chooses the positions. */
bool draw_task_graph(FILE *out, const struct ordo_schedule *schedule,
	const struct selection *selection, const struct witness *witness, uint32_t *drawn,
	struct ordo_error *error);
/* The links among these ranks and the switches; failed links are dashed and red. With a prediction
 * (NULL: none) for that topology every loaded link is an arrow, its width by bytes and its colour
 * by utilisation; the bottleneck is marked. */
bool draw_topology(FILE *out, const struct ordo_topology *topology,
	const struct ordo_prediction *prediction, const uint32_t *ranks, uint32_t nrank,
	struct ordo_error *error);

/* The trees by which the results of a rank reach all others, a colour for each, on the topology of
 * the prediction, whose loads the legend has. false: there are none (ORDO_USAGE), or no memory. */
bool draw_sent_trees(FILE *out, const struct ordo_topology *topology,
	const struct ordo_prediction *prediction, uint32_t root, struct ordo_error *error);

/* A tree of a forest and its caption. */
struct titled_tree {
	uint32_t tree;
	const char *title;
	uint32_t red; /* the node to mark, with its path to the leaves; ORDO_NONE: none */
	uint32_t marked_leaves[3]; /* ORDO_NONE */
};
struct order_picture {
	const struct titled_tree *trees;
	uint32_t ntree;
	/* a tree with more leaves is cut at a depth with at most this many ends */
	uint32_t max_leaves;
	bool beside;	      /* side by side instead of below each other */
	const char *captions; /* lines below the trees; NULL: none */
};
bool draw_order(FILE *out, const struct ordo_forest *forest, const struct order_picture *picture,
	struct ordo_error *error);

/* Renders DOT (from its beginning) into `image` by the program `dot`. format: "svg", "png", "pdf".
 * SVG gets a dark mode. */
bool render(FILE *dot, const char *format, FILE *image, struct ordo_error *error);

#endif
