/* prose.h - what the manual says beside what --help says. */
#ifndef ORDO_TOOLS_HELP_PROSE_H
#define ORDO_TOOLS_HELP_PROSE_H

#include "command.h"

/* Of an option of a command, or with option NULL of the command itself. NULL: nothing more than
 * --help says. */
const char *find_prose(const char *command, const char *option);

/* What ordo is, for the page of the command itself. */
extern const char manual_overview[];

#endif
