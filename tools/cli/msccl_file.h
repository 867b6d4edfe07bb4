/* msccl_file.h - a program of MSCCL from a file, for commands. */
#ifndef ORDO_TOOLS_CLI_MSCCL_FILE_H
#define ORDO_TOOLS_CLI_MSCCL_FILE_H

#include "msccl/lower.h"

struct call;

#define MSCCL_OPTIONS(options)                                                                     \
	{"root", 0, NUMBER, &(options).root, "R",                                                  \
		"the root, if the data of an MSCCL file does not show it"},                        \
	{                                                                                          \
		"in-place", 0, SWITCH, &(options).in_place, NULL,                                  \
			"of an MSCCL file for both kinds of calls, the form of calls in place"     \
	}
#define MSCCL_FOLDER_OPTIONS(runtime, collective)                                                  \
	{"runtime", 0, TEXT, &(runtime), "rccl|azure|microsoft",                                   \
		"of a folder of MSCCL files: which one each size selects, and the order there"},   \
	{                                                                                          \
		"coll", 0, TEXT, &(collective),                                                    \
			"allreduce|allgather|alltoall|reduce|broadcast|reduce_scatter|"            \
			"reducescatter|custom",                                                    \
			"with --runtime: only this collective, as files name it"                   \
	}

struct msccl_file {
	struct msccl_program *program;
	struct msccl_links links;
};

/* Does the name end in .xml? */
bool is_xml(const char *path);
/* Reads and checks; prints warnings. false: call->status. To be closed in any case. */
bool open_msccl_file(struct call *call, const char *path, struct msccl_file *file);
void close_msccl_file(struct msccl_file *file);
/* Its schedule, with control characters in names replaced. NULL: call->status. The caller destroys
 * it. */
struct ordo_schedule *msccl_schedule(
	struct call *call, const struct msccl_file *file, const struct msccl_options *options);

#endif
