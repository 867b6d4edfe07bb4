/* accumulate_price.c - what sums without order cost, beside the same schedule with its own order:
 * bytes sent, predicted time, and accuracy. */
#include "accumulate_price.h"
#include <inttypes.h>
#include <ordo/builder.h>
#include <ordo/detail/accumulate.h>
#include <ordo/detail/order.h>
#include <ordo/detail/slots.h>

/* The largest bound of all orders that the schedule has. */
static bool find_error(struct call *call, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, enum ordo_type type, struct sum_cost *cost)
{
	struct ordo_error error;
	struct ordo_forest *forest = ordo_forest_create(&error);
	struct ordo_order *order =
		forest ? ordo_order_create(forest, schedule, proof, &error) : NULL;
	for (uint32_t i = 0; order && i < order->nclass; i++) {
		const double bound =
			ordo_error_bound(type, ordo_accumulator(&schedule->problem, type), ORDO_SUM,
				&forest->facts[order->classes[i].tree]);
		cost->error = bound > cost->error ? bound : cost->error;
	}
	const bool worked = order;
	ordo_order_destroy(order);
	ordo_forest_destroy(forest);
	return worked || refuse_error(call, &error);
}

static double bytes_sent(const struct ordo_schedule *schedule, enum ordo_type type, uint64_t bytes)
{
	const struct ordo_problem *problem = &schedule->problem;
	const uint64_t count = bytes / ordo_nblock(problem) / ordo_type_size(type);
	const double narrow = (double)ordo_type_size(type),
		     wide = (double)ordo_type_size(ordo_accumulator(problem, type));
	double sent = 0;
	for (uint32_t i = 0; i < schedule->ntask; i++) {
		const struct ordo_task *task = &schedule->tasks[i];
		if (ordo_task_moves(task) && ordo_task_crosses(task))
			sent += (double)ordo_chunks_elements(
					problem, count, task->chunk, task->count) *
				(task->src_buffer == ORDO_SCRATCH &&
							task->dst_buffer == ORDO_SCRATCH
						? wide
						: narrow);
	}
	return sent;
}

static bool find_cost(struct call *call, const struct predicting *setting,
	const struct ordo_topology *topology, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, enum ordo_type type, struct sum_cost *cost)
{
	const enum ordo_type accumulator = ordo_accumulator(&schedule->problem, type);
	const struct ordo_predict_options options = {.topology = topology,
		.machine = machine_of(setting),
		.bytes = setting->bytes,
		.element_bytes = (uint32_t)ordo_type_size(type),
		.scratch_element_bytes = (uint32_t)ordo_type_size(accumulator),
		.add_cost = ordo_adding_cost(topology, machine_of(setting).reduce_bandwidth_gbs,
			&schedule->problem, type),
		.through_ranks = setting->through_ranks,
		.no_bounds = true};
	struct ordo_error error;
	struct ordo_prediction *prediction = ordo_predict(schedule, &options, &error);
	if (!prediction)
		return refuse_error(call, &error);
	*cost = (struct sum_cost){.sent = bytes_sent(schedule, type, setting->bytes),
		.seconds = prediction->timeline->total};
	ordo_prediction_destroy(prediction);
	return find_error(call, schedule, proof, type, cost);
}

bool find_accumulate_price(struct call *call, const struct predicting *setting,
	const struct ordo_request *request, const struct ordo_moves *moves,
	const struct ordo_schedule *schedule, const struct ordo_proof *proof,
	struct accumulate_price *price)
{
	struct ordo_request plain = *request;
	struct ordo_moves same;
	struct ordo_error error;
	plain.problem = schedule->problem;
	plain.problem.accumulate = ORDO_ACCUMULATE_NONE;
	plain.algorithm = schedule->algorithm;
	plain.unproved = true;
	*price = (struct accumulate_price){
		.type = ordo_usual_type(&schedule->problem), .bytes = setting->bytes};
	if (setting->type_name && !ordo_type_from_name(setting->type_name, &price->type))
		return refuse_usage(call, NULL, "--type: found %s, wanted " ORDO_TYPE_NAMES,
			setting->type_name);
	if (!ordo_accumulates(&schedule->problem, price->type, &error))
		return refuse_error(call, &error);
	if (moves) {
		same = *moves;
		same.problem.accumulate = ORDO_ACCUMULATE_NONE;
	}
	struct ordo_schedule *without =
		moves ? ordo_compile_moves(&same, &plain, &error) : ordo_compile(&plain, &error);
	struct ordo_proof *own = without ? ordo_verify(without, NULL, &error) : NULL;
	const struct ordo_topology *topology = request->topology;
	const bool worked = own ? find_cost(call, setting, topology, schedule, proof, price->type,
					  &price->with) &&
					    find_cost(call, setting, topology, without, own,
						    price->type, &price->without)
				: refuse_error(call, &error);
	ordo_proof_destroy(own);
	ordo_schedule_destroy(without);
	return worked;
}

void report_accumulate_price(const struct report *report, const struct ordo_problem *problem,
	const struct accumulate_price *price)
{
	const struct report object = report_object(report, "accumulate_price");
	const struct sum_cost *with = &price->with, *without = &price->without;
	report_text(&object,
		"sums of %s<type> in %s err by at most %.3g<relative_error> of the sum of absolute "
		"values, without it by %.3g<relative_error_without>; no order changes a bit\n",
		ordo_type_name(price->type), ordo_accumulation_name(problem->accumulate),
		with->error, without->error);
	report_text(&object,
		"its price is %.4g<bytes_ratio> times the bytes sent, and %.4g<time_ratio> times "
		"the predicted time: %g<seconds:time> for %g<:bytes>\n",
		without->sent > 0 ? with->sent / without->sent : 1,
		without->seconds > 0 ? with->seconds / without->seconds : 1, with->seconds,
		(double)price->bytes);
	report_members(&object,
		"%" PRIu64 "<bytes> %g<bytes_sent> %g<bytes_sent_without> %g<seconds_without>",
		price->bytes, with->sent, without->sent, without->seconds);
}
