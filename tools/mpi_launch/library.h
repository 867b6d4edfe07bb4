/* library.h - the MPIs that are known, their launchers, and our library for each: for `ordo mpi`,
 * `ordo run --transport mpi` and `ordo doctor`. */
#ifndef ORDO_TOOLS_MPI_LAUNCH_LIBRARY_H
#define ORDO_TOOLS_MPI_LAUNCH_LIBRARY_H

#include "base/command.h"

/* An MPI. Launchers set variables for their processes. */
struct mpi_kind {
	const char *library; /* "openmpi": libordo_openmpi.so, and the word after --mpi */
	const char *name;    /* "Open MPI" */
	const char *size; /* the variable with the number of ranks, which only its launcher sets */
	const char *rank; /* a variable that others than its launcher set for it; NULL: none */
	const char *package; /* of Debian, with its headers */
};
enum { NMPI_KIND = 2 };
extern const struct mpi_kind mpi_kinds[NMPI_KIND];

/* The MPI whose launcher started this process; NULL: none that is known. */
const struct mpi_kind *find_mpi_launcher(void);
/* The MPI named on the command line. NULL: none of that name, reported: call->status. */
const struct mpi_kind *named_mpi(struct call *call, const char *wanted);

/* The path of our library for an MPI: beside the command where it was built, else where it is
 * installed. false: it is at neither place; path is where it would be installed. */
bool find_mpi_library(const struct mpi_kind *kind, char *path, size_t size);
/* Reports that our library for an MPI cannot be used, and why: call->status. Returns false. */
bool refuse_mpi_library(struct call *call, const struct mpi_kind *kind, const char *why);

#endif
