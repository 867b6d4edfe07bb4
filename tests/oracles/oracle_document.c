/* oracle_document.c - what each task of a document touches, and the rules that need no running. */
#include "oracle_document.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *must_alloc(size_t count, size_t size)
{
	void *block = calloc(count ? count : 1, size);
	if (!block)
		abort();
	return block;
}

void note(struct oracle_opinion *opinion, int rule, const char *format, ...)
{
	if (!opinion->broken) {
		va_list arguments;
		va_start(arguments, format);
		vsnprintf(opinion->why, sizeof opinion->why, format, arguments);
		va_end(arguments);
	}
	opinion->broken |= 1u << rule;
}

uint32_t oracle_group(uint32_t broken)
{
	static const uint32_t groups[] = {ORACLE_STATIC, ORACLE_DEADLOCK, ORACLE_RACE, ORACLE_FLOW};
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
		if (broken & groups[i])
			return groups[i];
	return 0;
}

/* The operator's table, row by row: all of one vector, own block, the diagonal exchange, or
 * nothing. */
static uint32_t all_chunks(const struct ordo_problem *p)
{
	switch (p->op) {
	case ORDO_ALLREDUCE:
	case ORDO_REDUCE:
	case ORDO_BROADCAST:
		return p->chunks_per_block;
	case ORDO_REDUCESCATTER:
	case ORDO_ALLGATHER:
	case ORDO_SCATTER:
	case ORDO_GATHER:
	case ORDO_CUSTOM:
		return p->nrank * p->chunks_per_block;
	case ORDO_ALLTOALL:
		return p->nrank * p->nrank * p->chunks_per_block;
	}
	abort();
}

static bool adds(const struct ordo_problem *p)
{
	return p->op == ORDO_ALLREDUCE || p->op == ORDO_REDUCE || p->op == ORDO_REDUCESCATTER;
}

static uint32_t first_shard(const struct ordo_problem *p, uint32_t rank)
{
	return (uint32_t)((uint64_t)rank * p->nshard / p->nrank);
}

uint32_t slots_in(const struct ordo_problem *p, uint32_t rank, enum ordo_buffer buffer,
	uint32_t scratch_slots)
{
	const uint32_t K = p->chunks_per_block, all = all_chunks(p),
		       at_root = rank == p->root ? all : 0;
	if (buffer == ORDO_SCRATCH)
		return scratch_slots;
	const bool in = buffer == ORDO_INPUT;
	switch (p->op) {
	case ORDO_ALLREDUCE:
		return in ? (first_shard(p, rank + 1) - first_shard(p, rank)) * all : all;
	case ORDO_REDUCE:
		return in ? (first_shard(p, rank + 1) - first_shard(p, rank)) * all : at_root;
	case ORDO_REDUCESCATTER:
		return in ? (first_shard(p, rank + 1) - first_shard(p, rank)) * all : K;
	case ORDO_BROADCAST:
		return in ? at_root : all;
	case ORDO_ALLGATHER:
		return in ? K : all;
	case ORDO_SCATTER:
		return in ? at_root : K;
	case ORDO_GATHER:
		return in ? K : at_root;
	case ORDO_ALLTOALL:
		return p->nrank * K;
	case ORDO_CUSTOM:
		return K;
	}
	abort();
}

uint32_t chunk_given(const struct ordo_problem *p, uint32_t rank, uint32_t slot)
{
	const uint32_t K = p->chunks_per_block;
	if (p->op == ORDO_ALLTOALL)
		return (rank * p->nrank + slot / K) * K + slot % K;
	if (p->op == ORDO_ALLGATHER || p->op == ORDO_GATHER || p->op == ORDO_CUSTOM)
		return rank * K + slot;
	return slot % all_chunks(p);
}

uint32_t shard_given(const struct ordo_problem *p, uint32_t rank, uint32_t slot)
{
	if (p->op == ORDO_CUSTOM)
		return chunk_given(p, rank, slot);
	return adds(p) ? first_shard(p, rank) + slot / all_chunks(p) : rank;
}

uint32_t chunk_wanted(const struct ordo_problem *p, uint32_t rank, uint32_t slot)
{
	const uint32_t K = p->chunks_per_block;
	if (p->op == ORDO_ALLTOALL)
		return (slot / K * p->nrank + rank) * K + slot % K;
	if (p->op == ORDO_REDUCESCATTER || p->op == ORDO_SCATTER)
		return rank * K + slot;
	return slot;
}

