/* builder.h - how an algorithm is written: ONE sequential program of moves over all ranks.
 *
 * It means what running it top to bottom means; the author says what moves, never a Notify or a
 * Wait. Errors stick: after the first one every call is a no-op, and the first one is reported with
 * its phase and step.
 *
 * Moves name places, not chunks. Input and output slots hold what the operator says; what a scratch
 * slot holds is what was last written there, and the builder remembers it. It refuses a move that
 * reads a place nothing was written to, or writes a chunk to a slot of another one.
 */
#ifndef ORDO_COMPILER_PROGRAM_BUILDER_H
#define ORDO_COMPILER_PROGRAM_BUILDER_H

#include <ordo/operator.h>

struct ordo_builder;

/* A place: `slot` of a rank's buffer; the first of several consecutive ones where a count goes with
 * it. */
struct ordo_at {
	uint32_t rank;
	enum ordo_buffer buffer;
	uint32_t slot;
};

static inline struct ordo_at ordo_at(uint32_t rank, enum ordo_buffer buffer, uint32_t slot)
{
	return (struct ordo_at){rank, buffer, slot};
}

/* dst = src, for `count` consecutive slots; the rank of src does it. Nothing happens if count is 0
 * or if both are the same memory (in place). Where the chunks in src are not consecutive it becomes
 * several moves. */
void ordo_copy(struct ordo_builder *b, struct ordo_at dst, struct ordo_at src, uint32_t count);
/* dst = dst op src, likewise; dst must hold the same chunks as src. */
void ordo_builder_reduce(
	struct ordo_builder *b, struct ordo_at dst, struct ordo_at src, uint32_t count);
/* The library has another function of this name, for who calls a collective (collectives.h). */
static inline void ordo_reduce(
	struct ordo_builder *b, struct ordo_at dst, struct ordo_at src, uint32_t count)
{
	ordo_builder_reduce(b, dst, src, count);
}

/* The following moves belong to the stream of that name of the rank that does each: "sum", or with
 * a number "to 3" (ORDO_NONE: no number). Moves of one stream run one after another; streams run
 * side by side. At the beginning it is "main". */
void ordo_stream(struct ordo_builder *b, const char *name, uint32_t number);
/* The following moves belong to this phase: "reduce-scatter 3"; ORDO_NONE: "reduce-scatter" alone.
 * At the beginning they belong to none. */
void ordo_phase(struct ordo_builder *b, const char *name, uint32_t step);

/* Reserves `count` scratch slots on every rank and returns the first. */
uint32_t ordo_scratch(struct ordo_builder *b, uint32_t count);

/* Where a chunk lies before the algorithm begins; where it must lie in the end. The rank must have
 * it there: a sticky error otherwise. Before it begins: in the input; or, where a rank has folded
 * its virtual shards first, that sum, at the work place. */
struct ordo_at ordo_input_of(struct ordo_builder *b, uint32_t rank, uint32_t chunk);
struct ordo_at ordo_output_of(struct ordo_builder *b, uint32_t rank, uint32_t chunk);
/* Where a rank has a chunk of one of its shards before the call begins. */
struct ordo_at ordo_shard_of(struct ordo_builder *b, uint32_t rank, uint32_t shard, uint32_t chunk);
bool ordo_has_input(const struct ordo_builder *b, uint32_t rank, uint32_t chunk);
bool ordo_has_output(const struct ordo_builder *b, uint32_t rank, uint32_t chunk);

/* Where a rank may park a chunk or add it up: its output slot if it has one, else its input slot if
 * in place, else a scratch slot that belongs to that chunk alone. Scratch is reserved when first
 * asked for: at most one slot a chunk, without the rank's own block where the operator gives every
 * rank a block. Consecutive chunks of one block have consecutive work places. */
struct ordo_at ordo_work(struct ordo_builder *b, uint32_t rank, uint32_t chunk);
/* Where a rank that passes a chunk on has it: in its input if it lies there from the beginning,
 * else at its work place. */
struct ordo_at ordo_held(struct ordo_builder *b, uint32_t rank, uint32_t chunk);
/* Does anything lie there yet: has it been written to, or is it input? */
bool ordo_written(const struct ordo_builder *b, struct ordo_at at);
/* Copies a rank's own `count` chunks from its input to their work places (nothing where these are
 * the same memory). */
void ordo_contribute(struct ordo_builder *b, uint32_t rank, uint32_t chunk, uint32_t count);

/* Consecutive things: [first, first + count). */
struct ordo_slice {
	uint32_t first, count;
};

/* The i-th of `parts` slices of 0..total-1: [floor(i*total/parts), floor((i+1)*total/parts)),
 * possibly empty.
 */
static inline struct ordo_slice ordo_part(uint32_t total, uint32_t parts, uint32_t i)
{
	uint32_t first = (uint32_t)((uint64_t)i * total / parts);
	return (struct ordo_slice){first, (uint32_t)(((uint64_t)i + 1) * total / parts) - first};
}

/* For algorithms: this cannot be built (ORDO_USAGE), and what could be done about it. Only the
 * first error counts. */
void ordo_builder_fail(struct ordo_builder *b, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void ordo_builder_hint(struct ordo_builder *b, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void ordo_builder_fail_memory(struct ordo_builder *b);
bool ordo_builder_failed(const struct ordo_builder *b);

#endif
