/* oracle_interleavings.c - walks through every state that any interleaving of a schedule can reach.
 *
 * A state is what has been done: whether each rank entered, the position of every stream, the
 * tokens on every signal and, in the second walk, the contents of all memory. Reached states stand
 * in one list, which is also the queue of those to be continued. Two tasks that are next at once in
 * some state, and could both run, are unordered: if they conflict it is a race. So is an access to
 * the memory of a rank that can still enter, or that can leave already.
 */
#include "oracle_document.h"

#include <stdlib.h>
#include <string.h>

struct walk {
	struct oracle_document *document;
	struct oracle_opinion *opinion;
	bool with_memory, atomic_reduce;
	uint32_t ncall; /* back to back; above 1 only tokens are counted */
	uint32_t width; /* numbers in a state: calls entered[nrank], position[nstream],
			   tokens[nsignal], memory[ncell] */
	uint32_t position, tokens, memory;
	uint32_t *states;
	uint32_t nstate, max_states;
	size_t room;
	uint32_t *table; /* state number + 1 by hash */
	size_t table_size;
	uint32_t *next; /* the state being made */
	uint32_t first_final;
};

static uint32_t *state_at(const struct walk *w, uint32_t i)
{
	return w->states + (size_t)i * w->width;
}

static size_t hash_state(const struct walk *w, const uint32_t *state)
{
	uint64_t hash = 1469598103934665603u;
	for (uint32_t i = 0; i < w->width; i++)
		hash = (hash ^ state[i]) * 1099511628211u;
	return (size_t)(hash ^ hash >> 29);
}

static size_t find_state(const struct walk *w, const uint32_t *state)
{
	size_t at = hash_state(w, state) & (w->table_size - 1);
	while (w->table[at] &&
		memcmp(state_at(w, w->table[at] - 1), state, w->width * sizeof *state))
		at = (at + 1) & (w->table_size - 1);
	return at;
}

static void grow_table(struct walk *w)
{
	free(w->table);
	w->table = must_alloc(w->table_size *= 4, sizeof *w->table);
	for (uint32_t i = 0; i < w->nstate; i++)
		w->table[find_state(w, state_at(w, i))] = i + 1;
}

/* Adds w->next unless it was reached before. */
static void reach_state(struct walk *w)
{
	if (3 * (size_t)w->nstate > w->table_size)
		grow_table(w);
	size_t at = find_state(w, w->next);
	if (w->table[at])
		return;
	if (w->nstate == w->max_states) {
		w->opinion->decided = false;
		return;
	}
	if (w->nstate == w->room &&
		!(w->states = realloc(w->states, (w->room *= 2) * w->width * sizeof *w->states)))
		abort();
	memcpy(state_at(w, w->nstate), w->next, w->width * sizeof *w->next);
	w->table[at] = ++w->nstate;
}

/* The task that stream i would run next, or ORDO_NONE if it is done. */
static uint32_t next_task(const struct walk *w, const uint32_t *state, uint32_t i)
{
	const struct ordo_stream *stream = &w->document->schedule->streams[i];
	const uint32_t task = stream->first + state[w->position + i];
	return task < stream->end ? task : ORDO_NONE;
}

static bool can_run(const struct walk *w, const uint32_t *state, uint32_t i)
{
	const uint32_t task = next_task(w, state, i);
	const struct ordo_schedule *s = w->document->schedule;
	if (task == ORDO_NONE || !state[s->streams[i].rank])
		return false;
	return s->tasks[task].kind != ORDO_WAIT || state[w->tokens + w->document->signal_of[task]];
}

static bool can_leave(const struct walk *w, const uint32_t *state, uint32_t rank)
{
	const struct ordo_schedule *s = w->document->schedule;
	for (uint32_t i = 0; i < s->nstream; i++)
		if (s->streams[i].rank == rank && next_task(w, state, i) != ORDO_NONE)
			return false;
	return state[rank];
}

static void judge_races(struct walk *w, const uint32_t *state)
{
	const struct oracle_document *d = w->document;
	for (uint32_t i = 0; i < d->schedule->nstream; i++) {
		if (!can_run(w, state, i))
			continue;
		const uint32_t a = next_task(w, state, i), rank = foreign_rank(d, a);
		if (rank != ORDO_NONE && !state[rank])
			note(w->opinion, 9, "task %u: rank %u may not have entered yet", a, rank);
		if (rank != ORDO_NONE && can_leave(w, state, rank))
			note(w->opinion, 9, "task %u: rank %u may have left already", a, rank);
		if (races_with_itself(d, a))
			note(w->opinion, 8, "task %u reads what it writes", a);
		for (uint32_t j = i + 1; j < d->schedule->nstream; j++) {
			if (!can_run(w, state, j))
				continue;
			const uint32_t b = next_task(w, state, j);
			if (tasks_conflict(d, a, b, w->atomic_reduce))
				note(w->opinion, 8, "tasks %u and %u race", a, b);
		}
	}
}

/* Makes w->next from state by one task of stream i. */
static void run_task(struct walk *w, const uint32_t *state, uint32_t i)
{
	const uint32_t task = next_task(w, state, i);
	memcpy(w->next, state, w->width * sizeof *state);
	w->next[w->position + i]++;
	uint32_t *tokens = &w->next[w->tokens + w->document->signal_of[task]];
	switch ((enum ordo_task_kind)w->document->schedule->tasks[task].kind) {
	case ORDO_NOTIFY:
		if (++*tokens > w->opinion->tokens_in_flight)
			w->opinion->tokens_in_flight = *tokens;
		break;
	case ORDO_WAIT:
		--*tokens;
		break;
	case ORDO_LOCAL_COPY:
	case ORDO_LOCAL_REDUCE:
	case ORDO_SEND:
	case ORDO_SEND_REDUCE:
		if (w->with_memory)
			run_move(w->document, task, w->next + w->memory, w->opinion);
	}
}

