/* inputs.c - reads the inputs of commands: schedules and topologies. */
#include "inputs.h"
#include "base/progress.h"
#include "moves/moves_file.h"
#include "msccl_file.h"
#include "overwrite.h"
#include "topologies/dead_ends.h"
#include "topologies/loss.h"
#include "topology_xml/machine.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/compiler.h>
#include <ordo/failure_sets.h>
#include <ordo/plan_set.h>
#include <ordo/read_moves.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* "3-7" -> 3 and 7, "3" -> 3 and 3. */
static bool read_range(const char *text, uint32_t *first, uint32_t *last)
{
	char left[16];
	uint64_t a, b;
	size_t length = strcspn(text, "-");
	if (length >= sizeof left)
		return false;
	memcpy(left, text, length);
	left[length] = 0;
	if (!read_wide(left, &a) || !read_wide(text[length] ? text + length + 1 : left, &b) ||
		a > ORDO_LIMIT || b > ORDO_LIMIT)
		return false;
	*first = (uint32_t)a;
	*last = (uint32_t)b;
	return true;
}

bool read_link(const char *text, uint32_t *a, uint32_t *b)
{
	return strchr(text, '-') && read_range(text, a, b);
}

bool is_failing(const struct topology_choice *choice)
{
	return choice->failed.count || choice->switches.count || choice->ranks.count;
}

bool has_topology(const struct topology_choice *choice)
{
	return choice->name || is_failing(choice);
}

void free_topology_choice(struct topology_choice *choice)
{
	free_texts(&choice->failed);
	free_texts(&choice->switches);
	free_texts(&choice->ranks);
}

static bool fail_links(
	struct call *call, struct ordo_topology *topology, const struct texts *failed)
{
	struct ordo_error error;
	for (size_t i = 0; i < failed->count; i++) {
		uint32_t a, b;
		if (!read_link(failed->items[i], &a, &b))
			return refuse_usage(call, NULL,
				"--fail-link: found %s, wanted two ranks such as 0-1",
				failed->items[i]);
		if (!ordo_topology_fail_link(topology, a, b, &error))
			return refuse_error(call, &error);
	}
	return true;
}

static int compare_numbers(const void *one, const void *other)
{
	const uint32_t *a = one, *b = other;
	return (*a > *b) - (*a < *b);
}

/* Ascending; the caller frees them, also after false. */
static bool read_failed(struct call *call, const char *option, const struct texts *texts,
	uint32_t **numbers, uint32_t *count)
{
	enum { LIMIT = 1 << 22 }; /* of the vertices of a topology */
	*count = 0;
	*numbers = texts->count ? read_numbers(call, option, texts, LIMIT, count) : NULL;
	if (*count)
		qsort(*numbers, *count, sizeof **numbers, compare_numbers);
	for (uint32_t i = 1; i < *count; i++)
		if ((*numbers)[i] == (*numbers)[i - 1])
			return refuse_usage(
				call, NULL, "--%s: found %" PRIu32 " twice", option, (*numbers)[i]);
	return !texts->count || *numbers;
}

static bool fail_switches(
	struct call *call, struct ordo_topology *topology, const struct texts *failed)
{
	struct ordo_error error;
	uint32_t *switches, count;
	bool worked = read_failed(call, "fail-switch", failed, &switches, &count);
	for (uint32_t i = 0; worked && i < count; i++)
		worked = fail_switch(topology, switches[i], &error) || refuse_error(call, &error);
	free(switches);
	return worked;
}

static bool refuse_all_gone(struct call *call, uint32_t nrank)
{
	return refuse_usage(call, NULL,
		"--fail-rank: all %" PRIu32 " ranks are gone, wanted at least one that is left",
		nrank);
}

static uint32_t count_below(const uint32_t *gone, uint32_t ngone, uint32_t rank)
{
	uint32_t below = 0;
	while (below < ngone && gone[below] < rank)
		below++;
	return below;
}

