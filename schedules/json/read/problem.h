/* problem.h - the members that several kinds of documents share: those of a problem, of a named
 * topology, of a way over switches, and lists of names. Private to schedules/. */
#ifndef ORDO_SCHEDULES_JSON_READ_PROBLEM_H
#define ORDO_SCHEDULES_JSON_READ_PROBLEM_H

#include "fields.h"
#include <ordo/detail/schedules.h>

ordo_field_reader ordo_read_operator;	/* enum ordo_operator, the value of "operator" */
ordo_field_reader ordo_read_accumulate; /* enum ordo_accumulation */
/* Checks the keys of a problem against each other, once all were read. Sets nshard if its key is
 * absent. `places` are those of `head`, the object that has the keys. */
bool ordo_check_read_problem(const struct ordo_cursor *cursor, struct ordo_problem *problem,
	const struct ordo_object *head, const struct ordo_place *places);

/* `{"name": ..., "digest": ...}`, to a struct ordo_met_topology. */
struct ordo_met_topology {
	const char *name, *digest;
};
ordo_field_reader ordo_read_met_topology;

/* An array of at most so many strings, in the cursor's arena. *names stays as it is if there are
 * none. */
bool ordo_read_names(struct ordo_cursor *cursor, const struct ordo_field *field, uint32_t most,
	const char ***names, uint32_t *count);

/* A way over switches while it is read; begins as {0}. */
struct ordo_met_way {
	struct ordo_via via;
	uint32_t switches[ORDO_MOST_VIA];
	const char **classes; /* [nclass] of its hops, in the cursor's arena */
	uint32_t nclass;
	bool is_there, has_classes; /* has_classes: an array of them, which may be empty */
};
/* An array of switches, to a struct ordo_met_way: each once. */
ordo_field_reader ordo_read_via;
/* The class of all hops, or an array with one for each, to a struct ordo_met_way. */
ordo_field_reader ordo_read_via_class;
/* Completes `via` once both were read; `place` is that of the class. false: there is not a class
 * for each hop. */
bool ordo_finish_way(
	const struct ordo_cursor *cursor, struct ordo_met_way *met, struct ordo_place place);
/* Switches, not ranks? */
bool ordo_check_via(const struct ordo_cursor *cursor, const struct ordo_via *via, uint32_t nrank,
	struct ordo_place place);

enum { ORDO_DIFFERENCE_SIZE = 400 };
/* Is a schedule's problem that of its set, but for the chunks? false: why not. */
bool ordo_is_same_problem(const struct ordo_problem *found, const struct ordo_problem *wanted,
	char why[ORDO_DIFFERENCE_SIZE]);

#endif
