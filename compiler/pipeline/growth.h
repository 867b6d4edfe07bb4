/* growth.h - what a count is for many ranks, from what it is for few. */
#ifndef ORDO_PIPELINE_GROWTH_H
#define ORDO_PIPELINE_GROWTH_H

#include <stdbool.h>
#include <stdint.h>

enum { ORDO_GROWTH_POINTS = 3 };

/* f(n[i]) = f[i], the largest n first. */
struct ordo_growth_points {
	uint32_t count; /* at least 1 */
	double n[ORDO_GROWTH_POINTS], f[ORDO_GROWTH_POINTS];
};

/* By what f[0] is multiplied to get f(n). By the law that comes nearest to the last of three
 * points; with two, that of one power unless c n^2 + d n is wanted; 1 if n is not beyond n[0]. */
double ordo_growth(const struct ordo_growth_points *points, double n, bool wants_square);

#endif
