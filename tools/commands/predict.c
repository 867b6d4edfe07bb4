/* predict.c - `ordo predict`: how long a schedule takes on a topology, before it ever ran. */
#include "cli/memory_limit.h"
#include "cli/sizes.h"
#include "report/prediction.h"
#include "report/proof.h"
#include "run/input_set.h"

struct wish {
	struct predicting setting;
	struct size_range sizes;
	struct foretelling shown;
};

/* The prediction for a size; what is predicted of, in *found. */
static bool predict_size(struct call *call, const struct wish *wish, struct subject *subject,
	uint64_t bytes, struct predicted *predicted, struct proved_schedule **found)
{
	*found = find_schedule(call, subject, predicted->type,
		count_of_bytes(&subject->problem, predicted->type, bytes));
	return *found && predict_bytes(call, &wish->setting, (*found)->schedule, bytes, predicted);
}

static int predict_one(struct call *call, const struct wish *wish, struct subject *subject,
	struct predicted *predicted)
{
	const uint64_t bytes = wish->setting.bytes;
	struct proved_schedule *found;
	if (!predict_size(call, wish, subject, bytes, predicted, &found))
		return call->status;
	if (found->name) {
		note(call, "%s, the schedule for this size", found->name);
		add_text(call->answer, "schedule", found->name);
	}
	note_left_out(call, &subject->problem, bytes, predicted);
	add_schedule(call->answer, found->schedule);
	if (!call->json) {
		printf("%s: ", subject->path);
		print_schedule_line(stdout, found->schedule);
	}
	foretell(call, &wish->shown, found->schedule, predicted);
	return ORDO_OK;
}

/* What a row tells. */
struct rates {
	double total, algbw, busbw; /* seconds; GB/s */
	const char *bound;	    /* the largest */
	double times_the_bound;
};

static struct rates rates_of(const struct subject *subject, const struct predicted *predicted)
{
	struct rates rates = {.total = predicted->prediction->timeline->total};
	const double bound = largest_bound(&predicted->prediction->bounds, &rates.bound);
	rates.algbw = rates.total > 0 ? predicted->prediction->bytes / rates.total * 1e-9 : 0;
	rates.busbw = rates.algbw * bus_factor(&subject->problem);
	rates.times_the_bound = bound > 0 ? rates.total / bound : 0;
	return rates;
}

static void print_row(const struct subject *subject, const struct proved_schedule *found,
	const struct predicted *predicted)
{
	const struct rates rates = rates_of(subject, predicted);
	char busiest[128];
	print_busiest(predicted, busiest, sizeof busiest);
	printf("%14.0f %14.2f %9.2f %9.2f %9.3f  %-7s  %s%s%s\n", predicted->prediction->bytes,
		rates.total * 1e6, rates.algbw, rates.busbw, rates.times_the_bound, rates.bound,
		busiest, found->name ? "  " : "", found->name ? found->name : "");
	fflush(stdout);
}

static void add_row(cJSON *list, const struct subject *subject, const struct proved_schedule *found,
	const struct predicted *predicted)
{
	const struct rates rates = rates_of(subject, predicted);
	cJSON *row = cJSON_CreateObject();
	if (found->name)
		add_text(row, "schedule", found->name);
	add_number(row, "bytes", predicted->prediction->bytes);
	add_number(row, "seconds", rates.total);
	add_number(row, "algbw_gigabytes_per_second", rates.algbw);
	add_number(row, "busbw_gigabytes_per_second", rates.busbw);
	add_text(row, "largest_bound", rates.bound);
	add_number(row, "times_the_bound", rates.times_the_bound);
	cJSON_AddItemToArray(list, row);
}

static int predict_table(
	struct call *call, struct wish *wish, struct subject *subject, struct predicted *predicted)
{
	struct proved_schedule *found;
	if (!read_size_range(call, &wish->sizes))
		return call->status;
	cJSON *list = cJSON_AddArrayToObject(call->answer, "rows");
	say(call, "%14s %14s %9s %9s %9s  %-7s  %s\n%14s %14s %9s %9s %9s\n", "size", "time",
		"algbw", "busbw", "x bound", "bound", "bottleneck", "(B)", "(us)", "(GB/s)",
		"(GB/s)", "");
	uint64_t bytes = wish->sizes.begin;
	do {
		if (!predict_size(call, wish, subject, bytes, predicted, &found))
			return call->status;
		if (call->json)
			add_row(list, subject, found, predicted);
		else
			print_row(subject, found, predicted);
	} while (!reader_left() && next_size(&wish->sizes, &bytes));
	return ORDO_OK;
}

static int predict_wish(struct call *call, struct wish *wish)
{
	struct subject subject = {0};
	struct predicted predicted = {0};
	const char *path = only_operand(
		call, "the file or folder of a schedule or of a plan set, or - for stdin");
	if (!path)
		return call->status;
	const bool table = wish->sizes.begin != UNSET_SIZE || wish->sizes.end != UNSET_SIZE ||
			   wish->sizes.factor != UNSET_SIZE || wish->sizes.step != UNSET_SIZE;
	int status = call->status;
	if (open_subject(call, &subject, path, &wish->setting.topology) &&
		open_predicted(call, &wish->setting, &subject.problem, &predicted))
		status = table ? predict_table(call, wish, &subject, &predicted)
			       : predict_one(call, wish, &subject, &predicted);
	else
		status = call->status;
	close_predicted(&predicted);
	close_subject(&subject);
	return status;
}

static int predict(struct call *call)
{
	struct wish wish = {.setting = PREDICTING_USUAL,
		.sizes = {UNSET_SIZE, UNSET_SIZE, UNSET_SIZE, UNSET_SIZE},
		.shown = {.max_path = 12, .max_links = 5}};
	const struct option options[] = {
		PREDICTING_OPTIONS(wish.setting),
		{"begin", 'b', SIZE, &wish.sizes.begin, "SIZE",
			"of a table: the first size, as --size (8)"},
		{"end", 'e', SIZE, &wish.sizes.end, "SIZE",
			"a table of sizes up to this, one a line"},
		{"factor", 'f', COUNT, &wish.sizes.factor, "N",
			"each size N times the one before (2)"},
		{"step", 'i', SIZE, &wish.sizes.step, "SIZE", "or so much more"},
		{"max-path", 0, NUMBER, &wish.shown.max_path, "N",
			"show at most N tasks of the critical path (12)"},
		{"max-links", 0, NUMBER, &wish.shown.max_links, "N",
			"show the N busiest links (5)"},
		MEMORY_LIMIT_OPTION,
	};
	const int status = READ_OPTIONS(call, options) ? predict_wish(call, &wish) : call->status;
	free_texts(&wish.setting.topology.failed);
	return status;
}

const struct command predict_command = {
	.name = "predict",
	.summary = "tells how long a schedule takes on a topology, and why, before it ever ran",
	.usage = "FILE [--topology T] [--size SIZE] [OPTION]...",
	.examples =
		"  ordo predict ring.json --topology full-mesh --size 16MiB\n"
		"  ordo predict ring.json --topology torus:2x4 --route-through-ranks --type bf16\n"
		"  ordo predict ring.json --alpha-ns 500 --bandwidth 200 --reduce-bandwidth 800 -e "
		"1GiB -f 8\n"
		"  ordo compile allreduce -n 8 -a \"ring(rings=3,directions=2)\" --fail-link 0-1 | "
		"ordo predict - --fail-link 0-1",
	.reads = true,
	.run = predict,
};
