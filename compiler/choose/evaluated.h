/* evaluated.h - the candidates of a choice, each compiled, proved and asked whether it suits at
 * most once. Private to compiler/choose/. */
#ifndef ORDO_COMPILER_CHOOSE_EVALUATED_H
#define ORDO_COMPILER_CHOOSE_EVALUATED_H

#include "algorithm.h"
#include "envelope.h"
#include <ordo/arena.h>
#include <ordo/detail/select.h>

/* Schedules are kept while they have no more tasks than that together: some 400 MB. */
#define ORDO_MOST_KEPT (UINT64_C(1) << 24)

/* A candidate with its K, and what is known of it. */
struct ordo_evaluated {
	const struct ordo_candidate *candidate; /* NULL: refused from the beginning */
	const char *algorithm;
	uint32_t chunks_per_block;
	const char *why; /* why it cannot be chosen; NULL */
	bool refused;	 /* it does not apply, or does not compile */
	bool lacks_link; /* and that is the topology's fault */
	bool proved, suits;
	char digest[33];		/* of its order, if it was proved */
	struct ordo_schedule *schedule; /* kept while there is room; NULL */
	struct ordo_cost cost;		/* by closed forms; 0 where prices are simulated */
	struct ordo_line line;		/* the same cost, on the machine */
};

struct ordo_table {
	struct ordo_request request; /* without an algorithm */
	ordo_suits *suits;	     /* NULL: everything does */
	void *closure;
	struct ordo_candidates *candidates;
	bool lists_refused; /* candidates->refused also gets what was refused later */
	/* [count] candidates in their order, then those that were refused from the beginning */
	struct ordo_evaluated *items;
	uint32_t count;
	uint64_t most_kept, kept; /* tasks of kept schedules */
};

/* The multiples of K that compete where chunks follow each other. */
enum { ORDO_NMULTIPLE = 4 };

/* Makes the items of a table whose other fields are set; candidates stay the caller's. The caller
 * closes it, also after false: no memory. several: where chunks follow each other, each candidate
 * competes with other K; named: it is the only one, and a single chunk competes too. */
bool ordo_table_open(struct ordo_table *table, bool several, bool named, struct ordo_error *error);
void ordo_table_close(struct ordo_table *table);

struct ordo_request ordo_table_request(const struct ordo_table *table, uint32_t i);
/* The schedule of a candidate, kept or compiled without a proof; to be given to ordo_table_keep.
 * *schedule NULL: it does not compile, and is refused. false: the choice has failed. */
bool ordo_table_schedule(struct ordo_table *table, uint32_t i, struct ordo_schedule **schedule,
	struct ordo_error *error);
/* Keeps the schedule while there is room, or destroys it. */
void ordo_table_keep(struct ordo_table *table, uint32_t i, struct ordo_schedule *schedule);

void ordo_table_forget(struct ordo_table *table, uint32_t i);

/* Compiles, proves and asks whether it suits, unless that is done; what does not compile or suit is
 * no error. *proof, if proof is not NULL: the caller's; NULL if it was evaluated before or has
 * none. */
bool ordo_evaluate(
	struct ordo_table *table, uint32_t i, struct ordo_proof **proof, struct ordo_error *error);
/* Is nothing more to be found out by ordo_evaluate? */
bool ordo_is_evaluated(const struct ordo_table *table, uint32_t i);
/* It cannot be chosen, because of that; an error that is not about the candidate ends the choice:
 * false. */
bool ordo_refuse(struct ordo_table *table, uint32_t i, const struct ordo_error *why,
	struct ordo_error *error);
/* May it be chosen? digest: only those with that order; NULL: any. */
bool ordo_may_win(const struct ordo_table *table, uint32_t i, const char *digest);
/* The schedule of one that suits, kept or compiled and proved once more; the caller destroys it. */
struct ordo_schedule *ordo_table_take(
	struct ordo_table *table, uint32_t i, struct ordo_error *error);
/* ORDO_REFUTED: none of them suits. Always returns false. */
bool ordo_fail_none_suits(const struct ordo_table *table, struct ordo_error *error);

#endif
