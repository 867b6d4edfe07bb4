/* excerpt.c - selects the part of a schedule that a picture shows. */
#include "excerpt.h"
#include "cli/inputs.h"
#include "pairing.h"
#include <stdlib.h>
#include <string.h>

uint32_t *first_numbers(struct call *call, uint32_t count)
{
	uint32_t *numbers = calloc((size_t)count + 1, sizeof *numbers);
	if (!numbers)
		refuse_memory(call);
	for (uint32_t i = 0; numbers && i < count; i++)
		numbers[i] = i;
	return numbers;
}

static uint64_t count_chosen(
	const struct ordo_schedule *schedule, const struct selection *selection)
{
	uint64_t count = 0;
	for (uint32_t i = 0; i < selection->nrank; i++) {
		const struct ordo_program *program = &schedule->programs[selection->ranks[i]];
		for (uint32_t s = program->first_stream; s < program->end_stream; s++)
			for (uint32_t t = schedule->streams[s].first; t < schedule->streams[s].end;
				t++) {
				uint32_t phase = schedule->tasks[t].phase;
				count += phase == ORDO_NO_PHASE || selection->phases[phase];
			}
	}
	return count;
}

static bool choose_phases(struct call *call, const struct excerpt_options *args,
	const struct ordo_schedule *schedule, struct selection *selection)
{
	selection->phases = calloc((size_t)schedule->nphase + 1, sizeof *selection->phases);
	if (!selection->phases)
		return refuse_memory(call);
	if (!args->phases.count) {
		memset(selection->phases, true, schedule->nphase);
		return true;
	}
	uint32_t count,
		*phases = read_numbers(call, "phases", &args->phases, schedule->nphase, &count);
	for (uint32_t i = 0; phases && i < count; i++)
		selection->phases[phases[i]] = true;
	free(phases);
	return phases;
}

/* Unless selected by the user, the highest ranks and then the last phases are left out until the
 * picture is small enough. */
static void cut(const struct excerpt_options *args, const struct ordo_schedule *schedule,
	struct selection *selection)
{
	if (!args->ranks.count && selection->nrank > FEW_RANKS &&
		count_chosen(schedule, selection) > args->max_tasks)
		selection->nrank = FEW_RANKS;
	for (uint32_t last = schedule->nphase; !args->phases.count && last > 1; last--) {
		if (count_chosen(schedule, selection) <= args->max_tasks)
			return;
		selection->phases[last - 1] = false;
	}
}

static void mark_rank(
	bool *wanted, uint32_t rank, const struct ordo_schedule *schedule, uint32_t *count)
{
	if (rank >= schedule->problem.nrank || wanted[rank] || *count == FEW_RANKS)
		return;
	wanted[rank] = true;
	++*count;
}

static void mark_rank_of(
	bool *wanted, uint32_t task, const struct ordo_schedule *schedule, uint32_t *count)
{
	if (task != ORDO_NONE)
		mark_rank(wanted, schedule->streams[ordo_stream_of(schedule, task)].rank, schedule,
			count);
}

/* The ranks of the arrows and of the tasks at fault, ascending, and their neighbours. */
static void keep_ranks(bool *wanted, const struct ordo_schedule *schedule,
	const struct witness *witness, struct excerpt *excerpt)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < witness->narrow; i++) {
		mark_rank_of(wanted, witness->arrows[i].from, schedule, &count);
		mark_rank_of(wanted, witness->arrows[i].to, schedule, &count);
		mark_rank(wanted, witness->arrows[i].rank, schedule, &count);
	}
	for (uint32_t i = 0; i < witness->ntask; i++)
		mark_rank_of(wanted, witness->tasks[i], schedule, &count);
	/* Their neighbours by number, while there is room. */
	const uint32_t nrank = schedule->problem.nrank, nfound = count;
	uint32_t found[FEW_RANKS], n = 0;
	for (uint32_t rank = 0; rank < nrank && n < nfound; rank++)
		if (wanted[rank])
			found[n++] = rank;
	for (uint32_t distance = 1;
		distance < nrank && nfound && count < FEW_RANKS && count < nrank; distance++)
		for (uint32_t i = 0; i < nfound; i++) {
			mark_rank(wanted, (found[i] + nrank - distance) % nrank, schedule, &count);
			mark_rank(wanted, (found[i] + distance) % nrank, schedule, &count);
		}
	excerpt->selection.nrank = 0;
	for (uint32_t rank = 0; rank < schedule->problem.nrank; rank++)
		if (wanted[rank])
			excerpt->ranks[excerpt->selection.nrank++] = rank;
}

