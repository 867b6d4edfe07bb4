/* lower.c - steps become tasks.
 *
 * A step waits for what it depends on, then for its message, then for a slot of the next rank; it
 * moves its chunks one by one, notifies the receiver, and gives its own slot back last. With a slot
 * for every message each chunk has a Notify: large messages travel in pieces, the first of which
 * may be received before the last is sent, so a whole message must not order accesses.
 */
#include "lower.h"
#include "contents.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/detail/fail.h>
#include <ordo/detail/slots.h>
#include <stdlib.h>
#include <string.h>

/* A step tells a pair that it is done. */
struct announcement {
	uint32_t step, pair;
};

struct lowering {
	const struct msccl_program *program;
	const struct msccl_links *links;
	const struct msccl_options *options;
	struct ordo_problem problem;
	struct ordo_schedule *schedule;
	struct ordo_error *error;
	uint32_t nchannel; /* above every channel */
	uint32_t *slots;   /* [nmessage] the first scratch slot of each, at its receiver */
	struct announcement *announcements; /* by step */
	uint32_t nannouncement, next_announcement, next_dependence;
	uint32_t *first_pair; /* [ngpu] the least pair of its blocks */
	uint32_t *taken;      /* [npair] tokens taken so far */
	uint32_t nendless;    /* waits that nothing ends */
	/* the step at hand */
	const struct msccl_block *block;
	struct ordo_place place;
	uint32_t sent, received; /* messages of the block so far */
};

static bool emit(struct lowering *l, const struct ordo_task *task)
{
	struct ordo_schedule *schedule = l->schedule;
	if (!ordo_schedule_append(schedule, task, l->error))
		return false;
	if (!ordo_array_reserve(&schedule->places, &schedule->place_room, schedule->ntask,
		    sizeof *schedule->places))
		return ordo_fail_memory(l->error);
	schedule->places[schedule->ntask - 1] = l->place;
	return true;
}

static bool emit_word(struct lowering *l, enum ordo_task_kind kind, uint32_t peer, uint32_t signal)
{
	const struct ordo_task task = {
		.kind = kind, .phase = ORDO_NO_PHASE, .peer = peer, .signal = signal};
	return emit(l, &task);
}

/* In place an input slot may be an output slot. */
static struct msccl_slot cell_of(const struct lowering *l, struct msccl_slot slot)
{
	const uint32_t rank = l->block->gpu;
	if (slot.buffer != ORDO_INPUT || !l->problem.in_place ||
		slot.offset >= ordo_input_slots(&l->problem, rank))
		return slot;
	const uint32_t output = ordo_in_place_output_slot(&l->problem, rank, slot.offset);
	return output == ORDO_NONE ? slot : (struct msccl_slot){ORDO_OUTPUT, output};
}

static bool is_same_cell(const struct lowering *l, struct msccl_slot a, struct msccl_slot b)
{
	a = cell_of(l, a);
	b = cell_of(l, b);
	return a.buffer == b.buffer && a.offset == b.offset;
}

/* Chunk by chunk; the contents name them later. */
static bool emit_moves(struct lowering *l, enum ordo_task_kind kind, struct msccl_slot src,
	struct msccl_slot dst, uint32_t count)
{
	const bool crosses = kind == ORDO_SEND || kind == ORDO_SEND_REDUCE;
	for (uint32_t i = 0; i < count; i++, src.offset++, dst.offset++) {
		const struct ordo_task task = {.kind = kind,
			.src_buffer = src.buffer,
			.dst_buffer = dst.buffer,
			.phase = ORDO_NO_PHASE,
			.peer = crosses ? (uint32_t)l->block->send : 0,
			.count = 1,
			.src = src.offset,
			.dst = dst.offset};
		if (kind == ORDO_LOCAL_COPY && is_same_cell(l, src, dst))
			continue;
		if (!emit(l, &task))
			return false;
	}
	return true;
}

