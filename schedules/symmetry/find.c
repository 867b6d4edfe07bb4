/* find.c - is the program of every rank that of rank 0, relabelled? Checked rank by rank for each
 * candidate group.
 *
 * Why programs of one canonical form are the same to the verifier. Within a segment of moves no
 * move writes what another reads or writes, and nothing waits or notifies in between: so the order
 * of these moves, and how they are cut into tasks, changes neither any value nor what is before
 * what on other streams. Adjacent Notifies have the same predecessors, and adjacent Waits must all
 * have been passed before the next task, in any order. So R1 to R11, the guarantees and the tokens
 * in flight are the same for rank 0's program, relabelled, and for the rank's own.
 */
#include "canonical.h"
#include <stdlib.h>
#include <string.h>

/* Ways in which AllReduce's chunks may be dealt out that are tried. */
enum { MOST_STRIPES = 64 };

struct comparison {
	const struct ordo_programs *programs;
	const struct ordo_symmetry *symmetry;
	struct ordo_error *error;
	struct ordo_rank_program program;
	struct canonical canonical;
	uint32_t *first_of_key; /* [nrank + 1] rank 0's streams by key: a list by next_of_key */
	uint32_t *next_of_key;
	/* [nstream] the turn in which a stream was last found to be like this one */
	uint32_t *taken;
	uint32_t turn;
	struct item *items;
	size_t room;
};

/* Takes the tasks from `at` on that make up the segment; false: they do not. *no_memory is an
 * error. */
static bool take_segment(struct comparison *c, const struct view *view,
	const struct segment *segment, const struct item *wanted, uint32_t nwanted, uint32_t *at,
	uint32_t end, bool *no_memory)
{
	const struct ordo_task *tasks = c->program.tasks;
	uint32_t nitem = 0, count = 0;
	if (segment->count == 1 && *at < end) {
		const struct ordo_task *task = &tasks[(*at)++];
		if (!ordo_fits_view(view, task) || (ordo_task_moves(task) && task->count > 1))
			return false;
		const struct item item = ordo_one_item(view, task);
		return is_same_item(&item, wanted);
	}
	while (count < segment->count && *at < end) {
		const struct ordo_task *task = &tasks[(*at)++];
		if (!ordo_fits_view(view, task) || class_of(task) != segment->what)
			return false;
		count += segment->what == MOVES ? task->count : 1;
		if (count > segment->count)
			return false;
		if (!ordo_add_items(view, task, &c->items, &c->room, &nitem)) {
			*no_memory = true;
			return false;
		}
	}
	return count == segment->count && (nitem = ordo_join_items(c->items, nitem)) == nwanted &&
	       !memcmp(c->items, wanted, nitem * sizeof *wanted);
}

static bool is_like(struct comparison *c, const struct view *view, uint32_t stream, uint32_t begin,
	uint32_t end, bool *no_memory)
{
	const struct canonical *canonical = &c->canonical;
	uint32_t s = stream ? canonical->streams[stream - 1].end : 0;
	for (; s < canonical->streams[stream].end; s++) {
		const uint32_t first = s ? canonical->segments[s - 1].end : 0;
		if (!take_segment(c, view, &canonical->segments[s], canonical->items + first,
			    canonical->segments[s].end - first, &begin, end, no_memory))
			return false;
	}
	return begin == end;
}

/* Has rank 0 a stream like this one, that no other stream of the rank is like? */
static bool find_stream(struct comparison *c, const struct view *view, uint32_t begin, uint32_t end,
	bool *no_memory)
{
	uint32_t s = c->first_of_key[ordo_stream_key(view, c->program.tasks, begin, end)];
	for (; s != ORDO_NONE && !*no_memory; s = c->next_of_key[s])
		if (c->taken[s] != c->turn && is_like(c, view, s, begin, end, no_memory)) {
			c->taken[s] = c->turn;
			return true;
		}
	return false;
}

