/* plan_set.h - plan sets: reads, lists and verifies them for commands. */
#ifndef ORDO_TOOLS_REPORT_PLAN_SET_H
#define ORDO_TOOLS_REPORT_PLAN_SET_H

#include "cli/inputs.h"
#include "cli/prediction_options.h"
#include "cli/requirements.h"
#include "guarantees.h"
#include <ordo/plan_set.h>

/* Reads a set; NULL: call->status. The caller destroys it. */
struct ordo_plan_set *open_set(struct call *call, const char *path);
/* Reads the schedule of a range, with control characters in names replaced; NULL: call->status. The
 * caller destroys it. */
struct ordo_schedule *open_range(
	struct call *call, const struct ordo_plan_set *set, uint32_t range);

/* `AllReduce on 8 ranks: 3 ranges of sizes from 1 byte on, up to 1073741824` and a line end; the
 * problem as members. */
void report_set(const struct report *report, const struct ordo_plan_set *set);

/* `ordo verify SET` */
struct set_question {
	const char *path;
	const struct topology_choice *topology;
	struct ordo_verify_options options; /* without the topology */
	const struct conditions *conditions;
	const struct arithmetic *arithmetic;
};
int verify_set(struct call *call, const struct set_question *question);

/* `ordo list SET`: its ranges, without proof. */
int list_set(struct call *call, const char *path);

/* `ordo compile ... --sizes` */
struct set_request {
	struct ordo_problem problem;
	const struct predicting *setting;    /* without its size */
	const struct conditions *conditions; /* already read */
	const char *sizes;		     /* "1:1GiB" */
	const char *output;		     /* NULL: none */
	uint32_t max_tokens;		     /* as in a request */
};
int compile_set(struct call *call, const struct set_request *request);

#endif
