/* agree.h - whether the trees that were seen are those of each other, and those of the proof. */
#ifndef ORDO_TOOLS_AGREE_H
#define ORDO_TOOLS_AGREE_H

#include "live.h"
#include <ordo/verify.h>

/* One recovery: every mask was run once, all in the same way. */
struct probe {
	struct drive drive;
	struct recovered recovered;
	const char *
		*orders; /* [nclass] printed in full, so that equal trees are equal texts; NULL: no tree */
};

/* Probes once. To be freed, also after false; the texts are the arena's. */
bool make_probe(struct probe *probe, struct live *live, const struct drive *drive, struct ordo_arena *arena,
	struct ordo_error *error);
void free_probe(struct probe *probe);

/* The tree of an element, or why it has none. */
const char *order_of(const struct probe *probe, uint64_t element);

struct difference {
	uint64_t element;
	const char *found, *wanted;
};

/* Looks for the first element of `probe` without a tree. */
bool is_whole(const struct probe *probe, struct difference *difference);
/* Looks for the first element whose trees differ in two probes. */
bool agree_with_each_other(const struct probe *first, const struct probe *second, uint64_t nelement,
	struct difference *difference);

enum agreement {
	AGREES,
	DIFFERS,
	NO_MEMORY,
};
/* Compares with a proof that fixes the order (proved, G2 holds). If ranks have different trees (G1 does not hold), the proof keeps those
 * of the first rank that holds a chunk: only there is compared, and the other ranks must not all be alike. */
enum agreement agree_with_proof(const struct probe *probe, const struct live *live,
	const struct ordo_proof *proof, struct ordo_arena *arena, struct difference *difference);

#endif
