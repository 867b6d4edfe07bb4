/* checker.c - reads a schedule and its certificate, and checks in one pass over the certificate's
 * order that R1..R11 hold.
 *
 * schedules/FORMAT.md defines both documents; this shares no code with the programs that write or
 * read them. Tasks are numbered stream after stream. Each Wait of a signal takes the oldest token
 * (R5: one stream notifies, one waits). A path is a list of Waits, and leads from the Notify whose
 * token the first took to the last Wait: each other Notify comes after the Wait before it, in one
 * stream. Every slot records its last writer and the readers since, so the checker itself finds the
 * accesses that must be ordered, and a certificate cannot omit them. Fields marked + 1 are 0 for
 * none.
 *
 * The schedule is checked for R1 before anything else, except for a rank that appears twice.
 */
#include "checker.h"
#include "json.h"
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef uint32_t u32;
typedef uint64_t u64;
enum { SEND = 2, NOTIFY = 4, WAIT, INPUT = 0, OUTPUT, SCRATCH, MOST = 1 << 24, LIMIT = 0x7fffffff };
/* Of one value, of a schedule, and of a stream. */
enum { MOST_LETTERS = 65536, MOST_PHASES = (1 << 25) - 1, MOST_VIA = 255 };
enum holds { ALL, ROOT, OWN, ROW, COLUMN };
enum tag { SIGNAL, TOUCH, TREE };
static const char *const kinds[] = {
	"LocalCopy", "LocalReduce", "Send", "SendReduce", "Notify", "Wait"};
static const char *const buffers[] = {"input", "output", "scratch"};
static const char *const forms[] = {"f32", "exact", "binned(bins=2)", "binned(bins=3)"};
static const char *const names[] = {"AllReduce", "Reduce", "Broadcast", "ReduceScatter",
	"AllGather", "Scatter", "Gather", "AllToAll", "Custom"};
/* The keys of each object; the bits of the required ones are in `needed`. */
struct keys {
	u32 n, needed;
	const char *names[15];
};
enum { SCHEMA, OPERATOR, ALGORITHM, RANKS, PER_BLOCK, SLOTS, IN_PLACE, PROGRAMS };
enum { ROOTED = PROGRAMS + 1, SHARDS, FORM, TOPOLOGY, PHASES, EXTRA, STAGED };
static const struct keys head_keys = {15, 0xff,
	{"schema", "operator", "algorithm", "ranks", "chunks_per_block", "scratch_slots",
		"in_place", "programs", "root", "shards", "accumulate", "topology", "phases", "x",
		"staging"}};
static const struct keys topology_keys = {2, 3, {"name", "digest"}},
			 program_keys = {2, 3, {"rank", "streams"}},
			 stream_keys = {4, 3, {"name", "tasks", "via", "class"}};
enum { KIND, PEER, CHUNK, SOURCE, TARGET, COUNT, SIGNALS, PHASE };
static const struct keys task_keys = {
	8, 1, {"task", "peer", "chunk", "src", "dst", "count", "signal", "phase"}};
enum { ORDER = 1, ROUTES, PATHS, LEAVING, CLAIMS };
static const struct keys certificate_keys = {6, 0x3f,
				 {"schema", "order", "routes", "paths", "leaving", "claims"}},
			 claim_keys = {3, 7, {"trees", "G1", "G3"}};
static const struct meaning {
	int power; /* N^power blocks */
	enum holds input, output;
	bool reduces, any; /* any: nothing is demanded, and any chunk may lie in any slot */
} meanings[] = {{0, ALL, ALL, true, false}, {0, ALL, ROOT, true, false},
	{0, ROOT, ALL, false, false}, {1, ALL, OWN, true, false}, {1, OWN, ALL, false, false},
	{1, ROOT, OWN, false, false}, {1, OWN, ROOT, false, false}, {2, ROW, COLUMN, false, false},
	{1, OWN, OWN, false, true}};

