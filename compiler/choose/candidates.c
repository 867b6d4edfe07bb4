/* candidates.c - lists the algorithms that apply to a problem, with the parameters worth trying.
 *
 * Each algorithm's own file lists the variants worth trying. Here they become requests, which the
 * algorithm accepts or refuses, and are sorted by their claims.
 */
#include "candidates.h"
#include "algorithms/direct/owners.h"
#include "algorithms/hierarchy/servers.h"
#include "algorithms/registry.h"
#include "algorithms/tree/arrivals.h"
#include "pipeline/pipeline.h"
#include "request/fast_links.h"
#include "synthesis/pack/phase.h"
#include "synthesis/place/kept.h"
#include "ways/parallel.h"
#include "ways/ways.h"
#include <ordo/arena.h>
#include <ordo/divisor.h>
#include <stdlib.h>
#include <string.h>

/* The numbers that replace `#` in a variant, and what else decides whether it is tried. */
struct numbers {
	uint32_t nserver, nring, nfast_ring; /* without slow links */
	bool owners;	 /* some ranks exchange data with all others, and some do not */
	bool sparse;	 /* some do not */
	bool uneven;	 /* or links differ, are shared through switches, or outnumber ports */
	bool slow;	 /* links are slower than ways around them */
	bool one_way;	 /* some links lead one way only */
	bool unequal;	 /* links are not as wide one way as the other */
	bool adds;	 /* adding takes a part of the time of the fastest link */
	bool ways;	 /* switches offer some ranks several ways to others */
	bool one_switch; /* it is all that joins the ranks */
	bool parallel;	 /* some links lie side by side */
};

/* Link-disjoint rings that share the data: with more, chunks become too small. */
enum { MAX_RINGS = 8 };

/* An upper bound: a rank needs two neighbours for each ring, and through a switch all rings share
 * its link. The ring algorithm finds out whether so many exist. */
static uint32_t count_rings(const struct ordo_topology *topology, uint32_t nrank)
{
	uint32_t least = nrank - 1;
	for (uint32_t i = 0; topology && i < topology->nrank; i++) {
		uint32_t count = 0, last = ORDO_NONE;
		for (uint32_t l = topology->first_link[i]; l < topology->first_link[i + 1]; l++) {
			const struct ordo_link *link = &topology->links[l];
			count += !link->down && link->to < nrank && link->to != last;
			last = link->to;
		}
		least = count < least ? count : least;
	}
	return least / 2 < MAX_RINGS ? least / 2 : MAX_RINGS;
}

/* Sums that are faster than all links by more are as good as free. */
enum { FREE_SUMS = 64 };

static bool sums_take_time(const struct ordo_topology *topology)
{
	double widest = topology ? 0 : ordo_machine_usual().bandwidth_gbs;
	for (uint32_t i = 0; topology && i < topology->nlink; i++)
		if (!topology->links[i].down && topology->links[i].bandwidth_gbs > widest)
			widest = topology->links[i].bandwidth_gbs;
	return ordo_adding_gbs(topology) < FREE_SUMS * widest;
}

/* Whether some links are worth more than others at some time. */
static bool is_uneven(const struct ordo_topology *topology)
{
	const struct ordo_link *first = NULL;
	if (topology && (topology->nswitch || topology->ports))
		return true;
	for (uint32_t i = 0; topology && i < topology->nlink; i++) {
		const struct ordo_link *link = &topology->links[i];
		if (link->down)
			continue;
		if (first && (link->latency_ns != first->latency_ns ||
				     link->bandwidth_gbs != first->bandwidth_gbs))
			return true;
		first = link;
	}
	return false;
}

/* Whether one switch is all that joins the ranks. */
static bool has_only_one_switch(const struct ordo_topology *topology)
{
	if (!topology || topology->nswitch != 1)
		return false;
	for (uint32_t i = 0; i < topology->nlink; i++)
		if (topology->links[i].from < topology->nrank &&
			topology->links[i].to < topology->nrank)
			return false;
	return true;
}

/* The name with `settings` in parentheses, a number for `#`, and with the ways spread if asked for;
 * the name alone if there is nothing to say. */
