/* bound.c - the least time of the wire of an operator on a topology, and what proves it. */
#include "cut.h"
#include <math.h>
#include <ordo/arena.h>
#include <ordo/detail/bound.h>
#include <stdio.h>
#include <stdlib.h>

/* Vertices that an error names. */
enum { MOST_NAMED = 8 };
/* Of whose AllToAll flows are looked at. */
enum { MOST_RANKS = 64 };

/* A bound in the making: sets of vertices of one graph. */
struct proof {
	struct ordo_capacities graphs[2]; /* forwards, backwards */
	uint32_t way;			  /* of `cut` or `partition` */
	struct ordo_cut_set cut;
	struct ordo_partition partition; /* nset 0: `cut` is better */
	struct ordo_cut_lengths lengths; /* of AllToAll; crossing 0: `cut` is better */
	bool exact;
	bool shared; /* AllToAll takes no longer, each pair of ranks over all its shortest ways */
};

static bool *make_inside(const struct proof *proof)
{
	return ordo_array_make(proof->graphs[0].nvertex, sizeof(bool), 0);
}

/* Keeps the greater of two cuts; the lesser is freed. */
static void keep_greater(struct proof *proof, struct ordo_cut_set *cut, uint32_t way)
{
	if (!proof->cut.inside || ordo_cut_greater(cut, &proof->cut)) {
		free(proof->cut.inside);
		proof->cut = *cut;
		proof->way = way;
	} else {
		free(cut->inside);
	}
}

/* The least cuts in both directions. */
static bool prove_by_cuts(struct proof *proof, struct ordo_error *error)
{
	for (uint32_t way = 0; way < 2; way++) {
		struct ordo_cut_set cut = {.inside = make_inside(proof)};
		if (!cut.inside || !ordo_cut_broadcast(&proof->graphs[way], 0, &cut, error)) {
			free(cut.inside);
			return ordo_fail_memory(error);
		}
		keep_greater(proof, &cut, way);
	}
	return true;
}

/* The cut that a partition bounds AllReduce like. */
static struct ordo_cut_set as_cut(const struct ordo_partition *partition)
{
	return (struct ordo_cut_set){
		.crossing = 2 * ((int64_t)partition->nset - 1), .units = partition->units};
}

/* The best partitions in both directions, if they give more than the cut. */
static bool prove_by_partitions(struct proof *proof, struct ordo_error *error)
{
	const uint32_t nrank = proof->graphs[0].nrank;
	for (uint32_t way = 0; way < 2 && proof->cut.units; way++) {
		bool exact;
		struct ordo_partition *best = &proof->partition;
		struct ordo_partition found = {
			.set_of = ordo_array_make(nrank, sizeof *found.set_of, 0)};
		if (!found.set_of ||
			!ordo_partition_find(&proof->graphs[way], &found, &exact, error)) {
			free(found.set_of);
			return ordo_fail_memory(error);
		}
		const struct ordo_cut_set cut = as_cut(&found),
					  before = best->nset ? as_cut(best) : proof->cut;
		proof->exact = proof->exact && exact;
		if (ordo_cut_greater(&cut, &before)) {
			free(best->set_of);
			*best = found;
			proof->way = way;
		} else {
			free(found.set_of);
		}
	}
	return true;
}

/* Lengths that bound AllToAll more than the cut. */
static bool prove_by_lengths(struct proof *proof, struct ordo_error *error)
{
	const struct ordo_capacities *graph = &proof->graphs[0];
	struct ordo_cut_lengths best = {.cut = proof->cut};
	if (graph->nrank > MOST_RANKS || !proof->cut.units)
		return true;
	if (!ordo_lengths_alltoall(graph, &best, error)) {
		free(best.lengths);
		return false;
	}
	proof->lengths.lengths = best.lengths;
	if (ordo_cut_greater(&best.cut, &proof->cut))
		proof->lengths.cut = best.cut;
	return ordo_share_evenly(graph, NULL, &best.cut, &proof->shared, error) &&
	       (proof->shared ||
		       ordo_share_evenly(graph, best.lengths, &best.cut, &proof->shared, error));
}

