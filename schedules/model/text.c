/* text.c - a schedule as text for people, which can be compared line by line. */
#include <errno.h>
#include <inttypes.h>
#include <ordo/atomic_file.h>
#include <ordo/detail/accumulate.h>
#include <ordo/document.h>

static void print_head(const struct ordo_schedule *schedule, FILE *out)
{
	const struct ordo_problem *problem = &schedule->problem;
	const struct ordo_operator_facts *facts = ordo_operator_facts(problem->op);
	fprintf(out, "%s by %s, ranks %" PRIu32, facts->name, schedule->algorithm, problem->nrank);
	if (facts->rooted)
		fprintf(out, ", root %" PRIu32, problem->root);
	if (problem->nshard != problem->nrank)
		fprintf(out, ", shards %" PRIu32, problem->nshard);
	fprintf(out, ", chunks per block %" PRIu32 ", scratch slots %" PRIu32 "%s%s%s%s\n",
		problem->chunks_per_block, schedule->scratch_slots,
		problem->in_place ? ", in place" : "",
		problem->accumulate ? ", accumulates in " : "",
		problem->accumulate ? ordo_accumulation_name(problem->accumulate) : "",
		schedule->staging ? ", staging" : "");
	if (schedule->topology_name && schedule->topology_digest)
		fprintf(out, "topology %s, digest %s\n", schedule->topology_name,
			schedule->topology_digest);
}

static void print_stream(const struct ordo_schedule *schedule, uint32_t number, FILE *out)
{
	const struct ordo_stream *stream = &schedule->streams[number];
	char title[512];
	ordo_stream_title(schedule, number, title, sizeof title);
	fprintf(out, "  stream %s\n", title);
	uint32_t phase = ORDO_NO_PHASE;
	for (uint32_t i = stream->first; i < stream->end; i++) {
		const struct ordo_task *task = &schedule->tasks[i];
		char line[128];
		ordo_task_print(task, line, sizeof line);
		if (task->phase != phase && task->phase < schedule->nphase)
			fprintf(out, "    %-60s # %s\n", line, schedule->phases[task->phase]);
		else
			fprintf(out, "    %s\n", line);
		phase = task->phase;
	}
}

bool ordo_schedule_print_text(
	const struct ordo_schedule *schedule, FILE *out, struct ordo_error *error)
{
	errno = 0;
	print_head(schedule, out);
	for (uint32_t rank = 0; rank < schedule->problem.nrank && !ferror(out); rank++) {
		const struct ordo_program *program = &schedule->programs[rank];
		fprintf(out, "rank %" PRIu32 "\n", rank);
		for (uint32_t i = program->first_stream; i < program->end_stream; i++)
			print_stream(schedule, i, out);
	}
	if (!fflush(out) && !ferror(out))
		return true;
	return ordo_fail_file(error, "", "cannot write", errno ? errno : EIO);
}
