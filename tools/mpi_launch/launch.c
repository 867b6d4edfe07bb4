/* launch.c - executes a program of MPI with our library loaded into it. */
#include "launch.h"
#include "base/report.h"
#include <errno.h>
#include <inttypes.h>
#include <ordo/detail/fail.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool refuse_with_hint(struct call *call, struct ordo_error *error, const char *hint)
{
	ordo_hint(error, "%s", hint);
	return refuse_error(call, error);
}

static bool refuse_static(struct call *call, const struct mpi_program *program)
{
	struct ordo_error error;
	ordo_fail(&error, ORDO_BAD_INPUT, 0,
		"%s is statically linked: no library can be loaded into it", program->path);
	return refuse_with_hint(call, &error, "link it with the shared library of its MPI");
}

/* Slurm starts programs of either. */
static bool suits_launcher(
	struct call *call, const struct mpi_program *program, const struct mpi_kind *kind)
{
	struct ordo_error error;
	const struct mpi_kind *launcher = find_mpi_launcher();
	if (!launcher || launcher == kind || !getenv(launcher->size) || getenv("SLURM_JOB_ID"))
		return true;
	ordo_fail(&error, ORDO_ENVIRONMENT, 0,
		"%s uses %s, and the launcher of %s started it: every process would be alone",
		program->path, kind->name, launcher->name);
	return refuse_with_hint(call, &error,
		"start it with the launcher of its MPI, or name its MPI with --mpi to run it "
		"nevertheless");
}

const struct mpi_kind *choose_mpi(
	struct call *call, const struct mpi_program *program, const char *wanted)
{
	struct ordo_error error;
	if (program->form == STATIC_PROGRAM) {
		refuse_static(call, program);
		return NULL;
	}
	if (wanted)
		return named_mpi(call, wanted);
	if (program->kind)
		return suits_launcher(call, program, program->kind) ? program->kind : NULL;
	if (find_mpi_launcher())
		return find_mpi_launcher();
	ordo_fail(&error, ORDO_BAD_INPUT, 0,
		"%s is not linked with an MPI, and no launcher of an MPI started it",
		program->path);
	refuse_with_hint(call, &error,
		"mpirun -n 8 ordo mpi PROGRAM; for a script or an interpreter, --mpi openmpi or "
		"--mpi mpich names its MPI");
	return NULL;
}

/* Two libraries of MPI in one process do not work. */
static bool uses_same_mpi(struct call *call, const struct mpi_program *program,
	const struct mpi_kind *kind, const char *library)
{
	char loader[MOST_PATH], ours[MOST_PATH];
	struct ordo_error error;
	if (!*program->mpi || program->kind != kind ||
		!read_loader(program->path, loader, sizeof loader) ||
		!find_linked_mpi(loader, library, ours, sizeof ours) || !strcmp(ours, program->mpi))
		return true;
	ordo_fail(&error, ORDO_ENVIRONMENT, 0,
		"%s uses %s, but %s was built for %s: two libraries of MPI in one process",
		program->path, program->mpi, library, ours);
	return refuse_with_hint(call, &error,
		"build ordo with the MPI that the program uses: PKG_CONFIG_PATH names its folder");
}

/* ld.so takes blanks and colons as separators. */
static bool set_preload(struct call *call, const struct mpi_kind *kind, const char *library)
{
	char *value = NULL;
	const char *before = getenv("LD_PRELOAD");
	const size_t size = strlen(library) + (before ? strlen(before) : 0) + 2;
	if (strpbrk(library, ": \t\n"))
		return refuse_mpi_library(
			call, kind, "ld.so cannot load a path with a blank or a colon in it");
	if (!(value = malloc(size)))
		return refuse_memory(call);
	snprintf(
		value, size, "%s%s%s", library, before && *before ? ":" : "", before ? before : "");
	const bool worked = !setenv("LD_PRELOAD", value, 1);
	free(value);
	return worked || refuse_memory(call);
}

/* The program may change its folder before it starts MPI. */
static bool add_path(struct call *call, FILE *out, const char *name, const char *path)
{
	char folder[MOST_PATH] = "";
	if (!path)
		return true;
	if (!*path || strchr(path, ','))
		return refuse_usage(
			call, NULL, "--%s: found \"%s\", wanted a path without commas", name, path);
	const bool is_word = !strcmp(name, "report") && !strcmp(path, "none");
	if (*path != '/' && !is_word && !getcwd(folder, sizeof folder))
		*folder = 0;
	fprintf(out, ",%s=%s%s%s", name, folder, *folder ? "/" : "", path);
	return true;
}

static bool set_settings(struct call *call, const struct mpi_settings_words *words)
{
	static const char *const orders[] = {"dyadic", "linear", "folded", "library"};
	const char *before = getenv("ORDO_MPI");
	char *text = NULL;
	size_t size;
	bool known = !words->order;
	for (int i = 0; words->order && i < 4; i++)
		known = known || !strcmp(words->order, orders[i]);
	if (!known)
		return refuse_usage(call, NULL,
			"--order: found %s, wanted dyadic, linear, folded or library",
			words->order);
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return refuse_memory(call);
	fputs(before ? before : "", out);
	if (words->order)
		fprintf(out, ",order=%s", words->order);
	if (words->shards != ORDO_NONE)
		fprintf(out, ",shards=%" PRIu32, words->shards);
	const bool worked = add_path(call, out, "plans", words->plans) &&
			    add_path(call, out, "report", words->report) &&
			    add_path(call, out, "log", words->log);
	fprintf(out, "%s%s", words->strict ? ",strict" : "", words->check ? ",check" : "");
	const bool whole = !fclose(out);
	const char *value = text && *text == ',' ? text + 1 : text;
	const bool set = whole && (!*value || !setenv("ORDO_MPI", value, 1));
	free(text);
	return worked && (set || refuse_memory(call));
}

bool set_environment(struct call *call, const struct mpi_program *program,
	const struct mpi_kind *kind, const struct mpi_settings_words *words)
{
	char library[MOST_PATH], why[MOST_PATH + 32];
	if (!find_mpi_library(kind, library, sizeof library)) {
		snprintf(why, sizeof why, "there is no %s", library);
		return refuse_mpi_library(call, kind, why);
	}
	return uses_same_mpi(call, program, kind, library) && set_preload(call, kind, library) &&
	       set_settings(call, words);
}

int become_program(
	struct call *call, const struct mpi_program *program, const char *const *argv, size_t argc)
{
	struct ordo_error error;
	char **words = calloc(argc + 1, sizeof *words);
	if (!words) {
		refuse_memory(call);
		return call->status;
	}
	for (size_t i = 0; i < argc; i++)
		words[i] = (char *)(uintptr_t)argv[i];
	/* The command ignores these; the program must not. */
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	fflush(NULL);
	execv(program->path, words);
	ordo_fail(&error, ORDO_ENVIRONMENT, 0, "cannot execute %s: %s", program->path,
		errno == ENOEXEC ? "it is neither a program nor a script that begins with #!"
				 : strerror(errno));
	free(words);
	return fail(call, &error);
}
