/* compile_set.c - `ordo compile --sizes`: the cheapest algorithm for each size, as a proved plan set. */
#include "choosing.h"
#include "set_verdict.h"
#include "sets.h"
#include <inttypes.h>
#include <ordo/select.h>
#include <stdlib.h>
#include <string.h>

/* What was asked for, what was found, and what is proved of it. */
struct making {
	const struct set_request *request;
	struct ordo_selection_wish wish;
	struct ordo_selection selection;
	struct ordo_plan_set *set;
	struct judged_set judged;
	struct range_cost *costs; /* [nrange] */
};

static bool refuse(struct call *call, int status)
{
	call->status = status;
	return false;
}

/* "1:1GiB", "4KiB:" */
static bool read_sizes(struct call *call, const char *text, struct ordo_selection_wish *wish)
{
	char first[32];
	const size_t length = strcspn(text, ":");
	bool worked = text[length] && length < sizeof first;
	if (worked) {
		memcpy(first, text, length);
		first[length] = 0;
		const char *last = text + length + 1;
		wish->to_bytes = ORDO_ENDLESS;
		worked = read_size(first, &wish->from_bytes) && (!*last || read_size(last, &wish->to_bytes));
	}
	if (!worked)
		return refuse(
			call, fail_usage(call, "KiB, MiB and GiB are powers of 1024; kB, MB and GB of 1000",
				      "--sizes: found %s, wanted the first and the last size such as 1:1GiB, "
				      "or 1: for "
				      "all from 1 on",
				      text));
	if (wish->from_bytes > wish->to_bytes)
		return refuse(call,
			fail_usage(call, NULL, "--sizes: found %s, wanted the smaller size first", text));
	if (wish->from_bytes > ORDO_BYTES_LIMIT ||
		(wish->to_bytes != ORDO_ENDLESS && wish->to_bytes > ORDO_BYTES_LIMIT))
		return refuse(
			call, fail_usage(call, NULL, "--sizes: found %s, wanted sizes of at most %" PRIu64,
				      text, ORDO_BYTES_LIMIT));
	return true;
}

static bool read_output(struct call *call, const char *output)
{
	const size_t length = output ? strlen(output) : 0;
	if (output && !(length >= 5 && !strcmp(output + length - 5, ".json")))
		return true;
	return refuse(
		call, fail_usage(call, "the set and its schedules are written into it",
			      "--output: found %s, wanted the name of a folder", output ? output : "none"));
}

/* What the topology says, and then what the command line says. */
static struct ordo_machine find_machine(
	const struct set_request *request, const struct ordo_topology *topology)
{
	struct ordo_machine machine = ordo_machine_usual();
	if (topology)
		ordo_machine_take(&machine, topology);
	if (request->latency_ns > 0)
		machine.latency_ns = request->latency_ns;
	if (request->bandwidth_gbs > 0)
		machine.bandwidth_gbs = request->bandwidth_gbs;
	if (request->reduce_bandwidth_gbs > 0)
		machine.reduce_bandwidth_gbs = request->reduce_bandwidth_gbs;
	return machine;
}

static bool refuse_selection(
	struct call *call, const struct making *making, struct progress *progress, struct ordo_error *error)
{
	const struct ordo_request request = {.problem = making->wish.problem,
		.topology = making->wish.topology,
		.progress = show_progress,
		.closure = progress};
	char wanted[128];
	if (error->code != ORDO_REFUTED)
		return refuse(call, fail(call, error));
	report_passed_over(call, &making->selection.candidates);
	print_conditions(making->request->conditions, wanted, sizeof wanted);
	ordo_fail(error, *wanted ? ORDO_REFUTED : ORDO_USAGE, 0, "no algorithm %s%s: %s on %u ranks%s%s",
		*wanted ? "holds " : "applies", wanted, ordo_operator_facts(request.problem.op)->name,
		request.problem.nrank, request.topology ? ", topology " : "",
		request.topology ? request.topology->name : "");
	return refuse_with_others(call, &request, making->request->conditions, error);
}

static bool select_schedules(struct call *call, struct making *making)
{
	const struct conditions *conditions = making->request->conditions;
	struct conditions wanted = *conditions;
	struct ordo_error error = {0};
	struct progress progress = {0};
	making->wish.suits = has_conditions(conditions) ? meets_conditions : NULL;
	making->wish.closure = &wanted;
	making->wish.one_order = conditions->constant || conditions->guarantees >> ORDO_G3 & 1;
	making->wish.progress = show_progress;
	making->wish.progress_closure = &progress;
	const bool worked = ordo_select(&making->wish, &making->selection, &error);
	hide_progress(&progress);
	return worked ? true : refuse_selection(call, making, &progress, &error);
}

