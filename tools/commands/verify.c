/* verify.c - `ordo verify`: proves a schedule, or shows which rule it breaks. */
#include "base/clock.h"
#include "cli/memory_limit.h"
#include "cli/msccl_file.h"
#include "commands.h"
#include "failures/failures.h"
#include "report/msccl/msccl.h"
#include "report/msccl/msccl_folder.h"
#include "report/plan_set.h"
#include "report/proof.h"
#include "report/symmetry.h"
#include "report/verdict_table.h"
#include "run/replay.h"
#include <inttypes.h>
#include <ordo/detail/certificate.h>
#include <ordo/detail/input.h>
#include <string.h>

struct args {
	const char *file;
	struct topology_choice topology;
	bool through_ranks;
	bool atomic_reduce, table;
	struct ordo_limits limits;
	uint32_t max_findings;
	const char *replay, *input, *certificate;
	struct arithmetic arithmetic;
	struct conditions conditions;
	const char *symmetry; /* as on the command line */
	enum symmetry_use use;
	struct generate_options generate;
	const char *contents; /* "unjudged": those of Custom need not be judged; NULL: they do */
	const struct msccl_program *program; /* of MSCCL, that the schedule is made of; NULL */
	struct msccl_options msccl;
	const char *runtime, *collective; /* of a folder of such programs; NULL */
	struct more_findings more;	  /* of a program of MSCCL with the slots of its runtimes */
};

/* A document can name the topology it was compiled for. */
static void compare_topology(struct call *call, const struct ordo_schedule *schedule,
	const struct ordo_topology *topology)
{
	char digest[33];
	if (!topology || !schedule->topology_digest)
		return;
	ordo_topology_digest(topology, digest);
	if (strcmp(digest, schedule->topology_digest) != 0)
		warn(call,
			"compiled for another topology: %s, digest %s; verifying against %s, "
			"digest %s",
			schedule->topology_name ? schedule->topology_name : "unnamed",
			schedule->topology_digest, topology->name, digest);
}

static void report_proved(const struct report *report, const struct args *args,
	const struct ordo_schedule *schedule, const struct ordo_proof *proof, bool topology)
{
	const char *plain = paint(report->text, PLAIN);
	const uint32_t more = count_more_findings(&args->more), found = proof->nfinding + more;
	const bool proved = proof->proved && !more;
	if (proved && proof->contents_unjudged)
		report_text(report, "%s: %sno fault found, contents not judged%s\n  ", args->file,
			paint(report->text, YELLOW), plain);
	else if (proved)
		report_text(report, "%s: %sproved%s\n  ", args->file, paint(report->text, GREEN),
			plain);
	else
		report_text(report, "%s: %srefuted%s, %u finding%s%s\n", args->file,
			paint(report->text, RED), plain, found, plural(found),
			proof->complete ? "" : "; there may be others once these are repaired");
	report_schedule(proved ? report : &(struct report){.json = report->json}, schedule);
	if (proved)
		report_rules(report, &args->limits, topology, args->through_ranks,
			proof->contents_unjudged);
}

/* Checks --require: reports the first refuted guarantee. */
static int check_conditions(
	struct call *call, const struct args *args, const struct guarantee_verdicts *verdicts)
{
	struct ordo_error error;
	for (int i = 0; i < ORDO_NGUARANTEE; i++) {
		const struct ordo_judgement *judgement = &verdicts->of[i];
		if (!(args->conditions.guarantees >> i & 1) || judgement->verdict == ORDO_HOLDS ||
			judgement->verdict == ORDO_NOT_APPLICABLE)
			continue;
		ordo_fail(&error, ORDO_REFUTED, 0, "%s %s does not hold for %s %s: %s",
			ordo_guarantee_name((enum ordo_guarantee)i),
			ordo_guarantee_title((enum ordo_guarantee)i),
			ordo_type_name(args->arithmetic.type),
			ordo_reduction_name(args->arithmetic.reduction), judgement->why);
		if (judgement->contradicted && !args->input)
			ordo_hint(&error, "--write-input OUT writes an input that shows it, for "
					  "`ordo run --input OUT`");
		snprintf(error.file, sizeof error.file, "%s", args->file);
		return fail(call, &error);
	}
	return ORDO_OK;
}

