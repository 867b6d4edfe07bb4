/* contest.h - the candidates of a tuning, each compiled, proved, asked and predicted when that is
 * wanted. Private to compiler/tune/. */
#ifndef ORDO_COMPILER_CHOOSE_CONTEST_H
#define ORDO_COMPILER_CHOOSE_CONTEST_H

#include "algorithm.h"
#include <ordo/detail/tune.h>

/* One candidate with its K. */
struct ordo_entrant {
	const struct ordo_candidate *candidate;
	const char *algorithm;
	uint32_t chunks_per_block;
	const char *why; /* why not; NULL */
	bool refused;	 /* it does not apply */
	bool uncarried;	 /* and that is the topology's fault */
	bool asked;	 /* proved, and whether it suits is known */
	bool suits;
	char digest[33];
	struct ordo_schedule *schedule; /* kept while there is room; NULL */
};

/* One size, and what each entrant took there. */
struct ordo_column {
	uint64_t bytes;
	bool full;	 /* every entrant that could be the fastest was simulated */
	double *seconds; /* [count]; negative: not simulated to the end */
	/* [count] it takes longer than that, and was given up; negative: it was not */
	double *over;
};

struct ordo_contest {
	const struct ordo_tune_wish *wish;
	struct ordo_candidates *candidates;
	/* [count] candidates in their order, then those that were refused */
	struct ordo_entrant *entrants;
	uint32_t count;
	/* seconds of any link; bytes a second that any rank can send */
	double least_latency, most_bandwidth;
	uint64_t kept; /* tasks of kept schedules */
	uint64_t nprediction;
};

/* candidates become the contest's to read, and the caller's to free. The caller closes it, also
 * after false. */
bool ordo_contest_open(struct ordo_contest *contest, const struct ordo_tune_wish *wish,
	struct ordo_candidates *candidates, struct ordo_error *error);
void ordo_contest_close(struct ordo_contest *contest);

/* Compiles, proves and asks, unless that is done; what does not compile or suit is no error. */
bool ordo_contest_ask(struct ordo_contest *contest, uint32_t i, struct ordo_error *error);
/* Predicts; given up where it takes longer than the limit (0: none). Neither for what turns out not
 * to compile. */
bool ordo_contest_time(struct ordo_contest *contest, uint32_t i, struct ordo_column *column,
	double limit, struct ordo_error *error);
/* No prediction of it can be less. Seconds. */
double ordo_contest_bound(const struct ordo_contest *contest, uint32_t i, uint64_t bytes);
/* The schedule of one that suits, for the caller to destroy. */
struct ordo_schedule *ordo_contest_take(
	struct ordo_contest *contest, uint32_t i, struct ordo_error *error);

#endif
