/* cmd_probe.c - `ordo probe`: recovers reduction trees from real runs, and compares them with the proof. */
#include "inputs.h"
#include "probe/agree.h"
#include "verdict.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Rounds of so few bytes a chunk, and as many elements that a run takes two of them: calls follow each other without a barrier (R9). */
enum { TILE_BYTES = 64, MOST_SHOWN_ORDERS = 32, MOST_SHOWN_LEAVES = 32, UNSET = ORDO_LIMIT };

struct wish {
	const char *file, *type_name, *transport;
	enum ordo_type type;
	uint64_t count, seed;
	uint32_t nseed, nworker;
	bool atomic_reduce, unproved;
};

enum verdict { AGREED, DIFFERENT, NOT_COMPARED };

struct session {
	struct call *call;
	const struct wish *wish;
	const struct ordo_schedule *schedule;
	const struct ordo_proof *proof;
	struct live live;
	struct probe *probes; /* [nprobe] */
	uint32_t nprobe, room;
	struct ordo_arena arena;
	enum verdict verdict;
	const char *why; /* different, or not compared */
	bool same_in_all, same_on_ranks;
};

static bool refuse(struct call *call, int status)
{
	call->status = status;
	return false;
}

static bool read_names(struct call *call, struct wish *wish)
{
	if (!ordo_type_from_name(wish->type_name, &wish->type))
		return refuse(
			call, fail_usage(call, NULL, "--type: found %s, wanted f32 or f64", wish->type_name));
	if (!ordo_type_facts(wish->type)->is_float)
		return refuse(call, fail_usage(call, NULL,
					    "--type: sums of %s are the same in every order, so that no run "
					    "tells one; wanted a float",
					    wish->type_name));
	if (strcmp(wish->transport, "both") != 0 && strcmp(wish->transport, "threads") != 0 &&
		strcmp(wish->transport, "seeded") != 0)
		return refuse(
			call, fail_usage(call, NULL, "--transport: found %s, wanted threads, seeded or both",
				      wish->transport));
	return true;
}

/* Unless wished otherwise, one element a chunk more than a round moves. */
static uint64_t choose_count(const struct wish *wish, const struct ordo_problem *problem)
{
	if (wish->count != UINT64_MAX)
		return wish->count;
	return (TILE_BYTES / ordo_type_size(wish->type) + 1) * (uint64_t)problem->chunks_per_block;
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
		&session->arena, "%u thread%s", drive->nworker, drive->nworker == 1 ? "" : "s");
}

static const char *name_difference(struct session *session, const struct probe *probe,
	const struct difference *difference, const char *whose)
{
	return ordo_arena_format(&session->arena, "%s, by %s:\nfound  %s\n%s %s",
		name_place(session, difference->element), name_drive(session, &probe->drive),
		difference->found, whose, difference->wanted);
}

/* Runs all masks in one way. */
static bool probe_once(struct session *session, const struct drive *drive, struct ordo_error *error)
{
	struct progress progress = {0};
	session->live.progress = show_progress;
	session->live.closure = &progress;
	const bool worked = make_probe(
		&session->probes[session->nprobe++], &session->live, drive, &session->arena, error);
	hide_progress(&progress);
	return worked;
}

static bool probe_all(struct session *session, struct ordo_error *error)
{
	const struct wish *wish = session->wish;
	const bool threads = strcmp(wish->transport, "seeded") != 0,
		   seeded = strcmp(wish->transport, "threads") != 0;
	const uint32_t nseed = seeded ? wish->nseed : 0;
	session->probes = calloc((size_t)nseed + 1, sizeof *session->probes);
	if (!session->probes)
		return ordo_fail_memory(error);
	session->live.expected = count_mask_runs(session->schedule->problem.nshard) * (nseed + threads);
	if (threads && !probe_once(session, &(struct drive){.nworker = wish->nworker}, error))
		return false;
	for (uint32_t i = 0; i < nseed; i++)
		if (!probe_once(session, &(struct drive){.seeded = true, .seed = wish->seed + i}, error))
			return false;
	return true;
}

/* An AllReduce leaves every rank the same elements in the same places. */
static bool ranks_agree(const struct session *session, const struct probe *probe)
{
	const uint64_t *first = session->live.first;
	if (session->schedule->problem.op != ORDO_ALLREDUCE)
		return true;
	for (uint64_t e = first[1]; e < first[session->schedule->problem.nrank]; e++)
		if (strcmp(order_of(probe, e), order_of(probe, e % first[1])) != 0)
			return false;
	return true;
}

