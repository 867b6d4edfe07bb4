/* timelines.c - the timeline of a schedule: predicted, or read from the trace of a run. */
#include "timelines.h"
#include "view/svg/scale.h"
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

static void append(struct chosen_timeline *chosen, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void append(struct chosen_timeline *chosen, const char *format, ...)
{
	const size_t length = strlen(chosen->setting);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(chosen->setting + length, sizeof chosen->setting - length, format, arguments);
	va_end(arguments);
}

/* Smaller shares of the total are not reported. */
static const double least_part = 1e-4;

static void append_part(struct chosen_timeline *chosen, const char **between, double seconds_taken,
	const char *what)
{
	char text[40];
	if (seconds_taken < chosen->timeline->total * least_part)
		return;
	print_duration(seconds_taken, text, sizeof text);
	append(chosen, "%s%s %s", *between, text, what);
	*between = ", ";
}

static void append_size(struct chosen_timeline *chosen)
{
	char bytes[ORDO_UNITS_SIZE];
	append(chosen, "predicted for %s of %s a rank",
		ordo_bytes_text(bytes, chosen->predicted.prediction->bytes),
		ordo_type_facts(chosen->predicted.type)->name);
}

static void append_prediction(struct chosen_timeline *chosen)
{
	const struct ordo_breakdown *breakdown = &chosen->predicted.prediction->breakdown;
	const struct ordo_topology *topology = chosen->predicted.topology;
	const char *between = "; critical path: ";
	append_size(chosen);
	append(chosen, ", %.60s",
		topology && topology->name ? topology->name : "a link between every two ranks");
	append_part(chosen, &between, breakdown->latency, "latency");
	append_part(chosen, &between, breakdown->wire, "wire");
	append_part(chosen, &between, breakdown->sharing, "sharing");
	append_part(chosen, &between, breakdown->reduce, "reduce");
	append_part(chosen, &between, breakdown->copy, "copy");
	append_part(chosen, &between, breakdown->waiting, "waiting");
}

static void append_trace(struct call *call, struct chosen_timeline *chosen)
{
	const struct traced *traced = &chosen->traced;
	char text[40];
	append(chosen, "traced by `ordo run`: call %" PRIu64, traced->call);
	if (traced->ncall > 1)
		append(chosen, " of %" PRIu64 "..%" PRIu64, traced->first_call, traced->last_call);
	if (traced->nround > 1) {
		print_duration(traced->call_seconds, text, sizeof text);
		append(chosen, ", round %" PRIu64 " of its %" PRIu64 ", which took %s",
			traced->round, traced->nround, text);
		note(call,
			"drawn: round %" PRIu64 " of the %" PRIu64 " of call %" PRIu64
			", a tile of every chunk; choose another with --round",
			traced->round, traced->nround, traced->call);
	}
	if (traced->ncall > 1)
		note(call,
			"drawn: call %" PRIu64 " of %" PRIu64 "..%" PRIu64
			"; choose another with --call",
			traced->call, traced->first_call, traced->last_call);
	if (traced->replayed)
		note(call, "drawn: the first of the interleavings");
	if (traced->nabsent || traced->nunfinished) {
		append(chosen, "; %" PRIu32 " tasks did not end, %" PRIu32 " did not begin",
			traced->nunfinished, traced->nabsent);
		note(call,
			"the run failed: %" PRIu32 " tasks did not end, %" PRIu32 " did not begin",
			traced->nunfinished, traced->nabsent);
	}
}

static bool open_trace(struct call *call, const struct timeline_options *args,
	const struct ordo_schedule *schedule, struct chosen_timeline *chosen)
{
	struct ordo_error error;
	FILE *in = fopen(args->trace, "r");
	if (!in) {
		ordo_fail(&error, ORDO_BAD_INPUT, 0, "cannot read: %s", strerror(errno));
		snprintf(error.file, sizeof error.file, "%s", args->trace);
		return refuse_error(call, &error);
	}
	const bool worked = read_traced(
		in, args->trace, schedule, args->call, args->round, &chosen->traced, &error);
	fclose(in);
	if (!worked)
		return refuse_error(call, &error);
	chosen->timeline = chosen->traced.timeline;
	chosen->absent = chosen->traced.absent;
	append_trace(call, chosen);
	return true;
}

bool choose_partial_timeline(struct call *call, const struct timeline_options *args,
	const struct ordo_schedule *schedule, const uint32_t *stopped,
	struct chosen_timeline *chosen)
{
	if (args->trace)
		return choose_timeline(call, args, schedule, chosen);
	*chosen = (struct chosen_timeline){.timeline = NULL};
	if (!predict_until_deadlock(call, &args->predicting, schedule, stopped, &chosen->predicted,
		    &chosen->partial))
		return false;
	chosen->timeline = chosen->partial.timeline;
	chosen->absent = chosen->partial.absent;
	append_size(chosen);
	append(chosen, "; %" PRIu32 " stream%s for ever", chosen->partial.nblocked,
		chosen->partial.nblocked == 1 ? " waits" : "s wait");
	return true;
}

bool choose_timeline(struct call *call, const struct timeline_options *args,
	const struct ordo_schedule *schedule, struct chosen_timeline *chosen)
{
	*chosen = (struct chosen_timeline){.timeline = NULL};
	if (args->trace)
		return open_trace(call, args, schedule, chosen);
	if (args->call != LATEST_CALL || args->round != MIDDLE_ROUND)
		return refuse_usage(call, NULL, "--call and --round need --trace");
	if (!predict_schedule(call, &args->predicting, schedule, &chosen->predicted))
		return false;
	chosen->timeline = chosen->predicted.prediction->timeline;
	append_prediction(chosen);
	return true;
}

void close_timeline(struct chosen_timeline *chosen)
{
	close_predicted(&chosen->predicted);
	close_partial_run(&chosen->partial);
	end_traced(&chosen->traced);
}
