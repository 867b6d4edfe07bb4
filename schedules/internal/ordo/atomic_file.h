/* atomic_file.h - files and folders that appear whole or not at all.
 *
 * What is written goes under a temporary name beside the target, which a rename replaces at the
 * end; until then, and whenever anything fails, the target stays as it was and nothing temporary is
 * left.
 */
#ifndef ORDO_ATOMIC_FILE_H
#define ORDO_ATOMIC_FILE_H

#include <dirent.h>
#include <ordo/error.h>
#include <stdio.h>

struct ordo_atomic_file {
	char *target;	 /* malloc'd; symbolic links followed */
	char *temporary; /* malloc'd; NULL: a device or a pipe, written in place */
	FILE *out;	 /* the file being written, NULL between the files of a folder */
	/* The temporary folder, and what was there before. Open until the end, so that removing
	 * them needs no memory. */
	DIR *folder, *replaced; /* NULL for a file; NULL: nothing was there */
};

/* Opens `out` for a single file. false: nothing to end. */
bool ordo_atomic_begin_file(
	struct ordo_atomic_file *file, const char *path, struct ordo_error *error);
/* Is it the name of a schedule in the folder of a plan set: `range-0.json`? */
bool ordo_is_range_name(const char *name);
/* Of a failure set: `failure-0.json`? */
bool ordo_is_failure_name(const char *name);
/* Prepares a folder. Fails if the path is taken by anything but an empty folder or a folder of
 * ours. */
bool ordo_atomic_begin_folder(
	struct ordo_atomic_file *file, const char *path, struct ordo_error *error);
/* Opens `out` for a file of the folder, or closes it. */
bool ordo_atomic_open(struct ordo_atomic_file *file, const char *name, struct ordo_error *error);
bool ordo_atomic_close(struct ordo_atomic_file *file, struct ordo_error *error);
/* Puts what was written in place of the target if `worked`, which is what was true of all before;
 * else removes it. Returns whether the target was replaced. Always ends the file. */
bool ordo_atomic_end(struct ordo_atomic_file *file, bool worked, struct ordo_error *error);

/* Removes what was begun and has not ended, up to eight files and folders: for the handler of a
 * signal that ends the process. Async-signal-safe. Nothing else may be done with them after it. */
void ordo_atomic_abandon(void);

/* Fails with ORDO_ENVIRONMENT: `what: reason` at a file, the reason being that of an errno. */
bool ordo_fail_file(struct ordo_error *error, const char *path, const char *what, int number);

#endif
