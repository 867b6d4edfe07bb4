/* import.c - `ordo import nccl`: schedules of rings and trees, and what follows for sums. */
#include "import.h"
#include "base/report.h"
#include "report/plan_set.h"
#include "uses.h"
#include <inttypes.h>
#include <ordo/detail/operators.h>
#include <ordo/detail/plan_sets.h>
#include <ordo/verify.h>
#include <stdlib.h>
#include <string.h>

/* What is asked of a choice: its schedule, and how many orders its sums have. */
struct made {
	struct ordo_schedule *schedule;
	uint32_t norder;
	char digest[33];
};

/* The logs of a job. */
struct job {
	struct nccl_log log;
	struct nccl_graph graph;
	struct nccl_uses uses;
	struct nccl_subject subject;
	struct made *made; /* [uses.nchoice] */
};

static void end_job(struct job *job)
{
	for (uint32_t i = 0; job->made && i < job->uses.nchoice; i++)
		ordo_schedule_destroy(job->made[i].schedule);
	free(job->made);
	nccl_uses_free(&job->uses);
	nccl_graph_free(&job->graph);
	nccl_close(&job->log);
}

static bool make(struct call *call, const struct nccl_subject *subject,
	const struct nccl_choice *choice, struct made *made)
{
	struct ordo_error error;
	made->schedule = nccl_schedule(subject, choice, &error);
	struct ordo_proof *proof =
		made->schedule ? ordo_verify(made->schedule, NULL, &error) : NULL;
	if (proof) {
		made->norder = proof->ndistinct;
		memcpy(made->digest, proof->digest, sizeof made->digest);
	}
	ordo_proof_destroy(proof);
	return proof ? true : refuse_error(call, &error);
}

static bool needs_trees(const struct job *job)
{
	for (uint32_t i = 0; i < job->uses.nchoice; i++)
		if (job->uses.choices[i].algorithm == NCCL_TREE)
			return true;
	return false;
}

static bool read_logs(struct call *call, struct job *job, const char *const *paths, size_t npath)
{
	struct ordo_error error;
	for (size_t i = 0; i < npath; i++)
		if (!nccl_read(&job->log, paths[i], &error))
			return refuse_error(call, &error);
	return nccl_join(&job->log, &job->graph, &error) ? true : refuse_error(call, &error);
}

/* Reads the logs of a job and makes its schedules. false: call->status. End the job also then. */
static bool open_job(struct call *call, struct job *job, const char *const *paths, size_t npath,
	const struct nccl_wish *wish, uint32_t root)
{
	struct ordo_error error;
	if (!read_logs(call, job, paths, npath))
		return false;
	if (!nccl_list_uses(&job->log, wish, &job->uses, &error))
		return refuse_error(call, &error);
	if (needs_trees(job) && !nccl_need_trees(&job->log, &job->graph, &error))
		return refuse_error(call, &error);
	if (wish->op == ORDO_REDUCE && root >= job->graph.nrank)
		return refuse_usage(call, NULL,
			"--root: the log names no root; wanted a rank of 0..%" PRIu32,
			job->graph.nrank - 1);
	job->subject = (struct nccl_subject){
		&job->graph, &job->log.version, wish->op, wish->op == ORDO_REDUCE ? root : 0};
	job->made = calloc((size_t)job->uses.nchoice + 1, sizeof *job->made);
	if (!job->made)
		return refuse_memory(call);
	for (uint32_t i = 0; i < job->uses.nchoice; i++)
		if (!make(call, &job->subject, &job->uses.choices[i], &job->made[i]))
			return false;
	return true;
}

/* --operator and --channels. */
static bool read_wish(struct call *call, const struct nccl_import *args, struct nccl_wish *wish)
{
	*wish = (struct nccl_wish){.op = ORDO_ALLREDUCE,
		.names_op = args->operator,
		.algorithm = args->algorithm,
		.first = ORDO_NONE,
		.last = ORDO_NONE};
	if (args->operator&& !ordo_operator_from_typed(args->operator, & wish->op))
		return refuse_usage(call, NULL,
			"--operator: found %s, wanted AllReduce, "
			"ReduceScatter or Reduce",
			args->operator);
	if (!ordo_operator_facts(wish->op)->reduces)
		return refuse_usage(call, NULL, "--operator: %s adds nothing, so it has no order",
			ordo_operator_facts(wish->op)->name);
	char *end;
	if (args->channels) {
		const unsigned long first = strtoul(args->channels, &end, 10);
		unsigned long last = first;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (end == args->channels || *end || *args->channels == '-' || first > last ||
			last >= ORDO_LIMIT)
			return refuse_usage(call, NULL,
				"--channels: found %s, wanted the first and the last, such as 0-7",
				args->channels);
		wish->first = (uint32_t)first;
		wish->last = (uint32_t)last;
	}
	return true;
}

