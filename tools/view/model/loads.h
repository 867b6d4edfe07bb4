/* loads.h - the load of each link in a prediction, and its colours in a picture. */
#ifndef ORDO_TOOLS_VIEW_MODEL_LOADS_H
#define ORDO_TOOLS_VIEW_MODEL_LOADS_H

#include <ordo/predict.h>
#include <ordo/topology.h>

/* The largest number of distinguishable values in a legend. */
enum { MOST_SAMPLES = 5 };

struct loads {
	const struct ordo_topology *topology;
	const struct ordo_prediction *prediction; /* with links; NULL: no loads */
	/* Over the drawn links. */
	double most_bytes, most_use;
	uint32_t nloaded, nidle, nworst, ndown;
	double warmest;	  /* the utilisation of the last colour: most_use or a little more */
	bool marks_worst; /* some loaded link is no bottleneck */
};

/* drawn[nvertex]: only links between these count. */
void measure_loads(struct loads *loads, const bool *drawn);

double bytes_on(const struct loads *loads, const struct ordo_link *link);
/* The utilisation: the share of the time for which a link is needed at full bandwidth. */
double use_of(const struct loads *loads, const struct ordo_link *link);
/* Is its utilisation that of the bottleneck? */
bool is_worst(const struct loads *loads, const struct ordo_link *link);
/* Up and without a load, in a picture of loads. */
bool is_idle(const struct loads *loads, const struct ordo_link *link);

/* "#rrggbb", from cool to warm; its lightness alone also shows the utilisation. */
void use_colour(const struct loads *loads, double use, char colour[8]);

/* The distinct utilisations, or bytes, of the drawn links, in descending order: all, or
 * MOST_SAMPLES spread over them. Returns their number. */
uint32_t sample_uses(const struct loads *loads, const bool *drawn, double samples[MOST_SAMPLES]);
uint32_t sample_bytes(const struct loads *loads, const bool *drawn, double samples[MOST_SAMPLES]);

/* "0 to 1: HCCS, 1000 ns, 56 GB/s: 1 MiB in 3 moves, 43.1 % of the time". */
void describe_link(const struct loads *loads, const struct ordo_link *link, char text[384]);
/* "HCCS, 1000 ns, 56 GB/s", from the first drawn link of the class; false: there is none. */
bool describe_class(const struct ordo_topology *topology, const bool *drawn, uint32_t class_name,
	char text[256]);
void print_size(double bytes, char text[32]);
/* The caption: "AllReduce of 16 MiB by ring on full-mesh: 176 us". */
void describe_loads(const struct loads *loads, char text[512]);

#endif