static bool prove(
	struct proof *proof, enum ordo_operator op, uint32_t root, struct ordo_error *error)
{
	struct ordo_cut_set *cut = &proof->cut;
	proof->exact = true;
	if (op == ORDO_ALLREDUCE)
		return prove_by_cuts(proof, error) && prove_by_partitions(proof, error);
	cut->inside = make_inside(proof);
	if (!cut->inside)
		return ordo_fail_memory(error);
	proof->way = op == ORDO_REDUCE || op == ORDO_REDUCESCATTER || op == ORDO_GATHER;
	const struct ordo_capacities *graph = &proof->graphs[proof->way];
	if (op == ORDO_ALLGATHER || op == ORDO_REDUCESCATTER)
		return ordo_cut_allgather(graph, cut, error);
	if (op == ORDO_BROADCAST || op == ORDO_REDUCE)
		return ordo_cut_broadcast(graph, root, cut, error);
	if (op == ORDO_SCATTER || op == ORDO_GATHER)
		return ordo_cut_scatter(graph, root, cut, error);
	return ordo_cut_alltoall(graph, cut, &proof->exact, error) &&
	       prove_by_lengths(proof, error);
}

/* A cut in the backward graph is its other side in the forward one. */
static void turn_forwards(struct proof *proof)
{
	for (uint32_t v = 0; proof->way && v < proof->graphs[0].nvertex; v++)
		proof->cut.inside[v] = !proof->cut.inside[v];
}

/* Names the vertices of one side of a cut that nothing crosses: the side with fewer. */
static bool fail_cut(const struct proof *proof, struct ordo_error *error)
{
	const struct ordo_capacities *graph = &proof->graphs[0];
	char list[256] = "";
	size_t used = 0;
	uint32_t count = 0, inside = 0;
	for (uint32_t v = 0; v < graph->nplace; v++)
		inside += proof->cut.inside[v];
	const bool out = 2 * inside <= graph->nplace;
	for (uint32_t v = 0; v < graph->nplace; v++) {
		if (proof->cut.inside[v] != out || count++ > MOST_NAMED)
			continue;
		const int length =
			snprintf(list + used, sizeof list - used, "%s%s", count > 1 ? ", " : "",
				count > MOST_NAMED ? "..."
				: v < graph->nrank ? "rank "
						   : "switch ");
		used += (size_t)length;
		if (count <= MOST_NAMED)
			used += (size_t)snprintf(list + used, sizeof list - used, "%u", v);
	}
	ordo_fail(error, ORDO_USAGE, 0, "no link that is up leads %s {%s}", out ? "out of" : "into",
		list);
	return ordo_hint(error, "the operator needs a path %s there", out ? "from" : "to");
}

/* The vertex of the topology that a vertex is or belongs to. */
static uint32_t place_of(const struct ordo_capacities *graph, uint32_t v)
{
	return v < graph->nplace ? v : graph->rank_of[v];
}

/* The last set, of graph vertices, with its links. */
static bool add_set(struct ordo_wire_bound *bound, const struct ordo_capacities *graph,
	const bool *inside, bool terms)
{
	uint32_t count = bound->first[bound->nset], nterm = bound->first_term[bound->nset];
	size_t room = nterm;
	for (uint32_t v = 0; v < graph->nplace; v++)
		if (inside[v])
			bound->vertices[count++] = v;
	/* A partition has many sets, so only the arcs from vertices on the right side are looked
	 * at. */
	for (uint32_t v = 0; terms && v < graph->nvertex; v++) {
		if (inside[v] == bound->entering)
			continue;
		for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
			const struct ordo_arc *arc = &graph->arcs[i];
			if (inside[arc->to] != bound->entering)
				continue;
			if (!ordo_array_reserve(
				    &bound->terms, &room, (size_t)nterm + 1, sizeof *bound->terms))
				return false;
			bound->terms[nterm++] = (struct ordo_bound_term){place_of(graph, arc->from),
				place_of(graph, arc->to), (uint64_t)arc->units, 1};
		}
	}
	bound->nset++;
	bound->first[bound->nset] = count;
	bound->first_term[bound->nset] = nterm;
	return true;
}

