/* view.c - `ordo view`: a schedule as a page that steps through it. */
#include "base/memory_stream.h"
#include "base/output.h"
#include "cli/inputs.h"
#include "cli/memory_limit.h"
#include "cli/prediction_options.h"
#include "cli/sizes.h"
#include "commands.h"
#include "report/guarantees.h"
#include "report/proof.h"
#include "report/symmetry.h"
#include "run/input_set.h"
#include "view/page/page.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct args {
	const char *file, *output;
	const char *against; /* another schedule, or NULL */
	struct predicting predicting;
	struct arithmetic arithmetic; /* its type is that of the prediction */
	struct ordo_limits limits;
	bool atomic_reduce;
	struct texts ranks;
	uint32_t max_tasks;
};

/* The parts of a page, and their owner. */
struct making {
	struct call *call;
	struct args *args;
	struct subject subject;
	struct ordo_schedule *schedule; /* of the schedule */
	struct ordo_proof *proof;
	struct guarantee_verdicts verdicts;
	struct predicted predicted;
	struct ordo_timeline *counted; /* without a prediction */
	struct steps steps;
	struct shown shown;
	struct incoming incoming;
	struct places places; /* of blocks with counts */
};

/* A word quoted for a shell. */
static void write_word(FILE *out, const char *word)
{
	const char *plain =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=.,:/@%";
	if (*word && word[strspn(word, plain)] == 0) {
		fputs(word, out);
		return;
	}
	fputc('\'', out);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", out);
		else
			fputc(*word, out);
	fputc('\'', out);
}

/* The command line; the caller frees it. NULL: no memory. */
static char *command_line(const struct call *call)
{
	struct memory_stream stream;
	FILE *out = open_memory_stream(&stream);
	if (!out)
		return NULL;
	fprintf(out, "ordo %s", call->command->name);
	for (int i = 0; i < call->argc; i++) {
		fputc(' ', out);
		write_word(out, call->argv[i]);
	}
	char *text = close_memory_stream(&stream);
	if (text)
		tame(text, false);
	return text;
}

static bool open_proved(struct making *making)
{
	struct ordo_error error;
	struct call *call = making->call;
	struct args *args = making->args;
	struct subject *subject = &making->subject;
	const struct predicted *predicted = &making->predicted;
	if (!open_subject(call, subject, args->file, &args->predicting.topology) ||
		!open_predicted(call, &args->predicting, &subject->problem, &making->predicted))
		return false;
	args->arithmetic.type = predicted->type;
	struct proved_schedule *found =
		predicted->counts.given
			? find_schedule_of_size(call, subject,
				  bytes_of_counts(&predicted->counts, predicted->type))
			: find_schedule(call, subject, args->arithmetic.type,
				  count_of_bytes(&subject->problem, args->arithmetic.type,
					  predicted->bytes));
	making->schedule = found ? found->schedule : NULL;
	return found && (make_places(&making->places, &found->schedule->problem, 0,
				 predicted->counts.block_count, &error) ||
				refuse_error(call, &error));
}

static bool check_orders(struct making *making)
{
	struct call *call = making->call;
	const struct args *args = making->args;
	const struct ordo_problem *problem = &making->schedule->problem;
	if (args->against && !ordo_operator_facts(problem->op)->reduces) {
		call->status =
			fail_usage(call, NULL, "--against compares sums, and %s adds nothing",
				ordo_operator_facts(problem->op)->name);
		return false;
	}
	return check_guarantees(
		       call, &args->arithmetic, problem, making->proof, NULL, &making->verdicts) &&
	       (!args->against || check_guarantees_against(call, args->against, making->schedule,
					  making->proof, &making->verdicts));
}

static bool prove_and_check(struct making *making)
{
	struct call *call = making->call;
	const struct args *args = making->args;
	const struct ordo_problem *problem = &making->schedule->problem;
	if (problem->op == ORDO_CUSTOM)
		return refuse_usage(call, "`ordo draw` draws it",
			"Custom: the page compares the outputs with what an operator demands, and "
			"nothing says what that is");
	struct symmetry_found found;
	const struct ordo_verify_options options = {.topology = making->predicted.topology,
		.through_ranks = args->predicting.through_ranks,
		.atomic_reduce = args->atomic_reduce,
		.limits = args->limits};
	/* A comparison needs the trees, which only the proof of all ranks lists. */
	making->proof = prove_schedule(call, making->schedule, &options,
		args->against ? SYMMETRY_OFF : SYMMETRY_AUTO, &found);
	return making->proof && (!making->proof->proved || check_orders(making));
}

