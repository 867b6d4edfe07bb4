/* run.c - `ordo run`: runs a proved schedule on buffers filled from a seed, at one size or at
 * many. */
#include "base/progress.h"
#include "cli/memory_limit.h"
#include "commands.h"
#include "report/execution.h"
#include "report/proof.h"
#include "run/input.h"
#include "run/mpi_world.h"
#include "run/replay.h"
#include "run/sweep.h"
#include "run/trace_write.h"
#include <inttypes.h>
#include <ordo/detail/accumulate.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct args {
	struct execution_options execution;
	struct arithmetics arithmetics;
	struct size_range sizes; /* for a single run, --size is its begin */
	const char *transport, *replay, *input_path;
	const char *mpi; /* the library; NULL: the launcher's */
	struct mpi_world world;
	struct ordo_input *input; /* NULL: inputs from the seed */
	uint64_t count;
	const char *counts_text; /* of --counts */
	struct counts counts;
	struct topology_choice topology;
	bool unproved, links, csv, table;
};

enum { UNSET = ORDO_LIMIT, TABLE_WARMUP = 1, TABLE_REPEAT = 20 };

static bool wants_table(const struct args *args)
{
	return args->sizes.end != UNSET_SIZE || args->sizes.factor != UNSET_SIZE ||
	       args->sizes.step != UNSET_SIZE || args->csv || args->execution.warmup != UNSET ||
	       args->arithmetics.ntype > 1 || args->arithmetics.nreduction > 1;
}

/* The counts as they are, or in their proportions at a size. */
static bool choose_counts(struct call *call, struct args *args)
{
	struct execution_options *how = &args->execution;
	struct counts *counts = &args->counts;
	const uint64_t bytes = args->sizes.begin;
	if (args->count != UINT64_MAX)
		return refuse_usage(
			call, "--size scales the counts", "--count and --counts: give one of them");
	if (bytes != UNSET_SIZE && !scale_counts(call, counts, how->type, bytes))
		return false;
	how->block_count = counts->block_count;
	how->count = counts->largest;
	if (bytes != UNSET_SIZE && bytes_of_counts(counts, how->type) < bytes)
		note_scaled(call, how->type, bytes, bytes_of_counts(counts, how->type));
	return true;
}

static bool choose_count(struct call *call, struct args *args, const struct ordo_problem *problem)
{
	struct execution_options *how = &args->execution;
	const bool sized = args->sizes.begin != UNSET_SIZE;
	if (args->counts.given)
		return choose_counts(call, args);
	const uint64_t size = ordo_type_size(how->type),
		       bytes = sized ? args->sizes.begin : 1 << 20;
	if (args->count != UINT64_MAX && sized)
		return refuse_usage(call, NULL, "--size and --count: give one of them");
	if (args->count != UINT64_MAX || (args->replay && !sized)) {
		how->count = args->count != UINT64_MAX ? args->count
						       : 16 * (uint64_t)problem->chunks_per_block;
		return true;
	}
	if (bytes % size)
		return refuse_usage(call, NULL,
			"--size: found %" PRIu64 ", wanted a multiple of %" PRIu64 " (%s)", bytes,
			size, ordo_type_name(how->type));
	how->count = count_of_bytes(problem, how->type, bytes);
	const uint64_t cut = bytes_of_count(problem, how->type, how->count);
	if (cut < bytes)
		note_cut(call, problem, how->type, bytes, cut);
	return true;
}