/* 1: yes; 0: no; -1: see error. */
static int compare_rank(struct comparison *c, uint32_t rank, uint64_t *ntask)
{
	bool no_memory = false;
	const struct view view = ordo_view_from(c->programs, c->symmetry, rank);
	if (!c->programs->give(c->programs, rank, &c->program, c->error))
		return -1;
	*ntask += c->program.ntask;
	c->turn++;
	if (c->program.nstream != c->canonical.nstream)
		return 0;
	for (uint32_t s = 0, begin = 0; s < c->program.nstream; begin = c->program.ends[s++])
		if (!find_stream(c, &view, begin, c->program.ends[s], &no_memory))
			return no_memory ? ordo_fail_memory(c->error) - 1 : 0;
	return 1;
}

/* Lists rank 0's streams by key, each list in their order. */
static bool list_streams(struct comparison *c)
{
	const uint32_t nrank = c->programs->problem.nrank, nstream = c->canonical.nstream;
	free(c->next_of_key);
	free(c->taken);
	c->next_of_key = malloc(((size_t)nstream + 1) * sizeof *c->next_of_key);
	c->taken = calloc((size_t)nstream + 1, sizeof *c->taken);
	c->turn = 0;
	if (!c->next_of_key || !c->taken)
		return ordo_fail_memory(c->error);
	memset(c->first_of_key, 0xff, ((size_t)nrank + 1) * sizeof *c->first_of_key);
	for (uint32_t s = nstream; s-- > 0;) {
		uint32_t *first = &c->first_of_key[c->canonical.streams[s].key];
		c->next_of_key[s] = *first;
		*first = s;
	}
	return true;
}

struct request {
	const struct ordo_programs *programs;
	enum ordo_compared_ranks comparison;
	ordo_progress *progress;
	void *closure;
};

/* The ranks of the elements that generate the group: one for each digit. */
static int compare_generators(struct comparison *c, struct ordo_symmetry *symmetry, uint64_t *ntask)
{
	int like = 1;
	for (uint32_t d = 0, stride = 1; like > 0 && d < symmetry->group.ndigit; d++) {
		like = compare_rank(c, stride, ntask);
		stride *= symmetry->group.radix[d];
		symmetry->ncompared++;
	}
	return like;
}

/* Ranks ordered so that a wrong candidate is rejected early. */
static int compare_all(struct comparison *c, const struct request *request,
	struct ordo_symmetry *symmetry, uint64_t *ntask)
{
	const uint32_t nrank = c->programs->problem.nrank;
	uint64_t twice = 0;
	int like = compare_generators(c, symmetry, &twice);
	symmetry->ncompared = 0;
	if (like > 0 && nrank > 2)
		like = compare_rank(c, nrank - 1, &twice);
	for (uint32_t rank = 1; like > 0 && rank < nrank; rank++) {
		if (request->progress && !(rank & 0xff))
			request->progress(request->closure, "comparing", rank, nrank);
		like = compare_rank(c, rank, ntask);
		symmetry->ncompared++;
	}
	symmetry->ntask = *ntask;
	return like;
}

static int try_action(
	struct comparison *c, const struct request *request, struct ordo_symmetry *symmetry)
{
	uint64_t ntask = 0;
	const struct view view = ordo_view_from(c->programs, symmetry, 0);
	c->symmetry = symmetry;
	symmetry->ncompared = 0;
	symmetry->ntask = 0;
	if (!c->programs->give(c->programs, 0, &c->program, c->error))
		return -1;
	const int canonical = ordo_canonicalise(&c->canonical, &view, &c->program);
	if (canonical <= 0)
		return canonical ? ordo_fail_memory(c->error) - 1 : 0;
	if (!list_streams(c))
		return -1;
	ntask = c->program.ntask;
	return request->comparison == ORDO_COMPARE_ALL ? compare_all(c, request, symmetry, &ntask)
						       : compare_generators(c, symmetry, &ntask);
}

static void add_digit(struct ordo_chunk_action *action, uint32_t radix, uint32_t of)
{
	action->radix[action->ndigit] = radix;
	action->of[action->ndigit++] = of;
}

/* The chunks of a block, then the digits of the group, `copies` times, then `stripes` of all
 * that. */
static struct ordo_chunk_action act(const struct ordo_symmetry_group *group, uint32_t parts,
	uint32_t copies, uint32_t stripes, bool reversed)
{
	struct ordo_chunk_action action = {0};
	add_digit(&action, parts, ORDO_NONE);
	for (uint32_t i = 0; i < copies; i++)
		for (uint32_t d = 0; d < group->ndigit; d++) {
			const uint32_t digit = reversed ? group->ndigit - 1 - d : d;
			add_digit(&action, group->radix[digit], digit);
		}
	add_digit(&action, stripes, ORDO_NONE);
	return action;
}