static bool differs(struct session *session, const struct probe *probe, const struct difference *difference,
	const char *whose)
{
	session->verdict = DIFFERENT;
	session->why = name_difference(session, probe, difference, whose);
	return true;
}

/* The proof says that timing changes the order. A seed is a timing, and must still give trees. */
static bool compare_unordered(struct session *session)
{
	struct difference difference;
	session->verdict = NOT_COMPARED;
	session->why = "as the proof says, no order is fixed (G2)";
	for (uint32_t i = 0; i < session->nprobe; i++)
		if (session->probes[i].drive.seeded && !is_whole(&session->probes[i], &difference))
			return differs(session, &session->probes[i], &difference, "wanted");
	return true;
}

static bool compare(struct session *session, struct ordo_error *error)
{
	struct difference difference;
	if (session->proof->proved && session->proof->run_to_run == ORDO_DOES_NOT_HOLD)
		return compare_unordered(session);
	for (uint32_t i = 0; i < session->nprobe; i++) {
		const struct probe *probe = &session->probes[i];
		if (!is_whole(probe, &difference))
			return differs(session, probe, &difference, "wanted");
		if (!session->proof->proved) {
			if (!agree_with_each_other(&session->probes[0], probe,
				    session->live.first[session->schedule->problem.nrank], &difference))
				return differs(session, probe, &difference, "before");
			continue;
		}
		switch (agree_with_proof(
			probe, &session->live, session->proof, &session->arena, &difference)) {
		case AGREES:
			break;
		case DIFFERS:
			return differs(session, probe, &difference, "proved");
		case NO_MEMORY:
			return ordo_fail_memory(error);
		}
	}
	if (session->proof->proved)
		return true;
	session->verdict = NOT_COMPARED;
	session->why = "a refuted schedule has no proof to agree with";
	return true;
}

/* What all probes saw, before anything is compared with the proof. */
static void look(struct session *session)
{
	struct difference difference;
	const uint64_t nelement = session->live.first[session->schedule->problem.nrank];
	session->same_in_all = session->same_on_ranks = true;
	for (uint32_t i = 0; i < session->nprobe; i++) {
		session->same_on_ranks &= ranks_agree(session, &session->probes[i]);
		session->same_in_all &= agree_with_each_other(
			&session->probes[0], &session->probes[i], nelement, &difference);
	}
}

/* Where the elements of a class lie. */
struct spread {
	uint32_t nrank, nchunk, last_rank;
};

static struct spread *spread_classes(const struct session *session, const struct probe *probe)
{
	const struct ordo_problem *problem = &session->schedule->problem;
	struct spread *spreads = calloc((size_t)probe->recovered.nclass + 1, sizeof *spreads);
	const uint64_t *first = session->live.first, count = session->live.options.count;
	for (uint32_t rank = 0; spreads && rank < problem->nrank; rank++)
		for (uint32_t slot = 0; slot < ordo_output_slots(problem, rank); slot++) {
			uint32_t latest = ORDO_NONE;
			for (uint64_t e = first[rank] + element_of_slot(problem, count, slot);
				e < first[rank] + element_of_slot(problem, count, slot + 1); e++) {
				const uint32_t class = probe->recovered.class_of[e];
				struct spread *spread = &spreads[class];
				if (class == latest)
					continue;
				latest = class;
				if (!spread->nrank || spread->last_rank != rank)
					spread->nrank++;
				spread->last_rank = rank;
				spread->nchunk++;
			}
		}
	return spreads;
}

static const char *shorten(struct session *session, const struct probe *probe, uint32_t class)
{
	const uint32_t nleaf = session->schedule->problem.nshard;
	const struct ordo_trees trees = {probe->recovered.classes[class].nodes, 2 * nleaf - 1};
	if (!trees.nodes)
		return probe->recovered.classes[class].why;
	return ordo_tree_print(&session->arena, &trees, trees.nnode - 1, MOST_SHOWN_LEAVES);
}

static void print_orders(struct session *session, const struct probe *probe, const struct spread *spreads)
{
	const struct recovered *recovered = &probe->recovered;
	printf("  %-12s %u%s\n", "orders", recovered->nclass, recovered->nclass == 1 ? "" : " different");
	for (uint32_t c = 0; c < recovered->nclass && c < MOST_SHOWN_ORDERS; c++) {
		const struct element_place place = live_place(&session->live, recovered->classes[c].first);
		const char *tree = shorten(session, probe, c);
		printf("    from rank %u, chunk %u: %" PRIu64 " elements of %u slot%s on %u rank%s: %s\n",
			place.rank, place.chunk, recovered->classes[c].nelement, spreads[c].nchunk,
			spreads[c].nchunk == 1 ? "" : "s", spreads[c].nrank, spreads[c].nrank == 1 ? "" : "s",
			tree ? tree : "");
	}
	if (recovered->nclass > MOST_SHOWN_ORDERS)
		printf("    and %u more\n", recovered->nclass - MOST_SHOWN_ORDERS);
}

