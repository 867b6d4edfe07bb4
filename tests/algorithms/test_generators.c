/* test_generators.c - what is generated is what is compiled, task for task, and no other request is
 * generated; levels order the moves of all ranks. */
#include <ordo/compiler.h>
#include <ordo/detail/generators.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint32_t failures, compared;

static void check(const char *what, const char *algorithm, uint32_t nrank, bool good)
{
	if (!good)
		printf("%s, %u ranks: %s\n", algorithm, nrank, what);
	failures += !good;
}

static void compare_streams(const struct ordo_schedule *a, const struct ordo_schedule *b,
	const char *algorithm, uint32_t nrank)
{
	for (uint32_t s = 0; s < a->nstream && s < b->nstream; s++)
		check("the same streams", algorithm, nrank,
			a->streams[s].rank == b->streams[s].rank &&
				a->streams[s].first == b->streams[s].first &&
				a->streams[s].end == b->streams[s].end &&
				!strcmp(a->streams[s].name, b->streams[s].name));
	for (uint32_t i = 0; i < a->ntask && i < b->ntask; i++)
		if (memcmp(&a->tasks[i], &b->tasks[i], sizeof *a->tasks) != 0) {
			char left[128], right[128];
			ordo_task_print(&a->tasks[i], left, sizeof left);
			ordo_task_print(&b->tasks[i], right, sizeof right);
			printf("task %u is %s, phase %u, wanted %s, phase %u\n", i, left,
				a->tasks[i].phase, right, b->tasks[i].phase);
			check("the same tasks", algorithm, nrank, false);
			return;
		}
}

/* The level of the last task that moves data before task `at` of its stream, -1 if there is none;
 * or of the first behind it, else INT64_MAX. */
static int64_t level_near(const struct ordo_programs *programs, const struct ordo_schedule *all,
	const struct ordo_stream *stream, uint32_t at, bool before)
{
	for (uint32_t i = at; i >= stream->first && i < stream->end; i += before ? UINT32_MAX : 1)
		if (ordo_task_moves(&all->tasks[i]))
			return programs->level(&all->tasks[i]);
	return before ? -1 : INT64_MAX;
}

static bool is_signal(const struct ordo_task *task, int kind, uint32_t peer, uint32_t signal)
{
	return task->kind == (unsigned)kind && task->peer == peer && task->signal == signal;
}

/* The stream and number of the Notify that a Wait takes the token of. */
static const struct ordo_stream *find_notify(const struct ordo_schedule *all,
	const struct ordo_stream *waiter, uint32_t wait, uint32_t *at)
{
	const struct ordo_task *task = &all->tasks[wait];
	uint32_t earlier = 0;
	for (uint32_t i = waiter->first; i < wait; i++)
		earlier += is_signal(&all->tasks[i], ORDO_WAIT, task->peer, task->signal);
	const struct ordo_program *program = &all->programs[task->peer];
	for (uint32_t s = program->first_stream; s < program->end_stream; s++)
		for (uint32_t i = all->streams[s].first; i < all->streams[s].end; i++)
			if (is_signal(&all->tasks[i], ORDO_NOTIFY, waiter->rank, task->signal) &&
				!earlier--) {
				*at = i;
				return &all->streams[s];
			}
	return NULL;
}

/* No stream decreases levels, and every Wait increases them. */
static void check_levels(const struct ordo_programs *programs, const struct ordo_schedule *all)
{
	for (uint32_t s = 0; s < all->nstream; s++) {
		const struct ordo_stream *stream = &all->streams[s];
		for (uint32_t i = stream->first, notify; i < stream->end; i++) {
			const int64_t next = level_near(programs, all, stream, i, false);
			check("levels ascend along a stream", all->algorithm, all->problem.nrank,
				level_near(programs, all, stream, i, true) <= next);
			if (all->tasks[i].kind != ORDO_WAIT)
				continue;
			const struct ordo_stream *notifier = find_notify(all, stream, i, &notify);
			check("levels increase from rank to rank", all->algorithm,
				all->problem.nrank,
				notifier &&
					(next == INT64_MAX || level_near(programs, all, notifier,
								      notify, true) < next));
		}
	}
}

