/* compile_set.c - `ordo compile --sizes`: the cheapest algorithm for each size, as a proved plan
 * set. */
#include "base/clock.h"
#include "base/progress.h"
#include "plan_set_files.h"
#include "rejected.h"
#include "report/plan_set.h"
#include <inttypes.h>
#include <ordo/detail/select.h>
#include <stdlib.h>

/* The request, the selection, and the proved set. */
struct making {
	const struct set_request *request;
	struct ordo_selection_wish args;
	struct ordo_selection selection;
	struct made_set made;
};

/* The costs of the topology, overridden by the command line. */
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
	const struct ordo_request request = {.problem = making->args.problem,
		.topology = making->args.topology,
		.order = making->request->conditions->order,
		.one_tree = requires_g3(making->request->conditions),
		.progress = show_progress,
		.closure = progress};
	if (error->code != ORDO_REFUTED || lacks_answers(&request, error))
		return refuse_error(call, error);
	report_passed_over(call, &making->selection.candidates);
	return refuse_all(call, &request, making->request->conditions, error);
}

static bool select_schedules(struct call *call, struct making *making)
{
	const struct conditions *conditions = making->request->conditions;
	struct conditions wanted = *conditions;
	struct ordo_error error = {0};
	struct progress progress = {0};
	making->args.suits = has_conditions(conditions) ? meets_conditions : NULL;
	making->args.closure = &wanted;
	making->args.order = conditions->order;
	making->args.one_tree = requires_g3(conditions);
	making->args.one_order = conditions->constant || requires_g3(conditions);
	making->args.progress = show_progress;
	making->args.progress_closure = &progress;
	const bool worked = ordo_select(&making->args, &making->selection, &error);
	hide_progress(&progress);
	return worked ? true : refuse_selection(call, making, &progress, &error);
}

static bool find_costs(struct call *call, struct making *making)
{
	static const char *const sources[] = {NULL, "by its rounds", "by its claims"};
	making->made.costs = calloc(making->selection.nrange, sizeof *making->made.costs);
	if (!making->made.costs) {
		return refuse_memory(call);
	}
	for (uint32_t i = 0; i < making->selection.nrange; i++) {
		const struct ordo_selected *range = &making->selection.ranges[i];
		const uint64_t last =
			range->to_bytes == ORDO_ENDLESS ? range->from_bytes : range->to_bytes;
		making->made.costs[i] = (struct range_cost){
			ordo_cost_seconds(&range->cost, &making->args.machine, range->from_bytes),
			ordo_cost_seconds(&range->cost, &making->args.machine, last),
			sources[range->cost.source]};
	}
	return true;
}

static void report_machine(const struct report *report, const struct making *making)
{
	const struct ordo_machine *machine = &making->args.machine;
	struct report price = report_object(report, "price");
	const struct report object = report_object(report, "machine");
	report_line(&object, "cost",
		"%.4g<alpha_ns> ns a step, %.4g<bandwidth_gbs> GB/s a link, "
		"%.4g<reduce_bandwidth_gbs> GB/s added",
		machine->latency_ns, machine->bandwidth_gbs, machine->reduce_bandwidth_gbs);
	if (!has_conditions(making->request->conditions) && !making->args.one_order)
		price.text = NULL;
	report_line(&price, "price of conditions",
		"at most %.4g<most> times the cheapest of all, at %" PRIu64 "<bytes> bytes",
		making->selection.price, making->selection.price_bytes);
}

static bool report_making(struct call *call, struct making *making, double taken)
{
	const struct report report = report_of(call, stderr);
	report_made(&report, &making->made);
	report_machine(&report, making);
	if (call->json)
		report_passed_over(call, &making->selection.candidates);
	if (!report_set_proof(call, &report, &making->made.set_proof))
		return false;
	report_text(&report,
		"chosen, compiled, proved and written in %g<seconds:time> to %s<output>\n", taken,
		making->request->output);
	return true;
}

static int make(struct call *call, struct making *making)
{
	const double began = clock_seconds();
	if (!select_schedules(call, making) || !find_costs(call, making) ||
		!prove_selection(call, &making->made, &making->selection, &making->args,
			making->request->conditions) ||
		!write_selection(
			call, &making->made, &making->selection, making->request->output) ||
		!report_making(call, making, clock_seconds() - began))
		return call->status;
	return ORDO_OK;
}

int compile_set(struct call *call, const struct set_request *request)
{
	struct making making = {.request = request,
		.args = {.problem = request->problem, .max_tokens = request->max_tokens}};
	struct ordo_topology *topology;
	if (!read_sizes(call, request->sizes, &making.args.from_bytes, &making.args.to_bytes) ||
		!read_set_output(call, request->output) ||
		!choose_topology(
			call, &request->setting->topology, request->problem.nrank, &topology))
		return call->status;
	making.args.topology = topology;
	making.args.machine = find_machine(request, topology);
	const int status = make(call, &making);
	end_made(&making.made);
	ordo_selection_free(&making.selection);
	ordo_topology_destroy(topology);
	return status;
}