/* The first refuted guarantee that is required, or else the first refuted one. */
static const struct ordo_contradiction *choose_contradiction(
	const struct args *args, const struct guarantee_verdicts *verdicts)
{
	for (int only_required = 1; only_required >= 0; only_required--)
		for (int i = 0; i < ORDO_NGUARANTEE; i++)
			if (verdicts->of[i].contradicted &&
				(!only_required || args->conditions.guarantees >> i & 1))
				return &verdicts->of[i].contradiction;
	return NULL;
}

static int write_input(struct call *call, const struct args *args,
	const struct ordo_schedule *schedule, const struct guarantee_verdicts *verdicts)
{
	struct ordo_error error;
	const struct ordo_contradiction *found = choose_contradiction(args, verdicts);
	if (schedule->problem.op == ORDO_CUSTOM) {
		note(call, "no input written: Custom has no inputs (ordo/input/1)");
		return ORDO_OK;
	}
	if (!found) {
		note(call, "no input written: neither G1 nor G3 is refuted for %s %s",
			ordo_type_name(args->arithmetic.type),
			ordo_reduction_name(args->arithmetic.reduction));
		return ORDO_OK;
	}
	struct ordo_input *input = ordo_input_contradicting(&schedule->problem, found, &error);
	const bool worked = input && ordo_input_write(input, args->input, &error);
	ordo_input_destroy(input);
	if (!worked)
		return fail(call, &error);
	const struct report report = report_of(call, stdout);
	report_line(&report, "input written",
		"%s<input>: chunk %u on rank %u and chunk %u on rank %u differ; `ordo run --input` "
		"shows "
		"it",
		args->input, found->element[0].chunk, found->element[0].rank,
		found->element[1].chunk, found->element[1].rank);
	return ORDO_OK;
}

/* Reports the guarantees of a proof for the arithmetic, and checks the requirements. */
static int report_guarantees_of(struct call *call, const struct args *args,
	const struct ordo_schedule *schedule, const struct ordo_proof *proof)
{
	struct guarantee_verdicts verdicts;
	const struct report report = report_of(call, stdout);
	if (!check_guarantees(
		    call, &args->arithmetic, &schedule->problem, proof, NULL, &verdicts)) {
		free_guarantee_verdicts(&verdicts);
		return call->status;
	}
	report_guarantees(&report, schedule, proof, &verdicts);
	int status = args->input ? write_input(call, args, schedule, &verdicts) : ORDO_OK;
	if (status == ORDO_OK)
		status = check_conditions(call, args, &verdicts);
	free_guarantee_verdicts(&verdicts);
	return status;
}

static void report_times(const struct report *report, double read, double proving)
{
	const struct report times = report_object(report, "seconds");
	report_line(
		&times, "time", "read in %g<read:time>, proof in %g<proof:time>", read, proving);
	report_members(report, "%" PRIu64 "<peak_bytes>", peak_bytes());
}

/* Requirements and inputs need the trees, which only the proof of all ranks lists. */
static enum symmetry_use symmetry_for(const struct args *args)
{
	return (has_conditions(&args->conditions) || args->input || args->certificate) &&
			       args->use == SYMMETRY_AUTO
		       ? SYMMETRY_OFF
		       : args->use;
}

/* A refuted schedule has no certificate, as its findings show; if it is proved without an order,
 * that is reported. */
static int write_certificate(struct call *call, const struct args *args,
	const struct ordo_schedule *schedule, const struct ordo_proof *proof)
{
	struct ordo_error error;
	if (!ordo_certificate_write(schedule, proof, args->certificate, &error))
		return fail(call, &error);
	const struct report report = report_of(call, stdout);
	report_line(&report, "certificate", "%s<certificate>; to check it again: ordo-check %s %s",
		args->certificate, args->file, args->certificate);
	return ORDO_OK;
}

