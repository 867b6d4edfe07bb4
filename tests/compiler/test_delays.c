/* test_delays.c - links that are not there delay nothing: relays order no two moves that are not
 * ordered without them.
 *
 * Every request is compiled for its topology, and once more without the pass that puts in relays,
 * so that any rank may notify any other. For both, what every move and every rank's leaving must
 * come after is closed under transitivity, by a plainer way than the compiler's, and must be the
 * same. So whatever moves take and share, they begin and end at the same times; predictions say so
 * too. Where nothing is shared and all links are alike, they are the closed form, if the same moves
 * have it with a link between every two ranks. No pair of a document with relays can be dropped.
 *
 * Arguments: first and last number of ranks (1 6), every how manieth request (1).
 */
#include "closure.h"
#include "specimens.h"

#include <math.h>
#include <ordo/predict.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One request on its way through the passes. */
struct ordering {
	struct ordo_resolved_request resolved;
	struct ordo_sequence sequence;
	struct ordo_sync_edges pairs;
	struct ordo_schedule *schedule;
};

struct effort {
	const struct ordo_topology *topology;
	struct ordo_machine machine; /* as slow as its slowest link */
	uint32_t every;		     /* only every so manieth request, and problem to choose for */
	uint32_t problem;
	struct specimen_count count;
	uint32_t with_relays, relays, dropped, wrong;
	uint32_t of_a_form, of_a_form_with_relays; /* predictions */
};

static void complain(struct effort *effort, const char *title, const char *what)
{
	if (effort->wrong++ < 10)
		printf("%s: %s\n", title, what);
}

static struct ordering make_ordering(const struct ordo_request *request, bool relays)
{
	struct ordering made = {0};
	struct ordo_sequence *sequence = &made.sequence;
	struct ordo_error error;
	if (ordo_request_resolve(&made.resolved, request, &error) &&
		ordo_build(&made.resolved, sequence, &error) && ordo_accumulate(sequence, &error) &&
		ordo_merge(sequence, &error) &&
		(!relays || ordo_relay(sequence, request->topology, &error)) &&
		ordo_order_moves(sequence, ORDO_SEARCH_VISITS, &made.pairs, &error))
		made.schedule = ordo_emit(&made.resolved, sequence, &made.pairs, &error);
	if (!made.schedule) {
		printf("%s: %s\n", request->algorithm, error.text);
		abort();
	}
	return made;
}

static void free_ordering(struct ordering *ordering)
{
	ordo_schedule_destroy(ordering->schedule);
	free(ordering->pairs.items);
	ordo_sequence_free(&ordering->sequence);
	ordo_resolved_request_destroy(&ordering->resolved);
}

/* orderings: with relays, and without. Returns how many there are. */
static uint32_t check_order(
	struct effort *effort, const char *title, const struct ordering *orderings)
{
	const struct ordo_sequence *sequence = &orderings[0].sequence;
	const struct ordo_sync_edges *pairs = &orderings[0].pairs;
	struct closure relayed = close_over(sequence, pairs, ORDO_NONE),
		       direct = close_over(&orderings[1].sequence, &orderings[1].pairs, ORDO_NONE);
	const uint32_t relays = count_relays(sequence);
	if (!are_same(&relayed, &direct))
		complain(effort, title, "relays order what was not ordered, or leave out what was");
	if (relays) {
		effort->relays += relays;
		effort->with_relays++;
		effort->dropped += pairs->count;
		if (count_superfluous(sequence, pairs))
			complain(effort, title, "a pair orders nothing");
	}
	free_closure(&relayed);
	free_closure(&direct);
	return relays;
}

static struct ordo_prediction *predict(const struct effort *effort, const struct ordering *ordering,
	const struct ordo_topology *topology, uint64_t bytes)
{
	struct ordo_error error;
	const struct ordo_predict_options options = {.topology = topology,
		.machine = effort->machine,
		.bytes = bytes,
		.no_bounds = true};
	struct ordo_prediction *found = ordo_predict(ordering->schedule, &options, &error);
	if (!found) {
		printf("%s\n", error.text);
		abort();
	}
	return found;
}

static bool is_near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * b;
}

/* No two moves used one thing at one time. */
static bool is_unshared(
	const struct ordo_topology *topology, const struct ordo_prediction *prediction)
{
	for (uint32_t i = 0; i < topology->nlink; i++)
		if (prediction->links[i].most > 1)
			return false;
	return !(prediction->breakdown.sharing > 0 || prediction->breakdown.waiting > 0);
}

