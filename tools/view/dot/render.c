/* render.c - renders a picture by the program `dot`. */
#include "dark.h"
#include "drawings.h"
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_FOUND = 127, NOT_RUN = 126 };

/* Never returns. */
static void become_dot(int from, int to, const char *format)
{
	char option[16];
	snprintf(option, sizeof option, "-T%s", format);
	if (dup2(from, STDIN_FILENO) < 0 || dup2(to, STDOUT_FILENO) < 0)
		_exit(NOT_RUN);
	execlp("dot", "dot", option, (char *)NULL);
	_exit(errno == ENOENT ? NOT_FOUND : NOT_RUN);
}

static bool run_dot(FILE *dot, const char *format, FILE *image, struct ordo_error *error)
{
	fflush(NULL);
	lseek(fileno(dot), 0, SEEK_SET);
	pid_t child = fork();
	if (child < 0)
		return ordo_fail(
			error, ORDO_ENVIRONMENT, 0, "cannot start `dot`: %s", strerror(errno));
	if (child == 0)
		become_dot(fileno(dot), fileno(image), format);
	int status;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return ordo_fail(
				error, ORDO_ENVIRONMENT, 0, "lost `dot`: %s", strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND) {
		ordo_fail(error, ORDO_ENVIRONMENT, 0, "the program `dot` is not installed");
		return ordo_hint(
			error, "install Graphviz (apt-get install graphviz), or use --as dot");
	}
	if (WIFSIGNALED(status))
		return ordo_fail(error, ORDO_ENVIRONMENT, 0, "`dot` was ended by signal %d",
			WTERMSIG(status));
	return ordo_fail(
		error, ORDO_ENVIRONMENT, 0, "`dot` failed with status %d", WEXITSTATUS(status));
}

bool render(FILE *dot, const char *format, FILE *image, struct ordo_error *error)
{
	if (strcmp(format, "svg") != 0)
		return run_dot(dot, format, image, error);
	FILE *light = tmpfile();
	if (!light)
		return ordo_fail(error, ORDO_ENVIRONMENT, 0, "cannot make a temporary file: %s",
			strerror(errno));
	const bool worked =
		run_dot(dot, format, light, error) && add_dark_mode(light, image, error);
	fclose(light);
	return worked;
}
