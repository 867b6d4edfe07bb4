/* contenders.c - hand-written code, copies, and the library's engines, each before the same owners
 * and the same clock. */
#include "contenders.h"
#include "hand.h"
#include "timing.h"
#include <inttypes.h>
#include <ordo/communicator.h>
#include <ordo/compiler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A cell, its owners and what drives them. */
struct bench {
	struct cell cell;
	struct owner owners[TEAM_MOST];
	float *inputs[TEAM_MOST], *outputs[TEAM_MOST];
	struct team team;
	double budget_s, seconds;
	void (*call)(struct bench *bench, uint32_t thread);

	struct ordo_schedule *schedule;
	struct ordo_collective *collective;
	struct ordo_communicator *communicator;
	struct ordo_part parts[TEAM_MOST];
	struct ordo_plan *plan;
};

void insist(bool worked, const struct ordo_error *error)
{
	if (worked)
		return;
	fprintf(stderr, "bench_collectives: %s\n", error->text);
	exit(1);
}

static struct bench *make_bench(const struct cell *cell, double budget_s)
{
	struct bench *bench = calloc(1, sizeof(*bench));
	const struct ordo_error none = {.text = "no memory"};
	insist(bench, &none);
	bench->cell = *cell;
	bench->budget_s = budget_s;
	return bench;
}

static void make_owner(void *closure, uint32_t rank)
{
	struct bench *bench = closure;
	const struct ordo_error none = {.text = "no memory for the buffers"};
	insist(owner_create(&bench->owners[rank], &bench->cell, rank), &none);
	bench->inputs[rank] = bench->owners[rank].input;
	bench->outputs[rank] = bench->owners[rank].output;
}

static void touch_rank(void *closure, uint32_t rank)
{
	struct bench *bench = closure;
	owner_touch(&bench->owners[rank], true);
}

static void touch_rank_again(void *closure, uint32_t rank)
{
	struct bench *bench = closure;
	owner_touch(&bench->owners[rank], false);
}

/* Checks the last outputs, and frees everything. */
static struct measured finish(struct bench *bench)
{
	struct measured measured = {.seconds = bench->seconds};
	for (uint32_t rank = 0; rank < bench->cell.nrank; rank++) {
		owner_check(&bench->owners[rank]);
		measured.nwrong += bench->owners[rank].nwrong;
		owner_destroy(&bench->owners[rank]);
	}
	ordo_plan_destroy(bench->plan);
	ordo_communicator_destroy(bench->communicator);
	ordo_collective_destroy(bench->collective);
	ordo_schedule_destroy(bench->schedule);
	free(bench);
	return measured;
}

/* Teams: threads that have the ranks between them. */

struct seat {
	struct bench *bench;
	uint32_t thread, first, end; /* its ranks */
};

static void touch_seat(void *closure, bool called)
{
	const struct seat *seat = closure;
	for (uint32_t rank = seat->first; rank < seat->end; rank++)
		owner_touch(&seat->bench->owners[rank], called);
}

static void call_seat(void *closure)
{
	const struct seat *seat = closure;
	seat->bench->call(seat->bench, seat->thread);
}

static void meet_seats(void *closure)
{
	const struct seat *seat = closure;
	team_barrier(&seat->bench->team);
}

static uint64_t agree_seats(void *closure, uint64_t value)
{
	const struct seat *seat = closure;
	return team_agree(&seat->bench->team, seat->thread, value);
}

static void take_seat(void *closure, uint32_t thread)
{
	struct bench *bench = closure;
	const uint32_t nrank = bench->cell.nrank, nthread = bench->team.nthread;
	struct seat seat = {
		bench, thread, nrank * thread / nthread, nrank * (thread + 1) / nthread};
	for (uint32_t rank = seat.first; rank < seat.end; rank++)
		make_owner(bench, rank);
	team_barrier(&bench->team);
	const struct member member = {&seat, touch_seat,
		cell_may_run_ahead(&bench->cell) ? meet_seats : NULL, call_seat, agree_seats,
		thread == 0};
	const double seconds = time_calls(&member, bench->budget_s);
	if (thread == 0)
		bench->seconds = seconds;
}

static void time_team(
	struct bench *bench, uint32_t nthread, void (*call)(struct bench *bench, uint32_t thread))
{
	const struct ordo_error none = {.text = "no threads"};
	bench->call = call;
	team_init(&bench->team, nthread < bench->cell.nrank ? nthread : bench->cell.nrank);
	insist(team_run(&bench->team, take_seat, bench), &none);
}

/* Soloists: one thread that drives all. */

