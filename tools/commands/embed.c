/* embed.c - `ordo embed`: proved schedules as C source, for programs that do not read documents. */
#include "base/memory_stream.h"
#include "base/output.h"
#include "cli/inputs.h"
#include "cli/memory_limit.h"
#include "commands.h"
#include "embed/c_source.h"
#include "report/plan_set.h"
#include "report/proof.h"
#include "report/symmetry.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct args {
	const char *file, *output, *header, *typed_name;
	char name[256];
	uint32_t max_tasks;
	struct topology_choice topology;
};

/* A source being written, into unnamed temporary files. */
struct writing {
	struct call *call;
	const struct args *args;
	struct output output, header;
	FILE *nameless; /* used instead of output for stdout */
	struct c_source source;
	uint64_t ntask;
};

/* A comment that describes a schedule; the caller frees it. NULL: call->status. */
static char *line_of(
	struct call *call, const struct ordo_schedule *schedule, const struct ordo_plan_set *set)
{
	struct memory_stream stream;
	FILE *out = open_memory_stream(&stream);
	if (out && set)
		report_set(&(struct report){.text = out}, set);
	else if (out)
		report_schedule(&(struct report){.text = out}, schedule);
	char *line = out ? close_memory_stream(&stream) : NULL;
	if (line) {
		line[strcspn(line, "\n")] = 0;
		return line;
	}
	refuse_memory(call);
	return NULL;
}

/* A compiler needs about a kilobyte for each task. */
static bool is_short_enough(struct writing *writing, const struct ordo_schedule *schedule)
{
	const struct args *args = writing->args;
	struct ordo_error error;
	writing->ntask += schedule->ntask;
	if (writing->ntask <= args->max_tasks)
		return true;
	ordo_fail(&error, ORDO_USAGE, 0, "found %" PRIu64 " tasks%s, wanted at most %u as C source",
		writing->ntask, writing->source.set ? " or more" : "", args->max_tasks);
	snprintf(error.file, sizeof error.file, "%s", args->file);
	ordo_hint(&error, "a program reads a long document faster than it is compiled; --max-tasks "
			  "allows more");
	return refuse_error(writing->call, &error);
}

static bool refuse_refuted(struct writing *writing, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof)
{
	struct call *call = writing->call;
	const struct report errors = report_of(call, stderr);
	report_proof(&errors, schedule, proof);
	note(call, "nothing written, because it is refuted");
	return refuse(call, ORDO_REFUTED);
}

static bool print_proved(struct writing *writing, uint32_t range,
	const struct ordo_schedule *schedule, const struct ordo_proof *proof)
{
	char *title = line_of(writing->call, schedule, NULL);
	if (!title)
		return false;
	if (!writing->source.set)
		begin_c_source(&writing->source, title);
	print_c_schedule(&writing->source, range, schedule, title, proof->digest);
	free(title);
	return true;
}

/* Proves a schedule and writes its tables. */
static bool write_schedule(
	struct writing *writing, uint32_t range, const struct ordo_schedule *schedule)
{
	const struct ordo_verify_options options = {0};
	struct symmetry_found found;
	if (!is_short_enough(writing, schedule))
		return false;
	if (schedule->problem.op == ORDO_CUSTOM)
		return refuse_usage(writing->call, NULL,
			"Custom: nothing says what it should compute, and only proved schedules "
			"are embedded");
	struct ordo_proof *proof =
		prove_schedule(writing->call, schedule, &options, SYMMETRY_AUTO, &found);
	if (!proof)
		return false;
	const bool worked = proof->proved ? print_proved(writing, range, schedule, proof)
					  : refuse_refuted(writing, schedule, proof);
	ordo_proof_destroy(proof);
	return worked;
}

/* The declaration, for programs that do not include the header. */
static void tell(struct writing *writing, const char *title)
{
	struct call *call = writing->call;
	const struct args *args = writing->args;
	add_text(call->answer, "name", args->name);
	add_text(call->answer, "output", args->output);
	add_text(call->answer, "header", args->header);
	add_count(call->answer, "tasks", writing->ntask);
	note(call, "%s", title);
	if (args->header)
		note(call, "proved in every interleaving; #include \"%s\" declares %s",
			args->header, args->name);
	else
		note(call, "proved in every interleaving; declare it: extern const struct %s %s;",
			writing->source.set ? "ordo_plan_set" : "ordo_schedule", args->name);
}

static bool end_source(struct writing *writing, const struct ordo_schedule *schedule)
{
	char *title = line_of(writing->call, schedule, writing->source.set);
	if (!title)
		return false;
	end_c_source(&writing->source);
	if (writing->header.file) {
		struct c_source header = writing->source;
		header.out = writing->header.file;
		print_c_header(&header, title);
	}
	tell(writing, title);
	free(title);
	return true;
}

