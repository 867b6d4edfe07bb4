/* places.h - sums and copies between the work places of ranks.
 *
 * Where places are not consecutive it takes several moves, from the last to the first if
 * `backwards`.
 */
#ifndef ORDO_COMPILER_ALGORITHMS_DIRECT_PLACES_H
#define ORDO_COMPILER_ALGORITHMS_DIRECT_PLACES_H

#include <ordo/builder.h>

/* A rank's sum so far: its work place once it was made ready, till then its input. */
struct ordo_at ordo_sum_of(struct ordo_builder *b, uint32_t rank, uint32_t chunk);
/* The rank gets its own part of the chunks ready for what will be added: copies it from its input
 * to its work places, but for chunks that have been begun. */
void ordo_make_ready(
	struct ordo_builder *b, uint32_t rank, struct ordo_slice chunks, bool backwards);
/* to's sum of the chunks, made ready, becomes that and from's: its sum so far, else its own
 * part. */
void ordo_add_on(struct ordo_builder *b, uint32_t to, uint32_t from, struct ordo_slice chunks,
	bool backwards);
/* The chunks go from where `from` has them to the work places of `to`. summed: `from` has them at
 * its work places, not in its input. */
void ordo_pass_on(struct ordo_builder *b, uint32_t to, uint32_t from, struct ordo_slice chunks,
	bool summed, bool backwards);
/* The same by way of other ranks: the chunks, or from's sum of them, go to consecutive places of
 * the first of these; the last of them brings them to the work places of `to`; sums: adds them
 * there. */
void ordo_send_sum_off(struct ordo_builder *b, struct ordo_at aside, uint32_t from,
	struct ordo_slice chunks, bool backwards);
void ordo_send_off(struct ordo_builder *b, struct ordo_at aside, uint32_t from,
	struct ordo_slice chunks, bool summed, bool backwards);
void ordo_deliver(struct ordo_builder *b, uint32_t to, struct ordo_at aside,
	struct ordo_slice chunks, bool sums, bool backwards);
/* In stream "copy" and phase "copy in": what a rank has in its input and needs as it is in its
 * output. */
void ordo_keep_own(struct ordo_builder *b, const struct ordo_problem *problem);

#endif
