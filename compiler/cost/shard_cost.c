/* shard_cost.c - what it costs that ranks have several shards. */
#include "pipeline/pipeline.h"
#include "program/shards.h"
#include <ordo/options.h>

/* Ranks that do not fold theirs into one sum have one for each tree of their forest. */
static void count_sums(const struct ordo_resolved_request *resolved, struct ordo_shard_price *price)
{
	const struct ordo_problem whole = ordo_whole_problem(resolved);
	const uint32_t N = whole.nrank, V = whole.nshard;
	price->least_shards = V / N;
	price->most_shards = V / N + (V % N > 0);
	for (uint32_t rank = 0; rank < N; rank++) {
		const uint32_t nsum =
			resolved->algorithm->takes_shards ? ordo_forest_size(&whole, rank) : 1;
		price->sums += nsum;
		price->most_sums = nsum > price->most_sums ? nsum : price->most_sums;
	}
}

static bool price_shards(const struct ordo_request *request, struct ordo_shard_price *price,
	struct ordo_error *error)
{
	struct ordo_resolved_request resolved = {0}, plain = {0};
	*price = (struct ordo_shard_price){0};
	bool worked = ordo_request_resolve(&resolved, request, error);
	if (worked) {
		struct ordo_request one_each = *request;
		one_each.problem.nshard = request->problem.nrank;
		one_each.problem.chunks_per_block = resolved.problem.chunks_per_block;
		worked = ordo_request_resolve(&plain, &one_each, error);
	}
	struct ordo_claims claims, plain_claims;
	worked = worked && ordo_claims_of(&resolved, &claims, error) &&
		 ordo_claims_of(&plain, &plain_claims, error);
	if (worked) {
		count_sums(&resolved, price);
		price->volume = claims.volume;
		price->plain_volume = plain_claims.volume;
	}
	ordo_resolved_request_destroy(&resolved);
	ordo_resolved_request_destroy(&plain);
	return worked;
}

bool ordo_shard_price_sized(size_t size, const struct ordo_request *request,
	struct ordo_shard_price *price, struct ordo_error *error)
{
	struct ordo_request own;
	return ordo_options_take(&own, sizeof own, request, size, error)
		       ? price_shards(&own, price, error)
		       : false;
}

bool(ordo_shard_price)(const struct ordo_request *request, struct ordo_shard_price *price,
	struct ordo_error *error)
{
	return ordo_shard_price_sized(ORDO_UP_TO(ordo_request, closure), request, price, error);
}
