/* guarantees.h - reports what a schedule guarantees for an element type and a reduction. */
#ifndef ORDO_TOOLS_REPORT_GUARANTEES_H
#define ORDO_TOOLS_REPORT_GUARANTEES_H

#include "cli/options.h"
#include <ordo/detail/order.h>

/* --type and --op, where they say for which bits an order is judged. */
struct arithmetic {
	const char *type_name, *reduction_name; /* as written; NULL: f32, sum */
	enum ordo_type type;
	enum ordo_reduction reduction;
};
#define ARITHMETIC_OPTIONS(arithmetic)                                                             \
	{"type", 0, TEXT, &(arithmetic).type_name, "TYPE",                                         \
		"judge the order for " ORDO_TYPE_NAMES " (f32)"},                                  \
	{                                                                                          \
		"op", 0, TEXT, &(arithmetic).reduction_name, "OP",                                 \
			"and for " ORDO_REDUCTION_NAMES " (sum)"                                   \
	}
/* What is meant where nothing is asked: f32, sum. */
extern const struct arithmetic sums_of_floats;
/* false: call->status. */
bool read_arithmetic(struct call *call, struct arithmetic *arithmetic);

/* May a schedule of that problem be judged for it, as it accumulates? false: call->status. */
bool can_judge(
	struct call *call, const struct arithmetic *arithmetic, const struct ordo_problem *problem);

/* Of G1..G5. */
struct judgements {
	struct arithmetic arithmetic;
	struct ordo_judgement of[ORDO_NGUARANTEE];
	struct ordo_arena arena;
};

/* From a proof, or (order not NULL) from an order. To be freed, also after false: call->status. */
bool make_judgements(struct call *call, const struct arithmetic *arithmetic,
	const struct ordo_problem *problem, const struct ordo_proof *proof,
	const struct ordo_order *order, struct judgements *judgements);
void free_judgements(struct judgements *judgements);
/* Judges G4 and G5 of a proved schedule, whose proof lists its trees, against the one in the file,
 * and replaces these two in `judgements`: of a refuted one the first element that differs, here and
 * there, and an input that shows it. false: call->status. */
bool judge_against(struct call *call, const char *file, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, struct judgements *judgements);

/* `does not hold`, and the colour that it has. */
const char *verdict_text(enum ordo_verdict verdict);
enum colour verdict_colour(enum ordo_verdict verdict);
/* `1`, `0x1p+26`: the shorter form of a number where that is exact; returns out. */
const char *real_text(char out[32], double number);
/* The input of a contradiction: `shard 2 = 0x1p+26, 1 = -0x1p+26, 0 = 1, others 0 (f32 sum)`;
 * "values" and "rest". */
void report_shard_values(const struct report *report, const struct ordo_contradiction *found);

/* A line each, and below a refuted one what differs first and the input that shows it; the type,
 * the reduction, and "guarantees": {"G1": {"verdict": ..., ...}, ...}. */
void report_judgements(const struct report *report, const struct judgements *judgements);

#endif
