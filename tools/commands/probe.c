/* probe.c - `ordo probe`: recovers reduction trees from real runs, and compares them with the
 * proof. */
#include "base/progress.h"
#include "cli/inputs.h"
#include "cli/memory_limit.h"
#include "cli/sizes.h"
#include "commands.h"
#include "probe/agree.h"
#include "probe/kit/write_kit.h"
#include "report/answers/answers.h"
#include "report/execution.h"
#include "report/proof.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/detail/accumulate.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Rounds of so few bytes a chunk, and enough elements for two rounds, because calls follow each
 * other without a barrier (R9). */
enum { TILE_BYTES = 64, MOST_SHOWN_ORDERS = 32, MOST_SHOWN_LEAVES = 32, UNSET = ORDO_LIMIT };

struct args {
	const char *file, *type_name, *transport;
	enum ordo_type type;
	uint64_t count, seed;
	uint32_t nseed, nworker;
	bool atomic_reduce, unproved;
	struct kit_options kit;
	const char *answers, *against;
};

enum verdict { AGREED, DIFFERENT, NOT_COMPARED };

struct session {
	struct call *call;
	const struct args *args;
	const struct ordo_schedule *schedule;
	struct ordo_forest *forest;
	struct ordo_order *order; /* of the proof; NULL: refuted */
	struct live live;
	struct probe *probes; /* [nprobe] */
	uint32_t nprobe;
	const struct probe *shown; /* the differing one, or the first */
	struct ordo_arena arena;
	enum verdict verdict;
	const char *why; /* they differ, or were not compared */
	bool proved, same_in_all, same_on_ranks;
};

static bool read_names(struct call *call, struct args *args)
{
	if (!ordo_type_from_name(args->type_name, &args->type))
		return refuse_usage(call, NULL,
			"--type: found %s, wanted f16, bf16, f32, f64, f8e4m3 or f8e5m2",
			args->type_name);
	if (!args->count)
		return refuse_usage(call, NULL, "--count: found 0, wanted at least 1");
	if (!ordo_type_facts(args->type)->is_float)
		return refuse_usage(call, NULL,
			"--type: sums of %s are the same in every order, so runs do not show it; "
			"wanted a float",
			args->type_name);
	if (strcmp(args->transport, "both") != 0 && strcmp(args->transport, "threads") != 0 &&
		strcmp(args->transport, "seeded") != 0)
		return refuse_usage(call, NULL,
			"--transport: found %s, wanted threads, seeded or both", args->transport);
	return true;
}

/* By default, one element a chunk more than a round moves. */
static uint64_t choose_count(const struct args *args, const struct ordo_problem *problem)
{
	if (args->count != UINT64_MAX)
		return args->count;
	return (TILE_BYTES / ordo_type_size(args->type) + 1) * (uint64_t)problem->chunks_per_block;
}

static const char *name_place(struct session *session, uint64_t element)
{
	const struct element_place place = live_place(&session->live, element);
	return ordo_arena_format(&session->arena, "rank %u, chunk %u, element %" PRIu64, place.rank,
		place.chunk, place.offset);
}

static const char *name_drive(struct session *session, const struct drive *drive)
{
	if (drive->seeded)
		return ordo_arena_format(&session->arena, "seed %" PRIu64, drive->seed);
	if (!drive->nworker)
		return "a thread for every rank";
	return ordo_arena_format(
		&session->arena, "%u thread%s", drive->nworker, plural(drive->nworker));
}

/* For messages: a tree, abbreviated if it is large, or why there is none. */
static const char *name_tree(struct session *session, const struct probe *probe, uint32_t class)
{
	if (probe->trees[class] == ORDO_NONE)
		return probe->recovered.classes[class].why;
	return ordo_forest_print(
		session->forest, &session->arena, probe->trees[class], MOST_SHOWN_LEAVES);
}