/* A table is of proved schedules at full speed; one run executes the tasks. */
static bool read_transport(struct call *call, struct args *args)
{
	struct execution_options *how = &args->execution;
	const char *name = args->transport;
	if (!name)
		name = args->table && !args->unproved && !how->staging_bytes ? "folded" : "threads";
	how->folded = !strcmp(name, "folded");
	how->flags = !strcmp(name, "flags");
	how->seeded = how->flags || !strcmp(name, "seeded");
	const bool mpi = !strcmp(name, "mpi");
	if (!how->folded && !how->seeded && !mpi && strcmp(name, "threads") != 0)
		return refuse_usage(call, NULL,
			"--transport: found %s, wanted threads, seeded, flags, folded or mpi",
			name);
	if (how->staging_bytes && (how->folded || mpi || args->replay || args->input_path))
		return refuse_usage(call, "--transport threads, seeded or flags",
			"--staging limits the memory of the tasks and cannot be combined with "
			"--transport %s%s",
			name,
			args->replay	   ? ", --replay"
			: args->input_path ? ", --input"
					   : "");
	if (how->overlap && (!how->staging_bytes || how->flags))
		return refuse_usage(call, NULL,
			"--overlap: rounds of --staging overlap, where signals count (not with "
			"--transport flags)");
	if (mpi && (args->unproved || args->links || how->trace || args->replay ||
			   args->input_path || args->table))
		return refuse_usage(call, NULL,
			"--transport mpi runs a proved schedule at one size and cannot be combined "
			"with --unproved, --links, --trace, --replay, --input or tables");
	if (!mpi && (args->mpi || args->world.world.synchronous))
		return refuse_usage(call, NULL, "--mpi and --synchronous need --transport mpi");
	if (mpi && !open_world(call, &args->world, args->mpi))
		return false;
	how->world = mpi ? &args->world.world : NULL;
	if (how->folded && args->transport &&
		(args->unproved || args->links || how->trace || args->replay || args->input_path))
		return refuse_usage(call, "--transport threads runs the tasks",
			"--transport folded runs no tasks and cannot be combined with --unproved, "
			"--links, --trace, --replay or --input");
	return true;
}

static bool read_repeat(struct call *call, struct args *args)
{
	struct execution_options *how = &args->execution;
	args->table = wants_table(args);
	if (!how->repeat)
		return refuse_usage(call, NULL, "--repeat: found 0, wanted at least 1");
	if (how->repeat == UNSET)
		how->repeat = args->table ? TABLE_REPEAT : 1;
	if (how->warmup == UNSET)
		how->warmup = args->table ? TABLE_WARMUP : 0;
	how->fresh = args->table;
	return true;
}

static void choose_workers(struct args *args, uint32_t nrank)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	if (args->execution.nworker == UNSET)
		args->execution.nworker = processors < 1 ? 1 : (uint32_t)processors;
	if (args->execution.nworker > nrank)
		args->execution.nworker = nrank;
}

static int report_execution(struct call *call, const struct args *args,
	const struct proved_schedule *found, const struct execution *execution,
	const struct execution_options *how)
{
	struct report report = report_of(call, stdout);
	report.width = EXECUTION_WIDTH;
	report_schedule(&report, found->schedule);
	report_members(&report, "%d<proved?> %d<contents_judged?>",
		found->proof->proved && !found->proof->contents_unjudged,
		!found->proof->contents_unjudged);
	report_counts(&report, &args->counts);
	report_run(&report, execution, how,
		how->block_count
			? bytes_of_counts(&args->counts, how->type)
			: bytes_of_count(&found->schedule->problem, how->type, how->count));
	report_members(&report, "%" PRIu64 "<peak_bytes>", peak_bytes());
	if (execution->plan)
		report_load(&report, &args->topology, execution);
	if (args->links)
		report_links(&report, execution);
	return how->check && is_wrong(&execution->check) ? ORDO_REFUTED : ORDO_OK;
}

static int run_schedule(
	struct call *call, const struct args *args, const struct proved_schedule *found)
{
	struct ordo_error error;
	struct execution execution;
	struct progress progress = {0};
	struct execution_options how = args->execution;
	how.progress = show_progress;
	how.closure = &progress;
	show_progress(&progress, "running", 0, 0);
	const bool ran = execute(&execution, found->schedule, found->proof, &how, &error);
	hide_progress(&progress);
	int status =
		ran ? report_execution(call, args, found, &execution, &how) : fail(call, &error);
	if (!ran && how.world) /* other ranks wait for messages of this one */
		how.world->mpi->abort(status);
	const struct ordo_plan *plan = execution.plan;
	if (plan)
		status = deliver_trace(call, how.trace, found->schedule, &plan, 1, status);
	close_execution(&execution);
	return status;
}