static bool same_output(const struct walk *w, const uint32_t *a, const uint32_t *b)
{
	const struct oracle_document *d = w->document;
	const struct ordo_problem *p = &d->schedule->problem;
	for (uint32_t r = 0; r < p->nrank; r++)
		for (uint32_t slot = 0; slot < slots_in(p, r, ORDO_OUTPUT, 0); slot++) {
			uint32_t cell = w->memory + d->first_cell[r] +
					cell_in_rank(p, r, ORDO_OUTPUT, slot);
			if (a[cell] != b[cell])
				return false;
		}
	return true;
}

/* Nothing more can happen in this state: all must be done, and the output right. */
static void judge_end(struct walk *w, uint32_t i)
{
	const struct ordo_schedule *s = w->document->schedule;
	for (uint32_t k = 0; k < s->nstream; k++)
		if (next_task(w, state_at(w, i), k) != ORDO_NONE) {
			note(w->opinion, 7, "task %u waits for ever",
				next_task(w, state_at(w, i), k));
			return;
		}
	for (uint32_t k = 0; k < w->document->nsignal; k++)
		if (state_at(w, i)[w->tokens + k])
			note(w->opinion, 6, "a token is left");
	if (!w->with_memory)
		return;
	judge_output(w->document, state_at(w, i) + w->memory, w->opinion);
	if (w->first_final == ORDO_NONE)
		w->first_final = i;
	if (!same_output(w, state_at(w, i), state_at(w, w->first_final)))
		w->opinion->one_order = false;
}

/* A rank enters its next call when all its streams have ended the one before. */
static bool can_enter(const struct walk *w, const uint32_t *state, uint32_t rank)
{
	return state[rank] < w->ncall && (!state[rank] || can_leave(w, state, rank));
}

static void enter(struct walk *w, const uint32_t *state, uint32_t rank)
{
	const struct ordo_schedule *s = w->document->schedule;
	memcpy(w->next, state, w->width * sizeof *w->next);
	w->next[rank]++;
	for (uint32_t i = 0; i < s->nstream; i++)
		if (s->streams[i].rank == rank)
			w->next[w->position + i] = 0;
}

static void continue_state(struct walk *w, uint32_t i)
{
	const struct ordo_schedule *s = w->document->schedule;
	bool stuck = true;
	if (!w->with_memory && w->ncall == 1)
		judge_races(w, state_at(w, i));
	for (uint32_t r = 0; r < s->problem.nrank; r++)
		if (can_enter(w, state_at(w, i), r)) {
			stuck = false;
			enter(w, state_at(w, i), r);
			reach_state(w);
		}
	for (uint32_t k = 0; k < s->nstream; k++)
		if (can_run(w, state_at(w, i), k)) {
			stuck = false;
			run_task(w, state_at(w, i), k);
			reach_state(w);
		}
	if (stuck)
		judge_end(w, i);
}

static void walk_through(struct walk *w, bool with_memory)
{
	const struct ordo_schedule *s = w->document->schedule;
	w->with_memory = with_memory;
	w->position = s->problem.nrank;
	w->tokens = w->position + s->nstream;
	w->memory = w->tokens + w->document->nsignal;
	w->width = w->memory + (with_memory ? w->document->ncell : 0);
	w->nstate = 0;
	w->first_final = ORDO_NONE;
	w->states = must_alloc(w->room = 256, w->width * sizeof *w->states);
	w->table = must_alloc(w->table_size = 1024, sizeof *w->table);
	w->next = must_alloc(w->width + 1, sizeof *w->next);
	if (with_memory)
		fill_memory(w->document, w->next + w->memory);
	reach_state(w);
	for (uint32_t i = 0; i < w->nstate && w->opinion->decided; i++)
		continue_state(w, i);
	w->opinion->nstate = w->nstate;
	if (with_memory && w->opinion->decided && !w->opinion->broken)
		judge_orders(w->document, state_at(w, w->first_final) + w->memory, w->opinion);
	free(w->states);
	free(w->table);
	free(w->next);
}

void oracle_interleavings(const struct ordo_schedule *schedule, bool atomic_reduce,
	uint32_t max_states, struct oracle_opinion *opinion)
{
	struct oracle_document document;
	if (!open_document(schedule, &document, opinion))
		return;
	opinion->one_order = true;
	struct walk walk = {.document = &document,
		.opinion = opinion,
		.atomic_reduce = atomic_reduce,
		.ncall = 1,
		.max_states = max_states};
	walk_through(&walk, false);
	const uint64_t positions = opinion->nstate;
	if (!opinion->broken && opinion->decided) {
		walk_through(&walk, true);
		/* Without races what memory holds follows from what has been done. */
		if (!atomic_reduce && opinion->decided && opinion->nstate != positions)
			abort();
	}
	close_document(&document);
}

void oracle_calls(const struct ordo_schedule *schedule, uint32_t ncall, uint32_t max_states,
	struct oracle_opinion *opinion)
{
	struct oracle_document document;
	if (!open_document(schedule, &document, opinion))
		return;
	struct walk walk = {.document = &document,
		.opinion = opinion,
		.ncall = ncall,
		.max_states = max_states};
	walk_through(&walk, false);
	close_document(&document);
}