static void add_orders(
	struct session *session, cJSON *answer, const struct probe *probe, const struct spread *spreads)
{
	cJSON *list = cJSON_AddArrayToObject(answer, "orders");
	for (uint32_t c = 0; c < probe->recovered.nclass; c++) {
		const struct element_class *class = &probe->recovered.classes[c];
		const struct element_place place = live_place(&session->live, class->first);
		cJSON *one = cJSON_CreateObject();
		add_text(one, "tree", probe->orders[c]);
		if (!probe->orders[c])
			add_text(one, "why", class->why);
		add_count(one, "rank", place.rank);
		add_count(one, "chunk", place.chunk);
		add_count(one, "offset", place.offset);
		add_count(one, "elements", class->nelement);
		add_count(one, "slots", spreads[c].nchunk);
		add_count(one, "ranks", spreads[c].nrank);
		cJSON_AddItemToArray(list, one);
	}
}

static const char *const verdicts[] = {
	[AGREED] = "agrees with the proof", [DIFFERENT] = "differs", [NOT_COMPARED] = "not compared"};

static void answer_json(struct session *session, const struct spread *spreads)
{
	cJSON *answer = session->call->answer;
	const uint32_t nrank = session->schedule->problem.nrank;
	add_schedule(answer, session->schedule);
	add_truth(answer, "proved", session->proof->proved);
	add_text(answer, "verdict", verdicts[session->verdict]);
	add_text(answer, "why", session->why);
	add_text(answer, "type", ordo_type_name(session->wish->type));
	add_text(answer, "reduction", ordo_reduction_name(ORDO_SUM));
	add_count(answer, "count", session->live.options.count);
	add_count(answer, "elements", session->live.first[nrank]);
	add_count(answer, "runs", session->live.nrun);
	cJSON *probes = cJSON_AddArrayToObject(answer, "probes");
	for (uint32_t i = 0; i < session->nprobe; i++)
		cJSON_AddItemToArray(
			probes, cJSON_CreateString(name_drive(session, &session->probes[i].drive)));
	add_truth(answer, "same_in_all_probes", session->same_in_all);
	add_truth(answer, "same_on_all_ranks", session->same_on_ranks);
	add_orders(session, answer, &session->probes[0], spreads);
}

/* Lines after the first are indented as the others are. */
static void print_lines(const char *text)
{
	for (printf("  "); *text; text++) {
		putchar(*text);
		if (*text == '\n')
			printf("  ");
	}
	putchar('\n');
}

static void print_probe(struct session *session, const struct spread *spreads)
{
	static const enum colour colours[] = {GREEN, RED, YELLOW};
	const struct ordo_problem *problem = &session->schedule->problem;
	printf("%s: %s%s%s\n", session->wish->file, paint(stdout, colours[session->verdict]),
		verdicts[session->verdict], paint(stdout, PLAIN));
	if (session->why)
		print_lines(session->why);
	printf("  ");
	print_schedule_line(stdout, session->schedule);
	printf("  %-12s %" PRIu64 " of %s sums, on all ranks\n", "elements",
		session->live.first[problem->nrank], ordo_type_name(session->wish->type));
	printf("  %-12s %" PRIu64 ": %u of each input alone and %u of each pair, by", "runs",
		session->live.nrun, problem->nshard, problem->nshard * (problem->nshard - 1) / 2);
	for (uint32_t i = 0; i < session->nprobe; i++)
		printf("%s %s", i ? "," : "", name_drive(session, &session->probes[i].drive));
	printf("\n  %-12s %s\n", "run-to-run",
		session->nprobe == 1   ? "probed once"
		: session->same_in_all ? "the same trees each time"
				       : "other trees in other runs; these are the first");
	if (problem->op == ORDO_ALLREDUCE)
		printf("  %-12s %s\n", "rank-equal",
			session->same_on_ranks ? "the same trees on every rank"
					       : "other trees on other ranks");
	print_orders(session, &session->probes[0], spreads);
}

static int report(struct session *session, struct ordo_error *error)
{
	struct spread *spreads = spread_classes(session, &session->probes[0]);
	if (!spreads) {
		ordo_fail_memory(error);
		return fail(session->call, error);
	}
	if (session->call->json)
		answer_json(session, spreads);
	else
		print_probe(session, spreads);
	free(spreads);
	return session->verdict == DIFFERENT ? ORDO_REFUTED : ORDO_OK;
}

