/* report.h - counts what the library does, and reports it when MPI ends. Private to tools/mpi/. */
#ifndef ORDO_MPI_REPORT_H
#define ORDO_MPI_REPORT_H

#include "classify.h"
#include <stdint.h>

/* Functions of MPI, for reports. The nonblocking and persistent forms follow the blocking ones. */
enum ordo_mpi_function {
	ORDO_MPI_F_ALLREDUCE,
	ORDO_MPI_F_REDUCE,
	ORDO_MPI_F_REDUCE_SCATTER,
	ORDO_MPI_F_REDUCE_SCATTER_BLOCK,
	ORDO_MPI_F_SCAN,
	ORDO_MPI_F_EXSCAN,
	ORDO_MPI_F_IALLREDUCE,
	ORDO_MPI_F_IREDUCE,
	ORDO_MPI_F_IREDUCE_SCATTER,
	ORDO_MPI_F_IREDUCE_SCATTER_BLOCK,
	ORDO_MPI_F_ALLREDUCE_INIT,
	ORDO_MPI_F_REDUCE_INIT,
	ORDO_MPI_F_REDUCE_SCATTER_INIT,
	ORDO_MPI_F_REDUCE_SCATTER_BLOCK_INIT,
	ORDO_MPI_F_ISCAN,
	ORDO_MPI_F_IEXSCAN,
	ORDO_MPI_F_SCAN_INIT,
	ORDO_MPI_F_EXSCAN_INIT,
	ORDO_MPI_F_ALLREDUCE_SHARDS /* ours, and blocking */
};
#define ORDO_MPI_NFUNCTION 19

const char *ordo_mpi_function_name(enum ordo_mpi_function function); /* "MPI_Allreduce" */

/* Counts a call; any thread. */
void ordo_mpi_count(
	enum ordo_mpi_function function, enum ordo_mpi_class class, uint64_t bytes, double seconds);
/* How many calls the time of the next one stands for; 0: it is not wanted. Reading the clock twice
 * takes a tenth of a short call, so of these, after the first, one in some is timed. */
unsigned ordo_mpi_timed_calls(enum ordo_mpi_function function, uint64_t bytes);
/* Time that a call, counted before, took later. */
void ordo_mpi_count_time(enum ordo_mpi_function function, double seconds);
/* Counts a call that was made in the standard floating-point mode, which is not the program's. */
void ordo_mpi_count_mode(void);
/* Reports when MPI ends; at any call, the first time. Without MPI_Init, ordo_mpi_report_now
 * does. */
void ordo_mpi_report_at_end(void);
/* Whether the name of its file asks for JSON instead of text. */
bool ordo_mpi_report_is_json(const char *path);
/* The report of all calls so far, when the last session ends. */
void ordo_mpi_report_now(void);
/* MPI starts again, otherwise than before. */
void ordo_mpi_report_again(void);
/* From the first call on until MPI ends. */
bool ordo_mpi_is_registered(void);
/* Ends the program after what was written to stderr, which launchers drop if they are quicker. */
void ordo_mpi_abort(int status);
/* With `strict`: ends the program because of a call that is passed on. */
void ordo_mpi_refuse(enum ordo_mpi_function function, enum ordo_mpi_class class);

#endif
