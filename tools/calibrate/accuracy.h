/* accuracy.h - predicted against measured: how far a calibrated prediction is from what threads
 * then take. */
#ifndef ORDO_TOOLS_CALIBRATE_ACCURACY_H
#define ORDO_TOOLS_CALIBRATE_ACCURACY_H

#include "base/report.h"
#include "costs.h"

/* Runs several operators by several algorithms, at every size that was calibrated, and prints (or
 * adds as "check") what was predicted with the document, what with the costs of that size, what was
 * measured, and the errors. false: call->status. */
bool check_calibration(struct call *call, const struct calibration *calibration);

#endif
