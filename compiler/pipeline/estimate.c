/* estimate.c - about how many tasks and bytes a request takes, from the same request for few ranks.
 *
 * The counts of a schedule grow with N by one of the laws of growth.h, and like c + dK and c + dV
 * with the chunks of a block and with shards, as long as K stays below N or above. So three small
 * schedules tell the law, and one more c and d. Where levels or a topology have sizes, as
 * torus:64x64 has, counts grow with each of them, and samples are for torus:8x8. Where the natural
 * K leaps from one N to the next, the algorithm says what it is. What they are counts of: tasks,
 * chunks that are moved, slots and streams, each of which takes memory, measured over all
 * algorithms.
 */
#include "algorithms/hierarchy/levels.h"
#include "algorithms/registry.h"
#include "growth.h"
#include "pipeline.h"
#include <ordo/memory.h>
#include <ordo/topology.h>
#include <stdio.h>
#include <string.h>

/* Ranks of a sample, at most, or where fewer would leave no two smaller ones of any use; K of a
 * sample if it is below N; K/N, beyond all lanes of rings, and V/N. */
enum {
	SAMPLE_RANKS = 127,
	MOST_SAMPLE_RANKS = 1024,
	LEAST_SAMPLE_RANKS = 8,
	SAMPLE_LEVEL = 5,
	SAMPLE_CHUNKS = 8,
	SAMPLE_RATIO = 32,
	SAMPLE_SHARDS = 4,
	TRIES = 16
};

/* More bytes than any rank takes for a rank, a chunk or a shard: what is small is not estimated. */
static const double most_bytes = 10000;

/* Of each task, where relays may order sums: rows of what streams know (passes/order). */
static const double bytes_of_rows = 24;

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

/* The name of a topology, `family:4x8 rest`, of `unit` ranks for each of 4 x 8, or `family`. */
struct shape {
	char family[64], rest[64];
	uint32_t nsize, unit; /* nsize 0: no sizes */
};

/* What is asked for, and the largest sample of it. */
struct estimating {
	const struct ordo_request *request;
	const struct ordo_resolved_request *resolved; /* read */
	bool has_levels;
	bool has_topology; /* so samples have one: */
	struct shape shape;
	/* The natural K, where it does not grow with N steadily: chunks and slots of samples are
	 * counted for one chunk a block then. 0: it does. */
	uint32_t foreseen_chunks;
	struct sample wanted, sample;
	struct counts counts;  /* of the sample */
	struct counts factors; /* from the sample to what is wanted */
};

static uint32_t ranks_of(const struct estimating *e, const struct sample *sample)
{
	uint32_t n = e->shape.unit;
	for (int i = 0; i < ORDO_MAX_LEVELS; i++)
		n *= sample->sizes[i];
	return n;
}

