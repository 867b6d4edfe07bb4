/* test_large.c - more ranks and streams than the verifier asks about in one pass: who has entered,
 * who has left, and what comes before what, is right for all of them.
 */
#include <ordo/compiler.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Three passes of 512, the last one not full. */
enum { NRANK = 1100, NSAMPLE = 6 };

static struct ordo_schedule *compile(const char *algorithm, enum ordo_operator op)
{
	struct ordo_error error;
	const struct ordo_request request = {.problem = {.op = op, .nrank = NRANK, .nshard = NRANK},
		.algorithm = algorithm,
		.unproved = true};
	struct ordo_schedule *schedule = ordo_compile(&request, &error);
	if (!schedule)
		fail_msg("%s: %s", algorithm, error.text);
	return schedule;
}

static struct ordo_proof *prove(const struct ordo_schedule *schedule)
{
	struct ordo_error error;
	struct ordo_proof *proof = ordo_verify(schedule, NULL, &error);
	if (!proof)
		fail_msg("%s", error.text);
	return proof;
}

/* The other half of a Notify or Wait: the first or the last of its kind on that signal. */
static uint32_t other_half(const struct ordo_schedule *schedule, uint32_t id, bool last)
{
	const struct ordo_task *task = &schedule->tasks[id];
	const uint32_t rank = schedule->streams[ordo_stream_of(schedule, id)].rank;
	const struct ordo_program *program = &schedule->programs[task->peer];
	uint32_t found = ORDO_NONE;
	for (uint32_t s = program->first_stream; s < program->end_stream; s++)
		for (uint32_t i = schedule->streams[s].first; i < schedule->streams[s].end; i++) {
			const struct ordo_task *other = &schedule->tasks[i];
			if (!ordo_task_moves(other) && other->kind != task->kind &&
				other->peer == rank && other->signal == task->signal &&
				(found == ORDO_NONE || last))
				found = i;
		}
	assert_int_not_equal(found, ORDO_NONE);
	return found;
}

static struct ordo_schedule *without(const struct ordo_schedule *schedule, uint32_t a, uint32_t b)
{
	struct ordo_error error;
	struct ordo_schedule *less =
		ordo_schedule_create(&schedule->problem, schedule->algorithm, &error);
	assert_non_null(less);
	less->scratch_slots = schedule->scratch_slots;
	for (uint32_t s = 0; s < schedule->nstream; s++) {
		const struct ordo_stream *stream = &schedule->streams[s];
		assert_true(ordo_schedule_begin_stream(less, stream->rank, stream->name, &error));
		for (uint32_t id = stream->first; id < stream->end; id++) {
			struct ordo_task task = schedule->tasks[id];
			task.phase = ORDO_NO_PHASE;
			if (id != a && id != b)
				assert_true(ordo_schedule_append(less, &task, &error));
		}
	}
	return less;
}

/* Rule 9 must be the one that is broken without this pair, about the rank whose word is missing. */
static void refuse_without(const struct ordo_schedule *schedule, uint32_t id, bool last)
{
	char where[256];
	ordo_task_locate(schedule, id, where, sizeof where);
	struct ordo_schedule *less = without(schedule, id, other_half(schedule, id, last));
	struct ordo_proof *proof = prove(less);
	if (proof->proved || proof->findings[0].rule != 9)
		fail_msg("without %s: %s", where,
			proof->proved ? "proved" : proof->findings[0].text);
	char rank[64];
	snprintf(rank, sizeof rank,
		last ? "rank %u, which may have left" : "rank %u, which may not have entered",
		schedule->streams[ordo_stream_of(schedule, id)].rank);
	if (!strstr(proof->findings[0].text, rank))
		fail_msg("without %s: %s", where, proof->findings[0].text);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(less);
}

/* Certificates leave most ranks to be asked about here. */
static void test_proved(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = compile("nhr", ORDO_ALLREDUCE);
	struct ordo_proof *proof = prove(schedule);
	assert_true(proof->proved);
	assert_true(proof->order_swept > 4 * NRANK);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
}

