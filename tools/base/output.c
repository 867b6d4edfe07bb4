/* output.c - files that appear whole or not at all. */
#include "output.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool copy_out(FILE *from, FILE *to, struct ordo_error *error)
{
	char part[1 << 16];
	size_t size;
	if (fflush(from))
		return ordo_fail(error, ORDO_ENVIRONMENT, 0, "cannot write a temporary file: %s",
			strerror(errno));
	rewind(from);
	while ((size = fread(part, 1, sizeof part, from)))
		if (fwrite(part, 1, size, to) != size)
			break;
	if (ferror(from) || ferror(to) || fflush(to))
		return ordo_fail(error, ORDO_ENVIRONMENT, 0, "cannot write: %s", strerror(errno));
	return true;
}

static bool fail_at(struct ordo_error *error, const char *path)
{
	ordo_fail(error, ORDO_ENVIRONMENT, 0, "cannot write: %s", strerror(errno));
	snprintf(error->file, sizeof error->file, "%s", path);
	return false;
}

bool begin_output(struct output *output, const char *path, struct ordo_error *error)
{
	output->path = path;
	const bool begun = ordo_atomic_begin_file(&output->target, path, error);
	output->file = begun ? output->target.out : NULL;
	if (begun)
		setvbuf(output->file, output->buffer, _IOFBF, sizeof output->buffer);
	return begun;
}

bool end_output(struct output *output, bool whole, struct ordo_error *error)
{
	const int cause = errno;
	whole = whole && !ferror(output->file);
	if (ordo_atomic_end(&output->target, whole, error))
		return true;
	errno = cause;
	return !whole && fail_at(error, output->path);
}

bool save(FILE *from, const char *path, struct ordo_error *error)
{
	struct ordo_error why;
	struct output output;
	return begin_output(&output, path, error) &&
	       end_output(&output, copy_out(from, output.file, &why), error);
}

bool add_contents(cJSON *object, const char *name, FILE *from, struct ordo_error *error)
{
	if (fflush(from) || fseek(from, 0, SEEK_END))
		return ordo_fail(error, ORDO_ENVIRONMENT, 0, "cannot read a temporary file: %s",
			strerror(errno));
	long size = ftell(from);
	char *text = size < 0 ? NULL : malloc((size_t)size + 1);
	if (!text)
		return ordo_fail_memory(error);
	rewind(from);
	text[fread(text, 1, (size_t)size, from)] = 0;
	cJSON_AddStringToObject(object, name, text);
	free(text);
	return true;
}
