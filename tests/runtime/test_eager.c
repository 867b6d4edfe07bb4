/* test_eager.c - calls of a few bytes, in moments that no schedule of threads can be relied on to
 * meet: seen from inside.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants those before it. */
#include "communicator/call.h"
#include "communicator/eager.h"
#include "exchanges.h"
#include <cmocka.h>
#include <string.h>

#define NRANK 3

/* A communicator of three ranks and an AllReduce of so many i32. */
struct trio {
	struct ordo_schedule *schedule;
	struct ordo_collective *collective;
	struct ordo_communicator *communicator;
	int32_t inputs[NRANK][64], outputs[NRANK][64];
};

static void open_trio(struct trio *trio, uint64_t count, uint32_t depth)
{
	const struct ordo_plan_options options = {.type = ORDO_I32, .count = count};
	const struct ordo_communicator_options wanted = {
		.nrank = NRANK, .depth = depth, .deadline_ms = 2000};
	memset(trio, 0, sizeof *trio);
	trio->schedule = exchange_ring(NRANK, false, true);
	trio->collective = ordo_collective_create(trio->schedule, &options, NULL);
	trio->communicator = ordo_communicator_create(&wanted, NULL);
	assert_non_null(trio->collective);
	assert_non_null(trio->communicator);
}

static void close_trio(struct trio *trio)
{
	ordo_communicator_destroy(trio->communicator);
	ordo_collective_destroy(trio->collective);
	ordo_schedule_destroy(trio->schedule);
}

static struct ordo_ticket start(struct trio *trio, uint32_t rank, int32_t value)
{
	const struct ordo_part part = {.collective = trio->collective,
		.input = trio->inputs[rank],
		.output = trio->outputs[rank]};
	struct ordo_ticket ticket = {0};
	struct ordo_error error;
	trio->inputs[rank][0] = value;
	trio->outputs[rank][0] = -1;
	if (!ordo_communicator_start(trio->communicator, rank, &part, &ticket, &error))
		fail_msg("rank %u: %s", rank, error.text);
	return ticket;
}

static enum ordo_call_state test(struct trio *trio, struct ordo_ticket ticket)
{
	return ordo_communicator_test(trio->communicator, &ticket, NULL);
}

/* A seat settles its ends only when they change: from none at all to the first collective of the
 * process, and from two buffers to one, too. */
static void ends_that_change_are_settled(void **state)
{
	(void)state;
	struct trio trio;
	struct ordo_ticket tickets[NRANK];
	struct ordo_error error;
	open_trio(&trio, 4, 2);
	struct ordo_part part = {.collective = trio.collective};
	assert_false(ordo_communicator_start(trio.communicator, 0, &part, &tickets[0], &error));
	assert_non_null(strstr(error.text, "is NULL"));
	for (uint32_t rank = 0; rank < NRANK; rank++)
		tickets[rank] = start(&trio, rank, 1);
	for (uint32_t rank = 0; rank < NRANK; rank++)
		assert_true(ordo_communicator_wait(trio.communicator, &tickets[rank], NULL));
	for (uint32_t rank = 0; rank < NRANK; rank++) {
		part.input = trio.inputs[rank];
		assert_true(ordo_communicator_start(
			trio.communicator, rank, &part, &tickets[rank], NULL));
	}
	for (uint32_t rank = 0; rank < NRANK; rank++) {
		assert_true(ordo_communicator_wait(trio.communicator, &tickets[rank], NULL));
		assert_int_equal(trio.outputs[rank][0], NRANK);
		assert_int_equal(trio.inputs[rank][0], NRANK);
	}
	close_trio(&trio);
}

/* The limit of what is short: a rank's part holds it. */
static void what_fits_a_part_is_short(void **state)
{
	(void)state;
	struct trio trio;
	for (uint64_t count = 0; count <= 2 * EAGER_INPUT_BYTES / sizeof(int32_t); count++) {
		open_trio(&trio, count, 4);
		assert_int_equal(
			trio.collective->is_eager, count * sizeof(int32_t) <= EAGER_INPUT_BYTES);
		close_trio(&trio);
	}
	/* No line more than the two that a part has. */
	assert_true(sizeof(struct arrival) <= 2 * CACHE_LINE);
}

