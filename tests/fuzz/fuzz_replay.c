/* fuzz_replay.c - any two texts as a schedule and a replay: what can be read is carried out or
 * refused, and what is written reads back the same.
 */
#include "check/observed_run.h"
#include "halves.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size);

static void demand(bool truth, const char *sentence)
{
	if (truth)
		return;
	fprintf(stderr, "not true: %s\n", sentence);
	abort();
}

static bool is_small(const struct ordo_schedule *schedule)
{
	const struct ordo_problem *p = &schedule->problem;
	return schedule->ntask <= 300 && schedule->nstream <= 100 && p->nrank <= 16 &&
	       ordo_nchunk(p) <= 256 && p->nshard <= 32 && schedule->scratch_slots <= 1024;
}

static char *print(const struct ordo_schedule *schedule, const struct ordo_replay *replay)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	demand(out && ordo_replay_print(schedule, replay, out, NULL) && !fclose(out),
		"a replay can be written");
	return text;
}

static void carry_out(const struct ordo_schedule *schedule, const struct ordo_replay *replay)
{
	const struct replay_data data = {
		{1, ORDO_F32, ORDO_SUM}, 2 * (uint64_t)schedule->problem.chunks_per_block, NULL};
	for (uint32_t i = 0; i < replay->ninterleaving; i++) {
		struct observed_run run;
		observe_run(&run, schedule, replay, i, &data, NULL);
		close_observed_run(&run);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size)
{
	const struct halves halves = cut_in_half(text, size);
	struct ordo_schedule *schedule =
		ordo_schedule_read_text(halves.first, strlen(halves.first), "fuzz", NULL, NULL);
	struct ordo_replay *replay = NULL;
	if (schedule && is_small(schedule))
		replay = ordo_replay_read_text(
			schedule, halves.second, strlen(halves.second), "replay", NULL);
	if (replay) {
		char *once = print(schedule, replay);
		struct ordo_replay *again =
			ordo_replay_read_text(schedule, once, strlen(once), "again", NULL);
		demand(again, "what is written can be read");
		char *twice = print(schedule, again);
		demand(!strcmp(once, twice), "writing what was written gives the same bytes");
		carry_out(schedule, replay);
		ordo_replay_destroy(again);
		free(once);
		free(twice);
	}
	ordo_replay_destroy(replay);
	ordo_schedule_destroy(schedule);
	free(halves.first);
	return 0;
}
