/* peers.c - the streams of algorithms in which all ranks communicate with all. */
#include "peers.h"

static bool has_one_each(const struct ordo_resolved_request *request)
{
	return ordo_parameter_is(request, "streams", "peers");
}

void ordo_stream_to_peer(
	struct ordo_builder *b, const struct ordo_resolved_request *request, uint32_t peer)
{
	if (has_one_each(request))
		ordo_stream(b, "to", peer);
	else
		ordo_stream(b, request->algorithm->facts.name, ORDO_NONE);
}

void ordo_stream_local(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	ordo_stream(b, has_one_each(request) ? "local" : request->algorithm->facts.name, ORDO_NONE);
}
