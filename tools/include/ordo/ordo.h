/* ordo.h - everything a program needs: schedules are read or compiled, proved, predicted and run.
 *
 *   collectives.h    AllReduce and its like, each in one call
 *   communicator.h   collectives of one process: made, started, waited for, aborted
 *   plan_set.h       which of several schedules is used at which size
 *   document.h       schedules and topologies, read and written
 *   compiler.h       schedules made from a problem, an algorithm and a topology
 *   verify.h         schedules proved or refuted, and their reduction trees
 *   predict.h        the time that a schedule takes on a topology
 *   topology.h       links between ranks, and links that are down
 *   element.h        types and reductions
 *   error.h          why something did not work
 *
 * Beside it, <ordo/builder.h> is for those who write algorithms, and <ordo/exact.h> for programs
 * that add up elements themselves, so that bits do not depend on the number of ranks. Headers
 * under ordo/detail/ are internal. Included by its own name, each header above also declares the
 * internal functions that it declared before they were internal, for one release; included from
 * here it does not. The old paths of headers that moved to ordo/detail/ stay as long:
 * <ordo/order.h>.
 *
 * libordo-runtime has all of it but compiler.h, predict.h and builder.h.
 *
 * What holds of every function: an error may be NULL; a pointer that a function returns belongs to
 * the library unless its comment says that the caller destroys it; functions may be called from any
 * number of threads at once, on objects that no other thread changes or destroys; none prints,
 * exits or reads the environment.
 */
#ifndef ORDO_ORDO_H
#define ORDO_ORDO_H

#define ORDO_EMBEDDER
#include <ordo/collectives.h>
#include <ordo/communicator.h>
#include <ordo/compiler.h>
#include <ordo/document.h>
#include <ordo/element.h>
#include <ordo/error.h>
#include <ordo/float_mode.h>
#include <ordo/memory.h>
#include <ordo/plan_set.h>
#include <ordo/predict.h>
#include <ordo/runtime.h>
#include <ordo/topology.h>
#include <ordo/verify.h>
#include <ordo/version.h>
#undef ORDO_EMBEDDER

#endif
