/* test_bench_hand.c - the hand-written collectives, which the library is held against, are right;
 * and a wrong one is seen. */
#include "hand.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka.h needs the four above it. */
#include <cmocka.h>
#include <stdio.h>

struct job {
	struct team team;
	struct cell cell;
	struct owner owners[TEAM_MOST];
	float *inputs[TEAM_MOST], *outputs[TEAM_MOST];
};

static void call_often(void *closure, uint32_t thread)
{
	struct job *job = closure;
	const uint32_t nrank = job->cell.nrank, nthread = job->team.nthread;
	for (int call = 0; call < 5; call++) {
		for (uint32_t rank = nrank * thread / nthread;
			rank < nrank * (thread + 1) / nthread; rank++)
			owner_touch(&job->owners[rank], call > 0);
		hand_collective(&job->team, thread, &job->cell, job->inputs, job->outputs);
	}
}

/* Wrong outputs of a few calls; spoil: one element is changed after the last. */
static uint64_t wrong_outputs(const char *text, uint32_t nrank, uint32_t nthread, bool spoil)
{
	static struct job job;
	assert_true(cell_read(text, nrank, &job.cell));
	team_init(&job.team, nthread);
	for (uint32_t rank = 0; rank < nrank; rank++) {
		assert_true(owner_create(&job.owners[rank], &job.cell, rank));
		job.inputs[rank] = job.owners[rank].input;
		job.outputs[rank] = job.owners[rank].output;
	}
	assert_true(team_run(&job.team, call_often, &job));
	if (spoil)
		job.outputs[nrank - 1][cell_output_count(&job.cell, nrank - 1) - 1] += 1;
	uint64_t nwrong = 0;
	for (uint32_t rank = 0; rank < nrank; rank++) {
		owner_check(&job.owners[rank]);
		nwrong += job.owners[rank].nwrong;
		if (spoil)
			owner_touch(&job.owners[rank], true);
		nwrong += job.owners[rank].nwrong;
		owner_destroy(&job.owners[rank]);
	}
	return nwrong;
}

static void every_operator_is_right(void **state)
{
	(void)state;
	const uint64_t bytes[] = {4, 8, 252, 256, 260, 4100, 70000};
	for (int op = 0; op < CELL_NOPERATOR; op++)
		for (size_t i = 0; i < sizeof(bytes) / sizeof(*bytes); i++)
			for (uint32_t nrank = 1; nrank <= 5; nrank++)
				for (uint32_t nthread = 1; nthread <= 3 && nthread <= nrank;
					nthread++) {
					char text[64];
					snprintf(text, sizeof(text), "%s:%llu",
						cell_operator_name((enum cell_operator)op),
						(unsigned long long)bytes[i]);
					if (wrong_outputs(text, nrank, nthread, false))
						fail_msg("%s, %u ranks on %u threads", text, nrank,
							nthread);
				}
}

static void results_past_the_caches_are_right(void **state)
{
	(void)state;
	assert_int_equal(wrong_outputs("AllReduce:12582920", 3, 2, false), 0);
}

static void a_wrong_element_is_seen(void **state)
{
	(void)state;
	for (int op = 0; op < CELL_NOPERATOR; op++) {
		char text[64];
		snprintf(text, sizeof(text), "%s:4096", cell_operator_name((enum cell_operator)op));
		/* Once by the comparison, and then, of the same rank, by that and by the
		 * checksum. */
		assert_int_equal(wrong_outputs(text, 4, 2, true), 3);
	}
}

static void traffic_is_what_must_move(void **state)
{
	(void)state;
	const struct {
		const char *text;
		uint64_t vectors; /* of 4,096 bytes, times 8 ranks */
	} rows[] = {{"AllReduce:4096", 2 * 8 * 8}, {"ReduceScatter:4096", 9 * 8},
		{"AllGather:4096", 9 * 8}, {"Broadcast:4096", 8 * 8}, {"AllToAll:4096", 2 * 8 * 8}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct cell cell;
		assert_true(cell_read(rows[i].text, 8, &cell));
		assert_int_equal(cell_traffic(&cell), rows[i].vectors * 4096 / 8);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_operator_is_right),
		cmocka_unit_test(results_past_the_caches_are_right),
		cmocka_unit_test(a_wrong_element_is_seen),
		cmocka_unit_test(traffic_is_what_must_move),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
