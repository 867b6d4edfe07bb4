/* estimate.c - about how many tasks and bytes a request takes, from the same request for few ranks.
 *
 * The counts of a schedule grow with N like N^a (log N)^b, a = 1, 3/2 or 2, and like c + dK and c +
 * dV with the chunks of a block and with shards, as long as K stays below N or above. So two small
 * schedules tell a and b, and one more c and d. Where the natural K leaps from one N to the
 * next, the algorithm says what it is. What they are counts of: tasks, chunks that are moved, slots
 * and streams, each of which takes memory, measured over all algorithms.
 */
#include "algorithms/hierarchy/levels.h"
#include "algorithms/registry.h"
#include "pipeline.h"
#include <math.h>
#include <ordo/memory.h>
#include <stdio.h>
#include <string.h>

/* Ranks of a sample, at most; K of a sample if it is below N; K/N, beyond all lanes of rings,
 * and V/N. */
enum {
	SAMPLE_RANKS = 127,
	SAMPLE_LEVEL = 5,
	SAMPLE_CHUNKS = 8,
	SAMPLE_RATIO = 32,
	SAMPLE_SHARDS = 4,
	TRIES = 16
};

/* More bytes than any rank takes for a rank, a chunk or a shard: what is small is not estimated. */
static const double most_bytes = 10000;

/* The fields of struct ordo_size. */
enum { TASKS, CHUNKS, SLOTS, STREAMS, NCOUNT };
struct counts {
	double of[NCOUNT];
};

static struct counts counts_of(const struct ordo_schedule *schedule)
{
	const struct ordo_size size = ordo_schedule_size(schedule);
	return (struct counts){{size.tasks, size.chunks, size.slots, size.streams}};
}

/* One that is to be built: the request, of other sizes. */
struct sample {
	uint32_t sizes[ORDO_MAX_LEVELS]; /* of levels; without any, that of the first is N */
	uint32_t chunks;
	double shards; /* of a rank */
};

/* What is asked for, and the largest sample of it. */
struct estimating {
	const struct ordo_request *request;
	const struct ordo_resolved_request *resolved; /* read */
	bool has_levels;
	/* The natural K, where it does not grow with N steadily: chunks and slots of samples are
	 * counted for one chunk a block then. 0: it does. */
	uint32_t foreseen_chunks;
	struct sample wanted, sample;
	struct counts counts;  /* of the sample */
	struct counts factors; /* from the sample to what is wanted */
};

static uint32_t ranks_of(const struct sample *sample)
{
	uint32_t n = 1;
	for (int i = 0; i < ORDO_MAX_LEVELS; i++)
		n *= sample->sizes[i];
	return n;
}

/* The algorithm, for the sizes of levels that the sample has. */
static void print_algorithm(const struct estimating *e, const struct sample *sample, char out[1024])
{
	const struct ordo_resolved_request *resolved = e->resolved;
	if (!e->has_levels) {
		snprintf(out, 1024, "%.1000s", resolved->notation);
		return;
	}
	const struct ordo_value *levels = ordo_parameter_value(resolved, "levels");
	int length =
		snprintf(out, 1024, "%s(%.700s,first=%.16s,sizes=", resolved->algorithm->facts.name,
			levels->word, ordo_parameter_value(resolved, "first")->word);
	for (uint32_t i = 0; i < levels->nalgorithm; i++)
		length += snprintf(out + length, 1024 - (size_t)length, "%s%u", i ? "," : "[",
			sample->sizes[i]);
	snprintf(out + length, 1024 - (size_t)length, "])");
}

/* Samples are not held against the memory limit. */
static bool resolve_sample(struct ordo_resolved_request *resolved,
	const struct ordo_request *request, struct ordo_error *error)
{
	return ordo_request_read(resolved, &ordo_registry, request, error) &&
	       ordo_request_prepare(resolved, resolve_sample, error);
}

static struct ordo_schedule *compile_sample(const struct ordo_request *sample)
{
	struct ordo_resolved_request resolved = {0};
	struct ordo_schedule *schedule = resolve_sample(&resolved, sample, NULL)
						 ? ordo_compile_resolved(sample, &resolved, NULL)
						 : NULL;
	ordo_resolved_request_destroy(&resolved);
	return schedule;
}

static bool build(const struct estimating *e, const char *algorithm, const struct sample *sample,
	struct counts *counts)
{
	const struct ordo_problem *problem = &e->request->problem;
	struct ordo_request small = *e->request;
	const uint32_t n = ranks_of(sample);
	small.algorithm = algorithm;
	small.problem.nrank = n;
	small.problem.nshard = (uint32_t)(sample->shards * n);
	small.problem.chunks_per_block = sample->chunks;
	small.problem.root = (uint32_t)((uint64_t)problem->root * n / problem->nrank);
	small.topology = n == problem->nrank ? e->request->topology : NULL;
	small.progress = NULL;
	small.unproved = true;
	struct ordo_schedule *schedule = compile_sample(&small);
	if (schedule)
		*counts = counts_of(schedule);
	if (schedule && e->foreseen_chunks) {
		counts->of[CHUNKS] /= schedule->problem.chunks_per_block;
		counts->of[SLOTS] /= schedule->problem.chunks_per_block;
	}
	ordo_schedule_destroy(schedule);
	return schedule;
}

