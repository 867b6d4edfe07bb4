/* selection.h - the part of a schedule that is drawn. */
#ifndef ORDO_TOOLS_VIEW_MODEL_SELECTION_H
#define ORDO_TOOLS_VIEW_MODEL_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

struct selection {
	const uint32_t *ranks; /* in the order of their columns */
	uint32_t nrank;
	bool *phases;	    /* [nphase]; tasks without a phase are drawn if all phases are */
	const bool *near;   /* [ntask] of those, only these; NULL: all */
	uint32_t max_tasks; /* a longer picture is cut */
};

#endif
