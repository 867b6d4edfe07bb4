/* verdict_table.h - one line for each of several files that are verified. */
#ifndef ORDO_TOOLS_REPORT_VERDICT_TABLE_H
#define ORDO_TOOLS_REPORT_VERDICT_TABLE_H

#include "base/report.h"

/* width: columns of the longest name. */
void print_verdict_head(FILE *out, int width);
/* answer: what --json prints of this file. */
void print_verdict_row(FILE *out, int width, const char *file, int status, const cJSON *answer);

#endif
