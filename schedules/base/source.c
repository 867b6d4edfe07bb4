/* source.c - the bytes of a file: read, or mapped if it is large. */
#include "source.h"
#include <errno.h>
#include <fcntl.h>
#include <ordo/arena.h>
#include <ordo/atomic_file.h>
#include <ordo/memory.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RELEASE_STEP = 16 << 20, READ_STEP = 1 << 20, LARGE = 64 << 20 };

/* A mapping needs neither memory nor a copy, but the process gets SIGBUS if the file is truncated
 * meanwhile: used only for files so large that a copy would be slow. */
static bool map_file(struct ordo_source *source, int descriptor, size_t size, const char *path,
	struct ordo_error *error)
{
	void *text = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
	if (text == MAP_FAILED)
		return ordo_fail_file(error, path, "cannot read", errno);
	madvise(text, size, MADV_SEQUENTIAL);
	*source = (struct ordo_source){.text = text, .size = size, .mapped = true};
	return true;
}

static bool allows(double bytes, const char *path, struct ordo_error *error)
{
	if (ordo_memory_allows(bytes, "reading it", error))
		return true;
	if (error)
		snprintf(error->file, sizeof error->file, "%s", path);
	return false;
}

/* Reads to the end, or until the filter (may be NULL) closes. *text is malloc'd. */
static bool read_text(struct ordo_pipe_filter *filter, int descriptor, char **text, size_t *size,
	const char *path, struct ordo_error *error)
{
	size_t room = 0, end;
	ssize_t got = 0;
	bool open = true;
	while (open) {
		if (!allows((double)*size + READ_STEP, path, error))
			return false;
		if (!ordo_array_reserve(text, &room, *size + READ_STEP, 1))
			return ordo_fail_memory(error);
		got = read(descriptor, *text + *size, room - *size);
		open = got > 0 || (got < 0 && errno == EINTR);
		end = *size + (got > 0 ? (size_t)got : 0);
		if (!filter)
			*size = end;
		else if (!ordo_pipe_filter_take(filter, *text, size, end))
			return ordo_fail_memory(error);
		else
			open = open && !filter->closed;
	}
	if (got < 0)
		return ordo_fail_file(error, path, "cannot read", errno);
	return !filter || ordo_pipe_filter_end(filter, *size) ? true : ordo_fail_memory(error);
}

static bool read_all(struct ordo_source *source, int descriptor, bool ends, const char *path,
	struct ordo_error *error)
{
	struct ordo_pipe_filter filter = {0};
	char *text = NULL;
	size_t size = 0;
	const bool worked = read_text(ends ? NULL : &filter, descriptor, &text, &size, path, error);
	*source = (struct ordo_source){
		.text = text, .size = size, .gaps = filter.gaps, .ngap = filter.ngap};
	if (!worked)
		ordo_source_close(source);
	return worked;
}

/* Only a regular file is sure to end: everything else is filtered. */
bool ordo_source_from(
	struct ordo_source *source, int descriptor, const char *path, struct ordo_error *error)
{
	struct stat facts;
	const bool ends = !fstat(descriptor, &facts) && S_ISREG(facts.st_mode);
	const bool large = ends && facts.st_size > LARGE && !lseek(descriptor, 0, SEEK_CUR);
	const bool worked = large ? map_file(source, descriptor, (size_t)facts.st_size, path, error)
				  : read_all(source, descriptor, ends, path, error);
	if (descriptor != STDIN_FILENO)
		close(descriptor);
	return worked;
}

const char *ordo_source_open(struct ordo_source *source, const char *path, struct ordo_error *error)
{
	const bool is_stdin = !strcmp(path, "-");
	const int descriptor = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	const char *name = is_stdin ? "stdin" : path;
	if (descriptor < 0)
		ordo_fail_file(error, name, "cannot read", errno);
	return descriptor >= 0 && ordo_source_from(source, descriptor, name, error) ? name : NULL;
}

void ordo_source_close(struct ordo_source *source)
{
	union {
		const char *text;
		void *memory;
	} bytes = {source->text};
	if (source->mapped)
		munmap(bytes.memory, source->size);
	else
		free(bytes.memory);
	free(source->gaps);
	*source = (struct ordo_source){0};
}

void ordo_source_release(struct ordo_source *source, size_t offset)
{
	const size_t page = 1 << 16;
	union {
		const char *text;
		char *memory;
	} bytes = {source->text};
	offset = offset / page * page;
	if (!source->mapped || offset < source->released + RELEASE_STEP)
		return;
	madvise(bytes.memory + source->released, offset - source->released, MADV_DONTNEED);
	source->released = offset;
}

bool ordo_is_plain_name(const char *name)
{
	return *name && name[0] != '.' && !strchr(name, '/') && !strchr(name, '\\');
}
