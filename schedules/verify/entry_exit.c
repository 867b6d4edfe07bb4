/* entry_exit.c - R9 for the touches that certificates left open: has the rank entered before the
 * first access, and does it leave after the last?
 *
 * Both are decided exactly, for 512 ranks in one pass over all Notify and Wait. A line has one bit
 * for each of these ranks; every stream has a line. Forwards, in the order of the run: a bit is set
 * if its rank has entered. It is set at the begin of all streams of the rank; a Notify sends the
 * line of its stream with the token, and the Wait that takes the token ORs it into its own.
 * Backwards likewise: a bit is set if its rank leaves after this point; it is set at the end of all
 * streams of the rank, and is sent from a Wait to its Notify. So both directions are one pass, in
 * which one end of a signal sends and the other receives. The k-th task of one end matches the k-th
 * of the other in both, because signals are balanced.
 */
#include "verifier.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 512, WORDS = RANKS / 64 };

struct line {
	uint64_t bits[WORDS];
};

/* Is the bit of the touch's rank set in its stream at the point `at` of the run? */
struct probe {
	uint32_t lane, at;
	struct touch *touch;
};

struct entry_exit {
	struct verifier *verifier;
	bool backwards;
	uint32_t *lane_of; /* [nrank] ORDO_NONE: no probe */
	uint32_t *ranks;   /* [nlane] */
	uint32_t nlane;
	struct probe *probes;
	uint32_t nprobe;
	struct line *lines; /* [nstream] */
	struct line *pool;  /* lines of tokens in flight; free ones are chained through them */
	size_t pool_room;
	uint32_t npool, free_line;
	uint32_t *line_of;	   /* [nnotify] line of a token */
	uint32_t *sent, *received; /* [nsignal] */
};

static bool is_open(const struct touch *touch, bool backwards)
{
	if (touch->first == ORDO_NONE)
		return false;
	return backwards ? touch->left <= touch->last : !touch->entered_first;
}

