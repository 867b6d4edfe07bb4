/* loads.h - how a prediction loads the links of a topology, and how much of it a picture shows. */
#ifndef ORDO_TOOLS_VIEW_MODEL_LOADS_H
#define ORDO_TOOLS_VIEW_MODEL_LOADS_H

#include <ordo/predict.h>
#include <ordo/topology.h>

/* Values of a legend: as many as are easily told apart. */
enum { MOST_SAMPLES = 5 };

struct loads {
	const struct ordo_topology *topology;
	const struct ordo_prediction *prediction; /* with links; NULL: no loads */
	/* Of the links that are drawn. */
	double most_bytes, most_use;
	uint32_t nloaded, nidle, nworst, ndown;
	double warmest;	  /* the use that has the last colour: most_use or a little more */
	bool marks_worst; /* some loaded links are no bottleneck */
};

/* drawn[nvertex]: only links between these count. */
void measure_loads(struct loads *loads, const bool *drawn);

double bytes_on(const struct loads *loads, const struct ordo_link *link);
/* The share of the time in which a link is needed at its full bandwidth. */
double use_of(const struct loads *loads, const struct ordo_link *link);
/* Is it used as much as the bottleneck? */
bool is_worst(const struct loads *loads, const struct ordo_link *link);
/* Not down, in a picture of loads, and without one. */
bool is_idle(const struct loads *loads, const struct ordo_link *link);

/* "#rrggbb", from cool to warm; so light to dark that it can be read without seeing hues. */
void use_colour(const struct loads *loads, double use, char colour[8]);

/* Which uses, or bytes, there are among the links drawn, most first: all, or MOST_SAMPLES of them
 * that lie apart. The number of them. */
uint32_t sample_uses(const struct loads *loads, const bool *drawn, double samples[MOST_SAMPLES]);
uint32_t sample_bytes(const struct loads *loads, const bool *drawn, double samples[MOST_SAMPLES]);

/* "0 to 1: HCCS, 1000 ns, 56 GB/s: 1 MiB in 3 moves, 43.1 % of the time". */
void describe_link(const struct loads *loads, const struct ordo_link *link, char text[384]);
/* "HCCS, 1000 ns, 56 GB/s", as the class's first link that is drawn; false: none is. */
bool describe_class(const struct ordo_topology *topology, const bool *drawn, uint32_t class_name,
	char text[256]);
void print_size(double bytes, char text[32]);
/* What the picture is of: "AllReduce of 16 MiB by ring on full-mesh: 176 us". */
void describe_loads(const struct loads *loads, char text[512]);

#endif
