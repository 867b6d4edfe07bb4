/* source.c - the bytes of a file or a pipe, in memory that is given back as it is read. */
#include "source.h"
#include "store.h"
#include <errno.h>
#include <ordo/arena.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RELEASE_STEP = 16 << 20, READ_STEP = 1 << 20 };

/* Into pages of our own, which can be given back one by one. A mapping of the file itself would end the process if somebody cut the file short
 * meanwhile; so that is only a shorter text. */
static bool read_file(
	struct ordo_source *source, int descriptor, size_t size, const char *path, struct ordo_error *error)
{
	char *text =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	size_t filled = 0;
	ssize_t got = 0;
	if (text == MAP_FAILED)
		return ordo_fail_memory(error);
	madvise(text, size, MADV_HUGEPAGE); /* fewer faults; no loss where there are none */
	while (filled < size) {
		got = read(descriptor, text + filled, size - filled < READ_STEP ? size - filled : READ_STEP);
		if (got > 0)
			filled += (size_t)got;
		else if (got == 0 || errno != EINTR)
			break;
	}
	if (got < 0) {
		int number = errno;
		munmap(text, size);
		return ordo_fail_file(error, path, "cannot read", number);
	}
	*source = (struct ordo_source){.text = text, .size = filled, .room = size};
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
	bool regular = !fstat(descriptor, &facts) && S_ISREG(facts.st_mode) && facts.st_size > 0 &&
		       !lseek(descriptor, 0, SEEK_CUR);
	bool worked = regular ? read_file(source, descriptor, (size_t)facts.st_size, path, error)
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
	if (source->room)
		munmap(bytes.memory, source->room);
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
	if (!source->room || offset < source->released + RELEASE_STEP)
		return;
	madvise(bytes.memory + source->released, offset - source->released, MADV_DONTNEED);
	source->released = offset;
}
