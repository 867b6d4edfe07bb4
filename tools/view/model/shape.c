/* shape.c - recognises the shape of a topology from its links. */
#include "shape.h"
#include <stdbool.h>

/* The pairs of ranks that a shape may join, and their number if none is missing. */
typedef bool joined_in(const struct shape *shape, uint32_t a, uint32_t b);

static bool joined_in_grid(const struct shape *shape, uint32_t a, uint32_t b)
{
	uint32_t ndifferent = 0;
	bool near = true;
	for (int i = 2; i >= 0; i--) {
		const uint32_t size = shape->sizes[i], x = a % size, y = b % size,
			       away = x < y ? y - x : x - y;
		ndifferent += away > 0;
		near &= away <= 1 || away == size - 1;
		a /= size;
		b /= size;
	}
	return ndifferent == 1 && near;
}

static bool joined_in_hypercube(const struct shape *shape, uint32_t a, uint32_t b)
{
	const uint32_t digits = a ^ b;
	(void)shape;
	return digits && !(digits & (digits - 1));
}

static bool joined_in_servers(const struct shape *shape, uint32_t a, uint32_t b)
{
	const uint32_t size = shape->sizes[1];
	return a / size == b / size || a % size == b % size;
}

static bool joined_in_pairs(const struct shape *shape, uint32_t a, uint32_t b)
{
	(void)shape;
	return (a ^ 1) == b || a % 2 == b % 2;
}

/* The pairs of ranks with a link in either direction; false: the shape does not join some of them.
 * Pairs within a server are counted separately. */
static bool count_joined(const struct ordo_topology *topology, const struct shape *shape,
	joined_in *is_joined, uint64_t *count, uint64_t *inside)
{
	uint32_t from = ORDO_NONE, to = ORDO_NONE;
	*count = *inside = 0;
	for (uint32_t i = 0; i < topology->nlink; i++) {
		const struct ordo_link *link = &topology->links[i];
		if (link->from >= topology->nrank || link->to >= topology->nrank)
			continue;
		if (!is_joined(shape, link->from, link->to))
			return false;
		/* Links are sorted by their ends: parallel links are one pair. */
		if (link->from < link->to && (link->from != from || link->to != to)) {
			++*count;
			*inside += shape->sizes[1] &&
				   link->from / shape->sizes[1] == link->to / shape->sizes[1];
		}
		from = link->from;
		to = link->to;
	}
	return true;
}

/* Without the links that wrap around. */
static uint64_t pairs_of_grid(const struct shape *shape)
{
	const uint64_t n = (uint64_t)shape->sizes[0] * shape->sizes[1] * shape->sizes[2];
	uint64_t count = 0;
	for (int i = 0; i < 3; i++)
		count += n / shape->sizes[i] * (shape->sizes[i] - 1);
	return count;
}

/* The grid with the fewest links, if three quarters of them exist. */
static bool find_grid(const struct ordo_topology *topology, struct shape *found)
{
	const uint32_t n = topology->nrank;
	uint64_t least = UINT64_MAX, count, inside;
	for (uint32_t deep = 1; (uint64_t)deep * deep <= n; deep++)
		for (uint32_t high = 2; n % deep == 0 && (uint64_t)high * 2 <= n / deep; high++) {
			const struct shape shape = {SHAPE_GRID, {deep, high, n / deep / high}};
			if (n / deep % high)
				continue;
			const uint64_t whole = pairs_of_grid(&shape);
			if (whole < least &&
				count_joined(topology, &shape, joined_in_grid, &count, &inside) &&
				4 * count >= 3 * whole) {
				least = whole;
				*found = shape;
			}
		}
	return least != UINT64_MAX;
}

static bool find_hypercube(const struct ordo_topology *topology, struct shape *found)
{
	const uint32_t n = topology->nrank;
	uint32_t ndigit = 0;
	uint64_t count, inside;
	while (n >> (ndigit + 1))
		ndigit++;
	*found = (struct shape){SHAPE_HYPERCUBE, {0}};
	return ndigit > 2 && n == UINT32_C(1) << ndigit &&
	       count_joined(topology, found, joined_in_hypercube, &count, &inside) &&
	       4 * count >= 3 * ((uint64_t)n / 2 * ndigit);
}

/* Does each switch that is joined to ranks join those of several servers? Links are sorted by
 * where they begin. */
static bool joins_servers(const struct ordo_topology *topology, uint32_t size)
{
	for (uint32_t i = 0, end; i < topology->nlink; i = end) {
		const uint32_t from = topology->links[i].from;
		uint32_t last = ORDO_NONE, nserver = 0;
		for (end = i; end < topology->nlink && topology->links[end].from == from; end++) {
			const uint32_t to = topology->links[end].to;
			if (from < topology->nrank || to >= topology->nrank)
				continue;
			nserver += to / size != last;
			last = to / size;
		}
		if (nserver == 1)
			return false;
	}
	return true;
}

/* The largest complete servers; one server of all ranks would be a full mesh, which is no such
 * shape. */
static bool find_servers(const struct ordo_topology *topology, struct shape *found)
{
	const uint32_t n = topology->nrank;
	uint64_t count, inside;
	for (uint32_t count_of_servers = 2; (uint64_t)count_of_servers * 3 <= n;
		count_of_servers++) {
		const uint32_t size = n / count_of_servers;
		*found = (struct shape){SHAPE_SERVERS, {count_of_servers, size}};
		if (n % count_of_servers == 0 &&
			count_joined(topology, found, joined_in_servers, &count, &inside) &&
			inside == (uint64_t)n * (size - 1) / 2 && joins_servers(topology, size))
			return true;
	}
	return false;
}

static bool find_pairs(const struct ordo_topology *topology, struct shape *found)
{
	const uint64_t n = topology->nrank;
	uint64_t count, inside;
	*found = (struct shape){SHAPE_PAIRS, {0}};
	return n > 4 && n % 2 == 0 && !topology->nswitch &&
	       count_joined(topology, found, joined_in_pairs, &count, &inside) &&
	       4 * count >= 3 * (n / 2 + n / 2 * (n / 2 - 1));
}

struct shape find_shape(const struct ordo_topology *topology)
{
	struct shape found;
	if ((!topology->nswitch &&
		    (find_hypercube(topology, &found) || find_grid(topology, &found))) ||
		find_servers(topology, &found) || find_pairs(topology, &found))
		return found;
	return (struct shape){SHAPE_NONE, {0}};
}
