/* failing.h - memory and threads that are refused on demand. The linker sends every request of the
 * libraries here (`failing_links` of meson.build), and cJSON's come through its hooks. A piece of
 * an arena counts as a request of its own, for whether its block is full is chance. */
#ifndef FAILING_H
#define FAILING_H

#include <stdbool.h>
#include <stdint.h>

/* The next request but `after` is refused, and with `for_good` all that follow; requests are
 * counted from 0 again. From one thread, while no other asks. */
void failing_begin(uint64_t after, bool for_good);
/* Nothing is refused any more. Returns how many were. */
uint64_t failing_end(void);
/* Requests since failing_begin, or since the process began. */
uint64_t failing_requests(void);

/* What is held: pieces of memory that were granted and not yet freed, and open files. */
struct held {
	int64_t pieces;
	uint32_t files;
};
struct held failing_held(void);

#endif
