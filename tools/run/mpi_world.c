/* mpi_world.c - loads the library of an MPI, and makes this process a rank of its program. */
#include "mpi_world.h"
#include "base/report.h"
#include "mpi_launch/library.h"
#include <dlfcn.h>
#include <inttypes.h>
#include <ordo/detail/fail.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct mpi_kind *choose_kind(struct call *call, const char *wanted)
{
	const struct mpi_kind *found = wanted ? named_mpi(call, wanted) : find_mpi_launcher();
	if (!found && !wanted)
		refuse_usage(call,
			"start one process for each rank: mpirun -n 8 ordo run ring.json "
			"--transport mpi; --mpi openmpi or --mpi mpich names the library",
			"--transport mpi: no launcher of MPI started this process");
	return found;
}

static const struct ordo_mpi_transport *load_transport(
	struct call *call, const struct mpi_kind *kind)
{
	char path[4096];
	find_mpi_library(kind, path, sizeof path);
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		refuse_mpi_library(call, kind, dlerror());
		return NULL;
	}
	const struct ordo_mpi_transport *mpi = dlsym(library, "ordo_mpi_transport");
	if (mpi && mpi->version == ORDO_MPI_TRANSPORT_VERSION)
		return mpi;
	refuse_mpi_library(call, kind, "it is of another version of ordo");
	return NULL;
}

/* Ranks but 0 print nothing to stdout, and to stderr only if others have no such fault. */
static void hold_output(struct mpi_world *world)
{
	if (!world->world.rank || !freopen("/dev/null", "w", stdout))
		return;
	world->held = tmpfile();
	if (!world->held)
		return;
	fflush(stderr);
	world->kept = dup(STDERR_FILENO);
	dup2(fileno(world->held), STDERR_FILENO);
}

static void release_output(struct mpi_world *world, bool shows)
{
	char line[1024];
	if (!world->held)
		return;
	fflush(stderr);
	dup2(world->kept, STDERR_FILENO);
	close(world->kept);
	rewind(world->held);
	while (shows && fgets(line, sizeof line, world->held))
		fprintf(stderr, "rank %" PRIu32 ": %s", world->world.rank, line);
	fclose(world->held);
	world->held = NULL;
}

/* Every process by itself: the launcher is not that of the library. */
static bool is_alone(struct call *call, const struct mpi_world *world)
{
	const struct mpi_kind *launcher = find_mpi_launcher();
	const char *size = launcher ? getenv(launcher->size) : NULL;
	struct ordo_error error;
	if (!size || world->world.nrank > 1 || strtol(size, NULL, 10) < 2)
		return false;
	ordo_fail(&error, ORDO_ENVIRONMENT, 0,
		"the launcher of %s started %s processes, and this library sees only one",
		launcher->name, size);
	ordo_hint(&error, "start it with the launcher of the library, or leave --mpi out");
	call->status = fail(call, &error);
	return true;
}

bool open_world(struct call *call, struct mpi_world *world, const char *wanted)
{
	struct ordo_error error;
	const struct mpi_kind *kind = choose_kind(call, wanted);
	const struct ordo_mpi_transport *mpi = kind ? load_transport(call, kind) : NULL;
	if (!mpi)
		return false;
	if (!mpi->begin(&world->world.rank, &world->world.nrank, &error)) {
		call->status = fail(call, &error);
		return false;
	}
	world->world.mpi = mpi;
	hold_output(world);
	return !is_alone(call, world);
}

bool meet_world(struct mpi_world *world, bool goes_on)
{
	const struct ordo_mpi_transport *mpi = world->world.mpi;
	const bool all_agree = mpi->agree(goes_on);
	world->has_met = true;
	release_output(world, !goes_on && !all_agree);
	return goes_on && all_agree;
}

int close_world(struct mpi_world *world, int status)
{
	const struct ordo_mpi_transport *mpi = world->world.mpi;
	if (!mpi)
		return status;
	fflush(stdout);
	if (!world->has_met)
		meet_world(world, false);
	mpi->end();
	return status;
}
