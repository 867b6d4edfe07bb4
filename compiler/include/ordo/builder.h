/* builder.h - how an algorithm is written: ONE sequential program of moves over all ranks.
 *
 * It means what running it top to bottom means; the author says what moves, never a Notify or a
 * Wait. The compiler takes it apart into streams, adds the synchronisation that it needs, and
 * proves the result. compiler/WRITING.md builds an algorithm step by step.
 *
 * Moves name places, not chunks. Input and output slots hold what the operator says (operator.h);
 * what a scratch slot holds is what was last written there, and the builder remembers it. It
 * refuses a move that reads a place to which nothing was written, or that writes a chunk to a slot
 * of another one.
 *
 * Errors stick: after the first one every call does nothing, and the compilation fails with it: the
 * name of the algorithm, the phase and the step, and what is wrong. A builder belongs to one
 * compilation, is passed to the function that writes the program, and is used by one thread at a
 * time. In C++ the types are named with `struct`, for functions have the same names.
 */
#ifndef ORDO_BUILDER_H
#define ORDO_BUILDER_H

#include <ordo/compiler.h>
#include <ordo/moves.h>
#include <ordo/operator.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ordo_builder;

/* Algorithms of your own. */

/* Writes the program of an algorithm for a problem.
 *
 *   b         receives the moves
 *   problem   checked, with its chunks_per_block. With virtual shards (V != N) each rank folds its
 *             own before, and the problem is that of one vector a rank, in place
 *   closure   as given to ordo_compile_program */
typedef void ordo_write_program(
	struct ordo_builder *b, const struct ordo_problem *problem, void *closure);

/* Compiles a schedule of an algorithm that is not part of the library, and proves it before it is
 * returned.
 *
 *   request   as for ordo_compile; `algorithm` is the name that the schedule gets, any text.
 *             chunks_per_block 0: 1. Not NULL
 *   write     called once, on the calling thread
 *   closure   passed to write
 *   error     filled if the result is NULL; may be NULL
 *
 * Returns a schedule that the caller destroys. NULL: ORDO_USAGE, the builder refused a move, with
 * its phase and step, or the program called ordo_builder_fail; ORDO_REFUTED, the program does not
 * do what the operator means, with the first finding; or ORDO_ENVIRONMENT. */
ORDO_API struct ordo_schedule *ordo_compile_program(const struct ordo_request *request,
	ordo_write_program *write, void *closure, struct ordo_error *error);

/* Compiles a document of moves (moves.h), and proves the schedule before it is returned.
 *
 *   moves     as read; not needed afterwards
 *   request   as for ordo_compile; its problem and its algorithm are those of the moves. Not NULL
 *   error     filled if the result is NULL; may be NULL
 *
 * Returns a schedule that the caller destroys; its tasks have the places of their moves, so later
 * errors point at the document too, or at the author's source if the document names it. NULL:
 * ORDO_REFUTED, with the rule and the place of the move at fault, if it is one move's fault;
 * ORDO_USAGE, the topology has another number of ranks; or ORDO_ENVIRONMENT. */
ORDO_API struct ordo_schedule *ordo_compile_moves(const struct ordo_moves *moves,
	const struct ordo_request *request, struct ordo_error *error);

/* Places and moves. */

/* A place: `slot` of a rank's buffer; the first of several consecutive ones where a count goes with
 * it. */
struct ordo_at {
	uint32_t rank;
	enum ordo_buffer buffer;
	uint32_t slot;
};

/* A place by its number.
 *
 *   rank     0..nrank-1
 *   buffer   input, output or scratch
 *   slot     from 0; of scratch: what ordo_scratch returned, or after it
 *
 * The moves check that the place exists. */
static inline struct ordo_at ordo_at(uint32_t rank, enum ordo_buffer buffer, uint32_t slot)
{
	const struct ordo_at at = {rank, buffer, slot};
	return at;
}

/* Copies: dst = src, done by the rank of src.
 *
 *   b       receives the move
 *   dst     the first place that is written; on any rank that the rank of src reaches
 *   src     the first place that is read
 *   count   consecutive slots; 0: nothing happens
 *
 * Nothing happens either if both are the same memory (in place). Where the chunks in src are not
 * consecutive it becomes several moves. */
