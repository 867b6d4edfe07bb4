/* accuracy.c - compares calibrated predictions with measured times. */
#include "accuracy.h"
#include "cli/sizes.h"
#include "report/plan_set_proof.h"
#include <inttypes.h>
#include <math.h>
#include <ordo/predict.h>
#include <stdlib.h>

static const struct {
	enum ordo_operator op;
	const char *algorithm;
} subjects[] = {
	{ORDO_ALLREDUCE, "ring"},
	{ORDO_ALLREDUCE, "mesh"},
	{ORDO_ALLREDUCE, "mesh(shots=1)"},
	{ORDO_ALLREDUCE, "halving-doubling"},
	{ORDO_ALLREDUCE, "recursive-doubling"},
	{ORDO_ALLREDUCE, "nhr"},
	{ORDO_ALLREDUCE, "tree"},
	{ORDO_REDUCESCATTER, "ring"},
	{ORDO_REDUCESCATTER, "dyadic"},
	{ORDO_ALLGATHER, "ring"},
	{ORDO_ALLGATHER, "mesh"},
	{ORDO_BROADCAST, "tree"},
	{ORDO_ALLTOALL, "alltoall"},
};
enum { NSUBJECT = sizeof subjects / sizeof *subjects };

/* One algorithm at one size. */
struct comparison {
	uint32_t subject, rate;
	double predicted, of_size; /* seconds, with the document and with the costs of this size */
	struct spread measured;
};

struct comparing {
	const struct calibration *calibration;
	struct ordo_topology *topologies[MOST_RATES]; /* [nrate] */
	struct comparison *items;		      /* [count] */
	uint32_t count;
};

static double error_of(double predicted, double measured)
{
	return predicted / measured - 1;
}

static bool predict(const struct comparing *comparing, const struct ordo_schedule *schedule,
	uint32_t rate, uint64_t bytes, double *seconds, struct ordo_error *error)
{
	const struct calibration *calibration = comparing->calibration;
	const uint32_t element = (uint32_t)ordo_type_size(calibration->how.type);
	const struct ordo_predict_options options = {.topology = comparing->topologies[rate],
		.machine = ordo_machine_usual(),
		.bytes = bytes,
		.element_bytes = element,
		.scratch_element_bytes = element};
	struct ordo_prediction *prediction = ordo_predict(schedule, &options, error);
	if (!prediction)
		return false;
	*seconds = prediction->timeline->total + calibration->call_ns.median * 1e-9;
	ordo_prediction_destroy(prediction);
	return true;
}

static bool compare_at(struct comparing *comparing, const struct ordo_schedule *schedule,
	uint32_t subject, uint32_t rate, struct ordo_error *error)
{
	const struct calibration *calibration = comparing->calibration;
	const uint64_t bytes = calibration->rates[rate].bytes,
		       count = count_of_bytes(&schedule->problem, calibration->how.type, bytes);
	const struct measuring measuring = {.type = calibration->how.type,
		.reduction = ORDO_SUM,
		.count = count,
		.nworker = calibration->how.nworker,
		.seconds = calibration->how.seconds};
	struct comparison *one = &comparing->items[comparing->count];
	*one = (struct comparison){.subject = subject, .rate = rate};
	if (!count)
		return true;
	if (!predict(comparing, schedule, calibration->chosen, bytes, &one->predicted, error) ||
		!predict(comparing, schedule, rate, bytes, &one->of_size, error) ||
		!measure_runs(schedule, &measuring, &one->measured, error))
		return false;
	comparing->count++;
	return true;
}

/* Skips algorithms that do not apply to the number of ranks. */
static bool compare_subject(struct comparing *comparing, uint32_t subject, struct ordo_error *error)
{
	const struct ordo_request request = {
		.problem = {.op = subjects[subject].op, .nrank = comparing->calibration->how.nrank},
		.algorithm = subjects[subject].algorithm};
	struct ordo_schedule *schedule = ordo_compile(&request, error);
	bool worked = schedule || error->code == ORDO_USAGE;
	for (uint32_t rate = 0; schedule && worked && rate < comparing->calibration->nrate; rate++)
		worked = compare_at(comparing, schedule, subject, rate, error);
	ordo_schedule_destroy(schedule);
	return worked;
}

static bool compare_all(struct comparing *comparing, struct ordo_error *error)
{
	const uint32_t nrate = comparing->calibration->nrate;
	comparing->items = calloc((size_t)NSUBJECT * nrate, sizeof *comparing->items);
	bool worked = comparing->items ? true : ordo_fail_memory(error);
	for (uint32_t i = 0; worked && i < nrate; i++) {
		comparing->topologies[i] = calibrated_topology(comparing->calibration, i, error);
		worked = comparing->topologies[i];
	}
	const struct calibrating *how = &comparing->calibration->how;
	for (uint32_t i = 0; worked && i < NSUBJECT; i++) {
		worked = compare_subject(comparing, i, error);
		if (how->progress)
			how->progress(how->closure, "running", i + 1, NSUBJECT);
	}
	return worked;
}

