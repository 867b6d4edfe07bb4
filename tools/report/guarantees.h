/* guarantees.h - reports what a schedule guarantees for an element type and a reduction. */
#ifndef ORDO_TOOLS_REPORT_GUARANTEES_H
#define ORDO_TOOLS_REPORT_GUARANTEES_H

#include "cli/options.h"
#include <ordo/detail/order.h>

/* --type and --op: the arithmetic for which guarantees are checked. */
struct arithmetic {
	const char *type_name, *reduction_name; /* as on the command line; NULL: f32, sum */
	enum ordo_type type;
	enum ordo_reduction reduction;
};
#define ARITHMETIC_OPTIONS(arithmetic)                                                             \
	{"type", 0, TEXT, &(arithmetic).type_name, "TYPE",                                         \
		"check the order for f32 (the default), bf16, f8e4m3, i32, c64, ...: `ordo "       \
		"list`"},                                                                          \
	{                                                                                          \
		"op", 0, TEXT, &(arithmetic).reduction_name, "OP",                                 \
			"and for " ORDO_REDUCTION_NAMES " (sum)"                                   \
	}
/* Sums, of the type that is meant where none is named. */
struct arithmetic usual_sums(const struct ordo_problem *problem);
/* false: call->status. */
bool read_arithmetic(struct call *call, struct arithmetic *arithmetic);

/* Whether guarantees can be checked for this arithmetic, which a schedule that accumulates
 * restricts. A type that was not named becomes the usual one of the problem. false:
 * call->status. */
bool can_check_guarantees(
	struct call *call, struct arithmetic *arithmetic, const struct ordo_problem *problem);

/* The verdicts on G1..G5. */
struct guarantee_verdicts {
	struct arithmetic arithmetic;
	struct ordo_judgement of[ORDO_NGUARANTEE];
	struct ordo_arena arena;
};

/* Checks the guarantees of a proof, or (order not NULL) of an order. The caller frees the verdicts,
 * also after false: call->status. */
bool check_guarantees(struct call *call, const struct arithmetic *arithmetic,
	const struct ordo_problem *problem, const struct ordo_proof *proof,
	const struct ordo_order *order, struct guarantee_verdicts *verdicts);
void free_guarantee_verdicts(struct guarantee_verdicts *verdicts);
/* Checks G4 and G5 of a proved schedule, whose proof lists its trees, against the schedule in the
 * file, and replaces these two verdicts; a refuted one gets the first element that differs, with
 * both trees, and a witness input. false: call->status. */
bool check_guarantees_against(struct call *call, const char *file,
	const struct ordo_schedule *schedule, const struct ordo_proof *proof,
	struct guarantee_verdicts *verdicts);

/* `does not hold`, and its colour. */
const char *verdict_text(enum ordo_verdict verdict);
enum colour verdict_colour(enum ordo_verdict verdict);
/* `1`, `0x1p+26`: the shorter form of a number where that is exact; returns out. */
const char *real_text(char out[32], double number);
/* The input of a contradiction: `shard 2 = 0x1p+26, 1 = -0x1p+26, 0 = 1, others 0 (f32 sum)`;
 * "values" and "rest". */
void report_shard_values(const struct report *report, const struct ordo_contradiction *found);

/* Reports a line for each guarantee, below a refuted one the first difference and a witness input;
 * the type, the reduction, and "guarantees": {"G1": {"verdict": ..., ...}, ...}. */
void report_verdicts(const struct report *report, const struct guarantee_verdicts *verdicts);

#endif
