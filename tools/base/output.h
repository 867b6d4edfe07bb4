/* output.h - files that appear whole or not at all. */
#ifndef ORDO_TOOLS_BASE_OUTPUT_H
#define ORDO_TOOLS_BASE_OUTPUT_H

#include "report.h"
#include <ordo/atomic_file.h>

/* Copies a file from its beginning to a stream. */
bool copy_out(FILE *from, FILE *to, struct ordo_error *error);
/* A file being written, beside the one whose place it takes when it is whole. */
struct output {
	FILE *file;
	const char *path;
	struct ordo_atomic_file target;
	char buffer[1 << 14]; /* of the file */
};

/* Opens output->file for writing. */
bool begin_output(struct output *output, const char *path, struct ordo_error *error);
/* Closes it, and puts it in its place if it is whole. false: it is not, or could not be written:
 * what was there before stays. If the caller found an error of writing, errno says which. */
bool end_output(struct output *output, bool whole, struct ordo_error *error);
/* Copies a file to a path; what was there before stays until the new one is whole. */
bool save(FILE *from, const char *path, struct ordo_error *error);
/* Adds the contents of a text file to a JSON object. */
bool add_contents(cJSON *object, const char *name, FILE *from, struct ordo_error *error);

#endif
