/* joined.c - processes that join later, by MPI_Comm_spawn or MPI_Comm_connect. Those that are
 * started get the library and the settings, where MPI passes variables on. They are one
 * intra-communicator with others only after MPI_Intercomm_merge, which all of them call: there they
 * meet, and who does not answer is remembered as a stranger. Every communicator that joins a rank
 * and a stranger was made from such a result, so all its ranks that have the library know. */
#include "joined.h"
#include "program/settings.h"
#include "world/strangers.h"
#include "world/world.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether a process is of another MPI_COMM_WORLD. */
static bool is_joined(MPI_Comm comm)
{
	int n = 0;
	MPI_Group group, world, others;
	PMPI_Comm_group(comm, &group);
	PMPI_Comm_group(MPI_COMM_WORLD, &world);
	if (PMPI_Group_difference(group, world, &others) == MPI_SUCCESS) {
		PMPI_Group_size(others, &n);
		PMPI_Group_free(&others);
	}
	PMPI_Group_free(&group);
	PMPI_Group_free(&world);
	return n;
}

static void join(MPI_Comm comm)
{
	int nmissing, *missing;
	if (!ordo_mpi_has_world() || !is_joined(comm))
		return;
	missing = ordo_mpi_meet_joined(comm, &nmissing);
	if (nmissing)
		ordo_mpi_remember_strangers(comm, missing, nmissing);
	free(missing);
}

int MPI_Intercomm_merge(MPI_Comm between, int is_high, MPI_Comm *comm)
{
	const int code = PMPI_Intercomm_merge(between, is_high, comm);
	if (code == MPI_SUCCESS)
		join(*comm);
	return code;
}

/* The variables of processes that this one starts, a line each, for the key "env" of Open MPI,
 * which gives them those of mpirun alone. false: they do not fit the value of an MPI_Info. */
static bool write_variables(char *text, size_t size)
{
	static _Atomic int nspawn;
	char settings[4 * ORDO_MPI_PATH], name[32];
	const char *preload = getenv("LD_PRELOAD");
	int rank = 0;
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	snprintf(name, sizeof name, "spawned-%d-%d", rank, nspawn++);
	ordo_mpi_settings_write(&ordo_mpi_settings, name, settings, sizeof settings);
	const int n = snprintf(text, size, "%s%s%sORDO_MPI=%s", preload ? "LD_PRELOAD=" : "",
		preload ? preload : "", preload ? "\n" : "", settings);
	return n >= 0 && (size_t)n < size;
}

MPI_Info ordo_mpi_add_variables(MPI_Info given)
{
	char text[MPI_MAX_INFO_VAL], other[2];
	MPI_Info info;
	int is_there = 0;
	if (!ordo_mpi_has_world())
		return MPI_INFO_NULL;
	if (given != MPI_INFO_NULL)
		PMPI_Info_get(given, "env", sizeof other - 1, other, &is_there);
	if (is_there || !write_variables(text, sizeof text)) {
		fprintf(stderr,
			"ordo: processes started by MPI_Comm_spawn are not given the library: %s\n",
			is_there ? "the program sets their variables (env)"
				 : "LD_PRELOAD and ORDO_MPI are too long");
		return MPI_INFO_NULL;
	}
	if ((given == MPI_INFO_NULL ? PMPI_Info_create(&info) : PMPI_Info_dup(given, &info)) !=
		MPI_SUCCESS)
		return MPI_INFO_NULL;
	PMPI_Info_set(info, "env", text);
	return info;
}

MPI_Info ordo_mpi_add_or_copy(MPI_Info given)
{
	MPI_Info own = ordo_mpi_add_variables(given);
	if (own == MPI_INFO_NULL && given != MPI_INFO_NULL)
		PMPI_Info_dup(given, &own);
	return own;
}

bool ordo_mpi_is_root(MPI_Comm comm, int root)
{
	int rank;
	return PMPI_Comm_rank(comm, &rank) == MPI_SUCCESS && rank == root;
}

int MPI_Comm_spawn(const char *command, char **arguments, int n, MPI_Info info, int root,
	MPI_Comm comm, MPI_Comm *between, int codes[])
{
	MPI_Info own = ordo_mpi_is_root(comm, root) ? ordo_mpi_add_variables(info) : MPI_INFO_NULL;
	const int code = PMPI_Comm_spawn(command, arguments, n, own == MPI_INFO_NULL ? info : own,
		root, comm, between, codes);
	if (own != MPI_INFO_NULL)
		PMPI_Info_free(&own);
	return code;
}

int MPI_Comm_spawn_multiple(int ncommand, char **commands, char ***arguments, const int n[],
	const MPI_Info info[], int root, MPI_Comm comm, MPI_Comm *between, int codes[])
{
	MPI_Info *own = NULL;
	if (ordo_mpi_is_root(comm, root) && ncommand > 0)
		own = malloc((size_t)ncommand * sizeof *own);
	for (int i = 0; own && i < ncommand; i++)
		own[i] = ordo_mpi_add_or_copy(info[i]);
	const int code = PMPI_Comm_spawn_multiple(
		ncommand, commands, arguments, n, own ? own : info, root, comm, between, codes);
	for (int i = 0; own && i < ncommand; i++)
		if (own[i] != MPI_INFO_NULL)
			PMPI_Info_free(&own[i]);
	free(own);
	return code;
}
