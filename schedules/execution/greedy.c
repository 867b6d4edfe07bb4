/* greedy.c - runs a schedule by its order alone: begin and end. */
#include <ordo/greedy.h>
#include <stdlib.h>
#include <string.h>

bool ordo_greedy_open(struct ordo_greedy *greedy, const struct ordo_schedule *schedule,
	const uint32_t *signal_of, size_t stride, uint32_t nsignal)
{
	const size_t nstream = (size_t)schedule->nstream + 1;
	*greedy = (struct ordo_greedy){.schedule = schedule,
		.signal_of = signal_of,
		.stride = stride,
		.nsignal = nsignal,
		.tokens = malloc(((size_t)nsignal + 1) * sizeof *greedy->tokens),
		.next = malloc(nstream * sizeof *greedy->next),
		.ready = malloc(nstream * sizeof *greedy->ready),
		.is_ready = malloc(nstream * sizeof *greedy->is_ready)};
	if (!greedy->tokens || !greedy->next || !greedy->ready || !greedy->is_ready)
		return false;
	ordo_greedy_begin(greedy);
	ordo_greedy_resume_all(greedy);
	return true;
}

void ordo_greedy_close(struct ordo_greedy *greedy)
{
	free(greedy->tokens);
	free(greedy->next);
	free(greedy->ready);
	free(greedy->is_ready);
}

void ordo_greedy_begin(struct ordo_greedy *greedy)
{
	const uint32_t nstream = greedy->schedule->nstream;
	for (uint32_t i = 0; i < greedy->nsignal; i++)
		greedy->tokens[i] = (struct ordo_tokens){.parked = ORDO_NONE};
	for (uint32_t s = 0; s < nstream; s++)
		greedy->next[s] = greedy->schedule->streams[s].first;
	memset(greedy->is_ready, 0, nstream * sizeof *greedy->is_ready);
	greedy->nready = 0;
}

void ordo_greedy_resume_all(struct ordo_greedy *greedy)
{
	for (uint32_t s = greedy->schedule->nstream; s-- > 0;)
		ordo_greedy_resume(greedy, s);
}
