/* members.h - members of the objects of documents, as canonical JSON. Private to schedules/. */
#ifndef ORDO_SCHEDULES_JSON_WRITE_MEMBERS_H
#define ORDO_SCHEDULES_JSON_WRITE_MEMBERS_H

#include "printer.h"
#include <ordo/detail/replay.h>

/* `before`, for example a comma and a space, and then the key with its colon. */
void ordo_print_key(struct ordo_printer *printer, const char *before, const char *key);
void ordo_print_number(
	struct ordo_printer *printer, const char *before, const char *key, uint32_t number);
/* As a string if it is wider than every reader of JSON takes. */
void ordo_print_wide(struct ordo_printer *printer, uint64_t number);
void ordo_print_string(
	struct ordo_printer *printer, const char *before, const char *key, const char *text);

/* An element of an array; `before` may be a comma or the array's bracket. */
void ordo_print_item(struct ordo_printer *printer, const char *before, uint32_t number);

/* The members of a problem that come one after another: `ranks`, `root` and `shards`, without
 * default values. */
void ordo_print_ranks(struct ordo_printer *printer, const struct ordo_problem *problem);
/* `in_place` and `accumulate` likewise. */
void ordo_print_in_place(struct ordo_printer *printer, const struct ordo_problem *problem);
/* Schedules and moves begin alike: with the schema, the problem, the algorithm and the scratch. */
void ordo_print_program_head(struct ordo_printer *printer, const char *schema,
	const struct ordo_problem *problem, const char *algorithm, uint32_t scratch_slots);
/* `topology` with its name and digest; nothing if either is NULL. */
void ordo_print_topology(struct ordo_printer *printer, const char *name, const char *digest);
/* An array of strings on a line of its own; nothing without any. */
void ordo_print_names(
	struct ordo_printer *printer, const char *key, const char *const *names, uint32_t count);
/* `via`, and `class` where a class is named. */
void ordo_print_via(struct ordo_printer *printer, const struct ordo_via *via);
/* `x` on a line of its own; nothing for NULL. */
void ordo_print_extra(struct ordo_printer *printer, const char *extra);

/* An interleaving as an array of runs, 16 of them a line; each further line begins with `line`. */
void ordo_print_runs(
	struct ordo_printer *printer, const char *line, const struct ordo_interleaving *order);

/* Ends the printer. false: writing to the stream named failed, which is the error. */
bool ordo_print_end(struct ordo_printer *printer, const char *name, struct ordo_error *error);

#endif
