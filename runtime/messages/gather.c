/* gather.c - the steps of a rank: what goes to one peer at one level is one message.
 *
 * The tasks of one level are unordered, so several of them with one sender and one receiver can be
 * one message of several pieces, at the place of the first of them. Both ranks list the tasks of a
 * pair at a level in the same order, so they gather the same ones. All pieces of a message are
 * received alike: into slots, or to be reduced, or to be converted. */
#include "part.h"
#include <ordo/arena.h>
#include <stdlib.h>

bool ordo_steps_open(struct steps *steps)
{
	const size_t room = (size_t)steps->count + 1;
	steps->npiece = steps->count;
	steps->items = malloc(room * sizeof *steps->items);
	steps->pieces = malloc(room * sizeof *steps->pieces);
	return steps->items && steps->pieces;
}

void ordo_steps_free(struct steps *steps)
{
	free(steps->items);
	free(steps->pieces);
}

void ordo_steps_set(struct steps *steps, uint32_t at, const struct ordo_task *task, uint32_t level,
	bool receives, uint32_t sender)
{
	static const enum step_kind kinds[2][ORDO_SEND_REDUCE + 1] = {
		{STEP_COPY, STEP_REDUCE, STEP_SEND, STEP_SEND_REDUCE},
		{STEP_COPY, STEP_REDUCE, STEP_RECEIVE, STEP_RECEIVE_REDUCE}};
	steps->items[at] = (struct step){.kind = kinds[receives][task->kind],
		.peer = receives ? sender : task->peer,
		.level = level,
		.first = at,
		.npiece = 1};
	steps->pieces[at] = (struct piece){.src_buffer = task->src_buffer,
		.dst_buffer = task->dst_buffer,
		.chunk = task->chunk,
		.count = task->count,
		.src = task->src,
		.dst = task->dst};
}

static bool is_local(const struct step *step)
{
	return step->kind == STEP_COPY || step->kind == STEP_REDUCE;
}

/* Which of its two buffers hold the accumulator's type. */
static unsigned width(const struct steps *steps, const struct step *step)
{
	const struct piece *piece = &steps->pieces[step->first];
	return !steps->problem->accumulate ? 0
					   : (piece->src_buffer == ORDO_SCRATCH) * 2u +
						     (piece->dst_buffer == ORDO_SCRATCH);
}

static bool can_join(const struct steps *steps, const struct step *first, const struct step *step)
{
	return first->level == step->level && first->kind == step->kind &&
	       width(steps, first) == width(steps, step);
}

/* Finds for each step the one whose message takes it, at first itself. last: [2 nrank] of each
 * peer, its last message to it and from it. */
static void find_messages(struct steps *steps, uint32_t *last, uint32_t *message)
{
	for (uint32_t i = 0; i < steps->count; i++) {
		struct step *step = &steps->items[i];
		message[i] = i;
		if (is_local(step))
			continue;
		uint32_t *of_peer = &last[step->peer * 2 + (step->kind >= STEP_RECEIVE)];
		if (*of_peer != ORDO_NONE && can_join(steps, &steps->items[*of_peer], step)) {
			message[i] = *of_peer;
			steps->items[*of_peer].npiece++;
			step->npiece = 0;
		} else {
			*of_peer = i;
		}
	}
}

/* The pieces of a step follow each other. end: [steps] */
static void sort_pieces(
	struct steps *steps, struct piece *sorted, uint32_t *end, const uint32_t *message)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < steps->count; i++) {
		end[i] = n;
		n += steps->items[i].npiece;
	}
	for (uint32_t i = 0; i < steps->count; i++)
		sorted[end[message[i]]++] = steps->pieces[i];
	for (uint32_t i = 0; i < steps->count; i++)
		steps->items[i].first = end[i] - steps->items[i].npiece;
}

/* Leaves out the steps that others took. next: [2 nrank] of each peer, numbers of messages to it
 * and from it, at first 0. */
static void number_messages(struct steps *steps, uint32_t *next)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < steps->count; i++) {
		struct step *step = &steps->items[i];
		if (!step->npiece)
			continue;
		if (!is_local(step)) {
			uint32_t *number = &next[step->peer * 2 + (step->kind >= STEP_RECEIVE)];
			step->tag = *number % ORDO_MESSAGE_TAGS;
			*number += step->npiece;
		}
		steps->items[n++] = *step;
	}
	steps->count = n;
}

bool ordo_steps_gather(struct steps *steps)
{
	const size_t room = (size_t)steps->count + 1, npeer = (size_t)steps->problem->nrank * 2;
	uint32_t *last = ordo_array_make(npeer, sizeof *last, 0xff),
		 *next = calloc(npeer, sizeof *next), *message = malloc(room * sizeof *message),
		 *end = malloc(room * sizeof *end);
	struct piece *sorted = malloc(room * sizeof *sorted);
	const bool worked = last && next && message && end && sorted;
	if (worked) {
		find_messages(steps, last, message);
		sort_pieces(steps, sorted, end, message);
		number_messages(steps, next);
		free(steps->pieces);
		steps->pieces = sorted;
	} else {
		free(sorted);
	}
	free(last);
	free(next);
	free(message);
	free(end);
	return worked;
}
