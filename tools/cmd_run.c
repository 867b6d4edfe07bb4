/* cmd_run.c - `ordo run`: runs a proved schedule on buffers filled from a seed. */
#include "check/execution.h"
#include "replaying.h"
#include "runs.h"
#include "sets.h"
#include "showing.h"
#include "tracing.h"
#include "verdict.h"
#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

struct wish {
	struct execution_wish execution;
	const char *file, *transport, *replay, *input_path;
	const char *type, *reduction; /* NULL: f32 and sum, or what the input says */
	struct ordo_input *input;     /* NULL: made from the seed */
	uint64_t bytes, count;
	struct topology_choice topology;
	bool unproved, links;
};

enum { UNSET_WORKERS = ORDO_LIMIT };

/* Blocks in the largest buffer of a rank: what --bytes is the size of. */
static uint64_t blocks_of_rank(const struct ordo_problem *problem)
{
	uint32_t nblock = ordo_nblock(problem);
	return problem->op == ORDO_ALLTOALL ? problem->nrank : nblock;
}

static bool refuse(struct call *call, int status)
{
	call->status = status;
	return false;
}

static bool choose_count(struct call *call, struct wish *wish, const struct ordo_problem *problem)
{
	uint64_t size = ordo_type_size(wish->execution.type), nblock = blocks_of_rank(problem);
	if (wish->count != UINT64_MAX && wish->bytes != UINT64_MAX)
		return refuse(call, fail_usage(call, NULL, "--bytes and --count: give one of them"));
	if (wish->count != UINT64_MAX) {
		wish->execution.count = wish->count;
		return true;
	}
	if (wish->bytes == UINT64_MAX && wish->replay) {
		wish->execution.count = 16 * (uint64_t)problem->chunks_per_block;
		return true;
	}
	if (wish->bytes == UINT64_MAX)
		wish->bytes = 1 << 20;
	assert(size && nblock);
	if (wish->bytes % size)
		return refuse(
			call, fail_usage(call, NULL,
				      "--bytes: found %" PRIu64 ", wanted a multiple of %" PRIu64 " (%s)",
				      wish->bytes, size, ordo_type_name(wish->execution.type)));
	wish->execution.count = wish->bytes / size / nblock;
	uint64_t rest = wish->bytes - wish->execution.count * size * nblock;
	if (rest)
		note(call, "%" PRIu64 " bytes do not fill %" PRIu64 " blocks evenly: %" PRIu64 " bytes fewer",
			wish->bytes, nblock, rest);
	return true;
}

static bool read_names(struct call *call, struct wish *wish)
{
	if (!ordo_type_from_name(wish->type ? wish->type : "f32", &wish->execution.type))
		return refuse(call,
			fail_usage(call, NULL, "--type: found %s, wanted " ORDO_TYPE_NAMES, wish->type));
	if (!ordo_reduction_from_name(wish->reduction ? wish->reduction : "sum", &wish->execution.reduction))
		return refuse(call, fail_usage(call, NULL, "--op: found %s, wanted " ORDO_REDUCTION_NAMES,
					    wish->reduction));
	wish->execution.seeded = !strcmp(wish->transport, "seeded");
	if (!wish->execution.seeded && strcmp(wish->transport, "threads") != 0)
		return refuse(call, fail_usage(call, NULL, "--transport: found %s, wanted threads or seeded",
					    wish->transport));
	if (!wish->execution.repeat)
		return refuse(call, fail_usage(call, NULL, "--repeat: found 0, wanted at least 1"));
	return true;
}

static void choose_workers(struct wish *wish, uint32_t nrank)
{
	if (wish->execution.nworker != UNSET_WORKERS) {
		if (wish->execution.nworker > nrank)
			wish->execution.nworker = nrank;
		return;
	}
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	wish->execution.nworker = processors < 1 ? 1 : (uint32_t)processors;
	if (wish->execution.nworker > nrank)
		wish->execution.nworker = nrank;
}

static void report_links(struct call *call, const struct execution *execution)
{
	uint32_t nrank = execution->trial.schedule->problem.nrank;
	cJSON *list = cJSON_AddArrayToObject(call->answer, "links");
	say(call, "  %-12s from   to      bytes\n", "links");
	for (uint32_t from = 0; from < nrank; from++)
		for (uint32_t to = 0; to < nrank; to++) {
			uint64_t bytes = ordo_plan_bytes_sent(execution->plan, from, to);
			if (!bytes)
				continue;
			say(call, "  %-12s %4u %4u %10" PRIu64 "\n", "", from, to, bytes);
			if (!call->json)
				continue;
			cJSON *one = cJSON_CreateObject();
			add_count(one, "from", from);
			add_count(one, "to", to);
			add_count(one, "bytes", bytes);
			cJSON_AddItemToArray(list, one);
		}
}

