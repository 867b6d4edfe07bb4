/* compare_logs.c - the first call at which two runs of a program part, of all ranks. */
#include "compare_logs.h"
#include "base/report.h"
#include "log_file.h"
#include <inttypes.h>
#include <ordo/detail/fail.h>
#include <stdlib.h>
#include <string.h>

/* In the order of blame: of one call, an input that differs on a rank explains the outputs. */
enum difference { SAME, INPUTS, CALLS, OUTPUTS };
static const char *const words[] = {"same", "inputs", "calls", "outputs"};

/* Where a rank first differs. */
struct parting {
	enum difference difference;
	uint32_t rank;
	uint64_t number;  /* of the call on this rank */
	uint64_t ordinal; /* among its calls on the communicator */
	/* "-": this run made no such call */
	char communicator[2][64], call[2][256], input[2][32], output[2][32];
};

struct comparison {
	const char *folders[2];
	uint32_t nrank, ndifferent;
	uint64_t ncall;
	struct parting first;
};

static bool same_call(const struct logged_call *a, const struct logged_call *b)
{
	return !strcmp(a->communicator, b->communicator) && !strcmp(a->function, b->function) &&
	       !strcmp(a->operation, b->operation) && !strcmp(a->datatype, b->datatype) &&
	       !strcmp(a->count, b->count);
}

static enum difference compare_calls(const struct logged_call *a, const struct logged_call *b)
{
	return !a || !b || !same_call(a, b)   ? CALLS
	       : strcmp(a->input, b->input)   ? INPUTS
	       : strcmp(a->output, b->output) ? OUTPUTS
					      : SAME;
}

static void describe(struct parting *parting, int run, const struct logged_call *one)
{
	if (!one) {
		strcpy(parting->communicator[run], "-");
		strcpy(parting->call[run], "-");
		strcpy(parting->input[run], "-");
		strcpy(parting->output[run], "-");
		return;
	}
	snprintf(parting->communicator[run], sizeof parting->communicator[run], "%s",
		one->communicator);
	snprintf(parting->call[run], sizeof parting->call[run], "%s of %s %s, %s", one->function,
		one->count, one->datatype, one->operation);
	snprintf(parting->input[run], sizeof parting->input[run], "%s", one->input);
	snprintf(parting->output[run], sizeof parting->output[run], "%s", one->output);
	tame(parting->communicator[run], false);
	tame(parting->call[run], false);
	tame(parting->input[run], false);
	tame(parting->output[run], false);
}

static const struct logged_call *call_at(const struct log_file *log, size_t at)
{
	return at < log->ncall ? &log->calls[at] : NULL;
}

static struct parting find_parting(const struct log_file logs[2])
{
	struct parting parting = {.rank = logs[0].rank};
	const size_t most = logs[0].ncall > logs[1].ncall ? logs[0].ncall : logs[1].ncall;
	size_t at = 0;
	while (at < most && parting.difference == SAME) {
		parting.difference = compare_calls(call_at(&logs[0], at), call_at(&logs[1], at));
		at++;
	}
	if (parting.difference == SAME)
		return parting;
	const struct logged_call *one = call_at(&logs[0], at - 1),
				 *other = call_at(&logs[1], at - 1);
	parting.number = one ? one->number : other ? other->number : 0;
	for (size_t i = 0; one && i + 1 < at; i++)
		parting.ordinal += !strcmp(logs[0].calls[i].communicator, one->communicator);
	describe(&parting, 0, one);
	describe(&parting, 1, other);
	return parting;
}

/* The number of a communicator is one of the rank. On one of all ranks it is most likely the same;
 * of others the logs do not name the members, but all of them have the output of an Allreduce. */
