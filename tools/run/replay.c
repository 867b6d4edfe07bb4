/* replay.c - replays written by `ordo verify`, and carried out by `ordo run`. */
#include "replay.h"
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
		add_text(call->answer, "replay", path);
		say(call,
			"  %-23s %s: %u interleaving%s of %u call%s, %" PRIu64
			" tasks in %u runs, to %s\n",
			"replay", replay->shows, replay->ninterleaving,
			replay->ninterleaving == 1 ? "" : "s", replay->ncall,
			replay->ncall == 1 ? "" : "s", count_steps(&replay->interleavings[0]),
			replay->interleavings[0].nrun, path);
		say(call, "  %-23s ordo run %s --replay %s\n", "", file, path);
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

static void report_sight(const struct replaying *replaying, const struct rehearsal *rehearsal,
	uint32_t i, cJSON *list)
{
	const struct ordo_replay *replay = replaying->replay;
	const struct sight *sight = &rehearsal->sights[i];
	struct call *call = replaying->call;
	char where[512], slot[96] = "";
	ordo_task_locate(replaying->schedule, replay->tasks[i].task, where, sizeof where);
	if (sight->step == UINT64_MAX)
		return;
	if (replay->memory_rank != ORDO_NONE)
		snprintf(slot, sizeof slot, "%s slot %u of rank %u",
			ordo_buffer_name(replay->memory_buffer), replay->memory_slot,
			replay->memory_rank);
	struct values values = *replaying->values;
	values.type = sight_type(replaying->schedule, replay, values.type);
	const struct number before = name_element(&values, sight->before),
			    after = name_element(&values, sight->after);
	say(call, "    step %-8" PRIu64 " %s%s\n", sight->step, where,
		replay->tasks[i].call ? ", in the second call" : "");
	if (*slot)
		say(call, "    %-13s %s: %s before it, %s after it\n", "", slot, before.text,
			after.text);
	if (!call->json)
		return;
	cJSON *one = cJSON_CreateObject();
	add_count(one, "step", sight->step);
	add_count(one, "call", replay->tasks[i].call);
	add_text(one, "task", where);
	if (*slot) {
		add_text(one, "slot", slot);
		add_text(one, "before", before.text);
		add_text(one, "after", after.text);
	}
	cJSON_AddItemToArray(list, one);
}

/* `rank 2, output slot 7, element 0: A in this, B in that` */
static void report_odd(const struct replaying *replaying, const struct odd_element *odd,
	const char *what, const char *name, const char *const labels[2], cJSON *answer)
{
	const struct number one = name_element(replaying->values, odd->values[0]),
			    other = name_element(replaying->values, odd->values[1]);
	struct call *call = replaying->call;
	add_count(answer, name, odd->count);
	if (!odd->count)
		return;
	say(call,
		"  %-12s %" PRIu64
		" element%s; the first: rank %u, output slot %u, element %" PRIu64 "%s\n",
		what, odd->count, odd->count == 1 ? "" : "s", odd->rank, odd->slot, odd->element,
		odd->call ? ", second call" : "");
	say(call, "  %-12s %s %s, %s %s\n", "", one.text, labels[0], other.text, labels[1]);
	if (!call->json)
		return;
	char key[64];
	snprintf(key, sizeof key, "first_%s", name);
	cJSON *first = cJSON_AddObjectToObject(answer, key);
	add_count(first, "call", odd->call);
	add_count(first, "rank", odd->rank);
	add_count(first, "slot", odd->slot);
	add_count(first, "element", odd->element);
	add_text(first, labels[0], one.text);
	add_text(first, labels[1], other.text);
}

