/* embed.c - reads a schedule for four ranks from a document and sums their vectors, on a thread a rank. */
#include <ordo/document.h>
#include <ordo/runtime.h>
#include <stdio.h>

#define NRANK 4
#define COUNT 1000

int main(int argc, char **argv)
{
	static float input[NRANK][COUNT], output[NRANK][COUNT];
	char text[2048];
	struct ordo_error error = {.text = "usage: embed SCHEDULE"};
	struct ordo_plan_options options = {.type = ORDO_F32, .reduction = ORDO_SUM, .count = COUNT};
	struct ordo_schedule *schedule = argc == 2 ? ordo_schedule_read(argv[1], NULL, &error) : NULL;
	struct ordo_plan *plan = schedule ? ordo_plan_create(schedule, &options, &error) : NULL;
	bool worked = plan;
	for (uint32_t rank = 0; worked && rank < NRANK; rank++) {
		for (int i = 0; i < COUNT; i++)
			input[rank][i] = (float)(rank + 1);
		worked = ordo_plan_bind(plan, rank, input[rank], output[rank], &error);
	}
	worked = worked && ordo_plan_run_threads(plan, 0, &error);
	if (worked)
		printf("1 + 2 + 3 + 4 = %g\n", (double)output[NRANK - 1][COUNT - 1]);
	else if (ordo_error_print(&error, text, sizeof text))
		fprintf(stderr, "%s\n", text);
	ordo_plan_destroy(plan);
	ordo_schedule_destroy(schedule);
	return !worked;
}
