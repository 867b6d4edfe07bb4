/* predict.c - `ordo predict`: the time of a schedule on a topology, without running it. */
#include "cli/memory_limit.h"
#include "cli/sizes.h"
#include "commands.h"
#include "report/prediction.h"
#include "report/proof.h"
#include "run/input_set.h"
#include <inttypes.h>
#include <ordo/detail/accumulate.h>
#include <stdlib.h>

struct args {
	struct predicting setting;
	struct size_range sizes;
	struct prediction_limits shown;
	uint64_t staging_bytes; /* of a rank; UNSET_SIZE: no limit */
};

/* The rounds in which staging memory holds the largest chunk, as a plan cuts it. */
struct rounds {
	uint64_t count, bytes; /* bytes of a rank's larger buffer in one of equal blocks */
	uint64_t tile;	       /* elements that a chunk moves in one */
	double seconds;	       /* all of them */
};

/* Chunks are cut at multiples of a cache line. false: call->status. */
static bool count_rounds(struct call *call, const struct args *args,
	const struct ordo_schedule *schedule, const struct predicted *predicted,
	struct rounds *rounds)
{
	enum { LINE = 64 };
	const struct ordo_problem *problem = &schedule->problem;
	const enum ordo_type type = predicted->type;
	const uint64_t narrow = ordo_type_size(type),
		       wide = ordo_type_size(ordo_accumulator(problem, type)),
		       nslot = schedule->scratch_slots, least = nslot * LINE * wide / narrow,
		       count = predicted->counts.block_count
				       ? predicted->counts.largest
				       : count_of_bytes(problem, type, predicted->bytes),
		       K = problem->chunks_per_block, chunk = (count + K - 1) / K * narrow;
	*rounds = (struct rounds){.count = 1, .bytes = predicted->bytes};
	if (args->staging_bytes == UNSET_SIZE)
		return true;
	if (!schedule->staging)
		return refuse_usage(call, "`ordo compile --staging` compiles one that has",
			"--staging: the schedule has no staging");
	if (args->staging_bytes < least)
		return refuse_usage(call, NULL,
			"--staging: found %" PRIu64 " bytes, wanted at least %" PRIu64,
			args->staging_bytes, least);
	if (!nslot)
		return true;
	const uint64_t tile = args->staging_bytes / nslot * narrow / wide / LINE * LINE;
	rounds->tile = tile / narrow;
	rounds->count = chunk > tile ? (chunk + tile - 1) / tile : 1;
	rounds->bytes = (predicted->bytes + rounds->count - 1) / rounds->count;
	return true;
}

/* What a chunk of so many elements moves in a round. */
static uint64_t part_of(uint64_t length, uint64_t tile, uint64_t round)
{
	const uint64_t before = round * tile, left = length > before ? length - before : 0;
	return left < tile ? left : tile;
}

/* The elements of each block in a round. Returns the next round that moves other ones. */
static uint64_t take_round(const struct ordo_problem *problem, const uint64_t *block_count,
	const struct rounds *rounds, uint64_t round, uint64_t *taken)
{
	const uint64_t K = problem->chunks_per_block;
	uint64_t next = rounds->count;
	for (uint64_t i = 0; i < ordo_nblock(problem); i++) {
		const uint64_t longer = block_count[i] % K,
			       ends[] = {block_count[i] / K, block_count[i] / K + 1};
		taken[i] = (K - longer) * part_of(ends[0], rounds->tile, round) +
			   longer * part_of(ends[1], rounds->tile, round);
		for (int k = 0; k < 2; k++) {
			const uint64_t full = ends[k] / rounds->tile,
				       changes = round < full ? full : full + 1;
			next = changes > round && changes < next ? changes : next;
		}
	}
	return next;
}

/* Chunks that are used up move no more, so rounds of unequal blocks get shorter: those that move
 * the same are simulated once, the first as the last. false: call->status. */
static bool predict_unequal_rounds(struct call *call, const struct args *args,
	const struct ordo_schedule *schedule, struct predicted *predicted, struct rounds *rounds)
{
	const struct ordo_problem *problem = &schedule->problem;
	const struct counts all = predicted->counts;
	uint64_t *taken = calloc(ordo_nblock(problem), sizeof *taken);
	bool worked = taken ? true : refuse_memory(call);
	predicted->counts.block_count = taken;
	rounds->seconds = 0;
	for (uint64_t round = 0, next; worked && round < rounds->count; round = next) {
		next = take_round(problem, all.block_count, rounds, round, taken);
		worked = predict_taken(call, &args->setting, schedule, predicted);
		if (worked)
			rounds->seconds +=
				(double)(next - round) * predicted->prediction->timeline->total;
	}
	if (worked) {
		take_round(problem, all.block_count, rounds, 0, taken);
		worked = predict_taken(call, &args->setting, schedule, predicted);
	}
	predicted->counts = all;
	free(taken);
	return worked;
}

