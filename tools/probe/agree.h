/* agree.h - whether the trees that were seen are those of each other, and those of the proof. */
#ifndef ORDO_TOOLS_AGREE_H
#define ORDO_TOOLS_AGREE_H

#include "live.h"
#include <ordo/detail/order.h>

/* One recovery: every mask was run once, all in the same way. */
struct probe {
	struct drive drive;
	struct recovered recovered;
	uint32_t *trees; /* [nclass] of the forest; ORDO_NONE: none, see why of the class */
};

/* Probes once. Trees go to the forest. To be freed, also after false. */
bool make_probe(struct probe *probe, struct live *live, const struct drive *drive,
	struct ordo_forest *forest, struct ordo_error *error);
void free_probe(struct probe *probe);

/* The tree of an element, or ORDO_NONE. */
uint32_t tree_seen(const struct probe *probe, uint64_t element);

struct difference {
	uint64_t element;
	/* trees of the forest; ORDO_NONE: none, or any that all probes agree on */
	uint32_t found, wanted;
};

/* Does every element have a tree? */
bool is_whole(const struct probe *probe, struct difference *difference);
/* The same trees for all elements, modulo commutativity? If all have some. */
bool agree_with_each_other(const struct probe *first, const struct probe *second,
	const struct ordo_forest *forest, uint64_t nelement, struct difference *difference);
/* The same as an order that is fixed (G2 holds) says, on every rank? */
bool agree_with_order(const struct probe *probe, const struct live *live,
	const struct ordo_order *order, struct difference *difference);

#endif
