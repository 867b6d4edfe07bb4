/* compiled_in.c - sums the vectors of four ranks by a schedule that `ordo embed` turned into C:
 * reads no document, and links no JSON. */
#include "ring_4.h"
#include <ordo/ordo.h>

#define NRANK 4
#define COUNT 1000

int main(void)
{
	static float input[NRANK][COUNT], output[NRANK][COUNT];
	const void *inputs[NRANK];
	void *outputs[NRANK];
	struct ordo_error error;
	const struct ordo_communicator_options ranks = {.nrank = NRANK};
	struct ordo_communicator *communicator = ordo_communicator_create(&ranks, &error);
	for (int rank = 0; rank < NRANK; rank++) {
		for (int i = 0; i < COUNT; i++)
			input[rank][i] = (float)(rank + 1);
		inputs[rank] = input[rank];
		outputs[rank] = output[rank];
	}
	const bool worked = communicator && ordo_communicator_bind(communicator, &ring_4, &error) &&
			    ordo_allreduce_all(communicator, inputs, outputs, COUNT, ORDO_F32,
				    ORDO_SUM, &error);
	if (worked)
		printf("1 + 2 + 3 + 4 = %g\n", (double)output[NRANK - 1][COUNT - 1]);
	else
		ordo_error_write(&error, stderr);
	ordo_communicator_destroy(communicator);
	return !worked;
}
