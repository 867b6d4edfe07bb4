/* texts.c - looks up help texts in the table that the build makes of tools/help/. */
#include "texts.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *help_text(const char *topic, const char *entry, const char *field)
{
	for (size_t i = 0; i < help_nrow; i++) {
		const struct help_row *row = &help_rows[i];
		if (!strcmp(row->topic, topic) && !strcasecmp(row->entry, entry) &&
			!strcmp(row->field, field))
			return row->text;
	}
	return NULL;
}

const char *help_find(const char *topic, const char *entry)
{
	const char *name;
	for (size_t i = 0; (name = help_entry(topic, i)); i++)
		if (!strcasecmp(name, entry))
			return name;
	return NULL;
}

const char *help_entry(const char *topic, size_t index)
{
	const char *last = NULL;
	for (size_t i = 0; i < help_nrow; i++) {
		const struct help_row *row = &help_rows[i];
		if (strcmp(row->topic, topic) != 0 || (last && !strcmp(row->entry, last)))
			continue;
		last = row->entry;
		if (!index--)
			return last;
	}
	return NULL;
}

const char *command_text(const char *command)
{
	return help_text("commands", command, "help");
}

const char *manual_text(const char *command, const char *option)
{
	char field[64];
	snprintf(field, sizeof field, "%s%s", option ? "--" : "", option ? option : "manual");
	const char *own = help_text("commands", command, field);
	return own ? own : help_text("commands", "every command", field);
}

const char *rule_text(int rule, const char *field)
{
	char name[16];
	snprintf(name, sizeof name, "R%d", rule);
	return help_text("rules", name, field);
}

const char *example_document(const char *name)
{
	char file[32];
	snprintf(file, sizeof file, "%s.json", name);
	return help_text("rules", file, "");
}