/* Each rank is one of 0..nrank-1, and one is left. */
static bool check_gone(struct call *call, const uint32_t *gone, uint32_t ngone, uint32_t nrank)
{
	if (ngone && gone[ngone - 1] >= nrank)
		return refuse_usage(call, NULL,
			"--fail-rank: found %" PRIu32 ", wanted a rank of 0..%" PRIu32,
			gone[ngone - 1], nrank - 1);
	return ngone < nrank || refuse_all_gone(call, nrank);
}

bool renumber_problem(
	struct call *call, const struct topology_choice *choice, struct ordo_problem *problem)
{
	uint32_t *gone, ngone;
	bool worked = read_failed(call, "fail-rank", &choice->ranks, &gone, &ngone) &&
		      (!problem->nrank || check_gone(call, gone, ngone, problem->nrank));
	const uint32_t below = worked ? count_below(gone, ngone, problem->root) : 0;
	if (worked && below < ngone && gone[below] == problem->root &&
		ordo_operator_facts(problem->op)->rooted)
		worked = refuse_usage(call, "--root R names another rank, by its old number",
			"--fail-rank: found %" PRIu32 ", which is the root", problem->root);
	if (worked && problem->nrank)
		problem->nrank -= ngone;
	if (worked && ordo_operator_facts(problem->op)->rooted)
		problem->root -= below;
	free(gone);
	return worked;
}

bool count_remaining(struct call *call, const struct topology_choice *choice, uint32_t *nrank)
{
	struct ordo_problem problem = {.op = ORDO_ALLREDUCE, .nrank = *nrank};
	const bool worked = renumber_problem(call, choice, &problem);
	*nrank = problem.nrank;
	return worked;
}

/* `fail-rank: 3 is gone; 0-2 stay, 4-7 are now 3-6`, and the new number of each old rank. */
static void report_renumbered(struct call *call, const uint32_t *renumbered, uint32_t nrank)
{
	char text[1024] = "";
	size_t length = 0;
	if (call->noted_ranks)
		return;
	call->noted_ranks = true;
	const struct report report = report_of(call, NULL), map = report_list(&report, "rank_map");
	for (uint32_t i = 0; i < nrank && call->json; i++)
		if (renumbered[i] == ORDO_NONE)
			add_text(map.json, NULL, NULL);
		else
			report_members(&map, "%" PRIu32 "<>", renumbered[i]);
	for (uint32_t i = 0, end; i < nrank && length < sizeof text; i = end) {
		const uint32_t number = renumbered[i];
		for (end = i + 1; end < nrank &&
				  (number == ORDO_NONE ? renumbered[end] == ORDO_NONE
						       : renumbered[end] == number + (end - i));
			end++)
			;
		length += (size_t)snprintf(text + length, sizeof text - length,
			end - i > 1 ? "%s%" PRIu32 "-%" PRIu32 : "%s%" PRIu32, i ? ", " : "", i,
			end - 1);
		if (length < sizeof text && number == ORDO_NONE)
			length += (size_t)snprintf(text + length, sizeof text - length, " gone");
		else if (length < sizeof text)
			length += (size_t)snprintf(text + length, sizeof text - length,
				end - i > 1 ? " -> %" PRIu32 "-%" PRIu32 : " -> %" PRIu32, number,
				number + (end - i) - 1);
	}
	note(call, "ranks, old -> new: %s%s", text, length < sizeof text ? "" : "...");
}

static bool renumber(
	struct call *call, struct ordo_topology **topology, const uint32_t *gone, uint32_t ngone)
{
	struct ordo_error error;
	const uint32_t nrank = (*topology)->nrank;
	if (!check_gone(call, gone, ngone, nrank))
		return false;
	uint32_t *renumbered = calloc(nrank, sizeof *renumbered);
	if (!renumbered)
		return refuse_memory(call);
	for (uint32_t rank = 0, next = 0; rank < nrank; rank++) {
		const bool is_gone = next < ngone && gone[next] == rank;
		renumbered[rank] = is_gone ? ORDO_NONE : rank - next;
		next += is_gone;
	}
	struct ordo_topology *left = ordo_topology_renumber(*topology, renumbered, &error);
	if (left) {
		ordo_topology_destroy(*topology);
		*topology = left;
	}
	const bool worked = left && is_in_one_part(left, renumbered, nrank, &error);
	if (worked)
		report_renumbered(call, renumbered, nrank);
	free(renumbered);
	return worked || refuse_error(call, &error);
}

