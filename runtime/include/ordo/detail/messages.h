/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* messages.h - one rank's part of a proved schedule, run by messages.
 *
 * Where ranks do not share memory, a Send or SendReduce is a message: the sender sends, and the
 * receiver writes. A part is what one rank does: its own tasks, and a receive wherever another rank
 * writes to it, in the order of one linear extension of the schedule that is the same on all ranks.
 * Nothing is sent for Notify and Wait: only the rank itself accesses its memory, in that order.
 * runtime/messages/README.md has the argument that a part ends even if every send is synchronous,
 * and that its bits are those of the tasks.
 */
#ifndef ORDO_MESSAGES_H
#define ORDO_MESSAGES_H

#include <ordo/detail/programs.h>
#include <ordo/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ordo_levels; /* the linear extension of a schedule */
struct ordo_part;   /* one rank's part: instructions */
struct ordo_bound_part;

/* Messages of a pair of ranks, or the pieces of which they are made, are numbered from 0 up to
 * this, and again from 0: what MPI allows at least for a tag. */
#define ORDO_MESSAGE_TAGS 32768u

/* Computes the order that is the same on all ranks. The schedule was proved (verify.h), or shapes
 * and signals at least hold (R1..R7), and outlives the levels. The caller destroys them. NULL: see
 * error. Linear in tasks. */
ORDO_API struct ordo_levels *ordo_levels_create(
	const struct ordo_schedule *schedule, struct ordo_error *error);
ORDO_API void ordo_levels_destroy(struct ordo_levels *levels); /* takes NULL */

/* The part of one rank, below the number of ranks; independent of the schedule. The caller destroys
 * it. NULL: no memory. */
ORDO_API struct ordo_part *ordo_part_create(
	const struct ordo_levels *levels, uint32_t rank, struct ordo_error *error);
/* The same from programs that know the levels of tasks (programs.h), without those of ranks with
 * which this one has nothing to do: all ranks may call it, each for itself. The programs are right
 * (their schedule was proved), and need not live on. All ranks' parts come from here, or all from
 * ordo_part_create: the orders differ. The caller destroys it. NULL: no memory, or the programs
 * have no levels (ORDO_USAGE). */
ORDO_API struct ordo_part *ordo_part_generate(
	const struct ordo_programs *programs, uint32_t rank, struct ordo_error *error);
ORDO_API void ordo_part_destroy(struct ordo_part *part); /* takes NULL */

/* A part as bytes, to be sent to its rank: it is one block without pointers, of this many bytes,
 * and aligned for uint64_t. Both ranks must have one byte order and one version of this library. */
ORDO_API size_t ordo_part_bytes(const struct ordo_part *part);
/* A part that was received. Checks that every instruction stays within what the part declares.
 * Returns its own copy. NULL: ORDO_BAD_INPUT, or no memory. */
ORDO_API struct ordo_part *ordo_part_read(const void *bytes, size_t size, struct ordo_error *error);

/* How messages travel, and how elements are combined. A function that returns false ends the run,
 * which returns false; the messenger keeps its own error. Requests are numbers below
 * ordo_part_requests(); each is waited for before it is used again. n is a number of elements, > 0.
 * is_wide: the elements are those of an f32 accumulator (accumulate.h). */
struct ordo_messenger {
	void *closure;
	bool (*send)(void *closure, uint32_t request, uint32_t peer, uint32_t tag, const void *src,
		uint64_t n, bool is_wide);
	bool (*receive)(void *closure, uint32_t request, uint32_t peer, uint32_t tag, void *dst,
		uint64_t n, bool is_wide);
	bool (*wait)(void *closure, uint32_t request);
	/* dst = dst op src, and dst = src; both NULL: loops over the element type. They do not
	 * overlap. */
	bool (*reduce)(void *closure, void *dst, const void *src, uint64_t n);
	bool (*copy)(void *closure, void *dst, const void *src, uint64_t n);
};

/* Elements of a type that only the messenger knows, in bytes. */
struct ordo_opaque {
	uint64_t size;	 /* of its data; the same on all ranks, as the rest need not be */
	uint64_t extent; /* from one element to the next; not 0 */
	uint64_t reach;	 /* from the first byte of an element to its last; if that is more than the
			  * extent, the bytes of elements lie between those of others */
	uint64_t margin; /* that an element may have before its address, or beyond its extent */
};

/* Requests that a run has in flight at most. */
ORDO_API uint32_t ordo_part_requests(const struct ordo_part *part);

/* Binds a part to a type and counts, and allocates its scratch. The part must outlive it.
 *
 *   options   as of a plan; watchdog_ms is not used
 *   opaque    NULL: elements have options->type. Otherwise what they are like; options->type is not
 *             used, and the messenger reduces and copies
 *
 * The caller destroys it. NULL: see error. */
ORDO_API struct ordo_bound_part *ordo_part_bind(const struct ordo_part *part,
	const struct ordo_plan_options *options, const struct ordo_opaque *opaque,
	struct ordo_error *error);
ORDO_API void ordo_bound_part_destroy(struct ordo_bound_part *bound); /* takes NULL */

/* Runs the part once; all ranks must. Buffers as of ordo_plan_bind. The calling thread computes
 * floats in the standard mode (float_mode.h). One run at a time. false: see error; if the messenger
 * failed, the error says only that. */
ORDO_API bool ordo_bound_part_run(struct ordo_bound_part *bound, void *input, void *output,
	const struct ordo_messenger *messenger, struct ordo_error *error);

#ifdef __cplusplus
}
#endif
#endif
