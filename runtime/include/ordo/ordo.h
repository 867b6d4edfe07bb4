/* ordo.h - what a program needs that runs collectives: schedules and plan sets read from documents
 * or compiled in, communicators, and calls by name.
 *
 * Beside it: <ordo/compiler.h> makes schedules, <ordo/verify.h> and <ordo/order.h> judge them,
 * <ordo/predict.h> and <ordo/tune.h> say how long they take (all of libordo); <ordo/trace.h>
 * records what a plan did.
 */
#ifndef ORDO_ORDO_H
#define ORDO_ORDO_H

#include <ordo/collectives.h>
#include <ordo/communicator.h>
#include <ordo/document.h>
#include <ordo/error.h>
#include <ordo/plan_set.h>
#include <ordo/runtime.h>
#include <ordo/version.h>

#endif
