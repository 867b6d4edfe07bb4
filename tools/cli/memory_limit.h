/* memory_limit.h - the memory that a command may use, and its peak. */
#ifndef ORDO_TOOLS_CLI_MEMORY_LIMIT_H
#define ORDO_TOOLS_CLI_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

/* --memory-limit, for every command that builds or reads a document; UINT64_MAX: the available
 * memory. */
extern uint64_t memory_limit;
extern bool memory_is_limited; /* set by --memory-limit */
#define MEMORY_LIMIT_OPTION                                                                        \
	{                                                                                          \
		"memory-limit", 0, SIZE, &memory_limit, "SIZE",                                    \
			"refuse to start if more memory would be needed (the available memory)"    \
	}

/* Passes the limit to the library after the options are read; every command has a limit, even
 * without the option. */
void set_memory_limit(void);

/* The peak memory of this process, in bytes. */
uint64_t peak_bytes(void);

#endif
