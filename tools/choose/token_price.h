/* token_price.h - what a limit of tokens in flight costs a compiled schedule. */
#ifndef ORDO_TOOLS_CHOOSE_TOKEN_PRICE_H
#define ORDO_TOOLS_CHOOSE_TOKEN_PRICE_H

#include "cli/prediction_options.h"
#include <ordo/moves.h>

/* Of a schedule: pairs of Notify and Wait, signals, those of the rank that takes part in most, and
 * seconds. */
struct token_cost {
	uint32_t pairs, signals, busiest;
	double seconds;
};

struct token_price {
	struct token_cost with, without; /* the limit */
	uint64_t bytes;			 /* that were predicted for */
};

/* Compiles the same schedule, of moves or if they are NULL of an algorithm, without the limit, and
 * predicts both for the size of the setting, on the topology or NULL. false: call->status. */
bool find_token_price(struct call *call, const struct predicting *setting,
	const struct ordo_topology *topology, const struct ordo_moves *moves,
	const struct ordo_schedule *schedule, struct token_price *price);
/* Into "max_tokens" with --json, else as a line. */
void report_token_price(
	const struct report *report, uint32_t max_tokens, const struct token_price *price);

#endif