/* Runs without a proof, to show the fault. */
static int replay_schedule(
	struct call *call, const struct args *args, const struct ordo_schedule *schedule)
{
	const struct execution_options *how = &args->execution;
	const struct replay_data data = {
		{how->seed, how->type, how->reduction}, how->count, how->block_count};
	if (args->execution.check || args->links || args->execution.repeat > 1)
		return fail_usage(call, NULL,
			"--replay cannot be combined with --check, --links or --repeat");
	return run_replay(call, schedule, args->replay, &data, args->execution.trace);
}

/* All ranks have the schedule, and it is for as many. */
static bool meets_world(struct call *call, struct args *args, const struct proved_schedule *found)
{
	const uint32_t nrank = found->schedule->problem.nrank;
	const struct message_world *world = &args->world.world;
	if (world->nrank != nrank)
		fail_usage(call, NULL,
			"the schedule is for %" PRIu32 " ranks, and MPI started %" PRIu32, nrank,
			world->nrank);
	if (!meet_world(&args->world, world->nrank == nrank))
		return call->status = call->status ? call->status : ORDO_USAGE, false;
	if (world->mpi->agree(strtoull(found->proof->digest, NULL, 16)))
		return true;
	refuse_usage(call, NULL, "rank %" PRIu32 " has a different schedule, of order %s",
		world->rank, found->proof->digest);
	return false;
}

static int run_found(struct call *call, struct args *args, struct subject *subject,
	struct proved_schedule *found)
{
	if (args->replay)
		return replay_schedule(call, args, found->schedule);
	if (args->execution.check && found->schedule->problem.op == ORDO_CUSTOM)
		return fail_usage(call, "without --check it runs",
			"--check: nothing says what Custom should compute, so there is nothing to "
			"compare the results with");
	if (!prove_found(call, subject, found, args->unproved))
		return call->status;
	if (args->execution.world && !meets_world(call, args, found))
		return call->status;
	return args->input ? run_input(call, found->schedule, args->input, args->input_path,
				     &args->execution)
			   : run_schedule(call, args, found);
}

static int run_one_size(struct call *call, struct args *args, struct subject *subject)
{
	struct execution_options *how = &args->execution;
	how->type = args->arithmetics.ntype ? args->arithmetics.types[0]
					    : ordo_usual_type(&subject->problem);
	how->reduction = args->arithmetics.reductions[0];
	if (subject->set && args->replay)
		return fail_usage(call, NULL, "--replay takes one schedule, found a plan set");
	if (!choose_count(call, args, &subject->problem))
		return call->status;
	struct proved_schedule *found =
		args->counts.given ? find_schedule_of_size(call, subject,
					     bytes_of_counts(&args->counts, how->type))
				   : find_schedule(call, subject, how->type, how->count);
	if (!found ||
		!(args->counts.given
				? bytes_fit_memory(call, &subject->problem, args->counts.largest,
					  bytes_of_counted_buffers(&args->counts, how->type))
				: fits_memory(call, &subject->problem, how->type, how->count)))
		return call->status;
	if (found->name) {
		note(call, "%s, the schedule for this size", found->name);
		add_text(call->answer, "schedule", found->name);
	}
	return run_found(call, args, subject, found);
}

