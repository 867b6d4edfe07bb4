/* verify.c - `ordo verify`: proves a schedule, or shows which rule it breaks. */
#include "base/clock.h"
#include "cli/memory_limit.h"
#include "commands.h"
#include "report/plan_set.h"
#include "report/proof.h"
#include "report/symmetry.h"
#include "run/replay.h"
#include <inttypes.h>
#include <ordo/detail/certificate.h>
#include <ordo/detail/input.h>
#include <string.h>

struct wish {
	const char *file;
	struct topology_choice topology;
	bool through_ranks;
	bool atomic_reduce;
	struct ordo_limits limits;
	uint32_t max_findings;
	const char *replay, *input, *certificate;
	struct arithmetic arithmetic;
	struct conditions conditions;
	const char *symmetry; /* as on the command line */
	enum symmetry_use use;
	struct generate_wish generate;
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

static void report_proved(const struct report *report, const struct wish *wish,
	const struct ordo_schedule *schedule, const struct ordo_proof *proof, bool topology)
{
	const char *plain = paint(report->text, PLAIN);
	if (proof->proved)
		report_text(report, "%s: %sproved%s\n  ", wish->file, paint(report->text, GREEN),
			plain);
	else
		report_text(report, "%s: %srefuted%s, %u finding%s%s\n", wish->file,
			paint(report->text, RED), plain, proof->nfinding, plural(proof->nfinding),
			proof->complete ? "" : "; there may be others once these are repaired");
	report_schedule(proof->proved ? report : &(struct report){.json = report->json}, schedule);
	if (proof->proved)
		report_rules(report, &wish->limits, topology, wish->through_ranks);
}

/* Checks --require: reports the first refuted guarantee. */
static int check_conditions(
	struct call *call, const struct wish *wish, const struct guarantee_verdicts *verdicts)
{
	struct ordo_error error;
	for (int i = 0; i < ORDO_NGUARANTEE; i++) {
		const struct ordo_judgement *judgement = &verdicts->of[i];
		if (!(wish->conditions.guarantees >> i & 1) || judgement->verdict == ORDO_HOLDS ||
			judgement->verdict == ORDO_NOT_APPLICABLE)
			continue;
		ordo_fail(&error, ORDO_REFUTED, 0, "%s %s does not hold for %s %s: %s",
			ordo_guarantee_name((enum ordo_guarantee)i),
			ordo_guarantee_title((enum ordo_guarantee)i),
			ordo_type_name(wish->arithmetic.type),
			ordo_reduction_name(wish->arithmetic.reduction), judgement->why);
		if (judgement->contradicted && !wish->input)
			ordo_hint(&error, "--write-input OUT writes an input that shows it, for "
					  "`ordo run --input OUT`");
		snprintf(error.file, sizeof error.file, "%s", wish->file);
		return fail(call, &error);
	}
	return ORDO_OK;
}

/* The first refuted guarantee that is required, or else the first refuted one. */
static const struct ordo_contradiction *choose_contradiction(
	const struct wish *wish, const struct guarantee_verdicts *verdicts)
{
	for (int only_required = 1; only_required >= 0; only_required--)
		for (int i = 0; i < ORDO_NGUARANTEE; i++)
			if (verdicts->of[i].contradicted &&
				(!only_required || wish->conditions.guarantees >> i & 1))
				return &verdicts->of[i].contradiction;
	return NULL;
}

static int write_input(struct call *call, const struct wish *wish,
	const struct ordo_schedule *schedule, const struct guarantee_verdicts *verdicts)
{
	struct ordo_error error;
	const struct ordo_contradiction *found = choose_contradiction(wish, verdicts);
	if (!found) {
		note(call, "no input written: neither G1 nor G3 is refuted for %s %s",
			ordo_type_name(wish->arithmetic.type),
			ordo_reduction_name(wish->arithmetic.reduction));
		return ORDO_OK;
	}
	struct ordo_input *input = ordo_input_contradicting(&schedule->problem, found, &error);
	const bool worked = input && ordo_input_write(input, wish->input, &error);
	ordo_input_destroy(input);
	if (!worked)
		return fail(call, &error);
	const struct report report = report_of(call, stdout);
	report_line(&report, "input written",
		"%s<input>: chunk %u on rank %u and chunk %u on rank %u differ; `ordo run --input` "
		"shows "
		"it",
		wish->input, found->element[0].chunk, found->element[0].rank,
		found->element[1].chunk, found->element[1].rank);
	return ORDO_OK;
}

/* Reports the guarantees of a proof for the arithmetic, and checks the requirements. */
static int report_guarantees_of(struct call *call, const struct wish *wish,
	const struct ordo_schedule *schedule, const struct ordo_proof *proof)
{
	struct guarantee_verdicts verdicts;
	const struct report report = report_of(call, stdout);
	if (!check_guarantees(
		    call, &wish->arithmetic, &schedule->problem, proof, NULL, &verdicts)) {
		free_guarantee_verdicts(&verdicts);
		return call->status;
	}
	report_guarantees(&report, schedule, proof, &verdicts);
	int status = wish->input ? write_input(call, wish, schedule, &verdicts) : ORDO_OK;
	if (status == ORDO_OK)
		status = check_conditions(call, wish, &verdicts);
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
static enum symmetry_use symmetry_for(const struct wish *wish)
{
	return (has_conditions(&wish->conditions) || wish->input || wish->certificate) &&
			       wish->use == SYMMETRY_AUTO
		       ? SYMMETRY_OFF
		       : wish->use;
}

/* A refuted schedule has no certificate, as its findings show; if it is proved without an order,
 * that is reported. */
static int write_certificate(struct call *call, const struct wish *wish,
	const struct ordo_schedule *schedule, const struct ordo_proof *proof)
{
	struct ordo_error error;
	if (!ordo_certificate_write(schedule, proof, wish->certificate, &error))
		return fail(call, &error);
	const struct report report = report_of(call, stdout);
	report_line(&report, "certificate", "%s<certificate>; to check it again: ordo-check %s %s",
		wish->certificate, wish->file, wish->certificate);
	return ORDO_OK;
}

static int report_verdict(struct call *call, const struct wish *wish,
	const struct ordo_schedule *schedule, const struct ordo_proof *proof,
	const struct symmetry_found *found, bool topology)
{
	const struct report report = report_of(call, stdout), errors = report_of(call, stderr);
	report_proof(&errors, schedule, proof);
	report_proved(&report, wish, schedule, proof, topology);
	const int status =
		proof->proved ? report_guarantees_of(call, wish, schedule, proof) : ORDO_REFUTED;
	report_symmetry(&report, found);
	return status;
}

static int verify_schedule(struct call *call, const struct wish *wish,
	const struct ordo_schedule *schedule, double read)
{
	struct ordo_topology *topology;
	if (!can_check_guarantees(call, &wish->arithmetic, &schedule->problem) ||
		!choose_topology(call, &wish->topology, schedule->problem.nrank, &topology))
		return call->status;
	compare_topology(call, schedule, topology);
	const struct ordo_verify_options options = {.topology = topology,
		.through_ranks = wish->through_ranks,
		.atomic_reduce = wish->atomic_reduce,
		.limits = wish->limits,
		.max_findings = wish->max_findings};
	double began = clock_seconds();
	struct symmetry_found found;
	struct ordo_proof *proof =
		prove_schedule(call, schedule, &options, symmetry_for(wish), &found);
	double proving = clock_seconds() - began;
	int status = call->status;
	if (proof) {
		const struct report report = report_of(call, stdout);
		status = report_verdict(call, wish, schedule, proof, &found, topology);
		report_times(&report, read, proving);
		if (wish->replay && !write_replay(call, schedule, proof, wish->file, wish->replay))
			status = call->status;
		if (wish->certificate && status == ORDO_OK)
			status = write_certificate(call, wish, schedule, proof);
	}
	ordo_proof_destroy(proof);
	ordo_topology_destroy(topology);
	return status;
}

static int verify_one(struct call *call, const struct wish *wish)
{
	double began = clock_seconds();
	struct ordo_schedule *schedule = open_schedule(call, wish->file);
	const int status = schedule ? verify_schedule(call, wish, schedule, clock_seconds() - began)
				    : call->status;
	ordo_schedule_destroy(schedule);
	return status;
}

static int verify_all(struct call *call, const struct wish *wish)
{
	const struct set_question question = {.path = wish->file,
		.topology = &wish->topology,
		.options = {.through_ranks = wish->through_ranks,
			.atomic_reduce = wish->atomic_reduce,
			.limits = wish->limits,
			.max_findings = wish->max_findings},
		.conditions = &wish->conditions,
		.arithmetic = &wish->arithmetic};
	const char *const alone = wish->replay	      ? "--write-replay"
				  : wish->input	      ? "--write-input"
				  : wish->certificate ? "--certificate"
				  : wish->symmetry    ? "--symmetry"
						      : NULL;
	if (alone)
		return fail_usage(call, NULL, "%s takes one schedule, found a plan set", alone);
	return verify_set(call, &question);
}

static int verify_programs(struct call *call, struct wish *wish)
{
	struct ordo_topology *topology;
	if (!choose_topology(call, &wish->topology, wish->generate.ranks, &topology))
		return call->status;
	wish->generate.use = wish->use;
	wish->generate.arithmetic = wish->arithmetic;
	wish->generate.options = (struct ordo_verify_options){.topology = topology,
		.through_ranks = wish->through_ranks,
		.limits = wish->limits,
		.max_findings = wish->max_findings};
	const int status = verify_generated(call, &wish->generate);
	ordo_topology_destroy(topology);
	return status;
}

/* Checks the options that exclude or require each other. false: call->status. */
static bool makes_sense(struct call *call, const struct wish *wish)
{
	const struct generate_wish *generate = &wish->generate;
	if (!generate->algorithm && (generate->operator|| generate->ranks || generate->trust))
		call->status = fail_usage(
			call, NULL, "--operator, --ranks and --trust go with --generate");
	else if (wish->through_ranks && !wish->topology.name && !wish->topology.failed.count)
		call->status = fail_usage(
			call, NULL, "--route-through-ranks goes with --topology or --fail-link");
	else if (generate->algorithm && (wish->replay || wish->input || wish->atomic_reduce ||
						has_conditions(&wish->conditions)))
		call->status = fail_usage(call, NULL,
			"--generate goes without --write-replay, --write-input, --atomic-reduce "
			"and --require");
	else if (wish->use == SYMMETRY_ONLY && (wish->input || has_conditions(&wish->conditions)))
		call->status = fail_usage(call,
			"without --symmetry only the whole is proved, and its trees listed",
			"%s needs trees, which a proof from one program does not list",
			wish->input ? "--write-input" : "--require");
	else
		return true;
	return false;
}

static int verify_wish(struct call *call, struct wish *wish)
{
	if (wish->generate.algorithm && !call->noperand)
		wish->file = wish->generate.algorithm;
	else if (wish->generate.algorithm)
		call->status = fail_usage(
			call, NULL, "--generate takes no file, found %s", call->operands[0]);
	else
		wish->file = only_operand(
			call, "the file or folder of a schedule or plan set, or - for stdin");
	if (!wish->file || !read_symmetry_use(call, wish->symmetry, &wish->use) ||
		!read_arithmetic(call, &wish->arithmetic) ||
		!read_guarantees(call, &wish->conditions) || !makes_sense(call, wish))
		return call->status;
	if (wish->generate.algorithm)
		return verify_programs(call, wish);
	return ordo_is_plan_set(wish->file) ? verify_all(call, wish) : verify_one(call, wish);
}

static int verify(struct call *call)
{
	struct wish wish = {0};
	const struct option options[] = {
		TOPOLOGY_OPTIONS(wish.topology),
		ROUTE_OPTION(wish.through_ranks),
		{"require", 0, TEXTS, &wish.conditions.required, "G,G",
			"exit 1 unless these guarantees hold: G1, G2, G3; for a set also: constant "
			"(one order)"},
		{"atomic-reduce", 0, SWITCH, &wish.atomic_reduce, NULL, ATOMIC_REDUCE_MEANING},
		LIMIT_OPTIONS(wish.limits),
		{"max-findings", 0, POSITIVE, &wish.max_findings, "N",
			"stop after N findings (16)"},
		{"symmetry", 0, TEXT, &wish.symmetry, "auto|off|only",
			"prove from one rank's program if all are alike; auto: if large; only: "
			"exit 4 if not"},
		{"generate", 0, TEXT, &wish.generate.algorithm,
			"ring|tree|binary-blocks|halving-doubling|recursive-doubling",
			"verify generated programs instead of a FILE, for any number of ranks"},
		{"operator", 0, TEXT, &wish.generate.operator, "OPERATOR",
			"with --generate: the operator (AllReduce)"},
		{"ranks", 'n', POSITIVE, &wish.generate.ranks, "N",
			"with --generate: the number of ranks"},
		{"trust", 0, SWITCH, &wish.generate.trust, NULL,
			"with --generate: compare only the programs of the ranks that generate the "
			"symmetry"},
		{"write-replay", 0, WRITTEN, &wish.replay, "OUT",
			"write an interleaving that shows the first finding; see `ordo run "
			"--replay`"},
		ARITHMETIC_OPTIONS(wish.arithmetic),
		{"write-input", 0, WRITTEN, &wish.input, "OUT",
			"write an input whose bits differ where a guarantee is refuted; see `ordo "
			"run --input`"},
		{"certificate", 0, WRITTEN, &wish.certificate, "OUT",
			"write the proof as a document, which the program ordo-check checks"},
		MEMORY_LIMIT_OPTION,
	};
	if (!READ_OPTIONS(call, options))
		return call->status;
	const int status = verify_wish(call, &wish);
	free_texts(&wish.topology.failed);
	free_texts(&wish.conditions.required);
	return status;
}

const struct command verify_command = {
	.name = "verify",
	.summary = "proves a schedule in every interleaving, or shows which rule it breaks",
	.usage = "FILE|--generate A [OPTION]...",
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