/* Not every algorithm, with its parameters, has every number of ranks: the next that it has; or
 * else the algorithm without parameters. The sample gets the one found. */
static bool build_near(const struct estimating *e, struct sample *sample, struct counts *counts)
{
	const uint32_t first = sample->sizes[0],
		       tries = ranks_of(sample) < e->request->problem.nrank && !e->has_levels
				       ? TRIES
				       : 1;
	char algorithm[1024];
	for (uint32_t n = 0; n < 2 * tries; n++) {
		sample->sizes[0] = first + n % tries;
		print_algorithm(e, sample, algorithm);
		if (build(e, n < tries ? algorithm : e->resolved->algorithm->facts.name, sample,
			    counts))
			return true;
	}
	return false;
}

/* From f(n1) = f1 and f(n2) = f2 to f(n), by which f2 is multiplied. */
static double growth(double f1, double f2, double n1, double n2, double n)
{
	if (f1 <= 0 || f2 <= 0 || n <= n2)
		return 1;
	if (n1 < 2)
		return n / n2;
	const double slope = log(f2 / f1) / log(n2 / n1);
	const double power = slope > 1.9 ? 2 : slope > 1.4 ? 1.5 : slope > 0.8 ? 1 : 0;
	const double logs = (slope - power) * log(n2 / n1) / log(log(n2) / log(n1));
	return pow(n / n2, power) * pow(log(n) / log(n2), logs);
}

/* The same for the size of a level: f(n) = c n^2 + d n where that fits. */
static double level_growth(double f1, double f2, double n1, double n2, double n)
{
	const double c = (f2 / n2 - f1 / n1) / (n2 - n1), d = f1 / n1 - c * n1;
	return f2 > 0 && n > n2 && c > 0 && d > 0 ? (c * n + d) * n / f2
						  : growth(f1, f2, n1, n2, n);
}

/* From f(x1) = f1 and f(x2) = f2 to f(x) on a line, by which f2 is multiplied. */
static double along(double f1, double f2, double x1, double x2, double x)
{
	const double more = (f2 - f1) / (x2 - x1) * (x - x2);
	return f2 > 0 && more > 0 ? 1 + more / f2 : 1;
}

/* A smaller size of its kind: a power of two, of one. */
static uint32_t smaller(uint32_t size)
{
	return size > 8 || !(size & (size - 1)) ? size / 2 : size - 1;
}

static bool grow_level(struct estimating *e, int level)
{
	struct sample half = e->sample;
	struct counts fewer;
	half.sizes[level] = smaller(half.sizes[level]);
	if (half.sizes[level] + 1 == e->sample.sizes[level] && half.sizes[level] > 3)
		half.sizes[level]--;
	if (e->wanted.chunks >= ranks_of(&e->wanted))
		half.chunks =
			(uint32_t)((uint64_t)half.chunks * ranks_of(&half) / ranks_of(&e->sample));
	if (!build_near(e, &half, &fewer))
		return false;
	for (int i = 0; i < NCOUNT; i++)
		e->factors.of[i] *=
			(e->has_levels ? level_growth : growth)(fewer.of[i], e->counts.of[i],
				half.sizes[level], e->sample.sizes[level], e->wanted.sizes[level]);
	return true;
}

static bool grow_chunks(struct estimating *e)
{
	const double N = ranks_of(&e->wanted), K = e->wanted.chunks;
	struct sample half = e->sample;
	struct counts fewer;
	half.chunks /= 2;
	if (!build_near(e, &half, &fewer))
		return false;
	for (int i = 0; i < NCOUNT; i++)
		e->factors.of[i] *= along(fewer.of[i], e->counts.of[i], half.chunks,
			e->sample.chunks, K < N ? K : K / N * ranks_of(&e->sample));
	return true;
}

static bool grow_shards(struct estimating *e)
{
	struct sample half = e->sample;
	struct counts fewer;
	half.shards /= 2;
	if (!build_near(e, &half, &fewer))
		return false;
	for (int i = 0; i < NCOUNT; i++)
		e->factors.of[i] *= along(fewer.of[i], e->counts.of[i], half.shards,
			e->sample.shards, e->wanted.shards);
	return true;
}

/* Of few ranks, none of the levels much less than the others. */
static void choose_ranks(struct estimating *e)
{
	uint32_t *sizes = e->sample.sizes;
	for (int largest = 0; ranks_of(&e->sample) > SAMPLE_RANKS;) {
		for (int i = 0; i < ORDO_MAX_LEVELS; i++)
			largest = sizes[i] > sizes[largest] ? i : largest;
		if (sizes[largest] <= SAMPLE_LEVEL)
			return;
		sizes[largest] = smaller(sizes[largest]);
	}
}