/* The link that carries most, and what went over the links said to be down (R12 says: nothing). */
static void report_load(struct call *call, const struct wish *wish, const struct execution *execution)
{
	uint32_t nrank = execution->trial.schedule->problem.nrank, busiest[2] = {0, 0};
	uint64_t most = 0;
	for (uint32_t from = 0; from < nrank; from++)
		for (uint32_t to = 0; to < nrank; to++) {
			uint64_t bytes = ordo_plan_bytes_sent(execution->plan, from, to);
			if (bytes <= most)
				continue;
			most = bytes;
			busiest[0] = from;
			busiest[1] = to;
		}
	add_count(call->answer, "busiest_link_bytes", most);
	if (!call->json && most) {
		printf("  %-12s ", "busiest link");
		print_bytes(stdout, (double)most);
		printf(" from %u to %u\n", busiest[0], busiest[1]);
	}
	for (size_t i = 0; i < wish->topology.failed.count; i++) {
		uint32_t a = 0, b = 0;
		if (sscanf(wish->topology.failed.items[i], "%" SCNu32 "-%" SCNu32, &a, &b) != 2 ||
			a >= nrank || b >= nrank)
			continue;
		say(call, "  %-12s %" PRIu64 " B over %u-%u, which is down\n", "dead link",
			ordo_plan_bytes_sent(execution->plan, a, b) +
				ordo_plan_bytes_sent(execution->plan, b, a),
			a, b);
	}
}

static void print_run(const struct wish *wish, const struct execution *execution, uint64_t bytes_per_rank)
{
	const struct execution_wish *how = &wish->execution;
	const struct ordo_problem *problem = &execution->trial.schedule->problem;
	uint64_t sent = bytes_sent(execution);
	print_schedule_line(stdout, execution->trial.schedule);
	printf("  %-12s ", "data");
	print_bytes(stdout, (double)bytes_per_rank);
	if (problem->nshard != problem->nrank)
		printf(" a shard, %" PRIu32 " shards,", problem->nshard);
	else
		printf(" a rank,");
	printf(" %s %s, seed %" PRIu64 "\n", ordo_type_name(how->type),
		ordo_operator_facts(problem->op)->reduces ? ordo_reduction_name(how->reduction) : "moved",
		how->seed);
	printf("  %-12s ", "time");
	print_seconds(stdout, execution->best);
	if (how->repeat > 1) {
		printf(" (the best of %u; mean ", how->repeat);
		print_seconds(stdout, execution->total / how->repeat);
		printf(")");
	}
	if (how->seeded)
		printf(", one thread, interleaved by the seed\n");
	else if (how->nworker)
		printf(", %u thread%s for all ranks\n", how->nworker, how->nworker == 1 ? "" : "s");
	else
		printf(", a thread for every rank\n");
	printf("  %-12s ", "sent");
	print_bytes(stdout, (double)sent);
	printf(" by all ranks, ");
	print_rate(stdout, (double)sent / execution->best);
	printf("; ");
	print_rate(stdout, (double)bytes_per_rank / execution->best);
	printf(" of data a %s\n", problem->nshard != problem->nrank ? "shard" : "rank");
	if (how->check) {
		printf("  %-12s ", "check");
		print_check(stdout, execution, how);
	}
}

static int run_schedule(struct call *call, const struct wish *wish, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof)
{
	struct ordo_error error;
	struct execution execution;
	int status = ORDO_OK;
	if (execute(&execution, schedule, proof, &wish->execution, &error)) {
		uint64_t bytes = wish->execution.count * ordo_type_size(wish->execution.type) *
				 blocks_of_rank(&schedule->problem);
		add_schedule(call->answer, schedule);
		add_truth(call->answer, "proved", proof->proved);
		add_execution(call->answer, &execution, &wish->execution, bytes);
		add_count(call->answer, "peak_bytes", peak_bytes());
		if (!call->json)
			print_run(wish, &execution, bytes);
		report_load(call, wish, &execution);
		if (wish->links)
			report_links(call, &execution);
		const struct check *check = &execution.check;
		if (wish->execution.check && !(check->bits_equal && check->within_bounds))
			status = ORDO_REFUTED;
	} else {
		status = fail(call, &error);
	}
	const struct ordo_plan *plan = execution.plan;
	status = deliver_trace(call, wish->execution.trace, schedule, &plan, 1, status);
	close_execution(&execution);
	return status;
}

/* Only what is proved is run, unless it is asked for otherwise; and only what is proved has a meaning to
 * compare with. */