static const char *write_notation(struct ordo_arena *arena, const char *name, const char *settings,
	uint32_t number, bool spreads)
{
	const size_t before = strcspn(settings, "#");
	const char *spread = !spreads ? "" : *settings ? ",via=spread" : "via=spread";
	if (!*settings && !spreads)
		return name;
	if (!settings[before])
		return ordo_arena_format(arena, "%s(%s%s)", name, settings, spread);
	return ordo_arena_format(arena, "%s(%.*s%u%s%s)", name, (int)before, settings, number,
		settings + before + 1, spread);
}

bool ordo_is_of_candidate(const struct ordo_error *why)
{
	return why->code == ORDO_USAGE || why->code == ORDO_REFUTED ||
	       why->code == ORDO_UNDECIDED || why->too_large;
}

bool ordo_refuse_candidate(struct ordo_candidates *candidates, const char *algorithm,
	const struct ordo_error *why, struct ordo_error *error)
{
	struct ordo_arena *arena = &candidates->arena;
	const struct ordo_refusal refusal = {ordo_arena_text(arena, algorithm, strlen(algorithm)),
		ordo_arena_text(arena, why->text, strlen(why->text)), why->too_large};
	if (!refusal.algorithm || !refusal.why ||
		!ordo_array_reserve(&candidates->refused, &candidates->refused_room,
			(size_t)candidates->nrefused + 1, sizeof *candidates->refused))
		return ordo_fail_memory(error);
	candidates->refused[candidates->nrefused++] = refusal;
	return true;
}

/* map=auto may mean no map. */
static bool is_listed(const struct ordo_candidates *candidates, const char *notation)
{
	for (uint32_t i = 0; i < candidates->count; i++)
		if (!strcmp(candidates->items[i].algorithm, notation))
			return true;
	return false;
}

/* Whether a parameter was given that decides K. */
static bool fixes_chunks(const struct ordo_resolved_request *resolved)
{
	const struct ordo_algorithm_facts *facts = &resolved->algorithm->facts;
	for (uint32_t i = 0; i < facts->nparameter; i++)
		if (facts->parameters[i].fixes_chunks &&
			ordo_parameter_number(resolved, facts->parameters[i].name) != ORDO_NONE)
			return true;
	return false;
}

/* pipeline: a variant whose chunks follow each other; NULL. */
static bool accept(struct ordo_candidates *candidates, const struct ordo_resolved_request *resolved,
	const struct ordo_variant *pipeline, struct ordo_error *error)
{
	const uint64_t most_moves = pipeline ? pipeline->most_moves : 0;
	struct ordo_claims claims;
	if (is_listed(candidates, resolved->notation))
		return true;
	if (!ordo_claims_of(resolved, &claims, error))
		return false;
	const uint64_t whole = ordo_nchunk(&resolved->problem),
		       divisor = ordo_common_divisor(whole, claims.volume),
		       moves = whole * resolved->problem.nrank;
	const uint32_t most_chunks =
		(uint32_t)(most_moves * resolved->problem.chunks_per_block / moves);
	const char *notation =
		ordo_arena_text(&candidates->arena, resolved->notation, strlen(resolved->notation));
	if (!notation || !ordo_array_reserve(&candidates->items, &candidates->room,
				 (size_t)candidates->count + 1, sizeof *candidates->items))
		return ordo_fail_memory(error);
	candidates->items[candidates->count++] = (struct ordo_candidate){
		.algorithm = notation,
		.chunks_per_block = resolved->problem.chunks_per_block,
		.steps = claims.steps,
		.volume = claims.volume / divisor,
		.whole = whole / divisor,
		.pipelines = pipeline && !fixes_chunks(resolved),
		.halves = pipeline && (!most_moves || most_moves >= moves) ? pipeline->halves : 0,
		.may_save = pipeline ? pipeline->may_save : 0,
		.little = pipeline && pipeline->little,
		.large_chunks = pipeline && pipeline->large_chunks,
		.most_chunks = most_moves && !most_chunks ? 1 : most_chunks,
	};
	return true;
}

static bool try_variant(struct ordo_candidates *candidates, const struct ordo_request *request,
	const struct ordo_variant *variant, const struct numbers *numbers, bool spreads,
	struct ordo_error *error)
{
	struct ordo_request wish = *request;
	struct ordo_resolved_request resolved = {0};
	struct ordo_error refusal = {0};
	wish.algorithm = write_notation(&candidates->arena, request->algorithm, variant->settings,
		variant->rings ? variant->slow ? numbers->nfast_ring : numbers->nring
			       : numbers->nserver,
		spreads);
	if (!wish.algorithm)
		return ordo_fail_memory(error);
	bool worked;
	if (ordo_request_resolve(&resolved, &wish, &refusal)) {
		const bool pipelines = variant->pipelines >> request->problem.op & 1;
		worked = accept(candidates, &resolved, pipelines ? variant : NULL, error);
	} else if (ordo_is_of_candidate(&refusal)) {
		worked = ordo_refuse_candidate(candidates, wish.algorithm, &refusal, error);
	} else {
		worked = false;
		if (error)
			*error = refusal;
	}
	ordo_resolved_request_destroy(&resolved);
	return worked;
}

