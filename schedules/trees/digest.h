/* digest.h - the order digest: 128 bits over the trees of all chunks. Private to schedules/.
 *
 * Trees are named by their shape alone, positions by fractions of the vector, so that schedules for
 * other chunk counts (and, with shards, other rank counts) have the same digest exactly if the same
 * elements get the same trees. Sums accumulated in f32 have other digests: over the same trees
 * their bits differ. Sums without order have no trees in their digest: it says which operator, how
 * many contributions and which form, and that is all that their bits depend on.
 */
#ifndef ORDO_DIGEST_H
#define ORDO_DIGEST_H

#include <ordo/operator.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* The names of trees. */
XXH128_hash_t ordo_hash_leaf(uint32_t leaf);
/* commutative */
XXH128_hash_t ordo_hash_sum(XXH128_hash_t left, XXH128_hash_t right);

struct order_digest {
	XXH3_state_t *state;
	uint64_t nchunk;
};

/* false: no memory */
bool ordo_digest_begin(struct order_digest *digest, const struct ordo_problem *problem);
/* From this chunk on, ascending from 0, chunks have that tree, which is not that of the chunks
 * before. */
void ordo_digest_tree(struct order_digest *digest, uint32_t first_chunk, XXH128_hash_t tree);
void ordo_digest_end(struct order_digest *digest, char text[33]);

#endif