static void differs(struct session *session, const struct probe *probe,
	const struct difference *difference, const char *whose)
{
	const char *wanted = difference->wanted == ORDO_NONE
				     ? "a tree"
				     : ordo_forest_print(session->forest, &session->arena,
					       difference->wanted, MOST_SHOWN_LEAVES);
	session->shown = probe;
	session->verdict = DIFFERENT;
	session->why = ordo_arena_format(&session->arena, "%s, by %s:\nfound  %s\n%s %s",
		name_place(session, difference->element), name_drive(session, &probe->drive),
		name_tree(session, probe, probe->recovered.class_of[difference->element]), whose,
		wanted);
}

/* Runs all masks with one transport. */
static bool probe_once(struct session *session, const struct drive *drive, struct ordo_error *error)
{
	struct progress progress = {0};
	session->live.progress = show_progress;
	session->live.closure = &progress;
	const bool worked = make_probe(
		&session->probes[session->nprobe++], &session->live, drive, session->forest, error);
	hide_progress(&progress);
	return worked;
}

static bool probe_all(struct session *session, struct ordo_error *error)
{
	const struct args *args = session->args;
	const bool threads = strcmp(args->transport, "seeded") != 0,
		   seeded = strcmp(args->transport, "threads") != 0;
	const uint32_t nseed = seeded ? args->nseed : 0;
	session->probes = calloc((size_t)nseed + 1, sizeof *session->probes);
	if (!session->probes)
		return ordo_fail_memory(error);
	session->live.expected =
		count_mask_runs(session->schedule->problem.nshard) * (nseed + threads);
	if (threads && !probe_once(session, &(struct drive){.nworker = args->nworker}, error))
		return false;
	for (uint32_t i = 0; i < nseed; i++)
		if (!probe_once(session, &(struct drive){.seeded = true, .seed = args->seed + i},
			    error))
			return false;
	return true;
}

/* By the proof the order depends on timing. With one seed the timing is fixed, so there must still
 * be trees. */
static void compare_unordered(struct session *session)
{
	struct difference difference;
	const uint64_t nelement = session->live.first[session->schedule->problem.nrank];
	const struct probe *first = NULL;
	session->verdict = NOT_COMPARED;
	session->why = "as in the proof, no order is fixed (G2)";
	for (uint32_t i = 0; i < session->nprobe; i++) {
		const struct probe *probe = &session->probes[i];
		if (!probe->drive.seeded)
			continue;
		if (!is_whole(probe, &difference)) {
			differs(session, probe, &difference, "wanted");
			return;
		}
		first = first ? first : probe;
		if (agree_with_each_other(first, probe, session->forest, nelement, &difference))
			continue;
		differs(session, probe, &difference, "before");
		session->verdict = NOT_COMPARED;
		session->why = ordo_arena_format(&session->arena,
			"as in the proof, no order is fixed (G2): %s", session->why);
		first = probe;
	}
}

static void compare(struct session *session)
{
	struct difference difference;
	const uint64_t nelement = session->live.first[session->schedule->problem.nrank];
	for (uint32_t i = 0; i < session->nprobe && session->verdict != DIFFERENT; i++) {
		const struct probe *probe = &session->probes[i];
		if (!is_whole(probe, &difference))
			differs(session, probe, &difference, "wanted");
		else if (session->order &&
			 !agree_with_order(probe, &session->live, session->order, &difference))
			differs(session, probe, &difference, "proved");
		else if (!agree_with_each_other(&session->probes[0], probe, session->forest,
				 nelement, &difference))
			differs(session, probe, &difference, "before");
	}
	if (session->order || session->verdict == DIFFERENT)
		return;
	session->verdict = NOT_COMPARED;
	session->why = "a refuted schedule has no proof to compare with";
}

