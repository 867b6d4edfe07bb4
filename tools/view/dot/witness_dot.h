/* witness_dot.h - draws the witness of a refuted schedule in red, over the picture of its tasks. */
#ifndef ORDO_TOOLS_VIEW_DOT_WITNESS_DOT_H
#define ORDO_TOOLS_VIEW_DOT_WITNESS_DOT_H

#include "graph.h"
#include "view/model/witness.h"

#define WITNESS_RED "#d02020"
#define WITNESS_FILL "#ff9b94"

/* The box of a task, or the columns of a rank. Inches. */
struct witness_spot {
	Agnode_t *node; /* NULL: not drawn */
	double x, y;	/* middle */
	double width, height;
};

/* The picture to draw on. */
struct witness_canvas {
	Agraph_t *graph;
	const struct ordo_schedule *schedule;
	const void *drawing;
	struct witness_spot (*spot_of_task)(const void *drawing, uint32_t task);
	/* width 0: not drawn */
	struct witness_spot (*spot_of_rank)(const void *drawing, uint32_t rank);
	double right, bottom;
	double legend_y; /* where the legend may continue, right of `right` */
};

/* Draws arrows, captions below, and their legend. false: no memory. */
bool draw_witness(const struct witness_canvas *canvas, const struct witness *witness);

#endif
