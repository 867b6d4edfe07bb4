/* test_bound.c - bounds of the wire against all cuts and all partitions, in integers. */
#include <math.h>
#include <ordo/compiler.h>
#include <ordo/detail/bound.h>
#include <ordo/detail/operators.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

__extension__ typedef unsigned __int128 wide;

enum { MOST_VERTICES = 13, MOST_SETS = 1 << MOST_VERTICES };

/* Thousandths of GB/s from vertex to vertex, and what leaves each set of vertices; the least that
 * leaves each set of ranks with any switches. */
static uint64_t width[MOST_VERTICES][MOST_VERTICES];
static uint64_t leaving[MOST_SETS], least[MOST_SETS], entering[MOST_SETS];

struct fraction {
	uint64_t numerator, denominator;
};

static bool less(struct fraction a, struct fraction b)
{
	return (wide)a.numerator * b.denominator < (wide)b.numerator * a.denominator;
}

static uint64_t sum_leaving(uint32_t set, uint32_t n)
{
	uint64_t sum = 0;
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = 0; b < n; b++)
			if ((set >> a & 1) && !(set >> b & 1))
				sum += width[a][b];
	return sum;
}

static void measure_sets(const struct ordo_topology *topology)
{
	const uint32_t nrank = topology->nrank, n = nrank + topology->nswitch;
	const uint32_t ranks = (1u << nrank) - 1, all = (1u << n) - 1;
	for (uint32_t set = 0; set <= ranks; set++)
		least[set] = entering[set] = UINT64_MAX;
	for (uint32_t set = 0; set <= all; set++)
		leaving[set] = sum_leaving(set, n);
	for (uint32_t set = 0; set <= all; set++) {
		if (leaving[set] < least[set & ranks])
			least[set & ranks] = leaving[set];
		if (leaving[all & ~set] < entering[set & ranks])
			entering[set & ranks] = leaving[all & ~set];
	}
}

/* Thousandths of GB/s that cross, in blocks or vectors, over the parts of n. */
static uint64_t crossing(enum ordo_operator op, uint32_t root, uint32_t set, uint32_t nrank)
{
	const uint32_t s = (uint32_t)__builtin_popcount(set), rest = nrank - s;
	const bool inside = set >> root & 1;
	switch (op) {
	case ORDO_ALLREDUCE:
		return s && rest ? nrank : 0;
	case ORDO_REDUCE:
		return s && !inside ? nrank : 0;
	case ORDO_BROADCAST:
		return rest && inside ? nrank : 0;
	case ORDO_REDUCESCATTER:
		return s ? rest : 0;
	case ORDO_ALLGATHER:
		return rest ? s : 0;
	case ORDO_SCATTER:
		return inside ? rest : 0;
	case ORDO_GATHER:
		return inside ? 0 : s;
	case ORDO_ALLTOALL:
		return (uint64_t)s * rest;
	case ORDO_CUSTOM:
		break;
	}
	return 0;
}

/* The greatest bound of all partitions that extend the blocks found so far. */
static void try_partitions(uint32_t rank, uint32_t nrank, uint32_t nset, uint32_t *sets,
	const uint64_t *over, struct fraction *greatest)
{
	if (rank < nrank) {
		for (uint32_t set = 0; set <= nset; set++) {
			sets[set] |= 1u << rank;
			try_partitions(rank + 1, nrank, nset + (set == nset), sets, over, greatest);
			sets[set] &= ~(1u << rank);
		}
		return;
	}
	struct fraction bound = {2 * (nset - 1), 0};
	for (uint32_t set = 0; set < nset; set++)
		bound.denominator += over[sets[set]];
	if (nset > 1 && less(*greatest, bound))
		*greatest = bound;
}

/* In n over thousandths of GB/s; 1/0 if a set that must be left cannot be. */
static struct fraction greatest_bound(
	enum ordo_operator op, uint32_t root, const struct ordo_topology *topology)
{
	const uint32_t nrank = topology->nrank;
	struct fraction greatest = {0, 1};
	for (uint32_t set = 0; set < 1u << nrank; set++) {
		const struct fraction bound = {crossing(op, root, set, nrank), least[set] * nrank};
		if (bound.numerator && (!bound.denominator || less(greatest, bound)))
			greatest = bound;
		if (!greatest.denominator)
			return greatest;
	}
	uint32_t sets[MOST_VERTICES] = {0};
	if (op == ORDO_ALLREDUCE && nrank <= 8) {
		try_partitions(0, nrank, 0, sets, least, &greatest);
		try_partitions(0, nrank, 0, sets, entering, &greatest);
	}
	return greatest;
}