/* Streams that begin with a Notify tell that their rank has entered. */
static void test_entering(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = compile("nhr", ORDO_ALLGATHER);
	struct ordo_proof *proof = prove(schedule);
	assert_true(proof->proved && proof->order_swept);
	ordo_proof_destroy(proof);
	uint32_t count = 0;
	for (uint32_t rank = 7; rank < NRANK; rank += NRANK / NSAMPLE) {
		const struct ordo_program *program = &schedule->programs[rank];
		for (uint32_t s = program->first_stream; s < program->end_stream; s++) {
			const uint32_t first = schedule->streams[s].first;
			if (schedule->tasks[first].kind != ORDO_NOTIFY)
				continue;
			refuse_without(schedule, first, false);
			count++;
			break;
		}
	}
	assert_true(count >= NSAMPLE / 2);
	ordo_schedule_destroy(schedule);
}

/* Streams that end with a Wait let their rank leave only when others are done with its memory. */
static void test_leaving(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = compile("nhr", ORDO_REDUCESCATTER);
	struct ordo_proof *proof = prove(schedule);
	assert_true(proof->proved && proof->order_swept);
	ordo_proof_destroy(proof);
	uint32_t count = 0;
	for (uint32_t rank = 11; rank < NRANK; rank += NRANK / NSAMPLE) {
		const struct ordo_program *program = &schedule->programs[rank];
		for (uint32_t s = program->first_stream; s < program->end_stream; s++) {
			const uint32_t last = schedule->streams[s].end - 1;
			if (schedule->tasks[last].kind != ORDO_WAIT)
				continue;
			refuse_without(schedule, last, true);
			count++;
			break;
		}
	}
	assert_true(count >= NSAMPLE / 2);
	ordo_schedule_destroy(schedule);
}

/* The Wait that takes the token of a Notify: as many on its signal precede it. */
static uint32_t taker_of(const struct ordo_schedule *schedule, uint32_t notify)
{
	const struct ordo_task *task = &schedule->tasks[notify];
	const struct ordo_stream *stream = &schedule->streams[ordo_stream_of(schedule, notify)];
	const struct ordo_program *program = &schedule->programs[task->peer];
	uint32_t left = 0;
	for (uint32_t i = stream->first; i < notify; i++)
		left += schedule->tasks[i].kind == ORDO_NOTIFY &&
			schedule->tasks[i].peer == task->peer &&
			schedule->tasks[i].signal == task->signal;
	for (uint32_t s = program->first_stream; s < program->end_stream; s++)
		for (uint32_t i = schedule->streams[s].first; i < schedule->streams[s].end; i++) {
			const struct ordo_task *other = &schedule->tasks[i];
			if (other->kind == ORDO_WAIT && other->peer == stream->rank &&
				other->signal == task->signal && !left--)
				return i;
		}
	fail_msg("no Wait takes the token");
	return ORDO_NONE;
}

/* Trees ask about long ago, of hundreds of streams, and no pair of Notify and Wait is superfluous:
 * without any one, an answer must be no, though the stream that is asked about did much since, and
 * lanes have followed others. */
static void test_long_ago(void **state)
{
	(void)state;
	struct ordo_error error;
	struct ordo_topology *topology = ordo_topology_make("hypercube", 32, &error);
	assert_non_null(topology);
	const struct ordo_request request = {
		.problem = {.op = ORDO_REDUCESCATTER, .nrank = 32, .nshard = 32},
		.algorithm = "packing(pieces=8)",
		.topology = topology,
		.unproved = true};
	struct ordo_schedule *schedule = ordo_compile(&request, &error);
	assert_non_null(schedule);
	struct ordo_proof *proof = prove(schedule);
	assert_true(proof->proved && proof->order_swept > 10 * schedule->nstream);
	ordo_proof_destroy(proof);
	for (uint32_t id = 0; id < schedule->ntask; id += schedule->ntask / 50) {
		uint32_t notify = id;
		while (notify < schedule->ntask && schedule->tasks[notify].kind != ORDO_NOTIFY)
			notify++;
		if (notify == schedule->ntask)
			break;
		struct ordo_schedule *less = without(schedule, notify, taker_of(schedule, notify));
		proof = prove(less);
		assert_false(proof->proved);
		ordo_proof_destroy(proof);
		ordo_schedule_destroy(less);
	}
	ordo_schedule_destroy(schedule);
	ordo_topology_destroy(topology);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_long_ago),
		cmocka_unit_test(test_proved),
		cmocka_unit_test(test_entering),
		cmocka_unit_test(test_leaving),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
