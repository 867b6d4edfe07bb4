/* uses.h - what each size of a collective used, by the lines of a log or as its user says. */
#ifndef ORDO_TOOLS_NCCL_USES_H
#define ORDO_TOOLS_NCCL_USES_H

#include "model.h"

/* As on the command line. */
struct nccl_wish {
	enum ordo_operator op;
	bool names_op;	       /* --operator was given */
	const char *algorithm; /* "ring" or "tree"; NULL: the log says */
	uint32_t first, last;  /* channels; ORDO_NONE: the log says */
};

struct nccl_use {
	struct nccl_place place; /* line 0: as the user says */
	uint64_t bytes;
	/* of the choices; ORDO_NONE: the algorithm is not modelled */
	uint32_t choice;
	const char *algorithm; /* as in the log */
};

struct nccl_uses {
	struct nccl_use *items;	     /* [count] by size; a size that used several has several */
	struct nccl_choice *choices; /* [nchoice] different ones */
	uint32_t count, nchoice;
};

/* false: an error that says what is missing. The caller frees the uses, also after an error. */
bool nccl_list_uses(const struct nccl_log *log, const struct nccl_wish *wish,
	struct nccl_uses *uses, struct ordo_error *error);
void nccl_uses_free(struct nccl_uses *uses);

#endif
