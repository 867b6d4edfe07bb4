/* progress.h - a bar for what takes long. */
#ifndef ORDO_TOOLS_BASE_PROGRESS_H
#define ORDO_TOOLS_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* An ordo_progress: a bar on stderr if that is a terminal and the command takes half a second, with
 * the time left. closure: a struct progress, which tells one thing under way from another. Any
 * thread. */
struct progress {
	char unused;
};
/* total 0: unknown */
void show_progress(void *closure, const char *what, uint64_t done, uint64_t total);
/* To be called before anything is printed, and before the struct progress goes. */
void hide_progress(struct progress *progress);
/* When the command begins; not for --json, which has nothing on stderr. */
void allow_progress(bool allowed);

#endif
