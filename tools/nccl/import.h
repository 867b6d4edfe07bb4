/* import.h - `ordo import nccl`: what NCCL does, from its log. */
#ifndef ORDO_TOOLS_NCCL_IMPORT_H
#define ORDO_TOOLS_NCCL_IMPORT_H

#include "cli/options.h"

struct nccl_import {
	const char *algorithm, *channels, *operator;
	struct texts against; /* logs of another job */
	const char *output;   /* a folder; NULL: nothing is written */
	uint32_t root;	      /* ORDO_NONE: not given */
};
#define NCCL_OPTIONS(nccl)                                                                         \
	{"algo", 0, TEXT, &(nccl).algorithm, "ring|tree",                                          \
		"the algorithm of all calls, if an NCCL log does not say it"},                     \
		{"channels", 0, TEXT, &(nccl).channels, "A-B",                                     \
			"the channels of all calls, if the log does not say them"},                \
		{"operator", 0, TEXT, &(nccl).operator, "OPERATOR",                                \
			"the collective of an NCCL log (AllReduce)"},                              \
	{                                                                                          \
		"against", 0, TEXTS, &(nccl).against, "FILE",                                      \
			"the log of another job, whose orders are compared; repeatable"            \
	}

/* Imports the logs call->operands[1..], and returns the exit code. */
int import_nccl(struct call *call, const struct nccl_import *args);

#endif
