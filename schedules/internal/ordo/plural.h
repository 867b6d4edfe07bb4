/* plural.h - the ending of a noun after a number, in messages. */
#ifndef ORDO_PLURAL_H
#define ORDO_PLURAL_H

#include <stdint.h>

/* "" for one, "s" for any other number. */
static inline const char *ordo_plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

#endif
