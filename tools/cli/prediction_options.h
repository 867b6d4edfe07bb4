/* prediction_options.h - the options of every command that makes predictions: topology, size, type
 * and costs. */
#ifndef ORDO_TOOLS_CLI_PREDICTION_OPTIONS_H
#define ORDO_TOOLS_CLI_PREDICTION_OPTIONS_H

#include "counts/option.h"
#include "inputs.h"
#include "sizes.h"
#include <ordo/element.h>
#include <ordo/predict.h>

struct predicting {
	struct topology_choice topology;
	/* of one rank's larger buffer; UNSET_SIZE: 1 MiB, or that of the counts */
	uint64_t bytes;
	const char *counts;    /* of --counts; NULL: blocks are equal */
	const char *type_name; /* NULL: f32 */
	/* 0: not set */
	double latency_ns, bandwidth_gbs, reduce_bandwidth_gbs, copy_bandwidth_gbs;
	bool through_ranks;
};
#define PREDICTING_USUAL                                                                           \
	{                                                                                          \
		.bytes = UNSET_SIZE                                                                \
	}
/* The type, and costs that the topology lacks or that override it. */
#define COST_OPTIONS(args)                                                                         \
	{"type", 'd', TEXT, &(args).type_name, "TYPE",                                             \
		"f32 (the default), bf16, f8e4m3, i32, c64, ...: `ordo list`"},                    \
		{"alpha-ns", 0, REAL, &(args).latency_ns, "NS",                                    \
			"latency of every link (the topology's; 1000)"},                           \
		{"bandwidth", 0, REAL, &(args).bandwidth_gbs, "GB/S",                              \
			"bandwidth of every link (the topology's; 56)"},                           \
		{"reduce-bandwidth", 0, REAL, &(args).reduce_bandwidth_gbs, "GB/S",                \
			"bandwidth of adding one vector to another on a rank (the topology's; "    \
			"195)"},                                                                   \
	{                                                                                          \
		"copy-bandwidth", 0, REAL, &(args).copy_bandwidth_gbs, "GB/S",                     \
			"bandwidth of copying on a rank (the topology's; else copies are free)"    \
	}
#define PREDICTING_OPTIONS(args)                                                                   \
	TOPOLOGY_OPTIONS((args).topology),                                                         \
		{"size", 0, SIZE, &(args).bytes, "SIZE",                                           \
			"bytes of one rank's larger buffer (1MiB; that of --counts)"},             \
		COUNTS_OPTION((args).counts), COST_OPTIONS(args),                                  \
		ROUTE_OPTION((args).through_ranks)

/* A prediction and its inputs. */
struct predicted {
	struct ordo_topology
		*topology; /* with the costs of the command line; NULL: none was chosen */
	enum ordo_type type;
	struct counts counts; /* scaled to the size, if the command line has one */
	uint64_t bytes;	      /* of one rank's larger buffer */
	struct ordo_prediction *prediction;
};

/* Does the command line set a cost? */
bool sets_costs(const struct predicting *args);
/* Applies the costs of the command line to the default machine, or to one that is set already. */
struct ordo_machine machine_of(const struct predicting *args);
void take_machine(const struct predicting *args, struct ordo_machine *machine);
/* The topology for nrank ranks with the costs of the command line, the type, the counts and the
 * bytes. The problem must outlive it. false: call->status. Close it also after false. */
bool open_predicted(struct call *call, const struct predicting *args,
	const struct ordo_problem *problem, struct predicted *predicted);
/* Takes another size. false: call->status. */
bool take_bytes(struct call *call, struct predicted *predicted, uint64_t bytes);
/* The prediction for the size that was taken, replacing the last one. The schedule must outlive it.
 * false: call->status. */
bool predict_taken(struct call *call, const struct predicting *args,
	const struct ordo_schedule *schedule, struct predicted *predicted);
/* Both, for the size of the command line. */
bool predict_schedule(struct call *call, const struct predicting *args,
	const struct ordo_schedule *schedule, struct predicted *predicted);
/* Prints a note if the bytes do not fill equal blocks, or some are left out by the proportions of
 * counts. */
void note_left_out(
	struct call *call, const struct ordo_problem *problem, const struct predicted *predicted);
/* Many ranks without a topology: prints a note with the assumed links and the known machines. */
void note_assumption(struct call *call, const struct predicting *args, uint32_t nrank,
	const struct predicted *predicted);
void close_predicted(struct predicted *predicted);

#endif
