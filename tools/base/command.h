/* command.h - what every command of `ordo` has: its description, and one call of it. Results go to
 * stdout, everything else to stderr. With --json, stdout gets one object and stderr nothing. */
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
struct topology_choice;

/* Receives the options of a command, without those that every command has; the table is valid only
 * during the call. */
typedef void describe_options(void *closure, const struct option *options, size_t noption);

/* Longer texts are in help/commands.txt. */
struct command {
	const char *name;
	const char *summary;  /* one line, for `ordo --help` */
	const char *usage;    /* operands and options, after `ordo NAME` */
	const char *examples; /* one per line, each a whole command */
	/* operands are documents, and no option may overwrite them */
	bool reads;
	int (*run)(struct call *call);
};

/* Every command, as --help lists them. */
struct command_table {
	const struct command *const *commands;
	size_t count;
};

/* An output named by an option. */
struct written {
	const char *option, *path;
};
enum { MOST_WRITTEN = 4 };

/* One call of a command. */
struct call {
	const struct command_table *table; /* the table that `command` is in */
	const struct command *command;
	int argc;
	char **argv; /* the words after the command's name */
	bool json;
	/* The first operand is a program: the words after it are operands, whatever they are. */
	bool program_follows;
	const char **operands; /* operands, in order */
	size_t noperand;
	struct written written[MOST_WRITTEN]; /* [nwritten] */
	size_t nwritten;
	const struct topology_choice *topology; /* of the command's options; NULL: it has none */
	bool compiled_moves;			/* open_schedule did, on that topology */
	cJSON *answer;				/* the object that --json prints */
	bool noted_ranks;			/* how --fail-rank renumbers was reported */
	bool noted_topology;			/* what is odd about the topology, too */
	int status;				/* the exit code once read_options returned false */
	/* not NULL: read_options passes its table to it and the command does nothing */
	describe_options *describe;
	void *closure; /* argument of describe */
};

/* NULL: there is none of that name. */
const struct command *find_command(const struct command_table *table, const char *name);
/* Reports an unknown command with the nearest name; returns the exit code. */
int refuse_command(struct call *call, const char *name);

#endif
