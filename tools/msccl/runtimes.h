/* runtimes.h - which runtimes take a program, and which of a folder's programs a size selects. */
#ifndef ORDO_TOOLS_MSCCL_RUNTIMES_H
#define ORDO_TOOLS_MSCCL_RUNTIMES_H

#include "program.h"

enum msccl_runtime { MSCCL_MICROSOFT, MSCCL_RCCL, MSCCL_AZURE };
#define MSCCL_NRUNTIME 3

/* "microsoft", "rccl", "azure" */
extern const char *const msccl_runtime_names[MSCCL_NRUNTIME];

/* What a file calls an operator, for a runtime. NULL: there is no such collective, or the file does
 * not say what is demanded. */
const char *msccl_collective_name(enum ordo_operator op, enum msccl_runtime runtime);

/* What a runtime takes of steps in a block, and of blocks on a gpu. */
uint32_t msccl_most_steps(enum msccl_runtime runtime);
uint32_t msccl_most_blocks(enum msccl_runtime runtime, uint32_t nchannel);

/* Why a runtime ignores the program; NULL: it takes it. The text is in `text`. */
const char *msccl_refusal(
	const struct msccl_program *program, enum msccl_runtime runtime, char text[128]);

/* Sizes that select the same programs. */
struct msccl_range {
	uint64_t from, to; /* bytes, both included; to UINT64_MAX: no limit */
	uint32_t
		*programs; /* [nprogram] indices: none, one, or several of which any may be taken */
	uint32_t nprogram;
};

/* Which calls. */
struct msccl_calls {
	enum msccl_runtime runtime;
	const char *collective;
	uint32_t ngpu;
	bool in_place;
};

/* Is the program for these calls, whatever the size? */
bool msccl_serves(const struct msccl_program *program, const struct msccl_calls *calls);
/* The ranges of all sizes from 0 on, in order; those beside each other differ. Programs that the
 * runtime ignores are left out. The arena owns them. NULL: no memory. */
struct msccl_range *msccl_select(struct msccl_program *const *programs, uint32_t nprogram,
	const struct msccl_calls *calls, struct ordo_arena *arena, uint32_t *count);

#endif
