/* test_random_programs.c - random sequential programs through the builder and the passes: what is
 * derived must be right and minimal.
 *
 * And so it must be on a topology with links for the data alone, where it must also order no more.
 * Both are also split for at most one or two tokens a signal.
 *
 * Arguments: how many programs (400), first seed (1).
 */
#include "closure.h"
#include "judging.h"
#include "mutate.h"
#include "random_schedule.h"
#include "running.h"

#include <stdlib.h>

static uint32_t wrong;
static uint64_t relays;

static void complain(uint64_t seed, const struct ordo_schedule *schedule, const char *what)
{
	if (wrong++ >= 3)
		return;
	printf("seed %llu: %s\n", (unsigned long long)seed, what);
	if (schedule)
		print_handmade(schedule, stdout);
}

/* The "algorithm": says the program's moves, on a stream that each move's place in the program
 * picks. */
static void say_program(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	const struct random_program *program = request->prepared;
	uint64_t random = program->nstep;
	const uint32_t nstream = 1 + below(&random, 3);
	ordo_scratch(b, program->scratch_slots);
	for (uint32_t i = 0; i < program->nstep; i++) {
		const struct random_step *step = &program->steps[i];
		const struct ordo_task *task = &step->task;
		const struct ordo_at from =
			ordo_at(step->rank, (enum ordo_buffer)task->src_buffer, task->src);
		const struct ordo_at to =
			ordo_at(step->target, (enum ordo_buffer)task->dst_buffer, task->dst);
		ordo_stream(b, "random", below(&random, nstream));
		if (ordo_task_reduces(task))
			ordo_reduce(b, to, from, task->count);
		else
			ordo_copy(b, to, from, task->count);
	}
}

/* A program on its way through the passes. */
struct derivation {
	struct ordo_resolved_request request;
	struct ordo_sequence sequence;
	struct ordo_sync_edges pairs;
	struct ordo_schedule *schedule; /* NULL: see the error */
};

/* topology NULL: all links are there. The algorithm has to live as long as the derivation. */
static struct derivation derive(struct random_program *program,
	const struct ordo_algorithm *algorithm, const struct ordo_topology *topology,
	struct ordo_error *error)
{
	struct derivation d = {.request = {.problem = program->problem,
				       .nshard = program->problem.nshard,
				       .topology = topology,
				       .algorithm = algorithm,
				       .notation = "random",
				       .prepared = program}};
	if (ordo_build(&d.request, &d.sequence, error) && ordo_merge(&d.sequence, error) &&
		ordo_relay(&d.sequence, topology, error) &&
		ordo_order_moves(&d.sequence, ORDO_SEARCH_VISITS, &d.pairs, error))
		d.schedule = ordo_emit(&d.request, &d.sequence, &d.pairs, error);
	return d;
}

static void end_derivation(struct derivation *d)
{
	ordo_schedule_destroy(d->schedule);
	free(d->pairs.items);
	ordo_sequence_free(&d->sequence);
}

/* Split for at most one or two tokens a signal, it is proved to keep that limit. */
static void check_tokens(const struct ordo_schedule *schedule, uint64_t seed)
{
	const uint32_t limit = 1 + seed % 2;
	struct ordo_schedule *limited = ordo_schedule_copy(schedule, NULL);
	const struct ordo_verify_options options = {.limits.tokens_in_flight = limit};
	struct ordo_proof *proof = limited && ordo_limit_tokens(limited, limit, NULL)
					   ? ordo_verify(limited, &options, NULL)
					   : NULL;
	if (!proof || !proof->proved)
		complain(seed, limited,
			proof ? proof->findings[0].text : "there is no memory to limit tokens");
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(limited);
}

/* Links in both directions between those who move anything to each other, and no others. */
static struct ordo_topology *link_movers(const struct ordo_sequence *sequence)
{
	struct ordo_error error;
	const uint32_t N = sequence->problem.nrank;
	struct ordo_topology *topology = ordo_topology_create("movers", N, 0, 0, &error);
	bool *linked = calloc((size_t)N * N, sizeof *linked), worked = topology && linked;
	for (uint32_t i = 0; worked && i < sequence->nmove; i++) {
		const uint32_t ends[2] = {sequence->moves[i].rank, sequence->moves[i].peer};
		for (int k = 0; k < 2 && worked && ends[0] != ends[1]; k++)
			if (!linked[ends[k] * N + ends[!k]]) {
				linked[ends[k] * N + ends[!k]] = true;
				worked = ordo_topology_add(
					topology, ends[k], ends[!k], NULL, 1000, 50, &error);
			}
	}
	if (!worked || !ordo_topology_finish(topology, &error))
		abort();
	free(linked);
	return topology;
}

