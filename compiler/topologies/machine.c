/* machine.c - what is assumed of a machine whose topology does not say it. */
#include <ordo/predict.h>

struct ordo_machine ordo_machine_usual(void)
{
	return (struct ordo_machine){
		.latency_ns = 1000, .bandwidth_gbs = 56, .reduce_bandwidth_gbs = 195};
}
