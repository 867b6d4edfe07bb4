/* ordo.h - what a program needs that runs collectives: schedules and plan sets read from documents
 * or compiled in, communicators, and calls by name.
 *
 * Beside it: <ordo/compiler.h> makes schedules, <ordo/verify.h> proves them, <ordo/topology.h>
 * describes the links they use.
 *
 * Headers under ordo/detail/ are internal: they are installed for one release, and may change or go
 * with the next. So are their old places: <ordo/order.h> includes <ordo/detail/order.h>.
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