/* The first round, or all there is, and the time of all. false: call->status. */
static bool predict_rounds(struct call *call, const struct args *args,
	const struct ordo_schedule *schedule, struct predicted *predicted, struct rounds *rounds)
{
	if (predicted->counts.block_count && rounds->count > 1)
		return predict_unequal_rounds(call, args, schedule, predicted, rounds);
	if ((rounds->count > 1 && !take_bytes(call, predicted, rounds->bytes)) ||
		!predict_taken(call, &args->setting, schedule, predicted))
		return false;
	rounds->seconds = (double)rounds->count * predicted->prediction->timeline->total;
	return true;
}

static void report_rounds(const struct report *report, const struct args *args,
	const struct rounds *rounds, uint64_t bytes, bool unequal)
{
	const struct report object = report_object(report, "staging");
	if (args->staging_bytes == UNSET_SIZE)
		return;
	report_line(&object, "in rounds",
		"%" PRIu64
		"<rounds> of these%s, one after another: %g<seconds:time> for %g<:bytes>; "
		"rounds that overlap take less",
		rounds->count, unequal && rounds->count > 1 ? " and shorter ones" : "",
		rounds->seconds, (double)bytes);
}

/* The schedule for the size taken. NULL: call->status. */
static struct proved_schedule *find_taken(
	struct call *call, struct subject *subject, const struct predicted *predicted)
{
	return predicted->counts.given
		       ? find_schedule_of_size(call, subject,
				 bytes_of_counts(&predicted->counts, predicted->type))
		       : find_schedule(call, subject, predicted->type,
				 count_of_bytes(
					 &subject->problem, predicted->type, predicted->bytes));
}

static int predict_one(struct call *call, const struct args *args, struct subject *subject,
	struct predicted *predicted)
{
	const struct report report = report_of(call, stdout);
	struct proved_schedule *found = find_taken(call, subject, predicted);
	const uint64_t bytes = predicted->bytes;
	struct rounds rounds;
	if (!found || !count_rounds(call, args, found->schedule, predicted, &rounds) ||
		!predict_rounds(call, args, found->schedule, predicted, &rounds))
		return call->status;
	if (found->name) {
		note(call, "%s, the schedule for this size", found->name);
		report_members(&report, "%s<schedule>", found->name);
	}
	if (rounds.count == 1)
		note_left_out(call, &subject->problem, predicted);
	report_text(&report, "%s: ", subject->path);
	report_schedule(&report, found->schedule);
	report_prediction(&report, &args->shown, found->schedule, predicted);
	report_rounds(&report, args, &rounds, bytes, predicted->counts.given);
	return ORDO_OK;
}

/* A line of a table: of a size, the bound of it all and the rounds that staging memory makes. */
struct row {
	double bytes, seconds, bound;
	const char *bound_name;
	struct rounds rounds;
};

static void report_row(const struct report *list, const struct args *args,
	const struct subject *subject, const struct proved_schedule *found, const struct row *row,
	const struct predicted *predicted)
{
	const double algbw = row->seconds > 0 ? row->bytes / row->seconds * 1e-9 : 0;
	const struct report line = report_item(list);
	char busiest[BUSIEST_SIZE];
	report_text(&line,
		"%14.0f<bytes> %14.2f %9.2f<algbw_gigabytes_per_second> "
		"%9.2f<busbw_gigabytes_per_second> %9.3f<times_the_bound>  %-7s<largest_bound>  %s",
		row->bytes, row->seconds * 1e6, algbw, algbw * bus_factor(&subject->problem),
		row->bound > 0 ? row->seconds / row->bound : 0, row->bound_name,
		busiest_text(busiest, predicted));
	if (args->staging_bytes != UNSET_SIZE)
		report_text(&line, ", %" PRIu64 "<rounds> round%s", row->rounds.count,
			row->rounds.count == 1 ? "" : "s");
	if (found->name)
		report_text(&line, "  %s<schedule>", found->name);
	report_text(&line, "\n");
	report_members(&line, "%g<seconds>", row->seconds);
	fflush(stdout);
}

/* Of the size taken; after it, `predicted` is of one round. NULL: call->status. */
static struct proved_schedule *predict_row(struct call *call, const struct args *args,
	struct subject *subject, struct predicted *predicted, struct row *row)
{
	struct proved_schedule *found = find_taken(call, subject, predicted);
	if (!found || !count_rounds(call, args, found->schedule, predicted, &row->rounds) ||
		!predict_taken(call, &args->setting, found->schedule, predicted))
		return NULL;
	row->bytes = predicted->prediction->bytes;
	row->bound = largest_bound(&predicted->prediction->bounds, &row->bound_name);
	row->rounds.seconds = predicted->prediction->timeline->total;
	if (row->rounds.count > 1 &&
		!predict_rounds(call, args, found->schedule, predicted, &row->rounds))
		return NULL;
	row->seconds = row->rounds.seconds;
	return found;
}

