/* test_random_moves.c - a random walk over programs of moves: each is compiled to a sound schedule
 * that does what the moves mean, or is refused at the move at fault.
 *
 * Programs begin as ones that do what an operator means, and most are then changed in up to three
 * places. What they mean, an oracle finds by running them from top to bottom.
 *
 * Arguments: how many programs (400), first seed (1).
 */
#include "judging.h"
#include "mutate.h"
#include "oracle_moves.h"
#include "random_schedule.h"
#include <ordo/builder.h>
#include <ordo/read_moves.h>
#include <stdlib.h>
#include <string.h>

static struct {
	uint32_t sound, refused, incomplete, wrong;
	uint32_t by_rule[14];
} found;

static void complain(uint64_t seed, const struct ordo_moves *moves, const char *what)
{
	if (found.wrong++ >= 3)
		return;
	printf("seed %llu: %s\n", (unsigned long long)seed, what);
	ordo_moves_print(moves, stdout, NULL);
}

static struct oracle_place from_of(const struct ordo_moves_item *item)
{
	return (struct oracle_place){item->src_rank, (enum ordo_buffer)item->src_buffer, item->src};
}

static struct oracle_place to_of(const struct ordo_moves_item *item)
{
	return (struct oracle_place){item->dst_rank, (enum ordo_buffer)item->dst_buffer, item->dst};
}

/* The steps of a program that is sound, in random streams and phases. */
static struct ordo_moves *begin(const struct random_program *program, uint64_t *random)
{
	static const char *names[] = {"one", "two", "three"};
	struct ordo_moves *moves = ordo_moves_create(&program->problem, "random", NULL);
	const uint32_t nstream = 1 + below(random, 3), nphase = below(random, 4);
	if (!moves)
		abort();
	moves->scratch_slots = program->scratch_slots;
	moves->streams = moves->phases = names;
	moves->nstream = nstream;
	moves->nphase = nphase;
	for (uint32_t i = 0; i < program->nstep; i++) {
		const struct random_step *step = &program->steps[i];
		const struct ordo_moves_item item = {
			.reduces = step->task.kind == ORDO_LOCAL_REDUCE ||
				   step->task.kind == ORDO_SEND_REDUCE,
			.src_buffer = step->task.src_buffer,
			.dst_buffer = step->task.dst_buffer,
			.phase = (nphase ? below(random, nphase) : ORDO_NO_PHASE) & ORDO_NO_PHASE,
			.stream = below(random, nstream),
			.src_rank = step->rank,
			.src = step->task.src,
			.dst_rank = step->target,
			.dst = step->task.dst,
			.count = step->task.count};
		if (!ordo_moves_append(moves, &item, NULL))
			abort();
	}
	return moves;
}

/* Another value near one, or far away. */
static uint32_t changed(uint32_t value, uint64_t *random)
{
	switch (below(random, 4)) {
	case 0:
		return value + 1;
	case 1:
		return value ? value - 1 : 1;
	case 2:
		return below(random, 8);
	default:
		return below(random, 40) ? below(random, 4) : ORDO_LIMIT - below(random, 2);
	}
}

static void change_item(struct ordo_moves_item *item, uint32_t nrank, uint64_t *random)
{
	switch (below(random, 7)) {
	case 0:
		item->reduces ^= 1;
		break;
	case 1:
		item->src = changed(item->src, random);
		break;
	case 2:
		item->dst = changed(item->dst, random);
		break;
	case 3:
		item->src_rank = below(random, nrank);
		break;
	case 4:
		item->dst_rank = below(random, nrank);
		break;
	case 5:
		item->count = 1 + changed(item->count - 1, random) % (ORDO_LIMIT - 1);
		break;
	default:
		item->src_buffer = below(random, ORDO_NBUFFER) & 3;
		item->dst_buffer = below(random, ORDO_NBUFFER) & 3;
	}
}

/* One step of the walk: a move is changed, left out, done twice, or exchanged with another. */
static void change(struct ordo_moves *moves, uint64_t *random)
{
	if (!moves->nitem)
		return;
	const uint32_t at = below(random, moves->nitem), other = below(random, moves->nitem);
	const struct ordo_moves_item item = moves->items[at];
	switch (below(random, 6)) {
	case 0:
		moves->nitem--;
		memmove(&moves->items[at], &moves->items[at + 1],
			(moves->nitem - at) * sizeof *moves->items);
		break;
	case 1:
		if (!ordo_moves_append(moves, &item, NULL))
			abort();
		break;
	case 2:
		moves->items[at] = moves->items[other];
		moves->items[other] = item;
		break;
	default:
		change_item(&moves->items[at], moves->problem.nrank, random);
	}
}

/* What the moves mean: the rule that one breaks and which, or what is there at the end. */
struct meaning {
	int rule; /* 0: none */
	uint32_t at;
	bool is_result;
	uint64_t orders;
};

static struct meaning mean(const struct ordo_moves *moves)
{
	struct meaning meaning = {0};
	struct oracle_memory memory = oracle_open_memory(&moves->problem, moves->scratch_slots);
	for (uint32_t i = 0; i < moves->nitem && !meaning.rule; i++) {
		const struct ordo_moves_item *item = &moves->items[i];
		meaning.at = i;
		meaning.rule = oracle_move(
			&memory, to_of(item), from_of(item), item->count, item->reduces);
	}
	meaning.is_result = !meaning.rule && oracle_is_result(&memory);
	meaning.orders = oracle_orders(&memory);
	oracle_close_memory(&memory);
	return meaning;
}

