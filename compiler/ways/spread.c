/* spread.c - gives the streams of a schedule their ways over switches: the busiest stream first,
 * each where the links it needs are least busy then; and then each once more, while that helps.
 *
 * Times are integers: what a link takes for a chunk, in units of 2^-20 of the fastest link's, so
 * that ways are the same on every machine.
 */
#include "spread.h"
#include "ways.h"
#include <ordo/arena.h>
#include <ordo/detail/schedules.h>
#include <ordo/detail/topologies.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 8, MOST_TARGETS = 64, UNIT = 1 << 20 };

/* What a stream sends to one peer, and its ways there. */
struct target {
	uint32_t peer;
	uint64_t chunks;
	uint32_t first_way; /* [choices of the stream] into links, one after another */
};

struct sender {
	uint32_t stream, first_target, ntarget, nchoice, choice;
	uint64_t chunks;
};

/* The links of one choice to one target. */
struct slice {
	uint32_t first, count;
};

struct spreading {
	struct ordo_schedule *schedule;
	const struct ordo_topology *topology;
	struct ordo_ways ways;
	struct target *targets;
	size_t ntarget, target_room;
	struct slice *slices;
	size_t nslice, slice_room;
	uint32_t *links;
	size_t nlink, link_room;
	struct sender *senders; /* those with a choice */
	size_t nsender, sender_room;
	uint64_t *price; /* [topology->nlink] of a chunk */
	uint64_t *busy;	 /* [topology->nlink] */
	struct ordo_error *error;
};

/* The chunks that a stream sends to each peer. *fits: to no more than MOST_TARGETS. */
static bool find_targets(struct spreading *spreading, struct sender *sender, bool *fits)
{
	const struct ordo_schedule *schedule = spreading->schedule;
	const struct ordo_stream *stream = &schedule->streams[sender->stream];
	struct target *target = NULL;
	sender->first_target = (uint32_t)spreading->ntarget;
	for (uint32_t i = stream->first; *fits && i < stream->end; i++) {
		const struct ordo_task *task = &schedule->tasks[i];
		if (!ordo_task_moves(task) || !ordo_task_crosses(task))
			continue;
		if (!target || target->peer != task->peer) {
			uint32_t k = 0;
			while (k < sender->ntarget &&
				spreading->targets[sender->first_target + k].peer != task->peer)
				k++;
			*fits = k < MOST_TARGETS;
			if (k == sender->ntarget) {
				if (!ordo_array_reserve(&spreading->targets,
					    &spreading->target_room, spreading->ntarget + 1,
					    sizeof *target))
					return ordo_fail_memory(spreading->error);
				spreading->targets[spreading->ntarget++] =
					(struct target){.peer = task->peer};
				sender->ntarget++;
			}
			target = spreading->targets + sender->first_target + k;
		}
		target->chunks += task->count;
		sender->chunks += task->count;
	}
	return true;
}

static bool same_switches(
	const struct spreading *spreading, const struct ordo_way *a, const struct ordo_way *b)
{
	bool same = a->nlink == b->nlink;
	for (uint32_t i = 0; same && i + 1 < a->nlink; i++)
		same = spreading->topology->links[a->links[i]].to ==
		       spreading->topology->links[b->links[i]].to;
	return same;
}

static bool add_slice(struct spreading *spreading, const struct ordo_way *way)
{
	if (!ordo_array_reserve(&spreading->slices, &spreading->slice_room, spreading->nslice + 1,
		    sizeof *spreading->slices) ||
		!ordo_array_reserve(&spreading->links, &spreading->link_room,
			spreading->nlink + way->nlink, sizeof *spreading->links))
		return ordo_fail_memory(spreading->error);
	spreading->slices[spreading->nslice++] =
		(struct slice){(uint32_t)spreading->nlink, way->nlink};
	memcpy(spreading->links + spreading->nlink, way->links, way->nlink * sizeof *way->links);
	spreading->nlink += way->nlink;
	return true;
}

