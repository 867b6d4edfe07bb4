/* log.h - one line for every reduction of a rank: hashes of what went in and what came out, by
 * which two runs are compared (`log=FOLDER` of ORDO_MPI). Private to tools/mpi/.
 *
 * FOLDER/rank-R.log begins with a line "# ordo mpi log 1, rank R of N", and has fields separated by
 * spaces, "-" where there is none:
 *   number         of the call, in the order in which the program made them
 *   communicator   C/N: the C'th that the rank used in a reduction, of N ranks
 *   function       MPI_Allreduce
 *   operation      MPI_SUM, or "user"
 *   datatype       MPI_DOUBLE, or "derived"
 *   count          elements of the vector
 *   input, output  XXH3 of the elements, 16 hex digits
 *   class          "taken", or why it was passed on
 * Lines stand in the order in which calls were complete. */
#ifndef ORDO_MPI_LOG_H
#define ORDO_MPI_LOG_H

#include "report.h"
#include <stddef.h>

struct mpi_log_line {
	bool is_on, has_input;
	enum ordo_mpi_function function;
	enum ordo_mpi_class class;
	uint64_t number, input;
	intptr_t communicator; /* its number, and what is known of it: it may be freed meanwhile */
	int rank, nrank;
};

/* Once, when the settings are known. true: done, or no log is wanted; else `why`. */
bool ordo_mpi_log_open(char *why, size_t size);
/* Before the call: hashes its input. Nothing without log=. */
void ordo_mpi_log_begin(struct mpi_log_line *line, enum ordo_mpi_function function,
	enum ordo_mpi_class class, const struct ordo_mpi_call *call);
/* The same for another call of a persistent reduction, whose communicator may be freed. */
void ordo_mpi_log_again(struct mpi_log_line *line, const struct ordo_mpi_call *call);
/* After it: hashes its output if code is MPI_SUCCESS, else there is none, and writes the line. */
void ordo_mpi_log_end(struct mpi_log_line *line, const struct ordo_mpi_call *call, int code);

/* "MPI_SUM", or "user". */
const char *ordo_mpi_op_name(MPI_Op op);

#endif
