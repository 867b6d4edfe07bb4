/* arena.h - memory that is given back all at once: how the floors allocate in an arena (owned.h).
 *
 * One arena per lifetime (a document, a compilation, a proof). Blocks never move. Not for arrays
 * that grow: those are plain malloc'd arrays that double.
 */
#ifndef ORDO_ARENA_H
#define ORDO_ARENA_H

#include <ordo/owned.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `size` bytes aligned for any object, zeroed; NULL if there is no memory. */
ORDO_API void *ordo_arena_alloc(struct ordo_arena *arena, size_t size);
/* A copy of text[0..length) with a NUL after it; NULL if there is no memory. */
ORDO_API char *ordo_arena_text(struct ordo_arena *arena, const char *text, size_t length);
/* A formatted text; NULL if there is no memory. */
ORDO_API char *ordo_arena_format(struct ordo_arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* An array of `count` items of `size` bytes, every byte of it `fill`; to be given to free(). NULL:
 * no memory. */
ORDO_API void *ordo_array_make(size_t count, size_t size, unsigned char fill);
/* Makes room for at least `want` items of `size` bytes in the malloc'd array *items that has room
 * for *room, doubling. false if there is no memory (the array is untouched). */
ORDO_API bool ordo_array_reserve(void *items, size_t *room, size_t want, size_t size);

#ifdef __cplusplus
}
#endif
#endif