static int report_verdict(struct call *call, const struct args *args,
	const struct ordo_schedule *schedule, const struct ordo_proof *proof,
	const struct symmetry_found *found, bool topology)
{
	const struct report report = report_of(call, stdout), errors = report_of(call, stderr);
	report_proof_and(&errors, schedule, proof, &args->more);
	if (args->program && proof->nfinding)
		report_steps(&errors, args->program, schedule, proof, 0);
	if (args->program && count_more_findings(&args->more))
		report_steps(&errors, args->program, args->more.schedule, args->more.proof,
			msccl_slots_of(args->program->protocol));
	report_proved(&report, args, schedule, proof, topology);
	const int status = proof->proved && !count_more_findings(&args->more)
				   ? report_guarantees_of(call, args, schedule, proof)
				   : ORDO_REFUTED;
	report_symmetry(&report, found);
	return status;
}

/* Of a proof with that status: undecided if nothing says what the outputs should hold. */
static int judge_contents(const struct args *args, const struct ordo_proof *proof, int status)
{
	return status == ORDO_OK && proof->contents_unjudged && !args->contents ? ORDO_UNDECIDED
										: status;
}

static int verify_schedule(
	struct call *call, struct args *args, const struct ordo_schedule *schedule, double read)
{
	struct ordo_topology *topology;
	if (!can_check_guarantees(call, &args->arithmetic, &schedule->problem) ||
		!choose_topology(call, &args->topology, schedule->problem.nrank, &topology))
		return call->status;
	compare_topology(call, schedule, topology);
	const struct ordo_verify_options options = {.topology = topology,
		.through_ranks = args->through_ranks,
		.atomic_reduce = args->atomic_reduce,
		.limits = args->limits,
		.max_findings = args->max_findings};
	double began = clock_seconds();
	struct symmetry_found found;
	struct ordo_proof *proof =
		prove_schedule(call, schedule, &options, symmetry_for(args), &found);
	double proving = clock_seconds() - began;
	int status = call->status;
	if (proof) {
		const struct report report = report_of(call, stdout);
		status = report_verdict(call, args, schedule, proof, &found, topology);
		report_times(&report, read, proving);
		if (args->replay && !write_replay(call, schedule, proof, args->file, args->replay))
			status = call->status;
		if (args->certificate && status == ORDO_OK)
			status = write_certificate(call, args, schedule, proof);
		status = judge_contents(args, proof, status);
	}
	ordo_proof_destroy(proof);
	ordo_topology_destroy(topology);
	return status;
}

/* With --fail-link one state of a failure set. */
static int verify_state(struct call *call, const struct args *args)
{
	const double began = clock_seconds();
	struct args one = *args;
	struct chosen_state chosen;
	int status;
	if (choose_state(call, args->file, &one.topology, &chosen))
		status = verify_schedule(call, &one, chosen.schedule, clock_seconds() - began);
	else
		status = call->status;
	ordo_schedule_destroy(chosen.schedule);
	return status;
}

static int verify_one(struct call *call, struct args *args)
{
	double began = clock_seconds();
	struct ordo_schedule *schedule = open_schedule(call, args->file);
	const int status = schedule ? verify_schedule(call, args, schedule, clock_seconds() - began)
				    : call->status;
	ordo_schedule_destroy(schedule);
	return status;
}

struct msccl_judgement {
	struct msccl_file file;
	struct msccl_capacity capacity;
	struct ordo_schedule *schedule, *limited; /* the second with the slots of the protocol */
	struct ordo_proof *proof;		  /* of that */
};

/* Judges it with the slots that its runtimes have: for deadlocks alone, because what waits for a
 * free slot is no order of accesses. */
