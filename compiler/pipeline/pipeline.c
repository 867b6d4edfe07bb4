/* pipeline.c - from a resolved request to a proved schedule: one pass a line. */
#include "pipeline.h"
#include "passes.h"
#include "ways/spread.h"
#include <stdlib.h>

/* Of the time of all passes, about so much in a hundred is gone when one begins. */
enum { BUILT = 40, MERGED = 42, ORDERED = 90, EMITTED = 100 };

static bool report(const struct ordo_request *request, uint64_t done)
{
	if (request->progress)
		request->progress(request->closure, "compiling", done, EMITTED);
	return true;
}

/* An ordo_progress of the pass that orders; closure: a pointer to the request. */
static void report_ordering(void *closure, const char *what, uint64_t done, uint64_t total)
{
	const struct ordo_request *const *request = closure;
	(void)what;
	report(*request, MERGED + (ORDERED - MERGED) * done / (total ? total : 1));
}

/* Before it is ordered. Always true. */
static bool watch(struct ordo_sequence *sequence, const struct ordo_request **request)
{
	sequence->progress = report_ordering;
	sequence->closure = request;
	return report(*request, MERGED);
}

/* Data has its links, or the builder would have said so; what remains are signals that go where no
 * data goes. */
static bool signals_have_links(const struct ordo_resolved_request *resolved,
	const struct ordo_schedule *schedule, struct ordo_error *error)
{
	const struct ordo_topology *topology = resolved->whole;
	for (uint32_t s = 0; topology && s < schedule->nstream; s++) {
		const struct ordo_stream *stream = &schedule->streams[s];
		uint32_t good = stream->rank;
		for (uint32_t id = stream->first; id < stream->end; id++) {
			const struct ordo_task *task = &schedule->tasks[id];
			if (task->kind != ORDO_NOTIFY || task->peer == good)
				continue;
			good = task->peer;
			if (good == stream->rank ||
				ordo_topology_reaches(topology, stream->rank, good))
				continue;
			ordo_fail(error, ORDO_USAGE, 0,
				"%s: needs link %u-%u (from rank %u to rank %u) for signals, "
				"which topology \"%s\" does not have or which is down",
				resolved->algorithm->facts.name, stream->rank, good, stream->rank,
				good, topology->name);
			return ordo_hint(error, "data needs one direction, signals need both: one "
						"grants the write, one reports it");
		}
	}
	return true;
}

/* With via=spread streams name their ways, where there is a topology to find them on. What is not
 * of the table has no parameters. */
static bool spread(const struct ordo_resolved_request *resolved, struct ordo_schedule *schedule,
	struct ordo_error *error)
{
	const struct ordo_topology *topology = resolved->fast ? resolved->fast : resolved->whole;
	return !topology || !resolved->values || !ordo_parameter_is(resolved, "via", "spread") ||
	       ordo_spread(schedule, topology, error);
}

/* Always true. */
static bool mark_staging(struct ordo_schedule *schedule, const struct ordo_request *request)
{
	schedule->staging = request->staging_slots;
	return true;
}

bool ordo_prove_product(const struct ordo_request *request, const struct ordo_schedule *schedule,
	struct ordo_error *error)
{
	const struct ordo_verify_options options = {
		.topology = request->topology,
		.limits.tokens_in_flight = request->max_tokens,
		.max_findings = 1,
		.progress = request->progress,
		.closure = request->closure,
	};
	struct ordo_proof *proof =
		request->unproved ? NULL : ordo_verify(schedule, &options, error);
	const bool proved = request->unproved || (proof && proof->proved);
	if (proof && proof->nfinding)
		ordo_finding_error(schedule, &proof->findings[0], error);
	ordo_proof_destroy(proof);
	return proved;
}

struct ordo_schedule *ordo_compile_resolved(const struct ordo_request *request,
	const struct ordo_resolved_request *resolved, struct ordo_error *error)
{
	struct ordo_sequence sequence = {0};
	struct ordo_sync_edges edges = {0};
	struct ordo_schedule *schedule = NULL;
	const bool worked =
		ordo_build(resolved, &sequence, error) && report(request, BUILT) &&
		ordo_accumulate(&sequence, error) && ordo_merge(&sequence, error) &&
		ordo_stage(&sequence, request->staging_slots, error) &&
		ordo_relay(&sequence, request->topology, error) && watch(&sequence, &request) &&
		ordo_order_moves(&sequence, ORDO_SEARCH_VISITS, &edges, error) &&
		report(request, ORDERED) &&
		(schedule = ordo_emit(resolved, &sequence, &edges, error)) &&
		mark_staging(schedule, request) &&
		ordo_limit_tokens(schedule, request->max_tokens, error) &&
		spread(resolved, schedule, error) && signals_have_links(resolved, schedule, error);
	free(edges.items);
	ordo_sequence_free(&sequence);
	report(request, EMITTED);
	if (worked && ordo_prove_product(request, schedule, error))
		return schedule;
	ordo_schedule_destroy(schedule);
	return NULL;
}