static bool is_tried(const struct ordo_variant *variant, const struct ordo_request *request,
	uint32_t operators, const struct numbers *numbers)
{
	const struct ordo_problem *problem = &request->problem;
	const struct ordo_topology *topology = request->topology;
	const struct ordo_operator_facts *facts = ordo_operator_facts(problem->op);
	const bool adders = variant->most_adders && facts->reduces && !facts->rooted,
		   at_switch = variant->most_at_switch && numbers->one_switch,
		   one_tree = variant->one_tree && (request->one_tree || request->order);
	return (variant->operators ? variant->operators : operators) >> problem->op & 1 &&
	       (!variant->servers || numbers->nserver >= 2) &&
	       (!variant->rings || numbers->nring >= 2) && (!variant->owners || numbers->owners) &&
	       (!variant->sparse || numbers->sparse) && (!variant->uneven || numbers->uneven) &&
	       (!variant->slow || numbers->slow) && (!variant->one_way || numbers->one_way) &&
	       (!variant->unequal || numbers->unequal) &&
	       (!variant->switched || (topology && topology->nswitch)) &&
	       (!variant->adds || numbers->adds) &&
	       (!variant->most_ranks || one_tree || problem->nrank <= variant->most_ranks) &&
	       (!adders || problem->nrank <= variant->most_adders) &&
	       (!at_switch || problem->nrank <= variant->most_at_switch);
}

static bool try_algorithm(struct ordo_candidates *candidates, const struct ordo_request *asked,
	const struct ordo_algorithm_facts *facts, const struct numbers *numbers,
	struct ordo_error *error)
{
	static const struct ordo_variant plain = {.settings = ""};
	struct ordo_request request = *asked;
	request.algorithm = facts->name;
	const struct ordo_variant *variants = facts->variants ? facts->variants : &plain;
	const uint32_t nvariant = facts->variants ? facts->nvariant : 1;
	for (uint32_t i = 0; i < nvariant; i++) {
		if (!is_tried(&variants[i], &request, facts->operators, numbers))
			continue;
		const bool plain_too = numbers->parallel || !variants[i].parallel;
		if ((plain_too && !try_variant(candidates, &request, &variants[i], numbers, false,
					  error)) ||
			(numbers->ways && !try_variant(candidates, &request, &variants[i], numbers,
						  true, error)))
			return false;
	}
	return true;
}

/* Fractions are in lowest terms, so equal ones give equal quotients. */
static bool is_cheaper(const struct ordo_candidate *a, const struct ordo_candidate *b)
{
	const double of_a = (double)a->volume / (double)a->whole,
		     of_b = (double)b->volume / (double)b->whole;
	return of_a != of_b ? of_a < of_b : a->steps < b->steps;
}

/* A stable insertion sort: there are a few dozen, and equal ones keep the order of the table. */
static void sort(struct ordo_candidate *items, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		const struct ordo_candidate one = items[i];
		uint32_t at = i;
		for (; at && is_cheaper(&one, &items[at - 1]); at--)
			items[at] = items[at - 1];
		items[at] = one;
	}
}

/* Requests for its candidates share placements and packed phases. */
static bool make_empty(
	struct ordo_candidates *candidates, struct ordo_request *request, struct ordo_error *error)
{
	*candidates =
		(struct ordo_candidates){.kept_placements = ordo_kept_placements_create(error),
			.kept_phases = ordo_kept_phases_create(error)};
	request->kept_placements = candidates->kept_placements;
	request->kept_phases = candidates->kept_phases;
	return candidates->kept_placements && candidates->kept_phases;
}

