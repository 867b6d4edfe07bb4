/* owned.h - what the library allocated for somebody, all of it given back at once.
 *
 * An arena owns the texts and arrays of one lifetime: of a document, of a proof, or of a caller who
 * asked for texts. Start with `struct ordo_arena arena = {0};`, hand it to the functions that take
 * one, and free it when their results are no longer needed.
 */
#ifndef ORDO_OWNED_H
#define ORDO_OWNED_H

#include <ordo/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ordo_arena {
	struct ordo_arena_block *last; /* NULL: nothing allocated yet; {0} is a valid empty arena */
};

/* Frees all that an arena owns.
 *
 *   arena   is empty afterwards, and may be used again; {0} is an empty one. Not NULL
 *
 * One thread at a time may use an arena. */
ORDO_API void ordo_arena_free(struct ordo_arena *arena);

#ifdef __cplusplus
}
#endif
#endif