static bool are_links_alike(const struct ordo_topology *topology)
{
	for (uint32_t i = 0; i < topology->nlink; i++) {
		const struct ordo_link *a = &topology->links[0], *b = &topology->links[i];
		if (memcmp(&a->latency_ns, &b->latency_ns, sizeof a->latency_ns) ||
			memcmp(&a->bandwidth_gbs, &b->bandwidth_gbs, sizeof a->bandwidth_gbs))
			return false;
	}
	return topology->nswitch == 0;
}

/* form: seconds, or 0 for none. Returns whether they had to be met. */
static bool check_time(struct effort *effort, const char *title, const struct ordering *orderings,
	uint64_t bytes, double form)
{
	const struct ordo_topology *topology = effort->topology;
	struct ordo_prediction *relayed = predict(effort, &orderings[0], topology, bytes),
			       *direct = predict(effort, &orderings[1], topology, bytes),
			       *linked = predict(effort, &orderings[1], NULL, bytes);
	const double found = relayed->timeline->total, wanted = direct->timeline->total;
	const bool has_form = are_links_alike(topology) && is_unshared(topology, direct) &&
			      form > 0 && is_near(linked->timeline->total, form);
	char what[160];
	snprintf(what, sizeof what, "%llu bytes: %.9g us; without relays %.9g, closed form %.9g",
		(unsigned long long)bytes, found * 1e6, wanted * 1e6, form * 1e6);
	if (!is_near(found, wanted) || (has_form && !is_near(found, form)))
		complain(effort, title, what);
	ordo_prediction_destroy(relayed);
	ordo_prediction_destroy(direct);
	ordo_prediction_destroy(linked);
	return has_form;
}

/* What the check takes grows with the square of the moves. */
static bool is_too_large(const struct ordo_request *request)
{
	struct ordo_resolved_request resolved;
	struct ordo_sequence sequence = {0};
	enum { MOST_PACKED = 300 };
	if (strncmp(request->algorithm, "packing", strlen("packing")) != 0 &&
		strncmp(request->algorithm, "placed", strlen("placed")) != 0)
		return false;
	const bool large = ordo_request_resolve(&resolved, request, NULL) &&
			   ordo_build(&resolved, &sequence, NULL) && sequence.nmove > MOST_PACKED;
	ordo_sequence_free(&sequence);
	ordo_resolved_request_destroy(&resolved);
	return large;
}

static void check_request(
	struct effort *effort, const char *title, const struct ordo_request *request)
{
	if (is_too_large(request))
		return;
	static const uint64_t sizes[] = {1 << 10, 720720, 16 << 20};
	struct ordering orderings[2] = {
		make_ordering(request, true), make_ordering(request, false)};
	struct ordo_cost cost;
	const uint32_t relays = check_order(effort, title, orderings);
	const bool counted = ordo_cost_of(request, &cost, NULL) && cost.source != ORDO_COST_CLAIMS;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		const double form =
			counted ? ordo_cost_seconds(&cost, &effort->machine, sizes[i]) : 0;
		const bool had_form = check_time(effort, title, orderings, sizes[i], form);
		effort->of_a_form += had_form;
		effort->of_a_form_with_relays += had_form && relays;
	}
	free_ordering(&orderings[0]);
	free_ordering(&orderings[1]);
}

static void check(
	const struct specimen *specimen, const struct ordo_schedule *schedule, void *closure)
{
	struct effort *effort = closure;
	(void)schedule;
	check_request(effort, specimen->title,
		&(struct ordo_request){.problem = specimen->problem,
			.algorithm = specimen->algorithm,
			.topology = effort->topology});
}

/* A form that is worth trying on the topology. */
static void visit_candidate(
	struct effort *effort, const struct ordo_problem *problem, const char *algorithm)
{
	struct ordo_error error;
	char title[192];
	snprintf(title, sizeof title, "%s %s, %u ranks, %s, root %u%s",
		ordo_operator_facts(problem->op)->name, algorithm, problem->nrank,
		effort->topology->name, problem->root, problem->in_place ? ", in place" : "");
	const struct ordo_request request = {
		.problem = *problem, .algorithm = algorithm, .topology = effort->topology};
	struct ordo_schedule *schedule = ordo_compile(&request, &error);
	if (schedule) {
		effort->count.visited++;
		check_request(effort, title, &request);
	} else if (error.code == ORDO_USAGE) {
		effort->count.inapplicable++;
	} else {
		complain(effort, title, error.text);
	}
	ordo_schedule_destroy(schedule);
}

