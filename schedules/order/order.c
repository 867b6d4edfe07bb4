/* order.c - the order of one schedule: copies its trees from a proof to a forest and sorts chunks
 * into classes. */
#include <ordo/arena.h>
#include <ordo/detail/accumulate.h>
#include <ordo/detail/order.h>
#include <ordo/map.h>
#include <stdlib.h>
#include <string.h>

/* The proof has copies by rank; here they are wanted by chunk. Counting sort: ranks stay
 * ascending. */
static bool bring_copies(
	struct ordo_order *order, const struct ordo_proof *proof, const uint32_t *trees)
{
	uint32_t *next = calloc((size_t)order->nchunk + 1, sizeof *next);
	order->copies = malloc(((size_t)proof->ncopy + 1) * sizeof *order->copies);
	if (!next || !order->copies) {
		free(next);
		return false;
	}
	for (uint32_t i = 0; i < proof->ncopy; i++)
		next[proof->copies[i].chunk + 1]++;
	for (uint32_t chunk = 0; chunk < order->nchunk; chunk++)
		next[chunk + 1] += next[chunk];
	for (uint32_t i = 0; i < proof->ncopy; i++) {
		const struct ordo_copy *copy = &proof->copies[i];
		order->copies[next[copy->chunk]++] =
			(struct ordo_copy){copy->chunk, copy->rank, trees[i]};
	}
	order->ncopy = proof->ncopy;
	free(next);
	return true;
}

/* The trees of all chunks, and behind them those of all copies that are not identical. Of sums
 * without order one stands for all. */
static bool bring_trees(struct ordo_order *order, const struct ordo_proof *proof)
{
	const size_t ntree = (size_t)order->nchunk + proof->ncopy;
	order->chunk_tree = malloc((ntree + 1) * sizeof *order->chunk_tree);
	if (!order->chunk_tree)
		return false;
	memcpy(order->chunk_tree, proof->chunk_tree, order->nchunk * sizeof *order->chunk_tree);
	for (uint32_t i = 0; i < proof->ncopy; i++)
		order->chunk_tree[order->nchunk + i] = proof->copies[i].tree;
	for (size_t i = 0; ordo_is_order_free(&order->problem) && i < ntree; i++)
		order->chunk_tree[i] = proof->chunk_tree[0];
	return ordo_forest_bring(order->forest, &proof->trees, order->chunk_tree, ntree) &&
	       bring_copies(order, proof, order->chunk_tree + order->nchunk);
}

/* Classes. Copies come by chunk, in ranges of ranks; the ranks of a class are a union of such
 * ranges. */

struct rank_range {
	uint32_t class, first, end; /* ranks */
};

struct sorting {
	struct ordo_order *order;
	struct ordo_map class_of; /* (ordo_same_tree, 0) -> class */
	size_t class_room;
	struct rank_range *latest; /* [nclass] still growing */
	uint32_t *last_chunk;	   /* [nclass] */
	size_t latest_room, last_room;
	struct rank_range *done;
	size_t done_room, ndone;
	uint8_t *seen; /* [nnode] */
};

static bool new_class(
	struct sorting *sorting, uint32_t tree, uint32_t chunk, struct rank_range rank_range)
{
	struct ordo_order *order = sorting->order;
	const uint32_t class = rank_range.class;
	if (!ordo_array_reserve(&order->classes, &sorting->class_room, (size_t) class + 1,
		    sizeof *order->classes) ||
		!ordo_array_reserve(&sorting->latest, &sorting->latest_room, (size_t) class + 1,
			sizeof *sorting->latest) ||
		!ordo_array_reserve(&sorting->last_chunk, &sorting->last_room, (size_t) class + 1,
			sizeof *sorting->last_chunk) ||
		!ordo_map_put(
			&sorting->class_of, ordo_same_tree(&order->forest->trees, tree), 0, class))
		return false;
	order->classes[class] = (struct ordo_class){
		.tree = tree, .first_chunk = chunk, .first_rank = rank_range.first};
	sorting->latest[class] = rank_range;
	sorting->last_chunk[class] = ORDO_NONE;
	order->nclass++;
	return true;
}

static bool finish_range(struct sorting *sorting, struct rank_range rank_range)
{
	if (!ordo_array_reserve(
		    &sorting->done, &sorting->done_room, sorting->ndone + 1, sizeof *sorting->done))
		return false;
	sorting->done[sorting->ndone++] = rank_range;
	return true;
}

/* The ranks first..end-1 all have this tree as their copy of the chunk. */
static bool sort_copies(
	struct sorting *sorting, uint32_t chunk, uint32_t tree, uint32_t first, uint32_t end)
{
	struct ordo_order *order = sorting->order;
	if (first == end)
		return true;
	uint32_t class =
		ordo_map_get(&sorting->class_of, ordo_same_tree(&order->forest->trees, tree), 0);
	if (class == ORDO_NONE) {
		class = order->nclass;
		if (!new_class(sorting, tree, chunk, (struct rank_range){class, first, end}))
			return false;
	}
	struct ordo_class *found = &order->classes[class];
	found->nchunk += sorting->last_chunk[class] != chunk;
	sorting->last_chunk[class] = chunk;
	found->ncopy += end - first;
	found->nidentical += !sorting->seen[tree];
	sorting->seen[tree] = 1;
	struct rank_range *latest = &sorting->latest[class];
	if (first >= latest->first && first <= latest->end) {
		latest->end = end > latest->end ? end : latest->end;
		return true;
	}
	const struct rank_range before = *latest;
	*latest = (struct rank_range){class, first, end};
	return finish_range(sorting, before);
}

