/* cmd_verify.c - `ordo verify`: proves a schedule, or shows which rule it breaks. */
#include "replaying.h"
#include "sets.h"
#include "symmetric.h"
#include "verdict.h"
#include <string.h>

struct wish {
	const char *file;
	struct topology_choice topology;
	bool atomic_reduce;
	struct ordo_limits limits;
	uint32_t max_findings;
	const char *replay;
	struct conditions conditions;
	const char *symmetry; /* as typed */
	enum symmetry_use use;
	struct generate_wish generate;
};

/* The document may name the topology it was compiled for. */
static void compare_topology(
	struct call *call, const struct ordo_schedule *schedule, const struct ordo_topology *topology)
{
	char digest[33];
	if (!topology || !schedule->topology_digest)
		return;
	ordo_topology_digest(topology, digest);
	if (strcmp(digest, schedule->topology_digest) != 0)
		warn(call, "compiled for another topology: %s, digest %s; verifying against %s, digest %s",
			schedule->topology_name ? schedule->topology_name : "unnamed",
			schedule->topology_digest, topology->name, digest);
}

static int report(struct call *call, const struct wish *wish, const struct ordo_schedule *schedule,
	const struct ordo_topology *topology, const struct ordo_proof *proof)
{
	if (call->json)
		return proof->proved ? ORDO_OK : ORDO_REFUTED;
	if (!proof->proved) {
		print_findings(stderr, schedule, proof);
		printf("%s: %srefuted%s, %u finding%s%s\n", wish->file, paint(stdout, RED),
			paint(stdout, PLAIN), proof->nfinding, proof->nfinding == 1 ? "" : "s",
			proof->complete ? "" : "; with these repaired there may be others");
		return ORDO_REFUTED;
	}
	printf("%s: %sproved%s\n  ", wish->file, paint(stdout, GREEN), paint(stdout, PLAIN));
	print_schedule_line(stdout, schedule);
	print_rules(stdout, &wish->limits, topology);
	print_guarantees(stdout, schedule, proof);
	return ORDO_OK;
}

static void print_times(double read, double proving)
{
	printf("  %-23s read in ", "time");
	print_seconds(stdout, read);
	printf(", proof in ");
	print_seconds(stdout, proving);
	printf("\n");
}

/* What --require asks for. */
static bool check_conditions(struct call *call, const struct wish *wish, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof)
{
	struct conditions conditions = wish->conditions;
	struct ordo_error error;
	if (!has_conditions(&conditions) || meets_conditions(schedule, proof, &conditions, &error))
		return true;
	if (!error.file[0])
		snprintf(error.file, sizeof error.file, "%s", wish->file);
	call->status = fail(call, &error);
	return false;
}

/* Conditions look at the trees, which only the proof of the whole lists. */
static enum symmetry_use symmetry_for(const struct wish *wish)
{
	return has_conditions(&wish->conditions) && wish->use == SYMMETRY_AUTO ? SYMMETRY_OFF : wish->use;
}

static int verify_schedule(
	struct call *call, const struct wish *wish, const struct ordo_schedule *schedule, double read)
{
	struct ordo_topology *topology;
	if (!choose_topology(call, &wish->topology, schedule->problem.nrank, &topology))
		return call->status;
	compare_topology(call, schedule, topology);
	const struct ordo_verify_options options = {.topology = topology,
		.atomic_reduce = wish->atomic_reduce,
		.limits = wish->limits,
		.max_findings = wish->max_findings};
	double began = seconds();
	struct symmetry_found found;
	struct ordo_proof *proof = prove_schedule(call, schedule, &options, symmetry_for(wish), &found);
	double proving = seconds() - began;
	int status = call->status;
	if (proof) {
		add_schedule(call->answer, schedule);
		add_proof(call->answer, schedule, proof);
		add_symmetry(call->answer, &found);
		cJSON *times = cJSON_AddObjectToObject(call->answer, "seconds");
		add_number(times, "read", read);
		add_number(times, "proof", proving);
		add_count(call->answer, "peak_bytes", peak_bytes());
		status = report(call, wish, schedule, topology, proof);
		if (!call->json) {
			print_symmetry(stdout, &found);
			print_times(read, proving);
		}
		if (wish->replay && !write_replay(call, schedule, proof, wish->file, wish->replay))
			status = call->status;
		if (proof->proved && !check_conditions(call, wish, schedule, proof))
			status = call->status;
	}
	ordo_proof_destroy(proof);
	ordo_topology_destroy(topology);
	return status;
}

static int verify_one(struct call *call, const struct wish *wish)
{
	double began = seconds();
	struct ordo_schedule *schedule = open_schedule(call, wish->file);
	const int status = schedule ? verify_schedule(call, wish, schedule, seconds() - began) : call->status;
	ordo_schedule_destroy(schedule);
	return status;
}

static int verify_all(struct call *call, const struct wish *wish)
{
	const struct set_question question = {.path = wish->file,
		.topology = &wish->topology,
		.options = {.atomic_reduce = wish->atomic_reduce,
			.limits = wish->limits,
			.max_findings = wish->max_findings},
		.conditions = &wish->conditions};
	if (wish->replay)
		return fail_usage(call, NULL, "--write-replay takes one schedule, found a plan set");
	return verify_set(call, &question);
}

