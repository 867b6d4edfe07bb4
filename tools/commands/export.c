/* export.c - `ordo export`: a proved schedule in the formats of other programs. */
#include "base/output.h"
#include "cli/memory_limit.h"
#include "cli/sizes.h"
#include "commands.h"
#include "export/formats.h"
#include "report/proof.h"
#include "report/symmetry.h"
#include "run/input_set.h"
#include <errno.h>
#include <inttypes.h>
#include <ordo/detail/schedules.h>
#include <string.h>

struct format {
	const char *name;
	const char *meaning;
	/* into a file, or stdout; or several into a folder */
	bool (*export)(struct call *call, const struct exported *exported, FILE *out);
	bool (*export_files)(struct call *call, const struct exported *exported,
		struct ordo_atomic_file *folder);
};

static const struct format formats[] = {
	{"msccl", "MSCCL XML, for RCCL, Azure's executor and Microsoft's runtime",
		.export = export_msccl},
	{"goal", "Group Operation Assembly Language, for LogGOPSim", .export = export_goal},
	{"chakra", "Chakra execution traces, for ASTRA-sim", .export_files = export_chakra},
};
enum { NFORMAT = sizeof formats / sizeof *formats };

/* "goal, chakra or msccl" */
static const char *list_formats(void)
{
	static char list[128];
	size_t length = 0;
	for (size_t i = 0; i < NFORMAT; i++)
		length += (size_t)snprintf(list + length, sizeof list - length, "%s%s",
			!i		   ? ""
			: i + 1 == NFORMAT ? " or "
					   : ", ",
			formats[i].name);
	return list;
}

static const struct format *find_format(struct call *call)
{
	const char *names[NFORMAT];
	for (size_t i = 0; i < NFORMAT; i++)
		names[i] = formats[i].name;
	if (call->noperand != 2) {
		call->status = fail_usage(call, NULL,
			"wanted a format, %s, and one schedule, found %zu operand%s",
			list_formats(), call->noperand, plural(call->noperand));
		return NULL;
	}
	for (size_t i = 0; i < NFORMAT; i++)
		if (!strcmp(call->operands[0], names[i]))
			return &formats[i];
	const char *like = ordo_suggest(call->operands[0], names, NFORMAT);
	char hint[64];
	snprintf(hint, sizeof hint, "did you mean %s?", like ? like : "");
	call->status = fail_usage(call, like ? hint : NULL, "format: found %s, wanted %s",
		call->operands[0], list_formats());
	return NULL;
}

/* false: call->status. */
static bool is_proved(struct call *call, const struct ordo_schedule *schedule)
{
	const struct ordo_verify_options options = {0};
	struct symmetry_found found;
	if (schedule->problem.op == ORDO_CUSTOM)
		return refuse_usage(call, NULL,
			"Custom: nothing says what it should compute, and only proved schedules "
			"are exported");
	struct ordo_proof *proof = prove_schedule(call, schedule, &options, SYMMETRY_AUTO, &found);
	if (!proof)
		return false;
	const bool proved = proof->proved;
	if (!proved) {
		const struct report errors = report_of(call, stderr);
		report_proof(&errors, schedule, proof);
		note(call, "nothing written, because it is refuted");
		refuse(call, ORDO_REFUTED);
	}
	if (proved && schedule->staging)
		note(call, "that ranks touch each other's staging memory only is not in the file");
	ordo_proof_destroy(proof);
	return proved;
}

/* The result replaces OUT once it is whole. */
static bool write_file(
	struct call *call, const struct format *format, const struct exported *exported)
{
	struct ordo_error error;
	struct output output;
	if (!begin_output(&output, exported->options->output, &error))
		return refuse_error(call, &error);
	const bool written = format->export(call, exported, output.file);
	const bool ended = end_output(&output, written, &error);
	return written && (ended || refuse_error(call, &error));
}

/* The folder appears once it is whole. */
static bool write_files(
	struct call *call, const struct format *format, const struct exported *exported)
{
	struct ordo_error error;
	struct ordo_atomic_file folder;
	if (!exported->options->output)
		return refuse_usage(call, NULL,
			"--output: found none, wanted the name of a folder for a file of each "
			"rank");
	if (!ordo_atomic_begin_folder(&folder, exported->options->output, &error))
		return refuse_error(call, &error);
	const bool written = format->export_files(call, exported, &folder);
	const bool ended = ordo_atomic_end(&folder, written, &error);
	return written && (ended || refuse_error(call, &error));
}

/* To stdout, or with --json as a member, once it is whole. */
static bool print_file(
	struct call *call, const struct format *format, const struct exported *exported)
{
	struct ordo_error error;
	FILE *file = tmpfile();
	if (!file) {
		ordo_fail(&error, ORDO_ENVIRONMENT, 0, "cannot make a temporary file: %s",
			strerror(errno));
		return refuse_error(call, &error);
	}
	bool worked = format->export(call, exported, file);
	if (worked && !(call->json ? add_contents(call->answer, "text", file, &error)
				   : copy_out(file, stdout, &error)))
		worked = refuse_error(call, &error);
	fclose(file);
	return worked;
}

