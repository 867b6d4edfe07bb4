/* interpreter.h - loops over elements, and plans run by seeds and as replays. */
/* Internal: for the command and the tests. Installed for programs of this release; may change or
 * go with the next. */
#ifndef ORDO_INTERPRETER_H
#define ORDO_INTERPRETER_H

#include <ordo/detail/replay.h>
#include <ordo/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* dst[i] = dst[i] op src[i] for n elements, in order, each rounded once; of an average, its sum.
 * A result that is a NaN is the plain one (element.h). dst and src do not overlap and need no
 * alignment. */
ORDO_API void ordo_reduce_elements(
	enum ordo_type type, enum ordo_reduction reduction, void *dst, const void *src, size_t n);
/* dst[i] = dst[i] / divisor for n elements: floats rounded once, integers truncated towards zero,
 * and nothing if the divisor is 1. It is at most 2^24. A quotient that is a NaN is the plain one.
 * What makes an average of a sum. */
ORDO_API void ordo_divide_elements(enum ordo_type type, void *dst, size_t n, uint32_t divisor);
/* Which form of these loops this CPU runs: "portable", "avx2" or "avx512". All give the same bits.
 * Static; any thread. */
ORDO_API const char *ordo_element_loops(void);
/* n elements of f16 or bf16 as f32, exactly; and f32 rounded to them once, a NaN to the positive
 * quiet one without payload: what sums that are held in f32 (accumulate.h) are made of. Nothing is
 * aligned; the memory of the two must not overlap. */
ORDO_API void ordo_widen_elements(enum ordo_type type, void *wide, const void *elements, size_t n);
ORDO_API void ordo_narrow_elements(enum ordo_type type, void *elements, const void *wide, size_t n);

/* Runs all ranks once on the calling thread; after every task the seed picks the next runnable
 * stream. The same seed gives the same interleaving. A stuck run is an error at once. One run at a
 * time. */
ORDO_API bool ordo_plan_run_seeded(struct ordo_plan *plan, uint64_t seed, struct ordo_error *error);

/* Who is told of a replay; any may be NULL. A rank's caller may fill its buffers when it enters,
 * and has the result when it leaves. */
struct ordo_watch {
	void *closure;
	void (*entered)(void *closure, uint32_t rank, uint32_t call);
	void (*left)(void *closure, uint32_t rank, uint32_t call);
	/* Before (done is false) and after every task. */
	void (*stepping)(void *closure, uint32_t call, uint32_t task, bool done);
	/* At the end: a signal that still has tokens. */
	void (*left_over)(
		void *closure, uint32_t from, uint32_t to, uint32_t signal, uint32_t ntoken);
};

/* Runs all ranks on the calling thread, ncall calls back to back, in exactly that interleaving, as
 * replay.h says what it means. Scratch is filled with a pattern whenever a rank enters, as it is
 * undefined then. Needs tile_bytes = UINT64_MAX. false: a step that cannot be taken, or an
 * interleaving that ends where a stream could go on (ORDO_BAD_INPUT); or it ends where nobody can
 * (R7, ORDO_REFUTED). Then the plan only can be destroyed. */
ORDO_API bool ordo_plan_run_replay(struct ordo_plan *plan,
	const struct ordo_interleaving *interleaving, uint32_t ncall,
	const struct ordo_watch *watch, struct ordo_error *error);

/* The memory of a slot, which is as long as the chunk it holds; NULL: not bound. */
ORDO_API const void *ordo_plan_slot(
	const struct ordo_plan *plan, uint32_t rank, enum ordo_buffer buffer, uint32_t slot);

/* Bytes that rank `from` writes into the memory of rank `to` in one run: what a link between them
 * would carry. O(log peers). */
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
