/* test_horizon.c - what streams may know is what they know: rows against lists of all that every
 * stream has learnt, at every position while it has waited few times, and at the last one always.
 * Rows of ranks say of a move what is known of any stream of its rank. With relays, other rows say
 * what is known for certain.
 */
#include "passes/order/order.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above. */
#include <cmocka.h>

/* Two streams a rank. */
enum { MOST_LANES = 12, NRANK = 6, MOST_MOVES = 400, ROWS = 8, FEW = 7 };

/* What a stream knows of the others: of each the last move, + 1. */
struct learnt {
	uint32_t since; /* the move that waited */
	uint32_t known[MOST_LANES];
};

struct program {
	struct ordo_sequence sequence;
	struct ordering ordering;
	struct ordo_move moves[MOST_MOVES];
	struct ordo_lane lanes[MOST_LANES];
	struct learnt learnt[MOST_LANES][MOST_MOVES]; /* one for each move that waited */
	uint32_t nlearnt[MOST_LANES];
};

static uint64_t seed = 1;

static uint32_t draw(uint32_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

/* Moves of streams drawn from the first `narrow` for half of them, then from all. */
static struct program *draw_program(uint32_t narrow, uint32_t nlane, uint32_t nmove)
{
	struct program *program = calloc(1, sizeof *program);
	assert_non_null(program);
	program->sequence.moves = program->moves;
	program->sequence.nmove = nmove;
	program->sequence.nlane = narrow;
	program->sequence.lanes = program->lanes;
	program->sequence.problem.nrank = NRANK;
	for (uint32_t i = 0; i < MOST_LANES; i++)
		program->lanes[i].rank = i % NRANK;
	program->ordering.sequence = &program->sequence;
	for (uint32_t i = 0; i < nmove; i++)
		program->moves[i].stream = draw(i < nmove / 2 ? narrow : nlane);
	assert_true(ordo_order_widen_horizons(&program->ordering, narrow));
	return program;
}

static void end(struct program *program)
{
	ordo_order_free_horizons(&program->ordering);
	ordo_order_free_knowledge(&program->ordering);
	ordo_cells_free(&program->ordering.accesses.cells);
	free(program);
}

/* NULL: it has not waited yet. */
static const struct learnt *learnt_at(
	const struct program *program, uint32_t lane, uint32_t position)
{
	uint32_t i = program->nlearnt[lane];
	while (i && program->learnt[lane][i - 1].since > position)
		i--;
	return i ? &program->learnt[lane][i - 1] : NULL;
}

static bool knows(const struct program *program, uint32_t lane, uint32_t position, uint32_t move)
{
	const struct learnt *at = learnt_at(program, lane, position);
	return at && at->known[program->moves[move].stream] > move;
}

/* As far as rows tell streams apart. */
static bool seems_to_know(
	const struct program *program, uint32_t lane, uint32_t position, uint32_t move)
{
	const struct learnt *at = learnt_at(program, lane, position);
	const uint32_t stream = program->moves[move].stream;
	const bool by_rank = program->ordering.horizons.by_rank;
	for (uint32_t i = 0; at && i < MOST_LANES; i++)
		if (at->known[i] > move &&
			(i == stream ||
				(by_rank && program->lanes[i].rank == program->lanes[stream].rank)))
			return true;
	return false;
}

static void learn(struct program *program, uint32_t from, uint32_t to)
{
	const uint32_t source = program->moves[from].stream, lane = program->moves[to].stream;
	const struct learnt *theirs = learnt_at(program, source, from);
	uint32_t *count = &program->nlearnt[lane];
	struct learnt *own = &program->learnt[lane][*count];
	if (*count && own[-1].since == to)
		own--;
	else if (++*count > 1)
		*own = own[-1];
	own->since = to;
	for (uint32_t i = 0; theirs && i < MOST_LANES; i++)
		own->known[i] = theirs->known[i] > own->known[i] ? theirs->known[i] : own->known[i];
	own->known[source] = from + 1 > own->known[source] ? from + 1 : own->known[source];
	ordo_order_learn(&program->ordering, from, to);
}

static bool may_know(const struct program *program, uint32_t lane, uint32_t position, uint32_t move)
{
	return ordo_order_ask(&program->ordering, lane, position, move) != ORDO_NO;
}

/* At a position, of all earlier moves of other streams. exactly: no more than it seems to know,
 * either. */
static void compare(const struct program *program, uint32_t lane, uint32_t position, bool exactly)
{
	for (uint32_t move = 0; move < position; move++) {
		if (program->moves[move].stream == lane)
			continue;
		const bool may = may_know(program, lane, position, move),
			   does = knows(program, lane, position, move);
		if (does ? !may : exactly && may != seems_to_know(program, lane, position, move))
			fail_msg("stream %u at %u, move %u: knows it %d, may %d", lane, position,
				move, does, may);
	}
}

/* A move waits for up to two of the `reach` moves before it. Where the rows of all streams still
 * say since when, rows are exact; where some wait more often, they may say too much of what was
 * known long ago. Returns at how many positions more than that was compared exactly. */
static uint32_t run(struct program *program, uint32_t nlane, uint32_t reach)
{
	const uint32_t nmove = program->sequence.nmove;
	uint32_t nexact = 0;
	for (uint32_t to = 1; to < nmove; to++) {
		const uint32_t lane = program->moves[to].stream;
		if (to == nmove / 2 && nlane > program->sequence.nlane) {
			program->sequence.nlane = nlane;
			assert_true(ordo_order_widen_horizons(&program->ordering, nlane));
		}
		for (uint32_t i = draw(3); i; i--) {
			const uint32_t from = to - 1 - draw(to < reach ? to : reach);
			if (program->moves[from].stream != lane)
				learn(program, from, to);
		}
		compare(program, lane, to, reach < ROWS);
		nexact += reach < ROWS;
	}
	return nexact;
}

static void rows_are_exact_while_streams_have_waited_few_times(void **state)
{
	(void)state;
	uint32_t ncompared = 0, nknown = 0, nby_rank = 0;
	for (uint32_t round = 0; round < 400; round++) {
		const uint32_t nlane = 2 + draw(MOST_LANES - 1), nmove = nlane * (2 + draw(5));
		struct program *program = draw_program(nlane, nlane, nmove);
		bool few = program->ordering.horizons.nlane;
		run(program, nlane, nmove);
		for (uint32_t lane = 0; lane < nlane; lane++)
			few = few && program->nlearnt[lane] <= FEW;
		for (uint32_t position = 1; few && position < nmove; position++) {
			ncompared++;
			nby_rank += program->ordering.horizons.by_rank;
			for (uint32_t lane = 0; lane < nlane; lane++) {
				compare(program, lane, position, true);
				nknown += knows(program, lane, position, 0);
			}
		}
		end(program);
	}
	assert_true(ncompared > 2000 && nby_rank > 500 && nknown > 500);
}

/* The streams that notify have waited fewer than ROWS times since. */
static void the_last_rows_are_exact_however_often_streams_wait(void **state)
{
	(void)state;
	uint32_t nexact = 0;
	for (uint32_t round = 0; round < 60; round++) {
		const uint32_t nlane = 2 + draw(MOST_LANES - 1);
		struct program *program = draw_program(nlane, nlane, 200 + draw(200));
		nexact += run(program, nlane, FEW);
		end(program);
	}
	assert_true(nexact > 10000);
}

static void what_is_known_may_be_known_however_long_ago(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < 60; round++) {
		const uint32_t nlane = 2 + draw(MOST_LANES - 1), nmove = 200 + draw(200);
		struct program *program = draw_program(nlane, nlane, nmove);
		run(program, nlane, nmove);
		for (uint32_t position = 1; position < nmove; position += 1 + draw(9))
			for (uint32_t lane = 0; lane < nlane; lane++)
				compare(program, lane, position, false);
		end(program);
	}
}

