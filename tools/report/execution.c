/* execution.c - reports how a schedule was executed, its times, and the check of its result. */
#include "execution.h"
#include "proof.h"
#include <inttypes.h>
#include <ordo/detail/accumulate.h>

void report_drive(const struct report *report, const struct execution_options *args)
{
	report_members(report, "%s<transport> %s<executes>",
		args->folded   ? "folded"
		: args->flags  ? "flags"
		: args->seeded ? "seeded"
		: args->world  ? "mpi"
			       : "threads",
		args->folded ? "fold" : "tasks");
	if (args->world) {
		report_text(report, "a process for every rank, ");
		report_members(report, "%s<mpi>", args->world->mpi->library());
		report_text(report, "%s", args->world->mpi->library());
		return;
	}
	if (args->seeded)
		report_text(report, "one thread, interleaved by the seed%s",
			args->flags ? "; signals are one bit" : "");
	else if (args->nworker)
		report_text(
			report, "%u thread%s for all ranks", args->nworker, plural(args->nworker));
	else
		report_text(report, "a thread for every rank");
	if (!args->seeded)
		report_members(report, "%u<workers>", args->nworker);
	if (args->folded)
		report_text(report, ", folded in the proved order");
}

const char *form_text(const struct execution_options *args, bool table)
{
	if (args->world)
		return "the tasks: each Send and SendReduce is a message";
	if (args->folded)
		return table ? "each output folded from the inputs in the proved order; a run of "
			       "one size, or --transport threads, interprets the tasks"
			     : "each output folded from the inputs in the proved order; "
			       "--transport threads interprets the tasks";
	return table ? "the tasks, interpreted one by one; --transport folded is faster"
		     : "the tasks, interpreted one by one; --transport folded, or a table (--end), "
		       "is faster";
}

static bool has_meaning(const struct execution *execution)
{
	return execution->trial.proof ||
	       !ordo_operator_facts(execution->schedule->problem.op)->reduces;
}

static void report_exactness(const struct report *report, const struct execution *execution,
	const struct execution_options *args)
{
	const struct check *check = &execution->check;
	if (!ordo_operator_facts(execution->schedule->problem.op)->reduces)
		return;
	const bool rounds = !ordo_is_associative(args->type, args->reduction);
	if (rounds)
		report_text(report, "; at most %.3g ulp from the exact %s (%.0f %% of what ",
			check->far.ulps,
			args->reduction == ORDO_PROD  ? "product"
			: args->reduction == ORDO_AVG ? "average"
						      : "sum",
			check->far.bounded * 100);
	const struct ordo_problem *problem = &execution->schedule->problem;
	if (rounds && ordo_is_order_free(problem))
		report_text(report, "%s allows)", ordo_accumulation_name(problem->accumulate));
	else if (rounds)
		report_text(report, "depth %u allows)", check->depth);
	else if (has_meaning(execution))
		report_text(report, "; and with the exact result");
}

/* A sum without a fixed order is compared with the exact result. */
static const char *agreement(
	const struct execution *execution, const struct execution_options *args)
{
	if (has_meaning(execution))
		return "bit-equal with the reference result";
	return ordo_is_associative(args->type, args->reduction) ? "bit-equal with the exact result"
								: "within the bounds of any order";
}

static void report_check(const struct report *report, const struct execution *execution,
	const struct execution_options *args)
{
	const struct check *check = &execution->check;
	const struct report one = report_object(report, "check");
	const char *plain = paint(report->text, PLAIN);
	report_label(&one, "check");
	if (is_wrong(check)) {
		report_text(&one, "%swrong%s: %s\n", paint(report->text, RED), plain, check->text);
	} else {
		report_text(&one, "%s%s%s, %" PRIu64 " elements", paint(report->text, GREEN),
			agreement(execution, args), plain, check->elements);
		report_exactness(&one, execution, args);
		report_text(&one, "\n");
	}
	report_members(&one,
		"%d<bits_equal?> %d<within_bounds?> %s<compared_with> %" PRIu64
		"<wrong> %s<difference> %" PRIu64
		"<elements> %g<largest_error_ulps> %g<largest_error_of_bound> %u<depth>",
		check->bits_equal, check->within_bounds,
		has_meaning(execution) ? "sequential meaning" : "exact result", check->wrong,
		text_or_null(check->text), check->elements, check->far.ulps, check->far.bounded,
		check->depth);
}

