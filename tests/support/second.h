/* second.h - the second checker on texts. */
#ifndef ORDO_TESTS_SECOND_H
#define ORDO_TESTS_SECOND_H

#include "checker/checker.h"
#include <string.h>

/* Both end in NUL, and stand in no folder. */
static inline enum verdict check_texts(
	const char *schedule, const char *certificate, char report[256])
{
	const struct document one = {schedule, strlen(schedule), -1},
			      other = {certificate, strlen(certificate), -1};
	return check_certificate(&one, &other, report);
}

/* Does the checker refuse the shape of a schedule, whatever its certificate? */
static inline bool refuses_shape(const char *schedule, size_t size, char report[256])
{
	const struct document one = {schedule, size, -1}, other = {"", 0, -1};
	check_certificate(&one, &other, report);
	return strstr(report, "R1: ");
}

#endif
