/* match.h - chunks and links matched in time. Private to compiler/. */
#ifndef ORDO_SYNTHESIS_MATCH_MATCH_H
#define ORDO_SYNTHESIS_MATCH_MATCH_H

#include <ordo/topology.h>

/* What is to be carried. */
struct ordo_match_wish {
	const struct ordo_topology *topology; /* finished */
	/* All links turned round, and the moves played backwards in their own direction: then what
	 * spreads a chunk collects it. */
	bool backwards;
	uint64_t chunk_bytes; /* for which times are computed */
	uint32_t nchunk;
	const uint32_t *from; /* [nchunk] the rank that has it */
	const uint32_t *to;   /* [nchunk] the rank that gets it; NULL: all get all */
};

struct ordo_matched_move {
	uint32_t from, to, chunk;
	bool beside; /* played backwards: another brings this chunk there at the same time */
};

/* Moves in their order in time: every free link takes a chunk that its receiver lacks. With `to`, a
 * chunk takes a fastest way, and lies at one rank at a time; otherwise the chunk is taken that the
 * fewest ranks have, and no move ends later than the ranks' links allow all of them to have
 * everything, as long as that is possible. Deterministic. The caller frees *moves [*nmove].
 * *span, in ps, may be NULL. false: a rank has no way to another (ORDO_USAGE), or no memory.
 *
 * source: W. Won et al., TACOS, arXiv 2304.05301 */
bool ordo_match(struct ordo_matched_move **moves, size_t *nmove, uint64_t *span,
	const struct ordo_match_wish *wish, struct ordo_error *error);

#endif
