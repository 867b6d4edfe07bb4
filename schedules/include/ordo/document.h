/* document.h - schedules and topologies as JSON documents: `ordo/schedule/1` and `ordo/topology/1`.
 *
 * Reading is strict: unknown, missing and repeated keys, wrong types, numbers that are no integers
 * of 0..2^31-1, and anything after the document are errors of rule R1 with file:line:col, the
 * column in bytes; keys may come in any order (FORMAT.md has it all). A schedule is one
 * file, or a folder: `schedule.json`, whose `programs` lists file names, and one program a file.
 * Writing is canonical: the same schedule gives the same bytes everywhere, and write(read(x)) = x
 * for x written by us. A file appears whole or not at all: it is written under a temporary name and
 * renamed.
 */
#ifndef ORDO_DOCUMENT_H
#define ORDO_DOCUMENT_H

#include <ordo/schedule.h>
#include <ordo/topology.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Called now and then with how much of the whole is done; may be NULL everywhere. Must not call
 * back into libordo. */
typedef void ordo_progress(void *closure, const char *what, uint64_t done, uint64_t total);

struct ordo_read_options {
	/* do not use the scanner for canonical task lines; for tests and benchmarks */
	bool only_cjson;
	bool no_places; /* do not keep the line and column of every task (8 bytes a task) */
	ordo_progress *progress;
	void *closure;
};

/* Reads a schedule from a document.
 *
 *   path      a file, a folder that holds `schedule.json`, or "-" for the standard input
 *   options   NULL: {0}
 *   error     filled if the result is NULL, with file, line and column; may be NULL
 *
 * Returns a schedule that the caller destroys. It has the form of a schedule (R1) and a program
 * for every rank (part of R2); nothing else has been checked, so prove it before it is run.
 * NULL: ORDO_BAD_INPUT, with the rule; or ORDO_ENVIRONMENT, no memory or no such file.
 *
 * A file over 64 MiB is mapped: if another program cuts it short while it is read, the process
 * ends. A folder of programs avoids such files. */
ORDO_API struct ordo_schedule *ordo_schedule_read(
	const char *path, const struct ordo_read_options *options, struct ordo_error *error);

/* Reads a schedule from a document in memory.
 *
 *   text      [size] the document; one file, no folder. Needs no NUL at the end; not used
 *             afterwards
 *   size      bytes of text
 *   name      what messages call the document; copied
 *   options   NULL: {0}
 *   error     filled if the result is NULL; may be NULL
 *
 * Returns a schedule as ordo_schedule_read does; the caller destroys it. */
ORDO_API struct ordo_schedule *ordo_schedule_read_text(const char *text, size_t size,
	const char *name, const struct ordo_read_options *options, struct ordo_error *error);

/* Writes a schedule as a document. All of it appears, or nothing.
 *
 *   schedule   need not be proved
 *   path       a name that ends in `.json`: one file. Any other: a folder, made if it is missing,
 *              with a file for each program. Devices and pipes are written in place
 *   progress   called now and then; NULL: not wanted
 *   closure    passed to progress
 *   error      filled if the result is false; may be NULL
 *
 * false: ORDO_USAGE, path is a folder that holds something other than a schedule; or
 * ORDO_ENVIRONMENT, it cannot be written. What was there before is then as it was. */
ORDO_API bool ordo_schedule_write(const struct ordo_schedule *schedule, const char *path,
	ordo_progress *progress, void *closure, struct ordo_error *error);

/* Reads a topology from a document.
 *
 *   path    a file, or "-" for the standard input
 *   error   filled if the result is NULL, with file, line and column; may be NULL
 *
 * Returns a finished topology that the caller destroys. NULL: ORDO_BAD_INPUT, R1; or
 * ORDO_ENVIRONMENT. ordo_topology_make (compiler.h) also knows topologies by name. */
ORDO_API struct ordo_topology *ordo_topology_read(const char *path, struct ordo_error *error);
/* The calls above pass the size of the options that they are compiled with, so that options can
 * grow (version.h). */
ORDO_API struct ordo_schedule *ordo_schedule_read_sized(size_t size, const char *path,
	const struct ordo_read_options *options, struct ordo_error *error);
ORDO_API struct ordo_schedule *ordo_schedule_read_text_sized(size_t options_size, const char *text,
	size_t size, const char *name, const struct ordo_read_options *options,
	struct ordo_error *error);
#define ordo_schedule_read(...)                                                                    \
	ordo_schedule_read_sized(sizeof(struct ordo_read_options), __VA_ARGS__)
#define ordo_schedule_read_text(...)                                                               \
	ordo_schedule_read_text_sized(sizeof(struct ordo_read_options), __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif

/* Internal functions, declared here for one release; <ordo/ordo.h> leaves them out. */
#ifndef ORDO_EMBEDDER
#include <ordo/detail/documents.h>
#endif
