/* torus.c - a grid of two or three dimensions with wraparound: links to both neighbours in every
 * dimension.
 *
 * `torus:4x4`, `torus:2x3x4`; ranks count along the last dimension first. `torus` alone is the
 * rectangle nearest to a square. In a dimension of two both neighbours are one.
 */
#include "generator.h"
#include "sizes.h"

/* Links from a rank to its neighbours in a dimension of `size` ranks that are `stride` apart. */
static bool join_neighbours(struct ordo_topology *topology, uint32_t rank, uint32_t size,
	uint32_t stride, struct ordo_error *error)
{
	const uint32_t at = rank / stride % size, first = rank - at * stride;
	const uint32_t next = first + (at + 1) % size * stride,
		       last = first + (at + size - 1) % size * stride;
	if (next != rank && !ordo_add_hccs(topology, rank, next, error))
		return false;
	return last == next || ordo_add_hccs(topology, rank, last, error);
}

static bool add_links(
	struct ordo_topology *topology, const struct ordo_sizes *sizes, struct ordo_error *error)
{
	for (uint32_t rank = 0; rank < topology->nrank; rank++)
		for (uint32_t d = sizes->count, stride = 1; d-- > 0; stride *= sizes->at[d])
			if (!join_neighbours(topology, rank, sizes->at[d], stride, error))
				return false;
	return true;
}

static struct ordo_sizes squarest(uint32_t nrank)
{
	uint32_t a = 1;
	for (uint32_t i = 1; (uint64_t)i * i <= nrank; i++)
		if (nrank % i == 0)
			a = i;
	return (struct ordo_sizes){2, {a, nrank / a, 1}, nrank};
}

static struct ordo_topology *make(
	const char *name, uint32_t nrank, const char *parameters, struct ordo_error *error)
{
	struct ordo_sizes sizes;
	const char *rest = "";
	if (parameters)
		rest = ordo_sizes_read(name, parameters, nrank, 2, 3, &sizes, error);
	else
		sizes = squarest(nrank);
	if (!rest || *rest) {
		if (rest)
			ordo_fail(error, ORDO_USAGE, 0,
				"topology %.200s: found \"%.200s\" after the sizes", name, rest);
		return NULL;
	}
	struct ordo_topology *topology = ordo_topology_create(name, sizes.product, 0, 0, error);
	if (topology && !add_links(topology, &sizes, error)) {
		ordo_topology_destroy(topology);
		return NULL;
	}
	return topology;
}

const struct ordo_topology_generator ordo_topology_torus = {
	.facts = {.name = "torus",
		.summary = "a ring along each of two or three dimensions: torus:4x4, torus:2x3x4",
		.ranks = "any",
		.how = "A grid of two or three dimensions whose rows and columns are rings.",
		.where = "Machines wired as tori: torus:4x4, torus:2x3x4.",
		.sample = "torus:2x4"},
	.make = make,
};