static void report_rehearsal(const struct replaying *replaying, const struct rehearsal *rehearsal,
	uint32_t which, cJSON *list)
{
	static const char *const labels[2] = {"found", "wanted"};
	struct call *call = replaying->call;
	const struct ordo_replay *replay = replaying->replay;
	cJSON *one = call->json ? cJSON_CreateObject() : NULL;
	cJSON *sights = call->json ? cJSON_AddArrayToObject(one, "sights") : NULL;
	say(call, "  interleaving %u of %u: %" PRIu64 " tasks in %u runs\n", which + 1,
		replay->ninterleaving, rehearsal->nstep, replay->interleavings[which].nrun);
	add_count(one, "tasks", rehearsal->nstep);
	add_truth(one, "completed", rehearsal->completed);
	/* In the order in which they ran. */
	const bool exchanged = rehearsal->sights[1].step < rehearsal->sights[0].step;
	for (uint32_t i = 0; i < replay->ntask; i++)
		report_sight(
			replaying, rehearsal, replay->ntask == 2 && exchanged ? 1 - i : i, sights);
	if (!rehearsal->completed) {
		say(call, "  %-12s %s\n", "stuck", rehearsal->error.text);
		add_text(one, "stuck", rehearsal->error.text);
	}
	if (rehearsal->left_over.nsignal)
		say(call, "  %-12s signal %u from rank %u to rank %u has %u token%s at the end\n",
			"left over", rehearsal->left_over.number, rehearsal->left_over.from,
			rehearsal->left_over.to, rehearsal->left_over.ntoken,
			rehearsal->left_over.ntoken == 1 ? "" : "s");
	add_count(one, "signals_left_over", rehearsal->left_over.nsignal);
	report_odd(replaying, &rehearsal->wrong, "wrong", "wrong", labels, one);
	if (rehearsal->completed && !rehearsal->wrong.count)
		say(call, "  %-12s every output is what the operator means\n", "right");
	cJSON_AddItemToArray(list, one);
}

static bool shows_something(const struct rehearsal *rehearsal)
{
	return !rehearsal->completed || rehearsal->wrong.count || rehearsal->left_over.nsignal;
}

static int report_all(const struct replaying *replaying, const struct rehearsal rehearsals[2])
{
	static const char *const labels[2] = {"in interleaving 1", "in interleaving 2"};
	const struct ordo_replay *replay = replaying->replay;
	struct call *call = replaying->call;
	bool shown = false;
	cJSON *list = call->json ? cJSON_AddArrayToObject(call->answer, "interleavings") : NULL;
	for (uint32_t i = 0; i < replay->ninterleaving; i++) {
		report_rehearsal(replaying, &rehearsals[i], i, list);
		shown = shown || shows_something(&rehearsals[i]);
	}
	if (replay->ninterleaving == 2 && rehearsals[0].completed && rehearsals[1].completed) {
		const struct odd_element odd = compare_rehearsals(replaying->schedule, replay,
			rehearsals, replaying->values, replaying->count);
		report_odd(replaying, &odd, "different", "different", labels, call->answer);
		shown = shown || odd.count;
	}
	if (!shown)
		say(call, "  %-12s no output shows it, with these values\n", "unseen");
	add_truth(call->answer, "shown", shown);
	return shown ? ORDO_REFUTED : ORDO_OK;
}

static int carry_out(const struct replaying *replaying)
{
	struct call *call = replaying->call;
	struct ordo_error error;
	struct rehearsal rehearsals[2] = {{.outputs = NULL}, {.outputs = NULL}};
	int status = ORDO_OK;
	for (uint32_t i = 0; i < replaying->replay->ninterleaving && status == ORDO_OK; i++) {
		if (!rehearse(&rehearsals[i], replaying->schedule, replaying->replay, i,
			    replaying->values, replaying->count, &error))
			status = fail(call, &error);
		else if (!rehearsals[i].completed && rehearsals[i].error.code != ORDO_REFUTED)
			status = fail(call, &rehearsals[i].error);
	}
	if (status == ORDO_OK)
		status = report_all(replaying, rehearsals);
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
	add_schedule(call->answer, schedule);
	if (!call->json)
		print_schedule_line(stdout, schedule);
	say(call, "  %-12s %s: %s\n", "replay", replay->shows, replay->text);
	add_text(call->answer, "shows", replay->shows);
	add_text(call->answer, "text", replay->text);
	add_count(call->answer, "calls", replay->ncall);
	const struct replaying replaying = {call, schedule, replay, values, count, trace};
	const int status = carry_out(&replaying);
	ordo_replay_destroy(replay);
	return status;
}