ORDO_API void ordo_copy(
	struct ordo_builder *b, struct ordo_at dst, struct ordo_at src, uint32_t count);

/* Reduces: dst = dst op src, done by the rank of src.
 *
 *   b       receives the move
 *   dst     the first place that is read and written; must hold the same chunks as src
 *   src     the first place that is read; not dst
 *   count   consecutive slots; 0: nothing happens */
ORDO_API void ordo_builder_reduce(
	struct ordo_builder *b, struct ordo_at dst, struct ordo_at src, uint32_t count);

/* The following moves belong to a stream of the rank that does each. Moves of one stream run one
 * after another; streams run side by side. At the beginning it is "main".
 *
 *   b        whose moves follow
 *   name     of the stream; lives until the compilation returns
 *   number   printed behind the name, "to 3"; ORDO_NONE: none */
ORDO_API void ordo_stream(struct ordo_builder *b, const char *name, uint32_t number);

/* What the stream at hand sends from a rank goes over these switches, where the topology offers
 * several ways; otherwise it goes as predictions choose.
 *
 *   b            whose streams they are
 *   rank         0..nrank-1; the stream of this rank by the name that ordo_stream set
 *   switches     [nswitch] vertices of the topology, each once, in their order; copied
 *   nswitch      0: over a link from rank to rank
 *   class_name   where links of several classes join two vertices, the one that is taken; copied.
 *                NULL: the fastest */
ORDO_API void ordo_via(struct ordo_builder *b, uint32_t rank, const uint32_t *switches,
	uint32_t nswitch, const char *class_name);
/* The same with a class for each hop.
 *
 *   b          whose streams they are
 *   rank       0..nrank-1
 *   switches   [nswitch] as for ordo_via; copied
 *   nswitch    0: over a link from rank to rank
 *   classes    [nswitch + 1] of the link that each hop takes, none NULL; copied */
ORDO_API void ordo_via_classes(struct ordo_builder *b, uint32_t rank, const uint32_t *switches,
	uint32_t nswitch, const char *const *classes);

/* The following moves belong to a phase, which messages and pictures name. At the beginning they
 * belong to none.
 *
 *   b      whose moves follow
 *   name   of the phase, "reduce-scatter"; lives until the compilation returns
 *   step   printed behind the name, "reduce-scatter 3"; ORDO_NONE: none */
ORDO_API void ordo_phase(struct ordo_builder *b, const char *name, uint32_t step);

/* Reserves scratch slots on every rank.
 *
 *   b       that reserves them
 *   count   consecutive slots
 *
 * Returns the first of them. */
ORDO_API uint32_t ordo_scratch(struct ordo_builder *b, uint32_t count);

/* Where chunks are. */

/* Where a chunk lies before the algorithm begins: in the input; or, where a rank has folded its
 * virtual shards first, that sum, at the work place.
 *
 *   b       whose error it is if the rank does not have the chunk
 *   rank    0..nrank-1
 *   chunk   0..nchunk-1 */
ORDO_API struct ordo_at ordo_input_of(struct ordo_builder *b, uint32_t rank, uint32_t chunk);

/* Where a chunk must lie in the end.
 *
 *   b       whose error it is if the rank need not have the chunk
 *   rank    0..nrank-1
 *   chunk   0..nchunk-1 */
ORDO_API struct ordo_at ordo_output_of(struct ordo_builder *b, uint32_t rank, uint32_t chunk);

/* Where a rank has a chunk of one of its shards before the call begins. Only for algorithms of the
 * library that fold shards themselves.
 *
 *   b       whose error it is if the rank does not have the shard
 *   rank    0..nrank-1
 *   shard   0..nshard-1
 *   chunk   0..nchunk-1 */
ORDO_API struct ordo_at ordo_shard_of(
	struct ordo_builder *b, uint32_t rank, uint32_t shard, uint32_t chunk);

/* Whether a rank has a chunk in its input.
 *
 *   b       of the problem
 *   rank    0..nrank-1
 *   chunk   0..nchunk-1 */
