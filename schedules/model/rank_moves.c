/* rank_moves.c - the moves that touch one rank's memory, in an order that all ranks share, from the
 * programs of that rank and of those that it names. */
#include <ordo/arena.h>
#include <ordo/detail/fail.h>
#include <ordo/detail/programs.h>
#include <stdlib.h>

struct search {
	const struct ordo_programs *programs;
	uint32_t rank;
	struct ordo_rank_program program; /* being read */
	uint32_t *peers;		  /* of the rank, at first with repetitions */
	uint32_t npeer;
	struct ordo_rank_move *moves;
	uint32_t nmove;
	size_t room;
	struct ordo_error *error;
};

static bool moves_data(const struct ordo_task *task)
{
	return task->kind != ORDO_NOTIFY && task->kind != ORDO_WAIT;
}

static bool has_peer(const struct ordo_task *task)
{
	return task->kind != ORDO_LOCAL_COPY && task->kind != ORDO_LOCAL_REDUCE;
}

static bool sends_to(const struct ordo_task *task, uint32_t rank)
{
	return (task->kind == ORDO_SEND || task->kind == ORDO_SEND_REDUCE) && task->peer == rank;
}

/* The tasks of `sender` that move data and touch the rank. */
static bool add_moves(struct search *search, uint32_t sender)
{
	const struct ordo_programs *programs = search->programs;
	const struct ordo_rank_program *program = &search->program;
	if (!programs->give(programs, sender, &search->program, search->error))
		return false;
	for (uint32_t i = 0; i < program->ntask; i++) {
		const struct ordo_task *task = &program->tasks[i];
		if (sender == search->rank ? !moves_data(task) : !sends_to(task, search->rank))
			continue;
		if (!ordo_array_reserve(&search->moves, &search->room, (size_t)search->nmove + 1,
			    sizeof *search->moves))
			return ordo_fail_memory(search->error);
		search->moves[search->nmove++] = (struct ordo_rank_move){
			*task, sender != search->rank, sender, programs->level(task), i};
	}
	return true;
}

static int compare(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int compare_ranks(const void *left, const void *right)
{
	return compare(*(const uint32_t *)left, *(const uint32_t *)right);
}

/* The program is that of the rank. */
static bool find_peers(struct search *search)
{
	const struct ordo_rank_program *program = &search->program;
	uint32_t n = 0;
	search->peers = malloc(((size_t)program->ntask + 1) * sizeof *search->peers);
	if (!search->peers)
		return ordo_fail_memory(search->error);
	for (uint32_t i = 0; i < program->ntask; i++)
		if (has_peer(&program->tasks[i]))
			search->peers[n++] = program->tasks[i].peer;
	qsort(search->peers, n, sizeof *search->peers, compare_ranks);
	for (uint32_t i = 0; i < n; i++)
		if (!i || search->peers[i] != search->peers[i - 1])
			search->peers[search->npeer++] = search->peers[i];
	return true;
}

static int compare_moves(const void *left, const void *right)
{
	const struct ordo_rank_move *a = left, *b = right;
	if (a->level != b->level)
		return compare(a->level, b->level);
	if (a->receives != b->receives)
		return a->receives ? 1 : -1;
	return a->sender != b->sender ? compare(a->sender, b->sender)
				      : compare(a->position, b->position);
}

static bool find_moves(struct search *search)
{
	bool worked = add_moves(search, search->rank) && find_peers(search);
	for (uint32_t i = 0; worked && i < search->npeer; i++)
		worked = add_moves(search, search->peers[i]);
	return worked;
}

bool ordo_programs_moves(const struct ordo_programs *programs, uint32_t rank,
	struct ordo_rank_move **moves, uint32_t *count, struct ordo_error *error)
{
	struct search search = {.programs = programs, .rank = rank, .error = error};
	if (!programs->level)
		return ordo_fail(error, ORDO_USAGE, 0,
			"the programs of %s have no levels: one rank's list needs all of them",
			programs->algorithm);
	const bool worked = find_moves(&search);
	ordo_rank_program_free(&search.program);
	free(search.peers);
	if (!worked) {
		free(search.moves);
		return false;
	}
	if (search.nmove)
		qsort(search.moves, search.nmove, sizeof *search.moves, compare_moves);
	*moves = search.moves;
	*count = search.nmove;
	return true;
}