/* With one group, the ways in which it may act on the chunks. */
static int try_group(
	struct comparison *c, const struct request *request, struct ordo_symmetry *symmetry)
{
	const struct ordo_problem *problem = &c->programs->problem;
	const struct ordo_symmetry_group *group = &symmetry->group;
	const uint32_t K = problem->chunks_per_block, N = problem->nrank;
	int like = 0;
	if (problem->op != ORDO_ALLREDUCE) {
		symmetry->chunks = act(group, K, problem->op == ORDO_ALLTOALL ? 2 : 1, 1, false);
		return try_action(c, request, symmetry);
	}
	for (uint32_t stripes = 1;
		!like && K % N == 0 && stripes <= K / N && stripes <= MOST_STRIPES; stripes++)
		for (int way = 0; !like && K / N % stripes == 0 && way < 4; way++) {
			if ((way & 1 && group->ndigit == 1) || (way & 2 && stripes == 1))
				continue;
			symmetry->chunks = act(group, K / N / stripes, 1, stripes, way & 1);
			symmetry->chunks.mirrored = way & 2;
			like = try_action(c, request, symmetry);
		}
	if (!like) {
		symmetry->chunks = act(group, K, 0, 1, false);
		like = try_action(c, request, symmetry);
	}
	return like;
}

static struct ordo_symmetry_group group_of(uint32_t twos, uint32_t a, uint32_t b)
{
	struct ordo_symmetry_group group = {.order = 1};
	for (uint32_t i = 0; i < twos; i++)
		group.radix[group.ndigit++] = 2;
	if (a > 1 || !twos)
		group.radix[group.ndigit++] = a;
	if (b > 1)
		group.radix[group.ndigit++] = b;
	for (uint32_t d = 0; d < group.ndigit; d++)
		group.order *= group.radix[d];
	return group;
}

/* Cyclic; XOR within aligned groups of 2^a, for all a, the largest first; a rows of b. */
static int try_groups(
	struct comparison *c, const struct request *request, struct ordo_symmetry *symmetry)
{
	const uint32_t N = c->programs->problem.nrank;
	uint32_t twos = 0;
	symmetry->group = group_of(0, N, 1);
	int like = try_group(c, request, symmetry);
	while (!(N >> twos & 1))
		twos++;
	for (; !like && twos && N > 2; twos--) {
		symmetry->group = group_of(twos, N >> twos, 1);
		like = try_group(c, request, symmetry);
	}
	for (uint32_t a = 2; !like && a <= N / a; a++)
		for (int swapped = 0; !like && N % a == 0 && swapped <= (a != N / a); swapped++) {
			symmetry->group = group_of(0, swapped ? N / a : a, swapped ? a : N / a);
			like = try_group(c, request, symmetry);
		}
	return like;
}

bool ordo_symmetry_find(const struct ordo_programs *programs, enum ordo_compared_ranks comparison,
	ordo_progress *progress, void *closure, struct ordo_symmetry *symmetry,
	struct ordo_error *error)
{
	const struct ordo_problem *problem = &programs->problem;
	const struct request request = {programs, comparison, progress, closure};
	struct ordo_error ignored;
	struct comparison c = {.programs = programs, .error = error ? error : &ignored};
	c.error->code = ORDO_OK;
	*symmetry = (struct ordo_symmetry){0};
	if (problem->nrank < 2 || problem->nshard != problem->nrank || problem->accumulate ||
		problem->op == ORDO_CUSTOM || ordo_operator_facts(problem->op)->rooted)
		return false;
	c.first_of_key = malloc(((size_t)problem->nrank + 1) * sizeof *c.first_of_key);
	const int like =
		c.first_of_key ? try_groups(&c, &request, symmetry) : ordo_fail_memory(error) - 1;
	ordo_rank_program_free(&c.program);
	ordo_canonical_free(&c.canonical);
	free(c.first_of_key);
	free(c.next_of_key);
	free(c.taken);
	free(c.items);
	return like > 0;
}
