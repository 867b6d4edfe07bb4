/* options.h - the options of a command: one table says what they are, how they are read, and what
 * --help prints. */
#ifndef ORDO_TOOLS_CLI_OPTIONS_H
#define ORDO_TOOLS_CLI_OPTIONS_H

#include "base/report.h"
#include <ordo/suggest.h>

/* An option that may be given several times. */
struct texts {
	const char **items;
	size_t count, room;
};

enum option_kind {
	SWITCH, /* bool */
	TEXT,	/* const char * */
	READ,	/* const char *: a file that is read */
	/* const char *: a name, or, with a slash or ending in .json, a file that is read */
	NAMED,
	WRITTEN,  /* const char *: a file or folder that is written */
	TEXTS,	  /* struct texts; --name may be repeated, and takes a list with commas */
	NUMBER,	  /* uint32_t, at most 2^31-1 */
	POSITIVE, /* the same, at least 1 */
	COUNT,	  /* uint64_t, at most 2^63-1 */
	WIDE,	  /* uint64_t, whatever it holds */
	REAL,	  /* double, above 0 */
	/* uint64_t, at most 2^63-1, with a unit if wanted: 1KiB, 1MiB, 1GiB, 1k, 1M, 1G */
	SIZE,
};

struct option {
	const char *name; /* without the dashes */
	char letter;	  /* 0: none */
	enum option_kind kind;
	void *value; /* where it goes */
	/* "N", or the words there are: "auto|off|only"; NULL for a switch. completion/values.h says
	 * what its name means to a shell that completes it. */
	const char *argument;
	const char *meaning;
};

/* Reads call->argv: options before, between or after the operands, `--name value` or
 * `--name=value`; `--` ends them. false: the command is over with call->status, because --help was
 * asked for or something made no sense (and that was said). */
bool read_options(struct call *call, const struct option *options, size_t noption);
#define READ_OPTIONS(call, options) read_options(call, options, sizeof(options) / sizeof *(options))

void free_texts(struct texts *texts);

/* "1MiB" -> 1048576. KiB, MiB, GiB, TiB and K, M, G, T are powers of 1024; kB, MB, GB, TB of
 * 1000. */
bool read_size(const char *text, uint64_t *size);
/* Is it written as a size, though perhaps of more bytes than can be counted? */
bool is_size(const char *text);
/* "8" -> 8; digits only, up to 2^64-1. */
bool read_wide(const char *text, uint64_t *number);

/* Another name that an option of this name goes by; NULL: it has none. */
const char *option_synonym(const char *name);

/* The options that every command has. */
extern const struct option common_options[];
enum { NCOMMON_OPTION = 2 };
/* Hands the options of a command to `describe`, and does nothing of what the command does. */
void describe_command(const struct command *command, describe_options *describe, void *closure);

#endif
