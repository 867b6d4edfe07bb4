/* shard_cost.c - what virtual shards cost, in words and numbers. */
#include "shard_cost.h"
#include <inttypes.h>
#include <ordo/compiler.h>

static void add_price(struct call *call, const struct ordo_shard_price *price, double average)
{
	cJSON *object = cJSON_AddObjectToObject(call->answer, "shard_price");
	add_count(object, "least_shards_a_rank", price->least_shards);
	add_count(object, "most_shards_a_rank", price->most_shards);
	add_count(object, "most_sums_a_rank", price->most_sums);
	add_number(object, "average_sums_a_rank", average);
	add_count(object, "volume_chunks", price->volume);
	add_count(object, "volume_chunks_with_one_shard_a_rank", price->plain_volume);
}

/* `64 shards, 9 or 10 a rank: at most 4 sums to send, 3.14 on average; 4.00 times the volume of one
 * shard a rank` */
static void print_price(uint32_t nshard, const struct ordo_shard_price *price, double average)
{
	fprintf(stderr, "%" PRIu32 " shards, %" PRIu32, nshard, price->least_shards);
	if (price->most_shards > price->least_shards)
		fprintf(stderr, " or %" PRIu32, price->most_shards);
	fprintf(stderr, " a rank: ");
	if (price->most_sums == 1)
		fprintf(stderr, "each folds its own into one sum");
	else
		fprintf(stderr, "left as at most %" PRIu32 " sums, %.2f on average",
			price->most_sums, average);
	if (price->volume == price->plain_volume)
		fprintf(stderr, ", and sends no more than with one\n");
	else
		fprintf(stderr, "; the busiest sends %.2f times as much as with one\n",
			(double)price->volume / (double)price->plain_volume);
}

void tell_shard_price(struct call *call, const struct ordo_schedule *schedule,
	const struct ordo_topology *topology)
{
	const struct ordo_problem *problem = &schedule->problem;
	const struct ordo_request request = {
		.problem = *problem, .algorithm = schedule->algorithm, .topology = topology};
	struct ordo_shard_price price;
	if (problem->nshard == problem->nrank || !ordo_shard_price(&request, &price, NULL))
		return;
	const double average = (double)price.sums / problem->nrank;
	if (call->json)
		add_price(call, &price, average);
	else
		print_price(problem->nshard, &price, average);
}
