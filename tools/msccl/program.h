/* program.h - a program of MSCCL as its XML file has it: gpus, thread blocks ("tb") and steps.
 *
 * Arrays are in the order of ids, whatever the order of the file. The format, and what its runtimes
 * do with it: README.md.
 */
#ifndef ORDO_TOOLS_MSCCL_PROGRAM_H
#define ORDO_TOOLS_MSCCL_PROGRAM_H

#include <ordo/owned.h>
#include <ordo/schedule.h>

enum msccl_type {
	MSCCL_SEND,
	MSCCL_RECEIVE,
	MSCCL_RECEIVE_COPY_SEND,
	MSCCL_RECEIVE_REDUCE_COPY,
	MSCCL_RECEIVE_REDUCE_SEND,
	MSCCL_RECEIVE_REDUCE_COPY_SEND,
	MSCCL_COPY,
	MSCCL_REDUCE,
	MSCCL_NOP,
};
#define MSCCL_NTYPE 9

/* What steps of a type do. */
struct msccl_type_facts {
	const char *name;
	bool reads;  /* src is a slot of this gpu */
	bool writes; /* dst is a slot of this gpu */
	bool receives, sends;
};
extern const struct msccl_type_facts msccl_types[MSCCL_NTYPE];

/* A slot of this gpu, or a comment where the type uses no such slot. */
struct msccl_slot {
	uint32_t buffer; /* enum ordo_buffer */
	uint32_t offset; /* in chunks */
};

struct msccl_step {
	struct ordo_place place;
	enum msccl_type type;
	struct msccl_slot src, dst;
	uint32_t count; /* chunks */
	/* the block of the same gpu, by id, and its step that this one waits for; -1: none */
	int32_t depends_on_block, depends_on_step;
	bool is_waited_for; /* hasdep: its end is announced */
};

struct msccl_block {
	struct ordo_place place;
	uint32_t gpu, id;
	int32_t send, receive; /* peers; -1: none */
	uint32_t channel;
	uint32_t first, end; /* its steps */
};

struct msccl_gpu {
	struct ordo_place place;
	uint32_t id, input_chunks, output_chunks, scratch_chunks;
	uint32_t first, end; /* its blocks, whose ids count from 0 */
};

/* Something to be said about the file that does not keep it from being judged. */
struct msccl_warning {
	struct ordo_place place;
	const char *text;
};

enum msccl_protocol { MSCCL_SIMPLE, MSCCL_LL, MSCCL_LL128 };

struct msccl_program {
	const char *file, *name, *collective;
	struct ordo_place place;
	enum msccl_protocol protocol;
	uint32_t nchannel, nchunk; /* nchunk: nchunksperloop */
	bool in_place, out_of_place;
	bool is_complete; /* has outofplace, minBytes and maxBytes, as RCCL and Azure demand */
	uint64_t least_bytes, most_bytes; /* 0: no limit */

	struct msccl_gpu *gpus; /* [ngpu] */
	struct msccl_block *blocks;
	struct msccl_step *steps;
	struct msccl_warning *warnings;
	uint32_t ngpu, nblock, nstep, nwarning;

	/* Private: growth and ownership. */
	size_t gpu_room, block_room, step_room, warning_room;
	struct ordo_arena arena;
};

/* Reads a file of XML; its form is then right (check.h looks at what it means). NULL: an error with
 * line and column. The caller destroys it. */
struct msccl_program *msccl_read(const char *path, struct ordo_error *error);
/* The same from memory. */
struct msccl_program *msccl_read_text(
	const char *text, size_t size, const char *name, struct ordo_error *error);
void msccl_destroy(struct msccl_program *program);

/* false: no memory. */
bool msccl_warn(struct msccl_program *program, struct ordo_place place, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Fills an error that has the place. Always false. */
bool msccl_fail(const struct msccl_program *program, struct ordo_place place, int rule,
	struct ordo_error *error, const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
