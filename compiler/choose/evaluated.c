/* evaluated.c - the table of candidates of a choice; each is compiled, proved and evaluated at most
 * once. */
#include "evaluated.h"
#include "algorithms/registry.h"
#include "candidates.h"
#include "pipeline/pipeline.h"
#include "ways/spread.h"
#include <ordo/arena.h>
#include <ordo/units.h>
#include <stdlib.h>
#include <string.h>

/* Multiples of the natural K that are tried for pipelines. */
static const uint32_t multiples[ORDO_NMULTIPLE] = {1, 4, 16, 64, 256, 1024};
enum {
	USUAL_MULTIPLE = 64,
	/* Where a candidate says nothing of its moves. */
	MAX_CHUNKS = 1024,
	/* Where it does, so many times as many, and any multiple, while chunks are of so many
	 * bytes: then the time that more of them save is worth that of their compilation. */
	MORE_MOVES = 8,
	MOST_MOVES = 32,
	LARGE_CHUNK = 1 << 16,
	/* Still, a schedule of more chunks than usual has at most so many moves. */
	SIZED_MOVES = 1 << 20,
	/* Where a choice is limited. */
	FEW_MOVES = 1 << 25,
	BEGUN_MOVES = 1 << 21
};

struct ordo_request ordo_table_request(const struct ordo_table *table, uint32_t i)
{
	struct ordo_request request = table->request;
	request.algorithm = table->items[i].algorithm;
	request.problem.chunks_per_block = table->items[i].chunks_per_block;
	request.kept_placements = table->candidates->kept_placements;
	request.kept_phases = table->candidates->kept_phases;
	return request;
}

/* Whether the algorithm would apply if every rank had a link to every other. */
static bool applies_elsewhere(const struct ordo_table *table, uint32_t i)
{
	struct ordo_request request = ordo_table_request(table, i);
	struct ordo_resolved_request resolved = {0};
	request.problem.chunks_per_block = table->request.problem.chunks_per_block;
	request.topology = NULL;
	const bool applies = ordo_request_resolve(&resolved, &request, NULL);
	ordo_resolved_request_destroy(&resolved);
	return applies;
}

static void add_refused(struct ordo_table *table, bool asks_for_links)
{
	for (uint32_t i = 0; i < table->candidates->nrefused; i++) {
		const struct ordo_refusal *refusal = &table->candidates->refused[i];
		const uint32_t at = table->count++;
		table->items[at] = (struct ordo_evaluated){.algorithm = refusal->algorithm,
			.why = refusal->why,
			.refused = true,
			.plain = ORDO_NONE};
		table->items[at].lacks_link = asks_for_links && applies_elsewhere(table, at);
	}
}

/* "ring(via=spread)" of "ring", or "ring(rings=2,via=spread)" of "ring(rings=2)" */
static bool spreads(const char *algorithm, const char *plain)
{
	const char *const ending = "via=spread)";
	const size_t length = strlen(plain) - (plain[strlen(plain) - 1] == ')');
	return !strncmp(algorithm, plain, length) &&
	       algorithm[length] == (plain[length] ? ',' : '(') &&
	       !strcmp(algorithm + length + 1, ending);
}

static void add(
	struct ordo_table *table, const struct ordo_candidate *candidate, uint32_t chunks_per_block)
{
	uint32_t plain = table->count;
	while (plain-- && (table->items[plain].chunks_per_block != chunks_per_block ||
				  !spreads(candidate->algorithm, table->items[plain].algorithm)))
		;
	table->items[table->count++] = (struct ordo_evaluated){.candidate = candidate,
		.algorithm = candidate->algorithm,
		.chunks_per_block = chunks_per_block,
		.plain = plain};
}

static bool are_large(const struct ordo_table *table, uint64_t K)
{
	return table->one_size / ordo_nblock(&table->request.problem) / K >= LARGE_CHUNK;
}

/* Whether so many chunks are few enough for any size. */
static bool are_usual(const struct ordo_table *table, const struct ordo_candidate *candidate,
	uint64_t K, uint32_t multiple)
{
	return multiple == 1 ||
	       (multiple <= USUAL_MULTIPLE &&
		       K <= (candidate->most_chunks ? candidate->most_chunks : MAX_CHUNKS) &&
		       (!candidate->large_chunks || are_large(table, K)));
}

/* What they must be worth to be tried at the one size; 0: they are not tried. Not for a range:
 * where a candidate is tried at some sizes only, the size from which it is the fastest is not
 * known. */
