/* predict_reference.h - predicted times a second time: one step after another, all rates anew in
 * each, nothing clever. */
#ifndef ORDO_TESTS_PREDICT_REFERENCE_H
#define ORDO_TESTS_PREDICT_REFERENCE_H

#include <ordo/schedule.h>
#include <ordo/topology.h>

/* When every task ends, ends[ntask], in seconds; moved[nlink]: bytes over every link. Bytes are
 * divisible, no cores are shared, and there is one way at most between two ranks: a link, links up
 * and down through switches, or round a ring of switches one way. Aborts where a task is stuck. */
void predict_reference(const struct ordo_schedule *schedule, const struct ordo_topology *topology,
	double bytes, double *ends, double *moved);

#endif
