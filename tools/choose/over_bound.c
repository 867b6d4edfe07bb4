/* over_bound.c - what a schedule that takes longer than the bound may lack: trees, or ways. */
#include "over_bound.h"
#include "base/with_setting.h"
#include <inttypes.h>
#include <ordo/detail/packed_trees.h>
#include <ordo/detail/ways.h>
#include <string.h>

/* Ratios are sums of floats. */
static const double reached = 1 + 1e-9;

void report_packed_trees(const struct report *report, const struct ordo_schedule *schedule,
	const struct ordo_topology *topology, double ratio)
{
	const struct ordo_request request = {.problem = schedule->problem,
		.algorithm = schedule->algorithm,
		.topology = topology};
	struct ordo_packed_trees trees;
	if (strncmp(schedule->algorithm, "packing", strlen("packing")) != 0 || ratio <= reached ||
		!ordo_packed_trees(&request, &trees, NULL) || trees.exact <= trees.k)
		return;
	const struct report object = report_object(report, "packed_trees");
	const double lost = (ratio - 1) * 100;
	report_text(&object, "k=%" PRIu32 "<k> trees %s take ", trees.k,
		trees.spanning ? "in all" : "of each root");
	if (lost < 99)
		report_text(&object, "%.2g<lost_percent> %%", lost);
	else
		report_text(&object, "%.0f<lost_percent> %%", lost);
	report_text(&object, " longer than the bound");
	if (trees.exact < INT64_MAX)
		report_text(&object, "; k=%" PRIu64 "<exact_k> would take no longer", trees.exact);
	report_text(&object, "\n");
}

static bool has_choice(const struct ordo_schedule *schedule, const struct ordo_topology *topology)
{
	bool choice = false;
	return topology && topology->nswitch && !strstr(schedule->algorithm, "via=") &&
	       ordo_has_choice(schedule, topology, &choice, NULL) && choice;
}

void hint_spread(struct call *call, const struct ordo_request *request,
	const struct ordo_schedule *schedule, const struct ordo_wire_bound *bound, uint64_t bytes,
	double ratio)
{
	static const double much = 1.1, worth = 1.01;
	struct ordo_arena arena = {0};
	struct ordo_request other = *request;
	double seconds = 0;
	if (ratio <= much || !has_choice(schedule, request->topology))
		return;
	other.algorithm = with_setting(&arena, schedule->algorithm, "via=spread");
	struct ordo_schedule *spread = other.algorithm ? ordo_compile(&other, NULL) : NULL;
	if (spread && ordo_wire_load(spread, request->topology, bytes, &seconds, NULL)) {
		const double better = seconds / ordo_wire_bound_seconds(bound, (double)bytes);
		if (better * worth < ratio)
			note(call,
				"hint: data have several ways over the switches; with %s the "
				"busiest link takes %.3f times the bound",
				other.algorithm, better);
	}
	ordo_schedule_destroy(spread);
	ordo_arena_free(&arena);
}