/* Rank 2 started a call that is complete, and has not asked about it when the others come to the
 * next one, in the same place. */
static void what_was_told_is_read_before_it_is_written_over(void **state)
{
	(void)state;
	struct trio trio;
	open_trio(&trio, 1, 1);
	const struct ordo_ticket slow = start(&trio, 2, 100);
	for (uint32_t r = 0; r < 2; r++)
		start(&trio, r, 1);
	assert_int_equal(trio.outputs[2][0], -1);
	for (uint32_t r = 0; r < 2; r++)
		start(&trio, r, 5000);
	assert_int_equal(test(&trio, slow), ORDO_OVER);
	assert_int_equal(trio.outputs[2][0], 102);
	const struct ordo_ticket last = start(&trio, 2, 100);
	assert_int_equal(test(&trio, last), ORDO_OVER);
	assert_int_equal(trio.outputs[2][0], 10100);
	close_trio(&trio);
}

/* Once a rank has given up, one that is on its way cannot come any more: otherwise a third one
 * could see all announced. */
static void who_gives_up_keeps_the_missing_one_away(void **state)
{
	(void)state;
	struct trio trio;
	open_trio(&trio, 1, 4);
	const struct ordo_ticket first = start(&trio, 0, 1), second = start(&trio, 1, 1);
	ordo_eager_give_up(trio.communicator, 0, 0, 5);
	assert_false(ordo_eager_announce(trio.communicator, slot_of(trio.communicator, 0), 0, 2));
	assert_int_equal(test(&trio, first), ORDO_FAILED);
	assert_int_equal(test(&trio, second), ORDO_FAILED);
	assert_int_equal(trio.outputs[0][0], -1);
	assert_int_equal(trio.outputs[1][0], -1);
	close_trio(&trio);
}

/* A call to which all have come can be given up by nobody, and works even if the communicator
 * breaks before some have asked. */
static void what_all_came_to_happens(void **state)
{
	(void)state;
	struct trio trio;
	struct ordo_ticket tickets[NRANK];
	open_trio(&trio, 1, 4);
	for (uint32_t r = 0; r < NRANK; r++)
		tickets[r] = start(&trio, r, 7);
	assert_int_equal(test(&trio, tickets[0]), ORDO_OVER);
	ordo_eager_give_up(trio.communicator, 0, 1, 5);
	assert_int_equal(atomic_load(&trio.communicator->broken), 0);
	ordo_communicator_abort(trio.communicator, 0, "after it");
	for (uint32_t r = 1; r < NRANK; r++) {
		assert_int_equal(test(&trio, tickets[r]), ORDO_OVER);
		assert_int_equal(trio.outputs[r][0], 21);
	}
	close_trio(&trio);
}

/* So it does if the reset comes before some have asked: their outputs are there, though their
 * tickets are void. */
static void a_reset_ends_what_all_came_to(void **state)
{
	(void)state;
	struct trio trio;
	open_trio(&trio, 1, 4);
	for (uint32_t r = 0; r < NRANK; r++)
		start(&trio, r, 7);
	ordo_communicator_abort(trio.communicator, 0, "after it");
	assert_true(ordo_communicator_reset(trio.communicator, NULL));
	for (uint32_t r = 0; r < NRANK; r++)
		assert_int_equal(trio.outputs[r][0], 21);
	close_trio(&trio);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_that_change_are_settled),
		cmocka_unit_test(what_fits_a_part_is_short),
		cmocka_unit_test(what_was_told_is_read_before_it_is_written_over),
		cmocka_unit_test(who_gives_up_keeps_the_missing_one_away),
		cmocka_unit_test(what_all_came_to_happens),
		cmocka_unit_test(a_reset_ends_what_all_came_to),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