static bool emit_dependences(struct lowering *l, uint32_t step)
{
	const struct msccl_links *links = l->links;
	const uint32_t gpu = l->block->gpu;
	while (l->next_dependence < links->ndependence &&
		links->dependences[l->next_dependence].waiting == step) {
		const struct msccl_dependence *d = &links->dependences[l->next_dependence++];
		if (d->target == ORDO_NONE) {
			/* Nothing ends this wait: its own Notify comes too late. */
			const uint32_t signal = links->npair + l->nendless++;
			if (!emit_word(l, ORDO_WAIT, gpu, signal) ||
				!emit_word(l, ORDO_NOTIFY, gpu, signal))
				return false;
			continue;
		}
		for (; l->taken[d->pair] <= d->number; l->taken[d->pair]++)
			if (!emit_word(l, ORDO_WAIT, gpu, d->pair - l->first_pair[gpu]))
				return false;
	}
	return true;
}

static bool emit_announcements(struct lowering *l, uint32_t step)
{
	const uint32_t gpu = l->block->gpu;
	for (; l->next_announcement < l->nannouncement &&
		l->announcements[l->next_announcement].step == step;
		l->next_announcement++)
		if (!emit_word(l, ORDO_NOTIFY, gpu,
			    l->announcements[l->next_announcement].pair - l->first_pair[gpu]))
			return false;
	return true;
}

/* A sender waits for "entered" before its first message; or for a free slot before every one. */
static bool wait_for_slot(struct lowering *l)
{
	if (l->sent && !l->options->slots)
		return true;
	return emit_word(l, ORDO_WAIT, (uint32_t)l->block->send, l->nchannel + l->block->channel);
}

/* The slot of the message just received is free for another. */
static bool free_slot(struct lowering *l, const struct msccl_connection *c)
{
	const uint32_t slots = l->options->slots;
	if (!slots || l->received + slots > c->end - c->first)
		return true;
	return emit_word(
		l, ORDO_NOTIFY, (uint32_t)l->block->receive, l->nchannel + l->block->channel);
}

static struct msccl_slot behind(struct msccl_slot slot, uint32_t count)
{
	return (struct msccl_slot){slot.buffer, slot.offset + count};
}

/* What a step does with n chunks from the given one on, with its message in `in` and the slot of
 * the next in `out`. */
static bool emit_work(struct lowering *l, const struct msccl_step *step, uint32_t first, uint32_t n,
	struct msccl_slot in, struct msccl_slot out)
{
	const struct msccl_slot src = behind(step->src, first), dst = behind(step->dst, first);
	in = behind(in, first);
	out = behind(out, first);
	switch (step->type) {
	case MSCCL_SEND:
		return emit_moves(l, ORDO_SEND, src, out, n);
	case MSCCL_RECEIVE:
		return emit_moves(l, ORDO_LOCAL_COPY, in, dst, n);
	case MSCCL_RECEIVE_COPY_SEND:
		return emit_moves(l, ORDO_LOCAL_COPY, in, dst, n) &&
		       emit_moves(l, ORDO_SEND, dst, out, n);
	case MSCCL_RECEIVE_REDUCE_COPY:
	case MSCCL_RECEIVE_REDUCE_COPY_SEND:
		return emit_moves(l, ORDO_LOCAL_COPY, src, dst, n) &&
		       emit_moves(l, ORDO_LOCAL_REDUCE, in, dst, n) &&
		       (step->type == MSCCL_RECEIVE_REDUCE_COPY ||
			       emit_moves(l, ORDO_SEND, dst, out, n));
	case MSCCL_RECEIVE_REDUCE_SEND:
		return emit_moves(l, ORDO_SEND, src, out, n) &&
		       emit_moves(l, ORDO_SEND_REDUCE, in, out, n);
	case MSCCL_COPY:
		return emit_moves(l, ORDO_LOCAL_COPY, src, dst, n);
	case MSCCL_REDUCE:
		return emit_moves(l, ORDO_LOCAL_REDUCE, src, dst, n);
	case MSCCL_NOP:
		break;
	}
	return true;
}