struct task {
	/* source, target; chunk: or signal */
	u32 kind, stream, peer, chunk, count, buffer[2], slot[2];
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
	/* or a stream and a rank: last touch + 1, latest Notify that the rank waited for */
	u32 last, left;
};
struct node {
	u32 left, right, leaves;
};
struct entry {
	u64 keys[2];
	u32 value;
};

/* All fields of one check: split by phase, most functions would take three of the parts. */
struct check {
	char *report;
	enum verdict verdict;
	jmp_buf out;
	void *memory;
	struct json schedule, program, certificate; /* program: of a file of its own */
	const struct json *reading;
	const char *file; /* that `reading` is the text of; NULL: the document itself */
	char *program_text;
	int folder;
	const struct meaning *op;
	u64 N, K, V, M, root, nscratch; /* M chunks */
	u64 seeds[2], task_room, stream_room;
	int bits, in_place, form, staged; /* bits: of the number of entries */
	u32 now, nphase, nstream, ntask, nlink, ntree, nreader, nhop, nroute, npath;
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

/* Stops at a document that breaks R1, or is no certificate. */
static _Noreturn void stop_at(struct check *c, const char *place, const char *text)
{
	const char *line = c->reading->begin;
	u32 nline = 1;
	for (const char *at = line; at < place; at++)
		if (*at == '\n') {
			line = at + 1;
			nline++;
		}
	const bool schedule = c->reading != &c->certificate;
	snprintf(c->report, 256, "error: %s: %s (%.64s%sline %u, column %u)",
		schedule ? "R1" : "the certificate", text, c->file ? c->file : "",
		c->file ? ", " : "", nline, (u32)(place - line + 1));
	c->verdict = UNREADABLE;
	longjmp(c->out, 1);
}

#define DEMAND(truth, text) ((truth) ? (void)0 : stop(c, REJECTED, "not proved: " text))
#define READABLE(truth, text) ((truth) ? (void)0 : stop(c, UNREADABLE, "error: " text))
#define SHAPE(truth, value, words) ((truth) ? (void)0 : stop_at(c, (value)->text, words))

/* Zeroed memory, freed at the end. */
static void *need(struct check *c, u64 n, u64 size)
{
	void **memory = n < ((u64)1 << 36) / size ? calloc(1, 16 + n * size) : NULL;
	READABLE(memory, "out of memory");
	*memory = c->memory;
	c->memory = memory;
	return memory + 2;
}

/* Grows an array by at least one element; the caller frees it. */
static void *grow(struct check *c, void *array, u64 n, u64 *room, u64 size)
{
	if (n < *room)
		return array;
	*room = *room ? 2 * *room : 256;
	void *wider = realloc(array, *room * size);
	READABLE(wider, "out of memory");
	return wider;
}

/* The value + 1 of three numbers; 0 if it is new. */
static u32 *at(const struct check *c, enum tag tag, u64 a, u64 b)
{
	const u64 key = b << 2 | tag;
	u64 i = a * c->seeds[0] + key * c->seeds[1];
	struct entry *entry = &c->entries[i >>= 64 - c->bits];
	for (; entry->value && (entry->keys[0] != a || entry->keys[1] != key);
		entry = &c->entries[i])
		i = (i + 1) & (((u64)1 << c->bits) - 1);
	entry->keys[0] = a;
	entry->keys[1] = key;
	return &entry->value;
}

/* Shape: R1. */

static u32 number(struct check *c, const struct value *value, u64 least, u64 most)
{
	u64 n = 0;
	const char *at = value->text;
	for (; at < value->end && *at >= '0' && *at <= '9' && n <= most; at++)
		n = n * 10 + (u64)(*at - '0');
	SHAPE(at == value->end && n >= least && n <= most, value,
		"wanted a number in its range, in digits");
	return (u32)n;
}

static void text(struct check *c, const struct value *value)
{
	SHAPE(*value->text == '"', value, "wanted a string");
	SHAPE(value->end - value->text <= MOST_LETTERS, value, "too long a string");
}

static u32 which(struct check *c, const struct value *value, const char *const *list, u32 n)
{
	u32 i = 0;
	text(c, value);
	while (i < n && !json_is(value->text, value->end, list[i]))
		i++;
	SHAPE(i < n, value, "an unknown word");
	return i;
}

static const struct value *elements(struct check *c, const struct value *array)
{
	SHAPE(*array->text == '[', array, "wanted an array");
	return array->child;
}

static const struct value *pair(struct check *c, const struct value *array, const char *wanted)
{
	const struct value *first = *array->text == '[' ? array->child : NULL;
	SHAPE(first && first->next && !first->next->next, array, wanted);
	return first;
}

/* Stores the value of each key: each must be known and occur once, required ones be present. */
static void members(struct check *c, const struct value *object, const struct keys *keys,
	const struct value **found)
{
	SHAPE(*object->text == '{', object, "wanted an object");
	for (const struct value *value = object->child; value; value = value->next) {
		u32 i = 0;
		while (i < keys->n && !json_is(value->key, value->end, keys->names[i]))
			i++;
		SHAPE(i < keys->n, value, "an unknown key");
		SHAPE(!found[i], value, "a duplicate key");
		found[i] = value;
	}
	for (u32 i = 0; i < keys->n; i++)
		SHAPE(found[i] || !(keys->needed >> i & 1), object, "a key is missing");
}

static int by_key(const void *one, const void *other)
{
	return json_compare(*(const struct value *const *)one, *(const struct value *const *)other);
}

/* Extra members ("x"): no duplicate keys at any depth. */
static void check_extra(struct check *c, const struct value *value)
{
	u64 n = 0;
	for (const struct value *item = value->child; item; item = item->next, n++)
		check_extra(c, item);
	if (*value->text != '{' || n < 2)
		return;
	const struct value **sorted = need(c, n, sizeof *sorted), **next = sorted;
	for (const struct value *item = value->child; item; item = item->next)
		*next++ = item;
	qsort(sorted, n, sizeof *sorted, by_key);
	for (u64 i = 1; i < n; i++)
		SHAPE(by_key(&sorted[i - 1], &sorted[i]), sorted[i], "a duplicate key in x");
}

/* The number of slots in a buffer of a rank. */

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
	const u64 same =
		buffer == INPUT && c->in_place ? chunk_of(c, rank, buffer, slot) - base : noutput;
	const u64 offsets[] = {noutput + c->nscratch, 0, noutput};
	return &c->cells[c->cells_of[rank] + (same < noutput ? same : offsets[buffer] + slot)];
}