/* A refuted schedule has times only if it ends and uses only links that are up. */
static bool can_be_predicted(const struct making *making)
{
	const struct ordo_proof *proof = making->proof;
	for (uint32_t i = 0; i < proof->nfinding; i++)
		if (proof->findings[i].rule < 8 || proof->findings[i].rule == 12)
			return false;
	return making->steps.nstep == making->schedule->ntask;
}

/* Without a prediction, moves are counted. */
static bool time_tasks(struct making *making)
{
	struct ordo_error error;
	const struct args *args = making->args;
	if (!making->proof->proved) {
		making->counted = count_steps(making->schedule, &error);
		if (!making->counted || !order_steps(making->counted, &making->steps, &error))
			return refuse_error(making->call, &error);
		if (!can_be_predicted(making))
			return true;
	}
	if (!predict_taken(making->call, &args->predicting, making->schedule, &making->predicted))
		return false;
	free_steps(&making->steps);
	return order_steps(making->predicted.prediction->timeline, &making->steps, &error) ||
	       refuse_error(making->call, &error);
}

static bool choose_part(struct making *making)
{
	struct ordo_error error;
	const struct args *args = making->args;
	uint32_t nrank = 0, *ranks = NULL;
	if (args->ranks.count && !(ranks = read_numbers(making->call, "ranks", &args->ranks,
					   making->schedule->problem.nrank, &nrank)))
		return false;
	if (nrank > MOST_RANKS) {
		making->call->status = fail_usage(making->call, NULL,
			"--ranks: found %u ranks, wanted at most %d on a page", nrank, MOST_RANKS);
		free(ranks);
		return false;
	}
	const bool worked = choose_shown(&making->shown, making->schedule, &making->steps, ranks,
				    nrank, args->max_tasks, &error) &&
			    find_incoming(&making->incoming, making->schedule, &making->steps,
				    &making->shown, &error);
	free(ranks);
	return worked || refuse_error(making->call, &error);
}

static bool print_page(struct making *making, FILE *out)
{
	struct ordo_error error;
	char *command = command_line(making->call);
	if (!command) {
		ordo_fail_memory(&error);
		return refuse_error(making->call, &error);
	}
	const struct ordo_prediction *prediction = making->predicted.prediction;
	const struct page page = {.schedule = making->schedule,
		.proof = making->proof,
		.verdicts = making->proof->proved ? &making->verdicts : NULL,
		.limits = &making->args->limits,
		.topology = making->predicted.topology,
		.prediction = prediction,
		.timeline = prediction ? prediction->timeline : making->counted,
		.steps = &making->steps,
		.shown = &making->shown,
		.incoming = &making->incoming,
		.places = making->places.block_count ? &making->places : NULL,
		.against = making->args->against,
		.command = command};
	const bool worked = write_page(out, &page, &error) || refuse_error(making->call, &error);
	free(command);
	return worked;
}

static void tell(struct making *making, long size)
{
	struct call *call = making->call;
	const struct ordo_schedule *schedule = making->schedule;
	const struct shown *shown = &making->shown;
	const struct ordo_proof *proof = making->proof;
	const struct report members = {.json = call->answer};
	report_schedule(&members, schedule);
	report_counts(&members, &making->predicted.counts);
	report_members(&members, "%d<proved?> %ld<page_bytes> %u<ranks_shown> %u<tasks_shown>",
		proof->proved, size, shown->nrank, shown->ntask);
	const struct ordo_prediction *prediction = making->predicted.prediction;
	add_number(call->answer, prediction ? "seconds" : "rounds",
		prediction ? prediction->timeline->total : making->counted->total);
	/* As many of the following ranks, or the first ones. */
	const uint32_t nrank = schedule->problem.nrank, count = shown->nrank,
		       after = count ? shown->ranks[count - 1] + 1 : 0,
		       next = after < nrank ? after : 0;
	if (!shown->all)
		note(call,
			"shown: %u of %u tasks, those of %u of %u ranks and data that they "
			"receive%s; choose others with --ranks %u-%u",
			shown->ntask, schedule->ntask, count, nrank,
			shown->all_tasks ? "" : ", the earliest of them (--max-tasks)", next,
			next + count <= nrank ? next + count - 1 : nrank - 1);
	if (!proof->proved)
		note(call, "refuted: the page shows why; R%d is the first of %u finding%s",
			proof->findings[0].rule, proof->nfinding, plural(proof->nfinding));
	if (making->steps.nstep < schedule->ntask)
		note(call, "stuck: %u of %u tasks never run", schedule->ntask - making->steps.nstep,
			schedule->ntask);
}