static double must_be_worth(
	const struct ordo_table *table, const struct ordo_candidate *candidate, uint64_t K)
{
	const struct ordo_problem *problem = &table->request.problem;
	if (candidate->little || !are_large(table, K) ||
		K * ordo_nblock(problem) * problem->nrank > SIZED_MOVES)
		return 0;
	const uint64_t more = (uint64_t)candidate->most_chunks * MORE_MOVES,
		       most = (uint64_t)candidate->most_chunks * MOST_MOVES;
	const bool both = problem->op == ORDO_ALLREDUCE;
	return K > most					      ? 0
	       : both					      ? ORDO_WORTH_OF_BOTH
	       : K <= (candidate->may_save ? 2 * more : more) ? ORDO_WORTH_MORE
							      : ORDO_WORTH_MOST;
}

/* The candidate with so many chunks, if so many are ever tried. */
static bool add_multiple(struct ordo_table *table, const struct ordo_candidate *candidate,
	uint32_t multiple, bool between)
{
	const uint64_t K = (uint64_t)candidate->chunks_per_block * multiple;
	const bool usual = are_usual(table, candidate, K, multiple);
	const double worth = usual ? 0 : must_be_worth(table, candidate, K);
	if (!usual && worth == 0)
		return false;
	add(table, candidate, (uint32_t)K);
	table->items[table->count - 1].worth = worth;
	table->items[table->count - 1].between = between;
	return true;
}

/* The least part of its own K with which a candidate competes. */
static uint32_t fewest_chunks(const struct ordo_candidate *candidate)
{
	uint32_t h = candidate->halves;
	while (h && candidate->chunks_per_block % (1u << h))
		h--;
	return candidate->chunks_per_block >> h;
}

static void add_chunk_counts(struct ordo_table *table, const struct ordo_candidate *candidate)
{
	for (uint32_t h = candidate->halves; h > 0; h--)
		if (candidate->chunks_per_block % (1u << h) == 0)
			add(table, candidate, candidate->chunks_per_block >> h);
	for (uint32_t m = 0; m < ORDO_NMULTIPLE; m++)
		if (!add_multiple(table, candidate, multiples[m], false))
			return;
}

/* Twice the multiples of K, each next to half and to twice as many. Only for one size: those that
 * are the best at others are not known when one is looked at. */
static void add_between(struct ordo_table *table, const struct ordo_candidate *candidate)
{
	for (uint32_t m = 0; table->one_size && m < ORDO_NMULTIPLE; m++)
		if (!add_multiple(table, candidate, 2 * multiples[m], true))
			return;
}

bool ordo_table_open(struct ordo_table *table, bool several, struct ordo_error *error)
{
	const struct ordo_candidates *candidates = table->candidates;
	size_t halves = 0;
	for (uint32_t i = 0; i < candidates->count; i++)
		halves += candidates->items[i].halves;
	const size_t most = (size_t)candidates->count * (2 * ORDO_NMULTIPLE + 1) + halves +
			    candidates->nrefused + 1;
	const bool pipelines = several && !table->request.problem.chunks_per_block;
	table->items = calloc(most, sizeof *table->items);
	if (!table->items)
		return ordo_fail_memory(error);
	for (uint32_t i = 0; i < candidates->count; i++) {
		const struct ordo_candidate *candidate = &candidates->items[i];
		if (pipelines && candidate->pipelines)
			add_chunk_counts(table, candidate);
		else
			add(table, candidate, candidate->chunks_per_block);
	}
	for (uint32_t i = 0; pipelines && i < candidates->count; i++) {
		const struct ordo_candidate *candidate = &candidates->items[i];
		if (!candidate->pipelines)
			continue;
		/* For little data a pipeline only adds steps. */
		if (fewest_chunks(candidate) > 1)
			add(table, candidate, 1);
		add_between(table, candidate);
	}
	add_refused(table, several);
	return true;
}

void ordo_table_close(struct ordo_table *table)
{
	for (uint32_t i = 0; i < table->count; i++)
		ordo_table_forget(table, i);
	free(table->items);
}

bool ordo_refuse(struct ordo_table *table, uint32_t i, const struct ordo_error *why,
	struct ordo_error *error)
{
	struct ordo_evaluated *item = &table->items[i];
	if (!ordo_is_of_candidate(why)) {
		if (error)
			*error = *why;
		return false;
	}
	item->why = ordo_arena_text(&table->candidates->arena, why->text, strlen(why->text));
	if (!item->why)
		return ordo_fail_memory(error);
	return !table->lists_refused ||
	       ordo_refuse_candidate(table->candidates, item->algorithm, why, error);
}

