/* space_time.h - draws a space-time diagram as SVG: a row for every rank and stream, time to the
 * right. */
#ifndef ORDO_TOOLS_VIEW_SVG_SPACE_TIME_H
#define ORDO_TOOLS_VIEW_SVG_SPACE_TIME_H

#include "view/model/selection.h"
#include "view/model/witness.h"
#include <ordo/timeline.h>

struct space_time {
	const struct ordo_timeline *timeline;
	const bool *absent;		   /* [ntask] tasks that never began; NULL: all began */
	const struct selection *selection; /* its max_tasks is ignored */
	/* with more tasks a map is drawn; USUAL_TASKS: as many as are legible */
	uint32_t most_tasks;
	const char *setting;	       /* the second line of the title */
	const struct witness *witness; /* its tasks and arrows are red; NULL: none */
};

enum space_time_form {
	TASK_BARS,  /* a bar and a tooltip for every task, all arrows */
	DENSE_BARS, /* a bar for every task, tooltips and arrows only on the critical path */
	SPAN_MAP,   /* rows of ranks, divided into spans: the share of each activity */
};

/* The contents of a picture. */
struct space_time_facts {
	enum space_time_form form;
	uint32_t nrow;	       /* drawn rows: of streams, in a map of groups of ranks */
	uint32_t ranks_a_row;  /* in a map; the largest number of ranks in a row */
	uint32_t nspan;	       /* in a map */
	double span;	       /* seconds */
	uint32_t ntask;	       /* selected tasks; each has a bar unless it is a map */
	uint32_t narrow;       /* drawn arrows, from a Notify to its Wait */
	uint32_t ninside;      /* bars with a text of their data */
	uint32_t nchosen_rank; /* each counted once */
};

#define USUAL_TASKS UINT32_MAX
/* With more tasks bars have no tooltips; with more tasks or rows than the others the picture is a
 * map. */
enum { MOST_TASK_BARS = 5000, MOST_DENSE_BARS = 40000, MOST_ROWS = 300 };

/* Writes the picture; equal timelines and selections give equal bytes. With USUAL_TASKS no picture
 * exceeds 2 MB. false: no memory, or it cannot be written. */
bool draw_space_time(FILE *out, const struct space_time *picture, struct space_time_facts *facts,
	struct ordo_error *error);

#endif
