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
#include "passes.h"
#include <stdlib.h>

/* The question about a touch, at one point of a pass. */
struct probe {
	uint32_t batch, key; /* its pass, and its place in that pass */
	uint32_t lane;	     /* of the batch */
	struct touch *touch;
};

struct entry_exit {
	struct verifier *verifier;
	bool backwards;
	uint32_t *lane_of; /* [nrank] ORDO_NONE: no probe */
	uint32_t *ranks;   /* [nlane] */
	uint32_t nlane;
	struct probe *probes; /* [nprobe] sorted by batch and key */
	uint32_t nprobe;
	struct passes passes;
};

static bool is_open(const struct touch *touch, bool backwards)
{
	if (touch->first == ORDO_NONE)
		return false;
	return backwards ? touch->left <= touch->last : !touch->entered_first;
}

/* Backwards, keys rise as places in the run fall. */
static uint32_t key_of(const struct entry_exit *entry_exit, uint32_t task)
{
	const uint32_t at = entry_exit->verifier->tasks[task].at;
	return entry_exit->backwards ? UINT32_MAX - at : at;
}

static void add_probe(struct entry_exit *entry_exit, struct touch *touch)
{
	uint32_t *lane = &entry_exit->lane_of[touch->rank];
	if (*lane == ORDO_NONE) {
		*lane = entry_exit->nlane++;
		entry_exit->ranks[*lane] = touch->rank;
	}
	entry_exit->probes[entry_exit->nprobe++] = (struct probe){.batch = *lane / LINE_BITS,
		.key = key_of(entry_exit, entry_exit->backwards ? touch->last : touch->first),
		.lane = *lane % LINE_BITS,
		.touch = touch};
}

static int compare_probes(const void *left, const void *right)
{
	const struct probe *a = left, *b = right;
	if (a->batch != b->batch)
		return a->batch < b->batch ? -1 : 1;
	return a->key < b->key ? -1 : a->key > b->key;
}

static void add_probes(struct entry_exit *entry_exit)
{
	struct verifier *verifier = entry_exit->verifier;
	for (uint32_t i = 0; i < verifier->touches.count; i++)
		if (is_open(&verifier->touches.items[i], entry_exit->backwards))
			add_probe(entry_exit, &verifier->touches.items[i]);
	qsort(entry_exit->probes, entry_exit->nprobe, sizeof *entry_exit->probes, compare_probes);
	verifier->findings.proof->order_swept += entry_exit->nprobe;
}

static bool pass_event(struct entry_exit *entry_exit, uint32_t id)
{
	struct passes *passes = &entry_exit->passes;
	const struct task_info *info = &entry_exit->verifier->tasks[id];
	const bool notifies = entry_exit->verifier->schedule->tasks[id].kind == ORDO_NOTIFY;
	if (notifies != entry_exit->backwards)
		return send_line(passes, info->link, info->stream);
	struct line *line = receive_line(passes, info->link);
	for (int i = 0; i < LINE_WORDS; i++)
		passes->lines[info->stream].bits[i] |= line->bits[i];
	release_line(passes, line);
	return true;
}

/* Is the bit of the touch's rank set in its stream? */
static void read_probe(struct entry_exit *entry_exit, const struct probe *probe)
{
	struct touch *touch = probe->touch;
	const struct line *line = &entry_exit->passes.lines[touch->stream];
	if (!(line->bits[probe->lane / 64] >> probe->lane % 64 & 1))
		return;
	if (entry_exit->backwards)
		touch->left = touch->last + 1;
	else
		touch->entered_first = true;
}

static void begin_pass(struct entry_exit *entry_exit, uint32_t first_lane)
{
	const struct ordo_schedule *schedule = entry_exit->verifier->schedule;
	ordo_passes_begin(&entry_exit->passes);
	for (uint32_t lane = first_lane; lane < entry_exit->nlane && lane - first_lane < LINE_BITS;
		lane++) {
		const struct ordo_program *program = &schedule->programs[entry_exit->ranks[lane]];
		const uint32_t bit = lane - first_lane;
		for (uint32_t s = program->first_stream; s < program->end_stream; s++)
			entry_exit->passes.lines[s].bits[bit / 64] |= UINT64_C(1) << bit % 64;
	}
}

/* *next is the first probe of this pass, and then that of the next. */
static bool run_pass(struct entry_exit *entry_exit, uint32_t batch, const struct probe **next)
{
	const struct query_list *queries = &entry_exit->verifier->queries;
	const struct probe *end = entry_exit->probes + entry_exit->nprobe;
	begin_pass(entry_exit, batch * LINE_BITS);
	for (uint32_t i = 0; i < queries->norder; i++) {
		const uint32_t place = entry_exit->backwards ? queries->norder - 1 - i : i,
			       id = queries->order[place], key = key_of(entry_exit, id);
		for (; *next < end && (*next)->batch == batch && (*next)->key < key; ++*next)
			read_probe(entry_exit, *next);
		if (!pass_event(entry_exit, id))
			return false;
	}
	for (; *next < end && (*next)->batch == batch; ++*next)
		read_probe(entry_exit, *next);
	return true;
}

static bool run_passes(struct entry_exit *entry_exit)
{
	const struct ordo_verify_options *options = entry_exit->verifier->options;
	const struct probe *next = entry_exit->probes;
	for (uint32_t batch = 0; batch * LINE_BITS < entry_exit->nlane; batch++) {
		if (options->progress)
			options->progress(options->closure,
				entry_exit->backwards ? "leaving" : "entering", batch * LINE_BITS,
				entry_exit->nlane);
		if (!run_pass(entry_exit, batch, &next))
			return false;
	}
	return true;
}

static bool open_probes(struct entry_exit *entry_exit, uint32_t nopen)
{
	const size_t nrank = entry_exit->verifier->schedule->problem.nrank;
	entry_exit->lane_of = ordo_array_make(nrank, sizeof *entry_exit->lane_of, 0xff);
	entry_exit->ranks = ordo_array_make(nrank, sizeof *entry_exit->ranks, 0);
	entry_exit->probes = ordo_array_make(nopen, sizeof *entry_exit->probes, 0);
	return entry_exit->lane_of && entry_exit->ranks && entry_exit->probes;
}

static bool decide(struct verifier *verifier, bool backwards)
{
	uint32_t nopen = 0;
	for (uint32_t i = 0; i < verifier->touches.count; i++)
		nopen += is_open(&verifier->touches.items[i], backwards);
	if (!nopen)
		return true;
	struct entry_exit entry_exit = {.verifier = verifier, .backwards = backwards};
	bool worked =
		ordo_passes_open(&entry_exit.passes, verifier) && open_probes(&entry_exit, nopen);
	if (worked) {
		add_probes(&entry_exit);
		worked = run_passes(&entry_exit);
	}
	ordo_passes_close(&entry_exit.passes);
	free(entry_exit.lane_of);
	free(entry_exit.ranks);
	free(entry_exit.probes);
	return worked;
}

bool ordo_verify_entry_exit(struct verifier *verifier)
{
	return decide(verifier, false) && decide(verifier, true)
		       ? true
		       : ordo_fail_memory(verifier->findings.error);
}
