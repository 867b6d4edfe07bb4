/* greedy.h - runs a schedule by its order alone: every stream goes on until it ends or waits for a
 * token that is not there.
 *
 * Tokens are counted for each signal, and a signal must have one waiting stream (R5). A caller
 * whose schedule may break R5 gives every Wait and its Notify a signal of their own. The inner loop
 * is in this header, so that a visitor known at compile time costs no call.
 */
#ifndef ORDO_GREEDY_H
#define ORDO_GREEDY_H

#include <ordo/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of one signal: tokens given and taken so far, and the stream that waits for the next. */
struct ordo_tokens {
	uint32_t posted, taken;
	uint32_t parked; /* ORDO_NONE: no stream */
};

struct ordo_greedy {
	const struct ordo_task *tasks;
	const struct ordo_stream *streams; /* [nstream] */
	uint32_t nstream;
	const uint32_t *signal_of; /* of task t, if it is a Notify or Wait: signal_of[t * stride] */
	size_t stride;
	uint32_t nsignal;
	struct ordo_tokens *tokens; /* [nsignal] */
	uint32_t *next;		    /* [nstream] the task each stream is at; its end: it is over */
	uint32_t *ready, nready;    /* a stack of the streams to run */
	bool *is_ready;		    /* [nstream] it is on the stack */
};

enum ordo_visit { ORDO_VISIT_ON, ORDO_VISIT_HOLD, ORDO_VISIT_STOP };

/* Called for every task of the run, in its order, before its tokens are counted. ORDO_VISIT_HOLD:
 * the stream stays before this task until it is resumed; ORDO_VISIT_STOP: the run ends. */
typedef enum ordo_visit ordo_visitor(void *closure, uint32_t stream, uint32_t task);

/* All streams are at their first tasks, and ready; the first stream is on top. `signal_of` is
 * borrowed. To be closed in any case. false: no memory. */
bool ordo_greedy_open(struct ordo_greedy *greedy, const struct ordo_schedule *schedule,
	const uint32_t *signal_of, size_t stride, uint32_t nsignal);
/* The same for the streams of one rank's program, whose tasks are borrowed too. */
bool ordo_greedy_open_streams(struct ordo_greedy *greedy, const struct ordo_task *tasks,
	const struct ordo_stream *streams, uint32_t nstream, const uint32_t *signal_of,
	size_t stride, uint32_t nsignal);
void ordo_greedy_close(struct ordo_greedy *greedy);
/* Starts again: no stream is ready. */
void ordo_greedy_begin(struct ordo_greedy *greedy);
/* Makes all streams ready. */
void ordo_greedy_resume_all(struct ordo_greedy *greedy);

static inline void ordo_greedy_resume(struct ordo_greedy *greedy, uint32_t stream)
{
	if (greedy->is_ready[stream])
		return;
	greedy->is_ready[stream] = true;
	greedy->ready[greedy->nready++] = stream;
}

static inline struct ordo_tokens *ordo_greedy_tokens(
	const struct ordo_greedy *greedy, uint32_t task)
{
	return &greedy->tokens[greedy->signal_of[task * greedy->stride]];
}

/* Can the stream take this task, its next? If not, it is parked until there is a token. */
static inline bool ordo_greedy_can_take(struct ordo_greedy *greedy, uint32_t stream, uint32_t task)
{
	if (greedy->tasks[task].kind != ORDO_WAIT)
		return true;
	struct ordo_tokens *tokens = ordo_greedy_tokens(greedy, task);
	if (tokens->posted != tokens->taken)
		return true;
	tokens->parked = stream;
	return false;
}

/* Counts the token of a task that was taken, and makes ready the stream that waits for it. */
static inline void ordo_greedy_count(struct ordo_greedy *greedy, uint32_t task)
{
	const unsigned kind = greedy->tasks[task].kind;
	if (kind < ORDO_NOTIFY)
		return;
	struct ordo_tokens *tokens = ordo_greedy_tokens(greedy, task);
	if (kind == ORDO_WAIT) {
		tokens->taken++;
		return;
	}
	tokens->posted++;
	if (tokens->parked == ORDO_NONE)
		return;
	ordo_greedy_resume(greedy, tokens->parked);
	tokens->parked = ORDO_NONE;
}

/* Runs one stream as far as it goes before task `end`. */
static inline enum ordo_visit ordo_greedy_advance(struct ordo_greedy *greedy, uint32_t stream,
	uint32_t end, ordo_visitor *visit, void *closure)
{
	uint32_t task = greedy->next[stream];
	while (task < end && ordo_greedy_can_take(greedy, stream, task)) {
		const enum ordo_visit visited =
			visit ? visit(closure, stream, task) : ORDO_VISIT_ON;
		if (visited != ORDO_VISIT_ON)
			return visited;
		ordo_greedy_count(greedy, task);
		greedy->next[stream] = ++task;
	}
	return ORDO_VISIT_ON;
}

/* The next ready stream; there must be one. */
static inline uint32_t ordo_greedy_pop(struct ordo_greedy *greedy)
{
	const uint32_t stream = greedy->ready[--greedy->nready];
	greedy->is_ready[stream] = false;
	return stream;
}

/* Runs until every stream has ended or is blocked. false: the visitor stopped it. */
static inline bool ordo_greedy_run(struct ordo_greedy *greedy, ordo_visitor *visit, void *closure)
{
	while (greedy->nready) {
		const uint32_t stream = ordo_greedy_pop(greedy), end = greedy->streams[stream].end;
		if (ordo_greedy_advance(greedy, stream, end, visit, closure) == ORDO_VISIT_STOP)
			return false;
	}
	return true;
}

#ifdef __cplusplus
}
#endif
#endif