static int probe_schedule(struct session *session)
{
	struct ordo_error error;
	const struct wish *wish = session->wish;
	int status;
	if (open_live(&session->live, session->schedule, wish->type,
		    choose_count(wish, &session->schedule->problem), TILE_BYTES, &error) &&
		probe_all(session, &error) && compare(session, &error)) {
		look(session);
		status = report(session, &error);
	} else {
		status = fail(session->call, &error);
	}
	for (uint32_t i = 0; i < session->nprobe; i++)
		free_probe(&session->probes[i]);
	free(session->probes);
	close_live(&session->live);
	ordo_arena_free(&session->arena);
	return status;
}

static int judge_and_probe(struct call *call, const struct wish *wish, const struct ordo_schedule *schedule)
{
	const struct ordo_verify_options options = {.atomic_reduce = wish->atomic_reduce};
	struct ordo_proof *proof = prove(call, schedule, &options);
	int status = call->status;
	if (proof && !proof->proved && !wish->unproved) {
		add_proof(call->answer, schedule, proof);
		if (!call->json)
			print_findings(stderr, schedule, proof);
		note(call, "not probed, because it is refuted; --unproved probes it all the same");
		status = ORDO_REFUTED;
	} else if (proof) {
		struct session session = {.call = call, .wish = wish, .schedule = schedule, .proof = proof};
		status = probe_schedule(&session);
	}
	ordo_proof_destroy(proof);
	return status;
}

static int probe(struct call *call)
{
	struct wish wish = {.type_name = "f32",
		.transport = "both",
		.count = UINT64_MAX,
		.seed = 1,
		.nseed = 3,
		.nworker = UNSET};
	const struct option options[] = {
		{"type", 0, TEXT, &wish.type_name, "TYPE", "f32 or f64 (f32)"},
		{"count", 0, WIDE, &wish.count, "N",
			"elements of a block (so many that every chunk is moved in two rounds)"},
		{"transport", 0, TEXT, &wish.transport, "T",
			"threads, seeded (one thread, the seed interleaves), or both (both)"},
		{"seeds", 0, POSITIVE, &wish.nseed, "N", "probe by N seeds (3)"},
		{"seed", 's', WIDE, &wish.seed, "S", "the first of the seeds (1)"},
		{"workers", 'w', NUMBER, &wish.nworker, "W",
			"threads for all ranks; 0: one for each (the processors)"},
		{"atomic-reduce", 0, SWITCH, &wish.atomic_reduce, NULL,
			"unordered reduces into one slot are no error; every seed shows an order"},
		{"unproved", 0, SWITCH, &wish.unproved, NULL, "probe even what is refuted"},
	};
	if (!READ_OPTIONS(call, options))
		return call->status;
	wish.file = only_operand(call, "the file or folder of a schedule, or - for stdin");
	if (!wish.file || !read_names(call, &wish))
		return call->status;
	if (wish.nworker == UNSET) {
		const long processors = sysconf(_SC_NPROCESSORS_ONLN);
		wish.nworker = processors < 1 ? 1 : (uint32_t)processors;
	}
	struct ordo_schedule *schedule = open_schedule(call, wish.file);
	if (!schedule)
		return call->status;
	const struct ordo_operator_facts *facts = ordo_operator_facts(schedule->problem.op);
	const int status = facts->reduces
				   ? judge_and_probe(call, &wish, schedule)
				   : fail_usage(call, NULL,
					     "%s adds nothing, so there is no order to recover", facts->name);
	ordo_schedule_destroy(schedule);
	return status;
}

const struct command probe_command = {
	.name = "probe",
	.summary = "recovers from real runs in which order everything is summed, and compares with the proof",
	.usage = "FILE [OPTION]...",
	.description = "One input is large, one is minus that, all others are 1: what is added before those "
		       "two meet is "
		       "lost, so the sum counts\n"
		       "what comes after. From the counts of all pairs each element's tree follows, whatever "
		       "made it; "
		       "nothing of the schedule\n"
		       "is used. Only sums are probed: products take the same steps.\n"
		       "Exit code 0: the trees are those of the proof; 1: they are not, or there is no tree.",
	.examples = "  ordo probe ring.json\n"
		    "  ordo probe ring.json --type f64 --transport threads --workers 0\n"
		    "  ordo probe ring.json --transport seeded --seeds 100\n"
		    "  ordo probe broken.json --unproved",
	.run = probe,
};
