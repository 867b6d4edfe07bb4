/* exported.c - what the formats of `ordo export` share. */
#include "formats.h"
#include <inttypes.h>
#include <ordo/detail/schedules.h>

bool make_export_graph(
	struct graph *graph, const struct exported *exported, struct ordo_error *error)
{
	const struct ordo_machine machine = machine_of(&exported->options->costs);
	const struct graph_options options = {.count = exported->count,
		.type = exported->type,
		.reduce_bandwidth_gbs = machine.reduce_bandwidth_gbs,
		.copy_bandwidth_gbs = machine.copy_bandwidth_gbs,
		.signals = exported->options->signals};
	return make_graph(graph, exported->schedule, &options, error);
}

void report_graph(struct call *call, const struct exported *exported, const struct graph *graph)
{
	const char *output = exported->options->output;
	struct report report = report_of(call, stdout);
	if (!output)
		report.text = NULL;
	report_text(&report,
		"%u<ranks> ranks, %u<operations> operations, %u<messages> messages, "
		"%u<dependences> dependences",
		graph->schedule->problem.nrank, graph->count, graph->nmessage, graph->ndependence);
	if (output)
		report_text(&report, ", written to %s<output>\n", output);
}

const char *operation_label(
	const struct graph *graph, const struct operation *operation, char label[LABEL_SIZE])
{
	const struct ordo_schedule *schedule = graph->schedule;
	const uint32_t s = ordo_stream_of(schedule, operation->task);
	const struct ordo_stream *stream = &schedule->streams[s];
	const uint32_t number = s - schedule->programs[stream->rank].first_stream,
		       task = operation->task - stream->first;
	if (operation->stream != ORDO_NONE)
		snprintf(label, LABEL_SIZE, "t%" PRIu32 "_%" PRIu32, number, task);
	else
		snprintf(label, LABEL_SIZE, "%c%" PRIu32 "_%" PRIu32 "_%" PRIu32,
			operation->kind == OPERATION_ADD ? 'a' : 'r', stream->rank, number, task);
	return label;
}
