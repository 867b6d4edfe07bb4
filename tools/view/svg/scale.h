/* scale.h - a time axis: the position of a time, and the labelled times. */
#ifndef ORDO_TOOLS_VIEW_SVG_SCALE_H
#define ORDO_TOOLS_VIEW_SVG_SCALE_H

#include <stddef.h>
#include <stdint.h>

struct scale {
	double begin, end;  /* seconds */
	double left, right; /* their positions */
	/* seconds between ticks: 1, 2 or 5 times a power of ten */
	double step;
	int64_t first_tick, last_tick; /* in multiples of step */
	double unit;		       /* of the labels, in seconds */
	const char *unit_name;
	int decimals;
};

/* An axis with about nwanted ticks. An empty span is drawn at the left. */
struct scale make_scale(double begin, double end, double left, double right, int nwanted);
double place_on_scale(const struct scale *scale, double seconds_from_begin);
/* "2.5"; only the last label has the unit. */
void print_tick(const struct scale *scale, int64_t tick, char *text, size_t size);
/* "31.25 µs": four digits. */
void print_duration(double seconds, char *text, size_t size);

#endif