struct soloist {
	struct bench *bench;
	void (*visit)(struct bench *bench, void (*visit)(void *closure, uint32_t rank));
};

static void touch_solo(void *closure, bool called)
{
	const struct soloist *soloist = closure;
	soloist->visit(soloist->bench, called ? touch_rank : touch_rank_again);
}

static void call_solo(void *closure)
{
	const struct soloist *soloist = closure;
	soloist->bench->call(soloist->bench, 0);
}

static void time_solo(struct bench *bench,
	void (*visit)(struct bench *bench, void (*visit)(void *closure, uint32_t rank)),
	void (*call)(struct bench *bench, uint32_t thread))
{
	struct soloist soloist = {bench, visit};
	bench->call = call;
	const struct member member = {&soloist, touch_solo, NULL, call_solo, NULL, true};
	bench->seconds = time_calls(&member, bench->budget_s);
}

/* The hand-written code. */

static void call_hand(struct bench *bench, uint32_t thread)
{
	hand_collective(&bench->team, thread, &bench->cell, bench->inputs, bench->outputs);
}

static struct measured measure_hand_pool(
	const struct cell *cell, const char *algorithm, double budget_s)
{
	(void)algorithm;
	struct bench *bench = make_bench(cell, budget_s);
	time_team(bench, core_count(), call_hand);
	return finish(bench);
}

static struct measured measure_hand_callers(
	const struct cell *cell, const char *algorithm, double budget_s)
{
	(void)algorithm;
	struct bench *bench = make_bench(cell, budget_s);
	time_team(bench, cell->nrank, call_hand);
	return finish(bench);
}

/* The bound: as many bytes as must move, half of them read and half of them written, by as many
 * threads as there are cores. */

struct copies {
	struct team team;
	uint64_t bytes; /* read, of each thread */
	double budget_s, seconds;
};

struct copier {
	struct copies *copies;
	uint32_t thread;
	char *from, *to;
};

static void touch_nothing(void *closure, bool called)
{
	(void)closure;
	(void)called;
}

static void copy_part(void *closure)
{
	const struct copier *copier = closure;
	memcpy(copier->to, copier->from, copier->copies->bytes);
	__asm__ volatile("" : : "r"(copier->to) : "memory");
}

static uint64_t agree_copiers(void *closure, uint64_t value)
{
	const struct copier *copier = closure;
	return team_agree(&copier->copies->team, copier->thread, value);
}

static void take_copy(void *closure, uint32_t thread)
{
	struct copies *copies = closure;
	const uint64_t room = (copies->bytes + 4095) / 4096 * 4096;
	struct copier copier = {
		copies, thread, aligned_alloc(4096, room), aligned_alloc(4096, room)};
	const struct ordo_error none = {.text = "no memory for copies"};
	insist(copier.from && copier.to, &none);
	memset(copier.from, 1, room);
	memset(copier.to, 0, room);
	const struct member member = {
		&copier, touch_nothing, NULL, copy_part, agree_copiers, thread == 0};
	const double seconds = time_calls(&member, copies->budget_s);
	if (thread == 0)
		copies->seconds = seconds;
	free(copier.from);
	free(copier.to);
}

static struct measured measure_copy(const struct cell *cell, const char *algorithm, double budget_s)
{
	(void)algorithm;
	struct copies copies = {.budget_s = budget_s};
	const struct ordo_error none = {.text = "no threads"};
	const uint32_t nthread = core_count();
	copies.bytes = (cell_traffic(cell) / 2 + nthread - 1) / nthread;
	team_init(&copies.team, nthread);
	insist(team_run(&copies.team, take_copy, &copies), &none);
	return (struct measured){.seconds = copies.seconds};
}

/* The library. */

static const enum ordo_operator operators[CELL_NOPERATOR] = {
	[CELL_ALLREDUCE] = ORDO_ALLREDUCE,
	[CELL_REDUCESCATTER] = ORDO_REDUCESCATTER,
	[CELL_ALLGATHER] = ORDO_ALLGATHER,
	[CELL_BROADCAST] = ORDO_BROADCAST,
	[CELL_ALLTOALL] = ORDO_ALLTOALL,
};

struct ordo_schedule *compile(
	enum ordo_operator op, uint32_t nrank, bool in_place, const char *algorithm)
{
	const struct ordo_request request = {
		.problem = {.op = op, .nrank = nrank, .in_place = in_place},
		.algorithm = algorithm};
	struct ordo_error error = {0};
	struct ordo_schedule *schedule = ordo_compile(&request, &error);
	insist(schedule, &error);
	return schedule;
}