static void take_links(const struct ordo_topology *topology)
{
	for (uint32_t a = 0; a < MOST_VERTICES; a++)
		for (uint32_t b = 0; b < MOST_VERTICES; b++)
			width[a][b] = 0;
	for (uint32_t i = 0; i < topology->nlink; i++)
		if (!topology->links[i].down)
			width[topology->links[i].from][topology->links[i].to] +=
				(uint64_t)(topology->links[i].bandwidth_gbs * 1000 + 0.5);
	measure_sets(topology);
}

/* The shortest ways of all pairs, added up here, are as long as the proof says, and so is what the
 * links carry. */
static void check_lengths(const struct ordo_wire_bound *bound, const struct ordo_topology *topology)
{
	const uint32_t n = topology->nrank + topology->nswitch;
	uint64_t ways[MOST_VERTICES][MOST_VERTICES], sum = 0, carried = 0;
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = 0; b < n; b++)
			ways[a][b] = width[a][b] ? 0 : UINT32_MAX;
	for (uint32_t i = 0; i < bound->nlength; i++) {
		const struct ordo_bound_term *term = &bound->terms[i];
		assert_int_equal(term->units * bound->unit * 1000,
			width[term->from][term->to] * (uint64_t)pow(10, bound->unit_digits));
		ways[term->from][term->to] = term->length;
		carried += term->units * term->length;
	}
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t a = 0; a < n; a++)
			for (uint32_t b = 0; b < n; b++)
				if (ways[a][k] + ways[k][b] < ways[a][b])
					ways[a][b] = ways[a][k] + ways[k][b];
	for (uint32_t a = 0; a < topology->nrank; a++)
		for (uint32_t b = 0; b < topology->nrank; b++)
			sum += a == b ? 0 : ways[a][b];
	assert_int_equal(bound->nset, 0);
	assert_int_equal(sum, bound->crossing);
	assert_int_equal(carried, bound->units);
	assert_int_equal(bound->parts, topology->nrank);
}

/* The links of each set, added up here, are those that the proof lists; and the proof gives the
 * bound. */
static void check_proof(const struct ordo_wire_bound *bound, enum ordo_operator op, uint32_t root,
	const struct ordo_topology *topology)
{
	const uint32_t nrank = topology->nrank, n = nrank + topology->nswitch;
	uint64_t sum = 0;
	uint32_t seen = 0;
	for (uint32_t set = 0; set < bound->nset; set++) {
		uint32_t inside = 0;
		uint64_t terms = 0;
		for (uint32_t i = bound->first[set]; i < bound->first[set + 1]; i++)
			inside |= 1u << bound->vertices[i];
		for (uint32_t i = bound->first_term[set]; i < bound->first_term[set + 1]; i++)
			terms += bound->terms[i].units;
		assert_int_equal(terms * bound->unit * 1000,
			sum_leaving(bound->entering ? ~inside & ((1u << n) - 1) : inside, n) *
				(uint64_t)pow(10, bound->unit_digits));
		assert_int_equal(seen & inside & ((1u << nrank) - 1), 0);
		seen |= inside;
		sum += terms;
		if (bound->nset == 1)
			assert_int_equal(bound->crossing * nrank / bound->parts,
				crossing(op, root, inside & ((1u << nrank) - 1), nrank));
	}
	if (bound->nset > 1) {
		assert_int_equal(seen & ((1u << nrank) - 1), (1u << nrank) - 1);
		assert_int_equal(bound->crossing, 2 * (bound->nset - 1));
	}
	if (bound->nlength)
		check_lengths(bound, topology);
	else
		assert_int_equal(sum, bound->units);
	assert_true((wide)bound->crossing * bound->denominator ==
		    (wide)bound->numerator * bound->parts * bound->units);
}

/* How often AllToAll was bounded by more than cuts. */
static uint32_t nlengths;

