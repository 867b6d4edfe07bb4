/* mix.h - a hash of a number that is the same everywhere. */
#ifndef ORDO_MIX_H
#define ORDO_MIX_H

#include <stdint.h>

/* The finalizer of splitmix64; one to one. Source: Steele, Lea and Flood, OOPSLA 2014. */
static inline uint64_t ordo_mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

#endif
