/* slots.c - runs blocks with a number of slots, to see whether all come to their ends.
 *
 * A step of k chunks in pieces of at most m is ceil(k/m) messages, one after the other. A block
 * waits for a message, for a free slot, or for a step of another block; what can go on never loses
 * that, so one order of execution decides for all. More slots never hurt: the least number is found
 * by halving.
 */
#include "slots.h"
#include <ordo/arena.h>
#include <ordo/detail/fail.h>
#include <stdlib.h>
#include <string.h>

uint32_t msccl_slots_of(enum msccl_protocol protocol)
{
	return protocol == MSCCL_SIMPLE ? 2 : 8;
}

/* Bytes of one message. */
static uint64_t message_bytes(const struct msccl_program *program)
{
	const bool rooted =
		!strcmp(program->collective, "reduce") || !strcmp(program->collective, "broadcast");
	return program->protocol == MSCCL_LL	  ? 32 << 10
	       : program->protocol == MSCCL_LL128 ? 576000
	       : rooted				  ? 512 << 10
						  : 2 << 20;
}

struct machine {
	const struct msccl_program *program;
	const struct msccl_links *links;
	uint32_t slots, chunks;	    /* of a connection; of a piece, at most */
	uint32_t *step, *piece;	    /* [nblock] where each block is */
	uint32_t *dependence;	    /* [nblock] its next one, in links */
	uint32_t *sent, *taken;	    /* [nconnection] pieces */
	bool *done;		    /* [nstep] */
	uint32_t *waiting;	    /* [nstep] blocks that wait for a step: a list; or ORDO_NONE */
	uint32_t *next_waiting;	    /* [nblock] */
	bool *is_waiting;	    /* [nblock] it is in such a list */
	uint32_t *ready, nready;    /* blocks that may go on */
	bool *is_ready;		    /* [nblock] */
	uint32_t *first_dependence; /* [nblock] */
};

static void make_ready(struct machine *m, uint32_t block)
{
	if (m->is_ready[block])
		return;
	m->is_ready[block] = true;
	m->ready[m->nready++] = block;
}

static bool open_machine(
	struct machine *m, const struct msccl_program *program, const struct msccl_links *links)
{
	const size_t nblock = (size_t)program->nblock + 1, nstep = (size_t)program->nstep + 1,
		     nconnection = (size_t)links->nconnection + 1;
	*m = (struct machine){.program = program,
		.links = links,
		.step = calloc(nblock, sizeof *m->step),
		.piece = calloc(nblock, sizeof *m->piece),
		.dependence = calloc(nblock, sizeof *m->dependence),
		.sent = calloc(nconnection, sizeof *m->sent),
		.taken = calloc(nconnection, sizeof *m->taken),
		.done = calloc(nstep, sizeof *m->done),
		.waiting = calloc(nstep, sizeof *m->waiting),
		.next_waiting = calloc(nblock, sizeof *m->next_waiting),
		.is_waiting = calloc(nblock, sizeof *m->is_waiting),
		.ready = calloc(nblock, sizeof *m->ready),
		.is_ready = calloc(nblock, sizeof *m->is_ready),
		.first_dependence = calloc(nblock, sizeof *m->first_dependence)};
	if (!m->step || !m->piece || !m->dependence || !m->sent || !m->taken || !m->done ||
		!m->waiting || !m->next_waiting || !m->is_waiting || !m->ready || !m->is_ready ||
		!m->first_dependence)
		return false;
	for (uint32_t b = 0, d = 0; b < program->nblock; b++) {
		m->first_dependence[b] = d;
		while (d < links->ndependence &&
			links->dependences[d].waiting < program->blocks[b].end)
			d++;
	}
	return true;
}

static void close_machine(struct machine *m)
{
	free(m->step);
	free(m->piece);
	free(m->dependence);
	free(m->sent);
	free(m->taken);
	free(m->done);
	free(m->waiting);
	free(m->next_waiting);
	free(m->is_waiting);
	free(m->ready);
	free(m->is_ready);
	free(m->first_dependence);
}

static void begin(struct machine *m, uint32_t slots, uint32_t chunks)
{
	const struct msccl_program *program = m->program;
	m->slots = slots;
	m->chunks = chunks;
	m->nready = 0;
	memset(m->piece, 0, program->nblock * sizeof *m->piece);
	memset(m->sent, 0, m->links->nconnection * sizeof *m->sent);
	memset(m->taken, 0, m->links->nconnection * sizeof *m->taken);
	memset(m->done, 0, program->nstep * sizeof *m->done);
	for (uint32_t s = 0; s < program->nstep; s++)
		m->waiting[s] = ORDO_NONE;
	for (uint32_t b = program->nblock; b-- > 0;) {
		m->step[b] = program->blocks[b].first;
		m->dependence[b] = m->first_dependence[b];
		m->is_ready[b] = m->is_waiting[b] = false;
		make_ready(m, b);
	}
}