/* Memory of the rank that a move reads or writes; in place, output for input. */
struct touched {
	unsigned buffer;
	uint32_t first, count;
	bool writes;
};

static int touches(const struct ordo_rank_move *move, bool in_place, struct touched *at)
{
	const struct ordo_task *task = &move->task;
	const bool sends = task->kind == ORDO_SEND || task->kind == ORDO_SEND_REDUCE;
	int n = 0;
	if (!move->receives)
		at[n++] = (struct touched){task->src_buffer, task->src, task->count, false};
	if (move->receives || !sends)
		at[n++] = (struct touched){task->dst_buffer, task->dst, task->count, true};
	for (int i = 0; i < n && in_place; i++)
		if (at[i].buffer == ORDO_INPUT)
			at[i].buffer = ORDO_OUTPUT;
	return n;
}

static bool conflict(const struct ordo_rank_move *a, const struct ordo_rank_move *b, bool in_place)
{
	struct touched x[2], y[2];
	const int nx = touches(a, in_place, x), ny = touches(b, in_place, y);
	for (int i = 0; i < nx; i++)
		for (int j = 0; j < ny; j++)
			if ((x[i].writes || y[j].writes) && x[i].buffer == y[j].buffer &&
				x[i].first < y[j].first + y[j].count &&
				y[j].first < x[i].first + x[i].count)
				return true;
	return false;
}

static uint32_t count_touching(const struct ordo_schedule *all, uint32_t rank)
{
	uint32_t count = 0;
	for (uint32_t s = 0; s < all->nstream; s++)
		for (uint32_t i = all->streams[s].first; i < all->streams[s].end; i++) {
			const struct ordo_task *task = &all->tasks[i];
			const bool sends =
				task->kind == ORDO_SEND || task->kind == ORDO_SEND_REDUCE;
			count += ordo_task_moves(task) &&
				 (all->streams[s].rank == rank || (sends && task->peer == rank));
		}
	return count;
}

/* One rank's list has all that touches its memory, in which nothing of one level conflicts. */
static void check_moves(const struct ordo_programs *programs, const struct ordo_schedule *all)
{
	const uint32_t n = all->problem.nrank;
	for (uint32_t rank = 0; rank < n; rank++) {
		struct ordo_rank_move *moves;
		uint32_t count;
		struct ordo_error error;
		if (!ordo_programs_moves(programs, rank, &moves, &count, &error)) {
			check(error.text, all->algorithm, n, false);
			return;
		}
		check("all moves that touch a rank", all->algorithm, n,
			count == count_touching(all, rank));
		for (uint32_t i = 0; i < count; i++) {
			check("no message is larger than promised", all->algorithm, n,
				moves[i].task.kind < ORDO_SEND ||
					moves[i].task.count <= programs->most_chunks);
			for (uint32_t j = i + 1; j < count && moves[j].level == moves[i].level; j++)
				check("no conflict in one level", all->algorithm, n,
					!conflict(&moves[i], &moves[j], all->problem.in_place));
		}
		free(moves);
	}
}

static bool has_ranks(const struct ordo_generator_facts *facts, uint32_t nrank)
{
	return nrank > 1 && (strcmp(facts->ranks, "2^q") != 0 || !(nrank & (nrank - 1)));
}

static void compare(const struct ordo_generator_facts *facts, const struct ordo_problem *problem)
{
	const char *algorithm = facts->name;
	struct ordo_programs programs;
	struct ordo_error error;
	const struct ordo_request request = {.problem = *problem, .algorithm = algorithm};
	struct ordo_schedule *compiled = ordo_compile(&request, &error), *generated = NULL;
	const bool applies = ordo_generate(algorithm, problem, &programs, &error);
	check("generated if there is such a thing", algorithm, problem->nrank,
		applies == (compiled && has_ranks(facts, problem->nrank)));
	if (applies && compiled) {
		generated = ordo_programs_gather(&programs, &error);
		check("gathered", algorithm, problem->nrank, generated);
	}
	if (generated) {
		check("of the same name", algorithm, problem->nrank,
			!strcmp(generated->algorithm, compiled->algorithm));
		check("of the same size", algorithm, problem->nrank,
			generated->ntask == compiled->ntask &&
				generated->nstream == compiled->nstream &&
				generated->scratch_slots == compiled->scratch_slots &&
				programs.nphase == compiled->nphase &&
				generated->problem.chunks_per_block ==
					compiled->problem.chunks_per_block);
		compare_streams(generated, compiled, algorithm, problem->nrank);
		if (problem->nrank <= 40) {
			check_levels(&programs, generated);
			check_moves(&programs, generated);
		}
		compared++;
	}
	ordo_schedule_destroy(generated);
	ordo_schedule_destroy(compiled);
}