static void add_probe(struct entry_exit *entry_exit, struct touch *touch)
{
	const struct task_info *notes = entry_exit->verifier->tasks;
	uint32_t *lane = &entry_exit->lane_of[touch->rank];
	if (*lane == ORDO_NONE) {
		*lane = entry_exit->nlane++;
		entry_exit->ranks[*lane] = touch->rank;
	}
	entry_exit->probes[entry_exit->nprobe++] = (struct probe){
		*lane, notes[entry_exit->backwards ? touch->last : touch->first].at, touch};
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

static void add_probes(struct entry_exit *entry_exit)
{
	struct verifier *verifier = entry_exit->verifier;
	for (uint32_t i = 0; i < verifier->touches.count; i++)
		if (is_open(&verifier->touches.items[i], entry_exit->backwards))
			add_probe(entry_exit, &verifier->touches.items[i]);
	qsort(entry_exit->probes, entry_exit->nprobe, sizeof *entry_exit->probes,
		entry_exit->backwards ? compare_backwards : compare);
}

static uint32_t take_line(struct entry_exit *entry_exit)
{
	const uint32_t line = entry_exit->free_line;
	if (line != ORDO_NONE) {
		entry_exit->free_line = (uint32_t)entry_exit->pool[line].bits[0];
		return line;
	}
	if (!ordo_array_reserve(&entry_exit->pool, &entry_exit->pool_room,
		    (size_t)entry_exit->npool + 1, sizeof *entry_exit->pool))
		return ORDO_NONE;
	return entry_exit->npool++;
}

static bool send(struct entry_exit *entry_exit, uint32_t index, uint32_t stream)
{
	const uint32_t line = take_line(entry_exit);
	if (line == ORDO_NONE)
		return false;
	entry_exit->pool[line] = entry_exit->lines[stream];
	entry_exit->line_of[entry_exit->verifier->signals.items[index].first +
			    entry_exit->sent[index]++] = line;
	return true;
}

static void receive(struct entry_exit *entry_exit, uint32_t index, uint32_t stream)
{
	const uint32_t line = entry_exit->line_of[entry_exit->verifier->signals.items[index].first +
						  entry_exit->received[index]++];
	for (int i = 0; i < WORDS; i++)
		entry_exit->lines[stream].bits[i] |= entry_exit->pool[line].bits[i];
	entry_exit->pool[line].bits[0] = entry_exit->free_line;
	entry_exit->free_line = line;
}

static bool pass_event(struct entry_exit *entry_exit, uint32_t id)
{
	const struct verifier *verifier = entry_exit->verifier;
	const struct task_info *info = &verifier->tasks[id];
	const bool notifies = verifier->schedule->tasks[id].kind == ORDO_NOTIFY;
	if (notifies != entry_exit->backwards)
		return send(entry_exit, info->link, info->stream);
	receive(entry_exit, info->link, info->stream);
	return true;
}

static void read_probe(struct entry_exit *entry_exit, const struct probe *probe)
{
	struct touch *touch = probe->touch;
	const uint32_t bit = probe->lane % RANKS;
	if (!(entry_exit->lines[touch->stream].bits[bit / 64] >> bit % 64 & 1))
		return;
	if (entry_exit->backwards)
		touch->left = touch->last + 1;
	else
		touch->entered_first = true;
}

static void begin_pass(struct entry_exit *entry_exit, uint32_t first_lane)
{
	const struct ordo_schedule *schedule = entry_exit->verifier->schedule;
	const size_t nsignal = entry_exit->verifier->findings.proof->nsignal;
	memset(entry_exit->lines, 0, schedule->nstream * sizeof *entry_exit->lines);
	memset(entry_exit->sent, 0, nsignal * sizeof *entry_exit->sent);
	memset(entry_exit->received, 0, nsignal * sizeof *entry_exit->received);
	entry_exit->npool = 0;
	entry_exit->free_line = ORDO_NONE;
	for (uint32_t lane = first_lane; lane < entry_exit->nlane && lane - first_lane < RANKS;
		lane++) {
		const struct ordo_program *program = &schedule->programs[entry_exit->ranks[lane]];
		for (uint32_t s = program->first_stream; s < program->end_stream; s++)
			entry_exit->lines[s].bits[lane % RANKS / 64] |= UINT64_C(1) << lane % 64;
	}
}

/* *next is the first probe of this pass, and then that of the next. */
static bool run_pass(struct entry_exit *entry_exit, uint32_t first_lane, const struct probe **next)
{
	const struct verifier *verifier = entry_exit->verifier;
	const struct probe *end = entry_exit->probes + entry_exit->nprobe;
	begin_pass(entry_exit, first_lane);
	for (uint32_t i = 0; i < verifier->queries.norder; i++) {
		const uint32_t id = verifier->queries
					    .order[entry_exit->backwards
							    ? verifier->queries.norder - 1 - i
							    : i],
			       at = verifier->tasks[id].at;
		for (; *next < end && (*next)->lane - first_lane < RANKS &&
			(entry_exit->backwards ? (*next)->at > at : (*next)->at < at);
			++*next)
			read_probe(entry_exit, *next);
		if (!pass_event(entry_exit, id))
			return false;
	}
	for (; *next < end && (*next)->lane - first_lane < RANKS; ++*next)
		read_probe(entry_exit, *next);
	return true;
}

static bool run_passes(struct entry_exit *entry_exit)
{
	const struct ordo_verify_options *options = entry_exit->verifier->options;
	const struct probe *next = entry_exit->probes;
	for (uint32_t first = 0; first < entry_exit->nlane; first += RANKS) {
		if (options->progress)
			options->progress(options->closure,
				entry_exit->backwards ? "leaving" : "entering", first,
				entry_exit->nlane);
		if (!run_pass(entry_exit, first, &next))
			return false;
	}
	return true;
}

static bool open_lines(struct entry_exit *entry_exit, uint32_t nopen)
{
	const struct verifier *verifier = entry_exit->verifier;
	const size_t nrank = verifier->schedule->problem.nrank,
		     nsignal = verifier->findings.proof->nsignal;
	entry_exit->lane_of = ordo_array_make(nrank, sizeof *entry_exit->lane_of, 0xff);
	entry_exit->ranks = ordo_array_make(nrank, sizeof *entry_exit->ranks, 0);
	entry_exit->probes = ordo_array_make(nopen, sizeof *entry_exit->probes, 0);
	entry_exit->lines = ordo_array_make(
		(size_t)verifier->schedule->nstream + 1, sizeof *entry_exit->lines, 0);
	entry_exit->line_of = ordo_array_make(
		(size_t)verifier->queries.norder + 1, sizeof *entry_exit->line_of, 0);
	entry_exit->sent = ordo_array_make(nsignal, sizeof *entry_exit->sent, 0);
	entry_exit->received = ordo_array_make(nsignal, sizeof *entry_exit->received, 0);
	return entry_exit->lane_of && entry_exit->ranks && entry_exit->probes &&
	       entry_exit->lines && entry_exit->line_of && entry_exit->sent && entry_exit->received;
}

static void close_lines(struct entry_exit *entry_exit)
{
	free(entry_exit->lane_of);
	free(entry_exit->ranks);
	free(entry_exit->probes);
	free(entry_exit->lines);
	free(entry_exit->pool);
	free(entry_exit->line_of);
	free(entry_exit->sent);
	free(entry_exit->received);
}

static bool decide(struct verifier *verifier, bool backwards)
{
	uint32_t nopen = 0;
	for (uint32_t i = 0; i < verifier->touches.count; i++)
		nopen += is_open(&verifier->touches.items[i], backwards);
	if (!nopen)
		return true;
	struct entry_exit entry_exit = {.verifier = verifier, .backwards = backwards};
	bool worked = ordo_list_order(verifier) && open_lines(&entry_exit, nopen);
	if (worked) {
		add_probes(&entry_exit);
		verifier->findings.proof->order_swept += entry_exit.nprobe;
		worked = run_passes(&entry_exit);
	}
	close_lines(&entry_exit);
	return worked;
}

bool ordo_verify_entry_exit(struct verifier *verifier)
{
	return decide(verifier, false) && decide(verifier, true)
		       ? true
		       : ordo_fail_memory(verifier->findings.error);
}