/* One schedule at a time is in memory. */
static bool write_set(struct writing *writing)
{
	struct ordo_plan_set *set =
		took_topology(writing->call) ? open_set(writing->call, writing->args->file) : NULL;
	if (!set)
		return false;
	writing->source.set = set;
	char *title = line_of(writing->call, NULL, set);
	bool worked = title;
	if (title)
		begin_c_source(&writing->source, title);
	free(title);
	for (uint32_t i = 0; worked && i < set->nrange; i++) {
		if (!set->ranges[i].schedule || ordo_plan_set_first(set, i) != i)
			continue;
		struct ordo_schedule *schedule = open_range(writing->call, set, i);
		worked = schedule && write_schedule(writing, i, schedule);
		ordo_schedule_destroy(schedule);
	}
	worked = worked && end_source(writing, NULL);
	ordo_plan_set_destroy(set);
	return worked;
}

static bool write_one(struct writing *writing)
{
	struct ordo_schedule *schedule = open_compiled(writing->call, writing->args->file);
	const bool worked =
		schedule && write_schedule(writing, 0, schedule) && end_source(writing, schedule);
	ordo_schedule_destroy(schedule);
	return worked;
}

static bool open_files(struct writing *writing, struct ordo_error *error)
{
	const struct args *args = writing->args;
	if (args->header && !begin_output(&writing->header, args->header, error))
		return false;
	if (args->output)
		return begin_output(&writing->output, args->output, error);
	writing->nameless = tmpfile();
	return writing->nameless ? true
				 : ordo_fail(error, ORDO_ENVIRONMENT, 0,
					   "cannot make a temporary file: %s", strerror(errno));
}

/* Accepts files that are not open or already closed; discarding a file cannot fail. */
static bool end_file(struct output *output, bool keep, struct ordo_error *error)
{
	const bool worked = !output->file || end_output(output, keep, error);
	output->file = NULL;
	return worked || !keep;
}

/* The source last: if it exists, the header does, too. */
static bool deliver(struct writing *writing, struct ordo_error *error)
{
	FILE *nameless = writing->nameless;
	if (nameless && !(writing->call->json ? add_contents(writing->call->answer, "source",
							nameless, error)
					      : copy_out(nameless, stdout, error)))
		return false;
	return end_file(&writing->header, true, error) && end_file(&writing->output, true, error);
}

static int write_source(struct call *call, const struct args *args)
{
	struct writing writing = {.call = call, .args = args, .source = {.name = args->name}};
	struct ordo_error error;
	int status = ORDO_OK;
	if (open_files(&writing, &error)) {
		writing.source.out = args->output ? writing.output.file : writing.nameless;
		if (!(ordo_is_plan_set(args->file) ? write_set(&writing) : write_one(&writing)))
			status = call->status;
		else if (!deliver(&writing, &error))
			status = fail(call, &error);
	} else {
		status = fail(call, &error);
	}
	end_file(&writing.header, false, &error);
	end_file(&writing.output, false, &error);
	if (writing.nameless)
		fclose(writing.nameless);
	return status;
}

static const char *unless_stdout(const char *path)
{
	return path && strcmp(path, "-") != 0 ? path : NULL;
}

static int check_and_write(struct call *call, struct args *args)
{
	args->file = only_operand(call, "the file of a schedule or of a plan set");
	if (!args->file)
		return call->status;
	args->output = unless_stdout(args->output);
	if (args->header && !strcmp(args->header, "-"))
		return fail_usage(
			call, NULL, "--header: found %s, wanted a file of its own", args->header);
	if (args->typed_name)
		snprintf(args->name, sizeof args->name, "%s", args->typed_name);
	else
		c_name_of_path(
			args->name, sizeof args->name, args->output ? args->output : args->file);
	if (!is_c_name(args->name) ||
		(args->typed_name && strlen(args->typed_name) >= sizeof args->name))
		return fail_usage(call, args->typed_name ? NULL : "--name gives it another",
			"found the name \"%s\", wanted an identifier of C and C++ that does not "
			"begin with ordo_",
			args->typed_name ? args->typed_name : args->name);
	return write_source(call, args);
}

static int embed(struct call *call)
{
	struct args args = {.max_tasks = 250000};
	const struct option options[] = {
		TOPOLOGY_OPTIONS(args.topology),
		{"output", 'o', WRITTEN, &args.output, "OUT",
			"where to write the C source (stdout)"},
		{"header", 0, WRITTEN, &args.header, "OUT", "also write a header that declares it"},
		{"name", 0, TEXT, &args.typed_name, "NAME",
			"the name of the object (from OUT, or else FILE)"},
		{"max-tasks", 0, POSITIVE, &args.max_tasks, "N",
			"reject schedules with more tasks (250000)"},
		MEMORY_LIMIT_OPTION,
	};
	const int status =
		READ_OPTIONS(call, options) ? check_and_write(call, &args) : call->status;
	free_topology_choice(&args.topology);
	return status;
}

const struct command embed_command = {
	.name = "embed",
	.summary = "writes a proved schedule or plan set as C source",
	.usage = "FILE [OPTION]...",
	.examples = "  ordo embed ring.json -o ring.c --header ring.h\n"
		    "  ordo embed moves.json --topology cluster.json -o mine.c\n"
		    "  ordo compile allreduce -n 8 -a ring | ordo embed - --name ring > ring.c",
	.reads = true,
	.run = embed,
};
