/* task_scan.h - a fast scanner of canonical task lines. Private to schedules/. */
#ifndef ORDO_SCHEDULES_JSON_READ_TASK_SCAN_H
#define ORDO_SCHEDULES_JSON_READ_TASK_SCAN_H

#include <ordo/schedule.h>

/* A canonical line is shorter; with fewer bytes left, the general reader is used. */
enum { ORDO_TASK_SCAN_ROOM = 256 };

/* Scans the task that begins at `at`, a `{`. Returns the end of it, behind its `}`; NULL if it is
 * not exactly as json/write/schedule.c writes it, or breaks R1: then the general reader decides. */
const char *ordo_scan_task(const char *at, const char *end, struct ordo_task *task);

#endif