/* On few links, against what was derived on all. */
static void check_relays(struct random_program *program, const struct ordo_algorithm *algorithm,
	const struct derivation *plain, uint64_t seed)
{
	struct ordo_error error = {0};
	struct ordo_topology *topology = link_movers(&plain->sequence);
	struct derivation d = derive(program, algorithm, topology, &error);
	const struct ordo_verify_options options = {.topology = topology};
	struct ordo_proof *proof = d.schedule ? ordo_verify(d.schedule, &options, &error) : NULL;
	struct closure closures[2] = {close_over(&plain->sequence, &plain->pairs, ORDO_NONE),
		close_over(&d.sequence, &d.pairs, ORDO_NONE)};
	if (!proof || !proof->proved)
		complain(seed, d.schedule, proof ? "is not proved on few links" : error.text);
	if (!are_same(&closures[0], &closures[1]))
		complain(seed, d.schedule, "on few links, other moves are ordered");
	if (count_superfluous(&d.sequence, &d.pairs))
		complain(seed, d.schedule, "on few links, a pair is superfluous");
	if (d.schedule)
		check_tokens(d.schedule, seed);
	relays += count_relays(&d.sequence);
	free_closure(&closures[0]);
	free_closure(&closures[1]);
	ordo_proof_destroy(proof);
	end_derivation(&d);
	ordo_topology_destroy(topology);
}

/* Without any one pair it must not be sound. */
static uint32_t drop_pairs(const struct ordo_schedule *schedule, uint64_t seed)
{
	uint32_t dropped = 0;
	for (uint32_t t = 0; t < schedule->ntask; t++) {
		struct ordo_schedule *mutant = with_fault(schedule, FAULT_DROP_PAIR, t, 0);
		if (!mutant)
			continue;
		struct judgement judgement;
		judge_schedule(mutant, &(struct judging){0}, &judgement);
		dropped++;
		if (*judgement.quarrel)
			complain(seed, mutant, judgement.quarrel);
		else if (judgement.proved) {
			char what[64];
			snprintf(what, sizeof what, "the pair of task %u is superfluous", t);
			complain(seed, schedule, what);
		}
		ordo_schedule_destroy(mutant);
	}
	return dropped;
}

static void check_program(uint64_t seed, uint64_t *dropped, uint64_t *guesses)
{
	static const struct random_shape shape = {.max_ranks = 6, .max_chunks = 3, .shards = true};
	static const struct ordo_algorithm algorithm = {
		.facts = {.name = "random"}, .build = say_program};
	struct random_program program;
	struct ordo_error error;
	char why[512];
	random_program(&program, &shape, seed);
	struct derivation d = derive(&program, &algorithm, NULL, &error);
	if (!d.schedule) {
		complain(seed, NULL, error.text);
		end_derivation(&d);
		return;
	}
	struct judgement judgement;
	judge_schedule(d.schedule, &(struct judging){.max_states = 1000}, &judgement);
	if (*judgement.quarrel || !judgement.proved)
		complain(
			seed, d.schedule, *judgement.quarrel ? judgement.quarrel : "is not proved");
	else if (!runs_right(d.schedule, 5, false, why))
		complain(seed, d.schedule, why);
	else if (!d.pairs.guessed)
		*dropped += drop_pairs(d.schedule, seed);
	*guesses += d.pairs.guessed;
	check_tokens(d.schedule, seed);
	check_relays(&program, &algorithm, &d, seed);
	end_derivation(&d);
}

int main(int argc, char **argv)
{
	const uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 400;
	const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	uint64_t dropped = 0, guesses = 0;
	for (uint64_t seed = first; seed < first + count; seed++)
		check_program(seed, &dropped, &guesses);
	printf("%llu programs, %llu pairs dropped, %llu questions guessed, %llu relays, %u wrong\n",
		(unsigned long long)count, (unsigned long long)dropped, (unsigned long long)guesses,
		(unsigned long long)relays, wrong);
	return wrong || !relays ? EXIT_FAILURE : EXIT_SUCCESS;
}
