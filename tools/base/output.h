/* output.h - files that appear whole or not at all. */
#ifndef ORDO_TOOLS_BASE_OUTPUT_H
#define ORDO_TOOLS_BASE_OUTPUT_H

#include "report.h"
#include <ordo/atomic_file.h>

/* Copies a file from its beginning to a stream. */
bool copy_out(FILE *from, FILE *to, struct ordo_error *error);
/* A file being written; it replaces the file of its name once it is whole. */
struct output {
	FILE *file;
	const char *path;
	struct ordo_atomic_file target;
	char buffer[1 << 14]; /* its name */
};

/* Opens output->file for writing. */
bool begin_output(struct output *output, const char *path, struct ordo_error *error);
/* Closes the file, and renames it to its place if it is whole. false: it is not, or could not be
 * written: the old file stays. If the caller found an error of writing, errno has its reason. */
bool end_output(struct output *output, bool whole, struct ordo_error *error);
/* Copies a file to a path; the old file stays until the new one is whole. */
bool save(FILE *from, const char *path, struct ordo_error *error);
/* Adds the contents of a text file to a JSON object. */
bool add_contents(cJSON *object, const char *name, FILE *from, struct ordo_error *error);

#endif
