/* programs.c - the programs of a schedule, one rank at a time. */
#include <ordo/arena.h>
#include <ordo/detail/programs.h>
#include <stdlib.h>

void ordo_rank_program_clear(struct ordo_rank_program *program)
{
	program->ntask = program->nstream = 0;
}

/* The arrays may have moved. */
static void show(struct ordo_rank_program *program)
{
	program->tasks = program->own.tasks;
	program->ends = program->own.ends;
	program->names = program->own.names;
}

static bool add_stream(
	struct ordo_rank_program *program, const char *name, uint32_t end, struct ordo_error *error)
{
	const size_t nstream = (size_t)program->nstream + 1;
	if (!ordo_array_reserve(&program->own.ends, &program->own.end_room, nstream,
		    sizeof *program->own.ends) ||
		!ordo_array_reserve(&program->own.names, &program->own.name_room, nstream,
			sizeof *program->own.names))
		return ordo_fail_memory(error);
	program->own.names[program->nstream] = name;
	program->own.ends[program->nstream++] = end;
	return true;
}

bool ordo_rank_program_stream(
	struct ordo_rank_program *program, const char *name, struct ordo_error *error)
{
	const bool worked = add_stream(program, name, program->ntask, error);
	show(program);
	return worked;
}

bool ordo_rank_program_append(
	struct ordo_rank_program *program, const struct ordo_task *task, struct ordo_error *error)
{
	if (program->ntask == program->own.task_room) {
		if (!ordo_array_reserve(&program->own.tasks, &program->own.task_room,
			    (size_t)program->ntask + 1, sizeof *program->own.tasks))
			return ordo_fail_memory(error);
		show(program);
	}
	program->own.tasks[program->ntask++] = *task;
	program->own.ends[program->nstream - 1] = program->ntask;
	return true;
}

void ordo_rank_program_free(struct ordo_rank_program *program)
{
	free(program->own.tasks);
	free(program->own.ends);
	free(program->own.names);
	*program = (struct ordo_rank_program){0};
}

/* The tasks of a rank are contiguous if its streams were created consecutively, as schedule.h
 * requires. */
static bool give_part(const struct ordo_programs *programs, uint32_t rank,
	struct ordo_rank_program *program, struct ordo_error *error)
{
	const struct ordo_schedule *schedule = programs->closure;
	const struct ordo_program *streams = &schedule->programs[rank];
	ordo_rank_program_clear(program);
	if (streams->first_stream == streams->end_stream)
		return true;
	const uint32_t first = schedule->streams[streams->first_stream].first;
	for (uint32_t s = streams->first_stream; s < streams->end_stream; s++)
		if (!add_stream(program, schedule->streams[s].name,
			    schedule->streams[s].end - first, error))
			return false;
	show(program);
	program->tasks = schedule->tasks + first;
	program->ntask = program->ends[program->nstream - 1];
	return true;
}

struct ordo_programs ordo_programs_of(const struct ordo_schedule *schedule)
{
	return (struct ordo_programs){
		.problem = schedule->problem,
		.algorithm = schedule->algorithm,
		.scratch_slots = schedule->scratch_slots,
		.staging = schedule->staging,
		.nphase = schedule->nphase,
		.phases = schedule->phases,
		.give = give_part,
		.closure = schedule,
	};
}

static bool append_program(struct ordo_schedule *schedule, uint32_t rank,
	const struct ordo_rank_program *program, struct ordo_error *error)
{
	for (uint32_t s = 0, i = 0; s < program->nstream; s++) {
		if (!ordo_schedule_begin_stream(schedule, rank, program->names[s], error))
			return false;
		for (; i < program->ends[s]; i++)
			if (!ordo_schedule_append(schedule, &program->tasks[i], error))
				return false;
	}
	return true;
}

/* Phases without names are named by their numbers. */
static bool name_phases(struct ordo_schedule *schedule, const struct ordo_programs *programs,
	struct ordo_error *error)
{
	struct ordo_arena arena = {0};
	const char **names =
		ordo_arena_alloc(&arena, ((size_t)programs->nphase + 1) * sizeof *names);
	bool worked = names;
	for (uint32_t i = 0; worked && i < programs->nphase; i++)
		worked = (names[i] = programs->phases ? programs->phases[i]
						      : ordo_arena_format(&arena, "%u", i));
	if (!worked)
		ordo_fail_memory(error);
	worked = worked && ordo_schedule_set_phases(schedule, names, programs->nphase, error);
	ordo_arena_free(&arena);
	return worked;
}

/* Is there memory for all programs, if they are all like that one? */
static bool whole_fits(const struct ordo_programs *programs,
	const struct ordo_rank_program *program, struct ordo_error *error)
{
	const struct ordo_size size = {.tasks = (double)program->ntask * programs->problem.nrank,
		.streams = programs->problem.nrank};
	return ordo_memory_allows(ordo_bytes_of(&size), "holding all programs", error);
}

struct ordo_schedule *ordo_programs_gather(
	const struct ordo_programs *programs, struct ordo_error *error)
{
	struct ordo_schedule *schedule =
		ordo_schedule_create(&programs->problem, programs->algorithm, error);
	struct ordo_rank_program program = {0};
	bool worked = schedule;
	if (worked) {
		schedule->scratch_slots = programs->scratch_slots;
		schedule->staging = programs->staging;
		worked = name_phases(schedule, programs, error);
	}
	for (uint32_t rank = 0; worked && rank < programs->problem.nrank; rank++)
		worked = programs->give(programs, rank, &program, error) &&
			 (rank || whole_fits(programs, &program, error)) &&
			 append_program(schedule, rank, &program, error);
	ordo_rank_program_free(&program);
	if (worked)
		return schedule;
	ordo_schedule_destroy(schedule);
	return NULL;
}
