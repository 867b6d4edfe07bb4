/* options.h - the options of a command: one table gives their meaning, their reader and their lines
 * in --help. */
#ifndef ORDO_TOOLS_CLI_OPTIONS_H
#define ORDO_TOOLS_CLI_OPTIONS_H

#include "base/report.h"
#include <ordo/suggest.h>

/* The arguments of an option that may be repeated. */
struct texts {
	const char **items;
	size_t count, room;
};

enum option_kind {
	SWITCH, /* bool */
	TEXT,	/* const char * */
	READ,	/* const char *: an input file */
	/* const char *: a name or, with a slash or ending in .json, an input file */
	NAMED,
	WRITTEN,  /* const char *: an output file or folder */
	TEXTS,	  /* struct texts; --name may be repeated, and accepts a list with commas */
	NUMBER,	  /* uint32_t, at most 2^31-1 */
	POSITIVE, /* uint32_t, at least 1, at most 2^31-1 */
	COUNT,	  /* uint64_t, at most 2^63-1 */
	WIDE,	  /* uint64_t, any value */
	REAL,	  /* double, above 0 */
	/* uint64_t, at most 2^63-1, optionally with a unit: 1KiB, 1MiB, 1GiB, 1k, 1M, 1G */
	SIZE,
};

struct option {
	const char *name; /* without the dashes */
	char letter;	  /* 0: there is none */
	enum option_kind kind;
	void *value; /* where the value is stored */
	/* "N", or the accepted words: "auto|off|only"; NULL for a switch. completion/values.h
	 * derives the kind of value from this name. */
	const char *argument;
	const char *meaning;
};

/* Reads call->argv: options before, between or after operands, `--name value` or `--name=value`;
 * `--` ends the options. false: the command ends with call->status, after --help or a reported
 * error. */
bool read_options(struct call *call, const struct option *options, size_t noption);
#define READ_OPTIONS(call, options) read_options(call, options, sizeof(options) / sizeof *(options))

void free_texts(struct texts *texts);

/* "1MiB" -> 1048576. KiB, MiB, GiB, TiB and K, M, G, T are powers of 1024; kB, MB, GB, TB of
 * 1000. */
bool read_size(const char *text, uint64_t *size);
/* Is the text a size, even if it exceeds 64 bits? */
bool is_size(const char *text);
/* "8" -> 8; digits only, up to 2^64-1. */
bool read_wide(const char *text, uint64_t *number);

/* The former name of an option; NULL: it has none. */
const char *option_synonym(const char *name);

/* The options that every command has. */
extern const struct option common_options[];
enum { NCOMMON_OPTION = 2 };
/* Passes the options of a command to `describe` without executing the command. */
void describe_command(const struct command *command, describe_options *describe, void *closure);

#endif
