/* output.h - files that appear whole or not at all. */
#ifndef ORDO_TOOLS_OUTPUT_H
#define ORDO_TOOLS_OUTPUT_H

#include "command.h"

/* Copies a file from its beginning to a stream. */
bool copy_out(FILE *from, FILE *to, struct ordo_error *error);
/* Copies a file to a path; what was there before stays until the new one is whole. */
bool save(FILE *from, const char *path, struct ordo_error *error);
/* Adds the contents of a text file to a JSON object. */
bool add_contents(cJSON *object, const char *name, FILE *from, struct ordo_error *error);

#endif