static void read_task(struct check *c, const struct value *json)
{
	const struct value *found[8] = {0};
	SHAPE(json->end - json->text <= MOST_LETTERS, json, "too long a task");
	members(c, json, &task_keys, found);
	struct task task = {
		.kind = which(c, found[KIND], kinds, 6), .stream = c->nstream, .count = 1};
	const bool moves = task.kind < NOTIFY;
	for (int i = PEER; i < PHASE; i++) {
		const bool belongs = i == PEER ? task.kind >= SEND : moves == (i != SIGNALS);
		SHAPE(belongs || !found[i], found[i], "a key that does not belong in this task");
		SHAPE(found[i] || !belongs || i == COUNT, json, "a key is missing");
	}
	task.peer = found[PEER] ? number(c, found[PEER], 0, LIMIT) : 0;
	task.chunk = number(c, found[moves ? CHUNK : SIGNALS], 0, LIMIT);
	if (found[COUNT])
		task.count = number(c, found[COUNT], 1, LIMIT);
	if (found[PHASE])
		SHAPE(number(c, found[PHASE], 0, MOST_PHASES) < c->nphase, found[PHASE],
			"no phase of that number");
	for (int i = 0; i < 2 && moves; i++) {
		const struct value *end = pair(c, found[SOURCE + i], "wanted [buffer, first slot]");
		task.buffer[i] = which(c, end, buffers, 3);
		task.slot[i] = number(c, end->next, 0, LIMIT);
	}
	SHAPE(c->ntask < UINT32_MAX - 1, json, "too many tasks");
	c->tasks = grow(c, c->tasks, c->ntask, &c->task_room, sizeof *c->tasks);
	c->tasks[c->ntask++] = task;
}

