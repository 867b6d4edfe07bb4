/* links.c - connections and dependences of a program. */
#include "links.h"
#include "check.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/detail/fail.h>
#include <stdlib.h>

/* One end of a connection. */
struct end {
	uint32_t from, to, channel, block;
};

static int by_connection(const void *a, const void *b)
{
	const struct end *x = a, *y = b;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	if (x->channel != y->channel)
		return x->channel < y->channel ? -1 : 1;
	return (x->block > y->block) - (x->block < y->block);
}

static bool is_same(const struct end *a, const struct end *b)
{
	return a->from == b->from && a->to == b->to && a->channel == b->channel;
}

static uint32_t count_steps(
	const struct msccl_program *program, const struct msccl_block *block, bool sends)
{
	uint32_t count = 0;
	for (uint32_t s = block->first; s < block->end; s++) {
		const struct msccl_type_facts *facts = &msccl_types[program->steps[s].type];
		count += sends ? facts->sends : facts->receives;
	}
	return count;
}

/* The ends that blocks declare, whether they send or receive anything or not; sorted. */
static struct end *list_ends(
	const struct msccl_program *program, bool sends, uint32_t *count, struct ordo_error *error)
{
	struct end *ends = malloc(((size_t)program->nblock + 1) * sizeof *ends);
	*count = 0;
	for (uint32_t b = 0; ends && b < program->nblock; b++) {
		const struct msccl_block *block = &program->blocks[b];
		const int32_t peer = sends ? block->send : block->receive;
		if (peer < 0)
			continue;
		ends[(*count)++] =
			sends ? (struct end){block->gpu, (uint32_t)peer, block->channel, b}
			      : (struct end){(uint32_t)peer, block->gpu, block->channel, b};
	}
	if (!ends)
		ordo_fail_memory(error);
	else if (*count)
		qsort(ends, *count, sizeof *ends, by_connection);
	return ends;
}

/* Those of blocks that send, or receive, anything. */
static void keep_used(
	const struct msccl_program *program, bool sends, struct end *ends, uint32_t *count)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < *count; i++)
		if (count_steps(program, &program->blocks[ends[i].block], sends))
			ends[kept++] = ends[i];
	*count = kept;
}

static bool check_single(const struct msccl_program *program, const struct end *ends,
	uint32_t count, bool sends, struct ordo_error *error)
{
	for (uint32_t i = 1; i < count; i++)
		if (is_same(&ends[i - 1], &ends[i]))
			return msccl_fail(program, program->blocks[ends[i].block].place, 5, error,
				"tb %" PRIu32 " and tb %" PRIu32 " of gpu %" PRIu32
				" both %s gpu %" PRIu32 " on channel %" PRIu32
				": what arrives first is not defined",
				program->blocks[ends[i - 1].block].id,
				program->blocks[ends[i].block].id,
				sends ? ends[i].from : ends[i].to,
				sends ? "send to" : "receive from",
				sends ? ends[i].to : ends[i].from, ends[i].channel);
	return true;
}

static bool fail_alone(const struct msccl_program *program, const struct end *end, bool sends,
	struct ordo_error *error)
{
	const struct msccl_block *block = &program->blocks[end->block];
	return msccl_fail(program, block->place, 6, error,
		"gpu %" PRIu32 ", tb %" PRIu32 " %s gpu %" PRIu32 " on channel %" PRIu32
		", where no tb %s it: runtimes hang",
		block->gpu, block->id, sends ? "sends to" : "receives from",
		sends ? end->to : end->from, end->channel, sends ? "receives from" : "sends to");
}

static bool join_ends(struct msccl_links *links, const struct msccl_program *program,
	struct end *sends, uint32_t nsend, struct end *receives, uint32_t nreceive,
	struct ordo_error *error)
{
	if (!check_single(program, sends, nsend, true, error) ||
		!check_single(program, receives, nreceive, false, error))
		return false;
	keep_used(program, true, sends, &nsend);
	keep_used(program, false, receives, &nreceive);
	for (uint32_t i = 0; i < nsend || i < nreceive; i++) {
		if (i == nsend || i == nreceive || !is_same(&sends[i], &receives[i])) {
			const bool lone = i == nreceive ||
					  (i < nsend && by_connection(&sends[i], &receives[i]) < 0);
			return fail_alone(program, lone ? &sends[i] : &receives[i], lone, error);
		}
		links->connections[links->nconnection] =
			(struct msccl_connection){.from = sends[i].from,
				.to = sends[i].to,
				.channel = sends[i].channel,
				.sender = sends[i].block,
				.receiver = receives[i].block};
		links->sends_by[sends[i].block] = links->nconnection;
		links->receives_by[receives[i].block] = links->nconnection++;
	}
	return true;
}