static int run_sizes(struct call *call, struct args *args, struct subject *subject)
{
	struct sweep_options table = {.execution = args->execution,
		.arithmetics = &args->arithmetics,
		.sizes = args->sizes,
		.counts = &args->counts,
		.csv = args->csv,
		.unproved = args->unproved};
	if (args->count != UINT64_MAX || args->links || args->replay || args->input ||
		args->execution.trace)
		return fail_usage(call, NULL,
			"a table cannot be combined with --count, --links, --replay, --input or "
			"--trace");
	if (args->csv && call->json)
		return fail_usage(call, NULL, "--csv and --json: give one of them");
	if (subject->problem.op == ORDO_CUSTOM)
		return fail_usage(call, "one size runs, without --check",
			"a table checks results, and nothing says what Custom should compute");
	return fit_types(call, &args->arithmetics, &subject->problem) &&
			       read_size_range(call, &table.sizes)
		       ? run_table(call, &table, subject)
		       : call->status;
}

/* An input determines the type, the reduction and the count. */
static bool take_input(struct call *call, struct args *args)
{
	struct arithmetics *arithmetics = &args->arithmetics;
	if (!args->input_path)
		return true;
	if (arithmetics->type_names.count || arithmetics->reduction_names.count ||
		args->sizes.begin != UNSET_SIZE || args->count != UINT64_MAX || args->counts_text)
		return refuse_usage(call, NULL,
			"--input sets the type, reduction and count; it cannot be combined with "
			"--type, --op, --size, --count or --counts");
	if (args->execution.check || args->links || args->replay || args->execution.repeat > 1)
		return refuse_usage(call, NULL,
			"--input cannot be combined with --check, --links, --replay or --repeat");
	args->input = open_input(call, args->input_path);
	if (!args->input)
		return false;
	arithmetics->types[0] = args->input->type;
	arithmetics->ntype = 1;
	arithmetics->reductions[0] = args->input->reduction;
	args->count = args->input->count;
	return true;
}

static int run_with(struct call *call, struct args *args)
{
	struct subject subject = {0};
	const char *path =
		only_operand(call, "the file or folder of a schedule or plan set, or - for stdin");
	if (!path || !accept_trace(call, args->execution.trace) ||
		!read_arithmetics(call, &args->arithmetics) || !read_repeat(call, args) ||
		!read_transport(call, args) || !take_input(call, args))
		return call->status;
	if (open_subject(call, &subject, path, &args->topology) &&
		read_counts(call, args->counts_text, &subject.problem, &args->counts)) {
		choose_workers(args, subject.problem.nrank);
		call->status = args->table ? run_sizes(call, args, &subject)
					   : run_one_size(call, args, &subject);
	}
	free_counts(&args->counts);
	close_subject(&subject);
	return call->status;
}

/* Of a table of sizes. */
#define TABLE_OPTIONS(args)                                                                        \
	{"begin", 'b', SIZE, &args->sizes.begin, "SIZE",                                           \
		"the first size of a table, as --size (8)"},                                       \
		{"end", 'e', SIZE, &args->sizes.end, "SIZE",                                       \
			"print a table of sizes up to this, with the columns of nccl-tests"},      \
		{"factor", 'f', COUNT, &args->sizes.factor, "N",                                   \
			"each size of the table is N times the one before (2)"},                   \
		{"step", 'i', SIZE, &args->sizes.step, "SIZE", "or larger by this"},               \
		{"iters", 'n', NUMBER, &args->execution.repeat, "N",                               \
			"runs of each size of a table: as --repeat (20)"},                         \
		{"warmup-iters", 'w', NUMBER, &args->execution.warmup, "N",                        \
			"untimed warm-up runs of each (1)"},                                       \
	{                                                                                          \
		"csv", 0, SWITCH, &args->csv, NULL, "the table as CSV: times in us, rates in GB/s" \
	}