static int verify_programs(struct call *call, struct wish *wish)
{
	struct ordo_topology *topology;
	if (!choose_topology(call, &wish->topology, wish->generate.ranks, &topology))
		return call->status;
	wish->generate.use = wish->use;
	wish->generate.options = (struct ordo_verify_options){
		.topology = topology, .limits = wish->limits, .max_findings = wish->max_findings};
	const int status = verify_generated(call, &wish->generate);
	ordo_topology_destroy(topology);
	return status;
}

/* What only goes without the other. false: call->status. */
static bool makes_sense(struct call *call, const struct wish *wish)
{
	const struct generate_wish *generate = &wish->generate;
	if (!generate->algorithm && (generate->operator|| generate->ranks || generate->trust))
		call->status = fail_usage(call, NULL, "--operator, --ranks and --trust go with --generate");
	else if (generate->algorithm &&
		 (wish->replay || wish->atomic_reduce || has_conditions(&wish->conditions)))
		call->status = fail_usage(
			call, NULL, "--generate goes without --write-replay, --atomic-reduce and --require");
	else if (wish->use == SYMMETRY_ONLY && has_conditions(&wish->conditions))
		call->status =
			fail_usage(call, "without --symmetry only the whole is proved, and its trees listed",
				"--require looks at trees, which a proof from one program does not list");
	else
		return true;
	return false;
}

static int verify(struct call *call)
{
	struct wish wish = {0};
	const struct option options[] = {
		TOPOLOGY_OPTIONS(wish.topology),
		{"require", 0, TEXTS, &wish.conditions.required, "G,G",
			"exit 1 unless these guarantees hold: G1, G2, G3; of a set also: constant (one "
			"order)"},
		{"atomic-reduce", 0, SWITCH, &wish.atomic_reduce, NULL,
			"unordered reduces into one slot are complete sums; their order is not fixed "
			"(refutes G2)"},
		{"max-streams", 0, POSITIVE, &wish.limits.streams, "N", "at most N streams on a rank (R13)"},
		{"max-scratch", 0, POSITIVE, &wish.limits.scratch_slots, "N",
			"at most N scratch slots on a rank (R13)"},
		{"max-signals", 0, POSITIVE, &wish.limits.signals, "N", "at most N signals on a rank (R13)"},
		{"max-tokens", 0, POSITIVE, &wish.limits.tokens_in_flight, "N",
			"at most N tokens in flight on a signal; 1: flags are enough (R13)"},
		{"max-findings", 0, POSITIVE, &wish.max_findings, "N", "stop looking after N findings (16)"},
		{"symmetry", 0, TEXT, &wish.symmetry, "HOW",
			"prove from one rank's program if all are alike: auto (if large), off, only (exit 4 "
			"if "
			"not)"},
		{"generate", 0, TEXT, &wish.generate.algorithm, "A",
			"no FILE: programs of ring, halving-doubling or recursive-doubling, one rank at a "
			"time"},
		{"operator", 0, TEXT, &wish.generate.operator, "OP",
			"with --generate: the operator (AllReduce)"},
		{"ranks", 'n', POSITIVE, &wish.generate.ranks, "N", "with --generate: so many ranks"},
		{"trust", 0, SWITCH, &wish.generate.trust, NULL,
			"with --generate: compare the programs of those ranks alone that generate the "
			"symmetry"},
		{"write-replay", 0, TEXT, &wish.replay, "OUT",
			"write an interleaving that shows the first finding; see `ordo run --replay`"},
	};
	if (!READ_OPTIONS(call, options))
		return call->status;
	int status;
	if (wish.generate.algorithm && !call->noperand)
		wish.file = wish.generate.algorithm;
	else if (wish.generate.algorithm)
		call->status =
			fail_usage(call, NULL, "--generate takes no file, found %s", call->operands[0]);
	else
		wish.file =
			only_operand(call, "the file or folder of a schedule or plan set, or - for stdin");
	/* --require asks for no order of an operator's own, so any operator will do to read it. */
	if (!wish.file || !read_symmetry_use(call, wish.symmetry, &wish.use) ||
		!read_conditions(call, &wish.conditions, ORDO_ALLREDUCE) || !makes_sense(call, &wish))
		status = call->status;
	else if (wish.generate.algorithm)
		status = verify_programs(call, &wish);
	else
		status = ordo_is_plan_set(wish.file) ? verify_all(call, &wish) : verify_one(call, &wish);
	free_texts(&wish.topology.failed);
	free_texts(&wish.conditions.required);
	return status;
}

const struct command verify_command = {
	.name = "verify",
	.summary = "proves a schedule in every interleaving, or shows which rule it breaks",
	.usage = "FILE|--generate A [OPTION]...",
	.description =
		"FILE is a document, a folder, or - for stdin. It is judged by the rules R1..R13 "
		"(`ordo explain` lists them), whoever\n"
		"made it. A finding names the file, line and column, the rule, what was found and "
		"what was wanted.\n"
		"Of a plan set every schedule is proved, and whether the order of sums is one over all "
		"sizes.\n"
		"Exit code 0: proved; 1: refuted; 3: no schedule could be read.",
	.examples = "  ordo verify ring.json\n"
		    "  ordo verify ring.json --fail-link 0-1\n"
		    "  ordo verify ring.json --topology cluster.json --max-tokens 1\n"
		    "  ordo verify broken.json --write-replay race.json\n"
		    "  ordo compile allreduce --ranks 8 --algorithm ring | ordo verify -\n"
		    "  ordo verify --generate ring --ranks 1000",
	.run = verify,
};