/* The ways over switches that lead a stream to all its peers. */
static bool find_choices(struct spreading *spreading, struct sender *sender)
{
	const uint32_t rank = spreading->schedule->streams[sender->stream].rank;
	struct ordo_way choices[ORDO_MOST_WAYS], found[ORDO_MOST_WAYS];
	for (uint32_t t = 0; t < sender->ntarget; t++) {
		const uint32_t peer = spreading->targets[sender->first_target + t].peer,
			       count = ordo_ways_between(&spreading->ways, rank, peer, found);
		uint32_t nkept = 0;
		if (!t)
			memcpy(choices, found, sizeof found);
		for (uint32_t i = 0; t && i < sender->nchoice; i++)
			for (uint32_t k = 0; k < count; k++)
				if (same_switches(spreading, &choices[i], &found[k])) {
					choices[nkept++] = choices[i];
					break;
				}
		sender->nchoice = t ? nkept : count;
	}
	for (uint32_t t = 0; sender->nchoice > 1 && t < sender->ntarget; t++) {
		struct target *target = &spreading->targets[sender->first_target + t];
		const uint32_t count =
			ordo_ways_between(&spreading->ways, rank, target->peer, found);
		target->first_way = (uint32_t)spreading->nslice;
		for (uint32_t i = 0; i < sender->nchoice; i++)
			for (uint32_t k = 0; k < count; k++)
				if (same_switches(spreading, &choices[i], &found[k]) &&
					!add_slice(spreading, &found[k]))
					return false;
	}
	return true;
}

/* Adds what a stream sends over the way that it names, or over the first there is. */
static void load(
	struct spreading *spreading, const struct sender *sender, const struct ordo_via *via)
{
	const uint32_t rank = spreading->schedule->streams[sender->stream].rank;
	struct ordo_way found[ORDO_MOST_WAYS];
	uint32_t named[ORDO_MOST_VIA + 1];
	for (uint32_t t = 0; t < sender->ntarget; t++) {
		const struct target *target = &spreading->targets[sender->first_target + t];
		const uint32_t *links = via ? named : found[0].links;
		uint32_t count = 0;
		if (via && ordo_via_links(
				   via, spreading->topology, rank, target->peer, named, NULL, 0))
			count = via->nswitch + 1;
		if (!via && ordo_ways_between(&spreading->ways, rank, target->peer, found))
			count = found[0].nlink;
		for (uint32_t i = 0; i < count; i++)
			spreading->busy[links[i]] += target->chunks * spreading->price[links[i]];
	}
}

/* Keeps a stream that has a choice; what another sends is on its links for good. */
static bool add_sender(struct spreading *spreading, uint32_t stream)
{
	struct sender sender = {.stream = stream};
	bool fits = true;
	const struct ordo_via *via = ordo_via_of(spreading->schedule, stream);
	if (!find_targets(spreading, &sender, &fits) ||
		(fits && !via && !find_choices(spreading, &sender)))
		return false;
	if (fits && sender.nchoice > 1) {
		if (!ordo_array_reserve(&spreading->senders, &spreading->sender_room,
			    spreading->nsender + 1, sizeof sender))
			return ordo_fail_memory(spreading->error);
		spreading->senders[spreading->nsender++] = sender;
		return true;
	}
	load(spreading, &sender, via);
	return true;
}

/* Adds what a stream sends to the links of its choice, or takes it away. */
static void place(struct spreading *spreading, const struct sender *sender, bool takes_away)
{
	for (uint32_t t = 0; t < sender->ntarget; t++) {
		const struct target *target = &spreading->targets[sender->first_target + t];
		const struct slice *slice = &spreading->slices[target->first_way + sender->choice];
		for (uint32_t i = 0; i < slice->count; i++) {
			const uint32_t link = spreading->links[slice->first + i];
			const uint64_t time = target->chunks * spreading->price[link];
			spreading->busy[link] += takes_away ? (uint64_t)0 - time : time;
		}
	}
}

/* How long the busiest link of a choice would be busy, and all its links together. */
struct cost {
	uint64_t most, sum;
};

static struct cost cost_of(struct spreading *spreading, const struct sender *sender)
{
	struct cost cost = {0};
	place(spreading, sender, false);
	for (uint32_t t = 0; t < sender->ntarget; t++) {
		const struct target *target = &spreading->targets[sender->first_target + t];
		const struct slice *slice = &spreading->slices[target->first_way + sender->choice];
		for (uint32_t i = 0; i < slice->count; i++) {
			const uint64_t busy = spreading->busy[spreading->links[slice->first + i]];
			cost.most = busy > cost.most ? busy : cost.most;
			cost.sum += busy;
		}
	}
	place(spreading, sender, true);
	return cost;
}