/* Everything that is down, in the numbers before any rank was gone. */
static bool take_down(struct call *call, struct ordo_topology **topology,
	const struct topology_choice *choice, const uint32_t *gone, uint32_t ngone)
{
	struct ordo_error error;
	if (!fail_links(call, *topology, &choice->failed) ||
		!fail_switches(call, *topology, &choice->switches))
		return false;
	if (ngone && !renumber(call, topology, gone, ngone))
		return false;
	if (choice->switches.count && !ngone && !is_in_one_part(*topology, NULL, 0, &error))
		return refuse_error(call, &error);
	return (!choice->failed.count && !choice->switches.count && !ngone) ||
	       ordo_topology_finish(*topology, &error) || refuse_error(call, &error);
}

static uint32_t count_gpus(const struct machine *machine)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < machine->ndevice; i++)
		count += machine->devices[i].kind == MACHINE_GPU;
	return count;
}

static struct ordo_topology *draw_machine(struct call *call, struct machine *machine,
	uint32_t servers, uint32_t nrank, const char *nvlink)
{
	struct ordo_error error;
	const uint32_t ngpu = count_gpus(machine);
	if (!servers && nrank && ngpu && nrank % ngpu) {
		refuse_usage(call, NULL,
			"%s: found %" PRIu32 " GPUs, wanted a number that divides the %" PRIu32
			" ranks",
			machine->file, ngpu, nrank);
		return NULL;
	}
	const struct machine_options options = {.servers = servers	   ? servers
							   : nrank && ngpu ? nrank / ngpu
									   : 1,
		.nvlink = nvlink};
	struct ordo_topology *topology = machine_topology(machine, &options, &error);
	for (uint32_t i = 0; i < machine->nwarning; i++)
		warn(call, "%s:%" PRIu32 ":%" PRIu32 ": %s", machine->file,
			machine->warnings[i].place.line, machine->warnings[i].place.column,
			machine->warnings[i].text);
	if (!topology)
		refuse_error(call, &error);
	return topology;
}

struct ordo_topology *open_machine(
	struct call *call, const char *path, uint32_t servers, uint32_t nrank, const char *nvlink)
{
	struct ordo_error error;
	struct machine *machine = machine_read(path, &error);
	if (!machine)
		refuse_error(call, &error);
	struct ordo_topology *topology =
		machine ? draw_machine(call, machine, servers, nrank, nvlink) : NULL;
	machine_destroy(machine);
	return topology;
}

static struct ordo_topology *open_topology(struct call *call, const char *name, uint32_t nrank)
{
	struct ordo_error error;
	if (name && is_xml(name))
		return open_machine(call, name, 0, nrank, NULL);
	struct ordo_topology *topology =
		ordo_topology_make(name ? name : "full-mesh", nrank, &error);
	if (!topology)
		refuse_error(call, &error);
	return topology;
}

/* As many as a file of NCCL or RCCL has GPUs, or as another topology has ranks; 0: call->status. */
static uint32_t ranks_of(struct call *call, const char *name)
{
	struct ordo_error error;
	uint32_t nrank = 0;
	if (is_xml(name)) {
		struct machine *machine = machine_read(name, &error);
		nrank = machine ? count_gpus(machine) : 0;
		if (!machine)
			refuse_error(call, &error);
		else if (!nrank) /* which is an error that it reports */
			ordo_topology_destroy(draw_machine(call, machine, 1, 0, NULL));
		machine_destroy(machine);
		return nrank;
	}
	struct ordo_topology *topology = open_topology(call, name, 0);
	nrank = topology ? topology->nrank : 0;
	ordo_topology_destroy(topology);
	return nrank;
}

bool find_ranks(struct call *call, const struct topology_choice *choice, uint32_t *nrank)
{
	if (*nrank)
		return true;
	if (!has_topology(choice))
		return refuse_usage(call, NULL, "--ranks N is missing; N is at least 1");
	if (!choice->name || !strpbrk(choice->name, ":/."))
		return refuse_usage(call, NULL, "--ranks N is missing; %s has any number",
			choice->name ? choice->name : "full-mesh");
	*nrank = ranks_of(call, choice->name);
	return *nrank > 0;
}