ORDO_API bool ordo_has_input(const struct ordo_builder *b, uint32_t rank, uint32_t chunk);

/* Whether a rank must have a chunk in its output in the end.
 *
 *   b       of the problem
 *   rank    0..nrank-1
 *   chunk   0..nchunk-1 */
ORDO_API bool ordo_has_output(const struct ordo_builder *b, uint32_t rank, uint32_t chunk);

/* The work place of a chunk, where a rank may keep it for a while or add it up: its output slot if
 * it has one, else its input slot if in place, else a scratch slot that belongs to that chunk
 * alone.
 *
 *   b       that reserves the scratch, when a work place there is first needed: at most one slot a
 *           chunk, without the rank's own block where the operator gives every rank a block
 *   rank    0..nrank-1
 *   chunk   0..nchunk-1
 *
 * Consecutive chunks of one block have consecutive work places. */
ORDO_API struct ordo_at ordo_work(struct ordo_builder *b, uint32_t rank, uint32_t chunk);

/* Where a rank that passes a chunk on has it: in its input if it lies there from the beginning,
 * else at its work place.
 *
 *   b       of the problem
 *   rank    0..nrank-1
 *   chunk   0..nchunk-1 */
ORDO_API struct ordo_at ordo_held(struct ordo_builder *b, uint32_t rank, uint32_t chunk);

/* Whether a place holds anything: it has been written to, or it is input.
 *
 *   b    as far as its program goes
 *   at   any place that exists */
ORDO_API bool ordo_written(const struct ordo_builder *b, struct ordo_at at);

/* Copies a rank's own chunks from its input to their work places; nothing where these are the same
 * memory.
 *
 *   b       receives the moves
 *   rank    0..nrank-1
 *   chunk   the first
 *   count   consecutive chunks */
ORDO_API void ordo_contribute(
	struct ordo_builder *b, uint32_t rank, uint32_t chunk, uint32_t count);

/* Consecutive things: [first, first + count). */
struct ordo_slice {
	uint32_t first, count;
};

/* The i-th of `parts` slices of 0..total-1, possibly empty: [floor(i*total/parts),
 * floor((i+1)*total/parts)).
 *
 *   total   how many things
 *   parts   1 or more
 *   i       0..parts-1 */
static inline struct ordo_slice ordo_slice_of(uint32_t total, uint32_t parts, uint32_t i)
{
	const uint32_t first = (uint32_t)((uint64_t)i * total / parts);
	const struct ordo_slice slice = {
		first, (uint32_t)(((uint64_t)i + 1) * total / parts) - first};
	return slice;
}

/* Errors of an algorithm. */

/* Says that the program cannot be written for this problem. Only the first error counts; it has the
 * code ORDO_USAGE, and names the algorithm and the phase.
 *
 *   b        that fails
 *   format   as of printf, with its arguments */
ORDO_API void ordo_builder_fail(struct ordo_builder *b, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Says what could be done about the error; the first hint counts.
 *
 *   b        that has failed; if it has not, nothing happens
 *   format   as of printf, with its arguments */
ORDO_API void ordo_builder_hint(struct ordo_builder *b, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Says that there was no memory (ORDO_ENVIRONMENT).
 *
 *   b   that fails */
ORDO_API void ordo_builder_fail_memory(struct ordo_builder *b);

/* Whether there was an error, so that a long program may end early.
 *
 *   b   any */
ORDO_API bool ordo_builder_failed(const struct ordo_builder *b);

/* The call above passes the size of the request that it is compiled with, so that requests can
 * grow (version.h). */
ORDO_API struct ordo_schedule *ordo_compile_program_sized(size_t size,
	const struct ordo_request *request, ordo_write_program *write, void *closure,
	struct ordo_error *error);
ORDO_API struct ordo_schedule *ordo_compile_moves_sized(size_t size, const struct ordo_moves *moves,
	const struct ordo_request *request, struct ordo_error *error);
#define ordo_compile_moves(...) ordo_compile_moves_sized(sizeof(struct ordo_request), __VA_ARGS__)
#define ordo_compile_program(...)                                                                  \
	ordo_compile_program_sized(sizeof(struct ordo_request), __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
