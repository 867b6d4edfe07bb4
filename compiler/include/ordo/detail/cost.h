/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* cost.h - how long an algorithm takes, in closed form: a line over the number of bytes.
 *
 *   seconds(n) = steps * latency + n/parts * (wire * seconds a byte on a link + reduced * seconds a
 *   byte added)
 *
 * n is the bytes of one rank's vector: of its larger buffer, as `ordo run --bytes` counts them.
 * Nothing contends, and parts divides n; real times differ, but which of two algorithms is cheaper
 * at a size is mostly told right.
 */
#ifndef ORDO_COST_H
#define ORDO_COST_H

#include <ordo/compiler.h>
#include <ordo/predict.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Latency and bandwidth of the slowest way between two ranks that is not longer than it must be:
 * the slowest link between ranks that is up, or, where there are switches, the slowest links to,
 * between and from them one after another; and the bandwidths of adding and copying it tells. The
 * rest stays as it is in *machine. */
ORDO_API void ordo_machine_take(struct ordo_machine *machine, const struct ordo_topology *topology);

enum ordo_cost_source {
	ORDO_COST_TABLE, /* the published closed form */
	/* of the same make, from the algorithm's rounds: composed of published ones, or counted in
	 * its file */
	ORDO_COST_ROUNDS,
	/* steps and volume as the algorithm claims them, but no fewer than one stream or port does
	 * one after another; counted on its moves */
	ORDO_COST_CLAIMS,
};

struct ordo_cost {
	uint64_t steps;
	uint64_t wire, reduced,
		/* bytes one after another on a link, and into one memory: of n, so many parts */
		parts;
	enum ordo_cost_source source;
};

/* What a request will take. The topology says how many links a rank drives at once (its ports;
 * without it as many as the algorithm wants). false: the request does not apply (ORDO_USAGE), or no
 * memory. */
ORDO_API bool ordo_cost_of(
	const struct ordo_request *request, struct ordo_cost *cost, struct ordo_error *error);

/* The line: seconds at 0 bytes, and seconds for each byte more. */
ORDO_API double ordo_cost_fixed(const struct ordo_cost *cost, const struct ordo_machine *machine);
ORDO_API double ordo_cost_slope(const struct ordo_cost *cost, const struct ordo_machine *machine);
/* fixed + slope * bytes */
ORDO_API double ordo_cost_seconds(
	const struct ordo_cost *cost, const struct ordo_machine *machine, uint64_t bytes);

/* The calls above pass the size of the options that they are compiled with, so that options can
 * grow (version.h). */
ORDO_API bool ordo_cost_of_sized(size_t size, const struct ordo_request *request,
	struct ordo_cost *cost, struct ordo_error *error);
#define ordo_cost_of(...) ordo_cost_of_sized(sizeof(struct ordo_request), __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
