/* memory_limit.h - how much memory a command may take, and took. */
#ifndef ORDO_TOOLS_CLI_MEMORY_LIMIT_H
#define ORDO_TOOLS_CLI_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

/* --memory-limit, of every command that builds something or reads a document; UINT64_MAX: what
 * there is. */
extern uint64_t memory_limit;
extern bool memory_is_limited; /* by that option */
#define MEMORY_LIMIT_OPTION                                                                        \
	{                                                                                          \
		"memory-limit", 0, SIZE, &memory_limit, "SIZE",                                    \
			"reject at once what would need more memory (the memory available)"        \
	}

/* Tells the library, once options are read: every command has a limit, whether or not it has the
 * option. */
void set_memory_limit(void);

/* The most memory this process had, in bytes. */
uint64_t peak_bytes(void);

#endif