/* A stream that waits for a move of long ago learns nothing that is later than it. */
static void nothing_is_known_before_it_happens(void **state)
{
	(void)state;
	struct program *program = draw_program(3, 3, 100);
	for (uint32_t i = 0; i < 100; i++)
		program->moves[i].stream = i == 99 ? 2 : i % 2;
	/* Stream 1 waits for stream 0 at 3, 5, ..., 97. */
	for (uint32_t to = 3; to < 99; to += 2)
		learn(program, to - 1, to);
	learn(program, 41, 99);
	assert_true(may_know(program, 2, 99, 40));
	assert_true(may_know(program, 2, 99, 41));
	assert_false(may_know(program, 2, 99, 42));
	assert_false(may_know(program, 2, 99, 43));
	end(program);
}

static void more_streams_keep_what_was_known(void **state)
{
	(void)state;
	uint32_t nexact = 0;
	for (uint32_t round = 0; round < 60; round++) {
		const uint32_t narrow = 2 + draw(4), nlane = narrow + 1 + draw(MOST_LANES - narrow);
		struct program *program =
			draw_program(narrow, nlane < MOST_LANES ? nlane : MOST_LANES, 200);
		nexact += run(program, nlane < MOST_LANES ? nlane : MOST_LANES, FEW);
		end(program);
	}
	assert_true(nexact > 10000);
}

