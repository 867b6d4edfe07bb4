/* costs.c - measures the costs of tasks on the threads of this machine. */
#include "costs.h"
#include "latency.h"
#include "microbenchmarks.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/compiler.h>
#include <ordo/detail/accumulate.h>

/* Sizes measured beside the requested one, as long as all buffers fit into the limit. */
static const uint64_t sizes[] = {4 << 10, 64 << 10, 1 << 20, 16 << 20};
enum { NSIZE = sizeof sizes / sizeof *sizes };
#define MOST_MEMORY (UINT64_C(1) << 29)

/* Moves per run: enough to amortize the call, and not too many at large sizes. */
enum { FEWEST_MOVES = 2048 };

/* For the progress bar: three, four rates at each size, and one for each form of sums. */
enum { NMEASUREMENT = 3 + 4 * (NSIZE + 1) + ORDO_NACCUMULATION };

static void tell_progress(const struct calibrating *how, uint64_t done)
{
	if (how->progress)
		how->progress(how->closure, "measuring", done, NMEASUREMENT);
}

static bool measure_owned(struct ordo_schedule *schedule, const struct calibrating *how,
	uint64_t count, uint32_t nworker, struct spread *spread, struct ordo_error *error)
{
	const struct measuring measuring = {.type = how->type,
		.reduction = ORDO_SUM,
		.count = count,
		.nworker = nworker,
		.seconds = how->seconds};
	const bool worked = schedule && measure_runs(schedule, &measuring, spread, error);
	ordo_schedule_destroy(schedule);
	return worked;
}

/* Tasks of a ring on one thread, each chunk one element: moves, Notify and Wait as schedules have
 * them. */
static bool measure_task(struct calibration *calibration, struct ordo_error *error)
{
	const uint32_t nrank = calibration->how.nrank < 4 ? 4 : calibration->how.nrank;
	const struct ordo_request request = {
		.problem = {.op = ORDO_ALLREDUCE, .nrank = nrank}, .algorithm = "ring"};
	struct ordo_schedule *ring = ordo_compile(&request, error);
	const double ntask = ring ? ring->ntask : 1,
		     nchunk = ring ? ring->problem.chunks_per_block : 1;
	struct spread spread;
	if (!measure_owned(ring, &calibration->how, (uint64_t)nchunk, 1, &spread, error))
		return false;
	calibration->task_ns = scale_spread(&spread, 1e9 / ntask, 0);
	return true;
}

/* The time of a run with one task per rank, less that task. */
static bool measure_call(struct calibration *calibration, struct ordo_error *error)
{
	const struct calibrating *how = &calibration->how;
	const double tasks =
		(double)((how->nrank - 1) / how->nworker + 1) * calibration->task_ns.median;
	struct spread spread;
	if (!measure_owned(make_moves_benchmark(how->nrank, 1, 1, ORDO_LOCAL_COPY, error), how, 1,
		    how->nworker, &spread, error))
		return false;
	calibration->call_ns = scale_spread(&spread, 1e9, tasks);
	return true;
}

/* With one thread there is no latency: ready streams run at once. */
static bool measure_latency(struct calibration *calibration, struct ordo_error *error)
{
	enum { TASKS_OF_A_HOP = 3 };
	const struct calibrating *how = &calibration->how;
	const struct measuring measuring = {
		.type = how->type, .reduction = ORDO_SUM, .seconds = how->seconds};
	struct spread spread;
	if (how->nworker < 2)
		return true;
	if (!measure_hops(&measuring, &spread, error))
		return false;
	calibration->hop_ns = scale_spread(&spread, 1e9, 0);
	const double rest =
		calibration->hop_ns.median - TASKS_OF_A_HOP * calibration->task_ns.median;
	calibration->latency_ns = rest > 0 ? rest : 0;
	return true;
}

/* The rate of one core: the time of moves with bytes, less that of the same moves with almost
 * none. */
static bool measure_rate(struct calibration *calibration, uint64_t bytes, enum ordo_task_kind kind,
	struct spread *rate, struct ordo_error *error)
{
	const struct calibrating *how = &calibration->how;
	const uint32_t nchunk = how->nrank, moves = how->nrank * nchunk;
	/* Large moves take long enough without repetition. */
	const uint32_t nround =
		bytes > 1 << 18 || moves >= FEWEST_MOVES ? 1 : (FEWEST_MOVES - 1) / moves + 1;
	const uint64_t count = bytes / ordo_type_size(how->type);
	struct spread full, empty;
	if (!measure_owned(make_moves_benchmark(how->nrank, nchunk, nround, kind, error), how,
		    count, how->nworker, &full, error) ||
		!measure_owned(make_moves_benchmark(how->nrank, nchunk, nround, kind, error), how,
			nchunk, how->nworker, &empty, error))
		return false;
	/* If the difference is lost in noise, attributes at least a hundredth of the time to
	 * bytes. */
	const double less = empty.median < 0.99 * full.first_quartile ? empty.median
								      : 0.99 * full.first_quartile;
	const struct spread alone = scale_spread(&full, 1, less);
	*rate = rate_of(&alone, 1e-9 * (double)bytes * how->nrank * nround / how->nworker);
	return true;
}

