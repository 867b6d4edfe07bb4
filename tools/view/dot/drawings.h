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

/* Writes DOT. *drawn is how many tasks are in it: fewer than chosen if max_tasks cut them. What the
 * witness (NULL: there is none) shows is red. */
bool draw_schedule(FILE *out, const struct ordo_schedule *schedule,
	const struct selection *selection, const struct witness *witness, uint32_t *drawn,
	struct ordo_error *error);
/* What depends on what: the moves among the tasks chosen, and why one comes before the other. The
 * slices of the schedule must be inside their buffers (R1 to R3). Positions are left to `dot`. */
bool draw_task_graph(FILE *out, const struct ordo_schedule *schedule,
	const struct selection *selection, const struct witness *witness, uint32_t *drawn,
	struct ordo_error *error);
/* The links among these ranks, and the switches; links that are down dashed and red. With a
 * prediction (NULL: none) for that topology every loaded link is an arrow, as wide as its bytes and
 * as warm as its use; the bottleneck is marked. */
bool draw_topology(FILE *out, const struct ordo_topology *topology,
	const struct ordo_prediction *prediction, const uint32_t *ranks, uint32_t nrank,
	struct ordo_error *error);

/* A tree of a forest and what stands above it. */
struct titled_tree {
	uint32_t tree;
	const char *title;
	uint32_t red;		   /* this node of it, and the way to its leaves; ORDO_NONE: none */
	uint32_t marked_leaves[3]; /* ORDO_NONE */
};
struct order_picture {
	const struct titled_tree *trees;
	uint32_t ntree;
	uint32_t max_leaves;  /* of more leaves a tree is cut at a depth that keeps so many ends */
	bool beside;	      /* side by side, instead of one below the other */
	const char *captions; /* lines below; NULL: none */
};
bool draw_order(FILE *out, const struct ordo_forest *forest, const struct order_picture *picture,
	struct ordo_error *error);

/* Renders DOT with the program `dot` (from its beginning) into image. format: "svg", "png", "pdf".
 * SVG has a dark mode. */
bool render(FILE *dot, const char *format, FILE *image, struct ordo_error *error);

#endif
