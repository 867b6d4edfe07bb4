/* evaluated.h - the table of candidates of a choice; each is compiled, proved and evaluated at most
 * once. Private to compiler/choose/. */
#ifndef ORDO_COMPILER_CHOOSE_EVALUATED_H
#define ORDO_COMPILER_CHOOSE_EVALUATED_H

#include "envelope.h"
#include <ordo/arena.h>
#include <ordo/detail/choose.h>
#include <ordo/detail/tune.h>

/* Schedules are kept while their tasks total at most this: some 400 MB. */
#define ORDO_MOST_KEPT (UINT64_C(1) << 24)

/* The part of the time that many chunks are to save, and the most, which take half a minute. */
#define ORDO_WORTH_MORE (1. / 512)
#define ORDO_WORTH_MOST (1. / 128)
/* In an AllReduce, whichever they are: so it takes as many as a ReduceScatter and an AllGather, and
 * no longer than both. */
#define ORDO_WORTH_OF_BOTH (1. / 1024)

/* A candidate with its K, and what has been found out about it. */
struct ordo_evaluated {
	const struct ordo_candidate *candidate; /* NULL: refused from the beginning */
	const char *algorithm;
	uint32_t chunks_per_block;
	/* 0; or so many chunks that it is tried only if those with fewer promise that it saves more
	 * than this part of the time. */
	double worth;
	/* So many chunks are half or twice as many as others, and are tried if those come near the
	 * best. */
	bool between;
	const char *why; /* why it cannot be chosen; NULL */
	bool refused;	 /* it does not apply, or does not compile */
	/* Its schedule is that of the candidate `plain`, but for via=spread; ORDO_NONE: of none. */
	uint32_t plain;
	bool lacks_choice; /* its data have one way, so that it is the same with via=spread */
	bool lacks_link;   /* because the topology lacks a link */
	bool proved, suits;
	char digest[33];		/* of its order, if proved */
	struct ordo_schedule *schedule; /* kept while there is room; NULL */
	struct ordo_proof *proof;	/* of the schedule, while that is kept and suits; NULL */
	struct ordo_cost cost;		/* by closed forms; 0 where costs are simulated */
	struct ordo_line line;		/* the same cost, on the machine */
};

struct ordo_table {
	struct ordo_request request; /* without an algorithm */
	ordo_suits *suits;	     /* NULL: every candidate suits */
	void *closure;
	struct ordo_candidates *candidates;
	bool lists_refused; /* later refusals are added to candidates->refused too */
	/* [count] candidates in their order, then those refused from the beginning */
	struct ordo_evaluated *items;
	uint32_t count;
	uint64_t most_kept, kept; /* tasks of kept schedules */
	/* Beyond these, the schedule of one candidate is kept, or 0: index + 1. */
	uint32_t spare;
	bool limited;	   /* by ORDO_CHOICE_TASKS, if there are many ranks */
	uint64_t compiled; /* tasks so far */
	/* Of the candidates that were not compiled for that, the smallest; NULL: there are none. */
	const char *smallest;
	struct ordo_estimate smallest_takes;
	uint64_t one_size; /* that is chosen for; 0: several are */
};

/* The number of multiples of K that compete in a pipeline. */
enum { ORDO_NMULTIPLE = 6 };

/* Creates the items of a table whose other fields are set; the caller keeps the candidates, and
 * closes the table, also after false: no memory. several: pipelined candidates compete with several
 * K. */
bool ordo_table_open(struct ordo_table *table, bool several, struct ordo_error *error);
void ordo_table_close(struct ordo_table *table);

struct ordo_request ordo_table_request(const struct ordo_table *table, uint32_t i);
/* The schedule of a candidate, kept or compiled without a proof; the caller passes it to
 * ordo_table_keep. *schedule NULL: it does not compile, and is refused. false: the choice fails. */
bool ordo_table_schedule(struct ordo_table *table, uint32_t i, struct ordo_schedule **schedule,
	struct ordo_error *error);
/* Whether a candidate was refused because an earlier one, `plain`, has the same schedule. */
bool ordo_table_repeats(const struct ordo_table *table, uint32_t i);
/* Keeps the schedule while there is room, or destroys it. wanted: without room it takes the place
 * of the last one that was. */
void ordo_table_keep(
	struct ordo_table *table, uint32_t i, struct ordo_schedule *schedule, bool wanted);
void ordo_table_forget(struct ordo_table *table, uint32_t i);

/* Compiles, proves and evaluates a candidate, unless that is done; one that does not compile or
 * suit is no error. */
bool ordo_evaluate(struct ordo_table *table, uint32_t i, struct ordo_error *error);
/* Whether ordo_evaluate has nothing more to do. */
bool ordo_is_evaluated(const struct ordo_table *table, uint32_t i);
/* Records why a candidate cannot be chosen. false: the error is not about the candidate, and ends
 * the choice. */
bool ordo_refuse(struct ordo_table *table, uint32_t i, const struct ordo_error *why,
	struct ordo_error *error);
/* Whether a candidate may be chosen. digest: only with this order; NULL: any. */
bool ordo_may_win(const struct ordo_table *table, uint32_t i, const char *digest);
/* The schedule of a candidate that suits and its proof, kept or made again; the caller destroys
 * both. */
struct ordo_schedule *ordo_table_take(
	struct ordo_table *table, uint32_t i, struct ordo_proof **proof, struct ordo_error *error);
/* ORDO_REFUTED: no candidate suits. Returns false. */
bool ordo_fail_none_suits(const struct ordo_table *table, struct ordo_error *error);

#endif
