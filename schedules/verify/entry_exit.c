/* entry_exit.c - R9 for the touches that no certificate closed: had that rank entered before the
 * first access, and does it leave only after the last?
 *
 * Both are answered exactly, for 512 ranks in one pass over all Notify and Wait. A bit stands for a
 * rank, a line of bits for a point of a stream. Forwards, in the order of the run: a bit is set
 * where its rank has entered. It begins in all streams of the rank; a Notify sends the line of its
 * stream with the token, and the Wait that takes the token adds it to its own. Backwards the same:
 * a bit is set where its rank is still to leave after all this; it begins at the ends of all
 * streams of the rank, and goes from a Wait to its Notify. So both directions are one pass, in
 * which one end of a signal tells and the other hears. The k-th of one end belongs to the k-th of
 * the other in both, since signals are balanced.
 */
#include "verifier.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 512, WORDS = RANKS / 64 };

struct line {
	uint64_t bits[WORDS];
};

/* Is the rank of the touch there, where the stream is before all that ran (backwards: will run)
 * beyond `at`? */
struct probe {
	uint32_t lane, at;
	struct touch *touch;
};

struct presence {
	struct verifier *verifier;
	bool backwards;
	uint32_t *lane_of; /* [nrank] ORDO_NONE: nobody asks */
	uint32_t *ranks;   /* [nlane] */
	uint32_t nlane;
	struct probe *probes;
	uint32_t nprobe;
	struct line *lines; /* [nstream] */
	struct line *pool;  /* lines of tokens under way; free ones are chained through them */
	size_t pool_room;
	uint32_t npool, free_line;
	uint32_t *line_of;	/* [nnotify] line of a token */
	uint32_t *told, *heard; /* [nsignal] */
};

static bool is_open(const struct touch *touch, bool backwards)
{
	if (touch->first == ORDO_NONE)
		return false;
	return backwards ? touch->left <= touch->last : !touch->entered_first;
}

static void add_probe(struct presence *presence, struct touch *touch)
{
	const struct task_info *notes = presence->verifier->tasks;
	uint32_t *lane = &presence->lane_of[touch->rank];
	if (*lane == ORDO_NONE) {
		*lane = presence->nlane++;
		presence->ranks[*lane] = touch->rank;
	}
	presence->probes[presence->nprobe++] = (struct probe){
		*lane, notes[presence->backwards ? touch->last : touch->first].at, touch};
}

