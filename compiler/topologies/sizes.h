/* sizes.h - the sizes in the name of a topology: "4x8" in "servers:4x8". */
#ifndef ORDO_TOPOLOGY_SIZES_H
#define ORDO_TOPOLOGY_SIZES_H

#include <ordo/error.h>

enum { ORDO_MAX_SIZES = 3 };

struct ordo_sizes {
	uint32_t count;
	uint32_t at[ORDO_MAX_SIZES]; /* 1 beyond count */
	uint32_t product;
};

/* Reads least..most sizes, each at least 1, from the beginning of `text`. nrank must be their
 * product, or 0. `name` is for the message. Returns what comes after them; NULL: see error
 * (ORDO_USAGE). */
const char *ordo_sizes_read(const char *name, const char *text, uint32_t nrank, uint32_t least,
	uint32_t most, struct ordo_sizes *sizes, struct ordo_error *error);

#endif
