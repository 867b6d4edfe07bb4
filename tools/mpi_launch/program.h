/* program.h - the MPI that a program uses, from its file and the libraries that ld.so finds for
 * it. The program is not run. */
#ifndef ORDO_TOOLS_MPI_LAUNCH_PROGRAM_H
#define ORDO_TOOLS_MPI_LAUNCH_PROGRAM_H

#include "library.h"

enum { MOST_PATH = 4096 };

enum program_form {
	LINKED_PROGRAM, /* with shared libraries */
	STATIC_PROGRAM, /* without: nothing can be loaded into it */
	SCRIPT		/* or another file that is no ELF: its interpreter is the program */
};

struct mpi_program {
	char path[MOST_PATH];
	enum program_form form;
	const struct mpi_kind *kind; /* that it is linked with; NULL: none */
	char mpi[MOST_PATH];	     /* the library of that MPI, as ld.so finds it; "": none */
};

/* Finds a program by its name, as a shell does, and the MPI it is linked with. false: there is no
 * such program, reported: call->status. */
bool examine_program(struct call *call, const char *name, struct mpi_program *program);
/* The MPI among the shared libraries of a file, as the loader `loader` finds them: its path in
 * `mpi`. NULL: none of them is an MPI. */
const struct mpi_kind *find_linked_mpi(
	const char *loader, const char *file, char *mpi, size_t size);
/* The loader that an ELF file names, "/lib64/ld-linux-x86-64.so.2". false: it names none. */
bool read_loader(const char *file, char *loader, size_t size);

#endif
