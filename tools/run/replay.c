/* replay.c - replays written by `ordo verify`, and carried out by `ordo run`. */
#include "replay.h"
#include "report/execution.h"
#include "report/proof.h"
#include "trace_write.h"
#include <inttypes.h>
#include <string.h>

/* NULL: there is none, or it failed with call->status. */
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
			   ? "no replay is written: nothing is wrong in any interleaving"
			   : "no replay is written: what is wrong is wrong before anything runs");
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
	char text[40];
};

static struct number name_element(const struct values *values, const unsigned char *element)
{
	struct number number;
	int64_t integer;
	if (values->type == ORDO_I64) {
		memcpy(&integer, element, sizeof integer);
		snprintf(number.text, sizeof number.text, "%" PRId64, integer);
	} else {
		snprintf(number.text, sizeof number.text, "%.*g", values->type == ORDO_F64 ? 17 : 9,
			ordo_element_get(values->type, element, 0));
	}
	return number;
}

struct replaying {
	struct call *call;
	const struct ordo_schedule *schedule;
	const struct ordo_replay *replay;
	const struct values *values;
	uint64_t count;
	const char *trace;
};

static void report_sight(const struct report *list, const struct replaying *replaying,
	const struct rehearsal *rehearsal, uint32_t i)
{
	const struct ordo_replay *replay = replaying->replay;
	const struct sight *sight = &rehearsal->sights[i];
	char where[512], slot[96];
	ordo_task_locate(replaying->schedule, replay->tasks[i].task, where, sizeof where);
	if (sight->step == UINT64_MAX)
		return;
	const struct report one = report_item(list);
	report_text(&one, "    step %-8" PRIu64 "<step> %s<task>%s\n", sight->step, where,
		replay->tasks[i].call ? ", in the second call" : "");
	report_members(&one, "%u<call>", replay->tasks[i].call);
	if (replay->memory_rank == ORDO_NONE)
		return;
	snprintf(slot, sizeof slot, "%s slot %u of rank %u",
		ordo_buffer_name(replay->memory_buffer), replay->memory_slot, replay->memory_rank);
	struct values values = *replaying->values;
	values.type = sight_type(replaying->schedule, replay, values.type);
	const struct number before = name_element(&values, sight->before),
			    after = name_element(&values, sight->after);
	report_text(&one, "    %-13s %s<slot>: %s<before> before it, %s<after> after it\n", "",
		slot, before.text, after.text);
}

/* `rank 2, output slot 7, element 0: A in this, B in that` */
static void report_odd(const struct report *report, const struct replaying *replaying,
	const struct odd_element *odd, const char *name, const char *const labels[2])
{
	const struct number one = name_element(replaying->values, odd->values[0]),
			    other = name_element(replaying->values, odd->values[1]);
	char key[64];
	add_count(report->json, name, odd->count);
	if (!odd->count)
		return;
	snprintf(key, sizeof key, "first_%s", name);
	const struct report first = report_object(report, key);
	report_line(&first, name,
		"%" PRIu64 " element%s; the first: rank %u<rank>, output slot %u<slot>, element "
		"%" PRIu64 "<element>%s",
		odd->count, plural(odd->count), odd->rank, odd->slot, odd->element,
		odd->call ? ", second call" : "");
	report_members(&first, "%u<call>", odd->call);
	report_line(&first, "", "%s %s, %s %s", one.text, labels[0], other.text, labels[1]);
	add_text(first.json, labels[0], one.text);
	add_text(first.json, labels[1], other.text);
}

static void report_left_over(const struct report *report, const struct rehearsal *rehearsal)
{
	if (rehearsal->left_over.nsignal)
		report_line(report, "left over",
			"signal %u from rank %u to rank %u has %u token%s at the end",
			rehearsal->left_over.number, rehearsal->left_over.from,
			rehearsal->left_over.to, rehearsal->left_over.ntoken,
			plural(rehearsal->left_over.ntoken));
	report_members(report, "%u<signals_left_over>", rehearsal->left_over.nsignal);
}