static bool sort_chunks(struct sorting *sorting)
{
	struct ordo_order *order = sorting->order;
	const struct ordo_copy *copy = order->copies, *last = copy + order->ncopy;
	for (uint32_t chunk = 0; chunk < order->nchunk; chunk++) {
		uint32_t first, end;
		ordo_chunk_holders(&order->problem, chunk, &first, &end);
		for (; copy < last && copy->chunk == chunk; copy++) {
			if (!sort_copies(
				    sorting, chunk, order->chunk_tree[chunk], first, copy->rank) ||
				!sort_copies(
					sorting, chunk, copy->tree, copy->rank, copy->rank + 1))
				return false;
			first = copy->rank + 1;
		}
		if (!sort_copies(sorting, chunk, order->chunk_tree[chunk], first, end))
			return false;
		order->chunk_class[chunk] = ordo_map_get(&sorting->class_of,
			ordo_same_tree(&order->forest->trees, order->chunk_tree[chunk]), 0);
	}
	return true;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct rank_range *left = a, *right = b;
	if (left->class != right->class)
		return left->class < right->class ? -1 : 1;
	return left->first < right->first ? -1 : left->first > right->first;
}

static bool count_ranks(struct sorting *sorting)
{
	struct ordo_order *order = sorting->order;
	for (uint32_t class = 0; class < order->nclass; class ++)
		if (!finish_range(sorting, sorting->latest[class]))
			return false;
	qsort(sorting->done, sorting->ndone, sizeof *sorting->done, compare_ranges);
	uint32_t counted = 0; /* ranks below this one are, in the current class */
	for (size_t i = 0; i < sorting->ndone; i++) {
		const struct rank_range *rank_range = &sorting->done[i];
		if (!i || rank_range[-1].class != rank_range->class)
			counted = 0;
		const uint32_t first = rank_range->first > counted ? rank_range->first : counted;
		if (rank_range->end > first) {
			order->classes[rank_range->class].nrank += rank_range->end - first;
			counted = rank_range->end;
		}
	}
	return true;
}

static bool make_classes(struct ordo_order *order)
{
	struct sorting sorting = {.order = order};
	sorting.seen = calloc((size_t)order->forest->trees.nnode + 1, 1);
	order->chunk_class = malloc(((size_t)order->nchunk + 1) * sizeof *order->chunk_class);
	const bool worked = sorting.seen && order->chunk_class && sort_chunks(&sorting) &&
			    count_ranks(&sorting);
	ordo_map_free(&sorting.class_of);
	free(sorting.latest);
	free(sorting.last_chunk);
	free(sorting.done);
	free(sorting.seen);
	return worked;
}

static bool refuse(const struct ordo_schedule *schedule, const struct ordo_proof *proof,
	struct ordo_error *error)
{
	if (!proof->nfinding)
		return ordo_fail(
			error, ORDO_REFUTED, 0, "the schedule is not proved: it has no order");
	ordo_finding_error(schedule, &proof->findings[0], error);
	return false;
}

static bool fill_order(struct ordo_order *order, const struct ordo_proof *proof)
{
	if (order->run_to_run != ORDO_DOES_NOT_HOLD)
		return bring_trees(order, proof) && make_classes(order);
	order->run_to_run_why = strdup(proof->run_to_run_why);
	return order->run_to_run_why;
}

struct ordo_order *ordo_order_create(struct ordo_forest *forest,
	const struct ordo_schedule *schedule, const struct ordo_proof *proof,
	struct ordo_error *error)
{
	if (!proof->proved) {
		refuse(schedule, proof, error);
		return NULL;
	}
	if (schedule->problem.op == ORDO_CUSTOM) {
		ordo_fail(error, ORDO_USAGE, 0,
			"Custom: nothing says which sums are wanted, so there is no order of them "
			"to list");
		ordo_hint(error, "`ordo verify` decides G1 to G3 and prints the order digest");
		return NULL;
	}
	struct ordo_order *order = calloc(1, sizeof *order);
	if (order) {
		order->forest = forest;
		order->problem = schedule->problem;
		order->nchunk = ordo_nchunk(&schedule->problem);
		order->rank_equal = proof->rank_equal;
		order->run_to_run = proof->run_to_run;
		order->position_invariant = proof->position_invariant;
		memcpy(order->digest, proof->digest, sizeof order->digest);
	}
	if (order && fill_order(order, proof))
		return order;
	ordo_order_destroy(order);
	ordo_fail_memory(error);
	return NULL;
}

void ordo_order_destroy(struct ordo_order *order)
{
	if (!order)
		return;
	free(order->chunk_tree);
	free(order->copies);
	free(order->classes);
	free(order->chunk_class);
	free(order->run_to_run_why);
	free(order);
}

uint32_t ordo_order_tree(const struct ordo_order *order, uint32_t chunk, uint32_t rank)
{
	uint32_t low = 0, high = order->ncopy;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		const struct ordo_copy *copy = &order->copies[middle];
		if (copy->chunk < chunk || (copy->chunk == chunk && copy->rank < rank))
			low = middle + 1;
		else
			high = middle;
	}
	const struct ordo_copy *copy = &order->copies[low];
	return low < order->ncopy && copy->chunk == chunk && copy->rank == rank
		       ? copy->tree
		       : order->chunk_tree[chunk];
}

void ordo_overlap_next(const struct ordo_order *first, const struct ordo_order *second,
	struct ordo_overlap *overlap)
{
	/* (a+1)/n ends before (b+1)/m, or after it, or with it. */
	const uint64_t a_end = ((uint64_t)overlap->chunk[0] + 1) * second->nchunk,
		       b_end = ((uint64_t)overlap->chunk[1] + 1) * first->nchunk;
	overlap->chunk[0] += a_end <= b_end;
	overlap->chunk[1] += b_end <= a_end;
}
