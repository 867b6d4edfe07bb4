/* msccl_file.h - a program of MSCCL from a file, for commands. */
#ifndef ORDO_TOOLS_CLI_MSCCL_FILE_H
#define ORDO_TOOLS_CLI_MSCCL_FILE_H

#include "msccl/lower.h"

struct call;

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
