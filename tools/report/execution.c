/* execution.c - what an execution says, in words and in JSON. */
#include "execution.h"
#include "proof.h"
#include <inttypes.h>

void add_drive(cJSON *answer, const struct execution_wish *wish)
{
	add_text(answer, "transport",
		wish->folded   ? "folded"
		: wish->seeded ? "seeded"
			       : "threads");
	add_text(answer, "executes", wish->folded ? "fold" : "tasks");
	if (!wish->seeded)
		add_count(answer, "workers", wish->nworker);
}

void print_drive(FILE *out, const struct execution_wish *wish)
{
	if (wish->seeded)
		fprintf(out, "one thread, interleaved by the seed");
	else if (wish->nworker)
		fprintf(out, "%u thread%s for all ranks", wish->nworker,
			wish->nworker == 1 ? "" : "s");
	else
		fprintf(out, "a thread for every rank");
	if (wish->folded)
		fprintf(out, ", folded as proved");
}

void print_form(FILE *out, const struct execution_wish *wish, bool table)
{
	if (wish->folded)
		fprintf(out, "the fold that was proved, without its tasks; %s interprets them",
			table ? "a run of one size, or --transport threads,"
			      : "--transport threads");
	else
		fprintf(out, "the tasks, interpreted one by one; %s folds what is proved, faster",
			table ? "--transport folded" : "--transport folded, or a table (--end),");
}

static bool has_meaning(const struct execution *execution)
{
	return execution->trial.proof ||
	       !ordo_operator_facts(execution->schedule->problem.op)->reduces;
}

void add_execution(cJSON *answer, const struct execution *execution,
	const struct execution_wish *wish, uint64_t bytes_per_rank)
{
	add_text(answer, "type", ordo_type_name(wish->type));
	add_text(answer, "reduction", ordo_reduction_name(wish->reduction));
	add_count(answer, "count", wish->count);
	add_count(answer, "bytes_per_rank", bytes_per_rank);
	add_drive(answer, wish);
	add_count(answer, "seed", wish->seed);
	add_count(answer, "repeat", wish->repeat);
	add_number(answer, "best_seconds", execution->best);
	add_number(answer, "mean_seconds", execution->total / execution->ntimed);
	add_number(answer, "gigabytes_per_second", (double)bytes_per_rank / execution->best * 1e-9);
	if (!wish->folded) {
		const uint64_t sent = bytes_sent(execution);
		add_count(answer, "bytes_sent", sent);
		add_number(
			answer, "sent_gigabytes_per_second", (double)sent / execution->best * 1e-9);
	}
	if (!wish->check)
		return;
	const struct check *check = &execution->check;
	cJSON *json = cJSON_AddObjectToObject(answer, "check");
	add_truth(json, "bits_equal", check->bits_equal);
	add_truth(json, "within_bounds", check->within_bounds);
	add_text(json, "compared_with",
		has_meaning(execution) ? "sequential meaning" : "exact result");
	add_count(json, "wrong", check->wrong);
	add_text(json, "difference", check->text[0] ? check->text : NULL);
	add_count(json, "elements", check->elements);
	add_number(json, "largest_error_ulps", check->far.ulps);
	add_number(json, "largest_error_of_bound", check->far.bounded);
	add_count(json, "depth", check->depth);
}

static void print_exactness(
	FILE *out, const struct execution *execution, const struct execution_wish *wish)
{
	const struct check *check = &execution->check;
	if (!ordo_operator_facts(execution->schedule->problem.op)->reduces)
		return;
	const bool rounds = !ordo_is_associative(wish->type, wish->reduction);
	if (!rounds && has_meaning(execution))
		fprintf(out, "; and with the exact result");
	else if (!rounds)
		return;
	else
		fprintf(out,
			"; at most %.3g ulp from the exact %s (%.0f %% of what depth %u allows)",
			check->far.ulps,
			wish->reduction == ORDO_PROD  ? "product"
			: wish->reduction == ORDO_AVG ? "average"
						      : "sum",
			check->far.bounded * 100, check->depth);
}

/* What has no one order is held against the exact result. */
static const char *agreement(const struct execution *execution, const struct execution_wish *wish)
{
	if (has_meaning(execution))
		return "bit-equal with the sequential meaning";
	return ordo_is_associative(wish->type, wish->reduction) ? "bit-equal with the exact result"
								: "within what any order can be";
}

void print_check(FILE *out, const struct execution *execution, const struct execution_wish *wish)
{
	const struct check *check = &execution->check;
	if (is_wrong(check)) {
		fprintf(out, "%swrong%s: %s\n", paint(out, RED), paint(out, PLAIN), check->text);
		return;
	}
	fprintf(out, "%s%s%s, %" PRIu64 " elements", paint(out, GREEN), agreement(execution, wish),
		paint(out, PLAIN), check->elements);
	print_exactness(out, execution, wish);
	fputc('\n', out);
}

static void print_sent(const struct execution *execution)
{
	const uint64_t sent = bytes_sent(execution);
	print_bytes(stdout, (double)sent);
	printf(" by all ranks, ");
	print_rate(stdout, (double)sent / execution->best);
	printf("; ");
}

void print_run(const struct execution *execution, const struct execution_wish *how,
	uint64_t bytes_per_rank)
{
	const struct ordo_problem *problem = &execution->schedule->problem;
	print_schedule_line(stdout, execution->schedule);
	printf("  %-12s ", "data");
	print_bytes(stdout, (double)bytes_per_rank);
	if (problem->nshard != problem->nrank)
		printf(" a shard, %" PRIu32 " shards,", problem->nshard);
	else
		printf(" a rank,");
	printf(" %s %s, seed %" PRIu64 "\n", ordo_type_name(how->type),
		ordo_operator_facts(problem->op)->reduces ? ordo_reduction_name(how->reduction)
							  : "moved",
		how->seed);
	printf("  %-12s ", "time");
	print_seconds(stdout, execution->best);
	if (how->repeat > 1) {
		printf(" (the best of %u; mean ", how->repeat);
		print_seconds(stdout, execution->total / execution->ntimed);
		printf(")");
	}
	printf(", ");
	print_drive(stdout, how);
	printf("\n  %-12s ", "executed");
	print_form(stdout, how, false);
	putchar('\n');
	printf("  %-12s ", how->folded ? "rate" : "sent");
	if (!how->folded)
		print_sent(execution);
	print_rate(stdout, (double)bytes_per_rank / execution->best);
	printf(" of data a %s\n", problem->nshard != problem->nrank ? "shard" : "rank");
	if (how->check) {
		printf("  %-12s ", "check");
		print_check(stdout, execution, how);
	}
}

void report_links(struct call *call, const struct execution *execution)
{
	uint32_t nrank = execution->schedule->problem.nrank;
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

void report_load(struct call *call, const struct topology_choice *topology,
	const struct execution *execution)
{
	uint32_t nrank = execution->schedule->problem.nrank, busiest[2] = {0, 0};
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
	for (size_t i = 0; i < topology->failed.count; i++) {
		uint32_t a = 0, b = 0;
		if (sscanf(topology->failed.items[i], "%" SCNu32 "-%" SCNu32, &a, &b) != 2 ||
			a >= nrank || b >= nrank)
			continue;
		say(call, "  %-12s %" PRIu64 " B over %u-%u, which is down\n", "dead link",
			ordo_plan_bytes_sent(execution->plan, a, b) +
				ordo_plan_bytes_sent(execution->plan, b, a),
			a, b);
	}
}