/* The algorithm applies, so only missing links can keep it from compiling, or too few slots of
 * staging (R13), or what it takes. */
static bool refuse_links(struct ordo_table *table, uint32_t i, const struct ordo_error *why,
	struct ordo_error *error)
{
	table->items[i].refused = true;
	table->items[i].lacks_link =
		why->rule != 13 && !why->too_large && !ordo_table_repeats(table, i);
	return ordo_refuse(table, i, why, error);
}

/* What a candidate takes that is not compiled. */
static void refuse_cost(struct ordo_table *table, const struct ordo_request *request,
	const struct ordo_estimate *found, struct ordo_error *why)
{
	char bytes[ORDO_UNITS_SIZE];
	ordo_fail(why, ORDO_ENVIRONMENT, 0,
		"%s: not compiled, for it takes about %.2g tasks and %s of memory",
		request->algorithm, found->tasks, ordo_bytes_text(bytes, found->bytes));
	why->too_large = true;
	if (!table->smallest || found->tasks < table->smallest_takes.tasks) {
		table->smallest = request->algorithm;
		table->smallest_takes = *found;
	}
}

/* Compiles if there is time and memory, as far as they can be estimated. A program that has more
 * moves than it was estimated to have tasks is given up, unless it has few. What is too large is
 * begun, since mostly it has no links, which is the better reason; unless its plain form was. */
static struct ordo_schedule *compile_affordable(
	struct ordo_table *table, uint32_t i, struct ordo_request *request, struct ordo_error *why)
{
	const uint32_t plain = table->items[i].plain;
	struct ordo_estimate found = {0};
	if (!table->limited || request->problem.nrank <= ORDO_CHOICE_FEW_RANKS)
		return ordo_compile_named(request, why);
	const bool estimated = ordo_estimate(request, &found, NULL),
		   affordable =
			   (double)table->compiled + found.tasks <= (double)ORDO_CHOICE_TASKS &&
			   found.bytes <= (double)ORDO_CHOICE_BYTES;
	request->most_moves = !affordable		? BEGUN_MOVES
			      : found.tasks > FEW_MOVES ? (uint32_t)found.tasks
							: FEW_MOVES;
	const bool begun = !affordable && plain != ORDO_NONE && table->items[plain].refused &&
			   !table->items[plain].lacks_link;
	struct ordo_schedule *schedule = begun ? NULL : ordo_compile_named(request, why);
	if (!schedule && (begun || why->too_large) && estimated && !affordable)
		refuse_cost(table, request, &found, why);
	return schedule;
}

/* Of an algorithm with its parameters. */
static bool finds_ways(const char *algorithm)
{
	const size_t length = strcspn(algorithm, "(");
	for (uint32_t i = 0; i < ordo_registry.nalgorithm; i++) {
		const char *name = ordo_registry.algorithms[i]->facts.name;
		if (strlen(name) == length && !strncmp(name, algorithm, length))
			return ordo_registry.algorithms[i]->finds_ways;
	}
	return false;
}

/* Notes of a candidate whether via=spread makes another schedule of it. */
static bool note_choice(struct ordo_table *table, uint32_t i, const struct ordo_schedule *schedule,
	struct ordo_error *error)
{
	const struct ordo_topology *topology = table->request.topology;
	bool choice = true, is_plain = false;
	for (uint32_t k = i + 1; k < table->count; k++)
		is_plain = is_plain || table->items[k].plain == i;
	if (is_plain && topology && !finds_ways(table->items[i].algorithm) &&
		!ordo_has_choice(schedule, topology, &choice, error))
		return false;
	table->items[i].lacks_choice = !choice;
	return true;
}

bool ordo_table_repeats(const struct ordo_table *table, uint32_t i)
{
	const uint32_t plain = table->items[i].plain;
	return plain != ORDO_NONE && table->items[plain].lacks_choice;
}