static int compare_doubles(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

struct summary {
	double median, most; /* of the sizes of errors */
};

static bool summarise(const struct comparing *comparing, bool of_size, struct summary *summary)
{
	const uint32_t count = comparing->count;
	double *errors = calloc((size_t)count + 1, sizeof *errors);
	if (!errors)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const struct comparison *one = &comparing->items[i];
		errors[i] = fabs(
			error_of(of_size ? one->of_size : one->predicted, one->measured.median));
	}
	qsort(errors, count, sizeof *errors, compare_doubles);
	*summary = count ? (struct summary){(errors[(count - 1) / 2] + errors[count / 2]) / 2,
				   errors[count - 1]}
			 : (struct summary){0, 0};
	free(errors);
	return true;
}

/* Of the AllReduces at a size: the measured time of the one predicted to be fastest, over the least
 * measured time. 0: there are none. */
static double regret_of(const struct comparing *comparing, uint32_t rate)
{
	const struct comparison *chosen = NULL;
	double least = HUGE_VAL;
	for (uint32_t i = 0; i < comparing->count; i++) {
		const struct comparison *one = &comparing->items[i];
		if (one->rate != rate || subjects[one->subject].op != ORDO_ALLREDUCE)
			continue;
		least = fmin(least, one->measured.median);
		if (!chosen || one->predicted < chosen->predicted)
			chosen = one;
	}
	return chosen ? chosen->measured.median / least : 0;
}

static void report_comparisons(const struct report *report, const struct comparing *comparing)
{
	const struct report list = report_list(report, "runs");
	report_text(report, "  %-13s  %-19s %10s  %10s  %10s  %21s  %7s  %9s\n", "operator",
		"algorithm", "bytes", "predicted", "measured", "quartiles", "error", "of size");
	for (uint32_t i = 0; i < comparing->count; i++) {
		const struct comparison *one = &comparing->items[i];
		const struct spread *measured = &one->measured;
		const double error = error_of(one->predicted, measured->median),
			     of_size = error_of(one->of_size, measured->median);
		const struct report row = report_item(&list);
		report_text(&row,
			"  %-13s<operator>  %-19s<algorithm> %10" PRIu64
			"<bytes>  %10g<predicted_seconds:time>  %10g<measured_median_seconds:time> "
			" "
			"%10g<measured_first_quartile_seconds:time>-"
			"%10g<measured_third_quartile_seconds:time>  %+6.0f%%  %+8.0f%%\n",
			ordo_operator_facts(subjects[one->subject].op)->name,
			subjects[one->subject].algorithm,
			comparing->calibration->rates[one->rate].bytes, one->predicted,
			measured->median, measured->first_quartile, measured->third_quartile,
			100 * error, 100 * of_size);
		report_members(&row,
			"%g<predicted_with_costs_of_size_seconds> %g<error> "
			"%g<error_with_costs_of_size>",
			one->of_size, error, of_size);
	}
}

static void report_summary(const struct report *report, const struct comparing *comparing,
	const struct summary summaries[2])
{
	const struct calibration *calibration = comparing->calibration;
	report_text(report,
		"  error with the document (measured at %" PRIu64
		" bytes): median %.0f%%, at most %.0f%%\n",
		calibration->how.bytes, 100 * summaries[0].median, 100 * summaries[0].most);
	report_text(report,
		"  error with the costs measured at each size: median %.0f%%, at most %.0f%%\n",
		100 * summaries[1].median, 100 * summaries[1].most);
	report_members(report,
		"%g<median_error> %g<most_error> %g<median_error_with_costs_of_size> "
		"%g<most_error_with_costs_of_size>",
		summaries[0].median, summaries[0].most, summaries[1].median, summaries[1].most);
	for (uint32_t rate = 0; rate < calibration->nrate; rate++) {
		const double regret = regret_of(comparing, rate);
		if (regret > 0)
			report_text(report,
				"  at %" PRIu64
				" bytes the AllReduce predicted to be the fastest takes %.2f times "
				"the fastest of these\n",
				calibration->rates[rate].bytes, regret);
	}
}

bool check_calibration(struct call *call, const struct calibration *calibration)
{
	struct comparing comparing = {.calibration = calibration};
	struct ordo_error error = {0};
	struct summary summaries[2];
	bool worked = compare_all(&comparing, &error) &&
		      (summarise(&comparing, false, &summaries[0]) &&
					      summarise(&comparing, true, &summaries[1])
				      ? true
				      : ordo_fail_memory(&error));
	if (worked) {
		const struct report report = report_of(call, stdout),
				    check = report_object(&report, "check");
		report_comparisons(&check, &comparing);
		report_summary(&check, &comparing, summaries);
	} else {
		refuse_error(call, &error);
	}
	for (uint32_t i = 0; i < calibration->nrate; i++)
		ordo_topology_destroy(comparing.topologies[i]);
	free(comparing.items);
	return worked;
}
