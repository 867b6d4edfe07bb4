/* memory_limit.c - the memory that a command may use, and its peak. */
#include "memory_limit.h"
#include "doctor/machine.h"
#include <ordo/memory.h>
#include <sys/resource.h>

uint64_t memory_limit = UINT64_MAX;
bool memory_is_limited;

void set_memory_limit(void)
{
	struct memory memory;
	memory_is_limited = memory_limit != UINT64_MAX;
	if (!memory_is_limited) {
		read_memory(&memory);
		memory_limit = memory.left;
	}
	ordo_set_memory_limit(memory_limit);
}

uint64_t peak_bytes(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_maxrss * 1024;
}