/* Adds the links that have a length. */
static bool add_lengths(
	struct ordo_wire_bound *bound, const struct proof *proof, struct ordo_error *error)
{
	const struct ordo_capacities *graph = &proof->graphs[0];
	bound->terms = ordo_array_make(graph->narc, sizeof *bound->terms, 0);
	if (!bound->terms)
		return ordo_fail_memory(error);
	for (uint32_t i = 0; i < graph->narc; i++)
		if (proof->lengths.lengths[i])
			bound->terms[bound->nlength++] =
				(struct ordo_bound_term){place_of(graph, graph->arcs[i].from),
					place_of(graph, graph->arcs[i].to),
					(uint64_t)graph->arcs[i].units, proof->lengths.lengths[i]};
	return true;
}

/* Adds the sets of the proof. A partition has at most all switches in each set. */
static bool add_sets(
	struct ordo_wire_bound *bound, struct proof *proof, bool terms, struct ordo_error *error)
{
	const uint32_t nset = proof->partition.nset ? proof->partition.nset : 1;
	const struct ordo_capacities *graph = &proof->graphs[proof->way];
	const size_t nswitch = graph->nplace - graph->nrank;
	bound->first = ordo_array_make((size_t)nset + 1, sizeof *bound->first, 0);
	bound->first_term = ordo_array_make((size_t)nset + 1, sizeof *bound->first_term, 0);
	bound->vertices =
		ordo_array_make(graph->nrank + nset * nswitch, sizeof *bound->vertices, 0);
	if (!bound->first || !bound->first_term || !bound->vertices)
		return ordo_fail_memory(error);
	if (!proof->partition.nset)
		return add_set(bound, &proof->graphs[0], proof->cut.inside, terms) ||
		       ordo_fail_memory(error);
	struct ordo_least_cut least;
	bool worked = ordo_least_cut_make(&least, graph, error);
	for (uint32_t set = 0; worked && set < nset; set++)
		worked = ordo_least_cut(&least, proof->partition.set_of, set, proof->cut.inside) >=
				 0 &&
			 add_set(bound, &proof->graphs[0], proof->cut.inside, terms);
	ordo_least_cut_free(&least);
	return worked || ordo_fail_memory(error);
}

/* Known of all operators but AllToAll, if its data cannot be shared evenly; of AllReduce without
 * switches, if links are as wide in both directions. Needs the obstacles. */
static enum ordo_bound_status status_of(
	const struct proof *proof, const struct ordo_wire_bound *bound, enum ordo_operator op)
{
	const struct ordo_capacities *graph = &proof->graphs[0];
	const bool reached = graph->nvertex == graph->nplace &&
			     (op == ORDO_ALLREDUCE ? graph->nplace == graph->nrank &&
							     ordo_capacities_symmetric(graph)
						   : bound->unbalanced == ORDO_NONE) &&
			     bound->one_way[0] == ORDO_NONE;
	if (op == ORDO_ALLTOALL ? !proof->shared || !reached : !proof->exact)
		return ORDO_BOUND_LOWER;
	return reached && !graph->rounded ? ORDO_BOUND_REACHED : ORDO_BOUND_NOT_PROVED;
}

/* Compares a bound of AllReduce with the sum of those of AllGather and ReduceScatter by two cuts,
 * in blocks. > 0: it is greater */