static bool export_subject(struct call *call, const struct format *format,
	const struct export_options *options, struct subject *subject, enum ordo_type type)
{
	const uint64_t count = count_of_bytes(&subject->problem, type, options->costs.bytes);
	struct proved_schedule *found = find_schedule(call, subject, type, count);
	if (!found || !is_proved(call, found->schedule))
		return false;
	const struct exported exported = {.schedule = found->schedule,
		.path = subject->path,
		.type = type,
		.count = count,
		.bytes = bytes_of_count(&subject->problem, type, count),
		.options = options};
	if (found->name)
		note(call, "%s, the schedule for this size", found->name);
	if (exported.bytes < options->costs.bytes)
		note_cut(call, &subject->problem, type, options->costs.bytes, exported.bytes);
	if (found->schedule->vias)
		note(call,
			"%s cannot express the switches that streams name (via), here %" PRIu32
			" of %" PRIu32 ": they are left out",
			format->name, ordo_count_vias(found->schedule), found->schedule->nstream);
	add_text(call->answer, "format", format->name);
	return format->export_files ? write_files(call, format, &exported)
	       : options->output    ? write_file(call, format, &exported)
				    : print_file(call, format, &exported);
}

static int export_as(struct call *call, struct export_options *options)
{
	struct subject subject = {0};
	struct predicted predicted = {0};
	const struct format *format = find_format(call);
	if (!format)
		return call->status;
	if (options->output && !strcmp(options->output, "-"))
		options->output = NULL;
	const bool worked =
		open_subject(call, &subject, call->operands[1], &options->costs.topology) &&
		(ordo_is_failure_set(call->operands[1]) || took_topology(call)) &&
		open_predicted(call, &options->costs, &subject.problem, &predicted) &&
		export_subject(call, format, options, &subject, predicted.type);
	close_predicted(&predicted);
	close_subject(&subject);
	return worked ? ORDO_OK : call->status;
}

static int export(struct call *call)
{
	struct export_options args = {.costs.bytes = 1 << 20};
	const struct option options[] = {
		TOPOLOGY_OPTIONS(args.costs.topology),
		{"output", 'o', WRITTEN, &args.output, "OUT",
			"where to write it (stdout); for chakra a folder"},
		{"size", 0, SIZE, &args.costs.bytes, "SIZE",
			"bytes of one rank's larger buffer (1MiB)"},
		{"type", 'd', TEXT, &args.costs.type_name, "TYPE",
			"f32 (the default), bf16, f8e4m3, i32, c64, ...: `ordo list`"},
		{"reduce-bandwidth", 0, REAL, &args.costs.reduce_bandwidth_gbs, "GB/S",
			"bandwidth of adding one vector to another on a rank (195)"},
		{"copy-bandwidth", 0, REAL, &args.costs.copy_bandwidth_gbs, "GB/S",
			"bandwidth of copying on a rank (copies are free)"},
		{"signals", 0, SWITCH, &args.signals, NULL,
			"send a message of one byte for a Notify that no data carries"},
		{"runtime", 0, TEXT, &args.msccl.runtime, "rccl|azure|microsoft",
			"msccl: the runtime whose limits and names apply (rccl)"},
		{"proto", 0, TEXT, &args.msccl.protocol, "simple|ll|ll128",
			"msccl: the protocol (simple)"},
		{"from", 0, SIZE, &args.msccl.least_bytes, "SIZE",
			"msccl: the smallest call for which the file is used (0)"},
		{"to", 0, SIZE, &args.msccl.most_bytes, "SIZE",
			"msccl: the largest call (the largest at which it cannot hang)"},
		MEMORY_LIMIT_OPTION,
	};
	const int status = READ_OPTIONS(call, options) ? export_as(call, &args) : call->status;
	free_topology_choice(&args.costs.topology);
	return status;
}

const struct command export_command = {
	.name = "export",
	.summary = "writes a proved schedule for MSCCL runtimes, LogGOPSim or ASTRA-sim",
	.usage = "msccl|goal FILE [OPTION]... | chakra FILE -o OUT [OPTION]...",
	.examples = "  ordo export msccl ring.json -o ring.xml\n"
		    "  ordo export goal ring.json --size 16MiB -o ring.goal\n"
		    "  ordo export chakra ring.json --size 1MiB -o traces\n"
		    "  ordo export goal moves.json --topology cluster.json -o mine.goal\n"
		    "  ordo compile allreduce -n 8 -a ring | ordo export goal - --signals",
	.reads = true,
	.run = export,
};
