/* test_properties.c - what must be true of every schedule that is compiled, over the whole
 * algorithm table.
 *
 * It is proved, and the closure agrees; without any one Notify and its Wait it is refused; written
 * and read it is the same; and it gives exact integers and the same float bits by every seed and on
 * threads. On a topology it uses no link that is not there.
 *
 * Arguments: first and last number of ranks (1 8), effort 1 or 2 (1): with 2 all roots and chunks,
 * and every pair; every how manieth request (1).
 */
#include "judging.h"
#include "mutate.h"
#include "running.h"
#include "specimens.h"

#include <stdlib.h>
#include <string.h>

struct effort {
	const struct ordo_topology *topology;
	bool whole;
	uint32_t number;  /* of the current specimen */
	uint64_t dropped; /* pairs */
	uint32_t wrong;
};

static void complain(struct effort *effort, const char *title, const char *what)
{
	if (effort->wrong++ < 5)
		printf("%s: %s\n", title, what);
}

static void check_proof(
	struct effort *effort, const char *title, const struct ordo_schedule *schedule)
{
	struct judgement judgement;
	if (schedule->ntask > 1500) {
		struct ordo_proof *proof = ordo_verify(schedule, NULL, NULL);
		if (!proof || !proof->proved)
			complain(effort, title, "is not proved");
		ordo_proof_destroy(proof);
		return;
	}
	judge_schedule(schedule, &(struct judging){0}, &judgement);
	if (!judgement.proved || *judgement.quarrel)
		complain(effort, title, *judgement.quarrel ? judgement.quarrel : "is not proved");
}

static void drop_pair_at(struct effort *effort, const char *title,
	const struct ordo_schedule *schedule, uint32_t task)
{
	struct ordo_schedule *mutant = with_fault(schedule, FAULT_DROP_PAIR, task, 0);
	if (!mutant)
		return;
	struct ordo_proof *proof =
		ordo_verify(mutant, &(struct ordo_verify_options){.max_findings = 1}, NULL);
	effort->dropped++;
	if (!proof || proof->proved) {
		char place[128], what[192];
		ordo_task_locate(schedule, task, place, sizeof place);
		snprintf(what, sizeof what, "superfluous: %s", place);
		complain(effort, title, what);
	}
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(mutant);
}

/* All pairs if few tasks, else some. */
static void check_minimality(
	struct effort *effort, const char *title, const struct ordo_schedule *schedule)
{
	uint64_t random = effort->number;
	const uint32_t most = effort->whole ? 2000 : 120;
	for (uint32_t i = 0; i < (schedule->ntask < most ? schedule->ntask
					 : effort->whole ? 200
							 : 20);
		i++)
		drop_pair_at(effort, title, schedule,
			schedule->ntask < most ? i : below(&random, schedule->ntask));
}

static char *print(const struct ordo_schedule *schedule, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);
	if (!out || !ordo_schedule_print(schedule, out, NULL) || fclose(out))
		abort();
	return text;
}

static void check_document(
	struct effort *effort, const char *title, const struct ordo_schedule *schedule)
{
	size_t size, again_size = 0;
	struct ordo_error error;
	char *text = print(schedule, &size), *again = NULL;
	struct ordo_schedule *read = ordo_schedule_read_text(text, size, "memory", NULL, &error);
	if (read)
		again = print(read, &again_size);
	if (!read)
		complain(effort, title, error.text);
	else if (again_size != size || memcmp(text, again, size))
		complain(effort, title, "written, read and written it is another document");
	else if (read->ntask != schedule->ntask ||
		 (read->ntask &&
			 memcmp(read->tasks, schedule->tasks, read->ntask * sizeof *read->tasks)))
		complain(effort, title, "read, it has other tasks");
	ordo_schedule_destroy(read);
	free(text);
	free(again);
}