bool ordo_table_schedule(struct ordo_table *table, uint32_t i, struct ordo_schedule **schedule,
	struct ordo_error *error)
{
	struct ordo_request request = ordo_table_request(table, i);
	struct ordo_error why = {0};
	request.unproved = true; /* proved where it is evaluated */
	*schedule = table->items[i].schedule;
	if (*schedule)
		return true;
	if (ordo_table_repeats(table, i))
		ordo_fail(&why, ORDO_USAGE, 0,
			"%s: the schedule of %s again, whose data have one way each",
			request.algorithm, table->items[table->items[i].plain].algorithm);
	else
		*schedule = compile_affordable(table, i, &request, &why);
	if (*schedule && !note_choice(table, i, *schedule, error)) {
		ordo_schedule_destroy(*schedule);
		return false;
	}
	table->compiled += *schedule ? (*schedule)->ntask : 0;
	return *schedule || refuse_links(table, i, &why, error);
}

void ordo_table_keep(
	struct ordo_table *table, uint32_t i, struct ordo_schedule *schedule, bool wanted)
{
	if (schedule == table->items[i].schedule)
		return;
	if (schedule->ntask <= table->most_kept - table->kept) {
		table->kept += schedule->ntask;
	} else if (wanted) {
		if (table->spare)
			ordo_table_forget(table, table->spare - 1);
		table->spare = i + 1;
	} else {
		ordo_schedule_destroy(schedule);
		return;
	}
	table->items[i].schedule = schedule;
}

/* The schedule is no longer among those that are kept. */
static void let_go(struct ordo_table *table, uint32_t i)
{
	struct ordo_evaluated *item = &table->items[i];
	if (table->spare == i + 1)
		table->spare = 0;
	else
		table->kept -= item->schedule ? item->schedule->ntask : 0;
	item->schedule = NULL;
	item->proof = NULL;
}

void ordo_table_forget(struct ordo_table *table, uint32_t i)
{
	struct ordo_evaluated *item = &table->items[i];
	struct ordo_proof *proof = item->proof;
	struct ordo_schedule *schedule = item->schedule;
	let_go(table, i);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
}

bool ordo_is_evaluated(const struct ordo_table *table, uint32_t i)
{
	return table->items[i].proved || table->items[i].why;
}

bool ordo_evaluate(struct ordo_table *table, uint32_t i, struct ordo_error *error)
{
	struct ordo_evaluated *item = &table->items[i];
	struct ordo_schedule *schedule;
	struct ordo_error why = {0};
	if (ordo_is_evaluated(table, i))
		return true;
	if (!ordo_table_schedule(table, i, &schedule, error))
		return false;
	if (!schedule)
		return true;
	const struct ordo_request request = ordo_table_request(table, i);
	struct ordo_proof *found = ordo_prove_compiled(&request, schedule, &why);
	if (found) {
		item->proved = true;
		memcpy(item->digest, found->digest, sizeof item->digest);
		item->suits = !table->suits || table->suits(schedule, found, table->closure, &why);
	}
	ordo_table_keep(table, i, schedule, item->suits);
	if (item->suits && item->schedule)
		item->proof = found;
	else
		ordo_proof_destroy(found);
	return item->suits || ordo_refuse(table, i, &why, error);
}

bool ordo_may_win(const struct ordo_table *table, uint32_t i, const char *digest)
{
	const struct ordo_evaluated *item = &table->items[i];
	return item->suits && (!digest || !strcmp(digest, item->digest));
}

struct ordo_schedule *ordo_table_take(
	struct ordo_table *table, uint32_t i, struct ordo_proof **proof, struct ordo_error *error)
{
	struct ordo_evaluated *item = &table->items[i];
	struct ordo_schedule *schedule = item->schedule;
	*proof = item->proof;
	if (schedule) {
		let_go(table, i);
		return schedule;
	}
	const struct ordo_request request = ordo_table_request(table, i);
	return ordo_compile_proved(&request, proof, error);
}

bool ordo_fail_none_suits(const struct ordo_table *table, struct ordo_error *error)
{
	const struct ordo_problem *problem = &table->request.problem;
	const char *name = ordo_operator_facts(problem->op)->name;
	char bytes[ORDO_UNITS_SIZE];
	if (!table->smallest)
		return ordo_fail(error, ORDO_REFUTED, 0, "no algorithm suits, of %u that have %s",
			table->count, name);
	ordo_fail(error, ORDO_ENVIRONMENT, 0,
		"%s on %u ranks: no algorithm that suits was found among those that a choice "
		"compiles for so many; the smallest of the others, %s, takes about %.2g tasks and "
		"%s of memory",
		name, problem->nrank, table->smallest, table->smallest_takes.tasks,
		ordo_bytes_text(bytes, table->smallest_takes.bytes));
	if (error)
		error->too_large = true;
	return ordo_hint(error, "an algorithm that is named is compiled whatever it takes, about a "
				"second for a million tasks");
}
