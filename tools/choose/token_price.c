/* token_price.c - what a limit of tokens in flight costs, and staging: in moves, pairs, signals and
 * predicted time. */
#include "token_price.h"
#include <inttypes.h>
#include <ordo/builder.h>
#include <ordo/detail/accumulate.h>
#include <ordo/signals.h>
#include <stdlib.h>

static bool count_signals(const struct ordo_schedule *schedule, struct token_cost *cost)
{
	struct ordo_pairing pairing;
	uint32_t *used = calloc(schedule->problem.nrank, sizeof *used);
	const bool worked = ordo_pairing_open(&pairing, schedule) && used;
	for (uint32_t i = 0; worked && i < pairing.signals.count; i++) {
		const struct ordo_signal *signal = &pairing.signals.items[i];
		cost->pairs += signal->nwait;
		used[signal->from]++;
		used[signal->to] += signal->to != signal->from;
	}
	cost->signals = worked ? pairing.signals.count : 0;
	for (uint32_t rank = 0; worked && rank < schedule->problem.nrank; rank++)
		if (used[rank] > cost->busiest)
			cost->busiest = used[rank];
	ordo_pairing_close(&pairing);
	free(used);
	return worked;
}

static bool find_cost(struct call *call, const struct ordo_predict_options *options,
	const struct ordo_schedule *schedule, struct token_cost *cost)
{
	struct ordo_error error;
	if (!count_signals(schedule, cost))
		return refuse_error(call, (ordo_fail_memory(&error), &error));
	struct ordo_prediction *prediction = ordo_predict(schedule, options, &error);
	if (!prediction)
		return refuse_error(call, &error);
	cost->seconds = prediction->timeline->total;
	cost->slots = schedule->scratch_slots;
	cost->moves = schedule->ntask - 2 * cost->pairs;
	ordo_prediction_destroy(prediction);
	return true;
}

bool find_token_price(struct call *call, const struct predicting *setting,
	const struct ordo_topology *topology, const struct ordo_moves *moves,
	const struct ordo_schedule *schedule, struct token_price *price)
{
	const struct ordo_request request = {.problem = schedule->problem,
		.algorithm = schedule->algorithm,
		.topology = topology,
		.unproved = true};
	const struct ordo_predict_options options = {.topology = topology,
		.machine = machine_of(setting),
		.bytes = setting->bytes,
		.no_bounds = true};
	struct ordo_error error;
	struct ordo_schedule *free_one = moves ? ordo_compile_moves(moves, &request, &error)
					       : ordo_compile(&request, &error);
	*price = (struct token_price){.bytes = setting->bytes};
	const bool worked = free_one ? find_cost(call, &options, schedule, &price->with) &&
					       find_cost(call, &options, free_one, &price->without)
				     : refuse_error(call, &error);
	ordo_schedule_destroy(free_one);
	return worked;
}

void report_token_price(const struct report *report, uint32_t max_tokens,
	const struct token_price *price, bool alone)
{
	const struct report object = report_object(report, "max_tokens");
	const struct token_cost *with = &price->with, *without = &price->without;
	report_text(&object,
		"at most %u<tokens> token%s on a signal, in any number of calls: %u<signals> "
		"signals, %u<signals_of_a_rank> of the busiest rank; without the limit "
		"%u<signals_without>, %u<signals_of_a_rank_without>\n",
		max_tokens, plural(max_tokens), with->signals, with->busiest, without->signals,
		without->busiest);
	if (!alone)
		return;
	report_text(&object,
		"its price is %d<more_pairs> pairs, and %.4g<time_ratio> times the predicted time: "
		"%g<seconds:time> for %g<:bytes>\n",
		(int)with->pairs - (int)without->pairs,
		without->seconds > 0 ? with->seconds / without->seconds : 1, with->seconds,
		(double)price->bytes);
	report_members(&object, "%u<pairs> %" PRIu64 "<bytes> %g<seconds_without>", with->pairs,
		price->bytes, without->seconds);
}

void report_staging_price(
	const struct report *report, const struct token_price *price, bool limited)
{
	const struct report object = report_object(report, "staging");
	const struct token_cost *with = &price->with, *without = &price->without;
	report_text(&object,
		"staging: %u<slots> slot%s of a rank, without staging %u<slots_without> of "
		"scratch; other ranks touch nothing else\n",
		with->slots, plural(with->slots), without->slots);
	report_text(&object,
		"%s is %d<more_moves> moves, %d<more_pairs> pairs, and %.4g<time_ratio> times "
		"the predicted time: %g<seconds:time> for %g<:bytes>\n",
		limited ? "the price of both" : "its price", (int)with->moves - (int)without->moves,
		(int)with->pairs - (int)without->pairs,
		without->seconds > 0 ? with->seconds / without->seconds : 1, with->seconds,
		(double)price->bytes);
	report_members(
		&object, "%" PRIu64 "<bytes> %g<seconds_without>", price->bytes, without->seconds);
}
