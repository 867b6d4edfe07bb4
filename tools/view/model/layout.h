/* layout.h - where the ranks and switches of a topology stand in a picture.
 *
 * Ranks on a circle, switches inside; a torus as a grid; a hypercube projected; servers as boxes
 * with their switches between them. Which it is is known by the topology's name, as generators give
 * it ("torus:4x4"), or else by its links.
 */
#ifndef ORDO_TOOLS_VIEW_MODEL_LAYOUT_H
#define ORDO_TOOLS_VIEW_MODEL_LAYOUT_H

#include <ordo/topology.h>

struct point {
	double x, y; /* inches, y downwards */
};

/* A box around one server. */
struct layout_box {
	struct point low, high;
	uint32_t server;
	bool below; /* its name stands at its lower edge */
};

struct layout {
	struct point *at;		/* [nvertex] */
	bool *drawn;			/* [nvertex] */
	struct point low, high, middle; /* of all that is drawn */
	double most_bow;		/* how far a line may go aside to miss a vertex */
	struct layout_box *boxes;
	uint32_t nbox;
};

/* For these ranks and all switches. false: no memory; to be freed in any case. */
bool lay_out(struct layout *layout, const struct ordo_topology *topology, const uint32_t *ranks,
	uint32_t nrank);
void free_layout(struct layout *layout);

/* How far the middle of a line between two vertices goes aside (left of its way; negative: right),
 * so that it passes by all others. */
double bow_of_line(const struct layout *layout, const struct ordo_topology *topology, uint32_t from,
	uint32_t to);

#endif