/* Then all may be known, and searches decide. */
static void there_are_no_rows_where_they_would_take_much_memory(void **state)
{
	(void)state;
	/* 64 bytes a move: rows of 5 streams take 800, with every rank 960. */
	for (uint32_t nmove = 12; nmove <= 13; nmove++) {
		struct program *program = draw_program(5, 5, nmove);
		program->moves[0].stream = 0;
		program->moves[1].stream = 1;
		assert_int_equal(program->ordering.horizons.nlane, nmove == 13 ? 5 : 0);
		assert_int_equal(may_know(program, 1, 1, 0), nmove == 12);
		ordo_order_learn(&program->ordering, 0, 1);
		assert_true(may_know(program, 1, 1, 0));
		end(program);
	}
	struct program *program = draw_program(2, 2, 100);
	program->sequence.nmove = 1u << 30;
	program->sequence.nlane = 2048;
	assert_true(ordo_order_widen_horizons(&program->ordering, 4096));
	assert_int_equal(program->ordering.horizons.nlane, 2048);
	program->sequence.nlane = 2049;
	assert_true(ordo_order_widen_horizons(&program->ordering, 4098));
	assert_int_equal(program->ordering.horizons.nlane, 0);
	/* From the beginning so many: rows of ranks, which may become more. */
	assert_true(ordo_order_widen_horizons(&program->ordering, 2049));
	assert_true(program->ordering.horizons.by_rank);
	assert_int_equal(program->ordering.horizons.nlane, 2049);
	assert_int_equal(program->ordering.horizons.width, NRANK);
	assert_true(ordo_order_widen_horizons(&program->ordering, 4098));
	assert_int_equal(program->ordering.horizons.nlane, 4098);
	assert_int_equal(program->ordering.horizons.width, NRANK);
	end(program);
}

/* Of all earlier moves: counts answers, by answer. certainly: searches decide about relays only. */
static void compare_answers(const struct program *program, uint32_t lane, uint32_t position,
	bool certainly, uint32_t answers[ORDO_UNKNOWN + 1])
{
	for (uint32_t move = 0; move < position; move++) {
		if (program->moves[move].stream == lane)
			continue;
		const enum ordo_answer answer =
			ordo_order_ask(&program->ordering, lane, position, move);
		const bool does = knows(program, lane, position, move);
		if (answer == ORDO_UNKNOWN ? certainly && !program->moves[move].relays
					   : does != (answer == ORDO_YES))
			fail_msg("stream %u at %u, move %u: knows it %d, answer %d", lane, position,
				move, does, answer);
		answers[answer]++;
	}
}

