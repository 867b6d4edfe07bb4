/* prediction_options.c - the options of every command that makes predictions. */
#include "prediction_options.h"
#include "base/progress.h"
#include "sizes.h"
#include <inttypes.h>
#include <ordo/detail/accumulate.h>
#include <ordo/plan_set.h>
#include <string.h>

enum { USUAL_BYTES = 1 << 20 };

static bool read_type(struct call *call, const struct predicting *args,
	const struct ordo_problem *problem, enum ordo_type *type)
{
	struct ordo_error error;
	*type = ordo_usual_type(problem);
	if (args->type_name && !ordo_type_from_name(args->type_name, type))
		return refuse_usage(
			call, NULL, "--type: found %s, wanted " ORDO_TYPE_NAMES, args->type_name);
	return ordo_accumulates(problem, *type, &error) || refuse_error(call, &error);
}

/* The command line overrides the topology. */
static void take_costs(const struct predicting *args, struct ordo_topology *topology)
{
	for (uint32_t i = 0; i < topology->nlink; i++) {
		struct ordo_link *link = &topology->links[i];
		if (args->latency_ns > 0)
			link->latency_ns = args->latency_ns;
		if (args->bandwidth_gbs > 0)
			link->bandwidth_gbs = args->bandwidth_gbs;
		if (args->reduce_bandwidth_gbs > 0)
			link->reduce_gbs = 0;
	}
	if (args->reduce_bandwidth_gbs > 0)
		topology->reduce_gbs = args->reduce_bandwidth_gbs;
	if (args->reduce_bandwidth_gbs > 0)
		memset(topology->sum_gbs, 0, sizeof topology->sum_gbs);
	if (args->copy_bandwidth_gbs > 0)
		topology->copy_gbs = args->copy_bandwidth_gbs;
}

bool open_predicted(struct call *call, const struct predicting *args,
	const struct ordo_problem *problem, struct predicted *predicted)
{
	*predicted = (struct predicted){.topology = NULL};
	if (!read_type(call, args, problem, &predicted->type) ||
		!choose_topology(call, &args->topology, problem->nrank, &predicted->topology))
		return false;
	if (predicted->topology)
		take_costs(args, predicted->topology);
	if (!read_counts(call, args->counts, problem, &predicted->counts))
		return false;
	if (args->bytes != UNSET_SIZE)
		return take_bytes(call, predicted, args->bytes);
	predicted->bytes =
		args->counts ? bytes_of_counts(&predicted->counts, predicted->type) : USUAL_BYTES;
	return true;
}

bool take_bytes(struct call *call, struct predicted *predicted, uint64_t bytes)
{
	predicted->bytes = bytes;
	return !predicted->counts.given ||
	       scale_counts(call, &predicted->counts, predicted->type, bytes);
}

bool sets_costs(const struct predicting *args)
{
	return args->latency_ns > 0 || args->bandwidth_gbs > 0 || args->reduce_bandwidth_gbs > 0 ||
	       args->copy_bandwidth_gbs > 0;
}

void take_machine(const struct predicting *args, struct ordo_machine *machine)
{
	if (args->latency_ns > 0)
		machine->latency_ns = args->latency_ns;
	if (args->bandwidth_gbs > 0)
		machine->bandwidth_gbs = args->bandwidth_gbs;
	if (args->reduce_bandwidth_gbs > 0)
		machine->reduce_bandwidth_gbs = args->reduce_bandwidth_gbs;
	if (args->copy_bandwidth_gbs > 0)
		machine->copy_bandwidth_gbs = args->copy_bandwidth_gbs;
}

struct ordo_machine machine_of(const struct predicting *args)
{
	struct ordo_machine machine = ordo_machine_usual();
	take_machine(args, &machine);
	return machine;
}

bool predict_taken(struct call *call, const struct predicting *args,
	const struct ordo_schedule *schedule, struct predicted *predicted)
{
	struct ordo_error error;
	struct progress progress = {0};
	const struct ordo_predict_options options = {.topology = predicted->topology,
		.machine = machine_of(args),
		.bytes = predicted->bytes,
		.block_count = predicted->counts.block_count,
		.element_bytes = (uint32_t)ordo_type_size(predicted->type),
		.scratch_element_bytes = (uint32_t)ordo_type_size(
			ordo_accumulator(&schedule->problem, predicted->type)),
		.add_cost = ordo_adding_cost(predicted->topology,
			machine_of(args).reduce_bandwidth_gbs, &schedule->problem, predicted->type),
		.through_ranks = args->through_ranks,
		.progress = show_progress,
		.closure = &progress};
	if (predicted->bytes > ORDO_BYTES_LIMIT)
		return refuse_usage(call, NULL, "found %" PRIu64 " bytes, wanted at most %" PRIu64,
			predicted->bytes, ORDO_BYTES_LIMIT);
	show_progress(&progress, "predicting", 0, schedule->ntask);
	ordo_prediction_destroy(predicted->prediction);
	predicted->prediction = ordo_predict(schedule, &options, &error);
	hide_progress(&progress);
	if (predicted->prediction)
		return true;
	if (error.rule == 12 && !args->through_ranks && !error.hint[0])
		ordo_hint(&error, "--route-through-ranks: ranks forward data");
	return refuse_error(call, &error);
}

bool predict_schedule(struct call *call, const struct predicting *args,
	const struct ordo_schedule *schedule, struct predicted *predicted)
{
	if (!open_predicted(call, args, &schedule->problem, predicted) ||
		!predict_taken(call, args, schedule, predicted))
		return false;
	note_left_out(call, &schedule->problem, predicted);
	return true;
}

void note_left_out(
	struct call *call, const struct ordo_problem *problem, const struct predicted *predicted)
{
	const uint64_t cut = (uint64_t)predicted->prediction->bytes;
	if (cut >= predicted->bytes)
		return;
	if (predicted->counts.given)
		note_scaled(call, predicted->type, predicted->bytes, cut);
	else
		note_cut(call, problem, predicted->type, predicted->bytes, cut);
}

void note_assumption(struct call *call, const struct predicting *args, uint32_t nrank,
	const struct predicted *predicted)
{
	enum { MOST_BELIEVED = 64, BOX = 8 };
	char sizes[64];
	if (predicted->topology || nrank <= MOST_BELIEVED)
		return;
	note(call,
		"assumed: a separate link of %.4g GB/s between every two of %" PRIu32
		" ranks, which no machine has",
		machine_of(args).bandwidth_gbs, nrank);
	snprintf(sizes, sizeof sizes, "of %d ranks each", BOX);
	if (nrank % BOX == 0)
		snprintf(sizes, sizeof sizes, "here S = %" PRIu32, nrank / BOX);
	note(call,
		"--topology dgx-a100:S, dgx-h100:S, mi300x:S (S servers, %s), servers:SxR, a3:SxR, "
		"torus:AxB, ... or a document is one; `ordo list topologies`",
		sizes);
}

void close_predicted(struct predicted *predicted)
{
	ordo_prediction_destroy(predicted->prediction);
	ordo_topology_destroy(predicted->topology);
	free_counts(&predicted->counts);
	*predicted = (struct predicted){.topology = NULL};
}
