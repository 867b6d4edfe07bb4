/* bounds.h - what no schedule of an operator can be faster than. Private to predict/. */
#ifndef ORDO_PREDICT_BOUNDS_H
#define ORDO_PREDICT_BOUNDS_H

#include <ordo/predict.h>

/* Of a problem with so many bytes in one rank's larger buffer. cut_ranks is to be freed. false: no
 * memory. */
bool ordo_bounds_make(struct ordo_time_bounds *bounds, const struct ordo_problem *problem,
	double bytes, const struct ordo_predict_options *options, struct ordo_error *error);

#endif