/* The set. */

/* A size that is not modelled is a range without a schedule; so is one that is so in one of its
 * uses. */
static bool fill_set(const struct job *job, struct ordo_plan_set *set,
	const struct ordo_schedule **schedules, struct ordo_error *error)
{
	const struct nccl_use *items = job->uses.items;
	const uint32_t count = job->uses.count;
	for (uint32_t i = 0, next; i < count; i = next) {
		char name[32];
		bool modelled = true;
		for (next = i; next < count && items[next].bytes == items[i].bytes; next++)
			modelled = modelled && items[next].choice != ORDO_NONE;
		const uint64_t last = !items[i].place.line ? ORDO_ENDLESS
				      : next < count	   ? items[next].bytes - 1
							   : items[i].bytes;
		snprintf(name, sizeof name, "range-%" PRIu32 ".json", items[i].choice);
		schedules[set->nrange] = modelled ? job->made[items[i].choice].schedule : NULL;
		if (!ordo_plan_set_add(set, items[i].bytes, last, modelled ? name : NULL, error))
			return false;
	}
	return true;
}

static bool write_set(struct call *call, const struct job *job, const char *output)
{
	struct ordo_error error;
	const struct ordo_schedule **schedules = calloc(job->uses.count, sizeof *schedules);
	struct ordo_plan_set *set =
		schedules ? ordo_plan_set_create(&job->made[0].schedule->problem, &error) : NULL;
	if (!schedules)
		ordo_fail_memory(&error);
	const bool worked = set && fill_set(job, set, schedules, &error) &&
			    ordo_plan_set_write(set, schedules, output, &error);
	ordo_plan_set_destroy(set);
	free(schedules);
	return worked || refuse_error(call, &error);
}

/* Answers. */

static const char *name_use(char out[160], const struct job *job, const struct nccl_use *use)
{
	char choice[80];
	if (use->choice == ORDO_NONE) {
		snprintf(out, 160, "%.40s", use->algorithm);
		return out;
	}
	const uint32_t norder = job->made[use->choice].norder;
	nccl_print_choice(&job->uses.choices[use->choice], choice, sizeof choice);
	snprintf(out, 160, "%s: %" PRIu32 " order%s", choice, norder, plural(norder));
	return out;
}

/* Do two uses give every element the same order? Several orders move with the size. */
static bool is_same(const struct job *job, const struct nccl_use *a, const struct nccl_use *b)
{
	const struct made *one = &job->made[a->choice], *other = &job->made[b->choice];
	return one->norder == 1 && other->norder == 1 && !strcmp(one->digest, other->digest);
}

/* The next use from a place on that is modelled; count: there is none. */
static uint32_t next_modelled(const struct job *job, uint32_t i)
{
	while (i < job->uses.count && job->uses.items[i].choice == ORDO_NONE)
		i++;
	return i;
}

static void answer_sizes(const struct report *report, const struct job *job)
{
	const struct nccl_use *items = job->uses.items;
	const uint32_t count = job->uses.count, start = next_modelled(job, 0);
	char one[160], other[160];
	uint32_t before = start, i = next_modelled(job, start + 1);
	while (i < count && is_same(job, &items[before], &items[i])) {
		before = i;
		i = next_modelled(job, i + 1);
	}
	report_members(report, "%d<one_order_at_all_sizes?>",
		i >= count && job->made[items[start].choice].norder == 1);
	if (i < count) {
		report_line(report, "at all sizes", "not one order: %" PRIu64 " bytes (%s)",
			items[before].bytes, name_use(one, job, &items[before]));
		report_text(report, "  %-23s and %" PRIu64 " bytes (%s)\n", "", items[i].bytes,
			name_use(other, job, &items[i]));
		report_members(report,
			"%" PRIu64 "<first_size_before> %" PRIu64 "<first_size_after>",
			items[before].bytes, items[i].bytes);
	} else {
		report_line(report, "at all sizes", "%s%s",
			before > start || !items[start].place.line ? "" : "one size: ",
			name_use(one, job, &items[start]));
	}
}