static void check_runs(
	struct effort *effort, const char *title, const struct ordo_schedule *schedule)
{
	char why[512];
	const uint32_t nseed = effort->whole || schedule->ntask < 150 ? 100 : 3;
	if (!runs_right(schedule, nseed, effort->number % 8 == 0, why))
		complain(effort, title, why);
}

/* Is there a way over links that are up, through switches only? Looks at every link again and
 * again. */
static bool is_reached(const struct ordo_topology *topology, uint32_t from, uint32_t to)
{
	bool reached[64] = {0}, more = true;
	reached[from] = true;
	while (more) {
		more = false;
		for (uint32_t i = 0; i < topology->nlink; i++) {
			const struct ordo_link *link = &topology->links[i];
			const bool goes_on = link->from == from || link->from >= topology->nrank;
			if (!link->down && goes_on && reached[link->from] && !reached[link->to])
				more = reached[link->to] = true;
		}
	}
	return reached[to];
}

static void check_links(
	struct effort *effort, const char *title, const struct ordo_schedule *schedule)
{
	for (uint32_t i = 0; i < schedule->nstream; i++)
		for (uint32_t t = schedule->streams[i].first; t < schedule->streams[i].end; t++) {
			const struct ordo_task *task = &schedule->tasks[t];
			const uint32_t rank = schedule->streams[i].rank;
			const bool takes = task->kind == ORDO_WAIT;
			if (ordo_task_crosses(task) && task->peer != rank &&
				!is_reached(effort->topology, takes ? task->peer : rank,
					takes ? rank : task->peer)) {
				complain(effort, title, "uses a link that is not there");
				return;
			}
		}
}

/* Is it one of these, or does it begin with one and a space? The length of what it begins with. */
static size_t begins_with(const char *name, const char *const *words)
{
	for (; *words; words++) {
		const size_t length = strlen(*words);
		if (!strncmp(name, *words, length) && (!name[length] || name[length] == ' '))
			return length;
	}
	return 0;
}

/* A collective or a step that the field knows, between whom, and its number: "inter-server
 * reduce-scatter 3", "intra-server all-gather: copy in". */
static bool is_the_fields_word(const char *name)
{
	static const char *const places[] = {"intra-server", "inter-server", "inter-pod",
		"inter-group", "inter-block", "level 3", NULL};
	static const char *const collectives[] = {"reduce-scatter", "all-gather", "all-reduce",
		"all-to-all", "broadcast", "reduce shards", "reduce", "scatter", "gather", NULL};
	static const char *const steps[] = {"copy in", "copy", "local reduce", "exchange", "fold",
		"unfold", "send to hub", "send to root", NULL};
	const size_t place = begins_with(name, places);
	name += place ? place + 1 : 0;
	const char *colon = strstr(name, ": ");
	name = colon ? colon + 2 : name;
	size_t length = begins_with(name, collectives);
	length = length ? length : begins_with(name, steps);
	const char *number = name + length;
	return length && (!*number || (number[0] == ' ' && strspn(number + 1, "0123456789") &&
					      !number[1 + strspn(number + 1, "0123456789")]));
}

/* Each has a task, a name of its own, and words that people in the field use. */
static void check_phases(
	struct effort *effort, const char *title, const struct ordo_schedule *schedule)
{
	char what[192];
	for (uint32_t phase = 0; phase < schedule->nphase; phase++) {
		const char *name = schedule->phases[phase];
		uint32_t t = 0, other = 0;
		while (t < schedule->ntask && schedule->tasks[t].phase != phase)
			t++;
		while (strcmp(schedule->phases[other], name) != 0)
			other++;
		snprintf(what, sizeof what, "phase \"%.100s\": %s", name,
			t == schedule->ntask ? "no task is of it"
			: other < phase	     ? "is named twice"
					     : "is not what the field calls it");
		if (t == schedule->ntask || other < phase || !is_the_fields_word(name))
			complain(effort, title, what);
	}
}