static void choose_sample(struct estimating *e)
{
	const uint32_t N = ranks_of(&e->wanted), K = e->wanted.chunks;
	e->sample = e->wanted;
	choose_ranks(e);
	const uint32_t n = ranks_of(&e->sample), few = K < N ? SAMPLE_CHUNKS : n * SAMPLE_RATIO;
	if (K > few || (n < N && K >= N))
		e->sample.chunks = K < N || K / N >= SAMPLE_RATIO ? few : n;
	if (e->sample.shards > SAMPLE_SHARDS)
		e->sample.shards = SAMPLE_SHARDS;
}

static bool estimate_counts(struct estimating *e)
{
	choose_sample(e);
	if (!build_near(e, &e->sample, &e->counts))
		return false;
	for (int i = 0; i < NCOUNT; i++)
		e->factors.of[i] = 1;
	for (int i = 0; i < ORDO_MAX_LEVELS; i++)
		if (e->sample.sizes[i] < e->wanted.sizes[i] && !grow_level(e, i))
			return false;
	if (e->sample.chunks > 1 && e->sample.chunks < e->wanted.chunks && !grow_chunks(e))
		return false;
	return e->sample.shards >= e->wanted.shards || grow_shards(e);
}

/* Of a hierarchy the sizes of its levels, which have not been looked for yet. */
static bool begin(struct estimating *e, const struct ordo_resolved_request *resolved,
	const struct ordo_request *request)
{
	const struct ordo_problem *problem = &request->problem;
	struct ordo_levels levels;
	*e = (struct estimating){.request = request, .resolved = resolved};
	e->wanted.chunks = problem->chunks_per_block;
	if (!e->wanted.chunks && resolved->algorithm->foreseen_chunks)
		e->foreseen_chunks = resolved->algorithm->foreseen_chunks(resolved);
	e->wanted.shards = problem->nshard ? (double)problem->nshard / problem->nrank : 1;
	for (int i = 0; i < ORDO_MAX_LEVELS; i++)
		e->wanted.sizes[i] = i ? 1 : problem->nrank;
	e->has_levels = !strcmp(resolved->algorithm->facts.name, "hierarchical");
	if (!e->has_levels)
		return true;
	const struct ordo_value *names = ordo_parameter_value(resolved, "levels");
	if (!ordo_levels_make(resolved, names->nalgorithm, ordo_parameter_value(resolved, "sizes"),
		    &levels, NULL))
		return false;
	e->wanted.sizes[0] = 1;
	for (uint32_t i = 0; i < levels.count; i++)
		e->wanted.sizes[levels.at[i].number] = levels.at[i].size;
	return true;
}

static bool estimate(const struct ordo_resolved_request *resolved,
	const struct ordo_request *request, struct ordo_estimate *estimate)
{
	struct estimating e;
	double counts[NCOUNT];
	if (!begin(&e, resolved, request) || !estimate_counts(&e))
		return false;
	for (int i = 0; i < NCOUNT; i++)
		counts[i] = e.counts.of[i] * e.factors.of[i];
	if (e.foreseen_chunks) {
		counts[CHUNKS] *= e.foreseen_chunks;
		counts[SLOTS] *= e.foreseen_chunks;
	}
	const struct ordo_size size = {
		counts[TASKS], counts[CHUNKS], counts[SLOTS], counts[STREAMS]};
	*estimate = (struct ordo_estimate){.tasks = size.tasks, .bytes = ordo_bytes_of(&size)};
	return true;
}

bool ordo_estimate(
	const struct ordo_request *request, struct ordo_estimate *answer, struct ordo_error *error)
{
	struct ordo_resolved_request resolved;
	bool worked = ordo_request_read(&resolved, &ordo_registry, request, error);
	if (worked && !estimate(&resolved, request, answer))
		worked = ordo_fail(error, ORDO_USAGE, 0,
			"%s: the cost for %u ranks cannot be estimated from fewer ranks",
			resolved.notation, request->problem.nrank);
	ordo_resolved_request_destroy(&resolved);
	return worked;
}

/* "12300" or "4.5e+12" */
static void print_tasks(char out[32], double tasks)
{
	snprintf(out, 32, tasks < 1e6 ? "%.0f" : "%.1e", tasks);
}

/* Where no estimate is found, whether the request can be compiled at all is not for us to say. */
bool ordo_fits_in_memory(const struct ordo_resolved_request *resolved,
	const struct ordo_request *request, struct ordo_error *error)
{
	const struct ordo_problem *problem = &request->problem;
	const double N = problem->nrank, K = problem->chunks_per_block, V = problem->nshard;
	const double most = N * (N > K ? N : K) * (V > N ? V / N : 1) * most_bytes;
	struct ordo_estimate found;
	char what[256], tasks[32];
	if (request->is_sample || most <= (double)ordo_memory_limit() ||
		!estimate(resolved, request, &found))
		return true;
	print_tasks(tasks, found.tasks);
	snprintf(what, sizeof what, "%s on %u ranks by %.100s: about %s tasks, which",
		ordo_operator_facts(problem->op)->name, problem->nrank, resolved->notation, tasks);
	if (ordo_memory_allows(found.bytes, what, error))
		return true;
	return ordo_hint(error, "fewer ranks or chunks take less, or an algorithm of fewer tasks, "
				"such as tree; --memory-limit SIZE allows more");
}