static void check_operator(
	enum ordo_operator op, uint32_t root, const struct ordo_topology *topology)
{
	struct ordo_error error = {0};
	struct ordo_wire_bound *bound = ordo_wire_bound_make(op, root, topology, true, &error);
	const struct fraction wanted = greatest_bound(op, root, topology);
	if (!wanted.denominator) {
		assert_null(bound);
		assert_int_equal(error.code, ORDO_USAGE);
		if (!strstr(error.text, "rank "))
			fail_msg("%s: %s", ordo_operator_facts(op)->name, error.text);
		return;
	}
	if (!bound)
		fail_msg("%s: %s", ordo_operator_facts(op)->name, error.text);
	const wide found = (wide)bound->numerator * (wide)pow(10, bound->unit_digits);
	const wide by_cuts = (wide)wanted.numerator * bound->denominator * bound->unit * 1000;
	const bool greater = bound->nlength > 0;
	nlengths += greater;
	if (topology->nrank <= 8 || op != ORDO_ALLREDUCE)
		if (greater ? found * wanted.denominator <= by_cuts
			    : found * wanted.denominator != by_cuts)
			fail_msg("%s of %u ranks, root %u: found %llu/%llu n/(%llu/10^%d), wanted "
				 "%llu/%llu",
				ordo_operator_facts(op)->name, topology->nrank, root,
				(unsigned long long)bound->numerator,
				(unsigned long long)bound->denominator,
				(unsigned long long)bound->unit, bound->unit_digits,
				(unsigned long long)wanted.numerator,
				(unsigned long long)wanted.denominator);
	if (topology->nrank > 1)
		check_proof(bound, op, root, topology);
	ordo_wire_bound_destroy(bound);
}

/* Of seconds for a byte; 0: no bound, or none that is reached. */
static double reached_seconds(enum ordo_operator op, const struct ordo_topology *topology)
{
	struct ordo_wire_bound *bound = ordo_wire_bound_make(op, 0, topology, false, NULL);
	const double seconds = bound && bound->status == ORDO_BOUND_REACHED
				       ? ordo_wire_bound_seconds(bound, 1)
				       : 0;
	ordo_wire_bound_destroy(bound);
	return seconds;
}

/* How often AllReduce was settled by its two phases, and how often not by them. */
static uint32_t nsettled[2];

static bool is_symmetric(const struct ordo_topology *topology)
{
	const uint32_t n = topology->nrank + topology->nswitch;
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = 0; b < a; b++)
			if (width[a][b] != width[b][a])
				return false;
	return !topology->nswitch;
}

/* AllReduce is reached without a theorem of its own iff ReduceScatter and AllGather are, and
 * together take no longer. */
static void check_phases(const struct ordo_topology *topology)
{
	struct ordo_wire_bound *bound =
		ordo_wire_bound_make(ORDO_ALLREDUCE, 0, topology, false, NULL);
	if (!bound || is_symmetric(topology) || topology->ports) {
		ordo_wire_bound_destroy(bound);
		return;
	}
	const double scattered = reached_seconds(ORDO_REDUCESCATTER, topology),
		     gathered = reached_seconds(ORDO_ALLGATHER, topology),
		     whole = ordo_wire_bound_seconds(bound, 1), both = scattered + gathered;
	const bool settled = scattered > 0 && gathered > 0 && fabs(both / whole - 1) < 1e-12;
	if (settled != (bound->status == ORDO_BOUND_REACHED))
		fail_msg("%s of %u ranks: %g and %g, together %g", topology->name, topology->nrank,
			scattered, gathered, whole);
	nsettled[settled]++;
	ordo_wire_bound_destroy(bound);
}

static void check_operators(const struct ordo_topology *topology)
{
	take_links(topology);
	if (topology->nrank > 1)
		check_phases(topology);
	for (enum ordo_operator op = 0; op < ORDO_NOPERATOR; op++)
		check_operator(op, op == ORDO_BROADCAST ? topology->nrank - 1 : 0, topology);
}

static void every_named_topology_has_the_bound_of_all_cuts(void **unused)
{
	(void)unused;
	static const char *const names[] = {"full-mesh", "ring", "star", "a3", "servers", "torus",
		"hypercube", "dgx-a100", "dgx-h100", "mi300x", "servers:2x3",
		"servers:2x2,spines=2", "torus:2x2x2", "torus:2x3", "a3:2x4"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		for (uint32_t n = 1; n <= 8; n++) {
			struct ordo_topology *topology = ordo_topology_make(names[i], n, NULL);
			if (topology && n + topology->nswitch < MOST_VERTICES)
				check_operators(topology);
			ordo_topology_destroy(topology);
		}
}

static uint32_t draw(uint64_t *state, uint32_t below)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)((*state >> 33) % below);
}

