/* two_trees.h - draws two different trees side by side, the first difference in red. */
#ifndef ORDO_TOOLS_VIEW_DOT_TWO_TREES_H
#define ORDO_TOOLS_VIEW_DOT_TWO_TREES_H

#include "base/report.h"
#include <ordo/detail/order.h>

struct two_trees {
	const struct ordo_forest *forest;
	/* its trees and witness are of the forest */
	const struct ordo_contradiction *contradiction;
	const char *title[2]; /* the caption of each */
	uint32_t max_leaves;
};

/* Writes DOT. false: call->status. */
bool draw_two_trees(struct call *call, const struct two_trees *two, FILE *out);

#endif
