/* fuzz_trace_reader.c - any two texts as a schedule and the trace of a run of it: what is read is a
 * timeline, and what is not says where. */
#include "halves.h"
#include "run/trace_read.h"
#include <math.h>
#include <ordo/document.h>

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size);

static void demand(bool truth, const char *sentence)
{
	if (truth)
		return;
	fprintf(stderr, "not true: %s\n", sentence);
	abort();
}

static void demand_timeline(const struct ordo_schedule *schedule, const struct traced *traced)
{
	const struct ordo_timeline *timeline = traced->timeline;
	uint32_t nabsent = 0;
	for (uint32_t i = 0; i < schedule->ntask; i++) {
		const struct ordo_timed_task *task = &timeline->tasks[i];
		nabsent += traced->absent[i];
		demand(isfinite(task->end) && task->ready >= 0 && task->ready <= task->begin &&
				task->begin <= task->end && task->end <= timeline->total,
			"a task is ready, begins and ends, in this order");
		if (task->cause != ORDO_NONE)
			demand(task->cause < schedule->ntask && !traced->absent[task->cause] &&
					timeline->tasks[task->cause].end <= task->begin,
				"a cause has ended before");
	}
	demand(nabsent == traced->nabsent, "absent tasks are counted");
	uint32_t *path = malloc(((size_t)schedule->ntask + 1) * sizeof *path);
	bool *seen = calloc((size_t)schedule->ntask + 1, sizeof *seen);
	demand(path && seen, "there is memory");
	const uint32_t npath = ordo_timeline_path(timeline, path);
	for (uint32_t i = 0; i < npath; i++) {
		demand(!seen[path[i]], "causes do not go in a circle");
		seen[path[i]] = true;
	}
	free(path);
	free(seen);
}

static void read_it(const struct ordo_schedule *schedule, char *text)
{
	struct traced traced;
	struct ordo_error error = {.code = ORDO_OK};
	FILE *in = *text ? fmemopen(text, strlen(text), "r") : fopen("/dev/null", "r");
	demand(in, "text can be read as a file");
	if (read_traced(in, "trace", schedule, LATEST_CALL, MIDDLE_ROUND, &traced, &error))
		demand_timeline(schedule, &traced);
	else
		demand(error.code == ORDO_BAD_INPUT && error.line && error.text[0],
			"a refusal says what and where");
	end_traced(&traced);
	fclose(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size)
{
	const struct halves halves = cut_in_half(text, size);
	struct ordo_schedule *schedule =
		ordo_schedule_read_text(halves.first, strlen(halves.first), "fuzz", NULL, NULL);
	if (schedule && schedule->ntask <= 300)
		read_it(schedule, halves.second);
	ordo_schedule_destroy(schedule);
	free(halves.first);
	return 0;
}