/* Up to 12 vertices; links in one direction or both, equal or not, a few of them down. */
static struct ordo_topology *draw_topology(uint64_t *state)
{
	static const double widths[] = {0.3, 1, 1, 2.5, 18.3, 56, 56, 204, 0.125, 7.001};
	const uint32_t nrank = 2 + draw(state, 8), nswitch = draw(state, 2) * draw(state, 4),
		       n = nrank + nswitch, density = 2 + draw(state, 9), even = draw(state, 2);
	struct ordo_topology *topology = ordo_topology_create("drawn", nrank, nswitch, 0, NULL);
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = a + 1; b < n; b++)
			for (uint32_t way = 0; draw(state, 10) < density && way < 2; way++) {
				double bandwidth = widths[draw(state, 10)];
				if (even)
					bandwidth = way ? topology->links[topology->nlink - 1]
								    .bandwidth_gbs
							: bandwidth;
				assert_true(ordo_topology_add(topology, way ? b : a, way ? a : b,
					"x", 1, bandwidth, NULL));
				if (even)
					continue;
				if (!draw(state, 5))
					assert_true(ordo_topology_add(topology, way ? b : a,
						way ? a : b, "y", 1, 0.75, NULL));
			}
	if (topology->nlink && !draw(state, 3))
		assert_true(ordo_topology_fail_link(
			topology, topology->links[0].from, topology->links[0].to, NULL));
	assert_true(ordo_topology_finish(topology, NULL));
	return topology;
}

/* Groups of ranks with most of the links among them, all equal: the best partition of AllReduce
 * joins the ranks of some. */
static struct ordo_topology *draw_groups(uint64_t *state)
{
	const uint32_t n = 5 + draw(state, 4), even = draw(state, 3);
	struct ordo_topology *topology = ordo_topology_create("groups", n, 0, 0, NULL);
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = a + 1; b < n; b++) {
			const bool joined = draw(state, 10) < (a < 4 && b < 4 ? 9u : 5u);
			if (joined || b == a + 1)
				assert_true(ordo_topology_add(topology, a, b, NULL, 1, 1, NULL));
			if ((even ? joined : draw(state, 10) < 6) || b == a + 1)
				assert_true(ordo_topology_add(topology, b, a, NULL, 1, 1, NULL));
		}
	assert_true(ordo_topology_finish(topology, NULL));
	return topology;
}

static void allreduce_is_bounded_by_the_best_partition(void **unused)
{
	(void)unused;
	uint64_t state = 3;
	for (int i = 0; i < 150; i++) {
		struct ordo_topology *topology = draw_groups(&state);
		take_links(topology);
		check_operator(ORDO_ALLREDUCE, 0, topology);
		ordo_topology_destroy(topology);
	}
}

static void random_topologies_have_the_bound_of_all_cuts_and_partitions(void **unused)
{
	(void)unused;
	uint64_t state = 20;
	for (int i = 0; i < 200; i++) {
		struct ordo_topology *topology = draw_topology(&state);
		check_operators(topology);
		ordo_topology_destroy(topology);
	}
	assert_true(nlengths > 5);
	assert_true(nsettled[0] > 50 && nsettled[1] > 5);
}

static void check_fraction(enum ordo_operator op, const struct ordo_topology *topology,
	uint64_t numerator, uint64_t denominator, enum ordo_bound_status status)
{
	struct ordo_error error = {0};
	struct ordo_wire_bound *bound = ordo_wire_bound_make(op, 0, topology, true, &error);
	if (!bound)
		fail_msg("%s", error.text);
	assert_int_equal(bound->numerator, numerator);
	assert_int_equal(bound->denominator, denominator);
	assert_int_equal(bound->status, status);
	ordo_wire_bound_destroy(bound);
}

/* Every rank of one side is joined to every rank of the other. */
static struct ordo_topology *make_bipartite(uint32_t left, uint32_t right)
{
	struct ordo_topology *topology =
		ordo_topology_create("bipartite", left + right, 0, 0, NULL);
	for (uint32_t a = 0; a < left; a++)
		for (uint32_t b = left; b < left + right; b++)
			assert_true(ordo_topology_add(topology, a, b, NULL, 1, 1, NULL) &&
				    ordo_topology_add(topology, b, a, NULL, 1, 1, NULL));
	assert_true(ordo_topology_finish(topology, NULL));
	return topology;
}

