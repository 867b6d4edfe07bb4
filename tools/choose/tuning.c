/* tuning.c - the fastest algorithm by simulation, for `compile` and `tune`, and the result of each
 * candidate. */
#include "tuning.h"
#include "base/progress.h"
#include "rejected.h"
#include "report/plan_set_proof.h"
#include <inttypes.h>
#include <math.h>
#include <ordo/detail/accumulate.h>
#include <ordo/units.h>
#include <string.h>

/* Up to this number of ranks every candidate is simulated and proved, even if it cannot be the
 * fastest: that takes seconds at most. */
enum { MOST_RANKS_FOR_ALL = 64 };

/* From this number of ranks on a choice may take minutes, which nobody sees without a bar. */
enum { MANY_RANKS = 1024 };

/* A choice among more ranks than ORDO_CHOICE_FEW_RANKS takes about so many minutes of one core, for
 * the tasks that it compiles, simulates and proves at most: see compiler/MEASURED.md. */
enum { MINUTES = 5 };

/* Says what a choice for many ranks takes, before it does. */
static void note_cost(struct call *call, const struct tuning_options *args)
{
	char bytes[ORDO_UNITS_SIZE];
	if (call->json || args->algorithm || args->problem.nrank < MANY_RANKS)
		return;
	if (args->problem.nrank > ORDO_CHOICE_FEW_RANKS)
		note(call,
			"%" PRIu32 " ranks: algorithms that may be the fastest are compiled, about "
			"%.2g tasks in all and up to %s each: up to about %d minutes of one core; "
			"--algorithm A compiles only one",
			args->problem.nrank, (double)ORDO_CHOICE_TASKS,
			ordo_bytes_text(bytes, (double)ORDO_CHOICE_BYTES), MINUTES);
	else
		note(call,
			"%" PRIu32
			" ranks: every algorithm that may be the fastest is compiled, up to the "
			"memory limit; this can take minutes; --algorithm A compiles only one",
			args->problem.nrank);
}

static bool refuse_tuning(struct call *call, const struct tuning_options *args,
	const struct ordo_tune_wish *asked, const struct ordo_tuning *tuning,
	struct ordo_error *error)
{
	const struct ordo_request request = {.problem = args->problem,
		.algorithm = args->algorithm,
		.topology = asked->selection.topology,
		.order = args->conditions->order,
		.one_tree = requires_g3(args->conditions),
		.progress = show_progress,
		.closure = asked->selection.progress_closure};
	const struct report report = report_of(call, stderr);
	if (error->too_large && tuning->ncontender)
		report_contenders(&report, tuning);
	if (error->code != ORDO_REFUTED || lacks_answers(&request, error))
		return refuse_error(call, error);
	report_contenders(&report, tuning);
	return refuse_all(call, &request, args->conditions, error);
}

bool find_fastest(struct call *call, const struct tuning_options *args,
	const struct predicted *predicted, struct ordo_tuning *tuning)
{
	struct conditions wanted = *args->conditions;
	struct progress progress = {0};
	struct ordo_error error = {0};
	const bool constant = wanted.constant || requires_g3(&wanted);
	const struct ordo_tune_wish asked = {
		.selection = {.problem = args->problem,
			.topology = predicted->topology,
			.machine = machine_of(args->setting),
			.from_bytes = args->from_bytes,
			.to_bytes = args->to_bytes,
			.suits = has_conditions(&wanted) ? meets_conditions : NULL,
			.closure = &wanted,
			.one_order = constant && args->from_bytes < args->to_bytes,
			.progress = show_progress,
			.progress_closure = &progress,
			.max_tokens = args->max_tokens,
			.staging_slots = args->staging_slots,
			.order = wanted.order,
			.one_tree = requires_g3(&wanted)},
		.algorithm = args->algorithm,
		.element_bytes = (uint32_t)ordo_type_size(predicted->type),
		.scratch_element_bytes =
			(uint32_t)ordo_type_size(ordo_accumulator(&args->problem, predicted->type)),
		.block_count = predicted->counts.given,
		.add_cost = ordo_adding_cost(predicted->topology,
			machine_of(args->setting).reduce_bandwidth_gbs, &args->problem,
			predicted->type),
		.lazily = args->lazily || args->problem.nrank > MOST_RANKS_FOR_ALL};
	note_cost(call, args);
	const bool worked = ordo_tune(&asked, tuning, &error);
	hide_progress(&progress);
	return worked || (!args->quiet && refuse_tuning(call, args, &asked, tuning, &error));
}