static void check_on_topology(
	const struct specimen *specimen, const struct ordo_schedule *schedule, void *closure)
{
	struct effort *effort = closure;
	const struct ordo_verify_options options = {.topology = effort->topology};
	struct ordo_proof *proof = ordo_verify(schedule, &options, NULL);
	if (!proof || !proof->proved)
		complain(effort, specimen->title, "is not proved on its topology");
	ordo_proof_destroy(proof);
	check_phases(effort, specimen->title, schedule);
	check_links(effort, specimen->title, schedule);
}

/* `name`, and without the link between ranks 0 and 1 if so asked. */
static void visit_topology(struct effort *effort, struct specimen_count *sum, const char *name,
	uint32_t nrank, bool broken)
{
	struct ordo_error error;
	struct ordo_topology *topology = ordo_topology_make(name, nrank, &error);
	if (topology && broken)
		if (!ordo_topology_fail_link(topology, 0, 1, &error) ||
			!ordo_topology_finish(topology, &error))
			complain(effort, name, error.text);
	if (topology) {
		const struct specimen_range range = {.topology = topology,
			.first_rank = nrank,
			.last_rank = nrank,
			.all_parameters = true};
		effort->topology = topology;
		const struct specimen_count count =
			visit_specimens(&range, check_on_topology, effort);
		sum->visited += count.visited;
		sum->inapplicable += count.inapplicable;
		sum->failed += count.failed;
	} else if (error.code != ORDO_USAGE) {
		complain(effort, name, error.text);
	}
	ordo_topology_destroy(topology);
}

static struct specimen_count visit_topologies(struct effort *effort, uint32_t last_rank)
{
	struct specimen_count sum = {0};
	for (uint32_t n = 3; n <= last_rank; n++) {
		visit_topology(effort, &sum, "full-mesh", n, true);
		visit_topology(effort, &sum, "ring", n, false);
		visit_topology(effort, &sum, "ring", n, true);
		visit_topology(effort, &sum, "star", n, false);
		visit_topology(effort, &sum, "hypercube", n, false);
	}
	if (last_rank >= 8)
		visit_topology(effort, &sum, "a3:8", 8, false);
	return sum;
}

static void check(
	const struct specimen *specimen, const struct ordo_schedule *schedule, void *closure)
{
	struct effort *effort = closure;
	effort->number++;
	check_phases(effort, specimen->title, schedule);
	check_proof(effort, specimen->title, schedule);
	check_minimality(effort, specimen->title, schedule);
	check_document(effort, specimen->title, schedule);
	check_runs(effort, specimen->title, schedule);
}

int main(int argc, char **argv)
{
	struct effort effort = {.whole = argc > 3 && atoi(argv[3]) > 1};
	struct specimen_range range = {.first_rank = argc > 1 ? (uint32_t)atoi(argv[1]) : 1,
		.last_rank = argc > 2 ? (uint32_t)atoi(argv[2]) : 8,
		.every = argc > 4 ? (uint32_t)atoi(argv[4]) : 1,
		.all_roots = effort.whole,
		.all_chunks = effort.whole,
		.all_parameters = true};
	const struct specimen_count count = visit_specimens(&range, check, &effort);
	printf("%u schedules, %u requests that do not apply, %u failed; %llu pairs dropped; %u "
	       "wrong\n",
		count.visited, count.inapplicable, count.failed, (unsigned long long)effort.dropped,
		effort.wrong);
	const struct specimen_count on_topologies =
		visit_topologies(&effort, range.first_rank > 1	? 0
					  : range.last_rank < 8 ? range.last_rank
								: 8);
	printf("on topologies: %u schedules, %u requests that do not apply, %u failed\n",
		on_topologies.visited, on_topologies.inapplicable, on_topologies.failed);
	return count.visited && !count.failed && !on_topologies.failed && !effort.wrong
		       ? EXIT_SUCCESS
		       : EXIT_FAILURE;
}
