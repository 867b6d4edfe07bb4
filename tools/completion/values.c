/* values.c - the kind of value of an argument or operand, by its name. */
#include "values.h"
#include <string.h>

static const struct {
	const char *name;
	enum value_kind kind;
} names[] = {
	{"FILE", FILES},
	{"OUT", FILES},
	{"SET", FILES},
	{"PROGRAM", FILES},
	{"FOLDER", FOLDERS},
	{"A", ALGORITHMS},
	{"ALGORITHM", ALGORITHMS},
	{"T", TOPOLOGY_FILES},
	{"TOPOLOGY", TOPOLOGIES},
	{"OPERATOR", OPERATORS},
	{"TYPE", TYPES},
	{"OP", REDUCTIONS},
	{"G", CONDITIONS},
	{"GUARANTEE", GUARANTEES},
	{"RULE", RULES},
	{"TASK", TASKS},
	{"TERM", TERMS},
	{"COMMAND", COMMANDS},
	{"COUNTS", FILES},
	{"OBJECT", FILES},
	/* Numbers, sizes and other values that cannot be enumerated. */
	{"N", ANYTHING},
	{"SLOTS", ANYTHING},
	{"R", ANYTHING},
	{"K", ANYTHING},
	{"V", ANYTHING},
	{"W", ANYTHING},
	{"S", ANYTHING},
	{"A-B", ANYTHING},
	{"A:B", ANYTHING},
	{"NS", ANYTHING},
	{"GB/S", ANYTHING},
	{"SIZE", ANYTHING},
	{"NAME", ANYTHING},
	{"WORD", ANYTHING},
	{"ARG", ANYTHING},
	{"RANK", ANYTHING},
	{"SWITCH", ANYTHING},
};

bool value_kind_of(const char *argument, enum value_kind *kind)
{
	const size_t length = strcspn(argument, ",");
	*kind = ANYTHING;
	if (argument[0] >= 'a' && argument[0] <= 'z') {
		*kind = WORDS;
		return true;
	}
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strlen(names[i].name) == length && !strncmp(names[i].name, argument, length)) {
			*kind = names[i].kind;
			return true;
		}
	return false;
}
