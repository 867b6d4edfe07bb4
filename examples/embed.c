/* embed.c - reads a schedule for four ranks from a document and sums their vectors, each rank
 * calling on its own thread. */
#include <ordo/ordo.h>
#include <pthread.h>

#define NRANK 4
#define COUNT 1000

struct rank {
	pthread_t thread;
	struct ordo_communicator *communicator;
	uint32_t number;
	float input[COUNT], output[COUNT];
	struct ordo_error error;
};

static void *run_rank(void *argument)
{
	struct rank *rank = argument;
	for (int i = 0; i < COUNT; i++)
		rank->input[i] = (float)(rank->number + 1);
	return ordo_allreduce(rank->communicator, rank->number, rank->input, rank->output, COUNT,
		       ORDO_F32, ORDO_SUM, &rank->error)
		       ? NULL
		       : rank;
}

static bool run_ranks(
	struct ordo_communicator *communicator, struct rank *ranks, struct ordo_error *error)
{
	bool worked = true;
	for (uint32_t i = 0; i < NRANK; i++) {
		ranks[i].communicator = communicator;
		ranks[i].number = i;
		if (pthread_create(&ranks[i].thread, NULL, run_rank, &ranks[i]))
			return ordo_fail(error, ORDO_ENVIRONMENT, 0, "no more threads");
	}
	for (uint32_t i = 0; i < NRANK; i++) {
		void *failed;
		pthread_join(ranks[i].thread, &failed);
		if (failed)
			*error = ranks[i].error;
		worked = worked && !failed;
	}
	return worked;
}

int main(int argc, char **argv)
{
	static struct rank ranks[NRANK];
	struct ordo_error error = {.text = "usage: embed SCHEDULE"};
	const struct ordo_communicator_options options = {.nrank = NRANK};
	struct ordo_communicator *communicator =
		argc == 2 ? ordo_communicator_create(&options, &error) : NULL;
	const bool worked = communicator &&
			    ordo_communicator_bind_document(communicator, argv[1], &error) &&
			    run_ranks(communicator, ranks, &error);
	if (worked)
		printf("1 + 2 + 3 + 4 = %g\n", (double)ranks[NRANK - 1].output[COUNT - 1]);
	else
		ordo_error_write(&error, stderr);
	ordo_communicator_destroy(communicator);
	return !worked;
}