static uint32_t shard_wanted(const struct ordo_problem *p, uint32_t chunk)
{
	if (p->op == ORDO_ALLTOALL)
		return chunk / p->chunks_per_block / p->nrank;
	if (p->op == ORDO_ALLGATHER || p->op == ORDO_GATHER)
		return chunk / p->chunks_per_block;
	return p->root;
}

/* In place, one of input and output lies within the other; the longer one names the cells. */
uint32_t cell_in_rank(
	const struct ordo_problem *p, uint32_t rank, enum ordo_buffer buffer, uint32_t slot)
{
	const uint32_t in = slots_in(p, rank, ORDO_INPUT, 0),
		       out = slots_in(p, rank, ORDO_OUTPUT, 0);
	const uint32_t longer = in > out ? in : out, own = rank * p->chunks_per_block;
	if (buffer == ORDO_SCRATCH)
		return (p->in_place ? longer : in + out) + slot;
	if (!p->in_place)
		return buffer == ORDO_INPUT ? slot : in + slot;
	if ((p->op == ORDO_REDUCESCATTER || p->op == ORDO_SCATTER) && buffer == ORDO_OUTPUT && in)
		return own + slot;
	if ((p->op == ORDO_ALLGATHER || p->op == ORDO_GATHER) && buffer == ORDO_INPUT && out)
		return own + slot;
	return slot;
}

static uint32_t cells_of_rank(const struct ordo_problem *p, uint32_t rank, uint32_t scratch_slots)
{
	return cell_in_rank(p, rank, ORDO_SCRATCH, scratch_slots);
}

static bool slice_fits(const struct ordo_schedule *s, uint32_t rank, enum ordo_buffer buffer,
	uint32_t slot, uint32_t count)
{
	return (uint64_t)slot + count <= slots_in(&s->problem, rank, buffer, s->scratch_slots);
}

static uint32_t target_of(const struct ordo_task *task, uint32_t rank)
{
	return task->kind == ORDO_SEND || task->kind == ORDO_SEND_REDUCE ? task->peer : rank;
}

/* Memory of a slot of the input or output is as long as the chunk that belongs there, so no other
 * chunk may be moved through it. */
static bool slots_belong(const struct ordo_schedule *s, uint32_t rank, enum ordo_buffer buffer,
	uint32_t slot, const struct ordo_task *task)
{
	if (s->problem.op == ORDO_CUSTOM && buffer == ORDO_OUTPUT)
		return true;
	for (uint32_t i = 0; i < task->count && buffer != ORDO_SCRATCH; i++) {
		uint32_t belongs = buffer == ORDO_INPUT ? chunk_given(&s->problem, rank, slot + i)
							: chunk_wanted(&s->problem, rank, slot + i);
		if (belongs != task->chunk + i)
			return false;
	}
	return true;
}

static void judge_move(
	const struct ordo_schedule *s, uint32_t t, uint32_t rank, struct oracle_opinion *opinion)
{
	const struct ordo_task *task = &s->tasks[t];
	const uint32_t target = target_of(task, rank);
	const enum ordo_buffer from = (enum ordo_buffer)task->src_buffer,
			       to = (enum ordo_buffer)task->dst_buffer;
	if (task->count < 1 || (uint64_t)task->chunk + task->count > all_chunks(&s->problem)) {
		note(opinion, 3, "task %u: chunks beyond the last", t);
		return;
	}
	if (!slice_fits(s, rank, from, task->src, task->count) ||
		!slice_fits(s, target, to, task->dst, task->count)) {
		note(opinion, 3, "task %u: slice outside its buffer", t);
		return;
	}
	if (!slots_belong(s, target, to, task->dst, task))
		note(opinion, 3, "task %u: a slot of another chunk", t);
	if (to == ORDO_INPUT && !s->problem.in_place)
		note(opinion, 4, "task %u: writes input", t);
}

