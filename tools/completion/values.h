/* values.h - what an argument or an operand may be, by the name that an option table or a usage
 * line gives it.
 *
 * "FILE" and "OUT" are files and "A" is an algorithm wherever they stand; lists ("TYPE,...", "G,G")
 * are named by what stands before the comma; what is written in small letters ("auto|off|only") is
 * a word to be typed as it is.
 */
#ifndef ORDO_TOOLS_COMPLETION_VALUES_H
#define ORDO_TOOLS_COMPLETION_VALUES_H

#include "cli/options.h"

enum value_kind {
	ANYTHING, /* nothing to offer: numbers, sizes, links, names */
	WORDS,	  /* those of the argument itself, with | between them */
	FILES,
	FOLDERS,
	ALGORITHMS,
	TOPOLOGIES,
	TOPOLOGY_FILES, /* a topology's name, or the file of one */
	OPERATORS,
	TYPES,
	REDUCTIONS,
	GUARANTEES,
	CONDITIONS, /* guarantees that one schedule can be asked for, or a set */
	RULES,
	TASKS,
	TERMS,
	COMMANDS,
};

/* What an argument of that name is. false: nobody knows that name; it is ANYTHING. */
bool value_kind_of(const char *argument, enum value_kind *kind);

#endif
