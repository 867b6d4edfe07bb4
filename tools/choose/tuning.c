/* tuning.c - the fastest algorithm by simulation, as `compile` and `tune` ask for it, and what
 * became of the others. */
#include "tuning.h"
#include "rejected.h"
#include "report/plan_set_proof.h"
#include <inttypes.h>
#include <ordo/detail/accumulate.h>
#include <string.h>

/* Up to so many ranks every candidate is simulated and proved, also where it cannot be the fastest:
 * that takes seconds at most. */
enum { MOST_RANKS_FOR_ALL = 64 };

static bool refuse(struct call *call, int status)
{
	call->status = status;
	return false;
}

static bool refuse_tuning(struct call *call, const struct tuning_wish *wish,
	const struct ordo_tune_wish *asked, const struct ordo_tuning *tuning,
	struct ordo_error *error)
{
	const struct ordo_request request = {.problem = wish->problem,
		.algorithm = wish->algorithm,
		.topology = asked->selection.topology,
		.progress = show_progress,
		.closure = asked->selection.progress_closure};
	if (error->code != ORDO_REFUTED)
		return refuse(call, fail(call, error));
	if (call->json)
		add_contenders(call->answer, tuning);
	else
		print_contenders(stderr, tuning);
	return refuse_all(call, &request, wish->conditions, error);
}

bool find_fastest(struct call *call, const struct tuning_wish *wish,
	const struct predicted *predicted, struct ordo_tuning *tuning)
{
	struct conditions wanted = *wish->conditions;
	struct progress progress = {0};
	struct ordo_error error = {0};
	const bool constant = wanted.constant || wanted.guarantees >> ORDO_G3 & 1;
	const struct ordo_tune_wish asked = {
		.selection = {.problem = wish->problem,
			.topology = predicted->topology,
			.machine = machine_of(wish->setting),
			.from_bytes = wish->from_bytes,
			.to_bytes = wish->to_bytes,
			.suits = has_conditions(&wanted) ? meets_conditions : NULL,
			.closure = &wanted,
			.one_order = constant && wish->from_bytes < wish->to_bytes,
			.progress = show_progress,
			.progress_closure = &progress},
		.algorithm = wish->algorithm,
		.element_bytes = (uint32_t)ordo_type_size(predicted->type),
		.scratch_element_bytes =
			(uint32_t)ordo_type_size(ordo_accumulator(&wish->problem, predicted->type)),
		.lazily = wish->problem.nrank > MOST_RANKS_FOR_ALL};
	const bool worked = ordo_tune(&asked, tuning, &error);
	hide_progress(&progress);
	return worked || refuse_tuning(call, wish, &asked, tuning, &error);
}

/* Has it as many chunks as the algorithm takes by itself? */
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

/* What is said of an algorithm, without saying again of which, and of links without the rest:
 * `phase "reduce-scatter 0": needs the link 0-1`. */
static void write_reason(const struct ordo_contender *contender, char *out, size_t size)
{
	const struct ordo_refusal refusal = {
		.algorithm = contender->algorithm, .why = contender->why};
	const char *why = without_name(&refusal);
	const char *link = strstr(why, "needs the link "),
		   *rest = link ? strstr(link, " (from rank ") : NULL;
	const size_t length = rest ? (size_t)(rest - why) : strlen(why), most = size - sizeof "...";
	snprintf(out, size, "%.*s%s", (int)(length < most ? length : most), why,
		length < most ? "" : "...");
}

/* `not wanted: G3 position-invariant does not hold: ...` */
static void write_remark(const struct ordo_contender *contender, char *out, size_t size)
{
	static const char *const words[ORDO_NSTANDING] = {"", "not proved, for another is faster",
		"at least: given up, for another is faster", "not wanted: ", "no link: ", "no: "};
	const size_t length = (size_t)snprintf(out, size, "%s", words[contender->standing]);
	if (contender->why)
		write_reason(contender, out + length, size - length);
}

/* A form of another K, refused like the natural one. */
static bool says_it_again(const struct ordo_tuning *tuning, uint32_t contender)
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
		if (says_it_again(tuning, i))
			continue;
		width = length > width ? length : width;
	}
	return width;
}

/* `  36.2 us  1.00`, or as wide as that. */
static void print_time(FILE *out, const struct ordo_contender *contender, double best)
{
	char text[32] = "";
	if (contender->first >= 0)
		fprintf(out, "%10s  %6.2f", time_text(text, contender->first),
			best > 0 ? contender->first / best : 1);
	else if (contender->standing == ORDO_OUTRUN)
		fprintf(out, "%10s  %6.2f", time_text(text, contender->bound),
			best > 0 ? contender->bound / best : 1);
	else
		fprintf(out, "%10s  %6s", "", "");
}

void print_contenders(FILE *out, const struct ordo_tuning *tuning)
{
	const int width = widest_name(tuning);
	const double best = tuning->ncontender ? tuning->contenders[0].first : 0;
	fprintf(out, "  %-*s  %10s  %6s\n", width, "candidate", "predicted", "ratio");
	for (uint32_t i = 0; i < tuning->ncontender; i++) {
		const struct ordo_contender *one = &tuning->contenders[i];
		const bool won = !i && one->standing == ORDO_TIMED;
		char text[128], remark[112];
		if (says_it_again(tuning, i))
			continue;
		fprintf(out, "%s%s%-*s%s  ", won ? paint(out, BOLD) : "", won ? "> " : "  ", width,
			contender_text(text, tuning, i), won ? paint(out, PLAIN) : "");
		print_time(out, one, best);
		write_remark(one, remark, sizeof remark);
		fprintf(out, "%s%s\n", *remark ? "  " : "", remark);
	}
}

static void add_seconds(cJSON *object, const char *name, double value)
{
	if (value >= 0)
		add_number(object, name, value);
	else
		cJSON_AddNullToObject(object, name);
}

void add_contenders(cJSON *answer, const struct ordo_tuning *tuning)
{
	cJSON *list = cJSON_AddArrayToObject(answer, "candidates");
	for (uint32_t i = 0; i < tuning->ncontender; i++) {
		const struct ordo_contender *one = &tuning->contenders[i];
		cJSON *json = cJSON_CreateObject();
		cJSON_AddItemToArray(list, json);
		add_text(json, "algorithm", one->algorithm);
		add_count(json, "chunks_per_block", one->chunks_per_block);
		add_text(json, "standing", ordo_standing_name(one->standing));
		add_seconds(json, "seconds", one->first);
		if (tuning->last_bytes > tuning->first_bytes)
			add_seconds(json, "seconds_at_last_size", one->last);
		add_number(json, "bound_seconds", one->bound);
		add_text(json, "order_digest", *one->digest ? one->digest : NULL);
		add_text(json, "why", one->why);
	}
}
