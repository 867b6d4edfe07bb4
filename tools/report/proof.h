/* proof.h - reports a schedule and its proof. */
#ifndef ORDO_TOOLS_REPORT_PROOF_H
#define ORDO_TOOLS_REPORT_PROOF_H

#include "guarantees.h"
#include <ordo/verify.h>

/* The arithmetic and the limits to check, beside the document. */
#define ATOMIC_REDUCE_MEANING                                                                      \
	"accept unordered reductions into one slot as complete sums in no fixed order (refutes "   \
	"G2)"
#define LIMIT_OPTIONS(limits)                                                                      \
	{"max-streams", 0, POSITIVE, &(limits).streams, "N", "at most N streams on a rank (R13)"}, \
		{"max-scratch", 0, POSITIVE, &(limits).scratch_slots, "N",                         \
			"at most N scratch slots on a rank (R13)"},                                \
		{"max-signals", 0, POSITIVE, &(limits).signals, "N",                               \
			"at most N signals on a rank (R13)"},                                      \
	{                                                                                          \
		"max-tokens", 0, POSITIVE, &(limits).tokens_in_flight, "N",                        \
			"at most N tokens in flight on a signal; 1: flags suffice (R13)"           \
	}

/* The numbers of moves and of pairs of Notify and Wait in a schedule. */
struct task_counts {
	uint32_t move, notify, wait;
};
struct task_counts count_tasks(const struct ordo_schedule *schedule);

/* `AllReduce on 8 ranks by ring: 336 tasks in 8 streams, 112 moves and 112 notify-wait pairs`, or
 * these sizes as members. */
void report_schedule(const struct report *report, const struct ordo_schedule *schedule);
/* Every finding as `file:line:col: error[R8]: ...`, with its hint; as members also whether it is
 * proved, and the measures. */
void report_proof(const struct report *report, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof);
/* Findings of one rule in the proof of another schedule, which belong to the same document. */
struct more_findings {
	const struct ordo_schedule *schedule;
	const struct ordo_proof *proof; /* NULL: there are none */
	int rule;
};
uint32_t count_more_findings(const struct more_findings *more);
/* As report_proof, with those findings: one of them refutes the document. */
void report_proof_and(const struct report *report, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, const struct more_findings *more);
/* The rules that hold, if all do; through_ranks: R12 was checked with forwarding ranks;
 * unjudged: R11 was not checked. */
void report_rules(const struct report *report, const struct ordo_limits *limits, bool topology,
	bool through_ranks, bool unjudged);
/* The guarantees; as text also the orders and measures of a proof. */
void report_guarantees(const struct report *report, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, const struct guarantee_verdicts *verdicts);
/* Checks and reports the guarantees of a proof. false: call->status. */
bool check_and_report_guarantees(struct call *call, const struct arithmetic *arithmetic,
	const struct ordo_schedule *schedule, const struct ordo_proof *proof);

/* Verifies with a progress bar. NULL: call->status. The caller destroys the proof. */
struct ordo_proof *prove(struct call *call, const struct ordo_schedule *schedule,
	const struct ordo_verify_options *options);

#endif