static void judge_tasks(const struct ordo_schedule *s, struct oracle_opinion *opinion)
{
	for (uint32_t i = 0; i < s->nstream; i++)
		for (uint32_t t = s->streams[i].first; t < s->streams[i].end; t++) {
			const struct ordo_task *task = &s->tasks[t];
			const bool peer = task->kind >= ORDO_SEND,
				   send = peer && task->kind <= ORDO_SEND_REDUCE;
			if (task->kind > ORDO_WAIT || task->src_buffer > ORDO_SCRATCH ||
				task->dst_buffer > ORDO_SCRATCH)
				note(opinion, 1, "task %u: no such kind or buffer", t);
			else if (peer && (task->peer >= s->problem.nrank ||
						 (send && task->peer == s->streams[i].rank)))
				note(opinion, 2, "task %u: peer %u", t, task->peer);
			else if (task->kind <= ORDO_SEND_REDUCE)
				judge_move(s, t, s->streams[i].rank, opinion);
		}
}

/* Two Notify/Wait tasks name one counter if the notifying rank, the waiting rank and the signal
 * agree. */
static bool same_counter(const struct oracle_document *d, uint32_t a, uint32_t b)
{
	const struct ordo_schedule *s = d->schedule;
	const struct ordo_task *x = &s->tasks[a], *y = &s->tasks[b];
	const uint32_t x_rank = s->streams[d->stream_of[a]].rank,
		       y_rank = s->streams[d->stream_of[b]].rank;
	const bool x_notifies = x->kind == ORDO_NOTIFY, y_notifies = y->kind == ORDO_NOTIFY;
	return x->signal == y->signal &&
	       (x_notifies ? x_rank : x->peer) == (y_notifies ? y_rank : y->peer) &&
	       (x_notifies ? x->peer : x_rank) == (y_notifies ? y->peer : y_rank);
}

/* Numbers the signals and judges R5 and R6: one notifying stream, one waiting stream, as many
 * tokens taken as given. */
static void judge_signals(struct oracle_document *d, struct oracle_opinion *opinion)
{
	const struct ordo_schedule *s = d->schedule;
	uint32_t *first = must_alloc(s->ntask, sizeof *first);
	for (uint32_t t = 0; t < s->ntask; t++) {
		if (s->tasks[t].kind < ORDO_NOTIFY)
			continue;
		uint32_t signal = 0;
		while (signal < d->nsignal && !same_counter(d, first[signal], t))
			signal++;
		if (signal == d->nsignal)
			first[d->nsignal++] = t;
		d->signal_of[t] = signal;
	}
	uint32_t *ends[2] = {
		must_alloc(d->nsignal, sizeof **ends), must_alloc(d->nsignal, sizeof **ends)};
	int32_t *tokens = must_alloc(d->nsignal, sizeof *tokens);
	for (uint32_t t = 0; t < s->ntask; t++) {
		if (s->tasks[t].kind < ORDO_NOTIFY)
			continue;
		const bool waits = s->tasks[t].kind == ORDO_WAIT;
		uint32_t *end = &ends[waits][d->signal_of[t]];
		if (*end && *end != d->stream_of[t] + 1)
			note(opinion, 5, "task %u: another stream %s this signal", t,
				waits ? "waits for" : "notifies");
		*end = d->stream_of[t] + 1;
		tokens[d->signal_of[t]] += waits ? -1 : 1;
	}
	for (uint32_t i = 0; i < d->nsignal; i++)
		if (tokens[i])
			note(opinion, 6, "task %u: its signal ends with %d tokens", first[i],
				tokens[i]);
	free(first);
	free(ends[0]);
	free(ends[1]);
	free(tokens);
}

static void list_accesses(struct oracle_document *d)
{
	const struct ordo_schedule *s = d->schedule;
	uint32_t n = 0;
	for (uint32_t t = 0; t < s->ntask; t++)
		n += s->tasks[t].kind <= ORDO_SEND_REDUCE ? 2 * s->tasks[t].count : 0;
	d->accesses = must_alloc(n, sizeof *d->accesses);
	n = 0;
	for (uint32_t t = 0; t < s->ntask; t++) {
		const struct ordo_task *task = &s->tasks[t];
		const uint32_t rank = s->streams[d->stream_of[t]].rank,
			       target = target_of(task, rank);
		const bool reduces =
			task->kind == ORDO_LOCAL_REDUCE || task->kind == ORDO_SEND_REDUCE;
		d->first_access[t] = n;
		for (uint32_t i = 0; task->kind <= ORDO_SEND_REDUCE && i < task->count; i++) {
			uint32_t from = cell_in_rank(&s->problem, rank,
				(enum ordo_buffer)task->src_buffer, task->src + i);
			uint32_t to = cell_in_rank(&s->problem, target,
				(enum ordo_buffer)task->dst_buffer, task->dst + i);
			d->accesses[n++] = (struct access){d->first_cell[rank] + from, TOUCH_READ};
			d->accesses[n++] = (struct access){
				d->first_cell[target] + to, reduces ? TOUCH_ADD : TOUCH_WRITE};
		}
	}
	d->first_access[s->ntask] = n;
}

