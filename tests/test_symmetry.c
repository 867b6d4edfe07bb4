/* test_symmetry.c - the proof from one program against the proof of the whole.
 *
 * Every compiled schedule in which a symmetry is found, and thousands of mutants. A mutant of one rank is not symmetric,
 * or it is proved and refuted like the whole. A mutant of all ranks alike is: rank 0's program gets a fault, and
 * all the others are made from it by relabelling, here written once more; so the proof must be the same, verdict,
 * guarantees, witnesses, digest and tokens, on whatever nonsense comes out of it.
 *
 * Arguments: first and last number of ranks (1, 9), faults of each kind put into each schedule (1), of so many
 * schedules one (1).
 */
#include "mutate.h"
#include "specimens.h"
#include <ordo/symmetry.h>

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct tally {
	uint32_t compared, symmetric, refuted, alone, mutants, unlike, of_one_rank;
	uint32_t swept; /* proved mutants */
};

static struct tally tally;
static uint32_t quarrels;
static uint64_t random_state = 1;
static uint32_t faults_of_each = 1;

static void quarrel(const char *title, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void quarrel(const char *title, const char *format, ...)
{
	va_list arguments;
	if (quarrels++ > 10)
		return;
	printf("%s: ", title);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void compare_proofs(const char *title, const struct ordo_proof *part, const struct ordo_proof *whole)
{
	if (part->proved != whole->proved) {
		quarrel(title, "from one program %s (%s), as a whole %s (%s)",
			part->proved ? "proved" : "refuted", part->nfinding ? part->findings[0].text : "",
			whole->proved ? "proved" : "refuted", whole->nfinding ? whole->findings[0].text : "");
		return;
	}
	if (!whole->proved)
		return;
	if (part->rank_equal != whole->rank_equal || part->run_to_run != whole->run_to_run ||
		part->position_invariant != whole->position_invariant)
		quarrel(title, "guarantees %d %d %d, as a whole %d %d %d", part->rank_equal, part->run_to_run,
			part->position_invariant, whole->rank_equal, whole->run_to_run,
			whole->position_invariant);
	if (!same_text(part->rank_equal_why, whole->rank_equal_why))
		quarrel(title, "G1: %s, as a whole %s", part->rank_equal_why, whole->rank_equal_why);
	if (!same_text(part->position_why, whole->position_why))
		quarrel(title, "G3: %s, as a whole %s", part->position_why, whole->position_why);
	if (part->ndistinct != whole->ndistinct)
		quarrel(title, "%u trees, as a whole %u", part->ndistinct, whole->ndistinct);
	if (strcmp(part->digest, whole->digest) != 0)
		quarrel(title, "digest %s, as a whole %s", part->digest, whole->digest);
	if (part->nsignal != whole->nsignal)
		quarrel(title, "%u signals, as a whole %u", part->nsignal, whole->nsignal);
	if (whole->tokens_in_flight && part->tokens_in_flight != whole->tokens_in_flight)
		quarrel(title, "%u tokens in flight, as a whole %u", part->tokens_in_flight,
			whole->tokens_in_flight);
}

/* Judges it both ways if it is symmetric. Says whether it is; *proved what the whole is. */
static bool compare(const char *title, const struct ordo_schedule *schedule, bool *proved, char name[64])
{
	const struct ordo_programs programs = ordo_programs_of(schedule);
	struct ordo_symmetry symmetry;
	struct ordo_error error;
	struct ordo_proof *whole = ordo_verify(schedule, NULL, &error), *part = NULL;
	const bool found = ordo_symmetry_find(&programs, ORDO_COMPARE_ALL, NULL, NULL, &symmetry, &error);
	tally.compared++;
	*proved = whole && whole->proved;
	if (!found && error.code != ORDO_OK)
		quarrel(title, "looking for a symmetry: %s", error.text);
	if (found) {
		ordo_group_print(&symmetry.group, name, 64);
		tally.symmetric++;
		part = ordo_verify_symmetric(&programs, &symmetry, NULL, &error);
		if (!part || !whole)
			quarrel(title, "no proof: %s", error.text);
		else
			compare_proofs(title, part, whole);
		tally.refuted += whole && !whole->proved;
		if (symmetry.ntask != schedule->ntask || symmetry.ncompared != schedule->problem.nrank - 1)
			quarrel(title, "%llu tasks seen on %u ranks", (unsigned long long)symmetry.ntask,
				symmetry.ncompared);
	}
	ordo_proof_destroy(part);
	ordo_proof_destroy(whole);
	return found;
}

/* Relabelling, once more. */

static uint32_t move_chunk(const struct ordo_symmetry *symmetry, uint32_t chunk, uint32_t rank)
{
	uint32_t image = 0, stride = 1;
	for (uint32_t d = 0; d < symmetry->chunks.ndigit; d++) {
		const uint32_t radix = symmetry->chunks.radix[d], of = symmetry->chunks.of[d];
		uint32_t by = rank;
		for (uint32_t i = 0; of != ORDO_NONE && i < of; i++)
			by /= symmetry->group.radix[i];
		image += (chunk % radix + (of == ORDO_NONE ? 0 : by % symmetry->group.radix[of])) % radix *
			 stride;
		chunk /= radix;
		stride *= radix;
	}
	return image;
}

/* The slot of rank `to` for what a slot of rank `from` is for. A slot that is not there stays out of range. */
static uint32_t move_slot(const struct ordo_problem *problem, const struct ordo_symmetry *symmetry,
	unsigned buffer, uint32_t slot, uint32_t from, uint32_t rank)
{
	const uint32_t to = ordo_group_add(&symmetry->group, from, rank);
	if (buffer == ORDO_INPUT && slot < ordo_input_slots(problem, from))
		return ordo_input_slot(
			problem, to, move_chunk(symmetry, ordo_input_chunk(problem, from, slot), rank));
	if (buffer == ORDO_OUTPUT && slot < ordo_output_slots(problem, from))
		return ordo_output_slot(
			problem, to, move_chunk(symmetry, ordo_output_chunk(problem, from, slot), rank));
	return slot;
}

static bool append_for(struct ordo_schedule *copy, const struct ordo_symmetry *symmetry,
	const struct ordo_task *task, uint32_t rank)
{
	const struct ordo_problem *problem = &copy->problem;
	const bool crosses = ordo_task_crosses(task);
	const uint32_t count = ordo_task_moves(task) && rank ? task->count : 1;
	for (uint32_t i = 0; i < count; i++) {
		struct ordo_task moved = *task;
		if (crosses && task->peer < problem->nrank)
			moved.peer = ordo_group_add(&symmetry->group, task->peer, rank);
		if (ordo_task_moves(task) && rank) {
			const uint32_t target = crosses ? task->peer : 0;
			moved.count = 1;
			if (task->chunk + i < ordo_nchunk(problem))
				moved.chunk = move_chunk(symmetry, task->chunk + i, rank);
			else
				moved.chunk += i;
			moved.src = move_slot(problem, symmetry, task->src_buffer, task->src + i, 0, rank);
			moved.dst = move_slot(problem, symmetry, task->dst_buffer, task->dst + i,
				target < problem->nrank ? target : 0, rank);
		}
		if (!ordo_schedule_append(copy, &moved, NULL))
			return false;
	}
	return true;
}

/* Rank 0's program, for all ranks. */
static struct ordo_schedule *relabelled(
	const struct ordo_schedule *schedule, const struct ordo_symmetry *symmetry)
{
	struct ordo_schedule *copy = ordo_schedule_create(&schedule->problem, schedule->algorithm, NULL);
	bool worked = copy && ordo_schedule_set_phases(copy, schedule->phases, schedule->nphase, NULL);
	if (worked)
		copy->scratch_slots = schedule->scratch_slots;
	for (uint32_t rank = 0; worked && rank < schedule->problem.nrank; rank++)
		for (uint32_t s = schedule->programs[0].first_stream;
			worked && s < schedule->programs[0].end_stream; s++) {
			const struct ordo_stream *stream = &schedule->streams[s];
			worked = ordo_schedule_begin_stream(copy, rank, stream->name, NULL);
			for (uint32_t id = stream->first; worked && id < stream->end; id++)
				worked = append_for(copy, symmetry, &schedule->tasks[id], rank);
		}
	if (worked)
		return copy;
	ordo_schedule_destroy(copy);
	return NULL;
}

/* A task of rank 0. */
static uint32_t some_task(const struct ordo_schedule *schedule, bool of_rank_0)
{
	const struct ordo_program *program = &schedule->programs[0];
	if (!of_rank_0)
		return below(&random_state, schedule->ntask);
	const uint32_t first = schedule->streams[program->first_stream].first;
	return first + below(&random_state, schedule->streams[program->end_stream - 1].end - first);
}

/* Takes the n-th Notify of rank 0 to a peer, and the Wait of every rank that takes it, from all ranks' programs. */
static struct ordo_schedule *without_pair(
	const struct ordo_schedule *schedule, const struct ordo_symmetry *symmetry, uint32_t at)
{
	const struct ordo_task *notify = &schedule->tasks[at];
	const struct ordo_program *program = &schedule->programs[0];
	const uint32_t end = schedule->streams[program->end_stream - 1].end;
	uint32_t nth = 0, wait = schedule->streams[program->first_stream].first;
	if (notify->kind != ORDO_NOTIFY)
		return NULL;
	for (uint32_t id = wait; id < at; id++)
		nth += schedule->tasks[id].kind == ORDO_NOTIFY && schedule->tasks[id].peer == notify->peer &&
		       schedule->tasks[id].signal == notify->signal;
	for (; wait < end; wait++)
		if (schedule->tasks[wait].kind == ORDO_WAIT &&
			schedule->tasks[wait].signal == notify->signal &&
			schedule->tasks[wait].peer == ordo_group_negate(&symmetry->group, notify->peer) &&
			nth-- == 0)
			break;
	if (wait == end)
		return NULL;
	struct ordo_schedule *first = with_fault(schedule, FAULT_DROP_NOTIFY, at, 0);
	struct ordo_schedule *second =
		first ? with_fault(first, FAULT_DROP_WAIT, wait - (wait > at), 0) : NULL;
	ordo_schedule_destroy(first);
	return second;
}

static void judge_all_alike(const char *title, const struct ordo_symmetry *symmetry,
	struct ordo_schedule *mutant, const char *what)
{
	char text[300], name[64];
	bool proved;
	if (!mutant)
		return;
	struct ordo_schedule *all = relabelled(mutant, symmetry);
	snprintf(text, sizeof text, "%s, on all ranks: %s", title, what);
	tally.mutants++;
	if (!all)
		quarrel(text, "not relabelled");
	else if (!compare(text, all, &proved, name)) {
		/* Only what breaks R1 to R4, names a chunk where another lies, or races with itself has no
		 * normal form. */
		tally.unlike++;
		if (proved)
			quarrel(text, "proved, but no symmetry was found");
	} else
		tally.swept += proved;
	ordo_schedule_destroy(all);
	ordo_schedule_destroy(mutant);
}

static void mutate(
	const char *title, const struct ordo_schedule *schedule, const struct ordo_symmetry *symmetry)
{
	char text[300], name[64];
	bool proved;
	for (uint32_t i = 0; i < 4 * faults_of_each && schedule->ntask; i++)
		judge_all_alike(title, symmetry, without_pair(schedule, symmetry, some_task(schedule, true)),
			"no pair");
	for (int fault = 0; fault < NFAULT && schedule->ntask; fault++)
		for (uint32_t i = 0; i < faults_of_each; i++) {
			const bool whole =
				fault == FAULT_ROOT || fault == FAULT_IN_PLACE || fault == FAULT_SCRATCH;
			judge_all_alike(title, symmetry,
				with_fault(schedule, (enum fault)fault, whole ? 0 : some_task(schedule, true),
					next_random(&random_state)),
				fault_meaning((enum fault)fault));
			struct ordo_schedule *one = with_fault(schedule, (enum fault)fault,
				whole ? 0 : some_task(schedule, false), next_random(&random_state));
			if (!one)
				continue;
			snprintf(text, sizeof text, "%s, on one rank: %s", title,
				fault_meaning((enum fault)fault));
			tally.mutants++;
			tally.of_one_rank += !compare(text, one, &proved, name);
			ordo_schedule_destroy(one);
		}
}

/* Which algorithms are symmetric: one line each, of the largest number of ranks. */
struct found {
	char algorithm[200], group[64];
} found[400];
static uint32_t nfound;

static void remember(const struct specimen *specimen, const char *group)
{
	char algorithm[200];
	uint32_t i = 0;
	snprintf(algorithm, sizeof algorithm, "%s %s%s", ordo_operator_facts(specimen->problem.op)->name,
		specimen->algorithm, specimen->problem.in_place ? ", in place" : "");
	while (i < nfound && strcmp(found[i].algorithm, algorithm) != 0)
		i++;
	if (i == sizeof found / sizeof *found)
		return;
	nfound += i == nfound;
	snprintf(found[i].algorithm, sizeof found[i].algorithm, "%s", algorithm);
	snprintf(found[i].group, sizeof found[i].group, "%s", group);
}

static void visit(const struct specimen *specimen, const struct ordo_schedule *schedule, void *closure)
{
	char name[64];
	bool proved;
	(void)closure;
	if (!compare(specimen->title, schedule, &proved, name)) {
		tally.alone++;
		return;
	}
	remember(specimen, name);
	const struct ordo_programs programs = ordo_programs_of(schedule);
	struct ordo_symmetry symmetry;
	if (ordo_symmetry_find(&programs, ORDO_COMPARE_ALL, NULL, NULL, &symmetry, NULL))
		mutate(specimen->title, schedule, &symmetry);
	struct ordo_schedule *again = ordo_programs_gather(&programs, NULL);
	if (!again || again->ntask != schedule->ntask || again->nstream != schedule->nstream ||
		memcmp(again->tasks, schedule->tasks, schedule->ntask * sizeof *schedule->tasks) != 0)
		quarrel(specimen->title, "gathered programs are not the schedule");
	ordo_schedule_destroy(again);
}

int main(int argc, char **argv)
{
	const struct specimen_range range = {.first_rank = argc > 1 ? (uint32_t)atoi(argv[1]) : 1,
		.last_rank = argc > 2 ? (uint32_t)atoi(argv[2]) : 9,
		.every = argc > 4 ? (uint32_t)atoi(argv[4]) : 1,
		.all_parameters = true};
	faults_of_each = argc > 3 ? (uint32_t)atoi(argv[3]) : 1;
	const struct specimen_count count = visit_specimens(&range, visit, NULL);
	for (uint32_t i = 0; i < nfound; i++)
		printf("%-60s %s\n", found[i].algorithm, found[i].group);
	printf("%u schedules, %u of them not symmetric; %u mutants; %u judged both ways, %u of them refuted\n"
	       "of the mutants: on all ranks %u without a normal form, all refuted, and %u proved; on one "
	       "rank "
	       "%u not symmetric\n",
		count.visited, tally.alone, tally.mutants, tally.symmetric, tally.refuted, tally.unlike,
		tally.swept, tally.of_one_rank);
	if (!tally.symmetric || !tally.refuted || !tally.swept || !tally.of_one_rank)
		quarrel("the test", "nothing of some kind was seen");
	return quarrels || count.failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