static struct ordo_plan_options options_of(const struct cell *cell)
{
	return (struct ordo_plan_options){
		.type = ORDO_F32, .reduction = ORDO_SUM, .count = cell_block(cell)};
}

/* nhelper threads beside the callers. */
static struct bench *make_communicator_bench(
	const struct cell *cell, const char *algorithm, double budget_s, uint32_t nhelper)
{
	struct bench *bench = make_bench(cell, budget_s);
	const struct ordo_plan_options options = options_of(cell);
	const struct ordo_communicator_options wanted = {.nrank = cell->nrank, .nhelper = nhelper};
	struct ordo_error error = {0};
	bench->schedule =
		compile(operators[cell->operator], cell->nrank, cell_in_place(cell), algorithm);
	bench->collective = ordo_collective_create(bench->schedule, &options, &error);
	insist(bench->collective, &error);
	bench->communicator = ordo_communicator_create(&wanted, &error);
	insist(bench->communicator, &error);
	return bench;
}

static void make_part(struct bench *bench, uint32_t rank)
{
	bench->parts[rank] = (struct ordo_part){.collective = bench->collective,
		.input = bench->inputs[rank],
		.output = bench->outputs[rank]};
}

static void visit_by_communicator(struct bench *bench, void (*visit)(void *closure, uint32_t rank))
{
	ordo_communicator_visit(bench->communicator, visit, bench);
}

static void call_pool(struct bench *bench, uint32_t thread)
{
	(void)thread;
	struct ordo_error error = {0};
	insist(ordo_communicator_run_all(bench->communicator, bench->parts, &error), &error);
}

static struct measured measure_ordo_pool(
	const struct cell *cell, const char *algorithm, double budget_s)
{
	struct bench *bench = make_communicator_bench(cell, algorithm, budget_s, core_count() - 1);
	visit_by_communicator(bench, make_owner);
	for (uint32_t rank = 0; rank < cell->nrank; rank++)
		make_part(bench, rank);
	time_solo(bench, visit_by_communicator, call_pool);
	return finish(bench);
}

static void call_rank(struct bench *bench, uint32_t thread)
{
	struct ordo_error error = {0};
	/* With a thread a rank, thread and rank are one; the first call knows where the buffers
	 * are. */
	if (!bench->parts[thread].collective)
		make_part(bench, thread);
	insist(ordo_communicator_run(bench->communicator, thread, &bench->parts[thread], &error),
		&error);
}

static struct measured measure_ordo_callers(
	const struct cell *cell, const char *algorithm, double budget_s)
{
	struct bench *bench = make_communicator_bench(cell, algorithm, budget_s, 0);
	time_team(bench, cell->nrank, call_rank);
	return finish(bench);
}

static void visit_alone(struct bench *bench, void (*visit)(void *closure, uint32_t rank))
{
	for (uint32_t rank = 0; rank < bench->cell.nrank; rank++)
		visit(bench, rank);
}

static void call_tasks(struct bench *bench, uint32_t thread)
{
	(void)thread;
	struct ordo_error error = {0};
	insist(ordo_plan_run_threads(bench->plan, core_count(), &error), &error);
}

static struct measured measure_ordo_tasks(
	const struct cell *cell, const char *algorithm, double budget_s)
{
	struct bench *bench = make_bench(cell, budget_s);
	const struct ordo_plan_options options = options_of(cell);
	struct ordo_error error = {0};
	bench->schedule =
		compile(operators[cell->operator], cell->nrank, cell_in_place(cell), algorithm);
	bench->plan = ordo_plan_create(bench->schedule, &options, &error);
	insist(bench->plan, &error);
	visit_alone(bench, make_owner);
	for (uint32_t rank = 0; rank < cell->nrank; rank++)
		insist(ordo_plan_bind(bench->plan, rank, bench->inputs[rank], bench->outputs[rank],
			       &error),
			&error);
	time_solo(bench, visit_alone, call_tasks);
	return finish(bench);
}

const struct contender contenders[] = {
	{"copy", "the bound: copies of as many bytes as must move", false, measure_copy},
	{"hand-pool", "written by hand, a thread a core", false, measure_hand_pool},
	{"hand-callers", "written by hand, a thread a rank", false, measure_hand_callers},
	{"ordo-pool", "one call drives all ranks", true, measure_ordo_pool},
	{"ordo-callers", "a caller's thread a rank", true, measure_ordo_callers},
	{"ordo-tasks", "the tasks as they are written, a worker a core", true, measure_ordo_tasks},
};
const size_t ncontender = sizeof(contenders) / sizeof(*contenders);
