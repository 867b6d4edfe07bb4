/* bounds.h - lower bounds on the time of any schedule of an operator. Private to predict/. */
#ifndef ORDO_PREDICT_BOUNDS_H
#define ORDO_PREDICT_BOUNDS_H

#include <ordo/predict.h>

/* The bounds of a problem with `bytes` in a rank's larger buffer; block_bytes [nblock]: those of
 * unequal blocks, or NULL. The caller frees cut_ranks. false: no memory. */
bool ordo_bounds_make(struct ordo_time_bounds *bounds, const struct ordo_problem *problem,
	double bytes, const double *block_bytes, const struct ordo_predict_options *options,
	struct ordo_error *error);

#endif