static void report_rehearsal(const struct report *list, const struct replaying *replaying,
	const struct rehearsal *rehearsal, uint32_t which)
{
	static const char *const labels[2] = {"found", "wanted"};
	const struct ordo_replay *replay = replaying->replay;
	const struct report one = report_item(list), sights = report_list(&one, "sights");
	report_text(&one, "  interleaving %u of %u: %" PRIu64 "<tasks> tasks in %u runs\n",
		which + 1, replay->ninterleaving, rehearsal->nstep,
		replay->interleavings[which].nrun);
	report_members(&one, "%d<completed?>", rehearsal->completed);
	/* In the order in which they ran. */
	const bool exchanged = rehearsal->sights[1].step < rehearsal->sights[0].step;
	for (uint32_t i = 0; i < replay->ntask; i++)
		report_sight(
			&sights, replaying, rehearsal, replay->ntask == 2 && exchanged ? 1 - i : i);
	if (!rehearsal->completed)
		report_line(&one, "stuck", "%s<stuck>", rehearsal->error.text);
	report_left_over(&one, rehearsal);
	report_odd(&one, replaying, &rehearsal->wrong, "wrong", labels);
	if (rehearsal->completed && !rehearsal->wrong.count)
		report_line(&one, "right", "every output is what the operator means");
}

static bool shows_something(const struct rehearsal *rehearsal)
{
	return !rehearsal->completed || rehearsal->wrong.count || rehearsal->left_over.nsignal;
}

static int report_all(const struct report *report, const struct replaying *replaying,
	const struct rehearsal rehearsals[2])
{
	static const char *const labels[2] = {"in interleaving 1", "in interleaving 2"};
	const struct ordo_replay *replay = replaying->replay;
	const struct report list = report_list(report, "interleavings");
	bool shown = false;
	for (uint32_t i = 0; i < replay->ninterleaving; i++) {
		report_rehearsal(&list, replaying, &rehearsals[i], i);
		shown = shown || shows_something(&rehearsals[i]);
	}
	if (replay->ninterleaving == 2 && rehearsals[0].completed && rehearsals[1].completed) {
		const struct odd_element odd = compare_rehearsals(replaying->schedule, replay,
			rehearsals, replaying->values, replaying->count);
		report_odd(report, replaying, &odd, "different", labels);
		shown = shown || odd.count;
	}
	if (!shown)
		report_line(report, "unseen", "no output shows it, with these values");
	report_members(report, "%d<shown?>", shown);
	return shown ? ORDO_REFUTED : ORDO_OK;
}

static int carry_out(const struct replaying *replaying)
{
	struct call *call = replaying->call;
	struct ordo_error error;
	struct report report = report_of(call, stdout);
	struct rehearsal rehearsals[2] = {{.outputs = NULL}, {.outputs = NULL}};
	int status = ORDO_OK;
	report.width = EXECUTION_WIDTH;
	for (uint32_t i = 0; i < replaying->replay->ninterleaving && status == ORDO_OK; i++) {
		if (!rehearse(&rehearsals[i], replaying->schedule, replaying->replay, i,
			    replaying->values, replaying->count, &error))
			status = fail(call, &error);
		else if (!rehearsals[i].completed && rehearsals[i].error.code != ORDO_REFUTED)
			status = fail(call, &rehearsals[i].error);
	}
	if (status == ORDO_OK)
		status = report_all(&report, replaying, rehearsals);
	const struct ordo_plan *const plans[2] = {rehearsals[0].plan, rehearsals[1].plan};
	status = deliver_trace(call, replaying->trace, replaying->schedule, plans,
		replaying->replay->ninterleaving, status);
	close_rehearsal(&rehearsals[0]);
	close_rehearsal(&rehearsals[1]);
	return status;
}

int run_replay(struct call *call, const struct ordo_schedule *schedule, const char *path,
	const struct values *values, uint64_t count, const char *trace)
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
	const struct replaying replaying = {call, schedule, replay, values, count, trace};
	const int status = carry_out(&replaying);
	ordo_replay_destroy(replay);
	return status;
}