static void visit_candidates(struct effort *effort, const struct ordo_problem *problem)
{
	struct ordo_candidates candidates;
	struct ordo_error error;
	if (effort->every && effort->problem++ % effort->every)
		return;
	if (!ordo_candidates_make(&candidates,
		    &(struct ordo_request){.problem = *problem, .topology = effort->topology},
		    &error))
		complain(effort, ordo_operator_facts(problem->op)->name, error.text);
	for (uint32_t i = 0; i < candidates.count; i++)
		visit_candidate(effort, problem, candidates.items[i].algorithm);
	ordo_candidates_free(&candidates);
}

/* Of the first and the last root, out of place and in place. */
static void visit_operator(struct effort *effort, enum ordo_operator op)
{
	const struct ordo_operator_facts *facts = ordo_operator_facts(op);
	const uint32_t nrank = effort->topology->nrank, last_root = facts->rooted ? nrank - 1 : 0;
	struct ordo_problem problem = {.op = op, .nrank = nrank, .nshard = nrank};
	for (int form = 0; form < 4; form++) {
		problem.in_place = form & 1;
		problem.root = form & 2 ? last_root : 0;
		if ((!problem.in_place || facts->has_in_place) && (!(form & 2) || last_root))
			visit_candidates(effort, &problem);
	}
}

/* The algorithms, with their parameters one at a time; then the forms there are to choose from. */
static void visit_finished(struct effort *effort, const struct ordo_topology *topology)
{
	const struct specimen_range range = {.topology = topology,
		.first_rank = topology->nrank,
		.last_rank = topology->nrank,
		.every = effort->every,
		.all_parameters = true};
	effort->topology = topology;
	effort->machine = ordo_machine_usual();
	ordo_machine_take(&effort->machine, topology);
	const struct specimen_count count = visit_specimens(&range, check, effort);
	effort->count.visited += count.visited;
	effort->count.inapplicable += count.inapplicable;
	effort->count.failed += count.failed;
	for (int op = 0; op < ORDO_NOPERATOR; op++)
		visit_operator(effort, (enum ordo_operator)op);
}

/* As it is and, if there is a link between ranks 0 and 1, without that. */
static void visit_topology(struct effort *effort, const char *name, uint32_t nrank)
{
	struct ordo_error error;
	struct ordo_topology *topology = ordo_topology_make(name, nrank, &error);
	if (topology) {
		visit_finished(effort, topology);
		if (nrank > 2 && ordo_topology_fail_link(topology, 0, 1, &error) &&
			ordo_topology_finish(topology, &error))
			visit_finished(effort, topology);
	} else if (error.code != ORDO_USAGE) {
		complain(effort, name, error.text);
	}
	ordo_topology_destroy(topology);
}

static const char *const names[] = {"full-mesh", "ring", "star", "hypercube", "a3:2", "a3:4",
	"a3:6", "a3:8", "a3:10", "a3:12", "a3:14", "a3:16", "a3:2x2", "a3:2x4", "a3:2x6", "a3:2x8",
	"a3:3x4", "a3:4x2", "a3:4x4", "servers:2x2", "servers:2x3", "servers:2x4", "servers:2x5",
	"servers:2x8", "servers:3x3", "servers:3x5", "servers:4x2", "servers:4x3", "servers:4x4",
	"torus:2x2", "torus:2x3", "torus:2x4", "torus:2x8", "torus:3x3", "torus:3x4", "torus:3x5",
	"torus:4x4", "torus:2x2x2", "torus:2x2x3", "torus:2x2x4"};

int main(int argc, char **argv)
{
	struct effort effort = {.every = argc > 3 ? (uint32_t)atoi(argv[3]) : 1};
	const uint32_t first = argc > 1 ? (uint32_t)atoi(argv[1]) : 1,
		       last = argc > 2 ? (uint32_t)atoi(argv[2]) : 6;
	for (uint32_t n = first; n <= last; n++)
		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
			visit_topology(&effort, names[i], n);
	printf("%u schedules, %u requests that do not apply, %u failed\n", effort.count.visited,
		effort.count.inapplicable, effort.count.failed);
	printf("%u schedules with %u relays, %u pairs dropped; %u wrong\n", effort.with_relays,
		effort.relays, effort.dropped, effort.wrong);
	printf("%u predictions are closed forms, %u of them with relays\n", effort.of_a_form,
		effort.of_a_form_with_relays);
	const bool some = effort.with_relays && effort.of_a_form_with_relays;
	return some && !effort.count.failed && !effort.wrong ? EXIT_SUCCESS : EXIT_FAILURE;
}
