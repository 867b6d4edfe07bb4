/* passes.h - passes over all Notify and Wait in which every token carries a line of its sender's
 * stream. Private to schedules/verify/passes/.
 */
#ifndef ORDO_SCHEDULES_VERIFY_PASSES_H
#define ORDO_SCHEDULES_VERIFY_PASSES_H

#include "verify/verifier.h"
#include <ordo/arena.h>

/* One cache line: 16 clocks, 32 short ones, or one bit for each of 512 ranks. */
enum { LINE_CLOCKS = 16, LINE_SHORTS = 32, LINE_WORDS = 8, LINE_BITS = 64 * LINE_WORDS };

struct line {
	union {
		uint32_t clock[LINE_CLOCKS];
		int16_t shorts[LINE_SHORTS];
		uint64_t bits[LINE_WORDS];
	};
};

struct passes {
	const struct verifier *verifier;
	struct line *lines; /* [nstream] */
	struct line *pool;  /* lines of tokens in flight; free ones are chained through clock[0] */
	size_t pool_room;
	uint32_t npool, free_line;
	uint32_t *line_of;	   /* [nnotify] line of a token */
	uint32_t *sent, *received; /* [nsignal] */
};

/* Lists the order of the run. Close it in any case. false: no memory. */
bool ordo_passes_open(struct passes *passes, struct verifier *verifier);
void ordo_passes_close(struct passes *passes);
/* Begins a pass: all lines are 0, and no token is in flight. */
void ordo_passes_begin(struct passes *passes);

/* Sends the line of a stream with the next token of a signal. false: no memory. */
static inline bool send_line(struct passes *passes, uint32_t signal, uint32_t stream)
{
	uint32_t line = passes->free_line;
	if (line != ORDO_NONE) {
		passes->free_line = passes->pool[line].clock[0];
	} else {
		line = passes->npool;
		if (!ordo_array_reserve(&passes->pool, &passes->pool_room, (size_t)line + 1,
			    sizeof *passes->pool))
			return false;
		passes->npool++;
	}
	passes->pool[line] = passes->lines[stream];
	passes->line_of[passes->verifier->signals.items[signal].first + passes->sent[signal]++] =
		line;
	return true;
}

/* The line of the next token of a signal. Release it before the next send. */
static inline struct line *receive_line(struct passes *passes, uint32_t signal)
{
	return &passes->pool[passes->line_of[passes->verifier->signals.items[signal].first +
					     passes->received[signal]++]];
}

static inline void release_line(struct passes *passes, struct line *line)
{
	line->clock[0] = passes->free_line;
	passes->free_line = (uint32_t)(line - passes->pool);
}

#endif
