/* kit.h - the Python program that puts the probe's questions to torch.distributed. */
#ifndef ORDO_TOOLS_PROBE_KIT_KIT_H
#define ORDO_TOOLS_PROBE_KIT_KIT_H

#include <ordo/element.h>
#include <ordo/operator.h>
#include <stdio.h>

struct kit {
	struct ordo_problem problem; /* AllReduce, Reduce or ReduceScatter */
	enum ordo_type type;	     /* a float */
	const uint64_t *counts;	     /* [ncount] elements of a block */
	uint32_t ncount;
	uint32_t nplace, nrepetition;
};

/* false: ORDO_USAGE, the type does not carry so many ranks. */
bool print_kit(const struct kit *kit, FILE *out, struct ordo_error *error);

#endif