/* Does it have the algorithm's own number of chunks? */
static bool is_natural(const struct ordo_tuning *tuning, uint32_t contender)
{
	const struct ordo_contender *one = &tuning->contenders[contender];
	const struct ordo_candidates *candidates = &tuning->selection.candidates;
	for (uint32_t i = 0; i < candidates->count; i++)
		if (!strcmp(candidates->items[i].algorithm, one->algorithm))
			return candidates->items[i].chunks_per_block == one->chunks_per_block;
	return true;
}

const char *contender_text(char out[128], const struct ordo_tuning *tuning, uint32_t contender)
{
	const struct ordo_contender *one = &tuning->contenders[contender];
	if (is_natural(tuning, contender))
		snprintf(out, 128, "%.100s", one->algorithm);
	else
		snprintf(out, 128, "%.100s, K %" PRIu32, one->algorithm, one->chunks_per_block);
	return out;
}

/* The reason without the algorithm's name, and for links only the link: `phase "reduce-scatter 0":
 * needs link 0-1`. */
static void write_reason(const struct ordo_contender *contender, char *out, size_t size)
{
	const struct ordo_refusal refusal = {
		.algorithm = contender->algorithm, .why = contender->why};
	const char *why = without_name(&refusal);
	const char *link = strstr(why, "needs link "),
		   *rest = link ? strstr(link, " (from rank ") : NULL;
	const size_t length = rest ? (size_t)(rest - why) : strlen(why), most = size - sizeof "...";
	snprintf(out, size, "%.*s%s", (int)(length < most ? length : most), why,
		length < most ? "" : "...");
}

/* `not wanted: G3 position-invariant does not hold: ...` */
static void write_remark(const struct ordo_contender *contender, char *out, size_t size)
{
	static const char *const words[ORDO_NSTANDING] = {"", "not proved: another is faster",
		"at least: not simulated to the end, another is faster",
		"not wanted: ", "no link: ", "no: "};
	const size_t length = (size_t)snprintf(out, size, "%s", words[contender->standing]);
	if (contender->why)
		write_reason(contender, out + length, size - length);
}

/* The same algorithm with another K, rejected for the same reason. */
static bool repeats_reason(const struct ordo_tuning *tuning, uint32_t contender)
{
	return tuning->contenders[contender].standing == ORDO_UNCARRIED &&
	       !is_natural(tuning, contender);
}

static int widest_name(const struct ordo_tuning *tuning)
{
	int width = 9;
	for (uint32_t i = 0; i < tuning->ncontender; i++) {
		char text[128];
		const int length = (int)strlen(contender_text(text, tuning, i));
		if (repeats_reason(tuning, i))
			continue;
		width = length > width ? length : width;
	}
	return width;
}

/* A candidate without a time was rejected, or its simulation stopped at a bound. */
static void report_contender(
	const struct report *list, const struct ordo_tuning *tuning, uint32_t contender, int width)
{
	const struct ordo_contender *one = &tuning->contenders[contender];
	const double best = tuning->contenders[0].first,
		     shown = one->first >= 0 || one->standing != ORDO_OUTRUN ? one->first
									     : one->bound;
	const bool won = !contender && one->standing == ORDO_TIMED;
	struct report row = report_item(list);
	char text[128], remark[112];
	report_members(&row, "%s<algorithm> %u<chunks_per_block> %s<standing>", one->algorithm,
		one->chunks_per_block, ordo_standing_name(one->standing));
	add_number(row.json, "seconds", one->first >= 0 ? one->first : (double)NAN);
	if (tuning->last_bytes > tuning->first_bytes)
		add_number(
			row.json, "seconds_at_last_size", one->last >= 0 ? one->last : (double)NAN);
	report_members(&row, "%g<bound_seconds> %s<order_digest> %s<why>", one->bound,
		text_or_null(one->digest), one->why);
	if (repeats_reason(tuning, contender))
		return;
	write_remark(one, remark, sizeof remark);
	report_text(&row, "%s%s%-*s%s  ", won ? paint(row.text, BOLD) : "", won ? "> " : "  ",
		width, contender_text(text, tuning, contender), won ? paint(row.text, PLAIN) : "");
	if (shown >= 0)
		report_text(&row, "%10g<:time>  %6.2f", shown, best > 0 ? shown / best : 1);
	else
		report_text(&row, "%10s  %6s", "", "");
	report_text(&row, "%s%s\n", *remark ? "  " : "", remark);
}

void report_contenders(const struct report *report, const struct ordo_tuning *tuning)
{
	const int width = widest_name(tuning);
	const struct report list = report_list(report, "candidates");
	report_text(report, "  %-*s  %10s  %6s\n", width, "candidate", "predicted", "ratio");
	for (uint32_t i = 0; i < tuning->ncontender; i++)
		report_contender(&list, tuning, i, width);
}
