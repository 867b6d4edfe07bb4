/* msccl.c - what a program of MSCCL needs of a runtime, and which runtimes take it. */
#include "msccl.h"
#include "msccl/check.h"
#include "msccl/runtimes.h"
#include <inttypes.h>
#include <ordo/detail/schedules.h>
#include <stdlib.h>
#include <string.h>

/* The step that a task comes from; NULL: what a block does before its first. */
static const struct msccl_step *step_of(
	const struct msccl_program *program, const struct ordo_schedule *schedule, uint32_t task)
{
	const struct ordo_place place = schedule->places[task];
	uint32_t first = 0, end = program->nstep;
	while (first < end) {
		const uint32_t middle = first + (end - first) / 2;
		const struct ordo_place at = program->steps[middle].place;
		if (at.line < place.line || (at.line == place.line && at.column < place.column))
			first = middle + 1;
		else
			end = middle;
	}
	const struct msccl_step *step = &program->steps[first];
	return first < program->nstep && step->place.line == place.line &&
			       step->place.column == place.column
		       ? step
		       : NULL;
}

static void report_step(const struct report *list, const struct msccl_program *program,
	const struct ordo_schedule *schedule, uint32_t task)
{
	const struct ordo_stream *stream = &schedule->streams[ordo_stream_of(schedule, task)];
	const struct msccl_step *step = step_of(program, schedule, task);
	const struct report one = report_item(list);
	/* Streams are named after their blocks. */
	const uint32_t tb = (uint32_t)strtoul(stream->name + strlen("tb "), NULL, 10);
	report_text(&one, "  gpu %u<gpu>, tb %u<tb>", stream->rank, tb);
	if (step) {
		const struct msccl_block *block =
			&program->blocks[program->gpus[stream->rank].first + tb];
		report_text(&one, ", step %u<step> (%s<type>)",
			(uint32_t)(step - program->steps) - block->first,
			msccl_types[step->type].name);
	}
	report_text(&one, ", line %u<line>\n", schedule->places[task].line);
}

void report_steps(const struct report *report, const struct msccl_program *program,
	const struct ordo_schedule *schedule, const struct ordo_proof *proof, uint32_t slots)
{
	const struct report findings =
		report_list(report, slots ? "steps_with_few_slots" : "steps");
	for (uint32_t i = 0; i < proof->nfinding; i++) {
		const struct ordo_finding *finding = &proof->findings[i];
		if ((slots && finding->rule != 7) || !finding->ntask)
			continue;
		const struct report one = report_item(&findings);
		report_text(&one, "R%d<rule> in the file", finding->rule);
		if (slots)
			report_text(&one, ", with %u slots a connection", slots);
		report_text(&one, ":\n");
		const struct report list = report_list(&one, "tasks");
		for (uint32_t t = 0; t < finding->ntask; t++)
			report_step(&list, program, schedule, finding->tasks[t]);
	}
}

static const char *const protocols[] = {"Simple", "LL", "LL128"};

static void report_safe_size(const struct report *report, const struct msccl_program *program,
	const struct msccl_capacity *capacity)
{
	if (capacity->safe_bytes == UINT64_MAX) {
		report_line(report, "safe size", "any: no size makes it hang");
		add_text(report->json, "safe_bytes", NULL);
		return;
	}
	const uint64_t most = program->most_bytes;
	const bool beyond = !most || most > capacity->safe_bytes;
	report_members(report, "%" PRIu64 "<safe_bytes>", capacity->safe_bytes);
	report_label(report, "safe size");
	if (capacity->safe_bytes)
		report_text(report, "up to %g<:bytes>%s", (double)capacity->safe_bytes,
			beyond ? ", it hangs above" : "");
	else
		report_text(report, "none: it hangs at every size");
	if (most)
		report_text(report, "; the file says up to %g<:bytes>\n", (double)most);
	else
		report_text(report, "; the file says no limit\n");
}

static void report_runtimes(const struct report *report, const struct msccl_program *program)
{
	char text[MSCCL_NRUNTIME][128];
	const struct report reasons = report_object(report, "ignored_by");
	const struct {
		const char *name, *refusal;
	} runtimes[MSCCL_NRUNTIME] = {
		{"Microsoft's", msccl_refusal(program, MSCCL_MICROSOFT, text[0])},
		{"RCCL", msccl_refusal(program, MSCCL_RCCL, text[1])},
		{"Azure's", msccl_refusal(program, MSCCL_AZURE, text[2])},
	};
	for (int i = 0; i < MSCCL_NRUNTIME; i++) {
		report_label(report, i ? "" : "runtimes");
		report_text(report, "%s %s%s%s\n", runtimes[i].name,
			runtimes[i].refusal ? "ignores it" : "takes it",
			runtimes[i].refusal ? ": " : "",
			runtimes[i].refusal ? runtimes[i].refusal : "");
		add_text(reasons.json, msccl_runtime_names[i], runtimes[i].refusal);
	}
}

static void report_chains(const struct report *report, const struct msccl_program *program)
{
	uint32_t chained = 0;
	for (uint32_t b = 0; b < program->nblock; b++)
		for (uint32_t s = program->blocks[b].first + 1; s < program->blocks[b].end; s++)
			chained += msccl_is_chained(program, s);
	report_members(report, "%u<chained_reductions>", chained);
	if (chained && program->protocol == MSCCL_SIMPLE)
		report_line(report, "chained re",
			"%u: Microsoft's runtime adds ((s0+s1)+...)+dst at larger sizes, "
			"so its bits change with the size",
			chained);
}

void report_msccl(const struct report *report, const struct msccl_program *program,
	const struct msccl_capacity *capacity)
{
	const struct report own = report_object(report, "msccl");
	if (capacity->least_slots)
		report_line(&own, "slots",
			"%u<least_slots> needed of a connection; %s<protocol> has %u<slots>",
			capacity->least_slots, protocols[program->protocol], capacity->slots);
	else
		report_line(&own, "slots", "no number is enough; %s<protocol> has %u<slots>",
			protocols[program->protocol], capacity->slots);
	report_members(&own, "%u<steps> %u<stuck_steps>", program->nstep, capacity->stuck_steps);
	if (capacity->stuck_steps)
		report_line(&own, "steps", "%u of %u are never run", capacity->stuck_steps,
			program->nstep);
	report_safe_size(&own, program, capacity);
	report_runtimes(&own, program);
	report_chains(&own, program);
}
