/* accumulate_price.h - what sums without order (accumulate.h) cost a compiled schedule: bytes,
 * time, and accuracy. */
#ifndef ORDO_TOOLS_CHOOSE_ACCUMULATE_PRICE_H
#define ORDO_TOOLS_CHOOSE_ACCUMULATE_PRICE_H

#include "cli/prediction_options.h"
#include <ordo/moves.h>

/* Of a schedule: bytes that leave ranks, predicted seconds, and the most by which a sum errs,
 * relative to the sum of absolute values. */
struct sum_cost {
	double sent, seconds, error;
};

struct accumulate_price {
	struct sum_cost with, without; /* the form */
	enum ordo_type type;
	uint64_t bytes; /* of a rank's larger buffer */
};

/* Compiles the same schedule, of moves or if they are NULL of an algorithm, without --accumulate,
 * and predicts both for the size and type of the setting, on the topology or NULL. request: the
 * limits that both have. proof: of the schedule. false: call->status. */
bool find_accumulate_price(struct call *call, const struct predicting *setting,
	const struct ordo_request *request, const struct ordo_moves *moves,
	const struct ordo_schedule *schedule, const struct ordo_proof *proof,
	struct accumulate_price *price);
/* Into "accumulate_price" with --json, else as lines. */
void report_accumulate_price(const struct report *report, const struct ordo_problem *problem,
	const struct accumulate_price *price);

#endif