static void read_labels(struct check *c, const struct value *const *head)
{
	text(c, head[ALGORITHM]);
	if (head[PHASES])
		for (const struct value *name = elements(c, head[PHASES]); name;
			name = name->next) {
			text(c, name);
			SHAPE(++c->nphase <= MOST_PHASES, name, "too many phases");
		}
	if (head[EXTRA]) {
		SHAPE(*head[EXTRA]->text == '{', head[EXTRA], "wanted an object");
		check_extra(c, head[EXTRA]);
	}
	if (head[TOPOLOGY]) {
		const struct value *found[2] = {0};
		char digest[48] = "";
		members(c, head[TOPOLOGY], &topology_keys, found);
		text(c, found[0]);
		text(c, found[1]);
		const bool fits = json_decode(found[1], digest, sizeof digest);
		SHAPE(fits && strlen(digest) == 32 && strspn(digest, "0123456789abcdef") == 32,
			found[1], "wanted 32 hexadecimal digits");
	}
}

static void read_problem(struct check *c, const struct value *const *head)
{
	which(c, head[SCHEMA], (const char *[]){"ordo/schedule/1"}, 1);
	c->op = &meanings[which(c, head[OPERATOR], names, 9)];
	c->N = number(c, head[RANKS], 1, LIMIT);
	c->K = number(c, head[PER_BLOCK], 1, LIMIT);
	c->V = head[SHARDS] ? number(c, head[SHARDS], 1, LIMIT) : c->N;
	c->nscratch = number(c, head[SLOTS], 0, LIMIT);
	c->in_place = *head[IN_PLACE]->text == 't';
	c->form = head[FORM] ? 1 + which(c, head[FORM], forms, 4) : 0;
	SHAPE(c->in_place || *head[IN_PLACE]->text == 'f', head[IN_PLACE], "wanted true or false");
	SHAPE(!head[STAGED] || (c->staged = *head[STAGED]->text == 't'), head[STAGED], "not true");
	const bool rooted = c->op->input == ROOT || c->op->output == ROOT;
	SHAPE(rooted == !!head[ROOTED], head[OPERATOR], "the root is missing, or this has none");
	c->root = rooted ? number(c, head[ROOTED], 0, LIMIT) : 0;
	SHAPE(c->root < c->N, head[ROOTED], "the root is not a rank");
	c->M = c->op->power == 0 ? 1 : c->op->power == 1 ? c->N : c->N * c->N;
	SHAPE(c->M <= LIMIT && (c->M *= c->K) <= LIMIT, head[PER_BLOCK], "too many chunks");
	SHAPE(!c->in_place || (c->op->power < 2 && !c->op->any && c->V == c->N), head[IN_PLACE],
		"this has no in-place form, or no in-place form with shards");
	SHAPE(c->op->reduces || !c->form, head[FORM], "it does not reduce");
	SHAPE(c->V == c->N || c->op->reduces, head[SHARDS], "it does not reduce");
	SHAPE(c->V == c->N || (c->V + c->N - 1) / c->N * c->M <= LIMIT, head[SHARDS],
		"too many shards");
}

/* The way of a stream: different switches, none a rank. Where they lead is not known here. */
static void check_via(struct check *c, const struct value *via, const struct value *class)
{
	u32 count = 0, hops = 0;
	const struct value *first = class && *class->text == '[' ? elements(c, class) : class, *v;
	for (v = first; v; v = v == class ? NULL : v->next, hops++)
		text(c, v);
	for (v = via ? elements(c, via) : NULL; v && count <= MOST_VIA; v = v->next, count++)
		for (const struct value *w = via->child; w != v->next; w = w->next)
			SHAPE(number(c, v, c->N, LIMIT) != number(c, w, c->N, LIMIT) || v == w, v,
				"wanted every switch once");
	SHAPE(count <= MOST_VIA && (!class || (via && (first == class || hops == count + 1))),
		class ? class : via, "too many switches, or a class without a way or a hop");
}

