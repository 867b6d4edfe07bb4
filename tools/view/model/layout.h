/* layout.h - the positions of the ranks and switches of a topology in a picture. Ranks on a circle,
 * switches inside; a torus as a grid; a hypercube projected; servers as boxes with their switches
 * between them; of machines with many switches a row for each number of hops from the ranks. The
 * topology's name, as generators write it ("torus:4x4"), selects the layout, or else its links do.
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
	bool below; /* its name is at its lower edge */
};

struct layout {
	struct point *at;		/* [nvertex] */
	bool *drawn;			/* [nvertex] */
	struct point low, high, middle; /* of everything drawn */
	double most_bow;		/* the largest bend of a line around a vertex */
	struct layout_box *boxes;
	uint32_t nbox;
};

/* For these ranks and all switches. false: no memory. Free it in any case. */
bool lay_out(struct layout *layout, const struct ordo_topology *topology, const uint32_t *ranks,
	uint32_t nrank);
void free_layout(struct layout *layout);
/* One of the layouts: for machines of many switches. false: no memory. */
bool lay_layers(struct layout *layout, const struct ordo_topology *topology, const uint32_t *ranks,
	uint32_t nrank);

/* The bend of a line between two vertices (left of its direction; negative: right) that avoids all
 * other vertices. */
double bow_of_line(const struct layout *layout, const struct ordo_topology *topology, uint32_t from,
	uint32_t to);

#endif
