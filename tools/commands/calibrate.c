/* calibrate.c - `ordo calibrate`: measures the cost of tasks on the threads of this machine, and
 * writes it as a topology. */
#include "base/progress.h"
#include "calibrate/accuracy.h"
#include "calibrate/costs.h"
#include "cli/memory_limit.h"
#include "cli/options.h"
#include "cli/sizes.h"
#include "commands.h"
#include <inttypes.h>
#include <ordo/detail/accumulate.h>
#include <ordo/document.h>
#include <string.h>
#include <unistd.h>

struct args {
	struct calibrating how;
	const char *type_name, *output;
	struct texts forms;    /* of sums without order */
	uint32_t milliseconds; /* time of each measurement */
	bool check;
};

enum { USUAL_RANKS = 8, USUAL_SIZE = 1 << 20, USUAL_MILLISECONDS = 200, MOST_RANKS = 256 };

/* Sums without order whose adders are to be measured. */
static bool read_forms(struct call *call, struct args *args)
{
	struct ordo_error error;
	for (size_t i = 0; i < args->forms.count; i++) {
		struct ordo_problem problem = {
			.op = ORDO_ALLREDUCE, .nrank = args->how.nrank, .nshard = args->how.nrank};
		const char *name = args->forms.items[i];
		if (!ordo_accumulation_from_name(name, &problem.accumulate) ||
			!ordo_is_order_free(&problem))
			return refuse_usage(call, NULL,
				"--accumulate: found %s, wanted exact, binned(bins=2) or "
				"binned(bins=3)",
				name);
		if (!args->type_name)
			args->how.type = ordo_usual_type(&problem);
		if (!ordo_accumulates(&problem, args->how.type, &error))
			return refuse_error(call, &error);
		args->how.forms[problem.accumulate] = true;
	}
	return true;
}

static bool read_args(struct call *call, struct args *args)
{
	const struct ordo_problem problem = {.op = ORDO_ALLREDUCE,
		.nrank = args->how.nrank,
		.chunks_per_block = 1,
		.nshard = args->how.nrank};
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	if (call->noperand)
		return refuse_usage(call, NULL, "wanted no operand, found %s", call->operands[0]);
	if (args->how.nrank < 2 || args->how.nrank > MOST_RANKS)
		return refuse_usage(call, NULL, "--ranks: found %" PRIu32 ", wanted 2..%d",
			args->how.nrank, MOST_RANKS);
	if (args->type_name && !ordo_type_from_name(args->type_name, &args->how.type))
		return refuse_usage(
			call, NULL, "--type: found %s, wanted " ORDO_TYPE_NAMES, args->type_name);
	struct ordo_error error;
	if (!read_forms(call, args))
		return false;
	if (!ordo_has_reduction(args->how.type, ORDO_SUM, &error))
		return refuse_error(call, &error);
	const uint64_t size = ordo_type_size(args->how.type);
	if (args->how.bytes < size * args->how.nrank || args->how.bytes % size)
		return refuse_usage(call, NULL,
			"--size: found %" PRIu64 ", wanted a multiple of %" PRIu64
			" (%s), and at least one for each rank",
			args->how.bytes, size, ordo_type_name(args->how.type));
	if (!args->how.nworker)
		args->how.nworker = processors < 1 ? 1 : (uint32_t)processors;
	if (args->how.nworker > args->how.nrank)
		args->how.nworker = args->how.nrank;
	args->how.seconds = args->milliseconds * 1e-3;
	return fits_memory(call, &problem, args->how.type, args->how.bytes / size);
}

static void add_spread(const struct report *report, const char *name, const struct spread *spread)
{
	const struct report one = report_object(report, name);
	report_members(&one, "%g<median> %g<first_quartile> %g<third_quartile> %u<runs>",
		spread->median, spread->first_quartile, spread->third_quartile, spread->count);
}

static void report_spread(const struct report *report, const char *name, const char *what,
	const struct spread *spread)
{
	add_spread(report, name, spread);
	report_line(report, what, "%10.4g ns  (quartiles %.4g and %.4g, of %u runs)",
		spread->median, spread->first_quartile, spread->third_quartile, spread->count);
}

static void report_rate(const struct report *row, const char *name, const struct spread *rate)
{
	char text[64];
	snprintf(text, sizeof text, "%.3g (%.3g-%.3g)", rate->median, rate->first_quartile,
		rate->third_quartile);
	report_text(row, "  %-20s", text);
	add_spread(row, name, rate);
}

static void report_latency(const struct report *report, const struct calibration *calibration)
{
	struct report hop = *report;
	if (!calibration->hop_ns.count)
		hop.text = NULL;
	report_spread(&hop, "hop_ns", "from core to core", &calibration->hop_ns);
	if (hop.text)
		report_line(report, "latency",
			"%10.4g ns  (without the three tasks Send, Notify and Wait)",
			calibration->latency_ns);
	else
		report_line(report, "latency", "%10d ns  (not measured: %s)", 0,
			calibration->how.nworker < 2 ? "one thread runs all ranks"
						     : "two cores are not available");
	report_members(report, "%g<latency_ns>", calibration->latency_ns);
}

