/* ordo.h - everything a program needs to run collectives: schedules and plan sets, read from
 * documents or compiled in, communicators, and calls by name.
 *
 * See also <ordo/compiler.h>, which makes schedules, <ordo/verify.h>, which proves them, and
 * <ordo/topology.h>, which describes their links.
 *
 * Headers under ordo/detail/ are internal: they are installed for one release, and the next may
 * change or remove them. The same holds for their old paths: <ordo/order.h> includes
 * <ordo/detail/order.h>.
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
