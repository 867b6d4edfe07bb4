/* source.c - the bytes of a file: read, or mapped if it is large. */
#include "source.h"
#include "store.h"
#include <errno.h>
#include <ordo/arena.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RELEASE_STEP = 16 << 20, READ_STEP = 1 << 20, LARGE = 64 << 20 };

/* A mapping costs no memory of our own and no copy, but ends the process if somebody cuts the file short meanwhile: only for files so large that a copy
 * would show. */
static bool map_file(
	struct ordo_source *source, int descriptor, size_t size, const char *path, struct ordo_error *error)
{
	void *text = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
	if (text == MAP_FAILED)
		return ordo_fail_file(error, path, "cannot read", errno);
	madvise(text, size, MADV_SEQUENTIAL);
	*source = (struct ordo_source){.text = text, .size = size, .mapped = true};
	return true;
}

static bool read_all(struct ordo_source *source, int descriptor, const char *path, struct ordo_error *error)
{
	char *text = NULL;
	size_t size = 0, room = 0;
	ssize_t got = 0;
	do {
		if (!ordo_array_reserve(&text, &room, size + READ_STEP, 1)) {
			free(text);
			return ordo_fail_memory(error);
		}
		got = read(descriptor, text + size, room - size);
		if (got > 0)
			size += (size_t)got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	if (got < 0) {
		int number = errno;
		free(text);
		return ordo_fail_file(error, path, "cannot read", number);
	}
	*source = (struct ordo_source){.text = text, .size = size};
	return true;
}

bool ordo_source_from(struct ordo_source *source, int descriptor, const char *path, struct ordo_error *error)
{
	struct stat facts;
	bool large = !fstat(descriptor, &facts) && S_ISREG(facts.st_mode) && facts.st_size > LARGE &&
		     !lseek(descriptor, 0, SEEK_CUR);
	bool worked = large ? map_file(source, descriptor, (size_t)facts.st_size, path, error)
			    : read_all(source, descriptor, path, error);
	if (descriptor != STDIN_FILENO)
		close(descriptor);
	return worked;
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
