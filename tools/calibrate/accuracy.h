/* accuracy.h - compares calibrated predictions with measured times. */
#ifndef ORDO_TOOLS_CALIBRATE_ACCURACY_H
#define ORDO_TOOLS_CALIBRATE_ACCURACY_H

#include "base/report.h"
#include "costs.h"

/* Runs several operators by several algorithms, at every calibrated size, and prints (or adds as
 * "check") the times predicted from the document and from the costs of that size, the measured
 * times, and the errors. false: call->status. */
bool check_calibration(struct call *call, const struct calibration *calibration);

#endif