static bool is_one_call(const struct parting *a, const struct parting *b, uint32_t nrank)
{
	const char *slash = strchr(a->communicator[0], '/');
	const bool has_output = strcmp(a->output[0], "-") && strcmp(a->output[1], "-");
	if (strcmp(a->call[0], b->call[0]) != 0 || strcmp(a->call[1], b->call[1]) != 0)
		return false;
	if (has_output && !strcmp(a->output[0], b->output[0]) &&
		!strcmp(a->output[1], b->output[1]))
		return true;
	return a->ordinal == b->ordinal && !strcmp(a->communicator[0], b->communicator[0]) &&
	       slash && strtoul(slash + 1, NULL, 10) == nrank;
}

static bool is_before(const struct parting *a, const struct parting *b, uint32_t nrank)
{
	if (is_one_call(a, b, nrank) || a->number == b->number)
		return a->difference < b->difference;
	return a->number < b->number;
}

static bool compare_rank(struct comparison *comparison, uint32_t rank, struct log_file logs[2],
	struct ordo_error *error)
{
	for (int run = 0; run < 2; run++)
		if (!open_log(&logs[run], comparison->folders[run], rank, error))
			return false;
	if (!rank)
		comparison->nrank = logs[0].nrank;
	for (int run = 0; run < 2; run++)
		if (logs[run].nrank != comparison->nrank)
			return ordo_fail(error, ORDO_BAD_INPUT, 0,
				"%s is of %" PRIu32 " rank%s, %s of %" PRIu32
				": what each rank contributes differs",
				comparison->folders[0], comparison->nrank,
				plural(comparison->nrank), comparison->folders[run],
				logs[run].nrank);
	const struct parting parting = find_parting(logs);
	comparison->ncall += logs[0].ncall;
	if (parting.difference == SAME)
		return true;
	if (!comparison->ndifferent++ || is_before(&parting, &comparison->first, comparison->nrank))
		comparison->first = parting;
	return true;
}

static bool compare_ranks(struct comparison *comparison, struct ordo_error *error)
{
	bool worked = true;
	for (uint32_t rank = 0; worked && (!rank || rank < comparison->nrank); rank++) {
		struct log_file logs[2] = {{0}};
		worked = compare_rank(comparison, rank, logs, error);
		close_log(&logs[0]);
		close_log(&logs[1]);
	}
	return worked;
}

static void report_parting(const struct report *report, const struct comparison *comparison)
{
	static const char *const texts[] = {[INPUTS] =
						    "its inputs differ already: the program "
						    "computed them, or received them in messages",
		[CALLS] = "the two runs make other calls: the program's own doing",
		[OUTPUTS] = "its inputs agree and its outputs differ: the reduction's doing"};
	const struct parting *first = &comparison->first;
	report_text(report,
		"the first difference: call %" PRIu64 "<number> of rank %" PRIu32 "<rank>",
		first->number, first->rank);
	report_text(report, ", communicator %s<communicator>\n", first->communicator[0]);
	report_text(report, "  %s\n", texts[first->difference]);
	const struct report runs = report_list(report, "runs");
	for (int run = 0; run < 2; run++) {
		const struct report one = report_item(&runs);
		report_text(&one, "  %s<folder>: %s<call>, input %s<input>, output %s<output>\n",
			comparison->folders[run], first->call[run], first->input[run],
			first->output[run]);
	}
	report_text(report, "%" PRIu32 "<different_ranks> of %" PRIu32 " ranks differ\n",
		comparison->ndifferent, comparison->nrank);
}

int compare_logs(struct call *call, const char *one, const char *other)
{
	struct ordo_error error;
	struct comparison comparison = {.folders = {one, other}};
	const struct report report = report_of(call, stdout);
	if (!compare_ranks(&comparison, &error))
		return fail(call, &error);
	report_members(&report, "%s<difference> %" PRIu32 "<ranks> %" PRIu64 "<calls>",
		words[comparison.first.difference], comparison.nrank, comparison.ncall);
	if (comparison.first.difference != SAME) {
		report_parting(&report, &comparison);
		return ORDO_REFUTED;
	}
	report_text(&report,
		"the same: %" PRIu64 " calls of %" PRIu32 " ranks, inputs and outputs\n",
		comparison.ncall, comparison.nrank);
	return ORDO_OK;
}