static void report_sent(const struct report *report, const struct execution *execution)
{
	const uint64_t sent = bytes_sent(execution);
	const double rate = (double)sent / execution->best;
	report_text(report, "%g<:bytes> by all ranks, %g<:rate>; ", (double)sent, rate);
	report_members(
		report, "%" PRIu64 "<bytes_sent> %g<sent_gigabytes_per_second>", sent, rate * 1e-9);
}

static void report_data(const struct report *report, const struct execution *execution,
	const struct execution_options *how, uint64_t bytes_per_rank)
{
	const struct ordo_problem *problem = &execution->schedule->problem;
	report_label(report, "data");
	report_text(report, "%g<:bytes> a ", (double)bytes_per_rank);
	if (problem->nshard != problem->nrank)
		report_text(report, "shard, %u shards,", problem->nshard);
	else
		report_text(report, "rank,");
	report_text(report, " %s<type> %s, seed %" PRIu64 "<seed>\n", ordo_type_name(how->type),
		ordo_operator_facts(problem->op)->reduces || problem->op == ORDO_CUSTOM
			? ordo_reduction_name(how->reduction)
			: "moved",
		how->seed);
	report_members(report,
		"%s<reduction> %" PRIu64 "<count> %" PRIu64 "<bytes_per_rank> %u<repeat>",
		ordo_reduction_name(how->reduction), how->count, bytes_per_rank, how->repeat);
}

void report_run(const struct report *report, const struct execution *execution,
	const struct execution_options *how, uint64_t bytes_per_rank)
{
	const struct ordo_problem *problem = &execution->schedule->problem;
	const double mean = execution->total / execution->ntimed,
		     rate = (double)bytes_per_rank / execution->best;
	report_data(report, execution, how, bytes_per_rank);
	report_label(report, "time");
	report_text(report, "%g<best_seconds:time>", execution->best);
	if (how->repeat > 1)
		report_text(report, " (the best of %u; mean %g<:time>)", how->repeat, mean);
	report_text(report, ", ");
	report_drive(report, how);
	report_text(report, "\n");
	report_line(report, "executed", "%s", form_text(how, false));
	if (execution->plan && how->staging_bytes)
		report_line(report, "staging",
			"%" PRIu64
			"<rounds> round%s%s, %g<staging_bytes:bytes> of a rank in %u slots",
			ordo_plan_rounds(execution->plan),
			ordo_plan_rounds(execution->plan) == 1 ? "" : "s",
			how->overlap ? ", two at a time" : "",
			(double)ordo_plan_scratch_bytes(execution->plan),
			execution->schedule->scratch_slots);
	report_label(report, execution->plan ? "sent" : "rate");
	if (execution->plan)
		report_sent(report, execution);
	report_text(report, "%g<:rate> of data a %s\n", rate,
		problem->nshard != problem->nrank ? "shard" : "rank");
	report_members(report, "%g<mean_seconds> %g<gigabytes_per_second>", mean, rate * 1e-9);
	if (how->check)
		report_check(report, execution, how);
}

void report_links(const struct report *report, const struct execution *execution)
{
	const uint32_t nrank = execution->schedule->problem.nrank;
	const struct report list = report_list(report, "links");
	report_line(report, "links", "from   to      bytes");
	for (uint32_t from = 0; from < nrank; from++)
		for (uint32_t to = 0; to < nrank; to++) {
			const uint64_t bytes = ordo_plan_bytes_sent(execution->plan, from, to);
			if (!bytes)
				continue;
			const struct report one = report_item(&list);
			report_line(&one, "", "%4u<from> %4u<to> %10" PRIu64 "<bytes>", from, to,
				bytes);
		}
}

void report_load(const struct report *report, const struct topology_choice *topology,
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
	report_members(report, "%" PRIu64 "<busiest_link_bytes>", most);
	if (most)
		report_line(report, "busiest link", "%g<:bytes> from %u to %u", (double)most,
			busiest[0], busiest[1]);
	for (size_t i = 0; i < topology->failed.count && !topology->ranks.count; i++) {
		uint32_t a = 0, b = 0;
		if (sscanf(topology->failed.items[i], "%" SCNu32 "-%" SCNu32, &a, &b) == 2 &&
			a < nrank && b < nrank)
			report_line(report, "dead link", "%" PRIu64 " B over %u-%u, which is down",
				ordo_plan_bytes_sent(execution->plan, a, b) +
					ordo_plan_bytes_sent(execution->plan, b, a),
				a, b);
	}
}
