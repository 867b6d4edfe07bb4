/* peers.c - the streams of algorithms in which all ranks deal with all. */
#include "peers.h"

static bool has_one_each(const struct ordo_recipe *recipe)
{
	return ordo_recipe_is(recipe, "streams", "peers");
}

void ordo_stream_to_peer(struct ordo_builder *b, const struct ordo_recipe *recipe, uint32_t peer)
{
	if (has_one_each(recipe))
		ordo_stream(b, "to", peer);
	else
		ordo_stream(b, recipe->algorithm->facts.name, ORDO_NONE);
}

void ordo_stream_local(struct ordo_builder *b, const struct ordo_recipe *recipe)
{
	ordo_stream(b, has_one_each(recipe) ? "local" : recipe->algorithm->facts.name, ORDO_NONE);
}
