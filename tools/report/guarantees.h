/* guarantees.h - what a schedule guarantees for an element type and a reduction, in words and in
 * JSON. */
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

/* The number that was put in, or came out: short where that is exact. */
void print_real(FILE *out, double number);
/* The input of a contradiction: "shard 2 = 0x1p+26, 1 = -0x1p+26, 0 = 1, others 0 (f32 sum)";
 * "values" and "rest". */
void print_shard_values(FILE *out, const struct ordo_contradiction *found);
void add_shard_values(cJSON *object, const struct ordo_contradiction *found);

/* A line each, and below a refuted one what differs first and the input that shows it. */
void print_judgements(FILE *out, const struct judgements *judgements);
/* {"G1": {"verdict": ..., ...}, ...} */
void add_judgements(cJSON *answer, const struct judgements *judgements);

#endif