static bool find_costs(struct call *call, struct making *making)
{
	static const char *const sources[] = {NULL, "by its rounds", "by its claims"};
	struct ordo_error error;
	making->costs = calloc(making->selection.nrange, sizeof *making->costs);
	if (!making->costs) {
		ordo_fail_memory(&error);
		return refuse(call, fail(call, &error));
	}
	for (uint32_t i = 0; i < making->selection.nrange; i++) {
		const struct ordo_selected *range = &making->selection.ranges[i];
		const uint64_t last = range->to_bytes == ORDO_ENDLESS ? range->from_bytes : range->to_bytes;
		making->costs[i] = (struct range_cost){
			ordo_cost_seconds(&range->cost, &making->wish.machine, range->from_bytes),
			ordo_cost_seconds(&range->cost, &making->wish.machine, last),
			sources[range->cost.source]};
	}
	return true;
}

/* The set is proved as a set, as if somebody else had made it. */
static bool judge(struct call *call, struct making *making)
{
	const struct ordo_verify_options options = {.topology = making->wish.topology};
	struct ordo_error error;
	making->set = ordo_selection_plan_set(&making->selection, &making->wish.problem, &error);
	if (!making->set)
		return refuse(call, fail(call, &error));
	if (!begin_judged(call, &making->judged, making->set, &sums_of_floats))
		return false;
	for (uint32_t i = 0; i < making->set->nrange; i++)
		if (!judge_range(call, &making->judged, i, making->selection.ranges[i].schedule, &options))
			return false;
	conclude_judged(&making->judged);
	return set_meets_conditions(call, &making->judged, making->request->conditions);
}

static bool write_set(struct call *call, const struct making *making)
{
	struct ordo_error error;
	const uint32_t nrange = making->selection.nrange;
	const struct ordo_schedule **schedules = calloc(nrange, sizeof *schedules);
	bool worked = schedules ? true : ordo_fail_memory(&error);
	for (uint32_t i = 0; worked && i < nrange; i++)
		schedules[i] = making->selection.ranges[i].schedule;
	worked = worked && ordo_plan_set_write(making->set, schedules, making->request->output, &error);
	free(schedules);
	return worked ? true : refuse(call, fail(call, &error));
}

static void print_machine(FILE *out, const struct making *making)
{
	const struct ordo_machine *machine = &making->wish.machine;
	fprintf(out, "  %-23s %.4g ns a step, %.4g GB/s a link, %.4g GB/s added\n", "cost",
		machine->latency_ns, machine->bandwidth_gbs, machine->reduce_bandwidth_gbs);
	if (!has_conditions(making->request->conditions) && !making->wish.one_order)
		return;
	fprintf(out, "  %-23s at most %.4g times the cheapest of all, at %" PRIu64 " bytes\n",
		"price of the conditions", making->selection.price, making->selection.price_bytes);
}

static void add_machine(struct call *call, const struct making *making)
{
	const struct ordo_machine *machine = &making->wish.machine;
	cJSON *json = cJSON_AddObjectToObject(call->answer, "machine");
	add_number(json, "alpha_ns", machine->latency_ns);
	add_number(json, "bandwidth_gbs", machine->bandwidth_gbs);
	add_number(json, "reduce_bandwidth_gbs", machine->reduce_bandwidth_gbs);
	json = cJSON_AddObjectToObject(call->answer, "price");
	add_number(json, "most", making->selection.price);
	add_count(json, "bytes", making->selection.price_bytes);
	add_text(call->answer, "output", making->request->output);
}

static bool report(struct call *call, struct making *making, double taken)
{
	if (call->json) {
		add_machine(call, making);
		report_passed_over(call, &making->selection.candidates);
		add_number(call->answer, "seconds", taken);
		return add_judged(call, &making->judged, making->costs);
	}
	fprintf(stderr, "%s on %u rank%s: %u schedule%s, %sproved%s in every interleaving\n",
		ordo_operator_facts(making->wish.problem.op)->name, making->wish.problem.nrank,
		making->wish.problem.nrank == 1 ? "" : "s", making->set->nrange,
		making->set->nrange == 1 ? "" : "s", paint(stderr, GREEN), paint(stderr, PLAIN));
	print_ranges(stderr, &making->judged, making->costs);
	print_machine(stderr, making);
	if (!print_judged(call, stderr, &making->judged))
		return false;
	fprintf(stderr, "chosen, compiled, proved and written in ");
	print_seconds(stderr, taken);
	fprintf(stderr, " to %s\n", making->request->output);
	return true;
}

static int make(struct call *call, struct making *making)
{
	const double began = seconds();
	if (!select_schedules(call, making) || !find_costs(call, making) || !judge(call, making) ||
		!write_set(call, making) || !report(call, making, seconds() - began))
		return call->status;
	return ORDO_OK;
}

int compile_set(struct call *call, const struct set_request *request)
{
	struct making making = {.request = request, .wish = {.problem = request->problem}};
	struct ordo_topology *topology;
	if (!read_sizes(call, request->sizes, &making.wish) || !read_output(call, request->output) ||
		!choose_topology(call, request->topology, request->problem.nrank, &topology))
		return call->status;
	making.wish.topology = topology;
	making.wish.machine = find_machine(request, topology);
	const int status = make(call, &making);
	free(making.costs);
	end_judged(&making.judged);
	ordo_plan_set_destroy(making.set);
	ordo_selection_free(&making.selection);
	ordo_topology_destroy(topology);
	return status;
}