static bool judge_slots(struct call *call, struct msccl_judgement *judgement, struct args *args)
{
	const struct msccl_file *file = &judgement->file;
	struct ordo_error error;
	struct msccl_options options = args->msccl;
	options.slots = msccl_slots_of(file->program->protocol);
	if (!msccl_find_capacity(file->program, &file->links, &judgement->capacity, &error))
		return refuse_error(call, &error);
	/* What ends with no number of slots, the other judgement finds. */
	if (!judgement->capacity.least_slots)
		return true;
	judgement->limited = msccl_schedule(call, file, &options);
	if (judgement->limited)
		judgement->proof = prove(
			call, judgement->limited, &(struct ordo_verify_options){.max_findings = 1});
	args->more = (struct more_findings){judgement->limited, judgement->proof, 7};
	return judgement->proof;
}

static int verify_msccl(struct call *call, struct args *args)
{
	const double began = clock_seconds();
	struct msccl_judgement j = {0};
	int status = ORDO_ENVIRONMENT;
	if (open_msccl_file(call, args->file, &j.file))
		j.schedule = msccl_schedule(call, &j.file, &args->msccl);
	const double read = clock_seconds() - began;
	if (!j.schedule || !judge_slots(call, &j, args))
		status = call->status;
	else {
		const struct report report = report_of(call, stdout);
		args->program = j.file.program;
		status = verify_schedule(call, args, j.schedule, read);
		report_msccl(&report, j.file.program, &j.capacity);
	}
	ordo_proof_destroy(j.proof);
	ordo_schedule_destroy(j.limited);
	ordo_schedule_destroy(j.schedule);
	close_msccl_file(&j.file);
	return status;
}

/* The option that takes one schedule; NULL: none was given. */
static const char *refused_for_sets(const struct args *args)
{
	return args->replay	   ? "--write-replay"
	       : args->input	   ? "--write-input"
	       : args->certificate ? "--certificate"
	       : args->symmetry	   ? "--symmetry"
				   : NULL;
}

static int verify_all(struct call *call, const struct args *args)
{
	const struct set_question question = {.path = args->file,
		.topology = &args->topology,
		.options = {.through_ranks = args->through_ranks,
			.atomic_reduce = args->atomic_reduce,
			.limits = args->limits,
			.max_findings = args->max_findings},
		.conditions = &args->conditions,
		.arithmetic = &args->arithmetic};
	const char *const alone = refused_for_sets(args);
	if (alone)
		return fail_usage(call, NULL, "%s takes one schedule, found a plan set", alone);
	return verify_set(call, &question);
}

static int verify_links(struct call *call, const struct args *args)
{
	const struct failures_question question = {.path = args->file,
		.options = {.through_ranks = args->through_ranks,
			.atomic_reduce = args->atomic_reduce,
			.limits = args->limits,
			.max_findings = args->max_findings},
		.conditions = &args->conditions};
	const char *const alone = refused_for_sets(args);
	if (is_failing(&args->topology))
		return verify_state(call, args);
	if (args->topology.name)
		return fail_usage(call, "--fail-link selects one schedule",
			"--topology: a failure set is verified on its own topology");
	return alone ? fail_usage(call, "--fail-link selects one",
			       "%s takes one schedule, found a failure set", alone)
		     : verify_failures(call, &question);
}

static int verify_programs(struct call *call, struct args *args)
{
	struct ordo_topology *topology;
	if (!count_remaining(call, &args->topology, &args->generate.ranks) ||
		!choose_topology(call, &args->topology, args->generate.ranks, &topology))
		return call->status;
	args->generate.use = args->use;
	args->generate.arithmetic = args->arithmetic;
	args->generate.options = (struct ordo_verify_options){.topology = topology,
		.through_ranks = args->through_ranks,
		.limits = args->limits,
		.max_findings = args->max_findings};
	const int status = verify_generated(call, &args->generate);
	ordo_topology_destroy(topology);
	return status;
}