/* In an AllReduce all ranks have the same elements in the same places. */
static bool ranks_agree(const struct session *session, const struct probe *probe)
{
	const uint64_t *first = session->live.first;
	const struct ordo_trees *trees = &session->forest->trees;
	if (session->schedule->problem.op != ORDO_ALLREDUCE)
		return true;
	for (uint64_t e = first[1]; e < first[session->schedule->problem.nrank]; e++) {
		const uint32_t a = tree_seen(probe, e % first[1]), b = tree_seen(probe, e);
		if (a == ORDO_NONE || b == ORDO_NONE ||
			ordo_same_tree(trees, a) != ordo_same_tree(trees, b))
			return false;
	}
	return true;
}

/* The results of the probes, independent of the proof. */
static void look(struct session *session)
{
	struct difference difference;
	const uint64_t nelement = session->live.first[session->schedule->problem.nrank];
	session->shown = &session->probes[0];
	session->same_in_all = session->same_on_ranks = true;
	for (uint32_t i = 0; i < session->nprobe; i++) {
		session->same_on_ranks &= ranks_agree(session, &session->probes[i]);
		session->same_in_all &= agree_with_each_other(&session->probes[0],
			&session->probes[i], session->forest, nelement, &difference);
	}
}

/* The places of the elements of a class. */
struct spread {
	uint32_t nrank, nslot, last_rank, last_slot;
};

static void touch(struct spread *spread, uint32_t rank, uint32_t slot)
{
	const bool same_rank = spread->nrank && spread->last_rank == rank;
	spread->nslot += !same_rank || spread->last_slot != slot;
	spread->nrank += !same_rank;
	spread->last_rank = rank;
	spread->last_slot = slot;
}

/* NULL: no memory. */
static struct spread *spread_classes(const struct session *session)
{
	const struct ordo_problem *problem = &session->schedule->problem;
	const struct recovered *recovered = &session->shown->recovered;
	struct spread *spreads = calloc((size_t)recovered->nclass + 1, sizeof *spreads);
	for (uint32_t rank = 0; spreads && rank < problem->nrank; rank++)
		for (uint32_t slot = 0; slot < ordo_output_slots(problem, rank); slot++) {
			const uint64_t end = live_slot(&session->live, rank, slot + 1);
			for (uint64_t e = live_slot(&session->live, rank, slot); e < end; e++)
				touch(&spreads[recovered->class_of[e]], rank, slot);
		}
	return spreads;
}

static const char *name_order(struct session *session, uint32_t tree)
{
	struct ordo_tree_name name;
	char text[64];
	if (tree == ORDO_NONE)
		return "";
	if (!ordo_forest_name(session->forest, tree, &name)) {
		set_incomplete();
		return "";
	}
	if (name.kind == ORDO_UNNAMED)
		return "";
	ordo_tree_name_print(name, text, sizeof text);
	const char *named = ordo_arena_format(&session->arena, ", %s", text);
	if (!named)
		set_incomplete();
	return named ? named : "";
}

static void report_order(const struct report *order, struct session *session, uint32_t class,
	const struct spread *spread)
{
	const struct probe *probe = session->shown;
	const struct element_class *found = &probe->recovered.classes[class];
	const struct element_place place = live_place(&session->live, found->first);
	const bool tree = probe->trees[class] != ORDO_NONE;
	add_text(order->json, "tree",
		tree ? ordo_forest_print(
			       session->forest, &session->arena, probe->trees[class], ORDO_LIMIT)
		     : NULL);
	if (!tree)
		report_members(order, "%s<why>", found->why);
	report_text(order,
		"    %" PRIu64 "<elements> element%s of %u<slots> slot%s on %u<ranks> rank%s, the "
		"first on rank %u<rank> of chunk %u<chunk>%s\n      %s\n",
		found->nelement, plural(found->nelement), spread->nslot, plural(spread->nslot),
		spread->nrank, plural(spread->nrank), place.rank, place.chunk,
		name_order(session, probe->trees[class]), name_tree(session, probe, class));
	report_members(order, "%" PRIu64 "<offset>", place.offset);
}

