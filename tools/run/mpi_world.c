/* mpi_world.c - loads the library of an MPI, and makes this process a rank of its program. */
#include "mpi_world.h"
#include "base/report.h"
#include <dlfcn.h>
#include <inttypes.h>
#include <ordo/detail/fail.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What launchers tell their processes. */
struct launcher {
	const char *library; /* libordo_NAME.so */
	const char *name;    /* for people */
	const char *size;    /* the variable with the number of ranks */
};
static const struct launcher launchers[] = {
	{"openmpi", "Open MPI", "OMPI_COMM_WORLD_SIZE"}, {"mpich", "MPICH", "PMI_SIZE"}};
enum { NLAUNCHER = sizeof launchers / sizeof *launchers };

/* The launcher that started this process; NULL: none that is known. */
static const struct launcher *find_launcher(void)
{
	for (int i = 0; i < NLAUNCHER; i++)
		if (getenv(launchers[i].size))
			return &launchers[i];
	return NULL;
}

static const struct launcher *choose_launcher(struct call *call, const char *wanted)
{
	const struct launcher *found = find_launcher();
	for (int i = 0; wanted && i < NLAUNCHER; i++)
		if (!strcmp(wanted, launchers[i].library))
			return &launchers[i];
	if (wanted)
		refuse_usage(call, NULL, "--mpi: found %s, wanted openmpi or mpich", wanted);
	else if (!found)
		refuse_usage(call,
			"start one process for each rank: mpirun -n 8 ordo run ring.json "
			"--transport mpi; --mpi openmpi or --mpi mpich names the library",
			"--transport mpi: no launcher of MPI started this process");
	return wanted ? NULL : found;
}

/* Beside the command where it was built, else where it is installed. NULL: it is not there. */
static void *load(const char *library, char *why, size_t size)
{
	char path[4096], file[64];
	snprintf(file, sizeof file, "libordo_%s.so", library);
	const ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof file - 8);
	if (length > 0) {
		path[length] = 0;
		char *slash = strrchr(path, '/');
		snprintf(slash, sizeof path - (size_t)(slash - path), "/mpi/%s", file);
		if (!access(path, R_OK)) {
			void *built = dlopen(path, RTLD_NOW | RTLD_LOCAL);
			if (!built)
				snprintf(why, size, "%s", dlerror());
			return built;
		}
	}
	snprintf(path, sizeof path, "%s/%s", ORDO_LIBRARIES, file);
	void *installed = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!installed)
		snprintf(why, size, "%s", dlerror());
	return installed;
}

static const struct ordo_mpi_transport *load_transport(
	struct call *call, const struct launcher *launcher)
{
	char why[512] = "";
	struct ordo_error error;
	void *library = load(launcher->library, why, sizeof why);
	const struct ordo_mpi_transport *mpi =
		library ? dlsym(library, "ordo_mpi_transport") : NULL;
	if (mpi && mpi->version == ORDO_MPI_TRANSPORT_VERSION)
		return mpi;
	ordo_fail(&error, ORDO_ENVIRONMENT, 0, "the library for %s cannot be loaded: %s",
		launcher->name, library ? "it is of another version of ordo" : why);
	ordo_hint(&error, "it is built where the development files of %s are installed (%s)",
		launcher->name,
		!strcmp(launcher->library, "mpich") ? "libmpich-dev" : "libopenmpi-dev");
	call->status = fail(call, &error);
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
	const struct launcher *launcher = find_launcher();
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
	const struct launcher *launcher = choose_launcher(call, wanted);
	const struct ordo_mpi_transport *mpi = launcher ? load_transport(call, launcher) : NULL;
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
