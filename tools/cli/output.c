/* output.c - files that appear whole or not at all. */
#include "output.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* mkstemp makes files that only the owner reads; what people ask for has the usual permissions. */
static void give_usual_mode(int file)
{
	mode_t mask = umask(0);
	umask(mask);
	fchmod(file, 0666 & ~mask);
}

bool begin_output(struct output *output, const char *path, struct ordo_error *error)
{
	/* Something that is no file, such as /dev/null, cannot be replaced by one. */
	struct stat status;
	output->path = path;
	output->special = !stat(path, &status) && !S_ISREG(status.st_mode);
	if (snprintf(output->temporary, sizeof output->temporary, "%s.XXXXXX", path) >=
		(int)sizeof output->temporary) {
		errno = ENAMETOOLONG;
		return fail_at(error, path);
	}
	const int file = output->special ? -1 : mkstemp(output->temporary);
	output->file = output->special ? fopen(path, "w") : file >= 0 ? fdopen(file, "w") : NULL;
	if (!output->file) {
		const int cause = errno;
		if (file >= 0) {
			close(file);
			unlink(output->temporary);
		}
		errno = cause;
		return fail_at(error, path);
	}
	if (!output->special)
		give_usual_mode(file);
	return true;
}

bool end_output(struct output *output, bool whole, struct ordo_error *error)
{
	const int cause = errno;
	const bool good = !ferror(output->file), closed = !fclose(output->file);
	if (whole && good && closed &&
		(output->special || !rename(output->temporary, output->path)))
		return true;
	const int later = errno;
	if (!output->special)
		unlink(output->temporary);
	errno = whole && good ? later : cause;
	return fail_at(error, output->path);
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
