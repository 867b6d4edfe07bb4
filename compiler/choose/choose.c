/* choose.c - finds the first candidate whose schedule, compiled and proved, suits.
 *
 * Claims only order the candidates (candidates.c); whether one suits is decided by its proof.
 */
#include "evaluated.h"
#include <ordo/options.h>

/* Of a list that only helps, among many ranks: it compiles so many tasks. */
enum { TASKS_FOR_HELP = 1 << 20 };

/* Opens the table of a request's candidates, in their order. The caller frees them and closes the
 * table, also after false. */
static bool open_table(struct ordo_table *table, const struct ordo_request *request, bool limited,
	ordo_suits *suits, void *closure, struct ordo_candidates *candidates,
	struct ordo_error *error)
{
	*table = (struct ordo_table){.request = *request,
		.suits = suits,
		.closure = closure,
		.candidates = candidates,
		.lists_refused = true,
		.limited = limited,
		.compiled = limited ? ORDO_CHOICE_TASKS - TASKS_FOR_HELP : 0,
		.most_kept = UINT64_MAX};
	return ordo_candidates_make(candidates, request, error) &&
	       ordo_table_open(table, false, error);
}

/* The schedule of the next candidate that suits, from *i on, and its proof; *i becomes the index
 * after it. NULL: none suits, or *worked is false. */
static struct ordo_schedule *find_next(struct ordo_table *table, uint32_t *i,
	struct ordo_proof **proof, bool *worked, struct ordo_error *error)
{
	for (*worked = true; *worked && *i < table->count;) {
		const uint32_t at = (*i)++;
		*worked = ordo_evaluate(table, at, error);
		if (!*worked)
			return NULL;
		if (table->items[at].suits)
			return ordo_table_take(table, at, proof, error);
		ordo_table_forget(table, at);
	}
	return NULL;
}

static struct ordo_schedule *choose(const struct ordo_request *request, ordo_suits *suits,
	void *closure, struct ordo_candidates *refused, struct ordo_proof **proof,
	struct ordo_error *error)
{
	struct ordo_candidates candidates;
	struct ordo_table table;
	struct ordo_schedule *schedule = NULL;
	uint32_t i = 0;
	*proof = NULL;
	bool worked = open_table(&table, request, false, suits, closure, &candidates, error);
	if (worked)
		schedule = find_next(&table, &i, proof, &worked, error);
	if (worked && !schedule)
		ordo_fail_none_suits(&table, error);
	ordo_table_close(&table);
	if (refused)
		*refused = candidates;
	else
		ordo_candidates_free(&candidates);
	return schedule;
}

struct ordo_schedule *ordo_choose_sized(size_t size, const struct ordo_request *request,
	ordo_suits *suits, void *closure, struct ordo_candidates *refused,
	struct ordo_proof **proof, struct ordo_error *error)
{
	struct ordo_request own;
	*proof = NULL;
	return ordo_options_take(&own, sizeof own, request, size, error)
		       ? choose(&own, suits, closure, refused, proof, error)
		       : NULL;
}

struct ordo_schedule *(ordo_choose)(const struct ordo_request *request, ordo_suits *suits,
	void *closure, struct ordo_candidates *refused, struct ordo_proof **proof,
	struct ordo_error *error)
{
	return ordo_choose_sized(
		ORDO_UP_TO(ordo_request, closure), request, suits, closure, refused, proof, error);
}

static const char *list_suiting(const struct ordo_request *request, ordo_suits *suits,
	void *closure, uint32_t most, struct ordo_arena *arena, struct ordo_error *error)
{
	struct ordo_candidates candidates;
	struct ordo_table table;
	const char *list = "";
	uint32_t i = 0;
	bool worked = open_table(&table, request, true, suits, closure, &candidates, error);
	for (uint32_t found = 0; worked && found < most; found++) {
		struct ordo_proof *proof;
		struct ordo_schedule *schedule = find_next(&table, &i, &proof, &worked, error);
		if (!schedule)
			break;
		ordo_proof_destroy(proof);
		ordo_schedule_destroy(schedule);
		list = ordo_arena_format(
			arena, "%s%s%s", list, found ? ", " : "", table.items[i - 1].algorithm);
		worked = list ? true : ordo_fail_memory(error);
	}
	ordo_table_close(&table);
	ordo_candidates_free(&candidates);
	return worked ? list : NULL;
}

const char *ordo_list_suiting_sized(size_t size, const struct ordo_request *request,
	ordo_suits *suits, void *closure, uint32_t most, struct ordo_arena *arena,
	struct ordo_error *error)
{
	struct ordo_request own;
	return ordo_options_take(&own, sizeof own, request, size, error)
		       ? list_suiting(&own, suits, closure, most, arena, error)
		       : NULL;
}

const char *(ordo_list_suiting)(const struct ordo_request *request, ordo_suits *suits,
	void *closure, uint32_t most, struct ordo_arena *arena, struct ordo_error *error)
{
	return ordo_list_suiting_sized(
		ORDO_UP_TO(ordo_request, closure), request, suits, closure, most, arena, error);
}
