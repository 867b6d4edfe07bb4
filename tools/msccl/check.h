/* check.h - what is wrong with the steps of a program, each by itself and with its neighbours. */
#ifndef ORDO_TOOLS_MSCCL_CHECK_H
#define ORDO_TOOLS_MSCCL_CHECK_H

#include "program.h"

/* false: an error with the line of the mistake and what runtimes do with it. */
bool msccl_check(struct msccl_program *program, struct ordo_error *error);
/* Do the runtimes merge this step with the one before it, both `re` of the same block, into one
 * chain of reductions? */
bool msccl_is_chained(const struct msccl_program *program, uint32_t step);

#endif
