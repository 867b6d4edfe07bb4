/* problem.h - the problem named on the command line: an operator, the ranks and their options. */
#ifndef ORDO_TOOLS_CLI_PROBLEM_H
#define ORDO_TOOLS_CLI_PROBLEM_H

#include "inputs.h"
#include <ordo/operator.h>

struct problem_options {
	struct ordo_problem problem;
	const char *accumulate;
};
#define PROBLEM_OPTIONS(args)                                                                      \
	{"ranks", 'n', POSITIVE, &(args).problem.nrank, "N",                                       \
		"how many ranks (as many as the topology says)"},                                  \
		{"root", 'r', NUMBER, &(args).problem.root, "R",                                   \
			"the root of Reduce, Broadcast, Scatter and Gather (0)"},                  \
		{"chunks", 'k', POSITIVE, &(args).problem.chunks_per_block, "K",                   \
			"chunks per block (the algorithm chooses)"},                               \
		{"shards", 0, POSITIVE, &(args).problem.nshard, "V",                               \
			"virtual shards to be summed (one per rank)"},                             \
		{"in-place", 0, SWITCH, &(args).problem.in_place, NULL,                            \
			"input and output are one memory"},                                        \
	{                                                                                          \
		"accumulate", 0, TEXT, &(args).accumulate,                                         \
			"f32|exact|binned(bins=2)|binned(bins=3)",                                 \
			"hold sums in this form, and round them once, at the end"                  \
	}

/* The only operand is the operator. false: call->status. */
bool read_operator(struct call *call, enum ordo_operator *op);
/* The operator, and the ranks that the topology leaves. false: call->status. */
bool read_problem(
	struct call *call, const struct topology_choice *topology, struct problem_options *args);

/* What devices demand. */
#define DEVICE_OPTIONS(args)                                                                       \
	{"max-tokens", 0, POSITIVE, &(args).max_tokens, "T",                                       \
		"no signal ever holds more than T tokens, in any number of calls; use 1 for "      \
		"flags"},                                                                          \
	{                                                                                          \
		"staging", 0, POSITIVE, &(args).staging_slots, "SLOTS",                            \
			"other ranks touch only staging memory, at most SLOTS scratch slots of a " \
			"rank"                                                                     \
	}

#endif
