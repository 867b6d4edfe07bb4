/* digest.c - the order digest. */
#include "digest.h"
#include <ordo/detail/accumulate.h>
#include <ordo/divisor.h>
#include <stdio.h>
#include <string.h>

XXH128_hash_t ordo_hash_leaf(uint32_t leaf)
{
	const unsigned char bytes[8] = {
		leaf & 0xff, leaf >> 8 & 0xff, leaf >> 16 & 0xff, leaf >> 24};
	return XXH3_128bits(bytes, sizeof bytes);
}

XXH128_hash_t ordo_hash_sum(XXH128_hash_t left, XXH128_hash_t right)
{
	XXH128_canonical_t both[2];
	const bool swapped = XXH128_cmp(&left, &right) > 0;
	XXH128_canonicalFromHash(&both[swapped], left);
	XXH128_canonicalFromHash(&both[!swapped], right);
	return XXH3_128bits(both, sizeof both);
}

static void put_number(XXH3_state_t *state, uint64_t number)
{
	unsigned char bytes[8];
	for (int i = 0; i < 8; i++)
		bytes[i] = (unsigned char)(number >> 8 * i);
	XXH3_128bits_update(state, bytes, sizeof bytes);
}

bool ordo_digest_begin(struct order_digest *digest, const struct ordo_problem *problem)
{
	const char *name = ordo_operator_facts(problem->op)->name;
	digest->state = XXH3_createState();
	digest->nchunk = ordo_nchunk(problem);
	if (!digest->state)
		return false;
	XXH3_128bits_reset(digest->state);
	XXH3_128bits_update(digest->state, name, strlen(name));
	put_number(digest->state, problem->nshard);
	if (problem->op == ORDO_CUSTOM)
		put_number(digest->state, problem->chunks_per_block);
	if (problem->accumulate) {
		const char *form = ordo_accumulation_name(problem->accumulate);
		XXH3_128bits_update(digest->state, "accumulate ", strlen("accumulate "));
		XXH3_128bits_update(digest->state, form, strlen(form) + 1);
	}
	return true;
}

void ordo_digest_tree(struct order_digest *digest, uint32_t first_chunk, XXH128_hash_t tree)
{
	const uint64_t divisor = ordo_common_divisor(first_chunk, digest->nchunk);
	XXH128_canonical_t canonical;
	put_number(digest->state, first_chunk / divisor);
	put_number(digest->state, digest->nchunk / divisor);
	XXH128_canonicalFromHash(&canonical, tree);
	XXH3_128bits_update(digest->state, &canonical, sizeof canonical);
}

void ordo_digest_end(struct order_digest *digest, char text[33])
{
	XXH128_canonical_t canonical;
	XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(digest->state));
	for (size_t i = 0; i < sizeof canonical.digest; i++)
		snprintf(text + 2 * i, 3, "%02x", canonical.digest[i]);
	XXH3_freeState(digest->state);
}
