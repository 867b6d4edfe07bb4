/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* symmetry.h - schedules that are one program, relabelled for every rank; and their proof from that
 * one program.
 *
 * A group acts on the ranks by adding digits: with radices a, b, ... rank = d0 + a (d1 + b (d2
 * ...)), and element g takes rank r to r + g, digit by digit without carry. One digit is the cyclic
 * group, all radices 2 the group of XOR. There are as many elements as ranks, and element g is the
 * one that takes rank 0 to rank g. It acts on chunks as well: block b goes to block g + b
 * (AllToAll: (i, j) to (g + i, g + j)); chunks of AllReduce belong to ranks in some regular way or
 * stay where they are. Input and output slots follow their chunks, scratch slots and signals stay.
 *
 * A schedule is symmetric if every rank's program is rank 0's, relabelled by that rank's element.
 * Programs count as equal if they differ only in what no execution can show: how moves of
 * consecutive chunks are cut into tasks, the order of neighbouring moves that touch different
 * memory, of neighbouring Notify, of neighbouring Wait, and of the streams and their names.
 */
#ifndef ORDO_SYMMETRY_H
#define ORDO_SYMMETRY_H

#include <ordo/detail/programs.h>
#include <ordo/verify.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ORDO_MOST_DIGITS 32

struct ordo_symmetry_group {
	uint32_t order;
	uint32_t ndigit;
	uint32_t radix[ORDO_MOST_DIGITS]; /* lowest digit first */
};

ORDO_API uint32_t ordo_symmetry_add(
	const struct ordo_symmetry_group *group, uint32_t a, uint32_t b);
ORDO_API uint32_t ordo_symmetry_negate(const struct ordo_symmetry_group *group, uint32_t a);
/* "cyclic group of 8", "XOR group of 8", "Z_2 x Z_2 x Z_3". Returns the length like snprintf. */
ORDO_API int ordo_symmetry_print(const struct ordo_symmetry_group *group, char *out, size_t size);

/* How the elements move chunk ids: as numbers of digits, of which some are digits of the group. */
struct ordo_chunk_action {
	uint32_t ndigit;
	uint32_t radix[2 * ORDO_MOST_DIGITS + 2]; /* lowest digit first */
	/* the group's digit that is added; ORDO_NONE: none, it stays */
	uint32_t of[2 * ORDO_MOST_DIGITS + 2];
	/* where the highest digit is odd, digits of the group are subtracted instead */
	bool mirrored;
};

struct ordo_symmetry {
	struct ordo_symmetry_group group;
	struct ordo_chunk_action chunks;
	/* ranks whose programs were compared with rank 0's: all others, or some */
	uint32_t ncompared;
	uint64_t ntask; /* of all ranks together; 0 unless all were compared */
};

enum ordo_compared_ranks {
	ORDO_COMPARE_ALL,
	/* Only those ranks whose elements generate the group: enough for programs made by relative
	 * arithmetic alone. */
	ORDO_COMPARE_GENERATORS,
};

/* Looks for a symmetry: reads the programs one rank after another, as often as there are
 * candidates, most of which fail at once. true: found. false with error->code ORDO_OK: there is
 * none (or none is known); with another: it could not be found out. One program is held in memory.
 * Of problems that accumulate in f32 none is looked for. */
ORDO_API bool ordo_symmetry_find(const struct ordo_programs *programs,
	enum ordo_compared_ranks comparison, ordo_progress *progress, void *closure,
	struct ordo_symmetry *symmetry, struct ordo_error *error);

/* Proves or refutes a symmetric schedule from rank 0's program. Time and memory are those of one
 * program, but for clocks (a row of all ranks for every two streams of which one knows of the
 * other) and the digest (a hash for every node of every tree). The verdict, the guarantees, their
 * witnesses, the tokens in flight and the digest are those of ordo_verify on the whole; trees,
 * copies and chunk_tree stay empty; findings speak of rank 0 and name no task ids. NULL:
 * ORDO_UNDECIDED if it is too large, or if atomic_reduce is asked for or the problem accumulates in
 * f32, which this proof does not know. The caller destroys the proof. */
ORDO_API struct ordo_proof *ordo_verify_symmetric(const struct ordo_programs *programs,
	const struct ordo_symmetry *symmetry, const struct ordo_verify_options *options,
	struct ordo_error *error);

/* The calls above pass the size of the options that they are compiled with, so that options can
 * grow (version.h). */
ORDO_API struct ordo_proof *ordo_verify_symmetric_sized(size_t size,
	const struct ordo_programs *programs, const struct ordo_symmetry *symmetry,
	const struct ordo_verify_options *options, struct ordo_error *error);
#define ordo_verify_symmetric(...)                                                                 \
	ordo_verify_symmetric_sized(sizeof(struct ordo_verify_options), __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
