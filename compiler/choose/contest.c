/* contest.c - the candidates of a tuning, each compiled, proved, asked and predicted when that is
 * wanted. */
#include "contest.h"
#include <ordo/arena.h>
#include <ordo/detail/predict.h>
#include <stdlib.h>
#include <string.h>

/* Schedules are kept while they have no more tasks than that together: some 400 MB. */
#define MOST_KEPT (UINT64_C(1) << 24)
/* Where chunks follow each other: so many times the natural K. */
static const uint32_t multiples[] = {1, 4, 16, 64};
enum { NMULTIPLE = sizeof multiples / sizeof *multiples, MOST_CHUNKS = 1024 };

static struct ordo_request request_of(
	const struct ordo_contest *contest, const struct ordo_entrant *entrant)
{
	const struct ordo_selection_wish *wish = &contest->wish->selection;
	struct ordo_request request = {.problem = wish->problem,
		.algorithm = entrant->algorithm,
		.topology = wish->topology};
	request.problem.chunks_per_block = entrant->chunks_per_block;
	return request;
}

/* Would it apply if every rank had a link to every other? */
static bool applies_elsewhere(
	const struct ordo_contest *contest, const struct ordo_entrant *entrant)
{
	struct ordo_request request = request_of(contest, entrant);
	struct ordo_resolved_request resolved = {0};
	request.problem.chunks_per_block = contest->wish->selection.problem.chunks_per_block;
	request.topology = NULL;
	const bool applies = ordo_request_resolve(&resolved, &request, NULL);
	ordo_resolved_request_destroy(&resolved);
	return applies;
}

static void add_refused(struct ordo_contest *contest)
{
	for (uint32_t i = 0; i < contest->candidates->nrefused; i++) {
		const struct ordo_refusal *refusal = &contest->candidates->refused[i];
		struct ordo_entrant *entrant = &contest->entrants[contest->count++];
		*entrant = (struct ordo_entrant){.algorithm = refusal->algorithm,
			.why = refusal->why,
			.refused = true,
			.asked = true};
		entrant->uncarried = applies_elsewhere(contest, entrant);
	}
}

static void add_entrant(struct ordo_contest *contest, const struct ordo_candidate *candidate,
	uint32_t chunks_per_block)
{
	contest->entrants[contest->count++] = (struct ordo_entrant){.candidate = candidate,
		.algorithm = candidate->algorithm,
		.chunks_per_block = chunks_per_block};
}

/* Of one that was named also a single chunk: for little data a pipeline is nothing but steps. */
static void add_candidate(struct ordo_contest *contest, const struct ordo_candidate *candidate)
{
	const bool several =
		candidate->pipelines && !contest->wish->selection.problem.chunks_per_block;
	if (several && contest->wish->algorithm && candidate->chunks_per_block > 1)
		add_entrant(contest, candidate, 1);
	for (uint32_t m = 0; m < (several ? NMULTIPLE : 1); m++) {
		const uint64_t K = (uint64_t)candidate->chunks_per_block * multiples[m];
		if (m && K > MOST_CHUNKS)
			return;
		add_entrant(contest, candidate, (uint32_t)K);
	}
}

/* What no link is faster than, and no rank. */
static void find_limits(struct ordo_contest *contest)
{
	const struct ordo_selection_wish *wish = &contest->wish->selection;
	const struct ordo_topology *topology = wish->topology;
	contest->least_latency = wish->machine.latency_ns * 1e-9;
	contest->most_bandwidth = wish->machine.bandwidth_gbs * 1e9 * wish->problem.nrank;
	if (!topology)
		return;
	contest->most_bandwidth = 0;
	bool any = false;
	for (uint32_t rank = 0; rank < topology->nrank; rank++) {
		double sum = 0;
		for (uint32_t l = topology->first_link[rank]; l < topology->first_link[rank + 1];
			l++) {
			const struct ordo_link *link = &topology->links[l];
			if (link->down)
				continue;
			sum += link->bandwidth_gbs * 1e9;
			if (!any || link->latency_ns * 1e-9 < contest->least_latency)
				contest->least_latency = link->latency_ns * 1e-9;
			any = true;
		}
		contest->most_bandwidth =
			sum > contest->most_bandwidth ? sum : contest->most_bandwidth;
	}
}

bool ordo_contest_open(struct ordo_contest *contest, const struct ordo_tune_wish *wish,
	struct ordo_candidates *candidates, struct ordo_error *error)
{
	*contest = (struct ordo_contest){.wish = wish, .candidates = candidates};
	const size_t most = (size_t)candidates->count * (NMULTIPLE + 1) + candidates->nrefused + 1;
	contest->entrants = calloc(most, sizeof *contest->entrants);
	if (!contest->entrants)
		return ordo_fail_memory(error);
	for (uint32_t i = 0; i < candidates->count; i++)
		add_candidate(contest, &candidates->items[i]);
	add_refused(contest);
	find_limits(contest);
	return true;
}

void ordo_contest_close(struct ordo_contest *contest)
{
	for (uint32_t i = 0; i < contest->count; i++)
		ordo_schedule_destroy(contest->entrants[i].schedule);
	free(contest->entrants);
}

static void keep(
	struct ordo_contest *contest, struct ordo_entrant *entrant, struct ordo_schedule *schedule)
{
	if (contest->kept + schedule->ntask > MOST_KEPT) {
		ordo_schedule_destroy(schedule);
		return;
	}
	contest->kept += schedule->ntask;
	entrant->schedule = schedule;
}