/* Has the block all that its step depends on? If not, it is waiting. */
static bool has_dependences(struct machine *m, uint32_t block)
{
	const struct msccl_links *links = m->links;
	for (; m->dependence[block] < links->ndependence; m->dependence[block]++) {
		const struct msccl_dependence *d = &links->dependences[m->dependence[block]];
		if (d->waiting != m->step[block])
			return true;
		if (d->target == ORDO_NONE)
			return false;
		if (m->done[d->target])
			continue;
		if (!m->is_waiting[block]) {
			m->next_waiting[block] = m->waiting[d->target];
			m->waiting[d->target] = block;
			m->is_waiting[block] = true;
		}
		return false;
	}
	return true;
}

/* Runs one piece of a step. false: it has to wait. */
static bool run_piece(struct machine *m, uint32_t block, const struct msccl_type_facts *facts)
{
	const uint32_t in = m->links->receives_by[block], out = m->links->sends_by[block];
	if (facts->receives && m->sent[in] == m->taken[in])
		return false;
	if (facts->sends && m->sent[out] - m->taken[out] >= m->slots)
		return false;
	if (facts->receives) {
		m->taken[in]++;
		make_ready(m, m->links->connections[in].sender);
	}
	if (facts->sends) {
		m->sent[out]++;
		make_ready(m, m->links->connections[out].receiver);
	}
	m->piece[block]++;
	return true;
}

static void finish_step(struct machine *m, uint32_t block)
{
	const uint32_t step = m->step[block]++;
	m->piece[block] = 0;
	m->done[step] = true;
	while (m->waiting[step] != ORDO_NONE) {
		const uint32_t waiting = m->waiting[step];
		m->waiting[step] = m->next_waiting[waiting];
		m->is_waiting[waiting] = false;
		make_ready(m, waiting);
	}
}

static void advance(struct machine *m, uint32_t block)
{
	while (m->step[block] < m->program->blocks[block].end) {
		const struct msccl_step *step = &m->program->steps[m->step[block]];
		const struct msccl_type_facts *facts = &msccl_types[step->type];
		const bool moves = facts->sends || facts->receives;
		const uint32_t pieces = moves ? (step->count + m->chunks - 1) / m->chunks : 0;
		if (!has_dependences(m, block))
			return;
		while (m->piece[block] < pieces)
			if (!run_piece(m, block, facts))
				return;
		finish_step(m, block);
	}
}

/* Do all blocks end with so many slots, and so many chunks in a piece? */
static bool ends(struct machine *m, uint32_t slots, uint32_t chunks)
{
	begin(m, slots, chunks);
	while (m->nready) {
		const uint32_t block = m->ready[--m->nready];
		m->is_ready[block] = false;
		advance(m, block);
	}
	for (uint32_t b = 0; b < m->program->nblock; b++)
		if (m->step[b] < m->program->blocks[b].end)
			return false;
	return true;
}

static uint32_t count_stuck(const struct machine *m)
{
	uint32_t count = 0;
	for (uint32_t b = 0; b < m->program->nblock; b++)
		count += m->program->blocks[b].end - m->step[b];
	return count;
}

static uint32_t find_least_slots(struct machine *m)
{
	uint32_t enough = 1, few = 0;
	for (uint32_t c = 0; c < m->links->nconnection; c++) {
		const struct msccl_connection *connection = &m->links->connections[c];
		if (connection->end - connection->first > enough)
			enough = connection->end - connection->first;
	}
	if (!ends(m, enough, ORDO_LIMIT))
		return 0;
	while (few + 1 < enough) {
		const uint32_t middle = few + (enough - few) / 2;
		if (ends(m, middle, ORDO_LIMIT))
			enough = middle;
		else
			few = middle;
	}
	return enough;
}

/* From pieces that hold a whole step down to those of one chunk, which the largest sizes have. */
static uint64_t find_safe_bytes(struct machine *m, uint32_t slots)
{
	uint32_t most = 1, chunks;
	for (uint32_t c = 0; c < m->links->nconnection; c++)
		if (m->links->connections[c].most_chunks > most)
			most = m->links->connections[c].most_chunks;
	for (chunks = most; chunks && ends(m, slots, chunks); chunks--)
		;
	if (!chunks)
		return UINT64_MAX;
	if (chunks == most)
		return 0;
	return m->program->nchunk * (message_bytes(m->program) / (chunks + 1));
}

bool msccl_find_capacity(const struct msccl_program *program, const struct msccl_links *links,
	struct msccl_capacity *capacity, struct ordo_error *error)
{
	struct machine m;
	const bool worked = open_machine(&m, program, links);
	if (worked) {
		capacity->slots = msccl_slots_of(program->protocol);
		ends(&m, capacity->slots, ORDO_LIMIT);
		capacity->stuck_steps = count_stuck(&m);
		capacity->least_slots = find_least_slots(&m);
		capacity->safe_bytes = find_safe_bytes(&m, capacity->slots);
	}
	close_machine(&m);
	return worked || ordo_fail_memory(error);
}
