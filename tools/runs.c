/* runs.c - what an execution says, in words and in JSON. */
#include "runs.h"
#include <inttypes.h>

void add_execution(cJSON *answer, const struct execution *execution, const struct execution_wish *wish,
	uint64_t bytes_per_rank)
{
	uint64_t sent = bytes_sent(execution);
	add_text(answer, "type", ordo_type_name(wish->type));
	add_text(answer, "reduction", ordo_reduction_name(wish->reduction));
	add_count(answer, "count", wish->count);
	add_count(answer, "bytes_per_rank", bytes_per_rank);
	add_text(answer, "transport", wish->seeded ? "seeded" : "threads");
	if (!wish->seeded)
		add_count(answer, "workers", wish->nworker);
	add_count(answer, "seed", wish->seed);
	add_count(answer, "repeat", wish->repeat);
	add_number(answer, "best_seconds", execution->best);
	add_number(answer, "mean_seconds", execution->total / wish->repeat);
	add_count(answer, "bytes_sent", sent);
	add_number(answer, "gigabytes_per_second", (double)bytes_per_rank / execution->best * 1e-9);
	add_number(answer, "sent_gigabytes_per_second", (double)sent / execution->best * 1e-9);
	if (!wish->check)
		return;
	const struct check *check = &execution->check;
	cJSON *json = cJSON_AddObjectToObject(answer, "check");
	add_truth(json, "bits_equal", check->bits_equal);
	add_truth(json, "within_bounds", check->within_bounds);
	add_text(json, "difference", check->text[0] ? check->text : NULL);
	add_count(json, "elements", check->elements);
	add_number(json, "largest_error_ulps", check->far.ulps);
	add_number(json, "largest_error_of_bound", check->far.bounded);
	add_count(json, "depth", check->depth);
}

static void print_exactness(FILE *out, const struct execution *execution, const struct execution_wish *wish)
{
	const struct check *check = &execution->check;
	if (!ordo_operator_facts(execution->trial.schedule->problem.op)->reduces)
		return;
	const bool rounds = !ordo_is_associative(wish->type, wish->reduction);
	if (!rounds)
		fprintf(out, "; and with the exact result");
	else
		fprintf(out, "; at most %.3g ulp from the exact %s (%.0f %% of what depth %u allows)",
			check->far.ulps,
			wish->reduction == ORDO_PROD  ? "product"
			: wish->reduction == ORDO_AVG ? "average"
						      : "sum",
			check->far.bounded * 100, check->depth);
}

void print_check(FILE *out, const struct execution *execution, const struct execution_wish *wish)
{
	const struct check *check = &execution->check;
	if (!check->bits_equal || !check->within_bounds) {
		fprintf(out, "%swrong%s: %s\n", paint(out, RED), paint(out, PLAIN), check->text);
		return;
	}
	fprintf(out, "%sbit-equal%s with the sequential meaning, %" PRIu64 " elements", paint(out, GREEN),
		paint(out, PLAIN), check->elements);
	print_exactness(out, execution, wish);
	fputc('\n', out);
}