/* Keeps what is said of the candidate; any other trouble ends it all. */
static bool refuse(struct ordo_contest *contest, struct ordo_entrant *entrant,
	const struct ordo_error *why, struct ordo_error *error)
{
	if (!ordo_is_of_candidate(why)) {
		if (error)
			*error = *why;
		return false;
	}
	entrant->why = ordo_arena_text(&contest->candidates->arena, why->text, strlen(why->text));
	return entrant->why ? true : ordo_fail_memory(error);
}

/* A candidate applies, so what keeps it from compiling are links. */
static bool refuse_links(struct ordo_contest *contest, struct ordo_entrant *entrant,
	const struct ordo_error *why, struct ordo_error *error)
{
	entrant->refused = entrant->uncarried = entrant->asked = true;
	return refuse(contest, entrant, why, error);
}

bool ordo_contest_ask(struct ordo_contest *contest, uint32_t i, struct ordo_error *error)
{
	const struct ordo_selection_wish *wish = &contest->wish->selection;
	struct ordo_entrant *entrant = &contest->entrants[i];
	struct ordo_error why = {0};
	if (entrant->asked)
		return true;
	struct ordo_request request = request_of(contest, entrant);
	struct ordo_schedule *schedule = entrant->schedule;
	request.unproved = true; /* proved below, and the proof shown to whom it is to suit */
	if (!schedule)
		schedule = ordo_compile(&request, &why);
	if (!schedule)
		return refuse_links(contest, entrant, &why, error);
	struct ordo_proof *proof = ordo_prove_compiled(&request, schedule, &why);
	if (proof) {
		entrant->asked = true;
		memcpy(entrant->digest, proof->digest, sizeof entrant->digest);
		entrant->suits = !wish->suits || wish->suits(schedule, proof, wish->closure, &why);
	}
	ordo_proof_destroy(proof);
	if (!entrant->schedule)
		keep(contest, entrant, schedule);
	return entrant->suits || refuse(contest, entrant, &why, error);
}

static bool predict(struct ordo_contest *contest, uint32_t i, const struct ordo_schedule *schedule,
	struct ordo_column *column, double limit, struct ordo_error *error)
{
	const struct ordo_tune_wish *wish = contest->wish;
	const struct ordo_predict_options options = {.no_bounds = true,
		.topology = wish->selection.topology,
		.machine = wish->selection.machine,
		.bytes = column->bytes,
		.element_bytes = wish->element_bytes,
		.scratch_element_bytes = wish->scratch_element_bytes,
		.limit = limit};
	struct ordo_prediction *prediction = ordo_predict(schedule, &options, error);
	if (!prediction)
		return false;
	if (prediction->given_up)
		column->over[i] = limit;
	else
		column->seconds[i] = prediction->timeline->total;
	contest->nprediction++;
	ordo_prediction_destroy(prediction);
	return true;
}

bool ordo_contest_time(struct ordo_contest *contest, uint32_t i, struct ordo_column *column,
	double limit, struct ordo_error *error)
{
	struct ordo_entrant *entrant = &contest->entrants[i];
	struct ordo_schedule *schedule = entrant->schedule;
	if (entrant->refused)
		return true;
	struct ordo_request request = request_of(contest, entrant);
	struct ordo_error why = {0};
	request.unproved = true; /* nobody gets it but the prediction */
	if (!schedule)
		schedule = ordo_compile(&request, &why);
	if (!schedule)
		return refuse_links(contest, entrant, &why, error);
	const bool worked = predict(contest, i, schedule, column, limit, error);
	if (!entrant->schedule)
		keep(contest, entrant, schedule);
	return worked;
}

/* Bytes that its busiest rank sends, each chunk as short as any. */
static double bytes_of_busiest(
	const struct ordo_contest *contest, const struct ordo_entrant *entrant, uint64_t bytes)
{
	const struct ordo_problem *problem = &contest->wish->selection.problem;
	const uint32_t element = contest->wish->element_bytes, nrank = problem->nrank;
	const bool alltoall = problem->op == ORDO_ALLTOALL;
	const uint64_t blocks = alltoall ? nrank : ordo_nblock(problem),
		       all = alltoall ? blocks * nrank : blocks;
	const double share = (double)entrant->candidate->volume / (double)entrant->candidate->whole;
	double block = (double)bytes / (double)blocks;
	if (element) {
		const uint64_t K = entrant->chunks_per_block;
		block = (double)(bytes / blocks / element / K * K * element);
	}
	return share * (double)all * block;
}

double ordo_contest_bound(const struct ordo_contest *contest, uint32_t i, uint64_t bytes)
{
	const struct ordo_entrant *entrant = &contest->entrants[i];
	if (entrant->refused || contest->most_bandwidth <= 0)
		return 0;
	/* With another K than the natural one the claims are others: of more chunks steps are not
	 * fewer, and volume is the same but for what does not divide. */
	if (entrant->chunks_per_block < entrant->candidate->chunks_per_block)
		return 0;
	const bool natural = entrant->chunks_per_block == entrant->candidate->chunks_per_block;
	const double chain = (double)entrant->candidate->steps * contest->least_latency,
		     volume = natural ? bytes_of_busiest(contest, entrant, bytes) /
						contest->most_bandwidth
				      : 0;
	return chain > volume ? chain : volume;
}

struct ordo_schedule *ordo_contest_take(
	struct ordo_contest *contest, uint32_t i, struct ordo_error *error)
{
	struct ordo_entrant *entrant = &contest->entrants[i];
	struct ordo_schedule *schedule = entrant->schedule;
	struct ordo_proof *proof;
	entrant->schedule = NULL;
	if (schedule)
		return schedule;
	struct ordo_request request = request_of(contest, entrant);
	request.progress = contest->wish->selection.progress;
	request.closure = contest->wish->selection.progress_closure;
	schedule = ordo_compile_proved(&request, &proof, error);
	ordo_proof_destroy(proof);
	return schedule;
}
