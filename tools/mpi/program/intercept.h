/* intercept.h - calls of a program, as C makes them. Fortran's come here too. Private to
 * tools/mpi/. */
#ifndef ORDO_MPI_INTERCEPT_H
#define ORDO_MPI_INTERCEPT_H

#include "report.h"
#include <fenv.h>

/* Makes a blocking call in the proved order, or returns false: it is to be passed on. *code is what
 * the function returns; an error was passed to the communicator's handler. */
bool ordo_mpi_take(enum ordo_mpi_function function, const struct ordo_mpi_call *call, int *code);
/* Counts a call as passed on, and with `strict` ends the program if its bits may vary. */
void ordo_mpi_pass_on(enum ordo_mpi_function function, enum ordo_mpi_class class);
/* Classifies; settings are read, and what is passed on is counted. */
bool ordo_mpi_is_taken(enum ordo_mpi_function function, const struct ordo_mpi_call *call);
/* Reductions between these two are made in the standard floating-point mode. */
struct ordo_mpi_mode {
	fenv_t kept;
	bool is_other;
};
void ordo_mpi_mode_begin(struct ordo_mpi_mode *mode);
void ordo_mpi_mode_end(const struct ordo_mpi_mode *mode);

#endif