void open_document_unbalanced(const struct ordo_schedule *schedule, struct oracle_document *d,
	struct oracle_opinion *opinion)
{
	*opinion = (struct oracle_opinion){.decided = true};
	*d = (struct oracle_document){.schedule = schedule};
	judge_tasks(schedule, opinion);
	if (opinion->broken)
		return;
	d->stream_of = must_alloc(schedule->ntask, sizeof *d->stream_of);
	d->signal_of = must_alloc(schedule->ntask, sizeof *d->signal_of);
	d->first_access = must_alloc((size_t)schedule->ntask + 1, sizeof *d->first_access);
	d->first_cell = must_alloc((size_t)schedule->problem.nrank + 1, sizeof *d->first_cell);
	for (uint32_t i = 0; i < schedule->nstream; i++)
		for (uint32_t t = schedule->streams[i].first; t < schedule->streams[i].end; t++)
			d->stream_of[t] = i;
	for (uint32_t r = 0; r < schedule->problem.nrank; r++)
		d->first_cell[r + 1] = d->first_cell[r] + cells_of_rank(&schedule->problem, r,
								  schedule->scratch_slots);
	d->ncell = d->first_cell[schedule->problem.nrank];
	judge_signals(d, opinion);
	list_accesses(d);
}

bool open_document(const struct ordo_schedule *schedule, struct oracle_document *document,
	struct oracle_opinion *opinion)
{
	open_document_unbalanced(schedule, document, opinion);
	if (opinion->broken)
		close_document(document);
	return !opinion->broken;
}

void close_document(struct oracle_document *d)
{
	free(d->first_cell);
	free(d->stream_of);
	free(d->signal_of);
	free(d->accesses);
	free(d->first_access);
	free(d->values);
	free(d->table);
	*d = (struct oracle_document){0};
}

bool tasks_conflict(const struct oracle_document *d, uint32_t a, uint32_t b, bool atomic_reduce)
{
	for (uint32_t i = d->first_access[a]; i < d->first_access[a + 1]; i++)
		for (uint32_t j = d->first_access[b]; j < d->first_access[b + 1]; j++) {
			const enum touch x = d->accesses[i].touch, y = d->accesses[j].touch;
			if (d->accesses[i].cell != d->accesses[j].cell ||
				(x == TOUCH_READ && y == TOUCH_READ))
				continue;
			if (!(atomic_reduce && x == TOUCH_ADD && y == TOUCH_ADD))
				return true;
		}
	return false;
}

bool races_with_itself(const struct oracle_document *d, uint32_t t)
{
	for (uint32_t i = d->first_access[t]; i < d->first_access[t + 1]; i++)
		for (uint32_t j = d->first_access[t]; j < d->first_access[t + 1]; j++)
			if (d->accesses[i].cell == d->accesses[j].cell &&
				d->accesses[i].touch == TOUCH_READ &&
				d->accesses[j].touch != TOUCH_READ)
				return true;
	return false;
}

uint32_t foreign_rank(const struct oracle_document *d, uint32_t t)
{
	const enum ordo_task_kind kind = (enum ordo_task_kind)d->schedule->tasks[t].kind;
	return kind == ORDO_SEND || kind == ORDO_SEND_REDUCE ? d->schedule->tasks[t].peer
							     : ORDO_NONE;
}

