/* rounds.c - see rounds.h. Streams of a rank may end rounds on several threads at once. */
#include "rounds.h"
#include "tasks/step.h"

void ordo_begin_run(struct ordo_plan *plan, uint32_t rank)
{
	const struct ordo_program *program = &plan->schedule->programs[rank];
	struct rank_state *state = &plan->ranks[rank];
	state->ncall++;
	atomic_store_explicit(&state->rounds_ended, 0, memory_order_relaxed);
	atomic_store_explicit(&state->ended[0], 0, memory_order_relaxed);
	atomic_store_explicit(&state->ended[1], 0, memory_order_relaxed);
	atomic_store_explicit(&state->parked, ORDO_NONE, memory_order_relaxed);
	for (uint32_t s = program->first_stream; s < program->end_stream; s++) {
		plan->streams[s].at = plan->schedule->streams[s].first;
		plan->streams[s].round = 0;
	}
}

static bool may_begin(const struct ordo_plan *plan, const struct rank_state *rank, uint64_t round)
{
	return round < atomic_load(&rank->rounds_ended) + plan->window;
}

static void park(struct ordo_plan *plan, struct rank_state *rank, uint32_t stream)
{
	uint32_t head = atomic_load_explicit(&rank->parked, memory_order_relaxed);
	do
		plan->streams[stream].next = head;
	while (!atomic_compare_exchange_weak(&rank->parked, &head, stream));
}

/* Takes all that are parked, and parks again those that may not begin yet. Whoever parks a stream
 * looks at rounds_ended afterwards, and whoever counts there looks at what is parked: one of the
 * two finds it. */
static uint32_t take_parked(struct ordo_plan *plan, struct rank_state *rank)
{
	uint32_t ready = ORDO_NONE;
	for (bool again = true; again;) {
		again = false;
		for (uint32_t s = atomic_exchange(&rank->parked, ORDO_NONE), next; s != ORDO_NONE;
			s = next) {
			const uint64_t round = plan->streams[s].round;
			next = plan->streams[s].next;
			if (may_begin(plan, rank, round)) {
				plan->streams[s].at = plan->schedule->streams[s].first;
				plan->streams[s].next = ready;
				ready = s;
				continue;
			}
			park(plan, rank, s);
			again |= may_begin(plan, rank, round);
		}
	}
	return ready;
}

/* Counts the end of a round by a stream. Was it the last of its rank? Acquire and release: it then
 * sees the writes of the others. */
static bool is_last(struct ordo_plan *plan, uint32_t rank, uint64_t round)
{
	const struct ordo_program *program = &plan->schedule->programs[rank];
	const uint64_t nstream = program->end_stream - program->first_stream;
	_Atomic uint64_t *ended = &plan->ranks[rank].ended[round & 1];
	/* Nobody counts round r + 2 before all have counted round r. */
	return atomic_fetch_add_explicit(ended, 1, memory_order_acq_rel) + 1 ==
	       (round / 2 + 1) * nstream;
}

uint32_t ordo_end_stream(struct ordo_plan *plan, uint32_t stream, bool *complete)
{
	const uint32_t rank = plan->schedule->streams[stream].rank;
	struct rank_state *state = &plan->ranks[rank];
	const uint64_t round = plan->streams[stream].round++, nround = plan->layout.nround;
	const bool last = is_last(plan, rank, round);
	*complete = false;
	if (last) {
		ordo_divide_round(plan, rank, round);
		*complete = atomic_fetch_add(&state->rounds_ended, 1) + 1 == nround;
	}
	const bool again = round + 1 < nround;
	if (again)
		park(plan, state, stream);
	return last || (again && may_begin(plan, state, round + 1)) ? take_parked(plan, state)
								    : ORDO_NONE;
}