static int judge_and_run(struct call *call, const struct wish *wish, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof)
{
	bool checkable = proof->proved && proof->rank_equal != ORDO_DOES_NOT_HOLD &&
			 proof->run_to_run != ORDO_DOES_NOT_HOLD;
	if (!proof->proved && !wish->unproved) {
		add_proof(call->answer, schedule, proof);
		if (!call->json)
			print_findings(stderr, schedule, proof);
		note(call, "not run, because it is refuted; --unproved runs it all the same");
		return ORDO_REFUTED;
	}
	if (!proof->proved)
		warn(call, "running a refuted schedule: it may be stuck, or its results wrong");
	if (wish->execution.check && !checkable)
		return fail_usage(call, NULL,
			"--check: this schedule has no one meaning to compare with; see `ordo verify`");
	return wish->input ? run_input(call, schedule, wish->input, wish->input_path, &wish->execution)
			   : run_schedule(call, wish, schedule, proof);
}

/* Nothing is proved first: what is wrong is to be seen. */
static int replay_file(struct call *call, struct wish *wish, const struct ordo_schedule *schedule)
{
	const struct values values = {wish->execution.seed, wish->execution.type, wish->execution.reduction};
	if (!choose_count(call, wish, &schedule->problem))
		return call->status;
	if (wish->execution.check || wish->links || wish->execution.repeat > 1)
		return fail_usage(call, NULL, "--replay: --check, --links and --repeat do not go with it");
	return run_replay(
		call, schedule, wish->replay, &values, wish->execution.count, wish->execution.trace);
}

static int run_file(struct call *call, struct wish *wish, const struct ordo_schedule *schedule)
{
	struct ordo_topology *topology;
	if (wish->replay)
		return replay_file(call, wish, schedule);
	choose_workers(wish, schedule->problem.nrank);
	if (!choose_count(call, wish, &schedule->problem) ||
		!choose_topology(call, &wish->topology, schedule->problem.nrank, &topology))
		return call->status;
	const struct ordo_verify_options options = {.topology = topology};
	struct ordo_proof *proof = prove(call, schedule, &options);
	int status = proof ? judge_and_run(call, wish, schedule, proof) : call->status;
	ordo_proof_destroy(proof);
	ordo_topology_destroy(topology);
	return status;
}

/* The range of a set that the count falls into. */
static bool find_range(
	struct call *call, const struct wish *wish, const struct ordo_plan_set *set, uint32_t *range)
{
	const struct ordo_plan_range *last = &set->ranges[set->nrange - 1];
	const uint64_t block = ordo_type_size(wish->execution.type) * blocks_of_rank(&set->problem),
		       count = wish->execution.count;
	*range = count > ORDO_BYTES_LIMIT / block ? ORDO_NONE : ordo_plan_set_find(set, count * block);
	if (*range != ORDO_NONE)
		return true;
	if (last->to_bytes == ORDO_ENDLESS)
		return refuse(call, fail_usage(call, NULL,
					    "%s has no schedule for %" PRIu64 " elements of %" PRIu64
					    " bytes, but for sizes from %" PRIu64 " bytes on",
					    wish->file, count, block, set->ranges[0].from_bytes));
	return refuse(call, fail_usage(call, NULL,
				    "%s has no schedule for %" PRIu64 " elements of %" PRIu64
				    " bytes, but for sizes of %" PRIu64 "..%" PRIu64 " bytes",
				    wish->file, count, block, set->ranges[0].from_bytes, last->to_bytes));
}

/* The schedule that a set has for the size. */
static struct ordo_schedule *open_by_size(struct call *call, struct wish *wish)
{
	struct ordo_schedule *schedule = NULL;
	struct ordo_plan_set *set = open_set(call, wish->file);
	uint32_t range;
	if (set && wish->replay)
		call->status = fail_usage(call, NULL, "--replay takes one schedule, found a plan set");
	else if (set && choose_count(call, wish, &set->problem) && find_range(call, wish, set, &range)) {
		schedule = open_range(call, set, range);
		note(call, "%s, the schedule for this size", set->ranges[range].schedule);
		add_text(call->answer, "schedule", set->ranges[range].schedule);
		/* The count is chosen. */
		wish->count = wish->execution.count;
		wish->bytes = UINT64_MAX;
	}
	ordo_plan_set_destroy(set);
	return schedule;
}

