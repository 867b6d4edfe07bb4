/* texts.h - the help texts of tools/help/<topic>.txt, which the build embeds.
 *
 * A topic ("terms") has entries ("chunk"), and an entry has fields ("title"). Texts are constants:
 * nobody frees them. Paragraphs are separated by empty lines; only fields marked with a bar in
 * the file have other line ends.
 */
#ifndef ORDO_TOOLS_HELP_TEXTS_H
#define ORDO_TOOLS_HELP_TEXTS_H

#include <stddef.h>

/* The names of entries are compared without regard to case. NULL: there is no such text. */
const char *help_text(const char *topic, const char *entry, const char *field);
/* The name of an entry as the file writes it. NULL: there is no such entry. */
const char *help_find(const char *topic, const char *entry);
/* The name of the entry at `index`, counted from 0 in the order of the file. NULL: there are
 * fewer. */
const char *help_entry(const char *topic, size_t index);

/* What --help prints below the summary of a command. NULL: nothing. */
const char *command_text(const char *command);
/* What its manual page says beyond that: about the command if `option` is NULL, else about the
 * option, in the words for every command if it has none of its own. NULL: nothing. */
const char *manual_text(const char *command, const char *option);

/* The text of a rule, or its title, why, cure, story (what the example breaks) or ask (the options
 * that `ordo verify` needs to find that; NULL: none). rule: 1..NRULE */
enum { NRULE = 13 };
const char *rule_text(int rule, const char *field);

/* The schedule that breaks a rule ("R8") or lacks a guarantee ("G1"). NULL: there is none. */
const char *example_document(const char *name);

/* The table that tools/scripts/embed-texts.py makes. */
struct help_row {
	const char *topic, *entry, *field, *text;
};
extern const struct help_row help_rows[]; /* [help_nrow], the rows of an entry together */
extern const size_t help_nrow;

#endif
