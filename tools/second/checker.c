/* checker.c - reads a schedule and its certificate, and checks in one pass over the certificate's order that R1..R11 hold.
 *
 * schedules/FORMAT.md says what both documents mean; nothing of what makes them is used here. Tasks are numbered stream
 * after stream. Each Wait of a signal takes the oldest token (R5: of one stream, for one stream). A path is a list of
 * Waits, and leads from the Notify that the first took the token of to the last: each other Notify stands behind the Wait
 * before it, in one stream. Every slot remembers who wrote it last and who has read it since, so what must be ordered is
 * found here, and a certificate cannot leave it out. What is kept + 1 is 0 if there is none.
 */
#include "checker.h"
#include <cjson/cJSON.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define get cJSON_GetObjectItemCaseSensitive
typedef uint32_t u32;
typedef uint64_t u64;
enum { SEND = 2, NOTIFY = 4, WAIT, INPUT = 0, OUTPUT, SCRATCH, MOST = 1 << 24, LIMIT = 0x7fffffff };
enum holds { ALL, ROOT, OWN, ROW, COLUMN };
enum tag { SIGNAL, TOUCH, TREE };
static const char *const kinds[] = {"LocalCopy", "LocalReduce", "Send", "SendReduce", "Notify", "Wait"};
static const char *const buffers[] = {"input", "output", "scratch"};
static const char *const f32 = "f32", *const names[] = {"AllReduce", "Reduce", "Broadcast", "ReduceScatter",
					      "AllGather", "Scatter", "Gather", "AllToAll"};
static const struct meaning {
	int power; /* N^power blocks */
	enum holds input, output;
	bool reduces;
} meanings[] = {{0, ALL, ALL, true}, {0, ALL, ROOT, true}, {0, ROOT, ALL, false}, {1, ALL, OWN, true},
	{1, OWN, ALL, false}, {1, ROOT, OWN, false}, {1, OWN, ROOT, false}, {2, ROW, COLUMN, false}};

struct task {
	u32 kind, stream, peer, chunk, count, buffer[2], slot[2]; /* source, target; chunk: or signal */
	u32 next, taken; /* of a signal: the next Notify; the one whose token a Wait took; + 1 */
};
struct stream {
	u32 rank, next, end; /* its tasks */
	u32 stamp, known;    /* shown to precede task `stamp` - 1: all before its Notify `known` */
};
struct cell {
	u32 writer, readers, tree, chunk,
		rounded; /* the first three + 1; rounded: a sum that has left scratch */
};
struct link {
	u32 users[2], oldest, latest; /* a signal: streams + 1 that wait and notify; its tokens */
	u32 last, left; /* or a stream and a rank: last touch + 1, latest Notify that the rank waited for */
};
struct node {
	u32 left, right, leaves;
};
struct entry {
	u64 keys[2];
	u32 value;
};
struct check {
	char *report;
	enum verdict verdict;
	jmp_buf out;
	void *memory;
	cJSON *schedule, *certificate;
	const struct meaning *op;
	u64 N, K, V, M, root, nscratch;	 /* M chunks */
	int bits, in_place, accumulates; /* bits: of the number of entries */
	u32 now, nstream, ntask, nlink, ntree, nreader, nhop, nroute, npath;
	struct task *tasks;
	struct stream *streams;
	struct link *links;
	struct cell *cells;
	struct node *trees;
	struct entry *entries;
	u64 *cells_of;
	u32 *entered, (*readers)[2], *hops, *route_of, *seen, *stack;
};

static _Noreturn void stop(struct check *c, enum verdict verdict, const char *text)
{
	snprintf(c->report, 256, "%s (at task %u)", text, c->now);
	c->verdict = verdict;
	longjmp(c->out, 1);
}

#define DEMAND(truth, text) ((truth) ? (void)0 : stop(c, REJECTED, "not proved: " text))
#define READABLE(truth, text) ((truth) ? (void)0 : stop(c, UNREADABLE, "error: " text))

/* Zeroed; given back at the end. */
static void *need(struct check *c, u64 n, u64 size)
{
	void **memory = n < ((u64)1 << 36) / size ? calloc(1, 16 + n * size) : NULL;
	READABLE(memory, "out of memory");
	*memory = c->memory;
	c->memory = memory;
	return memory + 2;
}

