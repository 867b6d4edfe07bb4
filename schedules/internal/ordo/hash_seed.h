/* hash_seed.h - a seeded hash function for pairs of ids, unpredictable outside the process.
 *
 * A document chooses the keys of nearly every table, so with a fixed function it could choose keys
 * that all collide. Here, for any two pairs chosen without the seed, both places are independent
 * and uniform over 32 bits. Nothing but time depends on a seed: no table is ever walked in the
 * order of its places.
 *
 * source  Thorup, High Speed Hashing for Integers and Strings, arXiv:1504.06804, 2015, section 3.3
 */
#ifndef ORDO_HASH_SEED_H
#define ORDO_HASH_SEED_H

#include <ordo/error.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ordo_hash_seed {
	uint64_t a, b, c;
};

/* The seed of this process: drawn from the system's entropy on the first call. Thread-safe. */
struct ordo_hash_seed ordo_hash_seed(void);

/* The product maps consecutive keys to consecutive places; the steps after it permute the places,
 * so that such runs do not merge under linear probing. */
static inline uint32_t ordo_hash_pair(const struct ordo_hash_seed *seed, uint32_t x, uint32_t y)
{
	uint32_t place = (uint32_t)(((seed->a + x) * (seed->b + y) + seed->c) >> 32);
	place = (place ^ place >> 16) * UINT32_C(0x21f0aaad);
	place = (place ^ place >> 15) * UINT32_C(0x735a2d97);
	return place ^ place >> 15;
}

/* The next place to probe in a table of mask + 1 places. */
#ifdef ORDO_COUNT_PROBES /* by a test */
extern uint64_t ordo_nprobe;
#define ORDO_NEXT_PLACE(place, mask) (ordo_nprobe++, ((place) + 1) & (mask))
#else
#define ORDO_NEXT_PLACE(place, mask) (((place) + 1) & (mask))
#endif

#ifdef __cplusplus
}
#endif
#endif
