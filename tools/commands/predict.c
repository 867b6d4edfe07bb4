/* predict.c - `ordo predict`: the time of a schedule on a topology, without running it. */
#include "cli/memory_limit.h"
#include "cli/sizes.h"
#include "commands.h"
#include "report/prediction.h"
#include "report/proof.h"
#include "run/input_set.h"
#include <inttypes.h>
#include <ordo/detail/accumulate.h>

struct args {
	struct predicting setting;
	struct size_range sizes;
	struct prediction_limits shown;
	uint64_t staging_bytes; /* of a rank; UNSET_SIZE: no limit */
};

/* The rounds in which staging memory holds the largest chunk, as a plan cuts it. */
struct rounds {
	uint64_t count, bytes; /* bytes of a rank's larger buffer in one of them */
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
		       count = count_of_bytes(problem, type, predicted->bytes),
		       K = problem->chunks_per_block, chunk = (count + K - 1) / K * narrow;
	*rounds = (struct rounds){1, predicted->bytes};
	if (args->staging_bytes == UNSET_SIZE)
		return true;
	if (predicted->counts.given)
		return refuse_usage(call, "`ordo run` takes both, and measures",
			"--staging and --counts: rounds are counted of equal blocks only, because "
			"later rounds of unequal ones move less");
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
	rounds->count = chunk > tile ? (chunk + tile - 1) / tile : 1;
	rounds->bytes = (predicted->bytes + rounds->count - 1) / rounds->count;
	return true;
}

static void report_rounds(const struct report *report, const struct args *args,
	const struct rounds *rounds, uint64_t bytes, const struct ordo_prediction *prediction)
{
	const struct report object = report_object(report, "staging");
	if (args->staging_bytes == UNSET_SIZE)
		return;
	report_line(&object, "in rounds",
		"%" PRIu64 "<rounds> of these, one after another: %g<seconds:time> for %g<:bytes>; "
		"rounds that overlap take less",
		rounds->count, (double)rounds->count * prediction->timeline->total, (double)bytes);
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
		(rounds.count > 1 && !take_bytes(call, predicted, rounds.bytes)) ||
		!predict_taken(call, &args->setting, found->schedule, predicted))
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
	report_rounds(&report, args, &rounds, bytes, predicted->prediction);
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
	if (row->rounds.count > 1 &&
		(!take_bytes(call, predicted, row->rounds.bytes) ||
			!predict_taken(call, &args->setting, found->schedule, predicted)))
		return NULL;
	row->seconds = (double)row->rounds.count * predicted->prediction->timeline->total;
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
