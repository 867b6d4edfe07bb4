/* command.h - what every command of `ordo` is made of: its description, and one call of it.
 *
 * Results go to stdout, everything else to stderr. With --json, stdout gets one JSON object and
 * stderr nothing.
 */
#ifndef ORDO_TOOLS_COMMAND_H
#define ORDO_TOOLS_COMMAND_H

#include <cjson/cJSON.h>
#include <ordo/error.h>
#include <ordo/version.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct call;
struct option;

/* Gets the options of a command, without those that all have; the table is gone when it returns. */
typedef void describe_options(void *closure, const struct option *options, size_t noption);

/* Longer texts are in help/commands.txt. */
struct command {
	const char *name;
	const char *summary;  /* one line, for `ordo --help` */
	const char *usage;    /* what follows `ordo NAME` */
	const char *examples; /* one a line, each with the whole command */
	/* operands are documents: what options have written is none of them */
	bool reads;
	int (*run)(struct call *call);
};

/* What an option has written. */
struct written {
	const char *option, *path;
};
enum { MOST_WRITTEN = 4 };

/* One call of a command. */
struct call {
	const struct command *command;
	int argc;
	char **argv; /* what follows the command's name */
	bool json;
	const char **operands; /* what is no option, in order */
	size_t noperand;
	struct written written[MOST_WRITTEN]; /* [nwritten] */
	size_t nwritten;
	cJSON *answer; /* the object that --json prints */
	int status;    /* the exit code once read_options returned false */
	/* not NULL: nothing is to be done, read_options hands its table to it */
	describe_options *describe;
	void *closure; /* of describe */
};

extern const struct command *const commands[]; /* [ncommand], as --help lists them */
extern const size_t ncommand;
/* NULL: there is none of that name. */
const struct command *find_command(const char *name);
/* Says that there is none, and which was probably meant; returns the exit code. */
int refuse_command(struct call *call, const char *name);
extern const char main_examples[]; /* one a line, of ordo as a whole */

#define ORDO_COMMAND(name) extern const struct command name##_command;
#include "command_table.h"
#undef ORDO_COMMAND

/* An ordo_progress: a bar on stderr if that is a terminal and the command takes half a second, with
 * the time left. closure: a struct progress, which tells one thing under way from another. Any
 * thread. */
struct progress {
	char unused;
};
/* total 0: unknown */
void show_progress(void *closure, const char *what, uint64_t done, uint64_t total);
/* To be called before anything is printed, and before the struct progress goes. */
void hide_progress(struct progress *progress);
/* When the command begins; not for --json, which has nothing on stderr. */
void allow_progress(bool allowed);

/* Seconds of a clock that only goes forward. */
double seconds(void);
/* The most memory this process had, in bytes. */
uint64_t peak_bytes(void);

#endif