/* Two places of a use with several orders, and an input on which they differ. */
static bool show_places(struct call *call, const struct report *report, const struct job *job,
	const struct nccl_use *use)
{
	struct guarantee_verdicts verdicts;
	struct ordo_error error;
	char name[160];
	const struct ordo_schedule *schedule = job->made[use->choice].schedule;
	const struct arithmetic sums = usual_sums(&schedule->problem);
	struct ordo_proof *proof = ordo_verify(schedule, NULL, &error);
	if (!proof)
		return refuse_error(call, &error);
	const bool worked =
		check_guarantees(call, &sums, &schedule->problem, proof, NULL, &verdicts);
	const struct ordo_judgement *places = &verdicts.of[ORDO_G3];
	if (worked && places->contradicted) {
		report_line(report, "", "%s: %s", name_use(name, job, use), places->why);
		const struct report input = report_object(report, "input");
		report_label(&input, "");
		report_shard_values(&input, &places->contradiction);
		report_text(&input, "\n");
	}
	free_guarantee_verdicts(&verdicts);
	ordo_proof_destroy(proof);
	return worked;
}

static bool answer_places(struct call *call, const struct report *report, const struct job *job)
{
	const struct nccl_use *several = NULL;
	uint32_t most = 0;
	for (uint32_t i = next_modelled(job, 0); i < job->uses.count;
		i = next_modelled(job, i + 1)) {
		const struct nccl_use *use = &job->uses.items[i];
		const uint32_t norder = job->made[use->choice].norder;
		most = norder > most ? norder : most;
		several = !several && norder > 1 ? use : several;
	}
	report_members(report, "%u<most_orders>", most);
	report_line(report, "at all places",
		several ? "not one order: some elements have others; which ones depends on the size"
			: "one order");
	return !several || show_places(call, report, job, several);
}

/* What one choice for all sizes would give. */
static bool answer_pin(struct call *call, const struct report *list, const struct job *job,
	struct nccl_choice choice, const char *settings)
{
	struct made made = {0};
	if (nccl_not_modelled(job->subject.op, &choice))
		return true;
	const bool worked = make(call, &job->subject, &choice, &made);
	ordo_schedule_destroy(made.schedule);
	if (!worked)
		return false;
	const struct report one = report_item(list);
	report_members(&one, "%s<settings> %u<orders>", settings, made.norder);
	report_line(&one, "if pinned", "%s: %u order%s%s", settings, made.norder,
		plural(made.norder), made.norder == 1 ? ", at all sizes and places" : "");
	return true;
}

static bool answer_pins(struct call *call, const struct report *report, struct job *job)
{
	struct ordo_error ignored;
	const uint32_t last = job->graph.nchannel - 1;
	const struct report list = report_list(report, "if_pinned");
	const bool trees = job->log.nnode && nccl_need_trees(&job->log, &job->graph, &ignored);
	char all[96];
	snprintf(all, sizeof all, "NCCL_ALGO=Tree, all %" PRIu32 " channels", last + 1);
	if (trees && (!answer_pin(call, &list, job, (struct nccl_choice){NCCL_TREE, "any", 0, 0},
			      "NCCL_ALGO=Tree NCCL_MIN_NCHANNELS=1 NCCL_MAX_NCHANNELS=1") ||
			     !answer_pin(call, &list, job,
				     (struct nccl_choice){NCCL_TREE, "any", 0, last}, all)))
		return false;
	return answer_pin(call, &list, job, (struct nccl_choice){NCCL_RING, "any", 0, 0},
		"NCCL_ALGO=Ring NCCL_MIN_NCHANNELS=1 NCCL_MAX_NCHANNELS=1");
}

static const struct nccl_use *find_size(const struct nccl_uses *uses, uint64_t bytes)
{
	for (uint32_t i = 0; i < uses->count; i++)
		if (uses->items[i].bytes == bytes && uses->items[i].choice != ORDO_NONE)
			return &uses->items[i];
	return NULL;
}

/* The sizes that both jobs have: is an element's order the same? */
static int answer_jobs(const struct report *report, const struct job *job, const struct job *other)
{
	char here[160], there[160];
	uint32_t nboth = 0;
	for (uint32_t i = 0; i < job->uses.count; i++) {
		const struct nccl_use *use = &job->uses.items[i],
				      *same = find_size(&other->uses, use->bytes);
		if (use->choice == ORDO_NONE || !same)
			continue;
		nboth++;
		if (!strcmp(job->made[use->choice].digest, other->made[same->choice].digest))
			continue;
		report_line(report, "in both jobs", "not one order: %" PRIu64 " bytes (%s)",
			use->bytes, name_use(here, job, use));
		report_text(report, "  %-23s and in the other job (%s)\n", "",
			name_use(there, other, same));
		report_members(report, "%d<same_in_both_jobs?> %" PRIu64 "<differs_at>", false,
			use->bytes);
		return ORDO_OK;
	}
	if (!nboth) {
		report_line(report, "in both jobs", "unknown: no size is in both logs");
		return ORDO_UNDECIDED;
	}
	report_line(report, "in both jobs", "the same orders at %" PRIu32 " size%s", nboth,
		plural(nboth));
	report_members(report, "%d<same_in_both_jobs?>", true);
	return ORDO_OK;
}

