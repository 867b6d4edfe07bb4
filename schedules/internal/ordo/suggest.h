/* suggest.h - the nearest known name to a mistyped one. */
#ifndef ORDO_SUGGEST_H
#define ORDO_SUGGEST_H

#include <ordo/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The one of the names (NULL ones are passed over) that is nearest to the word: fewest letters
 * inserted, left out, changed, or swapped with their neighbour, whatever the case. NULL if more
 * than a third of the word, and more than 2, would have to change. */
ORDO_API const char *ordo_suggest(const char *word, const char *const *names, uint32_t count);

#ifdef __cplusplus
}
#endif
#endif