/* The value + 1 of three numbers; 0 if it is new. */
static u32 *at(const struct check *c, enum tag tag, u64 a, u64 b)
{
	const u64 key = b << 2 | tag;
	u64 i = (a ^ key << 24) * 0x9e3779b97f4a7c15;
	struct entry *entry = &c->entries[i >>= 64 - c->bits];
	for (; entry->value && (entry->keys[0] != a || entry->keys[1] != key); entry = &c->entries[i])
		i = (i + 1) & (((u64)1 << c->bits) - 1);
	entry->keys[0] = a;
	entry->keys[1] = key;
	return &entry->value;
}

/* Shape: R1. */

static u32 number(struct check *c, const cJSON *json, double least)
{
	const double value = cJSON_IsNumber(json) ? json->valuedouble : -1;
	READABLE(value >= least && value <= LIMIT && value == (u32)value, "R1: a number");
	return (u32)value;
}

static u32 which(struct check *c, const cJSON *json, const char *const *list, u32 n)
{
	u32 i = 0;
	while (cJSON_IsString(json) && i < n && strcmp(json->valuestring, list[i]) != 0)
		i++;
	READABLE(cJSON_IsString(json) && i < n, "R1: an unknown word");
	return i;
}

static const cJSON *elements(struct check *c, const cJSON *array)
{
	READABLE(cJSON_IsArray(array), "R1: an array is missing");
	return array->child;
}

/* What the slots of a rank hold. */

static u64 slots(const struct check *c, u64 rank, u32 buffer)
{
	const enum holds holds = buffer == INPUT ? c->op->input : c->op->output;
	if (buffer == SCRATCH)
		return c->nscratch;
	if (buffer == INPUT && c->op->reduces)
		return ((rank + 1) * c->V / c->N - rank * c->V / c->N) * c->M;
	const u64 sizes[] = {c->M, rank == c->root ? c->M : 0, c->K, c->N * c->K, c->N * c->K};
	return sizes[holds];
}

static u64 chunk_of(const struct check *c, u64 rank, u32 buffer, u64 slot)
{
	const enum holds holds = buffer == INPUT ? c->op->input : c->op->output;
	if (holds == OWN || holds == ROW)
		return rank * c->K * (holds == ROW ? c->N : 1) + slot;
	return holds == COLUMN ? (slot / c->K * c->N + rank) * c->K + slot % c->K : slot % c->M;
}

/* In place, an input slot is the output slot of the same chunk, if there is one. */
static struct cell *cell_of(const struct check *c, u64 rank, u32 buffer, u64 slot)
{
	const u64 noutput = slots(c, rank, OUTPUT), base = c->op->output == OWN ? rank * c->K : 0;
	const u64 same = buffer == INPUT && c->in_place ? chunk_of(c, rank, buffer, slot) - base : noutput;
	const u64 offsets[] = {noutput + c->nscratch, 0, noutput};
	return &c->cells[c->cells_of[rank] + (same < noutput ? same : offsets[buffer] + slot)];
}

static void read_task(struct check *c, const cJSON *json, u32 id)
{
	struct task *task = &c->tasks[c->now = id];
	task->kind = which(c, get(json, "task"), kinds, 6);
	task->stream = c->nstream;
	task->peer = task->kind < SEND ? 0 : number(c, get(json, "peer"), 0);
	DEMAND(task->peer < c->N, "R2: the peer is no rank");
	task->chunk = number(c, get(json, task->kind < NOTIFY ? "chunk" : "signal"), 0);
	task->count = get(json, "count") ? number(c, get(json, "count"), 1) : 1;
	for (int i = 0; i < 2 && task->kind < NOTIFY; i++) {
		const cJSON *end = get(json, i ? "dst" : "src");
		READABLE(cJSON_IsArray(end) && cJSON_GetArraySize(end) == 2, "R1: src or dst");
		task->buffer[i] = which(c, end->child, buffers, 3);
		task->slot[i] = number(c, end->child->next, 0);
	}
}