static bool connect(
	struct msccl_links *links, const struct msccl_program *program, struct ordo_error *error)
{
	uint32_t nsend, nreceive;
	struct end *sends = list_ends(program, true, &nsend, error);
	struct end *receives = list_ends(program, false, &nreceive, error);
	links->connections = malloc(((size_t)program->nblock + 1) * sizeof *links->connections);
	links->sends_by = ordo_array_make((size_t)program->nblock + 1, sizeof(uint32_t), 0xff);
	links->receives_by = ordo_array_make((size_t)program->nblock + 1, sizeof(uint32_t), 0xff);
	links->message_chunks =
		malloc(((size_t)program->nstep + 1) * sizeof *links->message_chunks);
	bool worked = sends && receives && links->connections && links->sends_by &&
		      links->receives_by && links->message_chunks;
	if (!worked)
		ordo_fail_memory(error);
	worked = worked && join_ends(links, program, sends, nsend, receives, nreceive, error);
	free(sends);
	free(receives);
	return worked;
}

/* The next step of a block that sends, or receives; or its end. */
static uint32_t next_step(
	const struct msccl_program *program, uint32_t step, uint32_t end, bool sends)
{
	for (; step < end; step++) {
		const struct msccl_type_facts *facts = &msccl_types[program->steps[step].type];
		if (sends ? facts->sends : facts->receives)
			break;
	}
	return step;
}

/* The messages of one connection, each sent and received as so many chunks. */
static bool match_messages(struct msccl_links *links, const struct msccl_program *program,
	struct msccl_connection *c, struct ordo_error *error)
{
	const struct msccl_block *sender = &program->blocks[c->sender],
				 *receiver = &program->blocks[c->receiver];
	uint32_t s = sender->first, r = receiver->first;
	c->first = links->nmessage;
	for (;; s++, r++) {
		s = next_step(program, s, sender->end, true);
		r = next_step(program, r, receiver->end, false);
		if (s == sender->end && r == receiver->end)
			break;
		if (s == sender->end || r == receiver->end) {
			const uint32_t step = s == sender->end ? r : s;
			return msccl_fail(program, program->steps[step].place, 6, error,
				"message %" PRIu32 " from gpu %" PRIu32 " to gpu %" PRIu32
				" on channel %" PRIu32 " is %s: runtimes hang",
				links->nmessage - c->first, c->from, c->to, c->channel,
				s == sender->end ? "never sent" : "never received");
		}
		const uint32_t chunks = program->steps[s].count;
		if (program->steps[r].count != chunks)
			return msccl_fail(program, program->steps[r].place, 6, error,
				"cnt: found %" PRIu32 ", wanted %" PRIu32 ", as on line %" PRIu32
				", which sends it: runtimes compute garbage, or hang",
				program->steps[r].count, chunks, program->steps[s].place.line);
		c->most_chunks = chunks > c->most_chunks ? chunks : c->most_chunks;
		links->message_chunks[links->nmessage++] = chunks;
	}
	c->end = links->nmessage;
	return true;
}

/* The announced step that sets the flag which the dependence waits for. A nop announces nothing. */
static uint32_t find_target(
	const struct msccl_program *program, const struct msccl_block *block, uint32_t position)
{
	for (uint32_t s = block->first + position; s < block->end; s++)
		if (program->steps[s].is_waited_for && program->steps[s].type != MSCCL_NOP)
			return s;
	return ORDO_NONE;
}

