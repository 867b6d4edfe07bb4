/* arena.c - memory that is freed all at once, and arrays that double. */
#include <ordo/arena.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct ordo_arena_block {
	struct ordo_arena_block *before;
	size_t used, size;
	max_align_t bytes[];
};

/* Most arenas hold a few names, so the first block is small: clearing a large one would take longer
 * than compiling for a few ranks. Each further one is twice as large, up to a limit. */
enum { FIRST_SIZE = 2 * 1024, BLOCK_SIZE = 64 * 1024, LARGE_SIZE = 8 * 1024 * 1024 };

static size_t next_size(const struct ordo_arena_block *last)
{
	if (!last)
		return FIRST_SIZE;
	return last->size < BLOCK_SIZE / 2 ? 2 * last->size : BLOCK_SIZE;
}

void *ordo_arena_alloc(struct ordo_arena *arena, size_t size)
{
	const size_t align = _Alignof(max_align_t);
	if (size > SIZE_MAX / 2)
		return NULL;
	size = (size + align - 1) / align * align;
	struct ordo_arena_block *block = arena->last;
	if (!block || block->size - block->used < size) {
		const size_t usual = next_size(block), room = size > usual ? size : usual;
		block = calloc(1, sizeof *block + room);
		if (!block)
			return NULL;
		block->size = room;
		block->before = arena->last;
		arena->last = block;
	}
	void *result = (char *)block->bytes + block->used;
	block->used += size;
	return result;
}

char *ordo_arena_text(struct ordo_arena *arena, const char *text, size_t length)
{
	char *copy = ordo_arena_alloc(arena, length + 1);
	if (copy && length)
		memcpy(copy, text, length);
	return copy;
}

char *ordo_arena_format(struct ordo_arena *arena, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	char *text = length < 0 ? NULL : ordo_arena_alloc(arena, (size_t)length + 1);
	if (!text)
		return NULL;
	va_start(arguments, format);
	vsnprintf(text, (size_t)length + 1, format, arguments);
	va_end(arguments);
	return text;
}

void ordo_arena_free(struct ordo_arena *arena)
{
	while (arena->last) {
		struct ordo_arena_block *before = arena->last->before;
		free(arena->last);
		arena->last = before;
	}
}

/* Large arrays are accessed at random, so with small pages most of the time would go into TLB
 * misses: request huge pages. The range is rounded to whole pages, so that the array stays one
 * mapping and can grow without a copy. Advice only: it changes nothing but time. */
static void advise_huge_pages(void *items, size_t size)
{
#ifdef MADV_HUGEPAGE
	const size_t page = 4096, before = (uintptr_t)items % page,
		     whole = (before + size + page - 1) / page * page;
	if (size >= LARGE_SIZE)
		(void)madvise((char *)items - before, whole, MADV_HUGEPAGE);
#else
	(void)items;
	(void)size;
#endif
}

void *ordo_array_make(size_t count, size_t size, unsigned char fill)
{
	if (count > SIZE_MAX / 2 / size)
		return NULL;
	const size_t bytes = count ? count * size : 1;
	void *items = fill ? malloc(bytes) : calloc(bytes, 1);
	if (!items)
		return NULL;
	advise_huge_pages(items, bytes);
	return fill ? memset(items, fill, bytes) : items;
}

bool ordo_array_reserve(void *items, size_t *room, size_t want, size_t size)
{
	if (want <= *room)
		return true;
	size_t more = *room < 16 ? 16 : *room * 2;
	if (more < want)
		more = want;
	if (more > SIZE_MAX / 2 / size)
		return false;
	void *old;
	memcpy(&old, items, sizeof old);
	void *grown = realloc(old, more * size);
	if (!grown)
		return false;
	advise_huge_pages(grown, more * size);
	memcpy(items, &grown, sizeof grown);
	*room = more;
	return true;
}