static void read_head(struct check *c, const cJSON *json)
{
	which(c, get(json, "schema"), (const char *[]){"ordo/schedule/1"}, 1);
	c->op = &meanings[which(c, get(json, "operator"), names, 8)];
	c->N = number(c, get(json, "ranks"), 1);
	c->K = c->M = number(c, get(json, "chunks_per_block"), 1);
	c->V = get(json, "shards") ? number(c, get(json, "shards"), 1) : c->N;
	c->nscratch = number(c, get(json, "scratch_slots"), 0);
	const bool rooted = c->op->input == ROOT || c->op->output == ROOT;
	c->root = rooted ? number(c, get(json, "root"), 0) : 0;
	c->in_place = cJSON_IsTrue(get(json, "in_place"));
	c->accumulates = get(json, "accumulate") && !which(c, get(json, "accumulate"), &f32, 1);
	for (int i = 0; i < c->op->power; i++)
		READABLE((c->M *= c->N) < MOST, "R1: too many chunks");
	READABLE(c->root < c->N && rooted == !!get(json, "root"), "R1: the root");
	READABLE(c->op->reduces || (c->V == c->N && !c->accumulates), "R1: it does not reduce");
	READABLE(c->V == c->N || !c->in_place, "R1: there are no shards here");
	READABLE(cJSON_IsBool(get(json, "in_place")) && (!c->in_place || c->op->power < 2), "R1: in_place");
}

/* No task and no stream is shorter than 8 letters. */
static void read_programs(struct check *c, const cJSON *programs, u64 nletter)
{
	c->tasks = need(c, nletter / 8 + 1, sizeof *c->tasks);
	c->streams = need(c, nletter / 8 + 1, sizeof *c->streams);
	DEMAND((u64)cJSON_GetArraySize(programs) == c->N, "R2: there are not as many programs as ranks");
	c->entered = need(c, c->N, sizeof(u32));
	c->cells_of = need(c, c->N, sizeof(u64));
	for (const cJSON *program = elements(c, programs); program; program = program->next) {
		const u32 rank = number(c, get(program, "rank"), 0);
		DEMAND(rank < c->N && !c->entered[rank], "R2: no rank, or one twice");
		c->entered[rank] = UINT32_MAX; /* no task + 1 */
		for (const cJSON *s = elements(c, get(program, "streams")); s; s = s->next) {
			c->streams[c->nstream] = (struct stream){.rank = rank, .next = c->ntask};
			for (const cJSON *t = elements(c, get(s, "tasks")); t; t = t->next)
				read_task(c, t, c->ntask++);
			c->streams[c->nstream++].end = c->ntask;
		}
	}
}

/* Paths. */

/* A Wait that has taken its token; behind the hop before, if there is one. */
static u32 judge_hop(struct check *c, const u32 *before, u32 id)
{
	DEMAND(id < c->ntask && c->tasks[id].taken, "a hop that took no token");
	const u32 notify = c->tasks[id].taken - 1, stream = c->tasks[notify].stream;
	DEMAND(!before || (stream == c->tasks[*before].stream && notify > *before),
		"a hop not behind the last");
	return notify;
}

/* Hops one after another; that each is behind the one before is judged at the end. */
static void read_routes(struct check *c, const cJSON *routes, u64 nletter)
{
	c->hops = need(c, nletter / 2 + 1, sizeof(u32));
	c->route_of = need(c, nletter / 2 + 1, sizeof(u32));
	for (const cJSON *route = elements(c, routes); route; route = route->next, c->nroute++)
		for (const cJSON *hop = elements(c, route); hop; hop = hop->next) {
			DEMAND(number(c, hop, 0) < c->ntask, "a hop that is no task");
			c->route_of[c->nhop] = c->nroute;
			c->hops[c->nhop++] = number(c, hop, 0);
		}
}

/* Returns the Notify that the path begins with; *last is the Wait it ends with. */
static u32 judge_path(struct check *c, const cJSON *item, u32 *last)
{
	u32 begin = 0, nitem = 0;
	for (; item; item = item->next) {
		u32 first, end;
		if (cJSON_GetArraySize(item) == 2) { /* hops of a route */
			const u32 from = number(c, item->child, 0), to = number(c, item->child->next, 0);
			DEMAND(from <= to && to < c->nhop, "no part of a route");
			DEMAND(c->route_of[from] == c->route_of[to], "a part of two routes");
			first = c->hops[from];
			end = c->hops[to];
		} else {
			first = end = number(c, item, 0);
		}
		const u32 notify = judge_hop(c, nitem ? last : NULL, first);
		begin = nitem++ ? begin : notify;
		*last = end;
	}
	DEMAND(nitem, "a path has no hops");
	return begin;
}

