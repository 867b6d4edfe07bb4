/* nearest.h - the known name that a mistyped one is nearest to. */
#ifndef ORDO_NEAREST_H
#define ORDO_NEAREST_H

#include <stddef.h>

/* How many insertions, deletions and replacements make text[0..length) into `name`; 64 if either is longer
 * than 63. */
size_t ordo_edit_distance(const char *text, size_t length, const char *name);
/* The nearest of names[count], or NULL if more than half of it would have to change. */
const char *ordo_nearest(const char *text, const char *const *names, size_t count);

#endif