/* Refuses a second program of a rank at once: a file named often is read only twice. */
static void read_program(struct check *c, const struct value *program, u64 nprogram)
{
	const struct value *found[2] = {0};
	members(c, program, &program_keys, found);
	const u32 rank = number(c, found[0], 0, LIMIT);
	for (const struct value *s = elements(c, found[1]); s; s = s->next) {
		const struct value *parts[4] = {0};
		members(c, s, &stream_keys, parts);
		text(c, parts[0]);
		check_via(c, parts[2], parts[3]);
		struct stream stream = {.rank = rank, .next = c->ntask};
		for (const struct value *t = elements(c, parts[1]); t; t = t->next)
			read_task(c, t);
		stream.end = c->ntask;
		c->streams = grow(c, c->streams, c->nstream, &c->stream_room, sizeof *c->streams);
		c->streams[c->nstream++] = stream;
	}
	c->now = c->ntask;
	DEMAND(rank < nprogram && !c->entered[rank], "R2: no such rank, or a duplicate");
	c->entered[rank] = UINT32_MAX; /* no task + 1 */
}

/* The program in a file of the folder. */
static void read_program_file(struct check *c, const struct value *value, u64 nprogram)
{
	char name[MOST_LETTERS];
	size_t size;
	text(c, value);
	SHAPE(c->folder >= 0, value, "wanted a program itself: there is no folder here");
	SHAPE(json_decode(value, name, sizeof name), value, "too long a name");
	SHAPE(*name && *name != '.' && !strpbrk(name, "/\\"), value,
		"wanted the plain name of a file in the folder");
	c->program_text = read_file(c->folder, name, false, &size);
	READABLE(c->program_text,
		"R2: the file of a program cannot be read, or is not a regular file");
	c->reading = &c->program;
	c->file = name;
	if (!json_read(&c->program, c->program_text, size))
		stop_at(c, c->program.at, c->program.wrong);
	read_program(c, c->program.root, nprogram);
	c->reading = &c->schedule;
	c->file = NULL;
	json_free(&c->program);
	free(c->program_text);
	c->program_text = NULL;
}

static void read_programs(struct check *c, const struct value *programs)
{
	const struct value *first = elements(c, programs);
	u64 n = 0;
	for (const struct value *p = first; p; p = p->next, n++)
		SHAPE((*p->text == '"') == (*first->text == '"'), p,
			"programs and names of files are mixed");
	c->entered = need(c, n + 1, sizeof(u32));
	for (const struct value *p = first; p; p = p->next)
		(*p->text == '"' ? read_program_file : read_program)(c, p, n);
	DEMAND(n == c->N, "R2: there are not as many programs as ranks");
	c->cells_of = need(c, c->N, sizeof(u64));
	for (c->now = 0; c->now < c->ntask; c->now++)
		DEMAND(c->tasks[c->now].peer < c->N, "R2: the peer is not a rank");
}

static void read_schedule(struct check *c, const struct document *document)
{
	const struct value *head[15] = {0};
	c->reading = &c->schedule;
	c->folder = document->folder;
	if (!json_read(&c->schedule, document->text, document->size))
		stop_at(c, c->schedule.at, c->schedule.wrong);
	members(c, c->schedule.root, &head_keys, head);
	read_problem(c, head);
	read_labels(c, head);
	read_programs(c, head[PROGRAMS]);
	READABLE(c->M < MOST, "too many chunks for this program");
}

/* Paths. */

/* Checks a Wait that has taken its token, and that it follows the hop before, if any. */
static u32 check_hop(struct check *c, const u32 *before, u32 id)
{
	DEMAND(id < c->ntask && c->tasks[id].taken, "a hop that took no token");
	const u32 notify = c->tasks[id].taken - 1, stream = c->tasks[notify].stream;
	DEMAND(!before || (stream == c->tasks[*before].stream && notify > *before),
		"a hop not behind the last");
	return notify;
}