/* Waits for the message, or its next piece; then for the free slot, before the first. */
static bool emit_pieces(struct lowering *l, const struct msccl_step *step,
	const struct msccl_connection *in, const struct msccl_connection *out)
{
	const uint32_t size = l->options->slots || (!in && !out) ? step->count : 1;
	struct msccl_slot from = {ORDO_SCRATCH, 0}, to = {ORDO_SCRATCH, 0};
	if (in)
		from.offset = l->slots[in->first + l->received];
	if (out)
		to.offset = l->slots[out->first + l->sent];
	for (uint32_t first = 0; first < step->count; first += size)
		if ((in && !emit_word(l, ORDO_WAIT, (uint32_t)l->block->receive, in->channel)) ||
			(out && !first && !wait_for_slot(l)) ||
			!emit_work(l, step, first, size, from, to) ||
			(out && !emit_word(l, ORDO_NOTIFY, (uint32_t)l->block->send, out->channel)))
			return false;
	return true;
}

static bool emit_step(struct lowering *l, uint32_t index)
{
	const struct msccl_step *step = &l->program->steps[index];
	const struct msccl_type_facts *facts = &msccl_types[step->type];
	const uint32_t block = (uint32_t)(l->block - l->program->blocks);
	const struct msccl_connection *connections = l->links->connections,
				      *in = facts->receives
						    ? &connections[l->links->receives_by[block]]
						    : NULL,
				      *out = facts->sends ? &connections[l->links->sends_by[block]]
							  : NULL;
	l->place = step->place;
	if (!emit_dependences(l, index) || !emit_pieces(l, step, in, out))
		return false;
	l->sent += out != NULL;
	l->received += in != NULL;
	return (!in || free_slot(l, in)) && emit_announcements(l, index);
}

/* "Entered", once, or once for each slot that is used. */
static bool emit_entry(struct lowering *l)
{
	const uint32_t c = l->links->receives_by[l->block - l->program->blocks];
	if (c == ORDO_NONE)
		return true;
	const uint32_t messages = l->links->connections[c].end - l->links->connections[c].first,
		       slots = l->options->slots ? l->options->slots : 1,
		       words = messages < slots ? messages : slots;
	for (uint32_t i = 0; i < words; i++)
		if (!emit_word(l, ORDO_NOTIFY, (uint32_t)l->block->receive,
			    l->nchannel + l->block->channel))
			return false;
	return true;
}

static bool emit_block(struct lowering *l, const struct msccl_block *block)
{
	char name[32];
	uint32_t end = block->end;
	snprintf(name, sizeof name, "tb %" PRIu32, block->id);
	l->block = block;
	l->place = block->place;
	l->sent = l->received = 0;
	while (end > block->first && l->program->steps[end - 1].type == MSCCL_NOP)
		end--;
	if (!ordo_schedule_begin_stream(l->schedule, block->gpu, name, l->error) || !emit_entry(l))
		return false;
	for (uint32_t s = block->first; s < end; s++)
		if (!emit_step(l, s))
			return false;
	return true;
}

static int by_step(const void *a, const void *b)
{
	const struct announcement *x = a, *y = b;
	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	return (x->pair > y->pair) - (x->pair < y->pair);
}