static void report_rates(const struct report *report, const struct calibration *calibration)
{
	const struct report list = report_list(report, "rates");
	report_text(report,
		"  GB/s of one core while all are busy, median and quartiles\n"
		"  %12s  %-20s  %-20s  %-20s  %s\n",
		"rank's bytes", "Send", "SendReduce", "LocalCopy", "LocalReduce");
	for (uint32_t i = 0; i < calibration->nrate; i++) {
		const struct measured_rates *rates = &calibration->rates[i];
		const struct report row = report_item(&list);
		report_text(&row, "%s %12" PRIu64 "<bytes>", i == calibration->chosen ? ">" : " ",
			rates->bytes);
		report_rate(&row, "send_gigabytes_per_second", &rates->copy);
		report_rate(&row, "send_reduce_gigabytes_per_second", &rates->reduce);
		report_rate(&row, "local_copy_gigabytes_per_second", &rates->local_copy);
		report_rate(&row, "local_reduce_gigabytes_per_second", &rates->local_reduce);
		report_text(&row, "\n");
	}
}

static void report_sums(const struct report *report, const struct calibration *calibration)
{
	const struct report list = report_list(report, "sums");
	for (int form = 0; form < ORDO_NACCUMULATION; form++) {
		const struct spread *rate = &calibration->sums[form];
		if (!calibration->how.forms[form])
			continue;
		const struct report row = report_item(&list);
		report_text(&row,
			"  SendReduce of sums held in %s<form>: %.3g (%.3g-%.3g), of bytes of that "
			"form\n",
			ordo_accumulation_name((enum ordo_accumulation)form), rate->median,
			rate->first_quartile, rate->third_quartile);
		add_spread(&row, "send_reduce_gigabytes_per_second", rate);
	}
}

static void report_calibration(
	const struct report *report, const struct args *args, const struct calibration *calibration)
{
	const struct calibrating *how = &calibration->how;
	report_text(report,
		"%u<ranks> ranks on %u<threads> threads of this machine, %s<type>, the tasks as "
		"they are written\n",
		how->nrank, how->nworker, ordo_type_name(how->type));
	report_members(report, "%" PRIu64 "<bytes>", how->bytes);
	report_spread(report, "task_ns", "a task", &calibration->task_ns);
	report_spread(report, "call_ns", "a call, beside tasks", &calibration->call_ns);
	report_latency(report, calibration);
	report_rates(report, calibration);
	report_sums(report, calibration);
	report_members(report, "%s<output>", args->output);
}

static bool write_topology(
	struct call *call, const struct args *args, const struct calibration *calibration)
{
	struct ordo_error error;
	if (!args->output)
		return true;
	struct ordo_topology *topology =
		calibrated_topology(calibration, calibration->chosen, &error);
	const bool worked = topology && ordo_topology_write(topology, args->output, &error);
	ordo_topology_destroy(topology);
	if (worked)
		note(call, "written to %s: --topology %s%s takes it", args->output,
			strchr(args->output, '/') ? "" : "./", args->output);
	return worked || refuse_error(call, &error);
}

static int calibrate_with(struct call *call, struct args *args)
{
	struct calibration calibration;
	struct ordo_error error = {0};
	struct progress progress = {0};
	if (!read_args(call, args))
		return call->status;
	args->how.progress = show_progress;
	args->how.closure = &progress;
	show_progress(&progress, "measuring", 0, 0);
	const bool worked = calibrate(&args->how, &calibration, &error);
	hide_progress(&progress);
	if (!worked)
		return fail(call, &error);
	struct report report = report_of(call, stdout);
	report.width = 22;
	report_calibration(&report, args, &calibration);
	return write_topology(call, args, &calibration) &&
			       (!args->check || check_calibration(call, &calibration))
		       ? ORDO_OK
		       : call->status;
}

static int run_calibrate(struct call *call)
{
	struct args args = {.how = {.nrank = USUAL_RANKS, .bytes = USUAL_SIZE, .type = ORDO_F32},
		.milliseconds = USUAL_MILLISECONDS};
	const struct option options[] = {
		{"ranks", 'n', NUMBER, &args.how.nrank, "N",
			"the number of ranks that share the machine (8)"},
		{"workers", 0, POSITIVE, &args.how.nworker, "W",
			"number of threads for all ranks (the processors)"},
		{"type", 'd', TEXT, &args.type_name, "TYPE",
			"f32 (the default), bf16, f8e4m3, i32, c64, ...: `ordo list`"},
		{"accumulate", 0, TEXTS, &args.forms, "exact|binned(bins=2)|binned(bins=3)",
			"measure adding sums held in this form too; repeatable"},
		{"size", 0, SIZE, &args.how.bytes, "SIZE",
			"bytes of a rank's buffer for which the document holds (1MiB)"},
		{"milliseconds", 0, POSITIVE, &args.milliseconds, "N",
			"approximate time of each measurement (200)"},
		{"check", 'c', SWITCH, &args.check, NULL,
			"then run several algorithms, and compare predicted with measured times"},
		{"output", 'o', WRITTEN, &args.output, "FILE",
			"write the topology there (without it, only a summary is printed)"},
		MEMORY_LIMIT_OPTION,
	};
	const int status = READ_OPTIONS(call, options) ? calibrate_with(call, &args) : call->status;
	free_texts(&args.forms);
	return status;
}

const struct command calibrate_command = {
	.name = "calibrate",
	.summary = "measures the cost of tasks on the threads of this machine, as a topology for "
		   "predictions",
	.usage = "[--ranks N] [-o FILE] [--check] [OPTION]...",
	.examples =
		"  ordo calibrate --ranks 8 -o machine.json\n"
		"  ordo predict ring.json --topology ./machine.json --size 1MiB\n"
		"  ordo tune allreduce --ranks 8 --topology ./machine.json --sizes 256KiB:4MiB\n"
		"  ordo calibrate --ranks 4 --type bf16 --check\n"
		"  ordo calibrate --accumulate 'binned(bins=2),binned(bins=3)' -o machine.json",
	.run = run_calibrate,
};