/* The paths to a task: what each shows it to follow. */
static void take_paths(struct check *c, u32 id, const cJSON **paths)
{
	u32 last;
	for (; *paths; *paths = (*paths)->next, c->npath++) {
		const cJSON *item = elements(c, *paths);
		if (number(c, item, 0) != id)
			return;
		const u32 notify = judge_path(c, item->next, &last);
		struct stream *stream = &c->streams[c->tasks[notify].stream];
		DEMAND(c->tasks[last].stream == c->tasks[id].stream && last < id, "a path leads elsewhere");
		if (stream->stamp != id + 1 || stream->known < notify)
			stream->known = notify;
		stream->stamp = c->entered[stream->rank] = id + 1;
	}
}

/* Memory: R8, R9, R10. */

static void follow(struct check *c, u32 before, u32 id)
{
	const struct stream *stream = &c->streams[c->tasks[before].stream];
	const bool same = c->tasks[before].stream == c->tasks[id].stream;
	DEMAND(same ? before != id : stream->stamp == id + 1 && stream->known > before, "R8: a race");
}

static void read_cell(struct check *c, struct cell *cell, u32 id)
{
	if (cell->writer)
		follow(c, cell->writer - 1, id);
	if (!cell->readers || c->tasks[c->readers[cell->readers][0]].stream != c->tasks[id].stream) {
		c->readers[++c->nreader][1] = cell->readers;
		cell->readers = c->nreader;
	}
	c->readers[cell->readers][0] = id;
}

static void write_cell(struct check *c, struct cell *cell, u32 id)
{
	if (cell->writer && !cell->readers)
		follow(c, cell->writer - 1, id);
	for (; cell->readers; cell->readers = c->readers[cell->readers][1])
		follow(c, c->readers[cell->readers][0], id);
	cell->writer = id + 1;
}

static u32 add(struct check *c, u32 a, u32 b)
{
	u32 *tree = at(c, TREE, a < b ? a : b, a < b ? b : a);
	const u32 leaves = c->trees[a].leaves + c->trees[b].leaves;
	if (!*tree)
		c->trees[ *tree = ++c->ntree] = (struct node){a, b, leaves > MOST ? MOST + 1 : leaves};
	return *tree;
}

static void move(struct check *c, u32 id)
{
	const struct task *task = &c->tasks[id];
	const u32 rank = c->streams[task->stream].rank, target = task->kind < SEND ? rank : task->peer;
	DEMAND(task->kind < SEND || target != rank, "R2: sends to its own rank");
	DEMAND((u64)task->chunk + task->count <= c->M, "R3: chunks beyond the last");
	for (int i = 0; i < 2; i++)
		DEMAND(task->slot[i] + task->count <= slots(c, i ? target : rank, task->buffer[i]), "R3");
	DEMAND(task->buffer[1] != INPUT || c->in_place, "R4: writes input");
	const bool reduces = task->kind & 1, rounds = c->accumulates && task->buffer[1] != SCRATCH;
	for (u32 i = 0, chunk = task->chunk; i < task->count; i++, chunk++) {
		struct cell *from = cell_of(c, rank, task->buffer[0], task->slot[0] + i);
		struct cell *to = cell_of(c, target, task->buffer[1], task->slot[1] + i);
		const u64 at_home = chunk_of(c, target, task->buffer[1], task->slot[1] + i);
		DEMAND(task->buffer[1] == SCRATCH || at_home == chunk, "R3: not the slot of its chunk");
		read_cell(c, from, id);
		write_cell(c, to, id);
		DEMAND(from->tree && from->chunk == chunk, "R10: uses what is not its chunk");
		DEMAND(!reduces || (to->tree && to->chunk == chunk), "R10: uses what is not its chunk");
		DEMAND(!reduces || (!rounds && !from->rounded && !to->rounded), "R4: rounds twice");
		to->tree = reduces ? add(c, from->tree, to->tree) : from->tree;
		to->rounded = from->rounded || (rounds && c->trees[to->tree].left);
		to->chunk = chunk;
	}
	if (target == rank)
		return;
	u32 *touch = at(c, TOUCH, task->stream, target);
	DEMAND(*touch || c->entered[target] == id + 1, "R9: a rank may enter after it");
	c->links[ *touch = *touch ? *touch : ++c->nlink].last = id + 1;
}

