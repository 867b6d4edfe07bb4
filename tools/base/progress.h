/* progress.h - a progress bar. */
#ifndef ORDO_TOOLS_BASE_PROGRESS_H
#define ORDO_TOOLS_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* An ordo_progress: a bar on stderr with the time left, if that is a terminal and the command takes
 * half a second. closure: a struct progress, which identifies the activity. Any thread. */
struct progress {
	char unused;
};
/* total 0: unknown */
void show_progress(void *closure, const char *what, uint64_t done, uint64_t total);
/* Call it before printing, and before the struct progress goes out of scope. */
void hide_progress(struct progress *progress);
/* Call it when the command begins; not with --json, which prints nothing on stderr. */
void allow_progress(bool allowed);

#endif
