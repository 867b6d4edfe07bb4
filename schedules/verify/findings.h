/* findings.h - collects the broken rules of a proof, with their tasks. Private to schedules/. */
#ifndef ORDO_SCHEDULES_VERIFY_FINDINGS_H
#define ORDO_SCHEDULES_VERIFY_FINDINGS_H

#include <ordo/verify.h>

struct findings {
	struct ordo_proof *proof; /* to which they are added */
	struct ordo_error *error; /* if there is no memory */
	uint32_t max;		  /* at most so many are collected */
	size_t room;
};

bool ordo_findings_full(const struct findings *findings);
/* Adds a finding; tasks [ntask] is copied, text is formatted. false: no memory. */
bool ordo_add_finding(struct findings *findings, int rule, const uint32_t *tasks, uint32_t ntask,
	const char *hint, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* The place of a task, as text. */
struct where {
	char text[320];
};

#endif