bool ordo_candidates_make(struct ordo_candidates *candidates, const struct ordo_request *asked,
	struct ordo_error *error)
{
	/* What else is asked for is no matter of candidates. */
	struct ordo_request request = {.problem = asked->problem,
		.topology = asked->topology,
		.order = asked->order,
		.one_tree = asked->one_tree};
	const struct ordo_problem *problem = &request.problem;
	const struct ordo_topology *topology = request.topology;
	struct ordo_resolved_request resolved = {0};
	struct numbers numbers;
	if (!make_empty(candidates, &request, error))
		return false;
	if (!ordo_request_take_problem(&resolved, &request, error) ||
		!ordo_has_enough_shards(&resolved, error) ||
		!ordo_servers_count(topology, &numbers.nserver, error))
		return false;
	numbers.nring = numbers.nfast_ring = count_rings(topology, problem->nrank);
	numbers.one_switch = has_only_one_switch(topology);
	numbers.slow = ordo_has_slow_links(topology);
	numbers.one_way = ordo_has_one_way_links(topology);
	numbers.unequal = ordo_has_unequal_directions(topology);
	numbers.adds = sums_take_time(topology);
	numbers.parallel = topology && ordo_has_parallel_links(topology);
	if (numbers.slow) {
		struct ordo_topology *fast = ordo_without_slow_links(topology, error);
		if (!fast)
			return false;
		numbers.nfast_ring = count_rings(fast, problem->nrank);
		ordo_topology_destroy(fast);
	}
	const uint32_t nowner = topology ? ordo_owners_count(topology) : problem->nrank;
	numbers.owners = nowner && nowner < problem->nrank;
	numbers.sparse = nowner < problem->nrank;
	numbers.uneven = numbers.sparse || is_uneven(topology);
	if (!ordo_has_ways(topology, &numbers.ways, error))
		return false;
	for (uint32_t i = 0; i < ordo_registry.nalgorithm; i++) {
		const struct ordo_algorithm_facts *facts = &ordo_registry.algorithms[i]->facts;
		if (!(facts->operators >> problem->op & 1))
			continue;
		if (asked->progress)
			asked->progress(asked->closure, "listing", i, ordo_registry.nalgorithm);
		if (!try_algorithm(candidates, &request, facts, &numbers, error))
			return false;
	}
	sort(candidates->items, candidates->count);
	return true;
}

/* Whether the notation has each of the settings, and how many these are. */
static bool has_settings(const char *notation, const char *settings, uint32_t *count)
{
	for (*count = 0; *settings; ++*count) {
		const size_t length = strcspn(settings, ",");
		const char *at = strpbrk(notation, "(,");
		while (at &&
			(strncmp(at + 1, settings, length) != 0 || !strchr(",)", at[1 + length])))
			at = strpbrk(at + 1, ",");
		if (!at)
			return false;
		settings += length + (settings[length] == ',');
	}
	return true;
}

/* The variant that pipelines chunks and has the most settings in common with what is asked for, and
 * none besides; the first one that pipelines, if there is no such; NULL: none pipelines. */
static const struct ordo_variant *find_pipeline(
	const struct ordo_resolved_request *resolved, enum ordo_operator op)
{
	const struct ordo_algorithm_facts *facts = &resolved->algorithm->facts;
	const struct ordo_variant *found = NULL;
	bool fits = false;
	uint32_t most = 0, count;
	for (uint32_t i = 0; i < facts->nvariant; i++) {
		const struct ordo_variant *variant = &facts->variants[i];
		if (!(variant->pipelines >> op & 1) || variant->little || variant->large_chunks)
			continue;
		const bool has = has_settings(resolved->notation, variant->settings, &count);
		if (!found || (has && (!fits || count > most))) {
			found = variant;
			fits = has;
			most = has ? count : 0;
		}
	}
	return found;
}

bool ordo_candidates_take(struct ordo_candidates *candidates, const struct ordo_request *asked,
	struct ordo_error *error)
{
	struct ordo_request request = *asked;
	struct ordo_resolved_request resolved = {0};
	const bool worked =
		make_empty(candidates, &request, error) &&
		ordo_request_resolve(&resolved, &request, error) &&
		accept(candidates, &resolved, find_pipeline(&resolved, request.problem.op), error);
	ordo_resolved_request_destroy(&resolved);
	return worked;
}

void ordo_candidates_free(struct ordo_candidates *candidates)
{
	free(candidates->items);
	free(candidates->refused);
	ordo_arena_free(&candidates->arena);
	ordo_kept_placements_destroy(candidates->kept_placements);
	ordo_kept_phases_destroy(candidates->kept_phases);
	*candidates = (struct ordo_candidates){0};
}