/* Hops one after another; their order is checked at the end. */
static void read_routes(struct check *c, const struct value *routes, u64 nletter)
{
	c->hops = need(c, nletter / 2 + 1, sizeof(u32));
	c->route_of = need(c, nletter / 2 + 1, sizeof(u32));
	for (const struct value *route = elements(c, routes); route;
		route = route->next, c->nroute++)
		for (const struct value *hop = elements(c, route); hop; hop = hop->next) {
			c->route_of[c->nhop] = c->nroute;
			c->hops[c->nhop] = number(c, hop, 0, UINT32_MAX);
			DEMAND(c->hops[c->nhop++] < c->ntask, "a hop that is not a task");
		}
}

/* Returns the Notify that the path begins with; *last is the Wait it ends with. */
static u32 check_path(struct check *c, const struct value *item, u32 *last)
{
	u32 begin = 0, nitem = 0;
	for (; item; item = item->next) {
		u32 first, end;
		if (*item->text == '[') { /* hops of a route */
			const struct value *part =
				pair(c, item, "wanted a task, or a part of a route");
			const u32 from = number(c, part, 0, UINT32_MAX),
				  to = number(c, part->next, 0, UINT32_MAX);
			DEMAND(from <= to && to < c->nhop, "no part of a route");
			DEMAND(c->route_of[from] == c->route_of[to], "a part of two routes");
			first = c->hops[from];
			end = c->hops[to];
		} else {
			first = end = number(c, item, 0, UINT32_MAX);
		}
		const u32 notify = check_hop(c, nitem ? last : NULL, first);
		begin = nitem++ ? begin : notify;
		*last = end;
	}
	DEMAND(nitem, "a path has no hops");
	return begin;
}

