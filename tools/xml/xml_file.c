/* xml_file.c - what readers of XML share. */
#include "xml_file.h"
#include <errno.h>
#include <ordo/arena.h>
#include <ordo/detail/fail.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_bytes(FILE *file, size_t *size, struct ordo_error *error)
{
	char *text = NULL;
	size_t room = 0, got = 1;
	*size = 0;
	while (got && ordo_array_reserve(&text, &room, *size + 65536, 1))
		*size += got = fread(text + *size, 1, 65536, file);
	if (!got && !ferror(file))
		return text;
	if (ferror(file))
		ordo_fail(error, ORDO_ENVIRONMENT, 0, "cannot read: %s", strerror(errno));
	else
		ordo_fail_memory(error);
	free(text);
	return NULL;
}

char *read_whole_file(const char *path, size_t *size, struct ordo_error *error)
{
	const bool is_stdin = !strcmp(path, "-");
	FILE *file = is_stdin ? stdin : fopen(path, "rb");
	char *text = NULL;
	if (file)
		text = read_bytes(file, size, error);
	else
		ordo_fail(error, ORDO_ENVIRONMENT, 0, "cannot open: %s", strerror(errno));
	if (file && !is_stdin)
		fclose(file);
	if (!text && error && !*error->file)
		snprintf(error->file, sizeof error->file, "%s", is_stdin ? "stdin" : path);
	return text;
}

bool is_utf16(const char *text, size_t size)
{
	/* Expat also guesses it where no mark says so. */
	return size >= 2 &&
	       (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2) || memchr(text, 0, 2));
}

const char *xml_attribute(const char *const *attributes, const char *name)
{
	for (; *attributes; attributes += 2)
		if (!strcmp(attributes[0], name))
			return attributes[1];
	return NULL;
}
