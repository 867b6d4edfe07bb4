/* answered.h - the trees of answers that a machine gave elsewhere (answers.h). */
#ifndef ORDO_TOOLS_PROBE_ANSWERED_H
#define ORDO_TOOLS_PROBE_ANSWERED_H

#include "agree.h"
#include <ordo/detail/answers.h>

/* The colours of the elements: element e of a block has colour e % ANSWERED_COLOURS. Chunks and
 * vectors of an instruction are powers of two apart, so a power of two would show nothing. */
enum { ANSWERED_COLOURS = 5 };

/* The type in which a machine may add numbers of another: it may be wider. NULL: the same. */
const struct ordo_type_facts *answered_accumulator(enum ordo_type type);

/* Elements are the places, and the trees of each table of a size. */
struct answered {
	const struct ordo_answers *answers;
	struct probe **tables; /* [nsize][ntable] */
};

/* Adds the trees to the forest. The answers outlive it. To be closed in any case. */
bool open_answered(struct answered *answered, const struct ordo_answers *answers,
	struct ordo_forest *forest, struct ordo_error *error);
void close_answered(struct answered *answered);

#endif
