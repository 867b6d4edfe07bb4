/* aside.c - in a program of the other MPI, the library takes itself out of LD_PRELOAD and starts
 * the program again before any of it has run: the two MPIs' handles differ in size, so calls cannot
 * be passed on. In a program whose reductions do not come here, it says so. */
#define _GNU_SOURCE /* dl_iterate_phdr, dladdr */
#include "settings.h"
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef OPEN_MPI
#define OWN "Open MPI"
#define OTHER "MPICH"
enum { IS_OPEN_MPI = 1 };
#else
#define OWN "MPICH"
#define OTHER "Open MPI"
enum { IS_OPEN_MPI = 0 };
#endif

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static int look(struct dl_phdr_info *object, size_t size, void *closure)
{
	(void)size;
	if (strncmp(last_part(object->dlpi_name), "libmpi", 6))
		return 0;
	void *library = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
	const bool is_open_mpi = library && dlsym(library, "ompi_mpi_comm_world");
	if (library)
		dlclose(library);
	*(bool *)closure |= library && is_open_mpi != IS_OPEN_MPI;
	return 0;
}

static bool has_other(void)
{
	bool found = false;
	dl_iterate_phdr(look, &found);
	return found;
}

/* LD_PRELOAD without this library. false: it is not there. */
static bool take_out(char *list)
{
	Dl_info own;
	char *out = list;
	bool is_out = false;
	if (!dladdr(__extension__(void *) ordo_mpi_refuse_other, &own))
		return false;
	for (char *at = list; *at;) {
		const size_t length = strcspn(at, ": "), step = length + (at[length] != 0);
		char part[ORDO_MPI_PATH * 8];
		snprintf(part, sizeof part, "%.*s", (int)length, at);
		if (!strcmp(last_part(part), last_part(own.dli_fname))) {
			is_out = true;
		} else {
			memmove(out, at, step);
			out += step;
		}
		at += step;
	}
	*out = 0;
	return is_out;
}

static bool is_first_rank(void)
{
	const char *rank = getenv(IS_OPEN_MPI ? "OMPI_COMM_WORLD_RANK" : "PMI_RANK");
	return !rank || !strcmp(rank, "0");
}

/* A tool that is linked with the program, or loaded before this library, wraps MPI; or the program
 * was linked with MPI before this library. */
static void warn_if_hidden(void)
{
	static const char *const names[] = {
		"MPI_Allreduce", "MPI_Reduce", "MPI_Reduce_scatter", "MPI_Reduce_scatter_block"};
	Dl_info own, other;
	if (!is_first_rank() || !dladdr(__extension__(void *) ordo_mpi_refuse_other, &own))
		return;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const void *found = dlsym(RTLD_DEFAULT, names[i]);
		if (!found || !dladdr(found, &other) || other.dli_fbase == own.dli_fbase)
			continue;
		fprintf(stderr,
			"ordo: %s of %s comes before this library's: what it passes to P%s is made "
			"by MPI, and not counted\n",
			names[i], other.dli_fname, names[i]);
		return;
	}
}

__attribute__((constructor)) static void step_aside(int argc, char **argv)
{
	const char *given = getenv("LD_PRELOAD");
	char *list = given ? strdup(given) : NULL;
	(void)argc;
	if (list && take_out(list) && has_other()) {
		fprintf(stderr,
			"ordo: this library is for " OWN ", and %s uses " OTHER
			": nothing is changed in it\n",
			argv[0]);
		if (*list ? !setenv("LD_PRELOAD", list, 1) : !unsetenv("LD_PRELOAD"))
			execv("/proc/self/exe", argv);
	} else {
		warn_if_hidden();
	}
	free(list);
}

void ordo_mpi_refuse_other(void)
{
	if (!has_other())
		return;
	fprintf(stderr,
		"ordo: this library is for " OWN ", and the program uses " OTHER
		": load libordo_%s.so instead\n",
		IS_OPEN_MPI ? "mpich" : "openmpi");
	exit(2);
}