/* The id of a value; equal values have one id. */
static uint32_t value_id(struct oracle_document *d, struct value value)
{
	if (!d->nvalue) {
		d->values = must_alloc(d->value_room = 64, sizeof *d->values);
		d->table = must_alloc(d->table_size = 256, sizeof *d->table);
		d->nvalue = 1;
	}
	if (4 * (size_t)d->nvalue > d->table_size) {
		free(d->table);
		d->table = must_alloc(d->table_size *= 4, sizeof *d->table);
		uint32_t nvalue = d->nvalue;
		d->nvalue = 1;
		for (uint32_t i = 1; i < nvalue; i++)
			value_id(d, d->values[i]);
	}
	size_t at = ((value.chunk * 31u + value.shard) * 31u + value.left) * 31u +
		    value.right * 2654435761u;
	for (at &= d->table_size - 1; d->table[at]; at = (at + 1) & (d->table_size - 1))
		if (!memcmp(&d->values[d->table[at]], &value, sizeof value))
			return d->table[at];
	if (d->nvalue == d->value_room &&
		!(d->values = realloc(d->values, (d->value_room *= 2) * sizeof value)))
		abort();
	d->values[d->nvalue] = value;
	return d->table[at] = d->nvalue++;
}

void fill_memory(struct oracle_document *d, uint32_t *memory)
{
	const struct ordo_problem *p = &d->schedule->problem;
	for (uint32_t i = 0; i < d->ncell; i++)
		memory[i] = UNDEFINED;
	for (uint32_t r = 0; r < p->nrank; r++)
		for (uint32_t slot = 0; slot < slots_in(p, r, ORDO_INPUT, 0); slot++)
			memory[d->first_cell[r] + cell_in_rank(p, r, ORDO_INPUT, slot)] =
				value_id(d, (struct value){chunk_given(p, r, slot),
						    shard_given(p, r, slot), 0, 0});
}

void run_move(
	struct oracle_document *d, uint32_t t, uint32_t *memory, struct oracle_opinion *opinion)
{
	const struct ordo_task *task = &d->schedule->tasks[t];
	for (uint32_t i = 0; i < task->count; i++) {
		const struct access *from = &d->accesses[d->first_access[t] + 2 * i],
				    *to = from + 1;
		const uint32_t chunk = task->chunk + i;
		uint32_t a = memory[from->cell], b = memory[to->cell];
		if (a == UNDEFINED || d->values[a].chunk != chunk) {
			note(opinion, 10, "task %u: source holds no chunk %u", t, chunk);
			a = UNDEFINED;
		}
		if (to->touch == TOUCH_ADD) {
			const bool any = d->schedule->problem.op == ORDO_CUSTOM;
			if (b == UNDEFINED || (!any && d->values[b].chunk != chunk)) {
				note(opinion, 10, "task %u: destination holds no chunk %u", t,
					chunk);
				a = UNDEFINED;
			}
			if (a != UNDEFINED)
				a = value_id(d, (struct value){any && d->values[b].chunk < chunk
								       ? d->values[b].chunk
								       : chunk,
							ORDO_NONE, a < b ? a : b, a < b ? b : a});
		}
		memory[to->cell] = a;
	}
}

static void count_leaves(const struct oracle_document *d, uint32_t value, uint32_t *times)
{
	if (d->values[value].shard != ORDO_NONE) {
		times[d->values[value].shard]++;
		return;
	}
	count_leaves(d, d->values[value].left, times);
	count_leaves(d, d->values[value].right, times);
}

/* Is this what the chunk must be at the end? */
static bool is_result(
	const struct oracle_document *d, uint32_t value, uint32_t chunk, uint32_t *times)
{
	const struct ordo_problem *p = &d->schedule->problem;
	if (value == UNDEFINED || d->values[value].chunk != chunk)
		return false;
	if (!adds(p))
		return d->values[value].shard == shard_wanted(p, chunk);
	memset(times, 0, p->nshard * sizeof *times);
	count_leaves(d, value, times);
	for (uint32_t i = 0; i < p->nshard; i++)
		if (times[i] != 1)
			return false;
	return true;
}

void judge_output(struct oracle_document *d, const uint32_t *memory, struct oracle_opinion *opinion)
{
	const struct ordo_problem *p = &d->schedule->problem;
	if (p->op == ORDO_CUSTOM)
		return;
	uint32_t *times = must_alloc(p->nshard, sizeof *times);
	for (uint32_t r = 0; r < p->nrank; r++)
		for (uint32_t slot = 0; slot < slots_in(p, r, ORDO_OUTPUT, 0); slot++) {
			uint32_t cell = d->first_cell[r] + cell_in_rank(p, r, ORDO_OUTPUT, slot);
			if (!is_result(d, memory[cell], chunk_wanted(p, r, slot), times))
				note(opinion, 11, "rank %u, output slot %u is wrong", r, slot);
		}
	free(times);
}

