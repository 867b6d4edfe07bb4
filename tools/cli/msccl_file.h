/* msccl_file.h - a program of MSCCL from a file, for commands. */
#ifndef ORDO_TOOLS_CLI_MSCCL_FILE_H
#define ORDO_TOOLS_CLI_MSCCL_FILE_H

#include "msccl/lower.h"

struct call;

#define MSCCL_OPTIONS(options)                                                                     \
	{"root", 0, NUMBER, &(options).root, "R",                                                  \
		"the root, of a file of MSCCL whose data does not show it"},                       \
	{                                                                                          \
		"in-place", 0, SWITCH, &(options).in_place, NULL,                                  \
			"a file of MSCCL for both: as calls in place use it"                       \
	}
#define MSCCL_FOLDER_OPTIONS(runtime, collective)                                                  \
	{"runtime", 0, TEXT, &(runtime), "rccl|azure|microsoft",                                   \
		"of a folder of MSCCL files: which one each size selects, and the order there"},   \
	{                                                                                          \
		"coll", 0, TEXT, &(collective),                                                    \
			"allreduce|allgather|alltoall|reduce|broadcast|reduce_scatter|"            \
			"reducescatter|custom",                                                    \
			"with --runtime: of this collective only, as files name it"                \
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
