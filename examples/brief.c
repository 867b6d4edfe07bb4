/* brief.c - a minimal program: sums four vectors by a schedule, with one call for all ranks. */
#include <ordo/ordo.h>

int main(void)
{
	static float in[4][1000] = {{1}, {2}, {3}, {4}}, out[4][1000];
	const void *inputs[] = {in[0], in[1], in[2], in[3]};
	void *outputs[] = {out[0], out[1], out[2], out[3]};
	const struct ordo_communicator_options size = {.nrank = 4};
	struct ordo_error error;
	struct ordo_communicator *ranks = ordo_communicator_create(&size, &error);
	const bool worked =
		ranks && ordo_communicator_bind_document(ranks, "allreduce-ring-4.json", &error) &&
		ordo_allreduce_all(ranks, inputs, outputs, 1000, ORDO_F32, ORDO_SUM, &error);
	if (worked)
		printf("1 + 2 + 3 + 4 = %g\n", (double)out[3][0]);
	else
		ordo_error_write(&error, stderr);
	ordo_communicator_destroy(ranks);
	return !worked;
}
