/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* interpreter.h - loops over elements, and runs of plans by a seed or as a replay. */
#ifndef ORDO_INTERPRETER_H
#define ORDO_INTERPRETER_H

#include <ordo/detail/replay.h>
#include <ordo/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ordo_plan; /* plans.h */

/* dst[i] = dst[i] op src[i] for n elements, each rounded once; for ORDO_AVG, the sum. A NaN result
 * is the canonical NaN (element.h). dst and src do not overlap and need no alignment. */
ORDO_API void ordo_reduce_elements(
	enum ordo_type type, enum ordo_reduction reduction, void *dst, const void *src, size_t n);
/* dst[i] = ((src[0][i] op src[1][i]) op src[2][i]) ... for n elements of nsrc >= 1 sources, each
 * operation rounded once. dst may be one of the sources; otherwise nothing overlaps. */
ORDO_API void ordo_fold_elements(enum ordo_type type, enum ordo_reduction reduction, void *dst,
	const void *const *src, uint32_t nsrc, size_t n);
/* Turns sums into averages: dst[i] = dst[i] / divisor for n elements, floats rounded once, integers
 * truncated towards zero. divisor is at most 2^24; 1 changes nothing. A NaN quotient is the
 * canonical NaN. */
ORDO_API void ordo_divide_elements(enum ordo_type type, void *dst, size_t n, uint32_t divisor);
/* The form of these loops that this CPU runs: "portable", "avx2" or "avx512". All give the same
 * bits. A static string; any thread. */
ORDO_API const char *ordo_element_loops(void);
/* Conversions for sums held in another type, the accumulator, as ordo_accumulator (accumulate.h)
 * gives it: n elements to the accumulator, exactly; and back, rounded once, any NaN to the
 * canonical one. No alignment needed; the buffers must not overlap. */
ORDO_API void ordo_widen_elements(enum ordo_type type, enum ordo_type accumulator, void *wide,
	const void *elements, size_t n);
ORDO_API void ordo_narrow_elements(enum ordo_type type, enum ordo_type accumulator, void *elements,
	const void *wide, size_t n);

/* Runs all ranks once on the calling thread; after every task the seed picks the next runnable
 * stream. The same seed gives the same interleaving. A deadlock is an error at once. One run at a
 * time. */
ORDO_API bool ordo_plan_run_seeded(struct ordo_plan *plan, uint64_t seed, struct ordo_error *error);
/* The same where every signal is one bit, as hardware flags are: a Notify sets it and a Wait clears
 * it, and a Notify that finds it set is an error (R13) that names it. The rounds of a plan
 * (tile_bytes) are calls that follow each other without a barrier. */
ORDO_API bool ordo_plan_run_flags(struct ordo_plan *plan, uint64_t seed, struct ordo_error *error);

/* Callbacks of a replay; any may be NULL. The observer may fill a rank's buffers when it enters,
 * and read its result when it leaves. */
struct ordo_watch {
	void *closure;
	void (*entered)(void *closure, uint32_t rank, uint32_t call);
	void (*left)(void *closure, uint32_t rank, uint32_t call);
	/* Before every task (done is false) and after it. */
	void (*stepping)(void *closure, uint32_t call, uint32_t task, bool done);
	/* At the end, for every signal that still has tokens. */
	void (*left_over)(
		void *closure, uint32_t from, uint32_t to, uint32_t signal, uint32_t ntoken);
};

/* Runs all ranks on the calling thread, ncall calls back to back, in exactly that interleaving (see
 * replay.h). Fills a rank's scratch with a pattern whenever it enters, because scratch is undefined
 * then. Needs tile_bytes = UINT64_MAX. false: a step cannot be taken, or the interleaving ends
 * where a stream could continue (ORDO_BAD_INPUT); or it ends in a deadlock (R7, ORDO_REFUTED). Then
 * the plan can only be destroyed. */
ORDO_API bool ordo_plan_run_replay(struct ordo_plan *plan,
	const struct ordo_interleaving *interleaving, uint32_t ncall,
	const struct ordo_watch *watch, struct ordo_error *error);

/* The memory of a slot, as long as the chunk it holds; NULL: not bound. */
ORDO_API const void *ordo_plan_slot(
	const struct ordo_plan *plan, uint32_t rank, enum ordo_buffer buffer, uint32_t slot);

/* Bytes that rank `from` writes into the memory of rank `to` in one run, the load of a link between
 * them. O(log peers). */
ORDO_API uint64_t ordo_plan_bytes_sent(const struct ordo_plan *plan, uint32_t from, uint32_t to);

/* The calls above pass the size of the options that they are compiled with, so that options can
 * grow (version.h). */
ORDO_API bool ordo_plan_run_replay_sized(size_t size, struct ordo_plan *plan,
	const struct ordo_interleaving *interleaving, uint32_t ncall,
	const struct ordo_watch *watch, struct ordo_error *error);
#define ordo_plan_run_replay(...) ordo_plan_run_replay_sized(sizeof(struct ordo_watch), __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