static bool list_announcements(struct lowering *l)
{
	const struct msccl_links *links = l->links;
	uint32_t count = 0, kept = 0;
	l->announcements = malloc(((size_t)links->ndependence + 1) * sizeof *l->announcements);
	l->first_pair = ordo_array_make((size_t)l->program->ngpu + 1, sizeof *l->first_pair, 0xff);
	l->taken = calloc((size_t)links->npair + 1, sizeof *l->taken);
	if (!l->announcements || !l->first_pair || !l->taken)
		return ordo_fail_memory(l->error);
	for (uint32_t d = 0; d < links->ndependence; d++)
		if (links->dependences[d].target != ORDO_NONE)
			l->announcements[count++] = (struct announcement){
				links->dependences[d].target, links->dependences[d].pair};
	if (count)
		qsort(l->announcements, count, sizeof *l->announcements, by_step);
	for (uint32_t i = 0; i < count; i++)
		if (!i || by_step(&l->announcements[i - 1], &l->announcements[i]) != 0)
			l->announcements[kept++] = l->announcements[i];
	l->nannouncement = kept;
	uint32_t d = 0;
	for (uint32_t b = 0; b < l->program->nblock; b++)
		for (; d < links->ndependence &&
			links->dependences[d].waiting < l->program->blocks[b].end;
			d++) {
			uint32_t *first = &l->first_pair[l->program->blocks[b].gpu];
			if (links->dependences[d].pair < *first)
				*first = links->dependences[d].pair;
		}
	return true;
}

/* Gives messages their scratch slots, behind those of the file. */
static bool place_messages(struct lowering *l)
{
	const struct msccl_links *links = l->links;
	uint64_t *used = calloc((size_t)l->program->ngpu + 1, sizeof *used), most = 0, own = 0;
	l->slots = malloc(((size_t)links->nmessage + 1) * sizeof *l->slots);
	for (uint32_t g = 0; g < l->program->ngpu; g++)
		own = l->program->gpus[g].scratch_chunks > own ? l->program->gpus[g].scratch_chunks
							       : own;
	for (uint32_t c = 0; used && l->slots && c < links->nconnection; c++) {
		const struct msccl_connection *connection = &links->connections[c];
		const uint32_t slots = l->options->slots;
		uint64_t at = own + used[connection->to];
		for (uint32_t m = connection->first; m < connection->end; m++) {
			l->slots[m] = (uint32_t)at;
			at += slots ? connection->most_chunks : links->message_chunks[m];
			if (slots && (m + 1 - connection->first) % slots == 0)
				at = own + used[connection->to];
			if (at - own > most)
				most = at - own;
		}
		const uint32_t messages = connection->end - connection->first;
		used[connection->to] =
			slots ? used[connection->to] + (uint64_t)connection->most_chunks *
							       (slots < messages ? slots : messages)
			      : at - own;
		most = used[connection->to] > most ? used[connection->to] : most;
	}
	const bool worked = used && l->slots;
	free(used);
	if (!worked)
		return ordo_fail_memory(l->error);
	if (own + most > ORDO_LIMIT)
		return msccl_fail(l->program, l->program->place, 1, l->error,
			"found %" PRIu64 " scratch slots, wanted at most %u", own + most,
			ORDO_LIMIT);
	l->schedule->scratch_slots = (uint32_t)(own + most);
	return true;
}

static bool lower(struct lowering *l)
{
	const struct msccl_program *program = l->program;
	for (uint32_t b = 0; b < program->nblock; b++)
		if (program->blocks[b].channel >= l->nchannel)
			l->nchannel = program->blocks[b].channel + 1;
	l->schedule->file = ordo_arena_format(&l->schedule->arena, "%s", program->file);
	if (!l->schedule->file)
		return ordo_fail_memory(l->error);
	if (!list_announcements(l) || !place_messages(l))
		return false;
	for (uint32_t b = 0; b < program->nblock; b++)
		if (!emit_block(l, &program->blocks[b]))
			return false;
	return msccl_name_chunks(l->schedule, program, l->error);
}

struct ordo_schedule *msccl_lower(const struct msccl_program *program,
	const struct msccl_links *links, const struct msccl_options *options,
	struct ordo_error *error)
{
	struct lowering l = {
		.program = program, .links = links, .options = options, .error = error};
	if (!msccl_problem(program, options, &l.problem, error))
		return NULL;
	l.schedule = ordo_schedule_create(&l.problem, program->name, error);
	const bool worked = l.schedule && lower(&l);
	free(l.slots);
	free(l.announcements);
	free(l.first_pair);
	free(l.taken);
	if (worked)
		return l.schedule;
	ordo_schedule_destroy(l.schedule);
	return NULL;
}
