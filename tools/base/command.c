/* command.c - a command by its name. */
#include "report.h"
#include <ordo/suggest.h>
#include <stdlib.h>
#include <string.h>

const struct command *find_command(const struct command_table *table, const char *name)
{
	for (size_t i = 0; i < table->count; i++)
		if (!strcmp(table->commands[i]->name, name))
			return table->commands[i];
	return NULL;
}

int refuse_command(struct call *call, const char *name)
{
	const size_t count = call->table->count;
	const char **names = calloc(count, sizeof *names);
	for (size_t i = 0; names && i < count; i++)
		names[i] = call->table->commands[i]->name;
	const char *like = names ? ordo_suggest(name, names, (uint32_t)count) : NULL;
	free(names);
	char hint[128];
	snprintf(hint, sizeof hint, "did you mean `ordo %s`?", like ? like : "");
	return fail_usage(call, like ? hint : NULL, "unknown command \"%s\"", name);
}
