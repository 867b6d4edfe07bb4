/* candidates.h - refusing a candidate of a choice. Private to compiler/choose/. */
#ifndef ORDO_COMPILER_CHOOSE_CANDIDATES_H
#define ORDO_COMPILER_CHOOSE_CANDIDATES_H

#include <ordo/detail/select.h>

/* Does an error mean that this candidate will not do, rather than that nothing will? */
bool ordo_is_of_candidate(const struct ordo_error *why);

/* One more that cannot, or did not suit; copies both texts. */
bool ordo_refuse_candidate(struct ordo_candidates *candidates, const char *algorithm,
	const struct ordo_error *why, struct ordo_error *error);

#endif
