/* import.c - `ordo import`: other people's formats become documents of ours. */
#include "nccl/import.h"
#include "base/progress.h"
#include "base/report.h"
#include "cli/inputs.h"
#include "cli/msccl_file.h"
#include "cli/options.h"
#include "commands.h"
#include <inttypes.h>
#include <ordo/document.h>
#include <ordo/suggest.h>
#include <string.h>

struct args {
	const char *output; /* NULL: stdout */
	struct msccl_options msccl;
	struct nccl_import nccl;
	uint32_t servers;
	const char *nvlink;
};

struct format {
	const char *name;
	bool many; /* several files make one import */
	int (*import)(struct call *call, const struct args *args, const char *path);
};

static bool write_schedule(
	struct call *call, const struct ordo_schedule *schedule, const char *output)
{
	struct ordo_error error;
	struct progress progress = {0};
	const bool worked =
		output ? ordo_schedule_write(schedule, output, show_progress, &progress, &error)
		       : ordo_schedule_print(schedule, stdout, &error);
	hide_progress(&progress);
	return worked || refuse_error(call, &error);
}

static int import_msccl(struct call *call, const struct args *args, const char *path)
{
	struct msccl_file file;
	struct ordo_schedule *schedule = open_msccl_file(call, path, &file)
						 ? msccl_schedule(call, &file, &args->msccl)
						 : NULL;
	close_msccl_file(&file);
	const bool worked = schedule && write_schedule(call, schedule, args->output);
	if (worked && args->output) {
		const struct report report = report_of(call, stdout);
		report_text(&report,
			"%s%s on %u<ranks> ranks, %u<tasks> tasks, written to %s<output>; ",
			args->msccl.slots ? "with so many slots: " : "",
			ordo_operator_facts(schedule->problem.op)->name, schedule->problem.nrank,
			schedule->ntask, args->output);
		report_text(&report, "`ordo verify %s` judges it\n", args->output);
	}
	ordo_schedule_destroy(schedule);
	return worked ? ORDO_OK : call->status;
}

static int import_logs(struct call *call, const struct args *args, const char *path)
{
	struct nccl_import nccl = args->nccl;
	(void)path;
	nccl.output = args->output;
	nccl.root = args->msccl.root;
	return import_nccl(call, &nccl);
}

static int import_topology(struct call *call, const struct args *args, const char *path)
{
	struct ordo_error error;
	struct ordo_topology *topology = open_machine(call, path, args->servers, 0, args->nvlink);
	if (!topology)
		return call->status;
	const bool worked = args->output ? ordo_topology_write(topology, args->output, &error)
					 : ordo_topology_print(topology, stdout, &error);
	if (!worked) {
		refuse_error(call, &error);
	} else if (args->output) {
		const struct report report = report_of(call, stdout);
		report_text(&report,
			"%s<name>: %u<ranks> rank%s, %u<switches> switch%s, %u<links> links, "
			"written to %s<output>\n",
			topology->name, topology->nrank, plural(topology->nrank), topology->nswitch,
			topology->nswitch == 1 ? "" : "es", topology->nlink, args->output);
	}
	ordo_topology_destroy(topology);
	return worked ? ORDO_OK : call->status;
}

static const struct format formats[] = {{"msccl", false, import_msccl}, {"nccl", true, import_logs},
	{"topology", false, import_topology}};
enum { NFORMAT = sizeof formats / sizeof *formats };

static int import_as(struct call *call, const struct args *args)
{
	const char *names[NFORMAT];
	for (int i = 0; i < NFORMAT; i++)
		names[i] = formats[i].name;
	if (!call->noperand)
		return fail_usage(
			call, NULL, "wanted a format, msccl, nccl or topology, and a file");
	for (int i = 0; i < NFORMAT; i++) {
		if (strcmp(call->operands[0], names[i]) != 0)
			continue;
		if (call->noperand < 2 || (call->noperand > 2 && !formats[i].many))
			return fail_usage(call, NULL, "wanted one file to import, found %zu",
				call->noperand - 1);
		return formats[i].import(call, args, call->operands[1]);
	}
	const char *like = ordo_suggest(call->operands[0], names, NFORMAT);
	char hint[64];
	snprintf(hint, sizeof hint, "did you mean %s?", like ? like : "");
	return fail_usage(call, like ? hint : NULL,
		"format: found %s, wanted msccl, nccl or topology", call->operands[0]);
}

static int import(struct call *call)
{
	struct args args = {.msccl.root = ORDO_NONE, .servers = 1};
	const struct option options[] = {
		{"output", 'o', WRITTEN, &args.output, "OUT",
			"where to write the schedule (stdout); for an NCCL log, the folder of the "
			"plan set"},
		{"slots", 0, POSITIVE, &args.msccl.slots, "N",
			"slots of each connection; a sender waits for a free one (one for every "
			"message)"},
		{"servers", 0, POSITIVE, &args.servers, "S",
			"topology: the number of copies, joined by their network cards (1)"},
		{"nvlink", 0, TEXT, &args.nvlink, "dgx-1v|dgx-a100|dgx-h100",
			"topology: add the links that the file does not have"},
		MSCCL_OPTIONS(args.msccl),
		NCCL_OPTIONS(args.nccl),
	};
	if (!READ_OPTIONS(call, options))
		return call->status;
	if (args.output && !strcmp(args.output, "-"))
		args.output = NULL;
	const int status = import_as(call, &args);
	free_texts(&args.nccl.against);
	return status;
}

const struct command import_command = {
	.name = "import",
	.summary = "reads MSCCL files and NCCL logs as schedules, and NCCL's topology files",
	.usage = "msccl FILE.xml | nccl LOG... | topology FILE.xml",
	.examples = "  ordo import msccl allreduce.xml -o schedule.json\n"
		    "  ordo import msccl allreduce.xml --slots 2 -o two-slots.json\n"
		    "  ordo import nccl nccl.log -o nccl\n"
		    "  ordo import topology machine.xml --servers 2 -o two.json",
	.reads = true,
	.run = import,
};
