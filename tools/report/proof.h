/* proof.h - what a proof says, in words and in JSON. */
#ifndef ORDO_TOOLS_REPORT_PROOF_H
#define ORDO_TOOLS_REPORT_PROOF_H

#include "guarantees.h"
#include <ordo/verify.h>

/* What is judged beside the document. */
#define ATOMIC_REDUCE_MEANING                                                                      \
	"unordered reduces into one slot are complete sums; their order is not fixed (refutes G2)"
#define LIMIT_OPTIONS(limits)                                                                      \
	{"max-streams", 0, POSITIVE, &(limits).streams, "N", "at most N streams on a rank (R13)"}, \
		{"max-scratch", 0, POSITIVE, &(limits).scratch_slots, "N",                         \
			"at most N scratch slots on a rank (R13)"},                                \
		{"max-signals", 0, POSITIVE, &(limits).signals, "N",                               \
			"at most N signals on a rank (R13)"},                                      \
	{                                                                                          \
		"max-tokens", 0, POSITIVE, &(limits).tokens_in_flight, "N",                        \
			"at most N tokens in flight on a signal; 1: flags are enough (R13)"        \
	}

/* How many moves, and how many pairs of Notify and Wait, a schedule has. */
struct task_counts {
	uint32_t move, notify, wait;
};
struct task_counts count_tasks(const struct ordo_schedule *schedule);

/* Puts the sizes of a schedule, and what a proof says about it, into the answer. */
void add_schedule(cJSON *answer, const struct ordo_schedule *schedule);
void add_proof(cJSON *answer, const struct ordo_schedule *schedule, const struct ordo_proof *proof);

/* `AllReduce on 8 ranks by ring: 336 tasks in 8 streams, 112 moves and 112 notify-wait pairs` */
void print_schedule_line(FILE *out, const struct ordo_schedule *schedule);
/* Which rules hold, if all do. */
/* through_ranks: R12 was asked where ranks pass on. */
void print_rules(FILE *out, const struct ordo_limits *limits, bool topology, bool through_ranks);
/* The guarantees, the orders and the measures of a proof, one a line. */
void print_guarantees(FILE *out, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, const struct judgements *judgements);
/* Judges what is proved, and says it, into the answer or as print_guarantees does. false:
 * call->status. */
bool tell_guarantees(struct call *call, const struct arithmetic *arithmetic,
	const struct ordo_schedule *schedule, const struct ordo_proof *proof);
/* Every finding as `file:line:col: error[R8]: ...`, with its hint. */
void print_findings(
	FILE *out, const struct ordo_schedule *schedule, const struct ordo_proof *proof);

/* Verifies with a progress bar. NULL: call->status. The caller destroys the proof. */
struct ordo_proof *prove(struct call *call, const struct ordo_schedule *schedule,
	const struct ordo_verify_options *options);

#endif