/* Sizes with two choices, and what is not modelled. Returns ORDO_UNDECIDED for the latter. */
static int answer_rest(const struct report *report, const struct job *job)
{
	const struct nccl_use *items = job->uses.items;
	char one[160], other[160];
	int status = ORDO_OK;
	const struct report list = report_list(report, "not_modelled");
	for (uint32_t i = 0; i < job->uses.count; i++) {
		if (i && items[i - 1].bytes == items[i].bytes)
			report_line(report, "twice", "%" PRIu64 " bytes used %s, and %s",
				items[i].bytes, name_use(one, job, &items[i - 1]),
				name_use(other, job, &items[i]));
		if (items[i].choice != ORDO_NONE)
			continue;
		const struct report item = report_item(&list);
		report_members(&item, "%s<algorithm> %" PRIu64 "<bytes>", items[i].algorithm,
			items[i].bytes);
		report_line(&item, "not modelled", "%s at %" PRIu64 " bytes: its order is unknown",
			items[i].algorithm, items[i].bytes);
		status = ORDO_UNDECIDED;
	}
	return status;
}

static void report_log(const struct report *report, const struct job *job, uint32_t written)
{
	const struct nccl_version *version = &job->log.version;
	report_text(report,
		"NCCL %u.%u.%u: %s on %u ranks, %u channel%s, %u use%s of sizes, %u schedule%s\n",
		version->major, version->minor, version->patch,
		ordo_operator_facts(job->subject.op)->name, job->graph.nrank, job->graph.nchannel,
		plural(job->graph.nchannel), job->uses.count, plural(job->uses.count),
		job->uses.nchoice, plural(job->uses.nchoice));
	report_members(report, "%u<channels> %u<uses> %u<written>", job->graph.nchannel,
		job->uses.count, written);
}

static int report_job(
	struct call *call, const struct nccl_import *args, struct job *job, const struct job *other)
{
	/* Without a schedule there is nothing to write. */
	const uint32_t written = job->uses.nchoice ? job->uses.count : 0;
	const struct report report = report_of(call, stdout), nccl = report_object(&report, "nccl");
	int status = ORDO_OK;
	report_log(&nccl, job, written);
	if (written && args->output) {
		const struct set_question question = {.path = args->output,
			.topology = &(struct topology_choice){.name = NULL},
			.conditions = &(struct conditions){.guarantees = 0},
			.arithmetic = &(struct arithmetic){.type = ORDO_F32}};
		if (!write_set(call, job, args->output))
			return call->status;
		note(call,
			"a range of the set begins at a size of the log; the log says nothing of "
			"the sizes between");
		status = verify_set(call, &question);
	}
	if (status != ORDO_OK && status != ORDO_UNDECIDED)
		return status;
	if (next_modelled(job, 0) < job->uses.count) {
		answer_sizes(&nccl, job);
		if (!answer_places(call, &nccl, job) || !answer_pins(call, &nccl, job))
			return call->status;
	}
	if (other)
		status = answer_jobs(&nccl, job, other);
	if (job->log.version.minor >= 27)
		note(call,
			"symmetric kernels, for registered windows, are not in all logs: they are "
			"not modelled");
	const int rest = answer_rest(&nccl, job);
	return rest ? rest : status;
}

static bool has_as_many(struct call *call, const struct job *job, const struct job *other)
{
	return job->graph.nrank == other->graph.nrank ||
	       refuse_usage(call, NULL, "--against: found %" PRIu32 " rank%s, wanted %" PRIu32,
		       other->graph.nrank, plural(other->graph.nrank), job->graph.nrank);
}

int import_nccl(struct call *call, const struct nccl_import *args)
{
	struct nccl_wish wish;
	struct job job = {0}, other = {0};
	if (!read_wish(call, args, &wish))
		return call->status;
	const bool compares = args->against.count;
	bool worked =
		open_job(call, &job, call->operands + 1, call->noperand - 1, &wish, args->root);
	if (worked && compares)
		worked = open_job(call, &other, args->against.items, args->against.count, &wish,
				 args->root) &&
			 has_as_many(call, &job, &other);
	const int status =
		worked ? report_job(call, args, &job, compares ? &other : NULL) : call->status;
	end_job(&other);
	end_job(&job);
	return status;
}