static void warn_dead_ends(struct call *call, const struct ordo_topology *topology)
{
	uint32_t first;
	const uint32_t count = topology->nswitch ? count_dead_ends(topology, &first) : 0;
	if (count == 1)
		warn(call, "%s: switch %" PRIu32 " leads nowhere: no data passes it",
			topology->name, first);
	else if (count && count != ORDO_NONE)
		warn(call,
			"%s: %" PRIu32 " switches lead nowhere, the first is %" PRIu32
			": no data passes them",
			topology->name, count, first);
}

/* Prints once what is odd about a topology. */
static void warn_remarks(struct call *call, const char *name, const struct ordo_topology *topology)
{
	if (!call->noted_topology) {
		if (topology->remark)
			warn(call, "%s", topology->remark);
		if (name && !is_xml(name)) /* there it is a CPU without GPUs */
			warn_dead_ends(call, topology);
	}
	call->noted_topology = true;
}

bool choose_topology(struct call *call, const struct topology_choice *choice, uint32_t nrank,
	struct ordo_topology **topology)
{
	uint32_t *gone, ngone;
	*topology = NULL;
	if (!has_topology(choice))
		return true;
	bool worked = read_failed(call, "fail-rank", &choice->ranks, &gone, &ngone);
	if (worked)
		*topology = open_topology(call, choice->name, nrank ? nrank + ngone : 0);
	if (worked && *topology)
		warn_remarks(call, choice->name, *topology);
	worked = worked && *topology && take_down(call, topology, choice, gone, ngone);
	free(gone);
	if (worked)
		return true;
	ordo_topology_destroy(*topology);
	*topology = NULL;
	return false;
}

const struct topology_choice *topology_of_option(const struct option *option)
{
	_Static_assert(offsetof(struct topology_choice, name) == 0, "it is the first member");
	return option->value;
}

const char *only_operand(struct call *call, const char *what)
{
	if (call->noperand == 1)
		return call->operands[0];
	if (!call->noperand)
		call->status = fail_usage(call, NULL, "wanted %s", what);
	else
		call->status = fail_usage(call, NULL, "wanted %s and nothing else, found %s and %s",
			what, call->operands[0], call->operands[1]);
	return NULL;
}

static bool tame_name(struct ordo_schedule *schedule, const char **name)
{
	const unsigned char *at = (const unsigned char *)*name;
	while (*at >= ' ' && *at < 0x7f)
		at++;
	if (!*at)
		return true;
	char *tamed = ordo_arena_text(&schedule->arena, *name, strlen(*name));
	if (!tamed)
		return false;
	tame(tamed, false);
	*name = tamed;
	return true;
}

/* Names in a document are untrusted: control characters in them must not reach a terminal. */
static bool tame_names(struct ordo_schedule *schedule)
{
	bool worked = tame_name(schedule, &schedule->algorithm);
	if (schedule->topology_name)
		worked = worked && tame_name(schedule, &schedule->topology_name);
	for (uint32_t i = 0; worked && i < schedule->nphase; i++)
		worked = tame_name(schedule, &schedule->phases[i]);
	for (uint32_t i = 0; worked && i < schedule->nstream; i++)
		worked = tame_name(schedule, &schedule->streams[i].name);
	return worked;
}

struct ordo_schedule *tame_schedule(
	struct call *call, struct ordo_schedule *schedule, struct ordo_error *error)
{
	if (schedule && !tame_names(schedule)) {
		ordo_fail_memory(error);
		ordo_schedule_destroy(schedule);
		schedule = NULL;
	}
	if (!schedule)
		call->status = fail(call, error);
	if (!schedule || keep_schedule(call, schedule))
		return schedule;
	ordo_schedule_destroy(schedule);
	return NULL;
}

