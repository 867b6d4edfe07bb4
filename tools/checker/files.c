/* files.c - reads files. */
#include "checker.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

char *read_file(int folder, const char *name, bool follow, size_t *size)
{
	const int flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW);
	const int descriptor = openat(folder, name, flags);
	struct stat facts;
	const bool ordinary =
		descriptor >= 0 && !fstat(descriptor, &facts) && S_ISREG(facts.st_mode);
	FILE *file = ordinary ? fdopen(descriptor, "rb") : NULL;
	if (!file && descriptor >= 0)
		close(descriptor);
	char *text = file ? malloc((size_t)facts.st_size + 1) : NULL;
	*size = text ? fread(text, 1, (size_t)facts.st_size, file) : 0;
	/* Fails if the file grew or shrank while it was read. */
	const bool whole =
		text && *size == (size_t)facts.st_size && getc(file) == EOF && !ferror(file);
	if (file)
		fclose(file);
	if (!whole)
		free(text);
	return whole ? text : NULL;
}
