/* findings.h - the broken rules that a proof collects, with their witnesses. Private to
 * schedules/. */
#ifndef ORDO_SCHEDULES_VERIFY_FINDINGS_H
#define ORDO_SCHEDULES_VERIFY_FINDINGS_H

#include <ordo/verify.h>

struct findings {
	struct ordo_proof *proof; /* which gets them */
	struct ordo_error *error; /* for want of memory */
	uint32_t max;		  /* no more are collected */
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
