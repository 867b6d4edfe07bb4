/* commands.h - the description of every command, each in the file of its name. */
#ifndef ORDO_TOOLS_COMMANDS_COMMANDS_H
#define ORDO_TOOLS_COMMANDS_COMMANDS_H

#include "base/command.h"

#define ORDO_COMMAND(name) extern const struct command name##_command;
#include "command_table.h"
#undef ORDO_COMMAND

#endif
