/* export.c - `ordo export msccl`, for RCCL, Azure's executor or Microsoft's runtime. */
#include "base/report.h"
#include "export/formats.h"
#include "msccl/runtimes.h"
#include "write.h"
#include <inttypes.h>
#include <ordo/suggest.h>
#include <ordo/verify.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { NPROTOCOL = 3 };
static const char *const protocols[NPROTOCOL] = {"simple", "ll", "ll128"};

/* The place of a name in a list; `usual` for NULL. < 0: call->status. */
static int find_name(struct call *call, const char *option, const char *name,
	const char *const *names, int count, int usual)
{
	if (!name)
		return usual;
	for (int i = 0; i < count; i++)
		if (!strcasecmp(name, names[i]))
			return i;
	const char *like = ordo_suggest(name, names, (size_t)count);
	char hint[64];
	snprintf(hint, sizeof hint, "did you mean %s?", like ? like : "");
	call->status = fail_usage(call, like ? hint : NULL, "%s: found %s, wanted %s, %s or %s",
		option, name, names[0], names[1], names[2]);
	return -1;
}

static void report_export(
	struct call *call, const struct exported *exported, const struct msccl_exported *facts)
{
	struct report report = report_of(call, stdout);
	if (!exported->options->output)
		report.text = NULL;
	report_text(&report,
		"%u<gpus> gpus, %u<steps> steps in %u<blocks> tb, %u<fused> of them receive and "
		"send; ",
		exported->schedule->problem.nrank, facts->nstep, facts->nblock, facts->nfused);
	report_members(&report, "%u<channels> %u<least_slots> %u<slots>", facts->nchannel,
		facts->capacity.least_slots, facts->capacity.slots);
	if (facts->most_bytes == UINT64_MAX)
		add_text(report.json, "most_bytes", NULL);
	else
		report_members(&report, "%" PRIu64 "<most_bytes>", facts->most_bytes);
	if (exported->options->output)
		report_text(&report, "written to %s<output>\n", exported->options->output);
}

static bool write_program(struct call *call, const struct exported *exported,
	const struct msccl_export *export, FILE *out)
{
	struct ordo_error error;
	struct msccl_exported facts;
	struct ordo_proof *proof = ordo_verify(exported->schedule, NULL, &error);
	char *text = proof ? msccl_export(exported->schedule, proof->digest, export, &facts, &error)
			   : NULL;
	ordo_proof_destroy(proof);
	if (!text)
		return refuse_error(call, &error);
	fputs(text, out);
	free(text);
	report_export(call, exported, &facts);
	return true;
}

bool export_msccl(struct call *call, const struct exported *exported, FILE *out)
{
	const struct msccl_export_options *options = &exported->options->msccl;
	const enum ordo_operator op = exported->schedule->problem.op;
	const int runtime = find_name(call, "--runtime", options->runtime, msccl_runtime_names,
		MSCCL_NRUNTIME, MSCCL_RCCL);
	const int protocol = runtime < 0 ? -1
					 : find_name(call, "--proto", options->protocol, protocols,
						   NPROTOCOL, MSCCL_SIMPLE);
	if (protocol < 0)
		return false;
	if (options->most_bytes && options->most_bytes < options->least_bytes)
		return refuse_usage(call, NULL,
			"--from and --to: found %" PRIu64 " and %" PRIu64
			", wanted --from below --to",
			options->least_bytes, options->most_bytes);
	const struct msccl_export export = {.runtime = (enum msccl_runtime)runtime,
		.protocol = (enum msccl_protocol)protocol,
		.least_bytes = options->least_bytes,
		.most_bytes = options->most_bytes};
	if (op == ORDO_REDUCE || op == ORDO_BROADCAST)
		note(call,
			"the file is for root %u only: it does not name it, and no runtime looks",
			exported->schedule->problem.root);
	return write_program(call, exported, &export, out);
}