/* An input says what is added and how much of it. */
static bool take_input(struct call *call, struct wish *wish)
{
	if (!wish->input_path)
		return true;
	if (wish->type || wish->reduction || wish->bytes != UINT64_MAX || wish->count != UINT64_MAX)
		return refuse(call,
			fail_usage(call, NULL,
				"--input: the input says type, reduction and count; --type, --op, --bytes "
				"and --count do not go with it"));
	if (wish->execution.check || wish->links || wish->replay || wish->execution.repeat > 1)
		return refuse(
			call, fail_usage(call, NULL,
				      "--input: --check, --links, --replay and --repeat do not go with it"));
	wish->input = open_input(call, wish->input_path);
	if (!wish->input)
		return false;
	wish->execution.type = wish->input->type;
	wish->execution.reduction = wish->input->reduction;
	wish->count = wish->input->count;
	return true;
}

static int run_wish(struct call *call, struct wish *wish)
{
	wish->file = only_operand(call, "the file or folder of a schedule or plan set, or - for stdin");
	if (!wish->file || !accept_trace(call, wish->execution.trace) || !read_names(call, wish) ||
		!take_input(call, wish))
		return call->status;
	struct ordo_schedule *schedule =
		ordo_is_plan_set(wish->file) ? open_by_size(call, wish) : open_schedule(call, wish->file);
	if (!schedule)
		return call->status;
	int status = run_file(call, wish, schedule);
	ordo_schedule_destroy(schedule);
	return status;
}

static int run(struct call *call)
{
	struct wish wish = {.execution = {.nworker = UNSET_WORKERS, .seed = 1, .repeat = 1},
		.transport = "threads",
		.bytes = UINT64_MAX,
		.count = UINT64_MAX};
	const struct option options[] = {
		{"bytes", 'b', SIZE, &wish.bytes, "SIZE",
			"bytes of a rank's larger buffer, or of a shard: 1KiB, 1MiB, 1GiB, ... (1MiB)"},
		{"count", 0, WIDE, &wish.count, "N",
			"elements of a block instead (AllReduce, Reduce, Broadcast: of the vector)"},
		{"type", 0, TEXT, &wish.type, "TYPE", ORDO_TYPE_NAMES " (f32)"},
		{"op", 0, TEXT, &wish.reduction, "OP", ORDO_REDUCTION_NAMES " (sum)"},
		{"check", 'c', SWITCH, &wish.execution.check, NULL,
			"compare with the sequential meaning bit for bit, and with the exact result"},
		{"transport", 0, TEXT, &wish.transport, "T",
			"threads, or seeded: one thread, the seed interleaves (threads)"},
		{"workers", 'w', NUMBER, &wish.execution.nworker, "W",
			"threads for all ranks; 0: one for each (the processors)"},
		{"seed", 's', WIDE, &wish.execution.seed, "S",
			"of the inputs, and of the seeded transport (1)"},
		{"repeat", 0, NUMBER, &wish.execution.repeat, "N",
			"run N times; the seeded transport takes seeds S..S+N-1 (1)"},
		{"links", 0, SWITCH, &wish.links, NULL, "report the bytes of every link"},
		{"unproved", 0, SWITCH, &wish.unproved, NULL, "run even what is refuted"},
		{"replay", 0, TEXT, &wish.replay, "FILE",
			"run exactly the interleavings that `ordo verify --write-replay` wrote, and compare"},
		{"input", 0, TEXT, &wish.input_path, "FILE",
			"run on that input (ordo/input/1) instead, and print the elements it asks for"},
		{"trace", 0, TEXT, &wish.execution.trace, "FILE",
			"write when each task of the last call ran, as trace-event JSON for Perfetto"},
		TOPOLOGY_OPTIONS(wish.topology),
	};
	int status = READ_OPTIONS(call, options) ? run_wish(call, &wish) : call->status;
	free_texts(&wish.topology.failed);
	ordo_input_destroy(wish.input);
	return status;
}

const struct command run_command = {
	.name = "run",
	.summary = "runs a proved schedule on threads, and checks the result",
	.usage = "FILE [OPTION]...",
	.description = "The schedule is verified first, and not run if it is refuted. Buffers are filled "
		       "from the seed. --check compares\n"
		       "every rank's output with the reduction trees evaluated one by one, bit for bit, and "
		       "with the exact result:\n"
		       "float sums within ((1+u)^depth - 1) of it, integers modulo 2^w. Of a plan set the "
		       "schedule for "
		       "the size is run.",
	.examples = "  ordo run ring.json --bytes 1MiB --check\n"
		    "  ordo run ring.json --type f64 --op max --count 1000 --workers 0 --repeat 10\n"
		    "  ordo run ring.json --transport seeded --seed 7 --repeat 100 --check\n"
		    "  ordo run ring.json --bytes 1GiB --check --json\n"
		    "  ordo run ring.json --repeat 10 --trace trace.json\n"
		    "  ordo run broken.json --replay race.json\n"
		    "  ordo run ring.json --input differs.json",
	.run = run,
};
