/* formats.h - the formats of `ordo export`, and what they are made from. */
#ifndef ORDO_TOOLS_EXPORT_FORMATS_H
#define ORDO_TOOLS_EXPORT_FORMATS_H

#include "cli/prediction_options.h"
#include "graph.h"
#include <ordo/atomic_file.h>
#include <stdio.h>

/* Of MSCCL; as on the command line, NULL: the usual. */
struct msccl_export_options {
	const char *runtime, *protocol;
	uint64_t least_bytes, most_bytes; /* most_bytes 0: no limit */
};

/* Options of all formats. */
struct export_options {
	const char *output; /* NULL: stdout */
	struct predicting costs;
	bool signals;
	struct msccl_export_options msccl;
};

/* A proved schedule, bound to a type and a size. */
struct exported {
	const struct ordo_schedule *schedule;
	const char *path; /* of its document, for comments */
	enum ordo_type type;
	uint64_t count; /* elements of a block */
	uint64_t bytes; /* of one rank's larger buffer */
	const struct export_options *options;
};

/* Group Operation Assembly Language, which LogGOPSim reads: writes it all to `out`, and members
 * of the answer. false: call->status. */
bool export_goal(struct call *call, const struct exported *exported, FILE *out);

/* Chakra execution traces, which ASTRA-sim reads: a file for each rank. */
bool export_chakra(
	struct call *call, const struct exported *exported, struct ordo_atomic_file *folder);

/* A program of MSCCL: writes it to `out`, and members of the answer. false: call->status. */
bool export_msccl(struct call *call, const struct exported *exported, FILE *out);

/* The operations of an exported schedule; free them in any case. false: see error. */
bool make_export_graph(
	struct graph *graph, const struct exported *exported, struct ordo_error *error);
/* Reports how much was written: as text only if it went to a file. */
void report_graph(struct call *call, const struct exported *exported, const struct graph *graph);

enum { LABEL_SIZE = 48 };
/* `t0_5`: task 5 of the rank's stream 0; `r2_0_5`: the receive of what that task of rank 2 sends;
 * `a2_0_5`: its addition. Returns the label. */
const char *operation_label(
	const struct graph *graph, const struct operation *operation, char label[LABEL_SIZE]);

#endif
