/* log_file.h - the log of one rank: a line for each of its reductions. tools/mpi/program/log.h has
 * the format. */
#ifndef ORDO_TOOLS_MPI_LAUNCH_LOG_FILE_H
#define ORDO_TOOLS_MPI_LAUNCH_LOG_FILE_H

#include "base/command.h"

/* One reduction. Texts are in the log. */
struct logged_call {
	uint64_t number;
	const char *communicator, *function, *operation, *datatype, *count;
	const char *input, *output; /* "-": none */
	const char *class;	    /* "taken", or why it was passed on */
};

struct log_file {
	char *text;
	struct logged_call *calls; /* [ncall], by number */
	size_t ncall, room;
	uint32_t rank, nrank;
};

/* Reads FOLDER/rank-R.log. The caller closes it, also after false. */
bool open_log(struct log_file *log, const char *folder, uint32_t rank, struct ordo_error *error);
void close_log(struct log_file *log);

#endif