/* Reads the paths to a task, and records the tasks that each proves to precede it. */
static void take_paths(struct check *c, u32 id, const struct value **paths)
{
	u32 last;
	for (; *paths; *paths = (*paths)->next, c->npath++) {
		const struct value *item = elements(c, *paths);
		SHAPE(item, *paths, "an empty path");
		if (number(c, item, 0, UINT32_MAX) != id)
			return;
		const u32 notify = check_path(c, item->next, &last);
		struct stream *stream = &c->streams[c->tasks[notify].stream];
		DEMAND(c->tasks[last].stream == c->tasks[id].stream && last < id,
			"a path leads elsewhere");
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
	DEMAND(same ? before != id : stream->stamp == id + 1 && stream->known > before,
		"R8: a race");
}

static void read_cell(struct check *c, struct cell *cell, u32 id)
{
	if (cell->writer)
		follow(c, cell->writer - 1, id);
	if (!cell->readers ||
		c->tasks[c->readers[cell->readers][0]].stream != c->tasks[id].stream) {
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
		c->trees[ *tree = ++c->ntree] =
			(struct node){a, b, leaves > MOST ? MOST + 1 : leaves};
	return *tree;
}

static void move(struct check *c, u32 id)
{
	const struct task *task = &c->tasks[id];
	const u32 rank = c->streams[task->stream].rank,
		  target = task->kind < SEND ? rank : task->peer;
	DEMAND(task->kind < SEND || target != rank, "R2: sends to its own rank");
	DEMAND((u64)task->chunk + task->count <= c->M, "R3: chunks beyond the last");
	for (int i = 0; i < 2; i++)
		DEMAND(task->slot[i] + task->count <= slots(c, i ? target : rank, task->buffer[i]),
			"R3");
	DEMAND(!c->staged || target == rank || task->buffer[0] & task->buffer[1] & SCRATCH, "R3");
	DEMAND(task->buffer[1] != INPUT || c->in_place, "R4: writes input");
	const bool reduces = task->kind & 1, rounds = c->form && task->buffer[1] != SCRATCH;
	for (u32 i = 0, chunk = task->chunk; i < task->count; i++, chunk++) {
		struct cell *from = cell_of(c, rank, task->buffer[0], task->slot[0] + i);
		struct cell *to = cell_of(c, target, task->buffer[1], task->slot[1] + i);
		const u64 at_home = chunk_of(c, target, task->buffer[1], task->slot[1] + i);
		DEMAND(task->buffer[1] == SCRATCH || at_home == chunk || c->op->any,
			"R3: not the slot of its chunk");
		read_cell(c, from, id);
		write_cell(c, to, id);
		DEMAND(from->tree && from->chunk == chunk, "R10: uses what is not its chunk");
		DEMAND(!reduces || (to->tree && (to->chunk == chunk || c->op->any)),
			"R10: uses what is not its chunk");
		DEMAND(!reduces || (!rounds && !from->rounded && !to->rounded), "R4: rounds twice");
		to->tree = reduces ? add(c, from->tree, to->tree) : from->tree;
		to->rounded = from->rounded || (rounds && c->trees[to->tree].left);
		/* a sum of Custom has the name of its first chunk */
		to->chunk = reduces && to->chunk < chunk ? to->chunk : chunk;
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
	u32 *index = at(c, SIGNAL, notifies ? rank * c->N + task->peer : task->peer * c->N + rank,
		task->chunk);
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

static void allocate_buffers(struct check *c)
{
	u64 ncell = 0, nmove = 0;
	for (u32 rank = 0; rank < c->N; rank++) {
		c->cells_of[rank] = ncell;
		ncell += slots(c, rank, OUTPUT) + c->nscratch + slots(c, rank, INPUT);
		READABLE(ncell < MOST, "too many slots");
	}
	for (u32 id = 0; id < c->ntask; id++)
		nmove += c->tasks[id].kind < NOTIFY ? c->tasks[id].count : 0;
	c->ntree = (u32)(c->op->any ? c->M : c->op->reduces ? c->V : c->N);
	READABLE(nmove + c->ntree < MOST, "too many chunks are moved");
	for (c->bits = 4; (u64)1 << c->bits < 2 * (nmove + c->ntask);)
		c->bits++;
	READABLE(getentropy(c->seeds, sizeof c->seeds) == 0, "no random numbers");
	c->seeds[0] |= 1;
	c->seeds[1] |= 1;
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
			cell->tree =
				1 + (u32)(c->op->reduces ? rank * c->V / c->N + slot / c->M : rank);
			cell->chunk = (u32)chunk_of(c, rank, INPUT, slot);
			cell->tree = c->op->any ? 1 + cell->chunk : cell->tree;
		}
}

/* One legal order of all tasks: R7. */
static void run(struct check *c, const struct value *order, const struct value *paths)
{
	u32 done = 0;
	for (; order; order = order->next) {
		const struct value *item = pair(c, order, "wanted [stream, count]");
		const u32 stream = number(c, item, 0, UINT32_MAX);
		for (u32 n = number(c, item->next, 1, UINT32_MAX); n; n--, done++) {
			const bool goes_on = stream < c->nstream &&
					     c->streams[stream].next < c->streams[stream].end;
			DEMAND(goes_on, "the order goes beyond the end of a stream");
			const u32 id = c->now = c->streams[stream].next++;
			take_paths(c, id, &paths);
			(c->tasks[id].kind < NOTIFY ? move : synchronise)(c, id);
		}
	}
	DEMAND(done == c->ntask, "R7: the order ends too soon");
	DEMAND(!paths, "a path leads to a task that is not there, or was there before");
}

/* R6; R9 for leaving ranks; and the routes that paths used. */
static void check_end(struct check *c, const struct value *leaving)
{
	u32 last;
	for (u32 i = 0; i < c->nhop; i++)
		check_hop(c, i && c->route_of[i] == c->route_of[i - 1] ? &c->hops[i - 1] : NULL,
			c->hops[i]);
	for (; leaving; leaving = leaving->next) {
		const struct value *item = elements(c, leaving); /* a rank, then hops */
		SHAPE(item, leaving, "an empty path");
		const u32 rank = number(c, item, 0, LIMIT),
			  notify = check_path(c, item->next, &last);
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

/* R11: whether the tree has every leaf exactly once. */
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

static bool says(const struct check *c, const struct value *claim, bool truth)
{
	return *claim->text == (!c->op->reduces ? 'n' : truth ? 't' : 'f');
}

/* Of Custom only the trees are counted: R11, G1 and G3 are not checked. */
static void count_outputs(struct check *c, const struct value *const *claims)
{
	u32 ndistinct = 0;
	bool *counted = need(c, c->ntree + 1, 1);
	for (u32 rank = 0; rank < c->N; rank++)
		for (u64 slot = 0; slot < slots(c, rank, OUTPUT); slot++) {
			const u32 tree = cell_of(c, rank, OUTPUT, slot)->tree;
			ndistinct += tree && !counted[tree];
			counted[tree] = true;
		}
	DEMAND(number(c, claims[0], 0, UINT32_MAX) == ndistinct, "the number of trees");
	DEMAND(says(c, claims[1], true) && says(c, claims[2], true),
		"G1 and G3 of Custom are not for a certificate");
	snprintf(c->report, 256,
		"no fault found, contents not judged: R1-R10, %u tasks, %u paths, %u trees",
		c->ntask, c->npath, ndistinct);
}

static void check_outputs(struct check *c, const struct value *const *claims)
{
	u32 *trees = need(c, c->M, sizeof(u32)), ndistinct = 0;
	bool *whole = need(c, c->ntree + 1, 1), *counted = need(c, c->ntree + 1, 1), equal = true;
	c->stack = need(c, c->V + 2, sizeof(u32));
	c->seen = need(c, c->V + 1, sizeof(u32));
	for (u32 rank = 0; rank < c->N; rank++)
		for (u64 slot = 0; slot < slots(c, rank, OUTPUT); slot++) {
			struct cell *cell = cell_of(c, rank, OUTPUT, slot);
			const u64 chunk = chunk_of(c, rank, OUTPUT, slot);
			const u64 row = c->op->input == ROW ? c->N : 1;
			const u64 owner = c->op->input == ROOT ? c->root : chunk / c->K / row;
			DEMAND(cell->tree && cell->chunk == chunk,
				"R11: an output slot does not hold its chunk");
			DEMAND(c->op->reduces || cell->tree == owner + 1,
				"R11: an output is of another rank");
			whole[cell->tree] =
				whole[cell->tree] || !c->op->reduces || is_whole(c, cell->tree);
			DEMAND(whole[cell->tree], "R11: an output has not every contribution once");
			cell->tree = c->form > 1 ? 1 : cell->tree; /* 1: sums have no order */
			equal = equal && (!trees[chunk] || trees[chunk] == cell->tree);
			if (!trees[chunk] && !counted[trees[chunk] = cell->tree])
				counted[cell->tree] = ++ndistinct;
		}
	DEMAND(number(c, claims[0], 0, UINT32_MAX) == ndistinct, "the number of trees");
	DEMAND(says(c, claims[1], equal), "G1 is not as claimed");
	DEMAND(says(c, claims[2], ndistinct == 1), "G3 is not as claimed");
	snprintf(c->report, 256, "proved: R1-R11, %u tasks, %u paths, %u trees", c->ntask, c->npath,
		ndistinct);
}

static void check_all(
	struct check *c, const struct document *schedule, const struct document *certificate)
{
	const struct value *found[6] = {0}, *claims[3] = {0};
	read_schedule(c, schedule);
	c->reading = &c->certificate;
	if (!json_read(&c->certificate, certificate->text, certificate->size))
		stop_at(c, c->certificate.at, c->certificate.wrong);
	members(c, c->certificate.root, &certificate_keys, found);
	which(c, found[SCHEMA], (const char *[]){"ordo/certificate/1"}, 1);
	members(c, found[CLAIMS], &claim_keys, claims);
	c->now = 0;
	read_routes(c, found[ROUTES], certificate->size);
	allocate_buffers(c);
	run(c, elements(c, found[ORDER]), elements(c, found[PATHS]));
	check_end(c, elements(c, found[LEAVING]));
	(c->op->any ? count_outputs : check_outputs)(c, claims);
}

enum verdict check_certificate(
	const struct document *schedule, const struct document *certificate, char report[256])
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
	json_free(&c->schedule);
	json_free(&c->program);
	json_free(&c->certificate);
	free(c->program_text);
	free(c->tasks);
	free(c->streams);
	free(c);
	return verdict;
}
