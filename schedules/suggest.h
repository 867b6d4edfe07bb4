/* suggest.h - what was probably meant. Private to schedules/. */
#ifndef ORDO_SUGGEST_H
#define ORDO_SUGGEST_H

#include <stdint.h>

/* The one of the names nearest to a word by edit distance; NULL if none is near (more than a third of it, at
 * least 2, would have to change). */
const char *ordo_suggest(const char *word, const char *const *names, uint32_t count);

#endif