/* Checks the options that exclude or require each other. false: call->status. */
static bool makes_sense(struct call *call, const struct args *args)
{
	const struct generate_options *generate = &args->generate;
	if (!generate->algorithm && (generate->operator|| generate->ranks || generate->trust))
		call->status =
			fail_usage(call, NULL, "--operator, --ranks and --trust need --generate");
	else if (args->contents && strcmp(args->contents, "unjudged") != 0)
		call->status = fail_usage(
			call, NULL, "--contents: found %s, wanted unjudged", args->contents);
	else if (args->through_ranks && !has_topology(&args->topology))
		call->status = fail_usage(
			call, NULL, "--route-through-ranks goes with --topology or --fail-link");
	else if (generate->algorithm && (args->replay || args->input || args->atomic_reduce ||
						has_conditions(&args->conditions)))
		call->status = fail_usage(call, NULL,
			"--generate goes without --write-replay, --write-input, --atomic-reduce "
			"and --require");
	else if (args->use == SYMMETRY_ONLY && (args->input || has_conditions(&args->conditions)))
		call->status = fail_usage(call,
			"without --symmetry only the whole is proved, and its trees listed",
			"%s needs trees, which a proof from one program does not list",
			args->input ? "--write-input" : "--require");
	else
		return true;
	return false;
}

static int verify_file(struct call *call, struct args *args)
{
	if (args->runtime && is_folder(args->file))
		return verify_msccl_folder(
			call, &(struct msccl_folder_question){args->file, args->runtime,
				      args->collective, args->msccl.in_place});
	if (args->runtime || args->collective)
		return fail_usage(call, NULL, "--runtime and --coll need a folder of MSCCL files");
	if (is_xml(args->file))
		return verify_msccl(call, args);
	if (ordo_is_failure_set(args->file))
		return verify_links(call, args);
	return ordo_is_plan_set(args->file) ? verify_all(call, args) : verify_one(call, args);
}

/* A line of the table, from what --json would print of the file. */
static int verify_row(struct call *call, struct args *args, int width)
{
	cJSON *before = call->answer;
	call->json = true;
	call->answer = cJSON_CreateObject();
	const int status = verify_file(call, args);
	if (call->answer)
		print_verdict_row(stdout, width, args->file, status, call->answer);
	cJSON_Delete(call->answer);
	call->answer = before;
	call->json = false;
	return status;
}

static int widest_operand(const struct call *call)
{
	size_t width = strlen("file");
	for (size_t i = 0; i < call->noperand; i++)
		width = strlen(call->operands[i]) > width ? strlen(call->operands[i]) : width;
	return (int)width;
}

/* With --json one object for each, in "files". A refuted file decides the exit code, else the
 * largest code. */
static int verify_several(struct call *call, const struct args *args)
{
	cJSON *all = call->answer;
	const struct report report = report_of(call, stdout), list = report_list(&report, "files");
	int worst = ORDO_OK;
	if (args->replay || args->input || args->certificate)
		return fail_usage(call, NULL, "%s takes one file, found %zu",
			args->replay  ? "--write-replay"
			: args->input ? "--write-input"
				      : "--certificate",
			call->noperand);
	const int width = widest_operand(call);
	if (args->table && !call->json)
		print_verdict_head(stdout, width);
	for (size_t i = 0; i < call->noperand; i++) {
		struct args one = *args;
		one.file = call->operands[i];
		const struct report file = report_item(&list);
		call->answer = file.json ? file.json : all;
		add_text(file.json, "file", one.file);
		const int status = args->table && !call->json ? verify_row(call, &one, width)
							      : verify_file(call, &one);
		add_count(file.json, "exit code", (uint64_t)status);
		if (worst != ORDO_REFUTED && (status == ORDO_REFUTED || status > worst))
			worst = status;
	}
	call->answer = all;
	return worst;
}

static int verify_with(struct call *call, struct args *args)
{
	if (args->generate.algorithm && !call->noperand)
		args->file = args->generate.algorithm;
	else if (args->generate.algorithm)
		call->status = fail_usage(
			call, NULL, "--generate takes no file, found %s", call->operands[0]);
	else if (call->noperand > 1)
		args->file = call->operands[0];
	else
		args->file = only_operand(
			call, "the file or folder of a schedule or plan set, or - for stdin");
	if (!args->file || !read_symmetry_use(call, args->symmetry, &args->use) ||
		!read_arithmetic(call, &args->arithmetic) ||
		!read_guarantees(call, &args->conditions) || !makes_sense(call, args))
		return call->status;
	if (args->generate.algorithm)
		return verify_programs(call, args);
	return call->noperand > 1 || args->table ? verify_several(call, args)
						 : verify_file(call, args);
}

