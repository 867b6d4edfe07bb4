/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* packed_trees.h - how many trees algorithm `packing` takes on a topology. */
#ifndef ORDO_PACKED_TREES_H
#define ORDO_PACKED_TREES_H

#include <ordo/compiler.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ordo_packed_trees {
	uint32_t k;    /* of each root, or of all roots together */
	bool spanning; /* each is summed up and sent down, whatever its root */
	/* the least k for which every link can carry whole trees at the bound of the wire; as great
	 * as INT64_MAX: not known */
	uint64_t exact;
};

/* Of a request that names `packing`; does not compile it. false: another algorithm, or a request
 * that does not apply (ORDO_USAGE), or no memory. */
ORDO_API bool ordo_packed_trees(const struct ordo_request *request, struct ordo_packed_trees *trees,
	struct ordo_error *error);

#ifdef __cplusplus
}
#endif
#endif
