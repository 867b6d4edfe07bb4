/* contents.h - which chunk each task moves: the data is followed in one legal order. */
#ifndef ORDO_TOOLS_MSCCL_CONTENTS_H
#define ORDO_TOOLS_MSCCL_CONTENTS_H

#include "program.h"

/* Sets the chunk of every move to the one that its source holds. Wrong data keeps its name, so that
 * the verifier finds it. false: no memory; or an output slot holds another chunk for a while,
 * though the right one at the end, which a document cannot express (ORDO_UNDECIDED). */
bool msccl_name_chunks(struct ordo_schedule *schedule, const struct msccl_program *program,
	struct ordo_error *error);

#endif
