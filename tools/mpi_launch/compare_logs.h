/* compare_logs.h - two runs of a program by the logs that its ranks wrote (`log=` of ORDO_MPI):
 * where their bits part. */
#ifndef ORDO_TOOLS_MPI_LAUNCH_COMPARE_LOGS_H
#define ORDO_TOOLS_MPI_LAUNCH_COMPARE_LOGS_H

#include "base/command.h"

/* Compares and reports two folders of logs; returns the exit code. */
int compare_logs(struct call *call, const char *one, const char *other);

#endif
