/* replay.c - writes replays for `ordo verify`, and runs them for `ordo run`. */
#include "replay.h"
#include "report/execution.h"
#include "report/proof.h"
#include "trace_write.h"
#include <inttypes.h>
#include <string.h>

/* The replay of the first finding that has one. NULL: none has, or call->status says what
 * failed. */
static struct ordo_replay *find_replay(
	struct call *call, const struct ordo_schedule *schedule, const struct ordo_proof *proof)
{
	struct ordo_error error;
	for (uint32_t i = 0; i < proof->nfinding; i++) {
		struct ordo_replay *replay =
			ordo_replay_of_finding(schedule, &proof->findings[i], &error);
		if (replay)
			return replay;
		if (error.code != ORDO_USAGE) {
			call->status = fail(call, &error);
			return NULL;
		}
	}
	if (proof->proved && proof->run_to_run == ORDO_DOES_NOT_HOLD) {
		struct ordo_replay *replay = ordo_replay_of_order(
			schedule, proof->unordered, proof->run_to_run_why, &error);
		if (!replay)
			call->status = fail(call, &error);
		return replay;
	}
	note(call, proof->proved
			   ? "no replay is written: no interleaving has a fault"
			   : "no replay is written: the fault does not depend on an interleaving");
	return NULL;
}

static uint64_t count_steps(const struct ordo_interleaving *interleaving)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < interleaving->nrun; i++)
		n += interleaving->runs[i].count;
	return n;
}

bool write_replay(struct call *call, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, const char *file, const char *path)
{
	struct ordo_error error;
	call->status = ORDO_OK;
	struct ordo_replay *replay = find_replay(call, schedule, proof);
	if (!replay)
		return call->status == ORDO_OK;
	if (ordo_replay_write(schedule, replay, path, &error)) {
		const struct report report = report_of(call, stdout);
		report_line(&report, "replay",
			"%s: %u interleaving%s of %u call%s, %" PRIu64
			" tasks in %u runs, to %s<replay>",
			replay->shows, replay->ninterleaving, plural(replay->ninterleaving),
			replay->ncall, plural(replay->ncall),
			count_steps(&replay->interleavings[0]), replay->interleavings[0].nrun,
			path);
		report_line(&report, "", "ordo run %s --replay %s", file, path);
	} else {
		call->status = fail(call, &error);
	}
	ordo_replay_destroy(replay);
	return call->status == ORDO_OK;
}

/* An element as text. */
struct number {
	char text[80];
};

static struct number name_part(enum ordo_type type, const unsigned char *element)
{
	struct number number;
	int64_t integer;
	if (type == ORDO_I64 || type == ORDO_U64) {
		memcpy(&integer, element, sizeof integer);
		snprintf(number.text, sizeof number.text,
			type == ORDO_I64 ? "%" PRId64 : "%" PRIu64, integer);
	} else {
		snprintf(number.text, sizeof number.text, "%.*g",
			type == ORDO_F64		  ? 17
			: ordo_type_facts(type)->is_float ? 9
							  : 10,
			ordo_element_get(type, element, 0));
	}
	return number;
}

/* A complex number as (real,imaginary), a pair as (value,index). */
static struct number name_element(const struct values *values, const unsigned char *element)
{
	const struct ordo_type_facts *facts = ordo_type_facts(values->type);
	struct number number = name_part(facts->part, element);
	if (facts->part == values->type)
		return number;
	const struct number other = name_part(facts->kind == ORDO_PAIR ? ORDO_I32 : facts->part,
		element + ordo_type_size(facts->part));
	struct number both;
	snprintf(both.text, sizeof both.text, "(%.30s,%.30s)", number.text, other.text);
	return both;
}

struct replaying {
	struct call *call;
	const struct ordo_schedule *schedule;
	const struct ordo_replay *replay;
	const struct replay_data *data;
	const char *trace;
};

static void report_observation(const struct report *list, const struct replaying *replaying,
	const struct observed_run *run, uint32_t i)
{
	const struct ordo_replay *replay = replaying->replay;
	const struct observation *observation = &run->observations[i];
	char where[512], slot[96];
	ordo_task_locate(replaying->schedule, replay->tasks[i].task, where, sizeof where);
	if (observation->step == UINT64_MAX)
		return;
	const struct report one = report_item(list);
	report_text(&one, "    step %-8" PRIu64 "<step> %s<task>%s\n", observation->step, where,
		replay->tasks[i].call ? ", in the second call" : "");
	report_members(&one, "%u<call>", replay->tasks[i].call);
	if (replay->memory_rank == ORDO_NONE)
		return;
	snprintf(slot, sizeof slot, "%s slot %u of rank %u",
		ordo_buffer_name(replay->memory_buffer), replay->memory_slot, replay->memory_rank);
	struct values values = replaying->data->values;
	values.type = observed_type(replaying->schedule, replay, values.type);
	const struct number before = name_element(&values, observation->before),
			    after = name_element(&values, observation->after);
	report_text(&one, "    %-13s %s<slot>: %s<before> before it, %s<after> after it\n", "",
		slot, before.text, after.text);
}