/* Text shows the first trees; --json has all, and the elements without a tree. */
static void report_orders(
	const struct report *report, struct session *session, const struct spread *spreads)
{
	const struct probe *probe = session->shown;
	const struct report list = report_list(report, "orders");
	uint32_t ntree = 0, nshown = 0;
	uint64_t without = 0;
	for (uint32_t c = 0; c < probe->recovered.nclass; c++) {
		ntree += probe->trees[c] != ORDO_NONE;
		without += probe->trees[c] == ORDO_NONE ? probe->recovered.classes[c].nelement : 0;
	}
	report_label(report, "orders");
	report_text(report, "%u%s, by %s", ntree, ntree == 1 ? "" : " different",
		name_drive(session, &probe->drive));
	if (without)
		report_text(report, "; %" PRIu64 " element%s no tree", without,
			without == 1 ? " has" : "s have");
	report_text(report, "\n");
	for (uint32_t c = 0; c < probe->recovered.nclass; c++) {
		struct report one = report_item(&list);
		const bool shown = probe->trees[c] != ORDO_NONE && nshown < MOST_SHOWN_ORDERS;
		one.text = shown ? one.text : NULL;
		nshown += shown;
		if (one.text || one.json)
			report_order(&one, session, c, &spreads[c]);
	}
	if (ntree > nshown)
		report_text(report, "    and %u more; --json has them all\n", ntree - nshown);
}

/* Indents the lines after the first. */
static void report_reason(const struct report *report, const char *text)
{
	for (const char *end; (end = strchr(text, '\n')); text = end + 1)
		report_text(report, "  %.*s\n", (int)(end - text), text);
	report_text(report, "  %s\n", text);
}

/* Threads come first, if they were probed, and then the seeds. */
static void report_drives(const struct report *report, struct session *session)
{
	const bool threads = !session->probes[0].drive.seeded;
	const uint32_t nseed = session->nprobe - threads;
	const uint64_t seed = session->args->seed;
	const struct report list = report_list(report, "probes");
	for (uint32_t i = 0; i < session->nprobe; i++)
		report_members(&list, "%s<>", name_drive(session, &session->probes[i].drive));
	if (threads)
		report_text(report, " %s%s", name_drive(session, &session->probes[0].drive),
			nseed ? "," : "");
	if (nseed == 1)
		report_text(report, " seed %" PRIu64, seed);
	else if (nseed)
		report_text(report, " seeds %" PRIu64 "..%" PRIu64, seed, seed + nseed - 1);
	report_text(report, "\n");
}

static void report_runs(const struct report *report, struct session *session)
{
	const struct ordo_problem *problem = &session->schedule->problem;
	report_line(report, "elements", "%" PRIu64 "<elements> of %s<type> sums, on all ranks",
		session->live.first[problem->nrank], ordo_type_name(session->args->type));
	report_members(report, "%s<reduction> %" PRIu64 "<count> %" PRIu64 "<runs>",
		ordo_reduction_name(ORDO_SUM), session->live.options.count, session->live.nrun);
	report_label(report, "probes");
	report_text(report, "%u of %" PRIu64 " runs (every input alone, every pair of inputs), by",
		session->nprobe, count_mask_runs(problem->nshard));
	report_drives(report, session);
	report_line(report, "run-to-run", "%s",
		session->nprobe == 1   ? "probed once"
		: session->same_in_all ? "the same trees each time"
				       : "not the same trees each time");
	if (problem->op == ORDO_ALLREDUCE)
		report_line(report, "rank-equal", "%sthe same trees on every rank",
			session->same_on_ranks ? "" : "not ");
	report_members(report, "%d<same_in_all_probes?> %d<same_on_all_ranks?> %s<shown>",
		session->same_in_all, session->same_on_ranks,
		name_drive(session, &session->shown->drive));
}

