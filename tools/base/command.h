/* command.h - what every command of `ordo` is made of: its description, and one call of it.
 *
 * Results go to stdout, everything else to stderr. With --json, stdout gets one JSON object and
 * stderr nothing.
 */
#ifndef ORDO_TOOLS_BASE_COMMAND_H
#define ORDO_TOOLS_BASE_COMMAND_H

#include <cjson/cJSON.h>
#include <ordo/error.h>
#include <ordo/version.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Every command, as --help lists them. */
struct command_table {
	const struct command *const *commands;
	size_t count;
};

/* What an option has written. */
struct written {
	const char *option, *path;
};
enum { MOST_WRITTEN = 4 };

/* One call of a command. */
struct call {
	const struct command_table *table; /* that `command` is one of */
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

/* NULL: there is none of that name. */
const struct command *find_command(const struct command_table *table, const char *name);
/* Says that there is none, and which was probably meant; returns the exit code. */
int refuse_command(struct call *call, const char *name);

#endif
