/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* input.h - inputs that show something: `ordo/input/1`.
 *
 * A few numbers in vectors that are otherwise all one value, and one or two elements of the output
 * to look at. Positions are those of the problem, not of one schedule: element `position` of the
 * vector that is reduced, its blocks one after another, `count` elements each; so an input serves
 * schedules with other chunks. The document says them as chunk and offset, by its own
 * chunks_per_block. FORMAT.md has the keys. Only operators that reduce have such inputs.
 */
#ifndef ORDO_INPUT_H
#define ORDO_INPUT_H

#include <ordo/detail/order.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A value of floats, or of integers. */
union ordo_number {
	double real;
	int64_t integer;
};

struct ordo_input_value {
	uint32_t shard;
	uint64_t position;
	union ordo_number number;
};

/* An element of the output of a rank. */
struct ordo_output_element {
	uint32_t rank;
	uint64_t position;
};

struct ordo_input {
	/* in_place and accumulate: always false; they are nothing an input has a say in */
	struct ordo_problem problem;
	enum ordo_type type;
	enum ordo_reduction reduction;
	uint64_t count; /* elements of each block */
	struct ordo_output_element elements[2];
	uint32_t nelement;		 /* 1 or 2 */
	union ordo_number rest;		 /* whatever is not named below */
	struct ordo_input_value *values; /* [nvalue] by shard, then position */
	size_t nvalue, value_room;
};

/* An input without elements and values. The caller destroys it. NULL: no memory, or an operator
 * that does not reduce, or a count of 0 or beyond ORDO_LIMIT (ORDO_USAGE). */
ORDO_API struct ordo_input *ordo_input_create(const struct ordo_problem *problem,
	enum ordo_type type, enum ordo_reduction reduction, uint64_t count,
	struct ordo_error *error);
ORDO_API void ordo_input_destroy(struct ordo_input *input); /* takes NULL */
/* Adds a value; values are kept sorted, so add them in that order. false: no memory. */
ORDO_API bool ordo_input_add(struct ordo_input *input, uint32_t shard, uint64_t position,
	union ordo_number number, struct ordo_error *error);
/* The value at a place. O(log nvalue). */
ORDO_API union ordo_number ordo_input_at(
	const struct ordo_input *input, uint32_t shard, uint64_t position);

/* The input that shows a contradiction, one element a chunk. NULL: no memory. */
ORDO_API struct ordo_input *ordo_input_contradicting(const struct ordo_problem *problem,
	const struct ordo_contradiction *contradiction, struct ordo_error *error);

/* Where an element of a chunk is in the vector, and back; `count` elements a block. */
ORDO_API uint64_t ordo_position_of(
	const struct ordo_problem *problem, uint64_t count, uint32_t chunk, uint64_t offset);
ORDO_API void ordo_chunk_at(const struct ordo_problem *problem, uint64_t count, uint64_t position,
	uint32_t *chunk, uint64_t *offset);

/* Documents; as strict, and as canonical, as all others (document.h). "-" is stdin. NULL: R1 or
 * ORDO_ENVIRONMENT. */
ORDO_API struct ordo_input *ordo_input_read(const char *path, struct ordo_error *error);
ORDO_API struct ordo_input *ordo_input_read_text(
	const char *text, size_t size, const char *name, struct ordo_error *error);
ORDO_API bool ordo_input_print(const struct ordo_input *input, FILE *out, struct ordo_error *error);
ORDO_API bool ordo_input_write(
	const struct ordo_input *input, const char *path, struct ordo_error *error);

#ifdef __cplusplus
}
#endif
#endif
