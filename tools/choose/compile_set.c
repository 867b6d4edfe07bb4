/* compile_set.c - `ordo compile --sizes`: the cheapest algorithm for each size, as a proved plan
 * set. */
#include "plan_set_files.h"
#include "rejected.h"
#include "report/plan_set.h"
#include <inttypes.h>
#include <ordo/detail/select.h>
#include <stdlib.h>

/* What was asked for, what was found, and what is proved of it. */
struct making {
	const struct set_request *request;
	struct ordo_selection_wish wish;
	struct ordo_selection selection;
	struct made_set made;
	struct range_cost *costs; /* [nrange] */
};

static bool refuse(struct call *call, int status)
{
	call->status = status;
	return false;
}

/* What the topology says, and then what the command line says. */
static struct ordo_machine find_machine(
	const struct set_request *request, const struct ordo_topology *topology)
{
	struct ordo_machine machine = ordo_machine_usual();
	if (topology)
		ordo_machine_take(&machine, topology);
	take_machine(request->setting, &machine);
	return machine;
}

static bool refuse_selection(struct call *call, const struct making *making,
	struct progress *progress, struct ordo_error *error)
{
	const struct ordo_request request = {.problem = making->wish.problem,
		.topology = making->wish.topology,
		.progress = show_progress,
		.closure = progress};
	if (error->code != ORDO_REFUTED)
		return refuse(call, fail(call, error));
	report_passed_over(call, &making->selection.candidates);
	return refuse_all(call, &request, making->request->conditions, error);
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
		const uint64_t last =
			range->to_bytes == ORDO_ENDLESS ? range->from_bytes : range->to_bytes;
		making->costs[i] = (struct range_cost){
			ordo_cost_seconds(&range->cost, &making->wish.machine, range->from_bytes),
			ordo_cost_seconds(&range->cost, &making->wish.machine, last),
			sources[range->cost.source]};
	}
	return true;
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
		return add_judged(call, &making->made.judged, making->costs);
	}
	print_made_line(stderr, &making->made);
	print_ranges(stderr, &making->made.judged, making->costs);
	print_machine(stderr, making);
	if (!print_judged(call, stderr, &making->made.judged))
		return false;
	fprintf(stderr, "chosen, compiled, proved and written in ");
	print_seconds(stderr, taken);
	fprintf(stderr, " to %s\n", making->request->output);
	return true;
}

static int make(struct call *call, struct making *making)
{
	const double began = seconds();
	if (!select_schedules(call, making) || !find_costs(call, making) ||
		!prove_selection(call, &making->made, &making->selection, &making->wish,
			making->request->conditions) ||
		!write_selection(
			call, &making->made, &making->selection, making->request->output) ||
		!report(call, making, seconds() - began))
		return call->status;
	return ORDO_OK;
}

int compile_set(struct call *call, const struct set_request *request)
{
	struct making making = {.request = request, .wish = {.problem = request->problem}};
	struct ordo_topology *topology;
	if (!read_sizes(call, request->sizes, &making.wish.from_bytes, &making.wish.to_bytes) ||
		!read_set_output(call, request->output) ||
		!choose_topology(
			call, &request->setting->topology, request->problem.nrank, &topology))
		return call->status;
	making.wish.topology = topology;
	making.wish.machine = find_machine(request, topology);
	const int status = make(call, &making);
	free(making.costs);
	end_made(&making.made);
	ordo_selection_free(&making.selection);
	ordo_topology_destroy(topology);
	return status;
}