static int read_and_run(struct call *call, struct args *args)
{
	const struct option options[] = {
		{"size", 0, SIZE, &args->sizes.begin, "SIZE",
			"bytes of a rank's larger buffer, or of a shard: 1KiB, 1MiB, 1GiB, ... "
			"(1MiB)"},
		{"count", 0, COUNT, &args->count, "N",
			"instead of --size: elements of a block (AllReduce, Reduce, Broadcast: of "
			"the vector)"},
		COUNTS_OPTION(args->counts_text),
		TABLE_OPTIONS(args),
		ARITHMETICS_OPTIONS(args->arithmetics),
		{"check", 'c', SWITCH, &args->execution.check, NULL,
			"compare every run with the reference result bit for bit, and with the "
			"exact result"},
		{"transport", 0, TEXT, &args->transport, "threads|seeded|flags|folded|mpi",
			"what runs the schedule, see above (threads; for a table folded)"},
		WORLD_OPTIONS(args->mpi, args->world),
		{"workers", 0, NUMBER, &args->execution.nworker, "W",
			"number of threads for all ranks; 0: one per rank (the processors)"},
		{"seed", 's', WIDE, &args->execution.seed, "S",
			"seed of the inputs, and of the seeded transport (1)"},
		{"repeat", 0, NUMBER, &args->execution.repeat, "N",
			"run N times; the seeded transport takes seeds S..S+N-1 (1)"},
		{"staging", 0, SIZE, &args->execution.staging_bytes, "SIZE",
			"staging memory of each rank; longer chunks are moved in rounds (no "
			"limit)"},
		{"overlap", 0, SWITCH, &args->execution.overlap, NULL,
			"overlap the rounds of --staging within a rank too, each in half of its "
			"memory"},
		{"links", 0, SWITCH, &args->links, NULL, "report the bytes of every link"},
		{"unproved", 0, SWITCH, &args->unproved, NULL, "run a refuted schedule too"},
		{"replay", 0, READ, &args->replay, "FILE",
			"run exactly the interleavings that `ordo verify --write-replay` wrote, "
			"and compare"},
		{"input", 0, READ, &args->input_path, "FILE",
			"run on this input (ordo/input/1), and print the elements that it names"},
		{"trace", 0, WRITTEN, &args->execution.trace, "FILE",
			"write when each task of the last call ran, as trace-event JSON for "
			"Perfetto"},
		TOPOLOGY_OPTIONS(args->topology),
		MEMORY_LIMIT_OPTION,
	};
	return READ_OPTIONS(call, options) ? run_with(call, args) : call->status;
}

static int run(struct call *call)
{
	struct args args = {
		.execution = {.nworker = UNSET, .seed = 1, .repeat = UNSET, .warmup = UNSET},
		.sizes = {UNSET_SIZE, UNSET_SIZE, UNSET_SIZE, UNSET_SIZE},
		.count = UINT64_MAX};
	const int status = close_world(&args.world, read_and_run(call, &args));
	free_topology_choice(&args.topology);
	free_arithmetics(&args.arithmetics);
	ordo_input_destroy(args.input);
	return status;
}

const struct command run_command = {
	.name = "run",
	.summary = "runs a proved schedule on threads, and checks the result",
	.usage = "FILE [OPTION]...",
	.examples =
		"  ordo run ring.json --size 1MiB --check\n"
		"  ordo run ring.json --type f64 --op max --count 1000 --workers 0 --repeat 10\n"
		"  ordo run staged.json --size 1MiB --staging 64KiB --check\n"
		"  ordo compile alltoallv -n 2 | ordo run - --counts \"0,9;4,0\" --check\n"
		"  ordo run ring.json --transport seeded --seed 7 --repeat 100 --check\n"
		"  ordo run ring.json --size 1GiB --check --json\n"
		"  ordo run ring.json -b 8 -e 1MiB -f 4 -n 5 --check\n"
		"  ordo run ring.json --end 4KiB --type all --op all --csv > table.csv\n"
		"  ordo run ring.json --repeat 10 --trace trace.json\n"
		"  mpirun -n 8 ordo run ring.json --transport mpi --check\n"
		"  ordo run broken.json --replay race.json\n"
		"  ordo run ring.json --input differs.json",
	.reads = true,
	.run = run,
};