/* The distance of each depth from the nearest task at fault, into distances[0..deepest]. */
static void measure_distances(const uint32_t *depths, uint32_t deepest,
	const struct witness *witness, uint32_t *distances)
{
	memset(distances, 0xff, ((size_t)deepest + 1) * sizeof *distances);
	for (uint32_t i = 0; i < witness->ntask; i++)
		distances[depths[witness->tasks[i]]] = 0;
	for (uint32_t d = 1; d <= deepest; d++)
		if (distances[d - 1] < distances[d])
			distances[d] = distances[d - 1] + 1;
	for (uint32_t d = deepest; d-- > 0;)
		if (distances[d + 1] < distances[d])
			distances[d] = distances[d + 1] + 1;
}

/* The nearest tasks of the selected ranks, as many as fit into a picture. */
static bool keep_near(const uint32_t *depths, const struct ordo_schedule *schedule,
	const struct witness *witness, struct excerpt *excerpt)
{
	const struct selection *selection = &excerpt->selection;
	uint32_t deepest = 0, most = 0;
	for (uint32_t t = 0; t < schedule->ntask; t++)
		deepest = depths[t] > deepest ? depths[t] : deepest;
	uint32_t *distances = calloc((size_t)deepest + 1, sizeof *distances),
		 *counts = calloc((size_t)deepest + 1, sizeof *counts);
	excerpt->near = calloc((size_t)schedule->ntask + 1, sizeof *excerpt->near);
	const bool worked = distances && counts && excerpt->near;
	if (worked)
		measure_distances(depths, deepest, witness, distances);
	for (int pass = 0; worked && pass < 2; pass++) {
		for (uint32_t i = 0; i < selection->nrank; i++) {
			const struct ordo_program *program =
				&schedule->programs[selection->ranks[i]];
			for (uint32_t s = program->first_stream; s < program->end_stream; s++)
				for (uint32_t t = schedule->streams[s].first;
					t < schedule->streams[s].end; t++) {
					const uint32_t distance = distances[depths[t]];
					if (pass)
						excerpt->near[t] = distance < most;
					else if (distance <= deepest)
						counts[distance]++;
				}
		}
		for (uint64_t total = 0; !pass && most <= deepest; most++)
			if ((total += counts[most]) > selection->max_tasks)
				break;
	}
	free(distances);
	free(counts);
	return worked;
}

static bool gather_around(const struct excerpt_options *args, const struct ordo_schedule *schedule,
	const struct witness *witness, struct excerpt *excerpt)
{
	bool *wanted = calloc(schedule->problem.nrank, sizeof *wanted);
	uint32_t *partners = pair_tasks(schedule),
		 *depths = partners ? find_depths(schedule, partners, false) : NULL;
	bool worked = wanted && depths;
	if (worked && !args->ranks.count)
		keep_ranks(wanted, schedule, witness, excerpt);
	if (worked && !args->phases.count &&
		count_chosen(schedule, &excerpt->selection) > args->max_tasks)
		worked = keep_near(depths, schedule, witness, excerpt);
	free(wanted);
	free(partners);
	free(depths);
	return worked;
}

bool choose_excerpt(struct call *call, const struct excerpt_options *args,
	const struct ordo_schedule *schedule, const struct witness *witness,
	struct excerpt *excerpt)
{
	const uint32_t nrank = schedule->problem.nrank;
	struct selection *selection = &excerpt->selection;
	*excerpt = (struct excerpt){.selection = {.nrank = nrank, .max_tasks = args->max_tasks}};
	excerpt->ranks = args->ranks.count ? read_numbers(call, "ranks", &args->ranks, nrank,
						     &selection->nrank)
					   : first_numbers(call, nrank);
	selection->ranks = excerpt->ranks;
	if (!excerpt->ranks || !choose_phases(call, args, schedule, selection))
		return false;
	const bool large = count_chosen(schedule, selection) > args->max_tasks;
	if (large && witness && witness->ntask) {
		if (!gather_around(args, schedule, witness, excerpt))
			return refuse_memory(call);
		selection->near = excerpt->near;
	} else {
		cut(args, schedule, selection);
	}
	return true;
}

void free_excerpt(struct excerpt *excerpt)
{
	free(excerpt->selection.phases);
	free(excerpt->ranks);
	free(excerpt->near);
}

void note_omission(struct call *call, const struct ordo_schedule *schedule,
	const struct excerpt *excerpt, uint32_t drawn, uint32_t all, const char *what)
{
	const struct selection *selection = &excerpt->selection;
	uint32_t nphase = 0;
	for (uint32_t i = 0; i < schedule->nphase; i++)
		nphase += selection->phases[i];
	if (drawn < all)
		note(call,
			"drawn: %u of %u %s (%u of %u ranks, %u of %u phases%s); choose others "
			"with --ranks 0-3 and --phases 0-2, or raise --max-tasks %u",
			drawn, all, what, selection->nrank, schedule->problem.nrank, nphase,
			schedule->nphase, selection->near ? ", around the fault" : "",
			selection->max_tasks);
}
