/* fuzz_verify.c - any text as a document: read it, prove or refute it, and ask the oracles whether
 * that is right.
 *
 * Limits keep one input to milliseconds; what is beyond them is read and then left.
 */
#include "judging.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size);

static bool is_small(const struct ordo_schedule *schedule)
{
	const struct ordo_problem *p = &schedule->problem;
	return schedule->ntask <= 300 && schedule->nstream <= 100 && p->nrank <= 16 &&
	       ordo_nchunk(p) <= 256 && p->nshard <= 32 && schedule->scratch_slots <= 1024;
}

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size)
{
	struct ordo_schedule *schedule =
		ordo_schedule_read_text((const char *)text, size, "fuzz", NULL, NULL);
	for (int atomic = 0; schedule && atomic < 2 && is_small(schedule); atomic++) {
		struct judgement judgement;
		judge_schedule(schedule,
			&(struct judging){.atomic_reduce = atomic, .max_states = 300}, &judgement);
		if (*judgement.quarrel) {
			fprintf(stderr, "%s\n", judgement.quarrel);
			print_handmade(schedule, stderr);
			abort();
		}
	}
	ordo_schedule_destroy(schedule);
	return 0;
}
