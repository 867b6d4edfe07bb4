/* shard_cost.c - what virtual shards cost, in words and numbers. */
#include "shard_cost.h"
#include <inttypes.h>
#include <ordo/compiler.h>

/* `64 shards, 9 or 10 a rank: folded into at most 4 sums, 3.14 on average; the busiest sends 4.00
 * times as much as with one shard a rank` */
static void report_price(const struct report *report, uint32_t nshard,
	const struct ordo_shard_price *price, double average)
{
	report_text(report, "%u shards, %u<least_shards_a_rank>", nshard, price->least_shards);
	if (price->most_shards > price->least_shards)
		report_text(report, " or %u", price->most_shards);
	if (price->most_sums == 1)
		report_text(report, " a rank: each folds its own into one sum");
	else
		report_text(report, " a rank: folded into at most %u sums, %.2f on average",
			price->most_sums, average);
	if (price->volume == price->plain_volume)
		report_text(report, ", with the same volume as one shard a rank\n");
	else
		report_text(report,
			"; the busiest sends %.2f times as much as with one shard a rank\n",
			(double)price->volume / (double)price->plain_volume);
	report_members(report,
		"%u<most_shards_a_rank> %u<most_sums_a_rank> %g<average_sums_a_rank> %" PRIu64
		"<volume_chunks> %" PRIu64 "<volume_chunks_with_one_shard_a_rank>",
		price->most_shards, price->most_sums, average, price->volume, price->plain_volume);
}

void report_shard_price(struct call *call, const struct ordo_schedule *schedule,
	const struct ordo_topology *topology)
{
	const struct ordo_problem *problem = &schedule->problem;
	const struct ordo_request request = {
		.problem = *problem, .algorithm = schedule->algorithm, .topology = topology};
	struct ordo_shard_price price;
	if (problem->nshard == problem->nrank || !ordo_shard_price(&request, &price, NULL))
		return;
	const struct report report = report_of(call, stderr),
			    object = report_object(&report, "shard_price");
	report_price(&object, problem->nshard, &price, (double)price.sums / problem->nrank);
}