/* Notify and Wait: R5, and tokens are taken in order. */
static void synchronise(struct check *c, u32 id)
{
	struct task *task = &c->tasks[id];
	const u64 rank = c->streams[task->stream].rank, notifies = task->kind == NOTIFY;
	u32 *index =
		at(c, SIGNAL, notifies ? rank * c->N + task->peer : task->peer * c->N + rank, task->chunk);
	struct link *signal = &c->links[ *index = *index ? *index : ++c->nlink];
	u32 *user = &signal->users[notifies];
	DEMAND(!*user || *user == task->stream + 1, "R5: shares its signal with another stream");
	*user = task->stream + 1;
	if (notifies) {
		*(signal->oldest ? &c->tasks[signal->latest - 1].next : &signal->oldest) = id + 1;
		signal->latest = id + 1;
	} else {
		DEMAND(signal->oldest, "R7: waits for a token");
		task->taken = signal->oldest;
		signal->oldest = c->tasks[signal->oldest - 1].next;
	}
}

static void give_memory(struct check *c)
{
	u64 ncell = 0, nmove = 0;
	for (u32 rank = 0; rank < c->N; rank++) {
		c->cells_of[rank] = ncell;
		ncell += slots(c, rank, OUTPUT) + c->nscratch + slots(c, rank, INPUT);
		READABLE(ncell < MOST, "too many slots");
	}
	for (u32 id = 0; id < c->ntask; id++)
		nmove += c->tasks[id].kind < NOTIFY ? c->tasks[id].count : 0;
	c->ntree = (u32)(c->op->reduces ? c->V : c->N);
	READABLE(nmove + c->ntree < MOST, "too many chunks are moved");
	for (c->bits = 4; (u64)1 << c->bits < 2 * (nmove + c->ntask);)
		c->bits++;
	c->entries = need(c, (u64)1 << c->bits, sizeof *c->entries);
	c->cells = need(c, ncell, sizeof *c->cells);
	c->readers = need(c, nmove + 1, sizeof *c->readers);
	c->trees = need(c, nmove + c->ntree + 1, sizeof *c->trees);
	c->links = need(c, c->ntask + 1, sizeof *c->links);
	for (u32 leaf = 1; leaf <= c->ntree; leaf++)
		c->trees[leaf].leaves = 1;
	for (u32 rank = 0; rank < c->N; rank++)
		for (u64 slot = 0; slot < slots(c, rank, INPUT); slot++) {
			struct cell *cell = cell_of(c, rank, INPUT, slot);
			cell->tree = 1 + (u32)(c->op->reduces ? rank * c->V / c->N + slot / c->M : rank);
			cell->chunk = (u32)chunk_of(c, rank, INPUT, slot);
		}
}

/* One legal order of all tasks: R7. */
static void run(struct check *c)
{
	const cJSON *paths = elements(c, get(c->certificate, "paths"));
	u32 done = 0;
	for (const cJSON *item = elements(c, get(c->certificate, "order")); item; item = item->next) {
		READABLE(cJSON_GetArraySize(item) == 2, "a run is not [stream, count]");
		const u32 stream = number(c, item->child, 0);
		for (u32 n = number(c, item->child->next, 1); n; n--, done++) {
			const bool goes_on =
				stream < c->nstream && c->streams[stream].next < c->streams[stream].end;
			DEMAND(goes_on, "the order goes beyond the end of a stream");
			const u32 id = c->now = c->streams[stream].next++;
			take_paths(c, id, &paths);
			(c->tasks[id].kind < NOTIFY ? move : synchronise)(c, id);
		}
	}
	DEMAND(done == c->ntask, "R7: the order ends too soon");
	DEMAND(!paths, "a path leads to a task that is not there, or was there before");
}

/* R6; R9, leaving; and the routes that paths went along. */
static void judge_end(struct check *c)
{
	u32 last;
	for (u32 i = 0; i < c->nhop; i++)
		judge_hop(c, i && c->route_of[i] == c->route_of[i - 1] ? &c->hops[i - 1] : NULL, c->hops[i]);
	for (const cJSON *path = elements(c, get(c->certificate, "leaving")); path; path = path->next) {
		const cJSON *item = elements(c, path); /* a rank, then hops */
		const u32 rank = number(c, item, 0), notify = judge_path(c, item->next, &last);
		DEMAND(rank == c->streams[c->tasks[last].stream].rank, "a path leads elsewhere");
		struct link *touch = &c->links[*at(c, TOUCH, c->tasks[notify].stream, rank)];
		touch->left = touch->left < notify ? notify : touch->left;
	}
	for (u32 i = 1; i <= c->nlink; i++) {
		DEMAND(!c->links[i].oldest, "R6: tokens are left over");
		c->now = c->links[i].last - 1;
		DEMAND(c->links[i].left >= c->links[i].last, "R9: a rank may leave before it");
	}
}

