/* machine.h - the machine as the system describes it, and what this process may use of it. What
 * cannot be read is 0 or empty. */
#ifndef ORDO_TOOLS_DOCTOR_MACHINE_H
#define ORDO_TOOLS_DOCTOR_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct processors {
	uint32_t online;  /* of the machine */
	uint32_t allowed; /* that this process may run on */
	uint32_t cores;	  /* of those processors; 0: unknown */
	/* processor quota of its group; 0: no limit, or unknown */
	double quota;
};
void read_processors(struct processors *processors);

struct memory {
	uint64_t total, available, limit; /* bytes; limit: of its group, 0 for none */
	uint64_t left; /* that this process may still allocate, by all of these and by RLIMIT_AS */
	uint64_t page;
	uint64_t huge_page, huge_total, huge_free; /* bytes, and the number of reserved ones */
	/* "always", "madvise", "never"; empty: unknown */
	char transparent[16];
};
void read_memory(struct memory *memory);

struct timer {
	char source[32]; /* empty: unknown */
	double step;	 /* seconds between two distinct readings */
	double cost;	 /* seconds that a reading takes */
};
void read_timer(struct timer *timer);

/* Does the system have futexes? */
bool has_futex(void);
/* The first `room` - 1 bytes of a file. false: it cannot be read. */
bool read_start(const char *path, char *text, size_t room);

#endif
