/* exported.c - what the formats of `ordo export` share. */
#include "formats.h"

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
