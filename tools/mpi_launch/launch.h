/* launch.h - executes a program of MPI with our library loaded into it. */
#ifndef ORDO_TOOLS_MPI_LAUNCH_LAUNCH_H
#define ORDO_TOOLS_MPI_LAUNCH_LAUNCH_H

#include "program.h"
#include <ordo/operator.h>

/* The options of `ordo mpi`, as on the command line; NULL: not given. */
struct mpi_settings_words {
	const char *order, *plans, *report, *log;
	uint32_t shards; /* ORDO_NONE: not given */
	bool strict, check;
};

/* The MPI that the program uses, from its file, `wanted` ("openmpi", "mpich"; may be NULL), and the
 * launcher. NULL: call->status. */
const struct mpi_kind *choose_mpi(
	struct call *call, const struct mpi_program *program, const char *wanted);
/* Sets LD_PRELOAD and ORDO_MPI: what they have already stays. false: call->status. */
bool set_environment(struct call *call, const struct mpi_program *program,
	const struct mpi_kind *kind, const struct mpi_settings_words *words);
/* Becomes the program. argv[argc] follows the program's name. Returns only if that failed: the exit
 * code. */
int become_program(
	struct call *call, const struct mpi_program *program, const char *const *argv, size_t argc);

#endif