static int compare_with_two(const struct ordo_wire_bound *bound, int64_t nrank,
	const struct ordo_cut_set *one, const struct ordo_cut_set *other)
{
	__extension__ typedef __int128 wide;
	const wide sum = ((wide)one->crossing * other->units + (wide)other->crossing * one->units) *
			 (int64_t)bound->units,
		   whole = (wide)one->units * other->units * nrank * (int64_t)bound->crossing;
	return (whole > sum) - (whole < sum);
}

/* The cut around the rank that the least leaves. */
static bool cut_one_rank(
	const struct ordo_capacities *graph, struct ordo_cut_set *cut, struct ordo_error *error)
{
	int64_t *units = ordo_array_make(graph->nrank, sizeof *units, 0);
	if (!units)
		return ordo_fail_memory(error);
	for (uint32_t rank = 0; rank < graph->nrank; rank++)
		for (uint32_t i = graph->first[rank]; i < graph->first[rank + 1]; i++)
			units[rank] += graph->arcs[i].units;
	cut->crossing = graph->nrank - 1;
	cut->units = units[0];
	for (uint32_t rank = 1; rank < graph->nrank; rank++)
		cut->units = units[rank] < cut->units ? units[rank] : cut->units;
	free(units);
	return true;
}

/* The bounds of AllGather and ReduceScatter, if their sum may be that of AllReduce. */
static bool cut_two(const struct proof *proof, const struct ordo_wire_bound *bound,
	struct ordo_cut_set cuts[2], struct ordo_error *error)
{
	const struct ordo_capacities *graphs = proof->graphs;
	/* What leaves a rank in the graph turned round enters it. */
	if (!cut_one_rank(&graphs[1], &cuts[0], error) ||
		!cut_one_rank(&graphs[0], &cuts[1], error))
		return false;
	if (compare_with_two(bound, graphs->nrank, &cuts[0], &cuts[1]) < 0)
		return true;
	for (uint32_t way = 0; way < 2; way++)
		if (way && ordo_capacities_symmetric(graphs)) {
			cuts[1].crossing = cuts[0].crossing;
			cuts[1].units = cuts[0].units;
		} else {
			cuts[way].inside = make_inside(proof);
			if (!cuts[way].inside)
				return ordo_fail_memory(error);
			if (!ordo_cut_allgather(&graphs[way], &cuts[way], error))
				return false;
		}
	return true;
}

static void note_unbalanced(struct ordo_wire_bound *bound, const struct ordo_obstacles *found)
{
	bound->unbalanced = found->unbalanced;
	bound->units_in = (uint64_t)found->in;
	bound->units_out = (uint64_t)found->out;
}

/* A bound of AllReduce is reached also if ReduceScatter and then AllGather take no longer, whose
 * bounds are reached. */
static bool settle(
	struct ordo_wire_bound *bound, const struct proof *proof, struct ordo_error *error)
{
	const struct ordo_capacities *graph = &proof->graphs[0];
	struct ordo_obstacles found;
	struct ordo_cut_set cuts[2] = {{0}, {0}};
	if (bound->status == ORDO_BOUND_REACHED || graph->nvertex > graph->nplace ||
		graph->rounded || bound->one_way[0] != ORDO_NONE)
		return true;
	if (!ordo_capacities_obstacles(proof->graphs, &found, error))
		return false;
	note_unbalanced(bound, &found);
	if (found.unbalanced != ORDO_NONE)
		return true;
	const bool worked = cut_two(proof, bound, cuts, error);
	if (worked && compare_with_two(bound, graph->nrank, &cuts[0], &cuts[1]) == 0) {
		bound->status = ORDO_BOUND_REACHED;
		bound->complete = true;
	}
	free(cuts[0].inside);
	free(cuts[1].inside);
	return worked;
}

/* The operators whose trees need switches with as much bandwidth in as out. */
static bool needs_balance(enum ordo_operator op)
{
	return op == ORDO_ALLGATHER || op == ORDO_REDUCESCATTER || op == ORDO_BROADCAST ||
	       op == ORDO_REDUCE;
}