static void report_probe(
	const struct report *report, struct session *session, const struct spread *spreads)
{
	static const char *const verdicts[] = {[AGREED] = "agrees with the proof",
		[DIFFERENT] = "differs",
		[NOT_COMPARED] = "not compared"};
	static const enum colour colours[] = {GREEN, RED, YELLOW};
	report_text(report, "%s: %s%s<verdict>%s\n", session->args->file,
		paint(report->text, colours[session->verdict]), verdicts[session->verdict],
		paint(report->text, PLAIN));
	report_members(report, "%s<why> %d<proved?>", session->why, session->proved);
	if (session->why)
		report_reason(report, session->why);
	report_text(report, "  ");
	report_schedule(report, session->schedule);
	report_runs(report, session);
	report_orders(report, session, spreads);
}

static int report_session(struct session *session, struct ordo_error *error)
{
	struct spread *spreads = spread_classes(session);
	struct report report = report_of(session->call, stdout);
	report.width = EXECUTION_WIDTH;
	if (!spreads) {
		ordo_fail_memory(error);
		return fail(session->call, error);
	}
	report_probe(&report, session, spreads);
	free(spreads);
	return session->verdict == DIFFERENT ? ORDO_REFUTED : ORDO_OK;
}

/* A refuted schedule has no order. */
static bool open_session(
	struct session *session, const struct ordo_proof *proof, struct ordo_error *error)
{
	const struct args *args = session->args;
	session->forest = ordo_forest_create(error);
	if (!session->forest)
		return false;
	session->proved = proof->proved;
	if (proof->proved && !(session->order = ordo_order_create(
				       session->forest, session->schedule, proof, error)))
		return false;
	return open_live(&session->live, session->schedule, args->type,
		choose_count(args, &session->schedule->problem), TILE_BYTES, error);
}

static void close_session(struct session *session)
{
	for (uint32_t i = 0; i < session->nprobe; i++)
		free_probe(&session->probes[i]);
	free(session->probes);
	close_live(&session->live);
	ordo_order_destroy(session->order);
	ordo_forest_destroy(session->forest);
	ordo_arena_free(&session->arena);
}

static int probe_schedule(struct call *call, const struct args *args,
	const struct ordo_schedule *schedule, const struct ordo_proof *proof)
{
	struct ordo_error error;
	struct session session = {.call = call, .args = args, .schedule = schedule};
	int status;
	if (open_session(&session, proof, &error) && probe_all(&session, &error)) {
		look(&session);
		if (session.order && session.order->run_to_run == ORDO_DOES_NOT_HOLD)
			compare_unordered(&session);
		else
			compare(&session);
		status = report_session(&session, &error);
	} else {
		status = fail(call, &error);
	}
	close_session(&session);
	return status;
}

static int check_and_probe(
	struct call *call, const struct args *args, const struct ordo_schedule *schedule)
{
	const struct ordo_verify_options options = {.atomic_reduce = args->atomic_reduce};
	struct ordo_proof *proof = prove(call, schedule, &options);
	int status = call->status;
	if (proof && !proof->proved && !args->unproved) {
		const struct report errors = report_of(call, stderr);
		report_proof(&errors, schedule, proof);
		note(call, "not probed, because it is refuted; --unproved probes it anyway");
		status = ORDO_REFUTED;
	} else if (proof && !fits_memory(call, &schedule->problem, args->type,
				    choose_count(args, &schedule->problem))) {
		status = call->status;
	} else if (proof) {
		status = probe_schedule(call, args, schedule, proof);
	}
	ordo_proof_destroy(proof);
	return status;
}

/* A kit, or a look at what one found. */
static int probe_elsewhere(struct call *call, struct args *args)
{
	if (args->kit.folder && args->answers)
		return fail_usage(call, NULL, "found --kit and --answers, wanted one of them");
	if (args->against && !args->answers)
		return fail_usage(call, NULL, "--against is for --answers");
	if (!args->kit.folder && !args->answers)
		return fail_usage(call, NULL, "--ranks is for --kit");
	args->kit.type = args->type;
	if (args->kit.folder)
		return write_kit(call, &args->kit);
	if (call->noperand)
		return fail_usage(
			call, NULL, "--answers takes no operand, found %s", call->operands[0]);
	return report_answers(call, args->answers, args->against);
}

