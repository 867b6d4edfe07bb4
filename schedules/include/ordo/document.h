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

/* Reads a file or a folder; "-" is stdin. options may be NULL. The caller destroys the result.
 * NULL: see error (R1, R2 or ORDO_ENVIRONMENT). The result has the shape R1 demands and every rank
 * once (the rank part of R2), nothing more.
 * A file over 64 MiB is mapped: cutting it short while it is read ends the process (a folder of
 * programs has no such files). */
ORDO_API struct ordo_schedule *ordo_schedule_read(
	const char *path, const struct ordo_read_options *options, struct ordo_error *error);
/* The same from memory, file form only; name is used in messages. The text need not end in NUL. */
ORDO_API struct ordo_schedule *ordo_schedule_read_text(const char *text, size_t size,
	const char *name, const struct ordo_read_options *options, struct ordo_error *error);

/* Prints the file form. false: the stream failed (ORDO_ENVIRONMENT). */
ORDO_API bool ordo_schedule_print(
	const struct ordo_schedule *schedule, FILE *out, struct ordo_error *error);
/* Writes to a path: one ending in `.json` is one file, any other name a folder (made if missing;
 * what was there before stays until the new one is whole). A folder that holds anything but a
 * schedule is not replaced (ORDO_USAGE); devices and pipes are written in place. */
ORDO_API bool ordo_schedule_write(const struct ordo_schedule *schedule, const char *path,
	ordo_progress *progress, void *closure, struct ordo_error *error);
/* The canonical text form, one task a line, for people and for diff. */
ORDO_API bool ordo_schedule_print_text(
	const struct ordo_schedule *schedule, FILE *out, struct ordo_error *error);

/* The topology is finished and ready for queries. */
ORDO_API struct ordo_topology *ordo_topology_read(const char *path, struct ordo_error *error);
ORDO_API struct ordo_topology *ordo_topology_read_text(
	const char *text, size_t size, const char *name, struct ordo_error *error);
ORDO_API bool ordo_topology_print(
	const struct ordo_topology *topology, FILE *out, struct ordo_error *error);
ORDO_API bool ordo_topology_write(
	const struct ordo_topology *topology, const char *path, struct ordo_error *error);

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