/* Ranks of one side are two hops apart: with lengths of 1 on all links D is 2 ab + 2 a(a-1) +
 * 2 b(b-1), and L is 2 ab. No cut gives as much. */
static void lengths_bound_alltoall_where_cuts_do_not(void **unused)
{
	(void)unused;
	for (uint32_t a = 2; a <= 4; a++)
		for (uint32_t b = a + (a == 2); b <= 4; b++) {
			struct ordo_topology *topology = make_bipartite(a, b);
			struct ordo_wire_bound *bound =
				ordo_wire_bound_make(ORDO_ALLTOALL, 0, topology, true, NULL);
			const uint64_t D = 2 * (a * b + a * (a - 1) + b * (b - 1)), L = 2 * a * b;
			assert_non_null(bound);
			take_links(topology);
			check_lengths(bound, topology);
			assert_true(bound->numerator * (a + b) * L >= D * bound->denominator);
			ordo_wire_bound_destroy(bound);
			ordo_topology_destroy(topology);
		}
}

static void known_bounds_hold_at_any_size(void **unused)
{
	(void)unused;
	struct ordo_topology *topology = ordo_topology_make("full-mesh", 8, NULL);
	assert_true(ordo_topology_fail_link(topology, 0, 1, NULL));
	assert_true(ordo_topology_finish(topology, NULL));
	check_fraction(ORDO_ALLREDUCE, topology, 7, 27, ORDO_BOUND_REACHED);
	check_fraction(ORDO_ALLGATHER, topology, 7, 48, ORDO_BOUND_REACHED);
	check_fraction(ORDO_ALLTOALL, topology, 7, 48, ORDO_BOUND_REACHED);
	ordo_topology_destroy(topology);
	topology = ordo_topology_make("star", 8, NULL);
	check_fraction(ORDO_ALLREDUCE, topology, 7, 4, ORDO_BOUND_REACHED);
	ordo_topology_destroy(topology);
	topology = ordo_topology_make("torus:32x32", 1024, NULL);
	check_fraction(ORDO_ALLREDUCE, topology, 1023, 2048, ORDO_BOUND_REACHED);
	check_fraction(ORDO_REDUCESCATTER, topology, 1023, 4096, ORDO_BOUND_REACHED);
	ordo_topology_destroy(topology);
	topology = ordo_topology_make("dgx-h100:128", 1024, NULL);
	check_fraction(ORDO_ALLGATHER, topology, 127, 1024, ORDO_BOUND_REACHED);
	check_fraction(ORDO_ALLREDUCE, topology, 127, 512, ORDO_BOUND_REACHED);
	ordo_topology_destroy(topology);
}

/* 15 digits are exact; what no 63 bits hold is rounded up, and said to be. */
static void bandwidths_are_taken_as_their_decimals(void **unused)
{
	(void)unused;
	struct ordo_topology *topology = ordo_topology_create("pair", 2, 0, 0, NULL);
	assert_true(ordo_topology_add(topology, 0, 1, NULL, 1, 12.3456789012345, NULL));
	assert_true(ordo_topology_add(topology, 1, 0, NULL, 1, 0.1, NULL));
	assert_true(ordo_topology_finish(topology, NULL));
	struct ordo_wire_bound *bound =
		ordo_wire_bound_make(ORDO_BROADCAST, 0, topology, true, NULL);
	assert_int_equal(bound->units * bound->unit, 123456789012345);
	assert_int_equal(bound->unit_digits, 13);
	assert_false(bound->rounded);
	assert_true(fabs(ordo_wire_bound_seconds(bound, 12.3456789012345e9) - 1) < 1e-12);
	ordo_wire_bound_destroy(bound);
	assert_true(ordo_topology_add(topology, 0, 1, "wide", 1, 1e9, NULL));
	assert_true(ordo_topology_finish(topology, NULL));
	bound = ordo_wire_bound_make(ORDO_BROADCAST, 0, topology, true, NULL);
	assert_true(bound->rounded);
	assert_int_equal(bound->status, ORDO_BOUND_NOT_PROVED);
	assert_int_equal(bound->units * bound->unit, 100000001234567891);
	assert_int_equal(bound->unit_digits, 8);
	ordo_wire_bound_destroy(bound);
	ordo_topology_destroy(topology);
	/* The sum has more than 63 bits, but all links are multiples of one. */
	topology = ordo_topology_make("full-mesh", 16, NULL);
	for (uint32_t i = 0; i < topology->nlink; i++)
		topology->links[i].bandwidth_gbs = 56.123456789012344;
	bound = ordo_wire_bound_make(ORDO_ALLGATHER, 0, topology, true, NULL);
	assert_false(bound->rounded);
	assert_int_equal(bound->unit, 56123456789012344);
	assert_int_equal(bound->unit_digits, 15);
	ordo_wire_bound_destroy(bound);
	ordo_topology_destroy(topology);
}