static bool deliver(struct making *making, FILE *page)
{
	struct ordo_error error;
	struct call *call = making->call;
	const char *output = making->args->output;
	add_text(call->answer, "output", output);
	if (call->json && !output && !add_contents(call->answer, "page", page, &error))
		return refuse_error(making->call, &error);
	return (output ? save(page, output, &error)
		       : call->json || copy_out(page, stdout, &error)) ||
	       refuse_error(making->call, &error);
}

static bool make_page(struct making *making)
{
	struct ordo_error error;
	if (!open_proved(making) || !prove_and_check(making) || !time_tasks(making) ||
		!choose_part(making))
		return false;
	FILE *page = tmpfile();
	if (!page) {
		ordo_fail(&error, ORDO_ENVIRONMENT, 0, "cannot make a temporary file: %s",
			strerror(errno));
		return refuse_error(making->call, &error);
	}
	const bool worked = print_page(making, page);
	if (worked)
		tell(making, ftell(page));
	const bool delivered = worked && deliver(making, page);
	fclose(page);
	return delivered;
}

static void release(struct making *making)
{
	free_places(&making->places);
	free_incoming(&making->incoming);
	free_shown(&making->shown);
	free_steps(&making->steps);
	ordo_timeline_destroy(making->counted);
	free_guarantee_verdicts(&making->verdicts);
	ordo_proof_destroy(making->proof);
	close_predicted(&making->predicted);
	close_subject(&making->subject);
}

static int view_with(struct call *call, struct args *args)
{
	args->file =
		only_operand(call, "the file or folder of a schedule or plan set, or - for stdin");
	args->arithmetic.type_name = args->predicting.type_name;
	if (!args->file || !read_arithmetic(call, &args->arithmetic))
		return call->status;
	if (args->output && !strcmp(args->output, "-"))
		args->output = NULL;
	struct making making = {.call = call, .args = args};
	call->status = ORDO_OK;
	const bool worked = make_page(&making);
	release(&making);
	return worked ? ORDO_OK : call->status;
}

static int view(struct call *call)
{
	struct args args = {.predicting = PREDICTING_USUAL, .max_tasks = MOST_TASKS};
	const struct option options[] = {
		{"output", 'o', WRITTEN, &args.output, "OUT", "where to write (stdout)"},
		PREDICTING_OPTIONS(args.predicting),
		{"op", 0, TEXT, &args.arithmetic.reduction_name, "OP",
			"check the order for " ORDO_REDUCTION_NAMES " (sum)"},
		{"against", 0, READ, &args.against, "FILE",
			"check G4 and G5 too, against this schedule, for other links "
			"or ranks"},
		{"ranks", 0, TEXTS, &args.ranks, "A-B,C",
			"show these ranks, at most 64 (all, or the first that fit)"},
		{"max-tasks", 0, POSITIVE, &args.max_tasks, "N",
			"show at most N tasks, the earliest (100000)"},
		{"atomic-reduce", 0, SWITCH, &args.atomic_reduce, NULL, ATOMIC_REDUCE_MEANING},
		LIMIT_OPTIONS(args.limits),
		MEMORY_LIMIT_OPTION,
	};
	const int status = READ_OPTIONS(call, options) ? view_with(call, &args) : call->status;
	free_topology_choice(&args.predicting.topology);
	free_texts(&args.ranks);
	return status;
}

const struct command view_command = {
	.name = "view",
	.summary = "writes a page that steps through a schedule, for any browser",
	.usage = "FILE [OPTION]...",
	.examples =
		"  ordo view ring.json -o ring.html\n"
		"  ordo view ring.json --topology full-mesh --size 16MiB --type bf16 -o ring.html\n"
		"  ordo compile allgatherv -n 3 | ordo view - --counts 3,0,5 -o unequal.html\n"
		"  ordo view large.json --ranks 0-15,512 -o part.html\n"
		"  ordo view ring.json --against around.json -o ring.html\n"
		"  ordo view set --size 64KiB -o small.html\n"
		"  ordo compile allreduce --ranks 8 --algorithm ring | ordo view - > ring.html",
	.reads = true,
	.run = view,
};
