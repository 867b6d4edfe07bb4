/* mpi_world.h - makes this process a rank of an MPI program, with the library of the launcher that
 * started it. */
#ifndef ORDO_TOOLS_RUN_MPI_WORLD_H
#define ORDO_TOOLS_RUN_MPI_WORLD_H

#include "base/command.h"
#include "check/message_run.h"

struct mpi_world {
	struct message_world world;
	int kept;   /* ranks but 0: stderr as it was; what they print meanwhile is in `held` */
	FILE *held; /* NULL: nothing is held back */
	bool has_met;
};

#define WORLD_OPTIONS(mpi, its_world)                                                              \
	{"mpi", 0, TEXT, &(mpi), "openmpi|mpich",                                                  \
		"the library of --transport mpi (that of the launcher)"},                          \
	{                                                                                          \
		"synchronous", 0, SWITCH, &(its_world).world.synchronous, NULL,                    \
			"every send of --transport mpi waits for its receive (MPI_Issend)"         \
	}

/* Loads the library and starts MPI; only rank 0 prints to stdout from now on. wanted: "openmpi",
 * "mpich", or NULL for that of the launcher. The caller closes the world, also after false, which
 * was reported. */
bool open_world(struct call *call, struct mpi_world *world, const char *wanted);
/* All ranks say whether they go on, as all do or none. Where only some do not, each of them prints
 * why; else rank 0 did. */
bool meet_world(struct mpi_world *world, bool goes_on);
/* Ends MPI. status: of this rank, which becomes that of the program. */
int close_world(struct mpi_world *world, int status);

#endif