/* Streams that come later are for relays, and move no data. */
static struct program *draw_relays(uint32_t nmove)
{
	const uint32_t narrow = 2 + draw(6), nlane = narrow + draw(MOST_LANES + 1 - narrow);
	struct program *program = draw_program(narrow, nlane, nmove);
	struct ordering *o = &program->ordering;
	for (uint32_t i = 0; i < nmove; i++)
		program->moves[i].relays = !i || program->moves[i].stream >= narrow;
	const struct ordo_problem problem = {.op = ORDO_ALLREDUCE, .nrank = NRANK, .nshard = 1};
	assert_true(ordo_cells_make(&o->accesses.cells, &problem, 1, NULL));
	assert_true(ordo_order_begin_knowledge(o));
	assert_true(o->knowledge.width);
	/* A cell that is written at the end, by what knows nothing of its readers. */
	o->knowledge.last_write[0] = nmove + 1;
	memset(o->knowledge.after_read, 0xff, nmove);
	program->sequence.nlane = nlane;
	assert_true(ordo_order_widen_horizons(o, nlane));
	assert_true(ordo_order_add_knowledge(o));
	return program;
}

/* Each of the last `reach` moves reads the cell. certainly: there is room for all rows. */
static void run_relays(
	struct program *program, uint32_t reach, bool certainly, uint32_t answers[ORDO_UNKNOWN + 1])
{
	struct ordering *o = &program->ordering;
	for (uint32_t to = 0; to < program->sequence.nmove; to++) {
		for (uint32_t i = to ? draw(3) : 0; i; i--) {
			const uint32_t from = to - 1 - draw(to < reach ? to : reach);
			if (program->moves[from].stream != program->moves[to].stream)
				learn(program, from, to);
		}
		ordo_order_note_row(o, to);
		ordo_order_hold_row(o, 0, to, false);
		if (to >= reach)
			ordo_order_drop_row(o, 0, to - reach, false);
		for (uint32_t back = 0; back < reach && back <= to; back++)
			compare_answers(program, program->moves[to - back].stream, to - back,
				certainly, answers);
	}
}

static void with_relays_answers_are_certain_while_moves_are_readers(void **state)
{
	(void)state;
	uint32_t answers[ORDO_UNKNOWN + 1] = {0};
	for (uint32_t round = 0; round < 60; round++) {
		const uint32_t nmove = 200 + draw(200), reach = 1 + draw(2 * FEW);
		struct program *program = draw_relays(nmove);
		run_relays(program, reach, true, answers);
		for (uint32_t position = 1; position < nmove; position += 1 + draw(9))
			for (uint32_t lane = 0; lane < program->sequence.nlane; lane++)
				compare_answers(program, lane, position, false, answers);
		/* Rows are used again. */
		assert_true(
			program->ordering.knowledge.nrow <= program->sequence.nlane + reach + 2);
		end(program);
	}
	assert_true(answers[ORDO_NO] > 100000 && answers[ORDO_YES] > 100000);
}

/* Then answers are still right, but fewer. */
static void with_relays_little_room_leaves_questions_to_searches(void **state)
{
	(void)state;
	uint32_t answers[ORDO_UNKNOWN + 1] = {0};
	for (uint32_t round = 0; round < 60; round++) {
		const uint32_t nmove = 200 + draw(200), reach = 1 + draw(2 * FEW);
		struct program *program = draw_relays(nmove);
		struct knowledge *know = &program->ordering.knowledge;
		const uint32_t most = draw(8);
		know->bytes_left = most * know->width * sizeof(uint16_t);
		run_relays(program, reach, false, answers);
		assert_true(know->nrow <= most + 1);
		end(program);
	}
	assert_true(answers[ORDO_NO] > 2000 && answers[ORDO_YES] > 2000);
	assert_true(answers[ORDO_UNKNOWN] > 2000);
}

/* What is learnt from them is a part, and so is what others learn from that. */
static void with_relays_rows_that_are_not_kept_leave_questions_to_searches(void **state)
{
	(void)state;
	struct program *program = draw_relays(101);
	struct ordering *o = &program->ordering;
	for (uint32_t i = 0; i < 101; i++)
		program->moves[i] = (struct ordo_move){.stream = i % 2};
	for (uint32_t i = 0; i < 101; i++)
		o->knowledge.numbers[i] = (uint16_t)(i / 2 + 1);
	for (uint32_t to = 1; to < 99; to += 2) {
		learn(program, to - 1, to);
		ordo_order_note_row(o, to);
	}
	assert_int_equal(ordo_order_ask(o, 1, 51, 40), ORDO_UNKNOWN);
	assert_int_equal(ordo_order_ask(o, 1, 97, 40), ORDO_YES);
	assert_int_equal(ordo_order_ask(o, 1, 97, 98), ORDO_NO);
	learn(program, 51, 98);
	assert_int_equal(ordo_order_ask(o, 0, 98, 51), ORDO_YES);
	assert_int_equal(ordo_order_ask(o, 0, 98, 53), ORDO_UNKNOWN);
	learn(program, 98, 99);
	assert_int_equal(ordo_order_ask(o, 1, 99, 98), ORDO_YES);
	assert_int_equal(ordo_order_ask(o, 1, 99, 100), ORDO_UNKNOWN);
	end(program);
}

