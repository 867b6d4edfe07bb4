/* greedy.c - runs a schedule by its order alone: begin and end. */
#include <ordo/greedy.h>
#include <stdlib.h>
#include <string.h>

bool ordo_greedy_open(struct ordo_greedy *greedy, const struct ordo_schedule *schedule,
	const uint32_t *signal_of, size_t stride, uint32_t nsignal)
{
	return ordo_greedy_open_streams(greedy, schedule->tasks, schedule->streams,
		schedule->nstream, signal_of, stride, nsignal);
}

bool ordo_greedy_open_streams(struct ordo_greedy *greedy, const struct ordo_task *tasks,
	const struct ordo_stream *streams, uint32_t nstream, const uint32_t *signal_of,
	size_t stride, uint32_t nsignal)
{
	const size_t room = (size_t)nstream + 1;
	*greedy = (struct ordo_greedy){.tasks = tasks,
		.streams = streams,
		.nstream = nstream,
		.signal_of = signal_of,
		.stride = stride,
		.nsignal = nsignal,
		.tokens = malloc(((size_t)nsignal + 1) * sizeof *greedy->tokens),
		.next = malloc(room * sizeof *greedy->next),
		.ready = malloc(room * sizeof *greedy->ready),
		.is_ready = malloc(room * sizeof *greedy->is_ready)};
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
	const uint32_t nstream = greedy->nstream;
	for (uint32_t i = 0; i < greedy->nsignal; i++)
		greedy->tokens[i] = (struct ordo_tokens){.parked = ORDO_NONE};
	for (uint32_t s = 0; s < nstream; s++)
		greedy->next[s] = greedy->streams[s].first;
	memset(greedy->is_ready, 0, nstream * sizeof *greedy->is_ready);
	greedy->nready = 0;
}

void ordo_greedy_resume_all(struct ordo_greedy *greedy)
{
	for (uint32_t s = greedy->nstream; s-- > 0;)
		ordo_greedy_resume(greedy, s);
}
