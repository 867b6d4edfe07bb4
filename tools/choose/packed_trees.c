/* packed_trees.c - how many trees a packing took, in words and numbers. */
#include "packed_trees.h"
#include <inttypes.h>
#include <ordo/detail/packed_trees.h>
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