/* `rank 2, output slot 7, element 0: A in this, B in that` */
static void report_difference(const struct report *report, const struct replaying *replaying,
	const struct element_difference *found, const char *name, const char *const labels[2])
{
	const struct number one = name_element(&replaying->data->values, found->values[0]),
			    other = name_element(&replaying->data->values, found->values[1]);
	char key[64];
	add_count(report->json, name, found->count);
	if (!found->count)
		return;
	snprintf(key, sizeof key, "first_%s", name);
	const struct report first = report_object(report, key);
	report_line(&first, name,
		"%" PRIu64 " element%s; the first: rank %u<rank>, output slot %u<slot>, element "
		"%" PRIu64 "<element>%s",
		found->count, plural(found->count), found->rank, found->slot, found->element,
		found->call ? ", second call" : "");
	report_members(&first, "%u<call>", found->call);
	report_line(&first, "", "%s %s, %s %s", one.text, labels[0], other.text, labels[1]);
	add_text(first.json, labels[0], one.text);
	add_text(first.json, labels[1], other.text);
}

static void report_left_over(const struct report *report, const struct observed_run *run)
{
	if (run->left_over.nsignal)
		report_line(report, "left over",
			"signal %u from rank %u to rank %u has %u token%s at the end",
			run->left_over.number, run->left_over.from, run->left_over.to,
			run->left_over.ntoken, plural(run->left_over.ntoken));
	report_members(report, "%u<signals_left_over>", run->left_over.nsignal);
}

static void report_interleaving(const struct report *list, const struct replaying *replaying,
	const struct observed_run *run, uint32_t which)
{
	static const char *const labels[2] = {"found", "wanted"};
	const struct ordo_replay *replay = replaying->replay;
	const struct report one = report_item(list), observations = report_list(&one, "sights");
	report_text(&one, "  interleaving %u of %u: %" PRIu64 "<tasks> tasks in %u runs\n",
		which + 1, replay->ninterleaving, run->nstep, replay->interleavings[which].nrun);
	report_members(&one, "%d<completed?>", run->completed);
	/* In the order in which they ran. */
	const bool exchanged = run->observations[1].step < run->observations[0].step;
	for (uint32_t i = 0; i < replay->ntask; i++)
		report_observation(
			&observations, replaying, run, replay->ntask == 2 && exchanged ? 1 - i : i);
	if (!run->completed)
		report_line(&one, "stopped", "%s<stuck>", run->error.text);
	report_left_over(&one, run);
	report_difference(&one, replaying, &run->wrong, "wrong", labels);
	if (run->completed && !run->wrong.count)
		report_line(&one, "right", "every output equals the operator's result");
}

static bool shows_something(const struct observed_run *run)
{
	return !run->completed || run->wrong.count || run->left_over.nsignal;
}

static int report_all(const struct report *report, const struct replaying *replaying,
	const struct observed_run runs[2])
{
	static const char *const labels[2] = {"in interleaving 1", "in interleaving 2"};
	const struct ordo_replay *replay = replaying->replay;
	const struct report list = report_list(report, "interleavings");
	bool shown = false;
	for (uint32_t i = 0; i < replay->ninterleaving; i++) {
		report_interleaving(&list, replaying, &runs[i], i);
		shown = shown || shows_something(&runs[i]);
	}
	if (replay->ninterleaving == 2 && runs[0].completed && runs[1].completed) {
		const struct element_difference found =
			compare_observed_runs(replaying->schedule, replay, runs, replaying->data);
		report_difference(report, replaying, &found, "different", labels);
		shown = shown || found.count;
	}
	if (!shown)
		report_line(report, "unseen", "no output differs with these values");
	report_members(report, "%d<shown?>", shown);
	return shown ? ORDO_REFUTED : ORDO_OK;
}

static int run_interleavings(const struct replaying *replaying)
{
	struct call *call = replaying->call;
	struct ordo_error error;
	struct report report = report_of(call, stdout);
	struct observed_run runs[2] = {{.outputs = NULL}, {.outputs = NULL}};
	int status = ORDO_OK;
	report.width = EXECUTION_WIDTH;
	for (uint32_t i = 0; i < replaying->replay->ninterleaving && status == ORDO_OK; i++) {
		if (!observe_run(&runs[i], replaying->schedule, replaying->replay, i,
			    replaying->data, &error))
			status = fail(call, &error);
		else if (!runs[i].completed && runs[i].error.code != ORDO_REFUTED)
			status = fail(call, &runs[i].error);
	}
	if (status == ORDO_OK)
		status = report_all(&report, replaying, runs);
	const struct ordo_plan *const plans[2] = {runs[0].plan, runs[1].plan};
	status = deliver_trace(call, replaying->trace, replaying->schedule, plans,
		replaying->replay->ninterleaving, status);
	close_observed_run(&runs[0]);
	close_observed_run(&runs[1]);
	return status;
}

int run_replay(struct call *call, const struct ordo_schedule *schedule, const char *path,
	const struct replay_data *data, const char *trace)
{
	struct ordo_error error;
	struct ordo_replay *replay = ordo_replay_read(schedule, path, &error);
	if (!replay)
		return fail(call, &error);
	struct report report = report_of(call, stdout);
	report.width = EXECUTION_WIDTH;
	report_schedule(&report, schedule);
	report_line(&report, "replay", "%s<shows>: %s<text>", replay->shows, replay->text);
	report_members(&report, "%u<calls>", replay->ncall);
	const struct replaying replaying = {call, schedule, replay, data, trace};
	const int status = run_interleavings(&replaying);
	ordo_replay_destroy(replay);
	return status;
}