static struct ordo_schedule *refuse_set(struct call *call, const char *path, const char *kind)
{
	struct ordo_error error;
	ordo_fail(&error, ORDO_USAGE, 0, "found a %s set, wanted a schedule", kind);
	snprintf(error.file, sizeof error.file, "%s", path);
	ordo_hint(&error, "`ordo list %.200s` lists its schedules, which are files in it", path);
	call->status = fail(call, &error);
	return NULL;
}

static struct ordo_schedule *open_xml(struct call *call, const char *path)
{
	struct msccl_file file;
	struct ordo_schedule *schedule =
		open_msccl_file(call, path, &file)
			? msccl_schedule(call, &file, &(struct msccl_options){.root = ORDO_NONE})
			: NULL;
	close_msccl_file(&file);
	return schedule;
}

bool choose_moves_topology(struct call *call, const struct topology_choice *choice,
	const struct ordo_moves *moves, struct ordo_topology **topology)
{
	return choice && has_topology(choice)
		       ? choose_topology(call, choice, moves->problem.nrank, topology)
		       : find_moves_topology(call, moves, topology);
}

/* On the topology of the command, or else on that of the moves. */
static struct ordo_schedule *compile_here(struct call *call, const struct ordo_moves *moves)
{
	struct ordo_topology *topology;
	struct ordo_schedule *schedule = NULL;
	if (choose_moves_topology(call, call->topology, moves, &topology))
		schedule = moves_schedule(call, moves, topology);
	call->compiled_moves = true;
	ordo_topology_destroy(topology);
	return schedule;
}

struct ordo_schedule *open_schedule(struct call *call, const char *path)
{
	if (is_xml(path))
		return open_xml(call, path);
	struct ordo_error error;
	struct progress progress = {0};
	struct ordo_schedule *schedule;
	const struct ordo_read_options options = {.progress = show_progress, .closure = &progress};
	if (ordo_is_plan_set(path))
		return refuse_set(call, path, "plan");
	if (ordo_is_failure_set(path))
		return refuse_set(call, path, "failure");
	show_progress(&progress, "reading", 0, 0);
	struct ordo_read_either read;
	ordo_read_either(path, &options, &read, &error);
	hide_progress(&progress);
	if (!read.moves)
		return tame_schedule(call, read.schedule, &error);
	struct ordo_moves *moves = tame_moves(call, read.moves, &error);
	schedule = moves ? compile_here(call, moves) : NULL;
	ordo_moves_destroy(moves);
	return schedule;
}

bool took_topology(struct call *call)
{
	return !call->topology || !has_topology(call->topology) || call->compiled_moves ||
	       refuse_usage(call, "`ordo verify` proves a schedule on another topology",
		       "--%s: found a schedule, which is compiled already, wanted moves",
		       call->topology->name	      ? "topology"
		       : call->topology->failed.count ? "fail-link"
		       : call->topology->ranks.count  ? "fail-rank"
						      : "fail-switch");
}

struct ordo_schedule *open_compiled(struct call *call, const char *path)
{
	struct ordo_schedule *schedule = open_schedule(call, path);
	if (!schedule || took_topology(call))
		return schedule;
	ordo_schedule_destroy(schedule);
	return NULL;
}

uint32_t *read_numbers(struct call *call, const char *option, const struct texts *texts,
	uint32_t limit, uint32_t *count)
{
	uint32_t *numbers = NULL;
	size_t room = 0;
	*count = 0;
	for (size_t i = 0; i < texts->count; i++) {
		uint32_t first, last;
		if (!read_range(texts->items[i], &first, &last) || first > last || last >= limit) {
			call->status = fail_usage(call, NULL,
				"--%s: found %s, wanted numbers of 0..%u such as 0-3,6", option,
				texts->items[i], limit ? limit - 1 : 0);
			free(numbers);
			return NULL;
		}
		if (!ordo_array_reserve(&numbers, &room, *count + (size_t)(last - first) + 1,
			    sizeof *numbers)) {
			call->status = ORDO_ENVIRONMENT;
			free(numbers);
			return NULL;
		}
		for (uint32_t n = first; n <= last; n++)
			numbers[(*count)++] = n;
	}
	return numbers;
}

bool is_folder(const char *path)
{
	struct stat status;
	return !stat(path, &status) && S_ISDIR(status.st_mode);
}
