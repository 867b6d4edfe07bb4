/* timelines.h - the timeline of a schedule: predicted, or read from the trace of a run. */
#ifndef ORDO_TOOLS_VIEW_TIMELINES_H
#define ORDO_TOOLS_VIEW_TIMELINES_H

#include "cli/prediction_options.h"
#include "partial_timeline.h"
#include "run/trace_read.h"

struct timeline_options {
	struct predicting predicting;
	const char *trace;    /* the file of a trace; NULL: a prediction */
	uint64_t call, round; /* in the trace */
};
#define TIMELINE_USUAL                                                                             \
	{                                                                                          \
		.predicting = PREDICTING_USUAL, .call = LATEST_CALL, .round = MIDDLE_ROUND         \
	}
#define TRACE_OPTIONS(args)                                                                        \
	{"trace", 0, READ, &(args).trace, "FILE", "times from a trace of `ordo run --trace`"},     \
		{"call", 0, COUNT, &(args).call, "N", "this call of the trace (the last)"},        \
	{                                                                                          \
		"round", 0, COUNT, &(args).round, "N",                                             \
			"this round of the call, of which large sizes take many (the median by "   \
			"length)"                                                                  \
	}

struct chosen_timeline {
	struct predicted predicted; /* without a trace */
	struct traced traced;	    /* with one */
	struct partial_run partial; /* of a schedule that deadlocks */
	const struct ordo_timeline *timeline;
	const bool *absent; /* [ntask], as in struct traced; NULL: none */
	char setting[512];  /* a caption of the times, in one line */
};

/* false: call->status. Close it also after false. The schedule must outlive it. */
bool choose_timeline(struct call *call, const struct timeline_options *args,
	const struct ordo_schedule *schedule, struct chosen_timeline *chosen);
/* The same up to a deadlock: stopped[nstream] is the task at which each stream blocks (its end: it
 * does not). */
bool choose_partial_timeline(struct call *call, const struct timeline_options *args,
	const struct ordo_schedule *schedule, const uint32_t *stopped,
	struct chosen_timeline *chosen);
void close_timeline(struct chosen_timeline *chosen);

#endif
