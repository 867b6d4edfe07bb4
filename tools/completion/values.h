/* values.h - the kind of value of an argument or operand, by its name in an option table or a usage
 * line. "FILE" and "OUT" are files and "A" is an algorithm everywhere; a list ("TYPE,...", "G,G")
 * has the kind of the word before its first comma; words in lower case ("auto|off|only") are typed
 * as they are. */
#ifndef ORDO_TOOLS_COMPLETION_VALUES_H
#define ORDO_TOOLS_COMPLETION_VALUES_H

#include "cli/options.h"

enum value_kind {
	ANYTHING, /* no candidates: numbers, sizes, links, names */
	WORDS,	  /* the words of the argument itself, separated by | */
	FILES,
	FOLDERS,
	ALGORITHMS,
	TOPOLOGIES,
	TOPOLOGY_FILES, /* the name of a topology, or its file */
	OPERATORS,
	TYPES,
	REDUCTIONS,
	GUARANTEES,
	CONDITIONS, /* guarantees that can be required of one schedule, or of a plan set */
	RULES,
	TASKS,
	TERMS,
	COMMANDS,
};

/* The kind of an argument of that name. false: the name is unknown; *kind is ANYTHING. */
bool value_kind_of(const char *argument, enum value_kind *kind);

#endif
