/* renumber.h - renumbers the ranks of a sequence. Private to compiler/. */
#ifndef ORDO_COMPILER_PROGRAM_RENUMBER_H
#define ORDO_COMPILER_PROGRAM_RENUMBER_H

#include "sequence.h"

/* Rank i becomes rank map[i], with its blocks; map: [nrank], each rank once. Moves whose chunks are
 * then no run become several. false: no memory. */
bool ordo_sequence_renumber(
	struct ordo_sequence *sequence, const uint32_t *map, struct ordo_error *error);

#endif
