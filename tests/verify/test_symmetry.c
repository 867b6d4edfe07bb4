/* test_symmetry.c - the proof from one program against the proof of the whole.
 *
 * Every compiled schedule in which a symmetry is found, and thousands of mutants. A mutant of one
 * rank is not symmetric, or it is proved and refuted like the whole. A mutant of all ranks alike
 * is: rank 0's program gets a fault, and all the others are made from it by relabelling, here
 * written once more; so the proof must be the same, verdict, guarantees, witnesses, digest and
 * tokens, on whatever nonsense comes out of it.
 *
 * Arguments: first and last number of ranks (1, 9), faults of each kind put into each schedule (1),
 * of so many schedules one (1).
 */
#include "mutate.h"
#include "specimens.h"
#include <ordo/detail/symmetry.h>

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

static void quarrel(const char *title, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
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

static void compare_proofs(
	const char *title, const struct ordo_proof *part, const struct ordo_proof *whole)
{
	if (part->proved != whole->proved) {
		quarrel(title, "from one program %s (%s), as a whole %s (%s)",
			part->proved ? "proved" : "refuted",
			part->nfinding ? part->findings[0].text : "",
			whole->proved ? "proved" : "refuted",
			whole->nfinding ? whole->findings[0].text : "");
		return;
	}
	if (!whole->proved)
		return;
	if (part->rank_equal != whole->rank_equal || part->run_to_run != whole->run_to_run ||
		part->position_invariant != whole->position_invariant)
		quarrel(title, "guarantees %d %d %d, as a whole %d %d %d", part->rank_equal,
			part->run_to_run, part->position_invariant, whole->rank_equal,
			whole->run_to_run, whole->position_invariant);
	if (!same_text(part->rank_equal_why, whole->rank_equal_why))
		quarrel(title, "G1: %s, as a whole %s", part->rank_equal_why,
			whole->rank_equal_why);
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
static bool compare(
	const char *title, const struct ordo_schedule *schedule, bool *proved, char name[64])
{
	const struct ordo_programs programs = ordo_programs_of(schedule);
	struct ordo_symmetry symmetry;
	struct ordo_error error;
	struct ordo_proof *whole = ordo_verify(schedule, NULL, &error), *part = NULL;
	const bool found =
		ordo_symmetry_find(&programs, ORDO_COMPARE_ALL, NULL, NULL, &symmetry, &error);
	tally.compared++;
	*proved = whole && whole->proved;
	if (!found && error.code != ORDO_OK)
		quarrel(title, "looking for a symmetry: %s", error.text);
	if (found) {
		ordo_symmetry_print(&symmetry.group, name, 64);
		tally.symmetric++;
		part = ordo_verify_symmetric(&programs, &symmetry, NULL, &error);
		if (!part || !whole)
			quarrel(title, "no proof: %s", error.text);
		else
			compare_proofs(title, part, whole);
		tally.refuted += whole && !whole->proved;
		if (symmetry.ntask != schedule->ntask ||
			symmetry.ncompared != schedule->problem.nrank - 1)
			quarrel(title, "%llu tasks seen on %u ranks",
				(unsigned long long)symmetry.ntask, symmetry.ncompared);
	}
	ordo_proof_destroy(part);
	ordo_proof_destroy(whole);
	return found;
}

/* Relabelling, once more. */

static uint32_t move_chunk(const struct ordo_symmetry *symmetry, uint32_t chunk, uint32_t rank)
{
	uint32_t image = 0, stride = 1, stripe = chunk;
	for (uint32_t d = 0; d + 1 < symmetry->chunks.ndigit; d++)
		stripe /= symmetry->chunks.radix[d];
	if (symmetry->chunks.mirrored && stripe % 2)
		rank = ordo_symmetry_negate(&symmetry->group, rank);
	for (uint32_t d = 0; d < symmetry->chunks.ndigit; d++) {
		const uint32_t radix = symmetry->chunks.radix[d], of = symmetry->chunks.of[d];
		uint32_t by = rank;
		for (uint32_t i = 0; of != ORDO_NONE && i < of; i++)
			by /= symmetry->group.radix[i];
		image += (chunk % radix + (of == ORDO_NONE ? 0 : by % symmetry->group.radix[of])) %
			 radix * stride;
		chunk /= radix;
		stride *= radix;
	}
	return image;
}

/* The slot of rank `to` for what a slot of rank `from` is for. A slot that is not there stays out
 * of range. */
static uint32_t move_slot(const struct ordo_problem *problem, const struct ordo_symmetry *symmetry,
	unsigned buffer, uint32_t slot, uint32_t from, uint32_t rank)
{
	const uint32_t to = ordo_symmetry_add(&symmetry->group, from, rank);
	if (buffer == ORDO_INPUT && slot < ordo_input_slots(problem, from))
		return ordo_input_slot(problem, to,
			move_chunk(symmetry, ordo_input_chunk(problem, from, slot), rank));
	if (buffer == ORDO_OUTPUT && slot < ordo_output_slots(problem, from))
		return ordo_output_slot(problem, to,
			move_chunk(symmetry, ordo_output_chunk(problem, from, slot), rank));
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
			moved.peer = ordo_symmetry_add(&symmetry->group, task->peer, rank);
		if (ordo_task_moves(task) && rank) {
			const uint32_t target = crosses ? task->peer : 0;
			moved.count = 1;
			if (task->chunk + i < ordo_nchunk(problem))
				moved.chunk = move_chunk(symmetry, task->chunk + i, rank);
			else
				moved.chunk += i;
			moved.src = move_slot(
				problem, symmetry, task->src_buffer, task->src + i, 0, rank);
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
	struct ordo_schedule *copy =
		ordo_schedule_create(&schedule->problem, schedule->algorithm, NULL);
	bool worked =
		copy && ordo_schedule_set_phases(copy, schedule->phases, schedule->nphase, NULL);
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

/* Takes the n-th Notify of rank 0 to a peer, and the Wait of every rank that takes it, from all
 * ranks' programs. */
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
		nth += schedule->tasks[id].kind == ORDO_NOTIFY &&
		       schedule->tasks[id].peer == notify->peer &&
		       schedule->tasks[id].signal == notify->signal;
	for (; wait < end; wait++)
		if (schedule->tasks[wait].kind == ORDO_WAIT &&
			schedule->tasks[wait].signal == notify->signal &&
			schedule->tasks[wait].peer ==
				ordo_symmetry_negate(&symmetry->group, notify->peer) &&
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

static bool append_sync(struct ordo_schedule *copy, enum ordo_task_kind kind, uint32_t signal)
{
	return ordo_schedule_append(copy,
		&(struct ordo_task){.kind = kind & 7, .signal = signal, .phase = ORDO_NO_PHASE},
		NULL);
}

/* Rank 0's program with one more stream, that copies aside what the move `at` has read once that is
 * done; the stream of the move waits for it before task `until`, or not at all if there is none.
 * The other ranks have no program yet. */
static struct ordo_schedule *copied_aside(
	const struct ordo_schedule *schedule, uint32_t at, uint32_t until, uint32_t signal)
{
	struct ordo_task copy_task = schedule->tasks[at];
	const struct ordo_program *program = &schedule->programs[0];
	struct ordo_schedule *copy =
		ordo_schedule_create(&schedule->problem, schedule->algorithm, NULL);
	bool worked =
		copy && ordo_schedule_set_phases(copy, schedule->phases, schedule->nphase, NULL);
	bool waits = false;
	if (worked)
		copy->scratch_slots = schedule->scratch_slots + copy_task.count;
	for (uint32_t s = program->first_stream; worked && s < program->end_stream; s++) {
		const struct ordo_stream *stream = &schedule->streams[s];
		worked = ordo_schedule_begin_stream(copy, 0, stream->name, NULL);
		for (uint32_t id = stream->first; worked && id < stream->end; id++) {
			if (id == until && id > at && stream->first <= at) {
				waits = true;
				worked = append_sync(copy, ORDO_WAIT, signal + 1);
			}
			worked = worked && ordo_schedule_append(copy, &schedule->tasks[id], NULL);
			if (id == at)
				worked = worked && append_sync(copy, ORDO_NOTIFY, signal);
		}
	}
	copy_task.kind = ORDO_LOCAL_COPY;
	copy_task.peer = 0;
	copy_task.dst_buffer = ORDO_SCRATCH;
	copy_task.dst = schedule->scratch_slots;
	worked = worked && ordo_schedule_begin_stream(copy, 0, "aside", NULL) &&
		 append_sync(copy, ORDO_WAIT, signal) &&
		 ordo_schedule_append(copy, &copy_task, NULL) &&
		 (!waits || append_sync(copy, ORDO_NOTIFY, signal + 1));
	if (worked)
		return copy;
	ordo_schedule_destroy(copy);
	return NULL;
}

/* One, two or three of them, that read the same. */
static struct ordo_schedule *with_readers(const struct ordo_schedule *schedule)
{
	struct ordo_schedule *copy = NULL;
	const uint32_t at = some_task(schedule, true);
	if (!ordo_task_moves(&schedule->tasks[at]) || schedule->tasks[at].src_buffer == ORDO_INPUT)
		return NULL;
	for (uint32_t i = 0; i <= below(&random_state, 3); i++) {
		const struct ordo_schedule *of = copy ? copy : schedule;
		const uint32_t until = below(&random_state, 3) ? some_task(of, true) : ORDO_NONE;
		struct ordo_schedule *next = copied_aside(of, at, until, 90 + 2 * i);
		ordo_schedule_destroy(copy);
		copy = next;
	}
	return copy;
}

/* At the end of rank 0's first stream, one more exchange with rank p: a deadlock if all ranks first
 * wait. */
static struct ordo_schedule *with_farewell(const struct ordo_schedule *schedule,
	const struct ordo_symmetry *symmetry, bool waits_first)
{
	const struct ordo_program *program = &schedule->programs[0];
	const uint32_t p = 1 + below(&random_state, schedule->problem.nrank - 1);
	struct ordo_schedule *copy =
		ordo_schedule_create(&schedule->problem, schedule->algorithm, NULL);
	bool worked =
		copy && ordo_schedule_set_phases(copy, schedule->phases, schedule->nphase, NULL);
	if (worked)
		copy->scratch_slots = schedule->scratch_slots;
	for (uint32_t s = program->first_stream; worked && s < program->end_stream; s++) {
		worked = ordo_schedule_begin_stream(copy, 0, schedule->streams[s].name, NULL);
		for (uint32_t id = schedule->streams[s].first;
			worked && id < schedule->streams[s].end; id++)
			worked = ordo_schedule_append(copy, &schedule->tasks[id], NULL);
		for (int half = 0; worked && s == program->first_stream && half < 2; half++) {
			const bool waits = waits_first == !half;
			worked = ordo_schedule_append(copy,
				&(struct ordo_task){.kind = waits ? ORDO_WAIT : ORDO_NOTIFY,
					.peer = waits ? p
						      : ordo_symmetry_negate(&symmetry->group, p),
					.signal = 80,
					.phase = ORDO_NO_PHASE},
				NULL);
		}
	}
	if (worked)
		return copy;
	ordo_schedule_destroy(copy);
	return NULL;
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
		/* Only what breaks R1 to R4, names a chunk where another lies, or races with itself
		 * has no normal form. */
		tally.unlike++;
		if (proved)
			quarrel(text, "proved, but no symmetry was found");
	} else
		tally.swept += proved;
	ordo_schedule_destroy(all);
	ordo_schedule_destroy(mutant);
}

static void mutate(const char *title, const struct ordo_schedule *schedule,
	const struct ordo_symmetry *symmetry)
{
	char text[300], name[64];
	bool proved;
	for (uint32_t i = 0; i < 4 * faults_of_each && schedule->ntask; i++)
		judge_all_alike(title, symmetry,
			without_pair(schedule, symmetry, some_task(schedule, true)), "no pair");
	for (uint32_t i = 0; i < 8 * faults_of_each && schedule->ntask; i++)
		judge_all_alike(
			title, symmetry, with_readers(schedule), "read by other streams too");
	for (int i = 0; i < 2; i++)
		judge_all_alike(title, symmetry, with_farewell(schedule, symmetry, i),
			i ? "a circle at the end" : "one more exchange at the end");
	for (int fault = 0; fault < NFAULT && schedule->ntask; fault++)
		for (uint32_t i = 0; i < faults_of_each; i++) {
			const bool whole = fault == FAULT_ROOT || fault == FAULT_IN_PLACE ||
					   fault == FAULT_SCRATCH;
			judge_all_alike(title, symmetry,
				with_fault(schedule, (enum fault)fault,
					whole ? 0 : some_task(schedule, true),
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
	snprintf(algorithm, sizeof algorithm, "%s %s%s",
		ordo_operator_facts(specimen->problem.op)->name, specimen->algorithm,
		specimen->problem.in_place ? ", in place" : "");
	while (i < nfound && strcmp(found[i].algorithm, algorithm) != 0)
		i++;
	if (i == sizeof found / sizeof *found)
		return;
	nfound += i == nfound;
	snprintf(found[i].algorithm, sizeof found[i].algorithm, "%s", algorithm);
	snprintf(found[i].group, sizeof found[i].group, "%s", group);
}

/* What is known to be symmetric as it is compiled: by hand, for the table has no such claim. */
static bool must_be_symmetric(const struct specimen *specimen)
{
	const enum ordo_operator op = specimen->problem.op;
	const uint32_t N = specimen->problem.nrank;
	const bool cut = op != ORDO_ALLREDUCE || specimen->problem.chunks_per_block == N;
	const char *algorithm = specimen->algorithm;
	if (N < 2 || ordo_operator_facts(op)->rooted || specimen->problem.nshard != N)
		return false;
	if (!strcmp(algorithm, "ring"))
		return cut;
	if (!strcmp(algorithm, "ring(directions=2)"))
		return op != ORDO_ALLREDUCE || specimen->problem.chunks_per_block == 2 * N;
	if (!strcmp(algorithm, "mesh"))
		return op == ORDO_ALLGATHER || op == ORDO_ALLTOALL;
	if (!strcmp(algorithm, "halving-doubling") ||
		!strcmp(algorithm, "halving-doubling(masks=near)"))
		return op == ORDO_ALLREDUCE && cut;
	if (!strncmp(algorithm, "recursive-doubling", 18))
		return !(N & (N - 1));
	return !strncmp(algorithm, "alltoall", 8);
}

static void visit(
	const struct specimen *specimen, const struct ordo_schedule *schedule, void *closure)
{
	char name[64];
	bool proved;
	(void)closure;
	if (!compare(specimen->title, schedule, &proved, name)) {
		tally.alone++;
		if (must_be_symmetric(specimen))
			quarrel(specimen->title, "no symmetry was found");
		return;
	}
	remember(specimen, name);
	const struct ordo_programs programs = ordo_programs_of(schedule);
	struct ordo_symmetry symmetry;
	if (ordo_symmetry_find(&programs, ORDO_COMPARE_ALL, NULL, NULL, &symmetry, NULL))
		mutate(specimen->title, schedule, &symmetry);
	struct ordo_schedule *again = ordo_programs_gather(&programs, NULL);
	if (!again || again->ntask != schedule->ntask || again->nstream != schedule->nstream ||
		memcmp(again->tasks, schedule->tasks, schedule->ntask * sizeof *schedule->tasks) !=
			0)
		quarrel(specimen->title, "gathered programs are not the schedule");
	ordo_schedule_destroy(again);
}

/* Is the schedule still symmetric if every rank r also does tasks[r][..], each in a stream of its
 * own, or in one? */
static bool is_symmetric_with(const struct ordo_schedule *schedule, uint32_t nscratch,
	struct ordo_task (*tasks)[2], const uint32_t *ntask, bool in_one)
{
	struct ordo_symmetry symmetry;
	struct ordo_schedule *copy =
		ordo_schedule_create(&schedule->problem, schedule->algorithm, NULL);
	ordo_schedule_set_phases(copy, schedule->phases, schedule->nphase, NULL);
	copy->scratch_slots = schedule->scratch_slots + nscratch;
	for (uint32_t rank = 0; rank < schedule->problem.nrank; rank++) {
		const struct ordo_program *program = &schedule->programs[rank];
		for (uint32_t s = program->first_stream; s < program->end_stream; s++) {
			ordo_schedule_begin_stream(copy, rank, schedule->streams[s].name, NULL);
			for (uint32_t id = schedule->streams[s].first;
				id < schedule->streams[s].end; id++)
				ordo_schedule_append(copy, &schedule->tasks[id], NULL);
		}
		for (uint32_t i = 0; i < ntask[rank]; i++) {
			if (!i || !in_one)
				ordo_schedule_begin_stream(copy, rank, "aside", NULL);
			ordo_schedule_append(copy, &tasks[rank][i], NULL);
		}
	}
	const struct ordo_programs programs = ordo_programs_of(copy);
	const bool symmetric =
		ordo_symmetry_find(&programs, ORDO_COMPARE_ALL, NULL, NULL, &symmetry, NULL);
	ordo_schedule_destroy(copy);
	return symmetric;
}

static struct ordo_task copy_of(uint32_t chunk, uint32_t count, uint32_t scratch)
{
	return (struct ordo_task){.kind = ORDO_LOCAL_COPY,
		.dst_buffer = ORDO_SCRATCH,
		.phase = ORDO_NO_PHASE,
		.chunk = chunk,
		.count = count,
		.src = chunk,
		.dst = scratch};
}

/* Small differences that the comparison must see, and some that it must not mind. */
static void check_comparison(void)
{
	const struct ordo_request request = {
		.problem = {.op = ORDO_ALLREDUCE, .nrank = 4, .nshard = 4},
		.algorithm = "halving-doubling"};
	struct ordo_schedule *schedule = ordo_compile(&request, NULL);
	const uint32_t two[4] = {2, 2, 2, 2}, one[4] = {1, 1, 1, 1}, missing[4] = {2, 2, 1, 2},
		       none[4] = {0};
	struct ordo_task tasks[4][2];
	if (!schedule || !is_symmetric_with(schedule, 0, tasks, none, false))
		quarrel("comparison", "halving-doubling is symmetric");
	for (uint32_t r = 0; r < 4; r++) {
		tasks[r][0] = copy_of(r, 1, 0);
		tasks[r][1] = copy_of(r, 1, 1);
	}
	if (!is_symmetric_with(schedule, 2, tasks, two, false))
		quarrel("comparison", "so it is with two copies of the own chunk");
	if (is_symmetric_with(schedule, 2, tasks, missing, false))
		quarrel("comparison", "rank 2 lacks a stream");
	struct ordo_task kept = tasks[2][0];
	tasks[2][0] = tasks[2][1];
	tasks[2][1] = kept;
	if (!is_symmetric_with(schedule, 2, tasks, two, false))
		quarrel("comparison", "streams may come in any order");
	tasks[2][1] = tasks[2][0];
	if (is_symmetric_with(schedule, 2, tasks, two, false))
		quarrel("comparison", "rank 2 has one stream twice and another not at all");
	for (uint32_t r = 0; r < 4; r++)
		tasks[r][0] = copy_of(0, 4, 0);
	if (is_symmetric_with(schedule, 4, tasks, one, false))
		quarrel("comparison",
			"rank 1 keeps rank 0's chunk in slot 0, so it should keep its own there");
	ordo_schedule_destroy(schedule);
}

/* Every rank keeps the chunk before its own and its own, where they follow each other by one
 * task. */
static void check_runs(void)
{
	const struct ordo_request request = {
		.problem = {.op = ORDO_ALLREDUCE, .nrank = 4, .nshard = 4}, .algorithm = "ring"};
	struct ordo_schedule *schedule = ordo_compile(&request, NULL);
	const uint32_t ntask[4] = {2, 1, 1, 1};
	struct ordo_task tasks[4][2] = {{copy_of(3, 1, 0), copy_of(0, 1, 1)}, {copy_of(0, 2, 0)},
		{copy_of(1, 2, 0)}, {copy_of(2, 2, 0)}};
	if (!schedule || !is_symmetric_with(schedule, 2, tasks, ntask, true))
		quarrel("comparison", "on rank 1 the chunks 3 and 0 of rank 0 follow each other");
	tasks[2][0].chunk = tasks[2][0].src = 0;
	if (schedule && is_symmetric_with(schedule, 2, tasks, ntask, true))
		quarrel("comparison", "rank 2 keeps other chunks");
	ordo_schedule_destroy(schedule);
}

/* Both judgements of a ring of 4 on all links but those down from `missing` to the next rank. */
static void judge_links(const char *title, const struct ordo_schedule *schedule, uint32_t nrank,
	uint32_t missing, bool through_ranks, const char *wanted)
{
	const struct ordo_programs programs = ordo_programs_of(schedule);
	struct ordo_symmetry symmetry;
	struct ordo_topology *topology = ordo_topology_create("links", nrank, 0, 0, NULL);
	for (uint32_t a = 0; a < nrank; a++)
		for (uint32_t b = 0; b < nrank; b++)
			if (a != b && !(a == missing && b == (a + 1) % 4))
				ordo_topology_add(topology, a, b, NULL, 1, 1, NULL);
	ordo_topology_finish(topology, NULL);
	const struct ordo_verify_options options = {
		.topology = topology, .through_ranks = through_ranks, .max_findings = 1000};
	const bool symmetric =
		ordo_symmetry_find(&programs, ORDO_COMPARE_ALL, NULL, NULL, &symmetry, NULL);
	struct ordo_proof *whole = ordo_verify(schedule, &options, NULL),
			  *part = symmetric ? ordo_verify_symmetric(
						      &programs, &symmetry, &options, NULL)
					    : NULL;
	if (!whole || !part || whole->proved != !wanted || part->proved != !wanted ||
		part->nfinding != (wanted ? 1 : 0))
		quarrel(title, "wanted both %s, with one finding from one program at most",
			wanted ? "refuted" : "proved");
	else if (wanted &&
		 (part->findings[0].rule != 12 || !strstr(part->findings[0].text, wanted)))
		quarrel(title, "found \"%s\", wanted \"%s\"", part->findings[0].text, wanted);
	ordo_proof_destroy(whole);
	ordo_proof_destroy(part);
	ordo_topology_destroy(topology);
}

/* R12 from one program: every offset that rank 0 goes is asked for once, for all ranks. */
static void check_links(void)
{
	const struct ordo_request request = {
		.problem = {.op = ORDO_ALLREDUCE, .nrank = 4, .nshard = 4}, .algorithm = "ring"};
	struct ordo_schedule *schedule = ordo_compile(&request, NULL);
	if (!schedule) {
		quarrel("links", "no ring");
		return;
	}
	judge_links("all links", schedule, 4, ORDO_NONE, false, NULL);
	judge_links("a link missing", schedule, 4, 2, false,
		"no link from rank 2 to rank 3 that is up");
	judge_links("a link missing, by way of ranks", schedule, 4, 2, true, NULL);
	judge_links("another number of ranks", schedule, 5, ORDO_NONE, false,
		"the schedule has 4 ranks, topology \"links\" has 5");
	ordo_schedule_destroy(schedule);
}

/* Sums in random orders: every rank sends all it has to every other, and adds up what it gets. Two
 * chunks, the second in the order of the first, relabelled by some element and with operands
 * exchanged: whether the two orders are one depends on what fixes the tree. */
struct fold {
	const struct ordo_symmetry_group *group;
	uint32_t into[64][2]; /* sums: the first += the second */
	uint32_t nsum;
	uint32_t root[64]; /* what a contribution has gone into */
};

static uint32_t root_of(const struct fold *fold, uint32_t x)
{
	while (fold->root[x] != x)
		x = fold->root[x];
	return x;
}

static void join(struct fold *fold, uint32_t a, uint32_t b)
{
	fold->into[fold->nsum][0] = a;
	fold->into[fold->nsum++][1] = b;
	fold->root[b] = a;
}

/* Adds x + s to x wherever both are there and neither was added to yet. */
static void join_all(struct fold *fold, uint32_t s)
{
	bool done[64] = {false};
	for (uint32_t x = 0; x < fold->group->order; x++) {
		const uint32_t a = root_of(fold, x),
			       b = root_of(fold, ordo_symmetry_add(fold->group, x, s));
		if (a == b || done[a] || done[b])
			continue;
		done[a] = done[b] = true;
		join(fold, a, b);
	}
}

static struct fold random_fold(const struct ordo_symmetry_group *group)
{
	struct fold fold = {.group = group};
	for (uint32_t x = 0; x < group->order; x++)
		fold.root[x] = x;
	for (uint32_t layers = below(&random_state, 4); layers; layers--)
		join_all(&fold, below(&random_state, group->order));
	while (fold.nsum + 1 < group->order) {
		const uint32_t a = root_of(&fold, below(&random_state, group->order));
		const uint32_t b = root_of(&fold, below(&random_state, group->order));
		if (a != b)
			join(&fold, a, b);
	}
	return fold;
}

static void add_move(struct ordo_schedule *schedule, enum ordo_task_kind kind, uint32_t peer,
	uint32_t chunk, uint32_t src, uint32_t dst)
{
	const bool reads_input = kind == ORDO_SEND || src == ORDO_NONE;
	ordo_schedule_append(schedule,
		&(struct ordo_task){.kind = kind & 7,
			.src_buffer = reads_input ? ORDO_INPUT : ORDO_SCRATCH,
			.dst_buffer = dst == ORDO_NONE ? ORDO_OUTPUT : ORDO_SCRATCH,
			.phase = ORDO_NO_PHASE,
			.peer = peer,
			.chunk = chunk,
			.count = 1,
			.src = reads_input ? chunk : src,
			.dst = dst == ORDO_NONE ? chunk : dst},
		NULL);
}

static void add_syncs(struct ordo_schedule *schedule, enum ordo_task_kind kind, uint32_t signal)
{
	for (uint32_t p = 1; p < schedule->problem.nrank; p++)
		ordo_schedule_append(schedule,
			&(struct ordo_task){.kind = kind & 7,
				.peer = p,
				.signal = signal,
				.phase = ORDO_NO_PHASE},
			NULL);
}

/* Rank 0's program; what comes from rank p waits in scratch slots 2p and 2p + 1. */
static struct ordo_schedule *fold_program(
	const struct ordo_problem *problem, const struct ordo_symmetry_group *group)
{
	const struct fold fold = random_fold(group);
	const uint32_t by = below(&random_state, group->order), N = problem->nrank;
	struct ordo_schedule *schedule = ordo_schedule_create(problem, "fold", NULL);
	schedule->scratch_slots = 2 * N;
	ordo_schedule_begin_stream(schedule, 0, "main", NULL);
	add_syncs(schedule, ORDO_NOTIFY, 0);
	add_syncs(schedule, ORDO_WAIT, 0);
	for (uint32_t p = 0; p < N; p++)
		for (uint32_t k = 0; k < 2; k++)
			add_move(schedule, p ? ORDO_SEND : ORDO_LOCAL_COPY, p,
				problem->op == ORDO_ALLREDUCE ? k : 2 * p + k, ORDO_NONE,
				2 * ordo_symmetry_negate(group, p) + k);
	add_syncs(schedule, ORDO_NOTIFY, 1);
	add_syncs(schedule, ORDO_WAIT, 1);
	for (uint32_t k = 0; k < 2; k++) {
		uint32_t last = 0;
		uint32_t holds[64]; /* what was to be at x lies at holds[x] */
		for (uint32_t x = 0; x < N; x++)
			holds[x] = k ? ordo_symmetry_add(group, x, by) : x;
		for (uint32_t i = 0; i < fold.nsum; i++) {
			uint32_t *a = &holds[fold.into[i][0]], *b = &holds[fold.into[i][1]];
			const bool exchanged = k && below(&random_state, 2);
			add_move(schedule, ORDO_LOCAL_REDUCE, 0, k, 2 * (exchanged ? *a : *b) + k,
				2 * (exchanged ? *b : *a) + k);
			*a = exchanged ? *b : *a;
			last = *a;
		}
		add_move(schedule, ORDO_LOCAL_COPY, 0, k, 2 * last + k, ORDO_NONE);
	}
	return schedule;
}

static void judge_random_folds(uint32_t count)
{
	static const uint32_t groups[][4] = {{2}, {3}, {4}, {2, 2}, {5}, {6}, {8}, {2, 2, 2},
		{2, 4}, {12}, {2, 2, 3}, {16}, {2, 2, 2, 2}, {4, 4}};
	uint32_t of_several = 0, unequal = 0, in_one = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct ordo_symmetry symmetry = {.group = {.order = 1}};
		const uint32_t *radices = groups[i % (sizeof groups / sizeof *groups)];
		const enum ordo_operator op = i & 1 ? ORDO_ALLREDUCE : ORDO_REDUCESCATTER;
		symmetry.chunks =
			(struct ordo_chunk_action){.ndigit = 1, .radix = {2}, .of = {ORDO_NONE}};
		for (uint32_t d = 0; d < 4 && radices[d]; d++) {
			symmetry.group.radix[symmetry.group.ndigit++] = radices[d];
			symmetry.group.order *= radices[d];
			symmetry.chunks.radix[symmetry.chunks.ndigit] = radices[d];
			symmetry.chunks.of[symmetry.chunks.ndigit++] = d;
		}
		if (op == ORDO_ALLREDUCE)
			symmetry.chunks.ndigit = 1;
		const uint32_t N = symmetry.group.order;
		struct ordo_schedule *program = fold_program(
			&(struct ordo_problem){
				.op = op, .nrank = N, .nshard = N, .chunks_per_block = 2},
			&symmetry.group);
		struct ordo_schedule *all = relabelled(program, &symmetry);
		const struct ordo_programs programs = ordo_programs_of(all);
		struct ordo_proof *whole = ordo_verify(all, NULL, NULL),
				  *part = ordo_verify_symmetric(&programs, &symmetry, NULL, NULL);
		if (!whole || !part || !whole->proved)
			quarrel("a sum in a random order", "not proved: %s",
				whole && whole->nfinding ? whole->findings[0].text : "");
		else
			compare_proofs("a sum in a random order", part, whole);
		of_several += whole && whole->position_invariant == ORDO_DOES_NOT_HOLD;
		in_one += whole && whole->position_invariant == ORDO_HOLDS;
		unequal += whole && whole->rank_equal == ORDO_DOES_NOT_HOLD;
		ordo_proof_destroy(whole);
		ordo_proof_destroy(part);
		ordo_schedule_destroy(all);
		ordo_schedule_destroy(program);
	}
	printf("%u sums in random orders: %u in one order, %u in several, %u not equal on all "
	       "ranks\n",
		count, in_one, of_several, unequal);
	if (!of_several || !in_one || !unequal)
		quarrel("sums in random orders", "of some kind none was seen");
}

int main(int argc, char **argv)
{
	const struct specimen_range range = {.first_rank = argc > 1 ? (uint32_t)atoi(argv[1]) : 1,
		.last_rank = argc > 2 ? (uint32_t)atoi(argv[2]) : 9,
		.every = argc > 4 ? (uint32_t)atoi(argv[4]) : 1,
		.all_parameters = true};
	faults_of_each = argc > 3 ? (uint32_t)atoi(argv[3]) : 1;
	const struct specimen_count count = visit_specimens(&range, visit, NULL);
	judge_random_folds(1400 * faults_of_each);
	check_comparison();
	check_runs();
	check_links();
	for (uint32_t i = 0; i < nfound; i++)
		printf("%-60s %s\n", found[i].algorithm, found[i].group);
	printf("%u schedules, %u of them not symmetric; %u mutants; %u judged both ways, %u of "
	       "them refuted\n"
	       "of the mutants: on all ranks %u without a normal form, all refuted, and %u proved; "
	       "on one rank %u not symmetric\n",
		count.visited, tally.alone, tally.mutants, tally.symmetric, tally.refuted,
		tally.unlike, tally.swept, tally.of_one_rank);
	if (!tally.symmetric || !tally.refuted || !tally.swept || !tally.of_one_rank)
		quarrel("the test", "nothing of some kind was seen");
	return quarrels || count.failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
