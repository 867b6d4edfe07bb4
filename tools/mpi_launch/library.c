/* library.c - the MPIs that are known, and our library for each. */
#include "library.h"
#include "base/report.h"
#include <ordo/detail/fail.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct mpi_kind mpi_kinds[NMPI_KIND] = {
	{"openmpi", "Open MPI", "OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "libopenmpi-dev"},
	{"mpich", "MPICH", "PMI_SIZE", "PMI_RANK", "libmpich-dev"}};

const struct mpi_kind *find_mpi_launcher(void)
{
	for (int i = 0; i < NMPI_KIND; i++)
		if (getenv(mpi_kinds[i].size))
			return &mpi_kinds[i];
	for (int i = 0; i < NMPI_KIND; i++)
		if (getenv(mpi_kinds[i].rank))
			return &mpi_kinds[i];
	return NULL;
}

const struct mpi_kind *named_mpi(struct call *call, const char *wanted)
{
	for (int i = 0; i < NMPI_KIND; i++)
		if (!strcmp(wanted, mpi_kinds[i].library))
			return &mpi_kinds[i];
	refuse_usage(call, NULL, "--mpi: found %s, wanted openmpi or mpich", wanted);
	return NULL;
}

bool find_mpi_library(const struct mpi_kind *kind, char *path, size_t size)
{
	char file[64];
	snprintf(file, sizeof file, "libordo_%s.so", kind->library);
	const size_t end = strlen("/mpi/") + strlen(file) + 1;
	const ssize_t length = size > end ? readlink("/proc/self/exe", path, size - end) : 0;
	if (length > 0) {
		path[length] = 0;
		char *slash = strrchr(path, '/');
		snprintf(slash, size - (size_t)(slash - path), "/mpi/%s", file);
		if (!access(path, R_OK))
			return true;
	}
	const int used = snprintf(path, size, "%s/%s", ORDO_LIBRARIES, file);
	return used > 0 && (size_t)used < size && !access(path, R_OK);
}

bool refuse_mpi_library(struct call *call, const struct mpi_kind *kind, const char *why)
{
	struct ordo_error error;
	ordo_fail(&error, ORDO_ENVIRONMENT, 0, "the library for %s cannot be loaded: %s",
		kind->name, why);
	ordo_hint(&error, "it is built where the development files of %s are installed (%s)",
		kind->name, kind->package);
	return refuse_error(call, &error);
}