/* Whether there are sizes whose product is N, and not N alone. */
static bool has_sizes(const struct estimating *e)
{
	return e->has_levels || (e->has_topology && e->shape.nsize);
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

/* The topology of fewer ranks. NULL: there is none of that name. */
static struct ordo_topology *make_topology(const struct estimating *e, const struct sample *sample)
{
	const struct shape *shape = &e->shape;
	char name[256];
	int length = snprintf(name, sizeof name, "%s", shape->family);
	for (uint32_t i = 0; i < shape->nsize; i++)
		length += snprintf(name + length, sizeof name - (size_t)length, "%c%u",
			i ? 'x' : ':', sample->sizes[shape->nsize - 1 - i]);
	snprintf(name + length, sizeof name - (size_t)length, "%s", shape->rest);
	return ordo_topology_make(name, ranks_of(e, sample), NULL);
}

static bool build_on(const struct estimating *e, const char *algorithm, const struct sample *sample,
	const struct ordo_topology *topology, struct counts *counts)
{
	const struct ordo_problem *problem = &e->request->problem;
	struct ordo_request small = *e->request;
	const uint32_t n = ranks_of(e, sample);
	small.algorithm = algorithm;
	small.problem.nrank = n;
	small.problem.nshard = (uint32_t)(sample->shards * n);
	small.problem.chunks_per_block = sample->chunks;
	small.problem.root = (uint32_t)((uint64_t)problem->root * n / problem->nrank);
	small.topology = topology;
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

static bool build(const struct estimating *e, const char *algorithm, const struct sample *sample,
	struct counts *counts)
{
	if (ranks_of(e, sample) == e->request->problem.nrank)
		return build_on(e, algorithm, sample, e->request->topology, counts);
	if (!e->has_topology)
		return build_on(e, algorithm, sample, NULL, counts);
	struct ordo_topology *topology = make_topology(e, sample);
	const bool worked = topology && build_on(e, algorithm, sample, topology, counts);
	ordo_topology_destroy(topology);
	return worked;
}

/* Not every algorithm, with its parameters, has every number of ranks: the next that it has; or
 * else the algorithm without parameters. The sample gets the one found. */
static bool build_near(const struct estimating *e, struct sample *sample, struct counts *counts)
{
	const uint32_t first = sample->sizes[0],
		       tries = ranks_of(e, sample) < e->request->problem.nrank && !has_sizes(e)
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

/* Of a level, or of all ranks, where the algorithm may know better. */
static uint32_t smaller_of(const struct estimating *e, uint32_t size)
{
	const struct ordo_algorithm *algorithm = e->resolved->algorithm;
	return algorithm->fewer_ranks && !has_sizes(e) && size > 1
		       ? algorithm->fewer_ranks(e->resolved, size)
		       : smaller(size);
}

/* The next smaller sample, by one level. */
static struct sample smaller_sample(
	const struct estimating *e, const struct sample *sample, int level)
{
	const uint32_t size = sample->sizes[level];
	struct sample half = *sample;
	half.sizes[level] = smaller_of(e, size);
	if (half.sizes[level] + 1 == size && size > 4 && has_sizes(e))
		half.sizes[level]--;
	if (e->wanted.chunks >= ranks_of(e, &e->wanted))
		half.chunks = (uint32_t)((uint64_t)half.chunks * ranks_of(e, &half) /
					 ranks_of(e, sample));
	return half;
}

/* The second smaller sample is welcome, the first needed. */
static bool grow_level(struct estimating *e, int level)
{
	struct counts counts[ORDO_GROWTH_POINTS] = {e->counts};
	struct sample samples[ORDO_GROWTH_POINTS] = {e->sample};
	uint32_t count = 1;
	for (; count < ORDO_GROWTH_POINTS && samples[count - 1].sizes[level] > 1; count++) {
		samples[count] = smaller_sample(e, &samples[count - 1], level);
		if (!build_near(e, &samples[count], &counts[count]))
			break;
	}
	if (count < 2)
		return false;
	for (int i = 0; i < NCOUNT; i++) {
		struct ordo_growth_points points = {.count = count};
		for (uint32_t k = 0; k < count; k++) {
			points.n[k] = samples[k].sizes[level];
			points.f[k] = counts[k].of[i];
		}
		e->factors.of[i] *= ordo_growth(&points, e->wanted.sizes[level], has_sizes(e));
	}
	return true;
}

static bool grow_chunks(struct estimating *e)
{
	const double N = ranks_of(e, &e->wanted), K = e->wanted.chunks;
	struct sample half = e->sample;
	struct counts fewer;
	half.chunks /= 2;
	if (!build_near(e, &half, &fewer))
		return false;
	for (int i = 0; i < NCOUNT; i++)
		e->factors.of[i] *= along(fewer.of[i], e->counts.of[i], half.chunks,
			e->sample.chunks, K < N ? K : K / N * ranks_of(e, &e->sample));
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
	for (int largest = 0; ranks_of(e, &e->sample) > SAMPLE_RANKS;) {
		if (!has_sizes(e)) {
			const uint32_t next = smaller_of(e, sizes[0]),
				       last = smaller_of(e, smaller_of(e, next));
			if (last < LEAST_SAMPLE_RANKS && sizes[0] <= MOST_SAMPLE_RANKS)
				return;
			sizes[0] = next;
			continue;
		}
		for (int i = 0; i < ORDO_MAX_LEVELS; i++)
			largest = sizes[i] > sizes[largest] ? i : largest;
		if (sizes[largest] <= SAMPLE_LEVEL)
			return;
		sizes[largest] = smaller(sizes[largest]);
	}
}

static void choose_sample(struct estimating *e)
{
	const uint32_t N = ranks_of(e, &e->wanted), K = e->wanted.chunks;
	e->sample = e->wanted;
	choose_ranks(e);
	const uint32_t n = ranks_of(e, &e->sample), few = K < N ? SAMPLE_CHUNKS : n * SAMPLE_RATIO;
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

/* Reads the name of the topology, and its sizes. false: samples cannot have such a topology. */
static bool read_shape(
	struct shape *shape, uint32_t sizes[ORDO_MAX_LEVELS], const struct ordo_topology *topology)
{
	uint32_t found[ORDO_MAX_LEVELS] = {0};
	const char *name = topology->name;
	if (!name || strpbrk(name, "/.") || strlen(name) >= sizeof shape->rest)
		return false;
	shape->nsize = ordo_levels_named(name, found);
	snprintf(shape->family, sizeof shape->family, "%.*s",
		(int)strcspn(name, shape->nsize ? ":" : ""), name);
	if (!shape->nsize)
		return true;
	snprintf(shape->rest, sizeof shape->rest, "%s", name + strcspn(name, ","));
	shape->unit = topology->nrank;
	for (uint32_t i = 0; i < shape->nsize; i++) {
		if (!found[i] || shape->unit % found[i])
			return false;
		shape->unit /= found[i];
		sizes[i] = found[i];
	}
	return true;
}

/* Of a hierarchy the sizes of its levels, which have not been looked for yet. */
static bool find_levels(struct estimating *e)
{
	const struct ordo_resolved_request *resolved = e->resolved;
	const struct ordo_value *names = ordo_parameter_value(resolved, "levels");
	struct ordo_levels levels;
	if (!ordo_levels_make(resolved, names->nalgorithm, ordo_parameter_value(resolved, "sizes"),
		    &levels, NULL))
		return false;
	e->wanted.sizes[0] = 1;
	for (uint32_t i = 0; i < levels.count; i++)
		e->wanted.sizes[levels.at[i].number] = levels.at[i].size;
	return true;
}

static bool begin(struct estimating *e, const struct ordo_resolved_request *resolved,
	const struct ordo_request *request, bool on_topology)
{
	const struct ordo_problem *problem = &request->problem;
	*e = (struct estimating){.request = request, .resolved = resolved, .shape.unit = 1};
	e->wanted.chunks = problem->chunks_per_block;
	if (!e->wanted.chunks && resolved->algorithm->foreseen_chunks)
		e->foreseen_chunks = resolved->algorithm->foreseen_chunks(resolved);
	e->wanted.shards = problem->nshard ? (double)problem->nshard / problem->nrank : 1;
	for (int i = 0; i < ORDO_MAX_LEVELS; i++)
		e->wanted.sizes[i] = i ? 1 : problem->nrank;
	e->has_levels = !strcmp(resolved->algorithm->facts.name, "hierarchical");
	if (e->has_levels)
		return !on_topology && find_levels(e);
	e->has_topology = on_topology;
	return !on_topology ||
	       (request->topology && read_shape(&e->shape, e->wanted.sizes, request->topology));
}

/* Whether ranks that add to one slot may lack a link to each other. */
static bool may_need_relays(const struct ordo_request *request)
{
	const struct ordo_topology *topology = request->topology;
	return topology && ordo_operator_facts(request->problem.op)->reduces &&
	       !topology->nswitch && topology->nlink < topology->nrank * (topology->nrank - 1);
}

static bool estimate(const struct ordo_resolved_request *resolved,
	const struct ordo_request *request, struct ordo_estimate *estimate)
{
	struct estimating e;
	double counts[NCOUNT];
	if (!(begin(&e, resolved, request, true) && estimate_counts(&e)) &&
		!(begin(&e, resolved, request, false) && estimate_counts(&e)))
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
	if (may_need_relays(request))
		estimate->bytes += size.tasks * bytes_of_rows;
	if (resolved->algorithm->prepared_bytes)
		estimate->bytes += resolved->algorithm->prepared_bytes(resolved);
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
	snprintf(what, sizeof what, "%s on %u ranks by %.100s, about %s tasks,",
		ordo_operator_facts(problem->op)->name, problem->nrank, resolved->notation, tasks);
	if (ordo_memory_allows(found.bytes, what, error))
		return true;
	return ordo_hint(error, "fewer ranks or chunks take less, or an algorithm of fewer tasks, "
				"such as tree; --memory-limit SIZE allows more");
}
