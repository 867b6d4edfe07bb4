/* test_properties.c - what must be true of every schedule that is compiled, over the whole algorithm table.
 *
 * It is proved, and the closure agrees; without any one Notify and its Wait it is refused; written and read it is the same; and it gives exact
 * integers and the same float bits by every seed and on threads.
 *
 * Arguments: first and last number of ranks (1 16), effort 1 or 2 (1): with 2 all roots, chunks and parameters, and every pair.
 */
#include "judging.h"
#include "mutate.h"
#include "running.h"
#include "specimens.h"

#include <stdlib.h>
#include <string.h>

struct effort {
	bool whole;
	uint32_t number;  /* of the specimen under way */
	uint64_t dropped; /* pairs */
	uint32_t wrong;
};

static void complain(struct effort *effort, const char *title, const char *what)
{
	if (effort->wrong++ < 5)
		printf("%s: %s\n", title, what);
}

static void check_proof(struct effort *effort, const char *title, const struct ordo_schedule *schedule)
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

static void drop_pair_at(
	struct effort *effort, const char *title, const struct ordo_schedule *schedule, uint32_t task)
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
static void check_minimality(struct effort *effort, const char *title, const struct ordo_schedule *schedule)
{
	uint64_t random = effort->number;
	const uint32_t most = effort->whole ? 2000 : 120;
	for (uint32_t i = 0; i < (schedule->ntask < most ? schedule->ntask : effort->whole ? 200 : 20); i++)
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

static void check_document(struct effort *effort, const char *title, const struct ordo_schedule *schedule)
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
		 memcmp(read->tasks, schedule->tasks, read->ntask * sizeof *read->tasks))
		complain(effort, title, "read, it has other tasks");
	ordo_schedule_destroy(read);
	free(text);
	free(again);
}

static void check_runs(struct effort *effort, const char *title, const struct ordo_schedule *schedule)
{
	char why[512];
	const uint32_t nseed = effort->whole || schedule->ntask < 150 ? 100 : 3;
	if (!runs_right(schedule, nseed, effort->number % 8 == 0, why))
		complain(effort, title, why);
}

static void check(const struct specimen *specimen, const struct ordo_schedule *schedule, void *closure)
{
	struct effort *effort = closure;
	effort->number++;
	check_proof(effort, specimen->title, schedule);
	check_minimality(effort, specimen->title, schedule);
	check_document(effort, specimen->title, schedule);
	check_runs(effort, specimen->title, schedule);
}

int main(int argc, char **argv)
{
	struct effort effort = {.whole = argc > 3 && atoi(argv[3]) > 1};
	struct specimen_range range = {.first_rank = argc > 1 ? (uint32_t)atoi(argv[1]) : 1,
		.last_rank = argc > 2 ? (uint32_t)atoi(argv[2]) : 16,
		.all_roots = effort.whole,
		.all_chunks = effort.whole,
		.all_parameters = true};
	const struct specimen_count count = visit_specimens(&range, check, &effort);
	printf("%u schedules, %u requests that do not apply, %u failed; %llu pairs dropped; %u wrong\n",
		count.visited, count.inapplicable, count.failed, (unsigned long long)effort.dropped,
		effort.wrong);
	return count.visited && !count.failed && !effort.wrong ? EXIT_SUCCESS : EXIT_FAILURE;
}
