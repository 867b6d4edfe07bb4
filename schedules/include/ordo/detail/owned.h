/* owned.h - what the library allocated for somebody, all of it given back at once.
 *
 * An arena owns the texts and arrays of one lifetime: of a document, of a proof, or of a caller who
 * asked for texts. Start with `struct ordo_arena arena = {0};`, hand it to the functions that take
 * one, and free it when their results are no longer needed.
 */
/* Internal: for the command and the tests. Installed for programs of this release; may change or
 * go with the next. */
#ifndef ORDO_OWNED_H
#define ORDO_OWNED_H

#include <ordo/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ordo_arena {
	struct ordo_arena_block *last; /* NULL: nothing allocated yet; {0} is a valid empty arena */
};

/* Frees all of it. The arena is empty and usable afterwards. */
ORDO_API void ordo_arena_free(struct ordo_arena *arena);

#ifdef __cplusplus
}
#endif
#endif
