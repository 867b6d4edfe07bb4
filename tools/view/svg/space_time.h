/* space_time.h - a schedule in time as SVG: a row for every rank and stream, time to the right. */
#ifndef ORDO_TOOLS_VIEW_SVG_SPACE_TIME_H
#define ORDO_TOOLS_VIEW_SVG_SPACE_TIME_H

#include "view/model/selection.h"
#include "view/model/witness.h"
#include <ordo/timeline.h>

struct space_time {
	const struct ordo_timeline *timeline;
	const bool *absent;		   /* [ntask]: these never began; NULL: all did */
	const struct selection *selection; /* without its max_tasks */
	/* of more than these a map is drawn; USUAL_TASKS: as many as are legible */
	uint32_t most_tasks;
	const char *setting;	       /* the second line of the title */
	const struct witness *witness; /* its tasks and arrows are red; NULL: there is none */
};

enum space_time_form {
	TASK_BARS,  /* a bar and a tooltip for every task, all arrows */
	DENSE_BARS, /* a bar for every task, tooltips and arrows on the critical path alone */
	SPAN_MAP,   /* rows of ranks cut into spans: what part of each is spent at what */
};

/* What a picture shows. */
struct space_time_facts {
	enum space_time_form form;
	uint32_t nrow;	       /* drawn: of streams, in a map of groups of ranks */
	uint32_t ranks_a_row;  /* in a map; at most */
	uint32_t nspan;	       /* in a map */
	double span;	       /* seconds */
	uint32_t ntask;	       /* chosen, each a bar unless it is a map */
	uint32_t narrow;       /* drawn, from a Notify to its Wait */
	uint32_t ninside;      /* bars that say what they move */
	uint32_t nchosen_rank; /* each counted once */
};

#define USUAL_TASKS UINT32_MAX
/* Of more tasks bars lose their tooltips; of more tasks or rows they become a map. */
enum { MOST_TASK_BARS = 5000, MOST_DENSE_BARS = 40000, MOST_ROWS = 300 };

/* Writes the picture; the same timeline and selection give the same bytes. With USUAL_TASKS no
 * picture is longer than 2 MB, however long the schedule. false: no memory, or it cannot be
 * written. */
bool draw_space_time(FILE *out, const struct space_time *picture, struct space_time_facts *facts,
	struct ordo_error *error);

#endif