/* States are elements that any schedule sums. A size that is less than a state each is one. */
static bool measure_sums(struct calibration *calibration, struct ordo_error *error)
{
	const struct calibrating how = calibration->how;
	bool worked = true;
	for (int form = 0; worked && form < ORDO_NACCUMULATION; form++) {
		const struct ordo_problem problem = {
			.nshard = how.nrank, .accumulate = (enum ordo_accumulation)form};
		if (!how.forms[form])
			continue;
		calibration->how.type = ordo_accumulator(&problem, how.type);
		const uint64_t size = ordo_type_size(calibration->how.type),
			       least = size * how.nrank;
		worked = measure_rate(calibration,
			how.bytes < least ? least : how.bytes / size * size, ORDO_SEND_REDUCE,
			&calibration->sums[form], error);
	}
	calibration->how = how;
	return worked;
}

static bool measure_rates(struct calibration *calibration, uint64_t bytes, struct ordo_error *error)
{
	struct measured_rates *rates = &calibration->rates[calibration->nrate];
	const struct {
		enum ordo_task_kind kind;
		struct spread *rate;
	} kinds[] = {{ORDO_SEND, &rates->copy}, {ORDO_SEND_REDUCE, &rates->reduce},
		{ORDO_LOCAL_COPY, &rates->local_copy}, {ORDO_LOCAL_REDUCE, &rates->local_reduce}};
	rates->bytes = bytes;
	for (uint32_t i = 0; i < 4; i++) {
		if (!measure_rate(calibration, bytes, kinds[i].kind, kinds[i].rate, error))
			return false;
		tell_progress(&calibration->how, 3 + 4 * (uint64_t)calibration->nrate + i + 1);
	}
	if (bytes == calibration->how.bytes)
		calibration->chosen = calibration->nrate;
	calibration->nrate++;
	return true;
}

bool calibrate(
	const struct calibrating *how, struct calibration *calibration, struct ordo_error *error)
{
	*calibration = (struct calibration){.how = *how};
	if (!measure_task(calibration, error) || !measure_call(calibration, error) ||
		!measure_latency(calibration, error))
		return false;
	bool there = false; /* the size asked for */
	for (uint32_t i = 0; i < NSIZE; i++) {
		if (!there && how->bytes < sizes[i] &&
			!measure_rates(calibration, how->bytes, error))
			return false;
		there |= how->bytes <= sizes[i];
		if (how->bytes != sizes[i] && 2 * sizes[i] * how->nrank > MOST_MEMORY)
			continue;
		if (!measure_rates(calibration, sizes[i], error))
			return false;
	}
	return (there || measure_rates(calibration, how->bytes, error)) &&
	       measure_sums(calibration, error);
}

/* The bandwidth of the time that adding takes beyond copying. If that is zero, a million GB/s
 * stands for infinity. */
static double adding_beyond(double copy, double reduce)
{
	const double most = 1e6, rest = 1 / reduce - 1 / copy;
	return rest > 1 / most ? 1 / rest : most;
}

static bool add_links(struct ordo_topology *topology, const struct calibration *calibration,
	double bandwidth, struct ordo_error *error)
{
	for (uint32_t from = 0; from < topology->nrank; from++)
		for (uint32_t to = 0; to < topology->nrank; to++)
			if (from != to && !ordo_topology_add(topology, from, to, "thread",
						  calibration->latency_ns, bandwidth, error))
				return false;
	return ordo_topology_finish(topology, error);
}

struct ordo_topology *calibrated_topology(
	const struct calibration *calibration, uint32_t rate, struct ordo_error *error)
{
	const struct calibrating *how = &calibration->how;
	const struct measured_rates *rates = &calibration->rates[rate];
	struct ordo_topology *topology = ordo_topology_create("threads", how->nrank, 0, 0, error);
	if (!topology)
		return NULL;
	topology->cores = how->nworker;
	topology->task_ns = calibration->task_ns.median;
	topology->reduce_gbs = adding_beyond(rates->copy.median, rates->reduce.median);
	topology->copy_gbs = rates->local_copy.median;
	for (int form = 0; form < ORDO_NACCUMULATION; form++)
		if (how->forms[form])
			topology->sum_gbs[form] =
				adding_beyond(rates->copy.median, calibration->sums[form].median);
	topology->extra = ordo_arena_format(&topology->arena,
		"{\"measured\": {\"type\": \"%s\", \"bytes\": %" PRIu64 ", \"call_ns\": %.0f}}",
		ordo_type_name(how->type), rates->bytes, calibration->call_ns.median);
	if (topology->extra && add_links(topology, calibration, rates->copy.median, error))
		return topology;
	if (!topology->extra)
		ordo_fail_memory(error);
	ordo_topology_destroy(topology);
	return NULL;
}