static int probe_document(struct call *call, struct args *args)
{
	args->file = only_operand(call, "the file or folder of a schedule, or - for stdin");
	if (!args->file)
		return call->status;
	if (args->nworker == UNSET) {
		const long processors = sysconf(_SC_NPROCESSORS_ONLN);
		args->nworker = processors < 1 ? 1 : (uint32_t)processors;
	}
	struct ordo_schedule *schedule = open_schedule(call, args->file);
	if (!schedule)
		return call->status;
	const struct ordo_operator_facts *facts = ordo_operator_facts(schedule->problem.op);
	const enum ordo_accumulation form = schedule->problem.accumulate;
	const int status = ordo_is_order_free(&schedule->problem)
				   ? fail_usage(call, NULL, "sums in %s have no order to recover",
					     ordo_accumulation_name(form))
			   : facts->reduces
				   ? check_and_probe(call, args, schedule)
				   : fail_usage(call, NULL,
					     "%s %s, so there is no order to recover", facts->name,
					     schedule->problem.op == ORDO_CUSTOM ? "demands no sums"
										 : "adds nothing");
	ordo_schedule_destroy(schedule);
	return status;
}

static int probe(struct call *call)
{
	struct args args = {.kit = USUAL_KIT,
		.type_name = "f32",
		.transport = "both",
		.count = UINT64_MAX,
		.seed = 1,
		.nseed = 3,
		.nworker = UNSET};
	const struct option options[] = {
		{"type", 0, TEXT, &args.type_name, "f16|bf16|f32|f64",
			"the type of the elements (f32)"},
		{"count", 0, COUNT, &args.count, "N",
			"elements of a block (enough to move every chunk in two rounds)"},
		{"transport", 0, TEXT, &args.transport, "threads|seeded|both",
			"seeded: one thread, interleaved by the seed (both)"},
		{"seeds", 0, POSITIVE, &args.nseed, "N", "probe by N seeds (3)"},
		{"seed", 's', WIDE, &args.seed, "S", "the first of the seeds (1)"},
		{"workers", 0, NUMBER, &args.nworker, "W",
			"number of threads for all ranks; 0: one per rank (the processors)"},
		{"atomic-reduce", 0, SWITCH, &args.atomic_reduce, NULL,
			"accept unordered reductions into one slot; every seed shows an order"},
		{"unproved", 0, SWITCH, &args.unproved, NULL, "probe a refuted schedule too"},
		KIT_OPTIONS(args.kit),
		{"answers", 0, TEXT, &args.answers, "FILE", "what the program of a kit wrote"},
		{"against", 0, TEXT, &args.against, "FILE",
			"with --answers: compare with this schedule or plan set"},
		MEMORY_LIMIT_OPTION,
	};
	if (!READ_OPTIONS(call, options))
		return call->status;
	if (!read_names(call, &args))
		return call->status;
	return args.kit.folder || args.answers || args.against || args.kit.ranks
		       ? probe_elsewhere(call, &args)
		       : probe_document(call, &args);
}

const struct command probe_command = {
	.name = "probe",
	.summary = "recovers the order of all sums from runs and compares it with the proof",
	.usage = "FILE [OPTION]... | [OPERATOR] --kit FOLDER --ranks N | --answers FILE",
	.examples = "  ordo probe ring.json\n"
		    "  ordo probe ring.json --type f64 --transport threads --workers 0\n"
		    "  ordo probe ring.json --transport seeded --seeds 100\n"
		    "  ordo probe ring.json --json\n"
		    "  ordo probe allreduce --kit kit --ranks 8\n"
		    "  ordo probe --answers answers.json",
	.reads = true,
	.run = probe,
};