static bool find_obstacles(struct ordo_wire_bound *bound, const struct proof *proof,
	enum ordo_operator op, struct ordo_error *error)
{
	struct ordo_obstacles found;
	if (!ordo_capacities_obstacles(proof->graphs, &found, error))
		return false;
	bound->one_way[0] = found.one_way[0];
	bound->one_way[1] = found.one_way[1];
	if (!needs_balance(op))
		return true;
	note_unbalanced(bound, &found);
	return true;
}

static bool fill(struct ordo_wire_bound *bound, struct proof *proof, enum ordo_operator op,
	bool terms, struct ordo_error *error)
{
	const struct ordo_capacities *graph = &proof->graphs[0];
	const struct ordo_cut_set sum = proof->partition.nset	      ? as_cut(&proof->partition)
					: proof->lengths.cut.crossing ? proof->lengths.cut
								      : proof->cut;
	const bool vectors = op == ORDO_ALLREDUCE || op == ORDO_REDUCE || op == ORDO_BROADCAST;
	bound->crossing = (uint64_t)sum.crossing;
	bound->units = (uint64_t)sum.units;
	bound->parts = vectors ? 1 : graph->nrank;
	if (proof->partition.nset)
		bound->entering = proof->way;
	else
		turn_forwards(proof);
	if (!sum.units)
		return fail_cut(proof, error);
	bound->numerator = bound->crossing;
	bound->denominator = bound->parts * bound->units;
	for (uint64_t a = bound->numerator, b = bound->denominator, rest;; a = b, b = rest)
		if (!(rest = a % b)) {
			bound->numerator /= b;
			bound->denominator /= b;
			break;
		}
	if (!find_obstacles(bound, proof, op, error))
		return false;
	bound->status = status_of(proof, bound, op);
	bound->complete = proof->exact || proof->shared;
	if (op == ORDO_ALLREDUCE && !settle(bound, proof, error))
		return false;
	return proof->lengths.cut.crossing ? add_lengths(bound, proof, error)
					   : add_sets(bound, proof, terms, error);
}

static void free_proof(struct proof *proof)
{
	ordo_capacities_free(&proof->graphs[0]);
	ordo_capacities_free(&proof->graphs[1]);
	free(proof->cut.inside);
	free(proof->partition.set_of);
	free(proof->lengths.lengths);
}

struct ordo_wire_bound *ordo_wire_bound_make(enum ordo_operator op, uint32_t root,
	const struct ordo_topology *topology, bool terms, struct ordo_error *error)
{
	struct proof proof = {0};
	struct ordo_wire_bound *bound = ordo_array_make(1, sizeof *bound, 0);
	bool worked = bound && ordo_capacities_make(&proof.graphs[0], topology, false, error) &&
		      ordo_capacities_make(&proof.graphs[1], topology, true, error);
	if (!worked)
		ordo_fail_memory(error);
	if (worked) {
		bound->denominator = 1;
		bound->complete = true;
		bound->unbalanced = bound->one_way[0] = bound->one_way[1] = ORDO_NONE;
		bound->unit = proof.graphs[0].unit;
		bound->unit_digits = proof.graphs[0].unit_digits;
		bound->rounded = proof.graphs[0].rounded;
	}
	if (worked && topology->nrank > 1)
		worked = prove(&proof, op, root, error) && fill(bound, &proof, op, terms, error);
	free_proof(&proof);
	if (worked)
		return bound;
	ordo_wire_bound_destroy(bound);
	return NULL;
}

void ordo_wire_bound_destroy(struct ordo_wire_bound *bound)
{
	if (!bound)
		return;
	free(bound->first);
	free(bound->first_term);
	free(bound->vertices);
	free(bound->terms);
	free(bound);
}

double ordo_wire_bound_seconds(const struct ordo_wire_bound *bound, double bytes)
{
	const double rate = (double)bound->unit * pow(10, 9 - bound->unit_digits);
	return (double)bound->numerator / (double)bound->denominator * bytes / rate;
}