/* Runs one task if it can. */
static bool step(const struct ordo_schedule *schedule, uint32_t rank, const struct ordo_task *task,
	uint32_t *tokens, struct oracle_memory *memory)
{
	const uint32_t nrank = schedule->problem.nrank, nsignal = schedule->ntask + 1;
	if (task->kind == ORDO_NOTIFY) {
		tokens[(rank * nrank + task->peer) * nsignal + task->signal]++;
		return true;
	}
	if (task->kind == ORDO_WAIT) {
		uint32_t *token = &tokens[(task->peer * nrank + rank) * nsignal + task->signal];
		return *token && (*token)--;
	}
	const bool far = task->kind == ORDO_SEND || task->kind == ORDO_SEND_REDUCE;
	const struct oracle_place from = {rank, (enum ordo_buffer)task->src_buffer, task->src},
				  to = {far ? task->peer : rank, (enum ordo_buffer)task->dst_buffer,
					  task->dst};
	oracle_move(memory, to, from, task->count,
		task->kind == ORDO_LOCAL_REDUCE || task->kind == ORDO_SEND_REDUCE);
	return true;
}

/* The trees after one run of the schedule, the last stream first as long as it can. */
static uint64_t run(const struct ordo_schedule *schedule)
{
	const uint32_t nrank = schedule->problem.nrank;
	struct oracle_memory memory =
		oracle_open_memory(&schedule->problem, schedule->scratch_slots);
	uint32_t *next = calloc(schedule->nstream + 1, sizeof *next),
		 *tokens = calloc((size_t)nrank * nrank * (schedule->ntask + 1), sizeof *tokens);
	if (!next || !tokens)
		abort();
	for (bool moved = true; moved;) {
		moved = false;
		for (uint32_t s = schedule->nstream; s-- > 0;) {
			const struct ordo_stream *stream = &schedule->streams[s];
			while (stream->first + next[s] < stream->end &&
				step(schedule, stream->rank,
					&schedule->tasks[stream->first + next[s]], tokens,
					&memory)) {
				next[s]++;
				moved = true;
			}
		}
	}
	const uint64_t orders = oracle_orders(&memory);
	oracle_close_memory(&memory);
	free(next);
	free(tokens);
	return orders;
}

static void check_sound(uint64_t seed, const struct ordo_moves *moves,
	const struct meaning *meaning, const struct ordo_schedule *schedule)
{
	struct judgement judgement;
	found.sound++;
	judge_schedule(schedule, &(struct judging){0}, &judgement);
	if (*judgement.quarrel || !judgement.proved)
		complain(seed, moves, *judgement.quarrel ? judgement.quarrel : "is not proved");
	if (run(schedule) != meaning->orders)
		complain(seed, moves, "sums in another order than the moves");
}

static void check_refused(uint64_t seed, const struct ordo_moves *read,
	const struct meaning *meaning, const struct ordo_error *error)
{
	char what[512];
	if (!meaning->rule) {
		found.incomplete++;
		if (error->rule != 11 || error->code != ORDO_REFUTED)
			complain(seed, read, error->text);
		return;
	}
	found.refused++;
	found.by_rule[meaning->rule]++;
	if (error->rule == meaning->rule && error->code == ORDO_REFUTED &&
		error->line == read->places[meaning->at].line && error->column == 3)
		return;
	snprintf(what, sizeof what, "found R%d at line %u: %.200s; wanted R%d at line %u",
		error->rule, error->line, error->text, meaning->rule,
		read->places[meaning->at].line);
	complain(seed, read, what);
}

static void check_program(uint64_t seed)
{
	static const struct random_shape shape = {.max_ranks = 6, .max_chunks = 3, .shards = true};
	struct random_program program;
	struct ordo_error error = {0};
	const struct ordo_request request = {.topology = NULL};
	uint64_t random = seed;
	char *text = NULL;
	size_t size;
	random_program(&program, &shape, seed);
	struct ordo_moves *moves = begin(&program, &random);
	for (uint32_t i = below(&random, 4); i > 0; i--)
		change(moves, &random);
	FILE *out = open_memstream(&text, &size);
	if (!out || !ordo_moves_print(moves, out, NULL) || fclose(out))
		abort();
	struct ordo_moves *read = ordo_moves_read_text(text, size, "random", &error);
	if (!read) {
		complain(seed, moves, error.text);
	} else {
		const struct meaning meaning = mean(moves);
		struct ordo_schedule *schedule = ordo_compile_moves(read, &request, &error);
		if (schedule && !meaning.is_result)
			complain(seed, read, "is compiled, but does not do what is wanted");
		else if (!schedule && meaning.is_result)
			complain(seed, read, error.text);
		else if (schedule)
			check_sound(seed, read, &meaning, schedule);
		else
			check_refused(seed, read, &meaning, &error);
		ordo_schedule_destroy(schedule);
	}
	free(text);
	ordo_moves_destroy(read);
	ordo_moves_destroy(moves);
}

int main(int argc, char **argv)
{
	const uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 400,
		       first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	for (uint64_t i = 0; i < count; i++)
		check_program(first + i);
	printf("%u sound, %u refused at a move, %u that do not do what is wanted\n", found.sound,
		found.refused, found.incomplete);
	for (int rule = 2; rule <= 12; rule++)
		if (found.by_rule[rule])
			printf("R%d: %u\n", rule, found.by_rule[rule]);
	/* The walk must get everywhere. */
	return found.wrong || found.sound < count / 8 || found.refused < count / 8 ||
	       !found.incomplete;
}
