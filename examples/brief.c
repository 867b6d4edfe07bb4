/* brief.c - the least there is to write: four vectors, summed by a schedule, every rank driven by one call. */
#include <ordo/communicator.h>
#include <ordo/document.h>
#include <stdio.h>

int main(void)
{
	static float in[4][1000] = {{1}, {2}, {3}, {4}}, out[4][1000];
	const struct ordo_plan_options options = {.type = ORDO_F32, .reduction = ORDO_SUM, .count = 1000};
	const struct ordo_communicator_options size = {.nrank = 4};
	struct ordo_error error;
	struct ordo_schedule *schedule = ordo_schedule_read("allreduce-ring-4.json", NULL, &error);
	struct ordo_collective *sum = schedule ? ordo_collective_create(schedule, &options, &error) : NULL;
	struct ordo_communicator *ranks = sum ? ordo_communicator_create(&size, &error) : NULL;
	struct ordo_part parts[4];
	for (int r = 0; r < 4; r++)
		parts[r] = (struct ordo_part){.collective = sum, .input = in[r], .output = out[r]};
	const bool worked = ranks && ordo_communicator_run_all(ranks, parts, &error);
	if (worked)
		printf("1 + 2 + 3 + 4 = %g\n", (double)out[3][0]);
	else
		fprintf(stderr, "%s\n", error.text);
	ordo_communicator_destroy(ranks);
	ordo_collective_destroy(sum);
	ordo_schedule_destroy(schedule);
	return !worked;
}