static bool depend(struct msccl_links *links, struct msccl_program *program,
	const struct msccl_block *block, uint32_t step, struct ordo_error *error)
{
	const struct msccl_step *s = &program->steps[step];
	const struct msccl_gpu *gpu = &program->gpus[block->gpu];
	const uint32_t id = (uint32_t)s->depends_on_block, position = (uint32_t)s->depends_on_step;
	if (id >= gpu->end - gpu->first)
		return msccl_fail(program, s->place, 1, error,
			"depid: found %" PRIu32 ", wanted a tb of gpu %" PRIu32
			", which has %" PRIu32,
			id, block->gpu, gpu->end - gpu->first);
	const struct msccl_block *waited = &program->blocks[gpu->first + id];
	if (position >= waited->end - waited->first)
		return msccl_fail(program, s->place, 1, error,
			"deps: found %" PRId32 ", wanted a step of tb %" PRIu32
			", which has %" PRIu32 ": runtimes hang",
			s->depends_on_step, id, waited->end - waited->first);
	const uint32_t target = find_target(program, waited, position);
	links->dependences[links->ndependence++] =
		(struct msccl_dependence){step, target, ORDO_NONE, 0};
	const struct msccl_step *named = &program->steps[waited->first + position];
	if (target == waited->first + position || named->type == MSCCL_NOP)
		return true;
	return (target == ORDO_NONE
			       ? msccl_warn(program, s->place,
					 "it waits for step %" PRIu32 " of tb %" PRIu32
					 ", which has hasdep=\"0\", as have all after it: it waits "
					 "for ever",
					 position, id)
			       : msccl_warn(program, s->place,
					 "it waits for step %" PRIu32 " of tb %" PRIu32
					 ", which has hasdep=\"0\": runtimes wait for step "
					 "%" PRIu32,
					 position, id, target - waited->first)) ||
	       ordo_fail_memory(error);
}

static bool list_dependences(
	struct msccl_links *links, struct msccl_program *program, struct ordo_error *error)
{
	links->dependences = malloc(((size_t)program->nstep + 1) * sizeof *links->dependences);
	if (!links->dependences)
		return ordo_fail_memory(error);
	for (uint32_t b = 0; b < program->nblock; b++) {
		const struct msccl_block *block = &program->blocks[b];
		uint32_t end = block->end;
		/* Runtimes ignore nops at the end. */
		while (end > block->first && program->steps[end - 1].type == MSCCL_NOP)
			end--;
		for (uint32_t s = block->first; s < end; s++)
			if (program->steps[s].depends_on_block >= 0 &&
				!depend(links, program, block, s, error))
				return false;
	}
	return true;
}

/* A dependence, to be sorted by the blocks that it joins and by its target. */
struct joined {
	uint32_t waited, waiting, target, dependence;
};

static int by_pair(const void *a, const void *b)
{
	const struct joined *x = a, *y = b;
	if (x->waited != y->waited)
		return x->waited < y->waited ? -1 : 1;
	if (x->waiting != y->waiting)
		return x->waiting < y->waiting ? -1 : 1;
	return (x->target > y->target) - (x->target < y->target);
}

/* blocks: [nstep] of each step. */
static bool number_pairs(
	struct msccl_links *links, const uint32_t *blocks, struct ordo_error *error)
{
	struct joined *all = malloc(((size_t)links->ndependence + 1) * sizeof *all);
	uint32_t count = 0, number = 0;
	if (!all)
		return ordo_fail_memory(error);
	for (uint32_t d = 0; d < links->ndependence; d++) {
		const struct msccl_dependence *dependence = &links->dependences[d];
		if (dependence->target != ORDO_NONE)
			all[count++] = (struct joined){blocks[dependence->target],
				blocks[dependence->waiting], dependence->target, d};
	}
	if (count)
		qsort(all, count, sizeof *all, by_pair);
	for (uint32_t i = 0; i < count; i++) {
		const bool first = !i || all[i].waited != all[i - 1].waited ||
				   all[i].waiting != all[i - 1].waiting;
		links->npair += first;
		number = first ? 0 : number + (all[i].target != all[i - 1].target);
		links->dependences[all[i].dependence].pair = links->npair - 1;
		links->dependences[all[i].dependence].number = number;
	}
	free(all);
	return true;
}

static bool pair_dependences(
	struct msccl_links *links, const struct msccl_program *program, struct ordo_error *error)
{
	uint32_t *blocks = malloc(((size_t)program->nstep + 1) * sizeof *blocks);
	if (!blocks)
		return ordo_fail_memory(error);
	for (uint32_t b = 0; b < program->nblock; b++)
		for (uint32_t s = program->blocks[b].first; s < program->blocks[b].end; s++)
			blocks[s] = b;
	const bool worked = number_pairs(links, blocks, error);
	free(blocks);
	return worked;
}

bool msccl_link(struct msccl_links *links, struct msccl_program *program, struct ordo_error *error)
{
	*links = (struct msccl_links){0};
	bool worked = msccl_check(program, error) && connect(links, program, error);
	for (uint32_t c = 0; worked && c < links->nconnection; c++)
		worked = match_messages(links, program, &links->connections[c], error);
	return worked && list_dependences(links, program, error) &&
	       pair_dependences(links, program, error);
}

void msccl_links_close(struct msccl_links *links)
{
	free(links->connections);
	free(links->sends_by);
	free(links->receives_by);
	free(links->message_chunks);
	free(links->dependences);
}
