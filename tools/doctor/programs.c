/* programs.c - finds and runs other programs. */
#define _GNU_SOURCE /* pipe2 */
#include "programs.h"
#include "base/clock.h"
#include "base/report.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool find_program(const char *name, char *path, size_t room)
{
	const char *folders = getenv("PATH");
	while (folders && *folders) {
		const size_t length = strcspn(folders, ":");
		const int size = snprintf(
			path, room, "%.*s%s%s", (int)length, folders, length ? "/" : "./", name);
		if (size > 0 && (size_t)size < room && !access(path, X_OK))
			return true;
		folders += length + (folders[length] == ':');
	}
	return false;
}

/* Never returns. */
static void become(const char *const *argv, int from, int to)
{
	if (dup2(from, STDIN_FILENO) < 0 || dup2(to, STDOUT_FILENO) < 0 ||
		dup2(to, STDERR_FILENO) < 0)
		_exit(127);
	signal(SIGPIPE, SIG_DFL);
	/* A process group of its own, so that its children end with it. */
	setpgid(0, 0);
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	_exit(127);
}

/* Reads until the other end is closed and drops what does not fit. false: timeout. */
static bool read_all(int from, double end, char *text, size_t room)
{
	size_t length = 0;
	char rest[4096];
	text[0] = 0;
	for (;;) {
		struct pollfd ready = {.fd = from, .events = POLLIN};
		const double left = end - clock_seconds();
		if (left <= 0)
			return false;
		if (poll(&ready, 1, (int)(left * 1000) + 1) <= 0)
			continue;
		const bool fits = length + 1 < room;
		const ssize_t size = fits ? read(from, text + length, room - 1 - length)
					  : read(from, rest, sizeof rest);
		if (size < 0 && errno == EINTR)
			continue;
		if (size <= 0)
			return true;
		length += fits ? (size_t)size : 0;
		text[length] = 0;
	}
}

/* The input must fit into a pipe. */
static bool open_input(const char *input, int *from)
{
	int ends[2];
	if (!input)
		return (*from = open("/dev/null", O_RDONLY)) >= 0;
	if (pipe(ends))
		return false;
	const bool whole = write(ends[1], input, strlen(input)) == (ssize_t)strlen(input);
	close(ends[1]);
	*from = ends[0];
	return whole;
}

bool ask_program(
	const char *const *argv, const char *input, double most_seconds, char *text, size_t room)
{
	int from, ends[2], status;
	text[0] = 0;
	if (!open_input(input, &from))
		return false;
	if (pipe2(ends, O_CLOEXEC)) {
		close(from);
		return false;
	}
	fflush(NULL);
	const pid_t child = fork();
	if (child == 0)
		become(argv, from, ends[1]);
	close(from);
	close(ends[1]);
	if (child < 0) {
		close(ends[0]);
		return false;
	}
	const bool in_time = read_all(ends[0], clock_seconds() + most_seconds, text, room);
	close(ends[0]);
	if (!in_time && kill(-child, SIGKILL))
		kill(child, SIGKILL);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return in_time && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool find_line(const char *text, const char *mark, char *line, size_t room)
{
	const char *found = strstr(text, mark);
	if (!found)
		return false;
	found += strlen(mark);
	found += strspn(found, " \t");
	size_t length = strcspn(found, "\n");
	while (length && strchr(" \t\r", found[length - 1]))
		length--;
	snprintf(line, room, "%.*s", (int)length, found);
	tame(line, false);
	return true;
}