/* R11: does the tree have every leaf once? */
static bool is_whole(struct check *c, u32 tree)
{
	bool whole = c->trees[tree].leaves == c->V;
	u32 height = whole;
	c->stack[0] = tree;
	while (whole && height) {
		const u32 node = c->stack[--height];
		if (node > c->V) {
			c->stack[height++] = c->trees[node].left;
			c->stack[height++] = c->trees[node].right;
		} else {
			whole = c->seen[node] != tree;
			c->seen[node] = tree;
		}
	}
	return whole;
}

static void judge_outputs(struct check *c)
{
	const cJSON *claims = get(c->certificate, "claims"), *g1 = get(claims, "G1"), *g3 = get(claims, "G3");
	u32 *trees = need(c, c->M, sizeof(u32)), ndistinct = 0;
	bool *whole = need(c, c->ntree + 1, 1), *counted = need(c, c->ntree + 1, 1), equal = true;
	c->stack = need(c, c->V + 2, sizeof(u32));
	c->seen = need(c, c->V + 1, sizeof(u32));
	for (u32 rank = 0; rank < c->N; rank++)
		for (u64 slot = 0; slot < slots(c, rank, OUTPUT); slot++) {
			const struct cell *cell = cell_of(c, rank, OUTPUT, slot);
			const u64 chunk = chunk_of(c, rank, OUTPUT, slot);
			const u64 row = c->op->input == ROW ? c->N : 1;
			const u64 owner = c->op->input == ROOT ? c->root : chunk / c->K / row;
			DEMAND(cell->tree && cell->chunk == chunk,
				"R11: an output slot does not hold its chunk");
			DEMAND(c->op->reduces || cell->tree == owner + 1,
				"R11: an output is of another rank");
			whole[cell->tree] = whole[cell->tree] || !c->op->reduces || is_whole(c, cell->tree);
			DEMAND(whole[cell->tree], "R11: an output has not every contribution once");
			equal = equal && (!trees[chunk] || trees[chunk] == cell->tree);
			if (!trees[chunk] && !counted[trees[chunk] = cell->tree])
				counted[cell->tree] = ++ndistinct;
		}
	const int claimed[] = {cJSON_False, cJSON_True}, none = c->op->reduces ? 0 : cJSON_NULL;
	DEMAND(number(c, get(claims, "trees"), 0) == ndistinct, "the number of trees");
	DEMAND(g1 && g1->type == (none ? none : claimed[equal]), "G1 is not as claimed");
	DEMAND(g3 && g3->type == (none ? none : claimed[ndistinct == 1]), "G3 is not as claimed");
	snprintf(c->report, 256, "proved: R1-R11, %u tasks, %u paths, %u trees", c->ntask, c->npath,
		ndistinct);
}

static void check_all(struct check *c, const char *schedule, const char *certificate)
{
	c->schedule = cJSON_ParseWithOpts(schedule, NULL, true);
	c->certificate = cJSON_ParseWithOpts(certificate, NULL, true);
	READABLE(c->schedule && c->certificate, "one of the documents is no JSON");
	which(c, get(c->certificate, "schema"), (const char *[]){"ordo/certificate/1"}, 1);
	read_head(c, c->schedule);
	read_programs(c, get(c->schedule, "programs"), strlen(schedule));
	read_routes(c, get(c->certificate, "routes"), strlen(certificate));
	give_memory(c);
	run(c);
	judge_end(c);
	judge_outputs(c);
}

enum verdict check_certificate(const char *schedule, const char *certificate, char report[256])
{
	struct check *c = calloc(1, sizeof *c);
	if (!c)
		return UNREADABLE;
	c->report = report;
	if (!setjmp(c->out))
		check_all(c, schedule, certificate);
	const enum verdict verdict = c->verdict;
	for (void *next; c->memory; c->memory = next) {
		next = *(void **)c->memory;
		free(c->memory);
	}
	cJSON_Delete(c->schedule);
	cJSON_Delete(c->certificate);
	free(c);
	return verdict;
}
