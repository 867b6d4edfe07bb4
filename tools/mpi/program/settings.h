/* settings.h - ORDO_MPI: what the library does in a program. Private to tools/mpi/. */
#ifndef ORDO_MPI_SETTINGS_H
#define ORDO_MPI_SETTINGS_H

#include "engine/plan.h"

#define ORDO_MPI_PATH 512

/* Plain data, sent from rank 0 to all others. */
struct mpi_settings {
	enum ordo_mpi_order order;
	bool is_library; /* order=library: every call is passed on, to be compared by its log */
	bool strict;	 /* a call that is passed on and whose bits may vary ends the program */
	bool messages;	 /* also among ranks that share memory */
	bool check;	 /* the arguments of all ranks are compared */
	char report[ORDO_MPI_PATH]; /* "": stderr, "none": nowhere */
	char log[ORDO_MPI_PATH];    /* folder; "": no log */
	char plans[ORDO_MPI_PATH];  /* folder of documents on rank 0; "": none */
	uint64_t shards;	    /* for ordo_mpi_shards; 0: not given */
	uint64_t memory;	    /* bytes, that a nonblocking call may collect on a rank */
	uint64_t deadline;	    /* seconds, for all ranks to answer at the start */
};

/* Of this process. */
extern struct mpi_settings ordo_mpi_settings;

/* Reads the text of ORDO_MPI: "order=dyadic,plans=FOLDER,shards=V,report=FILE,log=FOLDER,
 * strict,check,memory=BYTES,deadline=SECONDS". NULL or "": the defaults. false: `why` says what is
 * wrong. */
bool ordo_mpi_settings_read(
	struct mpi_settings *settings, const char *text, char *why, size_t size);
/* What `order=` calls each enum ordo_mpi_order. */
extern const char *const ordo_mpi_order_names[];
/* Right after MPI was started, on every rank of MPI_COMM_WORLD, or of a communicator made from a
 * group of a session: takes the settings of rank 0 (or of the lowest rank that has met others
 * before), and waits for all ranks to say that they have this library. Ends the program with a
 * message if some do not in time, if the settings are wrong, or if ranks that have met others
 * before have different ones. */
void ordo_mpi_meet(MPI_Comm comm);
/* The same where processes of several MPI_COMM_WORLDs are one communicator. Those that do not
 * answer are named, and returned: [*nmissing], to be freed; the others go on without settings in
 * common. All of them get the same; without an answer of rank 0 the program ends. */
int *ordo_mpi_meet_joined(MPI_Comm comm, int *nmissing);
/* Settings as the text of ORDO_MPI, for other processes, whose files are called `name`. The text is
 * cut if `size` is not enough. */
void ordo_mpi_settings_write(
	const struct mpi_settings *settings, const char *name, char *text, size_t size);
/* From then on. A communicator of one rank does without the others. */
bool ordo_mpi_has_settings(void);
/* Whether ordo_mpi_meet was called, or MPI was started where it is not noticed. */
void ordo_mpi_meet_late(void);
/* When MPI starts: ends the program with a message if it is one of the other MPI, which was loaded
 * so late that the library could not step aside. */
void ordo_mpi_refuse_other(void);

#endif
