/* sizes.h - the sizes of moves. Private to predict/. */
#ifndef ORDO_PREDICT_SIZES_H
#define ORDO_PREDICT_SIZES_H

#include <ordo/predict.h>

struct ordo_sizes_of_moves {
	uint32_t chunks_per_block;
	double block; /* elements in a block */
	double chunk; /* bytes in a chunk, if chunks may split elements; otherwise 0 */
	/* [chunks_per_block + 1] where a chunk begins in its block; or, of unequal blocks,
	 * [nchunk + 1] where it begins */
	double *begin;
	double *block_bytes;	 /* [nblock] of unequal blocks; NULL: all are equal */
	double element, scratch; /* bytes of one, and of one in scratch */
	double add_cost;	 /* of a byte in scratch: how many times that of any other */
	double bytes;		 /* of one rank's larger buffer, of the largest of all ranks */
};

/* The caller frees it, also after false: no memory. */
bool ordo_sizes_make(struct ordo_sizes_of_moves *sizes, const struct ordo_problem *problem,
	const struct ordo_predict_options *options, struct ordo_error *error);
void ordo_sizes_free(struct ordo_sizes_of_moves *sizes);

/* Elements of consecutive chunks. */
static inline double ordo_elements_of(
	const struct ordo_sizes_of_moves *sizes, uint32_t first_chunk, uint32_t count)
{
	const uint32_t K = sizes->chunks_per_block, end = first_chunk + count;
	if (sizes->block_bytes)
		return sizes->begin[end] - sizes->begin[first_chunk];
	if (sizes->chunk > 0)
		return count * sizes->chunk;
	return (end / K - first_chunk / K) * sizes->block + sizes->begin[end % K] -
	       sizes->begin[first_chunk % K];
}

/* Does a task move nothing, since blocks have counts, and those that it moves are empty? */
static inline bool ordo_moves_nothing(
	const struct ordo_sizes_of_moves *sizes, const struct ordo_task *task)
{
	return sizes->block_bytes && !(ordo_elements_of(sizes, task->chunk, task->count) > 0);
}

static inline double ordo_element_in(const struct ordo_sizes_of_moves *sizes, uint32_t buffer)
{
	return buffer == ORDO_SCRATCH ? sizes->scratch : sizes->element;
}

/* Bytes over a link or of a copy: the receiver widens, the sender rounds. */
static inline double ordo_bytes_moved(
	const struct ordo_sizes_of_moves *sizes, const struct ordo_task *task)
{
	const double from = ordo_element_in(sizes, task->src_buffer),
		     to = ordo_element_in(sizes, task->dst_buffer);
	return ordo_elements_of(sizes, task->chunk, task->count) * (from < to ? from : to);
}

/* Bytes added, in the type of the sum, and each as often as it costs. */
static inline double ordo_bytes_added(
	const struct ordo_sizes_of_moves *sizes, const struct ordo_task *task)
{
	return ordo_elements_of(sizes, task->chunk, task->count) *
	       ordo_element_in(sizes, task->dst_buffer) *
	       (task->dst_buffer == ORDO_SCRATCH ? sizes->add_cost : 1);
}

#endif