/* The aim is 0.1 s and 16 MiB for one rank of 10,000. The time has room for slow machines; the
 * memory is that of the list and of the longest program. */
static void check_one_of_many(const char *algorithm, uint32_t nrank, uint32_t rank)
{
	const struct ordo_problem problem = {.op = ORDO_ALLREDUCE, .nrank = nrank, .nshard = nrank};
	struct ordo_programs programs;
	struct ordo_error error;
	struct ordo_rank_move *moves;
	uint32_t count;
	const clock_t began = clock();
	if (!ordo_generate(algorithm, &problem, &programs, &error) ||
		!ordo_programs_moves(&programs, rank, &moves, &count, &error)) {
		check(error.text, algorithm, nrank, false);
		return;
	}
	const double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
	const double bytes = count * (double)(sizeof *moves + 4 * sizeof(struct ordo_task));
	printf("%s, rank %u of %u: %u moves in %.2f ms\n", algorithm, rank, nrank, count,
		1e3 * seconds);
	check("one rank's list takes at most 0.1 s", algorithm, nrank, seconds < 0.5);
	check("one rank's list takes at most 16 MiB", algorithm, nrank, bytes < 16 << 20);
	free(moves);
}

static void check_many_ranks(void)
{
	static const char *const near[] = {
		"halving-doubling(masks=near)", "recursive-doubling(masks=near)"};
	static const char *const any[] = {"tree", "binary-blocks"};
	static const uint32_t sizes[] = {8193, 9984, 10000};
	for (int a = 0; a < 2; a++)
		check_one_of_many(near[a], 8192, 77);
	for (int a = 0; a < 2; a++)
		for (int i = 0; i < 3; i++) {
			check_one_of_many(any[a], sizes[i], 0);
			check_one_of_many(any[a], sizes[i], sizes[i] - 1);
		}
}

static void check_refusals(void)
{
	const struct ordo_problem four = {.op = ORDO_ALLREDUCE, .nrank = 4, .nshard = 4};
	struct ordo_programs programs;
	struct ordo_problem problem = four;
	problem.in_place = true;
	check("no ring in place", "ring", 4, !ordo_generate("ring", &problem, &programs, NULL));
	problem = four;
	problem.chunks_per_block = 3;
	check("not with other chunks", "ring", 4,
		!ordo_generate("ring", &problem, &programs, NULL));
	problem = four;
	problem.nshard = 8;
	check("not with other shards", "ring", 4,
		!ordo_generate("ring", &problem, &programs, NULL));
	check("not what there is not", "mesh", 4, !ordo_generate("mesh", &four, &programs, NULL));
	problem = four;
	problem.op = ORDO_ALLTOALL;
	check("not for other operators", "ring", 4,
		!ordo_generate("ring", &problem, &programs, NULL));
}

static bool is_ring(const struct ordo_generator_facts *facts)
{
	return !strcmp(facts->name, "ring");
}

int main(int argc, char **argv)
{
	const uint32_t last = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 64;
	uint32_t count;
	const struct ordo_generator_facts *const *generators = ordo_generators(&count);
	for (uint32_t i = 0; i < count; i++)
		for (int op = 0; op < ORDO_NOPERATOR; op++)
			for (uint32_t n = 1; n <= last && generators[i]->operators >> op & 1; n++)
				for (int in_place = 0; in_place <= !is_ring(generators[i]);
					in_place++)
					compare(generators[i],
						&(struct ordo_problem){.op = (enum ordo_operator)op,
							.nrank = n,
							.nshard = n,
							.in_place = in_place});
	check_refusals();
	check_many_ranks();
	printf("%u generated schedules are what is compiled\n", compared);
	return failures || compared < 7 * (last - 1) ? EXIT_FAILURE : EXIT_SUCCESS;
}