static int verify(struct call *call)
{
	struct args args = {.msccl.root = ORDO_NONE};
	const struct option options[] = {
		TOPOLOGY_OPTIONS(args.topology),
		ROUTE_OPTION(args.through_ranks),
		{"require", 0, TEXTS, &args.conditions.required, "G,G",
			"exit 1 unless these guarantees hold: G1, G2, G3; for a set also: constant "
			"(one order)"},
		{"atomic-reduce", 0, SWITCH, &args.atomic_reduce, NULL, ATOMIC_REDUCE_MEANING},
		LIMIT_OPTIONS(args.limits),
		{"table", 0, SWITCH, &args.table, NULL, "one line for each file"},
		{"max-findings", 0, POSITIVE, &args.max_findings, "N",
			"stop after N findings (16)"},
		{"symmetry", 0, TEXT, &args.symmetry, "auto|off|only",
			"prove from one rank's program if all are alike; auto: if large; only: "
			"exit 4 if not"},
		{"contents", 0, TEXT, &args.contents, "unjudged",
			"exit 0 if all rules hold but the operator is Custom, whose result is "
			"unspecified"},
		{"generate", 0, TEXT, &args.generate.algorithm,
			"ring|tree|binary-blocks|halving-doubling|recursive-doubling",
			"verify generated programs instead of a FILE, for any number of ranks"},
		{"operator", 0, TEXT, &args.generate.operator, "OPERATOR",
			"with --generate: the operator (AllReduce)"},
		{"ranks", 'n', POSITIVE, &args.generate.ranks, "N",
			"with --generate: the number of ranks"},
		{"trust", 0, SWITCH, &args.generate.trust, NULL,
			"with --generate: compare only the programs of the ranks that generate the "
			"symmetry"},
		{"write-replay", 0, WRITTEN, &args.replay, "OUT",
			"write an interleaving that shows the first finding; see `ordo run "
			"--replay`"},
		ARITHMETIC_OPTIONS(args.arithmetic),
		{"write-input", 0, WRITTEN, &args.input, "OUT",
			"write an input whose bits differ where a guarantee is refuted; see `ordo "
			"run --input`"},
		{"certificate", 0, WRITTEN, &args.certificate, "OUT",
			"write the proof as a document, which the program ordo-check checks"},
		MSCCL_OPTIONS(args.msccl),
		MSCCL_FOLDER_OPTIONS(args.runtime, args.collective),
		MEMORY_LIMIT_OPTION,
	};
	if (!READ_OPTIONS(call, options))
		return call->status;
	const int status = verify_with(call, &args);
	free_topology_choice(&args.topology);
	free_texts(&args.conditions.required);
	return status;
}

const struct command verify_command = {
	.name = "verify",
	.summary = "proves a schedule in every interleaving, or shows which rule it breaks",
	.usage = "FILE...|--generate A [OPTION]...",
	.examples =
		"  ordo verify ring.json\n"
		"  ordo verify ring.json --fail-link 0-1\n"
		"  ordo verify ring.json --topology cluster.json --max-tokens 1\n"
		"  ordo verify ring.json --topology torus:2x4 --route-through-ranks\n"
		"  ordo verify broken.json --write-replay race.json\n"
		"  ordo verify ring.json --certificate proof.json && ordo-check ring.json "
		"proof.json\n"
		"  ordo verify ring.json --require G1,G3 --type f64 --write-input differs.json\n"
		"  ordo compile allreduce --ranks 8 --algorithm ring | ordo verify -\n"
		"  ordo verify --generate ring --ranks 1000",
	.reads = true,
	.run = verify,
};
