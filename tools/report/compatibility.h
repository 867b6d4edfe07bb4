/* compatibility.h - G4 and G5, which compare two schedules: what becomes of them for one when
 * another is given. */
#ifndef ORDO_TOOLS_REPORT_COMPATIBILITY_H
#define ORDO_TOOLS_REPORT_COMPATIBILITY_H

#include "guarantees.h"
#include <ordo/schedule.h>

/* Judges G4 and G5 of a proved schedule, whose proof lists its trees, against the one in the file,
 * and puts that in the place of what `judgements` says of them: of a refuted one the first element
 * that differs, here and there, and an input that shows it. false: call->status. */
bool judge_against(struct call *call, const char *file, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, struct judgements *judgements);

#endif