/* Rank 1 adds to rank 0, which adds that to rank 2 by move 2, and again by move 3 where `again`;
 * then something is written over it by move 4. A relay is needed to have rows. */
static struct program *draw_sums(bool again, struct ordo_move last)
{
	struct program *program = draw_program(NRANK, NRANK, 200);
	struct ordering *o = &program->ordering;
	const struct ordo_move sum = {.reduces = 1,
				       .count = 1,
				       .src_buffer = ORDO_OUTPUT,
				       .dst_buffer = ORDO_OUTPUT},
			       none = {.relays = 1, .stream = ORDO_NONE};
	for (uint32_t i = 0; i < 200; i++)
		program->moves[i] = none;
	program->moves[1] = program->moves[2] = program->moves[3] = sum;
	program->moves[1].rank = program->moves[1].stream = 1;
	program->moves[2].peer = program->moves[3].peer = 2;
	program->moves[3].src = !again;
	last.count = 1;
	last.rank = last.stream = 2;
	last.src_buffer = last.dst_buffer = ORDO_OUTPUT;
	program->moves[4] = last;
	const struct ordo_problem problem = {
		.op = ORDO_ALLREDUCE, .nrank = NRANK, .nshard = 1, .chunks_per_block = 2};
	assert_true(ordo_cells_make(&o->accesses.cells, &problem, 1, NULL));
	assert_true(ordo_order_begin_knowledge(o));
	assert_true(o->knowledge.width);
	return program;
}

/* How often the row of rank 0 is held when it has added to rank 2. */
static uint32_t held_by_reader(bool again, struct ordo_move last)
{
	struct program *program = draw_sums(again, last);
	struct ordering *o = &program->ordering;
	learn(program, 1, 2);
	ordo_order_note_row(o, 2);
	ordo_order_hold_row(o, ordo_cell(&o->accesses.cells, 0, ORDO_OUTPUT, 0), 2, false);
	const uint32_t nheld = o->knowledge.rows[o->knowledge.row_of[2]].nheld;
	assert_int_equal(ordo_order_is_last_read(o, 2), !again);
	end(program);
	return nheld;
}

static void with_relays_rows_of_sums_are_not_kept_for_results(void **state)
{
	(void)state;
	assert_int_equal(held_by_reader(false, (struct ordo_move){.reduces = 0}), 0);
	assert_int_equal(held_by_reader(true, (struct ordo_move){.reduces = 0}), 1);
	assert_int_equal(held_by_reader(false, (struct ordo_move){.reduces = 1}), 1);
	assert_int_equal(held_by_reader(false, (struct ordo_move){.chunk = 1}), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_exact_while_streams_have_waited_few_times),
		cmocka_unit_test(the_last_rows_are_exact_however_often_streams_wait),
		cmocka_unit_test(what_is_known_may_be_known_however_long_ago),
		cmocka_unit_test(nothing_is_known_before_it_happens),
		cmocka_unit_test(more_streams_keep_what_was_known),
		cmocka_unit_test(there_are_no_rows_where_they_would_take_much_memory),
		cmocka_unit_test(with_relays_answers_are_certain_while_moves_are_readers),
		cmocka_unit_test(with_relays_little_room_leaves_questions_to_searches),
		cmocka_unit_test(with_relays_rows_that_are_not_kept_leave_questions_to_searches),
		cmocka_unit_test(with_relays_rows_of_sums_are_not_kept_for_results),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
