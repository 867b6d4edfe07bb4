/* compiled_in.c - sums the vectors of four ranks by a schedule that `ordo embed` made C of: no document is read, and no JSON linked. */
#include "ring_4.h"
#include <ordo/communicator.h>
#include <stdio.h>

#define NRANK 4
#define COUNT 1000

int main(void)
{
	static float input[NRANK][COUNT], output[NRANK][COUNT];
	struct ordo_error error;
	struct ordo_part parts[NRANK];
	const struct ordo_communicator_options ranks = {.nrank = NRANK};
	const struct ordo_plan_options options = {.type = ORDO_F32, .reduction = ORDO_SUM, .count = COUNT};
	struct ordo_communicator *communicator = ordo_communicator_create(&ranks, &error);
	struct ordo_collective *collective =
		communicator ? ordo_collective_create(&ring_4, &options, &error) : NULL;
	for (uint32_t rank = 0; rank < NRANK; rank++) {
		for (int i = 0; i < COUNT; i++)
			input[rank][i] = (float)(rank + 1);
		parts[rank] = (struct ordo_part){
			.collective = collective, .input = input[rank], .output = output[rank]};
	}
	const bool worked = collective && ordo_communicator_run_all(communicator, parts, &error);
	if (worked)
		printf("1 + 2 + 3 + 4 = %g\n", (double)output[NRANK - 1][COUNT - 1]);
	else
		fprintf(stderr, "%s\n", error.text);
	ordo_communicator_destroy(communicator);
	ordo_collective_destroy(collective);
	return !worked;
}
