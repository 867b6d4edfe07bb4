/* compiled_in.c - sums the vectors of four ranks by a schedule that `ordo embed` made C of: no document is read, and no JSON linked. */
#include "ring_4.h"
#include <ordo/runtime.h>
#include <stdio.h>

#define NRANK 4
#define COUNT 1000

int main(void)
{
	static float input[NRANK][COUNT], output[NRANK][COUNT];
	struct ordo_error error;
	const struct ordo_plan_options options = {.type = ORDO_F32, .reduction = ORDO_SUM, .count = COUNT};
	struct ordo_plan *plan = ordo_plan_create(&ring_4, &options, &error);
	bool worked = plan;
	for (uint32_t rank = 0; worked && rank < NRANK; rank++) {
		for (int i = 0; i < COUNT; i++)
			input[rank][i] = (float)(rank + 1);
		worked = ordo_plan_bind(plan, rank, input[rank], output[rank], &error);
	}
	worked = worked && ordo_plan_run_threads(plan, 0, &error);
	if (worked)
		printf("1 + 2 + 3 + 4 = %g\n", (double)output[NRANK - 1][COUNT - 1]);
	else
		fprintf(stderr, "%s\n", error.text);
	ordo_plan_destroy(plan);
	return !worked;
}
