/* embed.c - reads a schedule for four ranks from a document and sums their vectors, each rank calling on its own thread. */
#include <ordo/communicator.h>
#include <ordo/document.h>
#include <pthread.h>
#include <stdio.h>

#define NRANK 4
#define COUNT 1000

static struct ordo_communicator *communicator;
static struct ordo_collective *collective;
static float input[NRANK][COUNT], output[NRANK][COUNT];
static struct ordo_error errors[NRANK];

static void *run_rank(void *number)
{
	const uint32_t rank = *(const uint32_t *)number;
	const struct ordo_part part = {
		.collective = collective, .input = input[rank], .output = output[rank]};
	for (int i = 0; i < COUNT; i++)
		input[rank][i] = (float)(rank + 1);
	return ordo_communicator_run(communicator, rank, &part, &errors[rank]) ? NULL : &errors[rank];
}

static bool run_ranks(struct ordo_error *error)
{
	pthread_t threads[NRANK];
	uint32_t ranks[NRANK];
	bool worked = true;
	for (uint32_t rank = 0; rank < NRANK; rank++) {
		ranks[rank] = rank;
		if (pthread_create(&threads[rank], NULL, run_rank, &ranks[rank]))
			return ordo_fail(error, ORDO_ENVIRONMENT, 0, "no more threads");
	}
	for (uint32_t rank = 0; rank < NRANK; rank++) {
		void *failed;
		pthread_join(threads[rank], &failed);
		if (failed)
			*error = errors[rank];
		worked = worked && !failed;
	}
	return worked;
}

int main(int argc, char **argv)
{
	char text[2048];
	struct ordo_error error = {.text = "usage: embed SCHEDULE"};
	const struct ordo_plan_options options = {.type = ORDO_F32, .reduction = ORDO_SUM, .count = COUNT};
	const struct ordo_communicator_options ranks = {.nrank = NRANK};
	struct ordo_schedule *schedule = argc == 2 ? ordo_schedule_read(argv[1], NULL, &error) : NULL;
	collective = schedule ? ordo_collective_create(schedule, &options, &error) : NULL;
	communicator = collective ? ordo_communicator_create(&ranks, &error) : NULL;
	const bool worked = communicator && run_ranks(&error);
	if (worked)
		printf("1 + 2 + 3 + 4 = %g\n", (double)output[NRANK - 1][COUNT - 1]);
	else if (ordo_error_print(&error, text, sizeof text))
		fprintf(stderr, "%s\n", text);
	ordo_communicator_destroy(communicator);
	ordo_collective_destroy(collective);
	ordo_schedule_destroy(schedule);
	return !worked;
}