static int compare(const void *left, const void *right)
{
	const struct probe *a = left, *b = right;
	const uint32_t batch_a = a->lane / RANKS, batch_b = b->lane / RANKS;
	if (batch_a != batch_b)
		return batch_a < batch_b ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static int compare_backwards(const void *left, const void *right)
{
	const struct probe *a = left, *b = right;
	const uint32_t batch_a = a->lane / RANKS, batch_b = b->lane / RANKS;
	if (batch_a != batch_b)
		return batch_a < batch_b ? -1 : 1;
	return a->at > b->at ? -1 : a->at < b->at;
}

static void add_probes(struct presence *presence)
{
	struct verifier *verifier = presence->verifier;
	for (uint32_t i = 0; i < verifier->touches.count; i++)
		if (is_open(&verifier->touches.items[i], presence->backwards))
			add_probe(presence, &verifier->touches.items[i]);
	qsort(presence->probes, presence->nprobe, sizeof *presence->probes,
		presence->backwards ? compare_backwards : compare);
}

static uint32_t take_line(struct presence *presence)
{
	const uint32_t line = presence->free_line;
	if (line != ORDO_NONE) {
		presence->free_line = (uint32_t)presence->pool[line].bits[0];
		return line;
	}
	if (!ordo_array_reserve(&presence->pool, &presence->pool_room, (size_t)presence->npool + 1,
		    sizeof *presence->pool))
		return ORDO_NONE;
	return presence->npool++;
}

static bool tell(struct presence *presence, uint32_t index, uint32_t stream)
{
	const uint32_t line = take_line(presence);
	if (line == ORDO_NONE)
		return false;
	presence->pool[line] = presence->lines[stream];
	presence->line_of[presence->verifier->signals.items[index].first +
			  presence->told[index]++] = line;
	return true;
}

static void hear(struct presence *presence, uint32_t index, uint32_t stream)
{
	const uint32_t line = presence->line_of[presence->verifier->signals.items[index].first +
						presence->heard[index]++];
	for (int i = 0; i < WORDS; i++)
		presence->lines[stream].bits[i] |= presence->pool[line].bits[i];
	presence->pool[line].bits[0] = presence->free_line;
	presence->free_line = line;
}

static bool pass_event(struct presence *presence, uint32_t id)
{
	const struct verifier *verifier = presence->verifier;
	const struct task_info *note = &verifier->tasks[id];
	const bool notifies = verifier->schedule->tasks[id].kind == ORDO_NOTIFY;
	if (notifies != presence->backwards)
		return tell(presence, note->link, note->stream);
	hear(presence, note->link, note->stream);
	return true;
}

static void answer(struct presence *presence, const struct probe *probe)
{
	struct touch *touch = probe->touch;
	const uint32_t bit = probe->lane % RANKS;
	if (!(presence->lines[touch->stream].bits[bit / 64] >> bit % 64 & 1))
		return;
	if (presence->backwards)
		touch->left = touch->last + 1;
	else
		touch->entered_first = true;
}

static void begin_pass(struct presence *presence, uint32_t first_lane)
{
	const struct ordo_schedule *schedule = presence->verifier->schedule;
	const size_t nsignal = presence->verifier->findings.proof->nsignal;
	memset(presence->lines, 0, schedule->nstream * sizeof *presence->lines);
	memset(presence->told, 0, nsignal * sizeof *presence->told);
	memset(presence->heard, 0, nsignal * sizeof *presence->heard);
	presence->npool = 0;
	presence->free_line = ORDO_NONE;
	for (uint32_t lane = first_lane; lane < presence->nlane && lane - first_lane < RANKS;
		lane++) {
		const struct ordo_program *program = &schedule->programs[presence->ranks[lane]];
		for (uint32_t s = program->first_stream; s < program->end_stream; s++)
			presence->lines[s].bits[lane % RANKS / 64] |= UINT64_C(1) << lane % 64;
	}
}

/* *next is the first probe of this pass, and then that of the next. */
static bool run_pass(struct presence *presence, uint32_t first_lane, const struct probe **next)
{
	const struct verifier *verifier = presence->verifier;
	const struct probe *end = presence->probes + presence->nprobe;
	begin_pass(presence, first_lane);
	for (uint32_t i = 0; i < verifier->queries.norder; i++) {
		const uint32_t id = verifier->queries
					    .order[presence->backwards
							    ? verifier->queries.norder - 1 - i
							    : i],
			       at = verifier->tasks[id].at;
		for (; *next < end && (*next)->lane - first_lane < RANKS &&
			(presence->backwards ? (*next)->at > at : (*next)->at < at);
			++*next)
			answer(presence, *next);
		if (!pass_event(presence, id))
			return false;
	}
	for (; *next < end && (*next)->lane - first_lane < RANKS; ++*next)
		answer(presence, *next);
	return true;
}

static bool run_passes(struct presence *presence)
{
	const struct ordo_verify_options *options = presence->verifier->options;
	const struct probe *next = presence->probes;
	for (uint32_t first = 0; first < presence->nlane; first += RANKS) {
		if (options->progress)
			options->progress(options->closure,
				presence->backwards ? "leaving" : "entering", first,
				presence->nlane);
		if (!run_pass(presence, first, &next))
			return false;
	}
	return true;
}

static bool open_presence(struct presence *presence, uint32_t nopen)
{
	const struct verifier *verifier = presence->verifier;
	const size_t nrank = verifier->schedule->problem.nrank,
		     nsignal = verifier->findings.proof->nsignal;
	presence->lane_of = ordo_array_make(nrank, sizeof *presence->lane_of, 0xff);
	presence->ranks = ordo_array_make(nrank, sizeof *presence->ranks, 0);
	presence->probes = ordo_array_make(nopen, sizeof *presence->probes, 0);
	presence->lines = ordo_array_make(
		(size_t)verifier->schedule->nstream + 1, sizeof *presence->lines, 0);
	presence->line_of =
		ordo_array_make((size_t)verifier->queries.norder + 1, sizeof *presence->line_of, 0);
	presence->told = ordo_array_make(nsignal, sizeof *presence->told, 0);
	presence->heard = ordo_array_make(nsignal, sizeof *presence->heard, 0);
	return presence->lane_of && presence->ranks && presence->probes && presence->lines &&
	       presence->line_of && presence->told && presence->heard;
}

static void close_presence(struct presence *presence)
{
	free(presence->lane_of);
	free(presence->ranks);
	free(presence->probes);
	free(presence->lines);
	free(presence->pool);
	free(presence->line_of);
	free(presence->told);
	free(presence->heard);
}

static bool look(struct verifier *verifier, bool backwards)
{
	uint32_t nopen = 0;
	for (uint32_t i = 0; i < verifier->touches.count; i++)
		nopen += is_open(&verifier->touches.items[i], backwards);
	if (!nopen)
		return true;
	struct presence presence = {.verifier = verifier, .backwards = backwards};
	bool worked = ordo_list_order(verifier) && open_presence(&presence, nopen);
	if (worked) {
		add_probes(&presence);
		verifier->findings.proof->order_swept += presence.nprobe;
		worked = run_passes(&presence);
	}
	close_presence(&presence);
	return worked;
}

bool ordo_verify_entry_exit(struct verifier *verifier)
{
	return look(verifier, false) && look(verifier, true)
		       ? true
		       : ordo_fail_memory(verifier->findings.error);
}
