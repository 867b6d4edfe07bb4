/* contenders.h - those who are measured inside one process. */
#ifndef BENCH_CONTENDERS_H
#define BENCH_CONTENDERS_H

#include "cell.h"
#include <ordo/compiler.h>
#include <stddef.h>

struct measured {
	double seconds;
	uint64_t nwrong; /* outputs found wrong */
};

struct contender {
	const char *name, *meaning;
	bool scheduled; /* runs a schedule, which `algorithm` makes */
	struct measured (*measure)(const struct cell *cell, const char *algorithm, double budget_s);
};

extern const struct contender contenders[];
extern const size_t ncontender;

/* Ends the program if it did not work. */
void insist(bool worked, const struct ordo_error *error);
/* Or ends the program. */
struct ordo_schedule *compile(
	enum ordo_operator op, uint32_t nrank, bool in_place, const char *algorithm);

/* Prints a line of JSON for every engine: how long a ring of so many ranks takes with one element a
 * chunk, and how many tasks it has. */
void measure_interpretation(uint32_t nrank, double budget_s);

#endif
