/* agree.h - compares recovered trees with each other and with the proof. */
#ifndef ORDO_TOOLS_AGREE_H
#define ORDO_TOOLS_AGREE_H

#include "live.h"
#include <ordo/detail/order.h>

/* One recovery: every mask was run once, all in the same way. */
struct probe {
	struct drive drive;
	struct recovered recovered;
	uint32_t *trees; /* [nclass] in the forest; ORDO_NONE: none, see `why` of the class */
};

/* Recovers the trees of a machine, and adds them to the forest. The caller frees the probe, also
 * after false. */
bool probe_machine(struct probe *probe, const struct machine *machine, struct ordo_forest *forest,
	struct ordo_error *error);
/* Probes once, and adds the trees to the forest. The caller frees it, also after false. */
bool make_probe(struct probe *probe, struct live *live, const struct drive *drive,
	struct ordo_forest *forest, struct ordo_error *error);
void free_probe(struct probe *probe);

/* The tree of an element, or ORDO_NONE. */
uint32_t tree_seen(const struct probe *probe, uint64_t element);

struct difference {
	uint64_t element;
	/* trees in the forest; ORDO_NONE: none, or any on which all probes agree */
	uint32_t found, wanted;
};

/* Whether every element has a tree. */
bool is_whole(const struct probe *probe, struct difference *difference);
/* Whether all elements have the same trees in both, modulo commutativity; both must be whole. */
bool agree_with_each_other(const struct probe *first, const struct probe *second,
	const struct ordo_forest *forest, uint64_t nelement, struct difference *difference);
/* Whether the trees are those of an order that is fixed (G2 holds), on every rank. */
bool agree_with_order(const struct probe *probe, const struct live *live,
	const struct ordo_order *order, struct difference *difference);

#endif