static int compare_descending(const void *one, const void *other)
{
	const double a = *(const double *)one, b = *(const double *)other;
	return (a < b) - (a > b);
}

/* The same links, with two switches for the ports of each rank. */
static struct ordo_topology *spell_ports_out(const struct ordo_topology *topology)
{
	const uint32_t n = topology->nrank;
	struct ordo_topology *spelt = ordo_topology_create("spelt", n, 2 * n, 0, NULL);
	for (uint32_t rank = 0; rank < n; rank++)
		for (uint32_t way = 0; way < 2; way++) {
			double widths[64], sum = 0;
			uint32_t count = 0;
			for (uint32_t i = 0; i < topology->nlink; i++)
				if ((way ? topology->links[i].to : topology->links[i].from) == rank)
					widths[count++] = topology->links[i].bandwidth_gbs;
			qsort(widths, count, sizeof *widths, compare_descending);
			for (uint32_t i = 0; i < count && i < topology->ports; i++)
				sum += widths[i];
			const uint32_t port = n + 2 * rank + way;
			if (sum > 0)
				assert_true(ordo_topology_add(spelt, way ? port : rank,
					way ? rank : port, NULL, 1, sum, NULL));
		}
	for (uint32_t i = 0; i < topology->nlink; i++)
		assert_true(ordo_topology_add(spelt, n + 2 * topology->links[i].from,
			n + 2 * topology->links[i].to + 1, NULL, 1,
			topology->links[i].bandwidth_gbs, NULL));
	assert_true(ordo_topology_finish(spelt, NULL));
	return spelt;
}

static void ports_bound_like_switches(void **unused)
{
	(void)unused;
	uint64_t state = 7;
	for (int i = 0; i < 60; i++) {
		const uint32_t n = 3 + draw(&state, 4);
		struct ordo_topology *topology =
			ordo_topology_create("ports", n, 0, 1 + draw(&state, 3), NULL);
		for (uint32_t a = 0; a < n; a++)
			for (uint32_t b = 0; b < n; b++)
				if (a != b && (b == (a + 1) % n || draw(&state, 3)))
					assert_true(ordo_topology_add(topology, a, b, NULL, 1,
						1 + draw(&state, 5), NULL));
		assert_true(ordo_topology_finish(topology, NULL));
		struct ordo_topology *spelt = spell_ports_out(topology);
		for (enum ordo_operator op = 0; op < ORDO_NOPERATOR; op++) {
			struct ordo_wire_bound *one = ordo_wire_bound_make(
						       op, 1, topology, true, NULL),
					       *two = ordo_wire_bound_make(
						       op, 1, spelt, true, NULL);
			/* Lengths come near the greatest bound; on which side differs. */
			if (!one->nlength && !two->nlength)
				assert_int_equal(one->numerator * two->denominator * two->unit,
					two->numerator * one->denominator * one->unit);
			ordo_wire_bound_destroy(one);
			ordo_wire_bound_destroy(two);
		}
		ordo_topology_destroy(topology);
		ordo_topology_destroy(spelt);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_named_topology_has_the_bound_of_all_cuts),
		cmocka_unit_test(random_topologies_have_the_bound_of_all_cuts_and_partitions),
		cmocka_unit_test(allreduce_is_bounded_by_the_best_partition),
		cmocka_unit_test(lengths_bound_alltoall_where_cuts_do_not),
		cmocka_unit_test(known_bounds_hold_at_any_size),
		cmocka_unit_test(bandwidths_are_taken_as_their_decimals),
		cmocka_unit_test(ports_bound_like_switches),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
