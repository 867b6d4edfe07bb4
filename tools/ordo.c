/* ordo.c - the command: finds the command asked for and runs it. */
#include "base/progress.h"
#include "base/report.h"
#include "commands/commands.h"
#include "help/texts.h"
#include <errno.h>
#include <fcntl.h>
#include <ordo/atomic_file.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ORDO_COMMAND(name) &name##_command,
static const struct command *const commands[] = {
#include "command_table.h"
};
#undef ORDO_COMMAND
enum { NCOMMAND = sizeof commands / sizeof commands[0] };
static const struct command_table table = {commands, NCOMMAND};

static void print_help(void)
{
	printf("usage: ordo COMMAND [OPTION]...\n\n"
	       "Compiles collective communication into static task lists for every rank, proves "
	       "them, draws and runs them.\n\n"
	       "commands:\n");
	for (int i = 0; i < NCOMMAND; i++)
		printf("  %-11s %s\n", commands[i]->name, commands[i]->summary);
	printf("\noptions:\n"
	       "  --version  print the version and exit\n"
	       "  -h, --help print this and exit; `ordo COMMAND --help` lists a command's "
	       "options\n\n"
	       "exit codes:\n"
	       "  0 ok   1 refuted or different   2 usage   3 bad input   4 undecided   5 "
	       "environment\n\n"
	       "examples:\n%s\n",
		help_text("commands", "ordo", "examples"));
}

/* `ordo help` and `ordo help COMMAND`, for those who try these first. */
static int help(struct call *call, int argc, char **argv)
{
	static char asked[] = "--help";
	if (!argc) {
		print_help();
		return ORDO_OK;
	}
	call->command = find_command(&table, argv[0]);
	if (!call->command)
		return refuse_command(call, argv[0]);
	argv[0] = asked;
	call->argc = 1;
	call->argv = argv;
	return call->command->run(call);
}

/* Runs what argv asks for; argv[0] is the program. */
static int dispatch(struct call *call, int argc, char **argv)
{
	int at = 1;
	while (at < argc && !strcmp(argv[at], "--json"))
		at++;
	if (at >= argc)
		return fail_usage(call,
			"`ordo --help` lists the commands, `ordo demo` demonstrates them",
			"which command?");
	if (!strcmp(argv[at], "--help") || !strcmp(argv[at], "-h")) {
		print_help();
		return ORDO_OK;
	}
	if (!strcmp(argv[at], "--version")) {
		printf("ordo %s\n", ORDO_VERSION);
		return ORDO_OK;
	}
	const struct command *command = find_command(&table, argv[at]);
	if (!strcmp(argv[at], "help"))
		return help(call, argc - at - 1, argv + at + 1);
	if (!command)
		return argv[at][0] == '-' ? fail_usage(call, NULL, "unknown option %s", argv[at])
					  : refuse_command(call, argv[at]);
	call->command = command;
	call->argc = argc - at - 1;
	call->argv = argv + at + 1;
	return command->run(call);
}

/* --json counts wherever it stands, so that an error before it is JSON too. */
static bool wants_json(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (!strcmp(argv[i], "--json"))
			return true;
	return false;
}

/* Returns the exit code. */
static int print_answer(const cJSON *answer, int status)
{
	const bool lost = !answer || is_json_incomplete() || is_incomplete();
	if (!lost && !answer->child)
		return status;
	char *text = lost ? NULL : cJSON_Print(answer);
	if (text)
		puts(text);
	else
		puts("{\"error\": {\"code\": \"environment\", \"rule\": null, \"file\": null, "
		     "\"line\": 0, \"column\": 0, \"text\": \"out of memory\", \"hint\": null}}");
	free(text);
	return text ? status : ORDO_ENVIRONMENT;
}

/* What was asked for must have arrived; a command that failed has said why, unless that was to
 * stand on stdout too. Where the reader went away we end by SIGPIPE as all do, but clean up
 * first. */
static int finish_stdout(int status, bool json, bool dies_of_pipes)
{
	bool lost = ferror(stdout);
	errno = 0;
	if (!fflush(stdout) && !lost)
		return status;
	const int cause = errno;
	const bool left = cause == EPIPE || reader_left();
	if (left && dies_of_pipes) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	errno = cause;
	if ((status == ORDO_OK || json) && !left)
		fprintf(stderr, "error: cannot write to stdout%s%s\n", errno ? ": " : "",
			errno ? strerror(errno) : "");
	return status == ORDO_OK ? ORDO_ENVIRONMENT : status;
}

/* A standard file that is closed is taken by one that can only be used the wrong way: no document
 * that is opened later gets its number, and what is written to it fails. */
static bool keep_standard_files(void)
{
	for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
		if (fcntl(file, F_GETFD) < 0 &&
			open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY) != file)
			return false;
	return true;
}

static pid_t started; /* the process whose files they are: not one that it forked */

/* The action is the default one again (SA_RESETHAND), so raising it ends the process. */
static void die_of_signal(int number)
{
	if (getpid() == started)
		ordo_atomic_abandon();
	raise(number);
}

/* An interrupt leaves no temporary files. What is ignored, as by nohup, stays so. */
static void clean_up_when_interrupted(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = die_of_signal, .sa_flags = (int)SA_RESETHAND};
	started = getpid();
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		struct sigaction before;
		if (!sigaction(numbers[i], NULL, &before) && before.sa_handler == SIG_DFL)
			sigaction(numbers[i], &action, NULL);
	}
}

int main(int argc, char **argv)
{
	if (!keep_standard_files())
		return ORDO_ENVIRONMENT;
	clean_up_when_interrupted();
	/* A reader that goes away and a file that grew too large are errors to report, not reasons
	 * to die half way through. */
	const bool dies_of_pipes = signal(SIGPIPE, SIG_IGN) == SIG_DFL;
	signal(SIGXFSZ, SIG_IGN);
	watch_json_memory();
	struct call call = {
		.table = &table, .json = wants_json(argc, argv), .answer = cJSON_CreateObject()};
	if (!call.answer && call.json)
		return print_answer(NULL, ORDO_ENVIRONMENT);
	if (!call.answer) {
		fputs("error: out of memory\n", stderr);
		return ORDO_ENVIRONMENT;
	}
	allow_progress(!call.json);
	int status = dispatch(&call, argc, argv);
	if (call.json)
		status = print_answer(call.answer, status);
	else if (status == ORDO_OK && is_incomplete())
		status = fail(&call,
			&(struct ordo_error){.code = ORDO_ENVIRONMENT, .text = "out of memory"});
	status = finish_stdout(status, call.json, dies_of_pipes);
	cJSON_Delete(call.answer);
	free(call.operands);
	return status;
}
