/* token_price.h - what a limit of tokens in flight, and staging, cost a compiled schedule. */
#ifndef ORDO_TOOLS_CHOOSE_TOKEN_PRICE_H
#define ORDO_TOOLS_CHOOSE_TOKEN_PRICE_H

#include "cli/prediction_options.h"
#include <ordo/moves.h>

/* Of a schedule: moves, pairs of Notify and Wait, signals, those of the rank that takes part in
 * most, scratch slots, and seconds. */
struct token_cost {
	uint32_t moves, pairs, signals, busiest, slots;
	double seconds;
};

struct token_price {
	struct token_cost with, without; /* the limit and staging */
	uint64_t bytes;			 /* that were predicted for */
};

/* Compiles the same schedule, of moves or if they are NULL of an algorithm, without the limit
 * and staging, and predicts both for the size of the setting, on the topology or NULL. false:
 * call->status. */
bool find_token_price(struct call *call, const struct predicting *setting,
	const struct ordo_topology *topology, const struct ordo_moves *moves,
	const struct ordo_schedule *schedule, struct token_price *price);
/* Into "max_tokens" with --json, else as lines. alone: there is no staging, whose report has the
 * price of both. */
void report_token_price(const struct report *report, uint32_t max_tokens,
	const struct token_price *price, bool alone);

/* Into "staging" with --json, else as lines. limited: so are tokens. */
void report_staging_price(
	const struct report *report, const struct token_price *price, bool limited);

#endif