static void report_head(const struct report *report)
{
	report_text(report, "%14s %14s %9s %9s %9s  %-7s  %s\n%14s %14s %9s %9s %9s\n", "size",
		"time", "algbw", "busbw", "x bound", "bound", "bottleneck", "(B)", "(us)", "(GB/s)",
		"(GB/s)", "");
}

static int predict_table(
	struct call *call, struct args *args, struct subject *subject, struct predicted *predicted)
{
	if (!read_size_range(call, &args->sizes))
		return call->status;
	const struct report report = report_of(call, stdout), list = report_list(&report, "rows");
	uint64_t bytes = args->sizes.begin;
	do {
		struct row row;
		struct proved_schedule *found =
			take_bytes(call, predicted, bytes)
				? predict_row(call, args, subject, predicted, &row)
				: NULL;
		if (!found)
			return call->status;
		if (bytes == args->sizes.begin)
			report_head(&report);
		report_row(&list, args, subject, found, &row, predicted);
	} while (!reader_left() && next_size(&args->sizes, &bytes));
	return ORDO_OK;
}

static int predict_with(struct call *call, struct args *args)
{
	struct subject subject = {0};
	struct predicted predicted = {0};
	const char *path = only_operand(
		call, "the file or folder of a schedule or of a plan set, or - for stdin");
	if (!path)
		return call->status;
	const bool table = args->sizes.begin != UNSET_SIZE || args->sizes.end != UNSET_SIZE ||
			   args->sizes.factor != UNSET_SIZE || args->sizes.step != UNSET_SIZE;
	int status = call->status;
	if (open_subject(call, &subject, path, &args->setting.topology) &&
		open_predicted(call, &args->setting, &subject.problem, &predicted))
		status = table ? predict_table(call, args, &subject, &predicted)
			       : predict_one(call, args, &subject, &predicted);
	else
		status = call->status;
	close_predicted(&predicted);
	close_subject(&subject);
	return status;
}

static int predict(struct call *call)
{
	struct args args = {.setting = PREDICTING_USUAL,
		.sizes = {UNSET_SIZE, UNSET_SIZE, UNSET_SIZE, UNSET_SIZE},
		.shown = {.max_path = 12, .max_links = 5},
		.staging_bytes = UNSET_SIZE};
	const struct option options[] = {
		PREDICTING_OPTIONS(args.setting),
		{"begin", 'b', SIZE, &args.sizes.begin, "SIZE",
			"the first size of a table, as --size (8)"},
		{"end", 'e', SIZE, &args.sizes.end, "SIZE", "print a table of sizes up to this"},
		{"factor", 'f', COUNT, &args.sizes.factor, "N",
			"each size of the table is N times the one before (2)"},
		{"step", 'i', SIZE, &args.sizes.step, "SIZE", "or larger by this"},
		{"staging", 0, SIZE, &args.staging_bytes, "SIZE",
			"staging memory of each rank, as for `ordo run`"},
		{"max-path", 0, NUMBER, &args.shown.max_path, "N",
			"show at most N tasks of the critical path (12)"},
		{"max-links", 0, NUMBER, &args.shown.max_links, "N",
			"show the N busiest links (5)"},
		MEMORY_LIMIT_OPTION,
	};
	const int status = READ_OPTIONS(call, options) ? predict_with(call, &args) : call->status;
	free_topology_choice(&args.setting.topology);
	return status;
}

const struct command predict_command = {
	.name = "predict",
	.summary = "predicts the time of a schedule on a topology, with its breakdown and lower "
		   "bounds",
	.usage = "FILE [--topology T] [--size SIZE] [OPTION]...",
	.examples =
		"  ordo predict ring.json --topology full-mesh --size 16MiB\n"
		"  ordo predict ring.json --topology torus:2x4 --route-through-ranks --type bf16\n"
		"  ordo predict ring.json --alpha-ns 500 --bandwidth 200 --reduce-bandwidth 800 -e "
		"1GiB -f 8\n"
		"  ordo compile alltoallv -n 2 | ordo predict - --counts \"0,9;4,0\"\n"
		"  ordo compile allreduce -n 8 -a \"ring(rings=3,directions=2)\" --fail-link 0-1 | "
		"ordo predict - --fail-link 0-1",
	.reads = true,
	.run = predict,
};
