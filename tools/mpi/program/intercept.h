/* intercept.h - calls of a program, as C makes them. Fortran's come here too. Private to
 * tools/mpi/. */
#ifndef ORDO_MPI_INTERCEPT_H
#define ORDO_MPI_INTERCEPT_H

#include "check/compare.h"
#include "log.h"
#include <fenv.h>

/* One call, from its beginning to its end. */
struct ordo_mpi_passed {
	enum ordo_mpi_function function;
	struct mpi_log_line line;
	struct mpi_comparison *comparison; /* of a nonblocking call that is passed on; or NULL */
};

/* Classifies a call, counts it if it is to be passed on (with `strict` ends the program if its bits
 * may vary then), and begins its line of the log. */
enum ordo_mpi_class ordo_mpi_begin(struct ordo_mpi_passed *passed, enum ordo_mpi_function function,
	const struct ordo_mpi_call *call);
/* A call that began as taken is passed on because another rank's has that class. */
void ordo_mpi_pass_too(struct ordo_mpi_passed *passed, enum ordo_mpi_class class);
/* After the library's own function, which returned `code`. Returns it. */
int ordo_mpi_end(struct ordo_mpi_passed *passed, const struct ordo_mpi_call *call, int code);
/* The same where the output is not there yet. */
int ordo_mpi_end_begun(struct ordo_mpi_passed *passed, const struct ordo_mpi_call *call, int code);
/* Makes a blocking call in the proved order, or returns false: it is to be passed on. *code is what
 * the function returns; an error was passed to the communicator's handler. */
bool ordo_mpi_take(struct ordo_mpi_passed *passed, enum ordo_mpi_function function,
	const struct ordo_mpi_call *call, int *code);
/* With `check`, before a nonblocking call or the start of a persistent one: begins to compare the
 * ranks' calls. *worked is false if that is impossible. NULL: there is nothing to compare. */
struct mpi_comparison *ordo_mpi_begin_comparison(enum ordo_mpi_function function,
	enum ordo_mpi_class class, const struct ordo_mpi_call *call, MPI_Comm comm, bool *worked);
/* Of the vectors of a call. */
uint64_t ordo_mpi_bytes(const struct ordo_mpi_call *call);
/* Reductions between these two are made in the standard floating-point mode. */
struct ordo_mpi_mode {
	fenv_t kept;
	bool is_other;
};
void ordo_mpi_mode_begin(struct ordo_mpi_mode *mode);
void ordo_mpi_mode_end(const struct ordo_mpi_mode *mode);

#ifdef OPEN_MPI
/* A buffer that Fortran passes, as C does. */
void *ordo_mpi_fortran_buffer(void *given);
#endif

#endif
