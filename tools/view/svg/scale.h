/* scale.h - a time axis: where a moment lies, and which moments are named. */
#ifndef ORDO_TOOLS_VIEW_SVG_SCALE_H
#define ORDO_TOOLS_VIEW_SVG_SCALE_H

#include <stddef.h>
#include <stdint.h>

struct scale {
	double begin, end;  /* seconds */
	double left, right; /* where they lie */
	/* seconds from tick to tick: 1, 2 or 5 times a power of ten */
	double step;
	int64_t first_tick, last_tick; /* in steps */
	double unit;		       /* of the labels, seconds */
	const char *unit_name;
	int decimals;
};

/* An axis with about nwanted ticks. A span of no length is shown at the left. */
struct scale make_scale(double begin, double end, double left, double right, int nwanted);
double place_on_scale(const struct scale *scale, double seconds_from_begin);
/* "2.5"; the unit is told by the last one alone. */
void print_tick(const struct scale *scale, int64_t tick, char *text, size_t size);
/* "31.25 µs": four digits. */
void print_duration(double seconds, char *text, size_t size);

#endif