/* true: another choice is better than that at hand, which is taken. */
static bool choose(struct spreading *spreading, struct sender *sender)
{
	const uint32_t before = sender->choice;
	struct cost least = cost_of(spreading, sender);
	uint32_t best = before;
	for (sender->choice = 0; sender->choice < sender->nchoice; sender->choice++) {
		const struct cost cost = cost_of(spreading, sender);
		if (cost.most < least.most || (cost.most == least.most && cost.sum < least.sum)) {
			least = cost;
			best = sender->choice;
		}
	}
	sender->choice = best;
	return best != before;
}

static int compare_senders(const void *one, const void *other)
{
	const struct sender *a = one, *b = other;
	if (a->chunks != b->chunks)
		return a->chunks < b->chunks ? 1 : -1;
	return (a->stream > b->stream) - (a->stream < b->stream);
}

static void choose_all(struct spreading *spreading)
{
	bool better = true;
	if (spreading->nsender)
		qsort(spreading->senders, spreading->nsender, sizeof *spreading->senders,
			compare_senders);
	for (uint32_t round = 0; better && round < MOST_ROUNDS; round++) {
		better = !round;
		for (size_t i = 0; i < spreading->nsender; i++) {
			struct sender *sender = &spreading->senders[i];
			if (round)
				place(spreading, sender, true);
			better = choose(spreading, sender) || better;
			place(spreading, sender, false);
		}
	}
}

static bool name_ways(struct spreading *spreading)
{
	uint32_t switches[ORDO_MOST_HOPS];
	for (size_t i = 0; i < spreading->nsender; i++) {
		const struct sender *sender = &spreading->senders[i];
		const struct target *target = &spreading->targets[sender->first_target];
		const struct slice *slice = &spreading->slices[target->first_way + sender->choice];
		const struct ordo_via via = {switches, slice->count - 1, NULL, NULL};
		for (uint32_t k = 0; k + 1 < slice->count; k++)
			switches[k] =
				spreading->topology->links[spreading->links[slice->first + k]].to;
		if (!ordo_schedule_set_via(
			    spreading->schedule, sender->stream, &via, spreading->error))
			return false;
	}
	return true;
}

static bool set_prices(struct spreading *spreading)
{
	const struct ordo_topology *topology = spreading->topology;
	double fastest = 0;
	spreading->price = ordo_array_make(topology->nlink, sizeof *spreading->price, 0);
	spreading->busy = ordo_array_make(topology->nlink, sizeof *spreading->busy, 0);
	if (!spreading->price || !spreading->busy)
		return ordo_fail_memory(spreading->error);
	for (uint32_t i = 0; i < topology->nlink; i++)
		if (topology->links[i].bandwidth_gbs > fastest)
			fastest = topology->links[i].bandwidth_gbs;
	for (uint32_t i = 0; i < topology->nlink; i++)
		spreading->price[i] =
			(uint64_t)(UNIT * (fastest / topology->links[i].bandwidth_gbs));
	return true;
}

bool ordo_has_choice(const struct ordo_schedule *schedule, const struct ordo_topology *topology,
	bool *choice, struct ordo_error *error)
{
	struct ordo_ways ways;
	struct ordo_way found[ORDO_MOST_WAYS];
	const bool worked = ordo_ways_make(&ways, topology, error);
	*choice = false;
	for (uint32_t s = 0; worked && s < schedule->nstream; s++) {
		const struct ordo_stream *stream = &schedule->streams[s];
		uint32_t last = stream->rank;
		for (uint32_t i = stream->first; !*choice && i < stream->end; i++) {
			const struct ordo_task *task = &schedule->tasks[i];
			if (!ordo_task_moves(task) || !ordo_task_crosses(task) ||
				task->peer == last)
				continue;
			last = task->peer;
			*choice = ordo_ways_between(&ways, stream->rank, last, found) > 1;
		}
	}
	ordo_ways_free(&ways);
	return worked;
}

bool ordo_spread(struct ordo_schedule *schedule, const struct ordo_topology *topology,
	struct ordo_error *error)
{
	struct spreading spreading = {.schedule = schedule, .topology = topology, .error = error};
	bool worked = set_prices(&spreading) && ordo_ways_make(&spreading.ways, topology, error);
	for (uint32_t s = 0; worked && s < schedule->nstream; s++)
		worked = add_sender(&spreading, s);
	if (worked) {
		choose_all(&spreading);
		worked = name_ways(&spreading);
	}
	ordo_ways_free(&spreading.ways);
	free(spreading.targets);
	free(spreading.slices);
	free(spreading.links);
	free(spreading.senders);
	free(spreading.price);
	free(spreading.busy);
	return worked;
}