/* A tree without the chunk it is of: the same value with chunk 0. */
static uint32_t bare_tree(struct oracle_document *d, uint32_t value)
{
	struct value v = d->values[value];
	v.chunk = 0;
	if (v.shard == ORDO_NONE) {
		uint32_t left = bare_tree(d, v.left), right = bare_tree(d, v.right);
		v.left = left < right ? left : right;
		v.right = left < right ? right : left;
	}
	return value_id(d, v);
}

/* The tree with ranks in place of chunks (Custom). */
static uint32_t tree_of_ranks(struct oracle_document *d, uint32_t value)
{
	struct value v = d->values[value];
	v.chunk = 0;
	if (v.shard != ORDO_NONE) {
		v.shard /= d->schedule->problem.chunks_per_block;
		return value_id(d, v);
	}
	uint32_t left = tree_of_ranks(d, v.left), right = tree_of_ranks(d, v.right);
	v.left = left < right ? left : right;
	v.right = left < right ? right : left;
	return value_id(d, v);
}

static bool same_leaves(
	const struct oracle_document *d, uint32_t a, uint32_t b, uint32_t *times, uint32_t nleaf)
{
	memset(times, 0, 2 * (size_t)nleaf * sizeof *times);
	count_leaves(d, a, times);
	count_leaves(d, b, times + nleaf);
	return !memcmp(times, times + nleaf, nleaf * sizeof *times);
}

/* Every two outputs: the same sum over the same chunks, and over chunks of the same ranks? */
static void judge_custom(
	struct oracle_document *d, const uint32_t *memory, struct oracle_opinion *opinion)
{
	const struct ordo_problem *p = &d->schedule->problem;
	const uint32_t nleaf = all_chunks(p), K = p->chunks_per_block;
	uint32_t *times = must_alloc(2 * (size_t)nleaf, sizeof *times), *bare, *ranks, n = 0;
	bare = must_alloc(nleaf, sizeof *bare);
	ranks = must_alloc(nleaf, sizeof *ranks);
	opinion->rank_equal = opinion->positions_equal = true;
	opinion->ntree = 0;
	for (uint32_t place = 0; place < nleaf; place++) {
		const uint32_t value = memory[d->first_cell[place / K] +
					      cell_in_rank(p, place / K, ORDO_OUTPUT, place % K)];
		if (value == UNDEFINED)
			continue;
		bare[n] = bare_tree(d, value);
		ranks[n] = tree_of_ranks(d, value);
		bool met = false;
		for (uint32_t i = 0; i < n; i++) {
			met |= bare[i] == bare[n];
			if (same_leaves(d, bare[i], bare[n], times, nleaf))
				opinion->rank_equal &= bare[i] == bare[n];
			if (same_leaves(d, ranks[i], ranks[n], times, nleaf))
				opinion->positions_equal &= ranks[i] == ranks[n];
		}
		opinion->ntree += !met;
		n++;
	}
	free(times);
	free(bare);
	free(ranks);
}

void judge_orders(struct oracle_document *d, const uint32_t *memory, struct oracle_opinion *opinion)
{
	const struct ordo_problem *p = &d->schedule->problem;
	const uint32_t nchunk = all_chunks(p);
	if (p->op == ORDO_CUSTOM) {
		judge_custom(d, memory, opinion);
		return;
	}
	uint32_t *tree = must_alloc(nchunk, sizeof *tree);
	opinion->rank_equal = true;
	opinion->ntree = 0;
	for (uint32_t r = 0; r < p->nrank; r++)
		for (uint32_t slot = 0; slot < slots_in(p, r, ORDO_OUTPUT, 0); slot++) {
			const uint32_t chunk = chunk_wanted(p, r, slot);
			uint32_t found = bare_tree(d,
				memory[d->first_cell[r] + cell_in_rank(p, r, ORDO_OUTPUT, slot)]);
			if (!tree[chunk])
				tree[chunk] = found;
			opinion->rank_equal = opinion->rank_equal && tree[chunk] == found;
		}
	for (uint32_t i = 0; i < nchunk; i++) {
		uint32_t earlier = 0;
		while (earlier < i && tree[earlier] != tree[i])
			earlier++;
		opinion->ntree += tree[i] && earlier == i;
	}
	opinion->positions_equal = opinion->ntree == 1;
	free(tree);
}
