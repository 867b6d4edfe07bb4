/* incomplete.h - an answer in which something is missing for want of memory is none. */
#ifndef ORDO_TOOLS_REPORT_INCOMPLETE_H
#define ORDO_TOOLS_REPORT_INCOMPLETE_H

#include <stdbool.h>

/* cJSON leaves out what it has no memory for: from now on that is remembered. */
void watch_json_memory(void);
bool is_json_incomplete(void);
/* What prints text calls this where it has to leave something out. */
void set_incomplete(void);
bool is_incomplete(void);

#endif
