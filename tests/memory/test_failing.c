/* test_failing.c - whatever piece of memory cannot be had, the library says so: no crash, no wrong
 * answer, nothing left behind.
 *
 * Every operation is run with its first request for memory refused, then with its second, and so on
 * until none is left to refuse; then again with all later ones refused too. It has to fail with
 * ORDO_ENVIRONMENT, or to give what it gives with all the memory it wants.
 *
 * usage: test_failing [EVERY]: refuses every so manieth request only
 */
#include "choose/tuning.h"
#include "failing.h"
#define XXH_INLINE_ALL
#include <dirent.h>
#include <ordo/communicator.h>
#include <ordo/detail/certificate.h>
#include <ordo/detail/compare.h>
#include <ordo/detail/generators.h>
#include <ordo/detail/input.h>
#include <ordo/detail/replay.h>
#include <ordo/detail/select.h>
#include <ordo/detail/symmetry.h>
#include <ordo/detail/trace.h>
#include <ordo/failure_sets.h>
#include <ordo/plan_set.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include <cmocka.h>

/* Does its work, and folds what came of it into *result. false: see error. */
typedef bool work(uint64_t *result, struct ordo_error *error);

struct operation {
	const char *name;
	work *work;
};

static uint64_t every = 1;

static char folder[64]; /* for files */
static char *printed;	/* what `sheet` holds */
static FILE *sheet;
enum { PRINTED_SIZE = 1 << 20 };

/* What every operation may read. */
static struct ordo_schedule *ring, *tree, *exchange;
static struct ordo_topology *mesh;

static void add(uint64_t *result, const void *bytes, size_t size)
{
	*result = XXH3_64bits_withSeed(bytes, size, *result);
}

static void add_text(uint64_t *result, const char *text)
{
	add(result, text ? text : "", text ? strlen(text) : 0);
}

/* What was printed since the last time. */
static bool add_sheet(uint64_t *result)
{
	fflush(sheet);
	add(result, printed, (size_t)ftell(sheet));
	rewind(sheet);
	return true;
}

static const char *in_folder(const char *name)
{
	static char path[256];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

/* Reading and writing. What was written is removed at once: some file systems wait for the disk
 * where a file replaces another. */

static bool remove_written(const char *name)
{
	unlink(in_folder(name));
	return true;
}

static bool add_schedule(uint64_t *result, struct ordo_schedule *schedule)
{
	const bool worked = schedule && ordo_schedule_print(schedule, sheet, NULL) &&
			    ordo_schedule_print_text(schedule, sheet, NULL);
	ordo_schedule_destroy(schedule);
	return add_sheet(result) && worked;
}

static bool read_file(uint64_t *result, struct ordo_error *error)
{
	return add_schedule(result, ordo_schedule_read(in_folder("ring.json"), NULL, error));
}

static bool read_folder(uint64_t *result, struct ordo_error *error)
{
	return add_schedule(result, ordo_schedule_read(in_folder("ring"), NULL, error));
}

static const char loose[] =
	"{\"schema\": \"ordo/schedule/1\", \"algorithm\": \"by h\\u0061nd\", \"x\": {\"why\": [1, "
	"{\"b\": \"\\n\", \"a\": null}]}, \"operator\": \"AllReduce\", \"ranks\": 1, "
	"\"chunks_per_block\": 1, \"scratch_slots\": 0, \"in_place\": false, \"phases\": "
	"[\"one\"], \"topology\": {\"name\": \"mesh\", \"digest\": "
	"\"0123456789abcdef0123456789abcdef\"}, \"programs\": [{\"streams\": [{\"tasks\": "
	"[{\"dst\": [\"output\", 0], \"phase\": 0, \"src\": [\"input\", 0], \"chunk\": 0, "
	"\"task\": \"LocalCopy\"}], \"name\": \"only\"}], \"rank\": 0}]}";

static bool read_text(uint64_t *result, struct ordo_error *error)
{
	const struct ordo_read_options options = {.only_cjson = true};
	return add_schedule(
		result, ordo_schedule_read_text(loose, strlen(loose), "loose", &options, error));
}

static bool write_file(uint64_t *result, struct ordo_error *error)
{
	(void)result;
	return ordo_schedule_write(ring, in_folder("written.json"), NULL, NULL, error) &&
	       remove_written("written.json");
}

static bool write_folder(uint64_t *result, struct ordo_error *error)
{
	(void)result;
	return ordo_schedule_write(ring, in_folder("written"), NULL, NULL, error);
}

static bool copy(uint64_t *result, struct ordo_error *error)
{
	return add_schedule(result, ordo_schedule_copy(ring, error));
}

static bool read_topology(uint64_t *result, struct ordo_error *error)
{
	struct ordo_topology *topology = ordo_topology_read(in_folder("mesh.json"), error);
	const bool worked = topology && ordo_topology_print(topology, sheet, error);
	ordo_topology_destroy(topology);
	return worked && add_sheet(result);
}

static bool fail_a_link(uint64_t *result, struct ordo_error *error)
{
	struct ordo_topology *topology = ordo_topology_make("a3:2x4", 8, error);
	const bool worked = topology && ordo_topology_fail_link(topology, 0, 1, error) &&
			    ordo_topology_finish(topology, error) &&
			    ordo_topology_write(topology, in_folder("less.json"), error) &&
			    remove_written("less.json");
	ordo_topology_destroy(topology);
	return worked && add_sheet(result);
}

static bool write_set(const char *name, struct ordo_error *error)
{
	struct ordo_plan_set *set = ordo_plan_set_create(&ring->problem, error);
	const struct ordo_schedule *const schedules[2] = {ring, tree};
	const bool worked = set && ordo_plan_set_add(set, 1, 100, "range-0.json", error) &&
			    ordo_plan_set_add(set, 101, ORDO_ENDLESS, "range-1.json", error) &&
			    ordo_plan_set_write(set, schedules, in_folder(name), error);
	ordo_plan_set_destroy(set);
	return worked;
}

static bool plan_sets(uint64_t *result, struct ordo_error *error)
{
	bool worked = write_set("set", error);
	struct ordo_plan_set *set = worked ? ordo_plan_set_read(in_folder("set"), error) : NULL;
	struct ordo_schedule *schedule = set ? ordo_plan_set_open(set, 1, NULL, error) : NULL;
	worked = schedule && ordo_plan_set_print(set, sheet, error);
	ordo_plan_set_destroy(set);
	return add_schedule(result, schedule) && worked;
}

/* Adds the text of a set that was read back, and a schedule of it. */
static bool add_failures(uint64_t *result, struct ordo_error *error)
{
	struct ordo_failure_set *set = ordo_failure_set_read(in_folder("failures"), error);
	struct ordo_topology *topology = set ? ordo_failure_set_topology(set, error) : NULL;
	struct ordo_schedule *schedule =
		topology ? ordo_failure_set_open(set, 0, NULL, error) : NULL;
	const bool worked = schedule && ordo_failure_set_print(set, sheet, error);
	ordo_topology_destroy(topology);
	ordo_failure_set_destroy(set);
	return add_schedule(result, schedule) && worked;
}

static bool failure_sets(uint64_t *result, struct ordo_error *error)
{
	static const char digest[] = "0123456789abcdef0123456789abcdef";
	const struct ordo_schedule *const schedules[2] = {ring, NULL};
	const struct ordo_failure_state whole = {.a = ORDO_NONE,
						.b = ORDO_NONE,
						.schedule = "failure-0.json",
						.algorithm = "ring",
						.order_digest = digest,
						.denominator = 1,
						.bandwidth_gbs = 1},
					parts = {.a = 0, .b = 1};
	char own[33];
	struct ordo_topology *topology =
		ordo_topology_create("pair", ring->problem.nrank, 0, 0, error);
	bool worked = topology && ordo_topology_add(topology, 0, 1, NULL, 1, 1, error) &&
		      ordo_topology_finish(topology, error);
	if (worked)
		ordo_topology_digest(topology, own);
	struct ordo_failure_set *set =
		worked ? ordo_failure_set_create(&ring->problem, "pair", own, 8, error) : NULL;
	worked = set && ordo_failure_set_add(set, &whole, error) &&
		 ordo_failure_set_add(set, &parts, error) &&
		 ordo_failure_set_write(set, topology, schedules, in_folder("failures"), error);
	ordo_failure_set_destroy(set);
	ordo_topology_destroy(topology);
	return worked && add_failures(result, error);
}

/* Judging. */

static bool add_proof(
	uint64_t *result, const struct ordo_schedule *schedule, const struct ordo_proof *proof)
{
	for (uint32_t i = 0; i < proof->nfinding; i++) {
		struct ordo_error finding;
		ordo_finding_error(schedule, &proof->findings[i], &finding);
		add(result, &finding.rule, sizeof finding.rule);
		add_text(result, finding.text);
	}
	add(result, &proof->proved, sizeof proof->proved);
	add_text(result, proof->digest);
	add_text(result, proof->run_to_run_why);
	add_text(result, proof->position_why);
	return true;
}

static bool verify(uint64_t *result, const struct ordo_schedule *schedule,
	const struct ordo_verify_options *options, struct ordo_error *error)
{
	struct ordo_proof *proof = ordo_verify(schedule, options, error);
	const bool worked = proof && add_proof(result, schedule, proof);
	ordo_proof_destroy(proof);
	return worked;
}

static bool verify_ring(uint64_t *result, struct ordo_error *error)
{
	return verify(result, ring, NULL, error);
}

static bool verify_on_a_topology(uint64_t *result, struct ordo_error *error)
{
	const struct ordo_verify_options options = {
		.topology = mesh, .limits = {.streams = 1, .signals = 1, .tokens_in_flight = 1}};
	return verify(result, ring, &options, error);
}

static bool verify_exchange(uint64_t *result, struct ordo_error *error)
{
	return verify(result, exchange, NULL, error);
}

/* Of a refuted schedule also what shows it. */
static bool replay_findings(uint64_t *result, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, struct ordo_error *error)
{
	bool worked = true;
	for (uint32_t i = 0; worked && i < proof->nfinding; i++) {
		struct ordo_error why = {0};
		struct ordo_replay *replay =
			ordo_replay_of_finding(schedule, &proof->findings[i], &why);
		worked = replay || why.code == ORDO_USAGE;
		if (replay)
			worked =
				ordo_replay_write(schedule, replay, in_folder("replay.json"), &why);
		ordo_replay_destroy(replay);
		replay = replay && worked
				 ? ordo_replay_read(schedule, in_folder("replay.json"), &why)
				 : NULL;
		if (replay)
			worked = ordo_replay_print(schedule, replay, sheet, &why) &&
				 add_sheet(result);
		else
			worked &= why.code == ORDO_USAGE;
		ordo_replay_destroy(replay);
		remove_written("replay.json");
		if (!worked)
			*error = why;
	}
	return worked;
}

/* The case of tests/reject at hand. */
static char reject[4096];

static bool judge_reject(uint64_t *result, struct ordo_error *error)
{
	struct ordo_schedule *schedule = ordo_schedule_read(reject, NULL, error);
	if (!schedule) {
		add_text(result, error->text);
		return error->code != ORDO_ENVIRONMENT;
	}
	struct ordo_proof *proof = ordo_verify(schedule, NULL, error);
	const bool worked = proof && add_proof(result, schedule, proof) &&
			    replay_findings(result, schedule, proof, error);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
	return worked;
}

static bool certify(uint64_t *result, struct ordo_error *error)
{
	struct ordo_proof *proof = ordo_verify(ring, NULL, error);
	const bool worked =
		proof && ordo_certificate_print(ring, proof, sheet, error) &&
		ordo_certificate_write(ring, proof, in_folder("certificate.json"), error) &&
		remove_written("certificate.json");
	ordo_proof_destroy(proof);
	return worked && add_sheet(result);
}

static bool judge_guarantees(uint64_t *result, const struct ordo_order *order,
	struct ordo_arena *arena, struct ordo_error *error)
{
	for (int g = ORDO_G1; g <= ORDO_G3; g++) {
		struct ordo_judgement judgement;
		if (!ordo_judge_guarantee(order, (enum ordo_guarantee)g, ORDO_F32, ORDO_SUM, arena,
			    &judgement, error))
			return false;
		add(result, &judgement.verdict, sizeof judgement.verdict);
		add_text(result, judgement.why);
		if (!judgement.contradicted)
			continue;
		struct ordo_input *input =
			ordo_input_contradicting(&ring->problem, &judgement.contradiction, error);
		const bool worked = input && ordo_input_print(input, sheet, error);
		ordo_input_destroy(input);
		if (!worked)
			return false;
	}
	return add_sheet(result);
}

static bool name_trees(uint64_t *result, struct ordo_forest *forest, const struct ordo_order *order,
	struct ordo_arena *arena, struct ordo_error *error)
{
	for (uint32_t i = 0; i < order->nclass; i++) {
		struct ordo_tree_name name;
		char text[64];
		const char *whole = ordo_forest_print(forest, arena, order->classes[i].tree, 100);
		if (!whole || !ordo_forest_name(forest, order->classes[i].tree, &name))
			return ordo_fail_memory(error);
		ordo_tree_name_print(name, text, sizeof text);
		add_text(result, text);
		add_text(result, whole);
	}
	return true;
}

static bool order_both(uint64_t *result, struct ordo_error *error)
{
	const struct ordo_schedule *schedules[2] = {ring, tree};
	struct ordo_proof *proofs[2] = {NULL, NULL};
	struct ordo_order *orders[2] = {NULL, NULL};
	struct ordo_comparison comparison = {0};
	struct ordo_arena arena = {0};
	struct ordo_forest *forest = ordo_forest_create(error);
	bool worked = forest;
	for (int i = 0; worked && i < 2; i++) {
		proofs[i] = ordo_verify(schedules[i], NULL, error);
		orders[i] = proofs[i] ? ordo_order_create(forest, schedules[i], proofs[i], error)
				      : NULL;
		worked = orders[i] && judge_guarantees(result, orders[i], &arena, error) &&
			 name_trees(result, forest, orders[i], &arena, error);
	}
	worked = worked && ordo_compare(orders[0], orders[1], &comparison, error);
	if (worked) {
		const struct ordo_pair_judgement judgement =
			ordo_judge_pair(ORDO_G4, ring, tree, comparison.ndiffering == 0, &arena);
		worked = judgement.why || ordo_fail_memory(error);
		add_text(result, judgement.why);
		add(result, &comparison.ndiffering, sizeof comparison.ndiffering);
	}
	ordo_comparison_free(&comparison);
	for (int i = 0; i < 2; i++) {
		ordo_order_destroy(orders[i]);
		ordo_proof_destroy(proofs[i]);
	}
	ordo_forest_destroy(forest);
	ordo_arena_free(&arena);
	return worked;
}

/* A tree that could not be added can be, once there is memory again, and the forest is none the
 * worse. */
static bool grow_again(uint64_t *result, struct ordo_error *error)
{
	enum { NLEAF = 6 };
	struct ordo_forest *forest = ordo_forest_create(error);
	uint32_t leaves[NLEAF];
	bool worked = forest;
	for (uint32_t i = 0; worked && i < NLEAF; i++) {
		for (int attempt = 0; attempt < 2; attempt++)
			leaves[i] = ordo_forest_leaf(forest, i);
		worked = leaves[i] != ORDO_NONE || ordo_fail_memory(error);
		for (uint32_t j = 0; worked && j < 2 * i; j++) {
			uint32_t sum = ORDO_NONE;
			for (int attempt = 0; sum == ORDO_NONE && attempt < 2; attempt++)
				sum = ordo_forest_add(
					forest, leaves[j < i ? j : i], leaves[j < i ? i : j - i]);
			worked = sum != ORDO_NONE || ordo_fail_memory(error);
			add(result, &sum, sizeof sum);
		}
	}
	ordo_forest_destroy(forest);
	return worked;
}

static bool judge_a_proof(uint64_t *result, struct ordo_error *error)
{
	struct ordo_proof *proof = ordo_verify(ring, NULL, error);
	struct ordo_arena arena = {0};
	struct ordo_judgement judgement = {.verdict = ORDO_HOLDS};
	const bool worked = proof && ordo_judge_proof(&ring->problem, proof, ORDO_G3, ORDO_F32,
					     ORDO_SUM, &arena, &judgement, error);
	add(result, &judgement.verdict, sizeof judgement.verdict);
	add_text(result, judgement.why);
	ordo_proof_destroy(proof);
	ordo_arena_free(&arena);
	return worked;
}

static bool symmetric(
	uint64_t *result, const char *algorithm, uint32_t nrank, struct ordo_error *error)
{
	const struct ordo_problem problem = {.op = ORDO_ALLREDUCE, .nrank = nrank, .nshard = nrank};
	struct ordo_programs programs;
	struct ordo_symmetry symmetry;
	error->code = ORDO_OK;
	if (!ordo_generate(algorithm, &problem, &programs, error) ||
		!ordo_symmetry_find(&programs, ORDO_COMPARE_ALL, NULL, NULL, &symmetry, error))
		return false;
	struct ordo_proof *proof = ordo_verify_symmetric(&programs, &symmetry, NULL, error);
	if (proof)
		add_text(result, proof->digest);
	ordo_proof_destroy(proof);
	return proof && add_schedule(result, ordo_programs_gather(&programs, error));
}

static bool symmetric_ring(uint64_t *result, struct ordo_error *error)
{
	return symmetric(result, "ring", 4, error);
}

static bool symmetric_doubling(uint64_t *result, struct ordo_error *error)
{
	return symmetric(result, "recursive-doubling", 8, error);
}

/* Compiling. */

/* The request at hand. */
static struct ordo_request request;

static bool compile(uint64_t *result, struct ordo_error *error)
{
	struct ordo_cost cost;
	struct ordo_shard_price price = {0};
	const bool adds = ordo_operator_facts(request.problem.op)->reduces;
	if (!ordo_cost_of(&request, &cost, error) ||
		(adds && !ordo_shard_price(&request, &price, error)))
		return false;
	add(result, &cost.steps, sizeof cost.steps);
	add(result, &price.volume, sizeof price.volume);
	return add_schedule(result, ordo_compile(&request, error));
}

static bool suits(const struct ordo_schedule *schedule, const struct ordo_proof *proof,
	void *closure, struct ordo_error *error)
{
	(void)schedule;
	(void)closure;
	return proof->position_invariant == ORDO_HOLDS ||
	       ordo_fail(error, ORDO_REFUTED, 0, "not this one");
}

static bool choose(uint64_t *result, struct ordo_error *error)
{
	const struct ordo_request any = {
		.problem = {.op = ORDO_ALLREDUCE, .nrank = 3, .nshard = 3}};
	struct ordo_candidates refused = {0};
	struct ordo_proof *proof = NULL;
	struct ordo_schedule *schedule = ordo_choose(&any, suits, NULL, &refused, &proof, error);
	add(result, &refused.nrefused, sizeof refused.nrefused);
	ordo_candidates_free(&refused);
	ordo_proof_destroy(proof);
	return add_schedule(result, schedule);
}

static bool list_suiting(uint64_t *result, struct ordo_error *error)
{
	const struct ordo_request any = {
		.problem = {.op = ORDO_ALLREDUCE, .nrank = 3, .nshard = 3}};
	struct ordo_arena arena = {0};
	const char *names = ordo_list_suiting(&any, suits, NULL, 3, &arena, error);
	add_text(result, names);
	ordo_arena_free(&arena);
	return names;
}

static bool select_cheapest(uint64_t *result, struct ordo_error *error)
{
	const struct ordo_selection_wish wish = {
		.problem = {.op = ORDO_ALLREDUCE, .nrank = 3, .nshard = 3},
		.machine = ordo_machine_usual(),
		.from_bytes = 1,
		.to_bytes = UINT64_C(1) << 30};
	struct ordo_selection selection = {0};
	struct ordo_plan_set *set = NULL;
	if (ordo_select(&wish, &selection, error))
		set = ordo_selection_plan_set(&selection, &wish.problem, error);
	const bool worked = set && ordo_plan_set_print(set, sheet, error);
	ordo_plan_set_destroy(set);
	ordo_selection_free(&selection);
	return worked && add_sheet(result);
}

/* Nothing is kept, so what is chosen is compiled once more. */
static bool tune_and_compile_again(uint64_t *result, struct ordo_error *error)
{
	const struct ordo_tune_wish wish = {
		.selection = {.problem = {.op = ORDO_ALLREDUCE, .nrank = 2, .nshard = 2},
			.machine = ordo_machine_usual(),
			.from_bytes = 4096,
			.to_bytes = 4096},
		.algorithm = "ring",
		.element_bytes = 4,
		.scratch_element_bytes = 4};
	struct ordo_tuning tuning = {0};
	const bool worked = ordo_tune_keeping(&wish, 0, &tuning, error);
	add(result, &tuning.nprediction, sizeof tuning.nprediction);
	for (uint32_t i = 0; worked && i < tuning.selection.nrange; i++) {
		const struct ordo_schedule *schedule = tuning.selection.ranges[i].schedule;
		if (!schedule || !ordo_schedule_print(schedule, sheet, NULL))
			fail_msg("a tuning that worked has no schedule");
		add_text(result, tuning.selection.ranges[i].digest);
	}
	ordo_tuning_free(&tuning);
	return add_sheet(result) && worked;
}

/* Running. */

enum { RANKS = 4, ELEMENTS = 100 };
static const struct ordo_plan_options few = {.type = ORDO_F32, .count = ELEMENTS, .tile_bytes = 64};
static float inputs[RANKS][ELEMENTS], outputs[RANKS][ELEMENTS];

static void fill_inputs(void)
{
	for (int r = 0; r < RANKS; r++)
		for (int i = 0; i < ELEMENTS; i++)
			inputs[r][i] = (float)(r * ELEMENTS + i) / 3;
	memset(outputs, 0, sizeof outputs);
}

static bool run_plan(uint64_t *result, struct ordo_error *error)
{
	struct ordo_plan *plan = ordo_plan_create(ring, &few, error);
	bool worked = plan;
	fill_inputs();
	for (uint32_t r = 0; worked && r < RANKS; r++)
		worked = ordo_plan_bind(plan, r, inputs[r], outputs[r], error);
	worked = worked && ordo_plan_trace_begin(plan, 2, error) &&
		 ordo_plan_run_threads(plan, 2, error) && ordo_plan_run_threads(plan, 3, error) &&
		 ordo_plan_run_seeded(plan, 1, error);
	add(result, outputs, sizeof outputs);
	ordo_plan_destroy(plan);
	return worked;
}

/* Calls all ranks, once by one call and once by starting and waiting. */
static bool call_on(struct ordo_communicator *communicator,
	const struct ordo_collective *collective, struct ordo_error *error)
{
	struct ordo_part parts[RANKS];
	struct ordo_ticket tickets[RANKS];
	for (uint32_t r = 0; r < RANKS; r++)
		parts[r] = (struct ordo_part){collective, inputs[r], outputs[r], 0};
	bool worked = ordo_communicator_run_all(communicator, parts, error);
	for (uint32_t r = 0; worked && r < RANKS; r++)
		worked = ordo_communicator_start(communicator, r, &parts[r], &tickets[r], error);
	for (uint32_t r = 0; worked && r < RANKS; r++)
		worked = ordo_communicator_wait(communicator, &tickets[r], error);
	return worked;
}

static bool run_communicator(uint64_t *result, struct ordo_error *error)
{
	const struct ordo_communicator_options options = {.nrank = RANKS, .nhelper = 2, .depth = 2};
	struct ordo_communicator *communicator = ordo_communicator_create(&options, error);
	struct ordo_collective *collective =
		communicator ? ordo_collective_create(ring, &few, error) : NULL;
	fill_inputs();
	const bool worked = collective && call_on(communicator, collective, error);
	add(result, outputs, sizeof outputs);
	ordo_communicator_destroy(communicator);
	ordo_collective_destroy(collective);
	return worked;
}

/* What could not be made for want of memory is made when it is asked for again. */
static const struct ordo_collective *ask_twice(
	struct ordo_group *group, const struct ordo_plan_options *options, struct ordo_error *error)
{
	const struct ordo_collective *collective = ordo_group_collective(group, options, error);
	return collective ? collective : ordo_group_collective(group, options, error);
}

static bool ask_group(uint64_t *result, struct ordo_group *group, struct ordo_error *error)
{
	const uint64_t block_count[1] = {30};
	struct ordo_plan_options uneven = few;
	uneven.block_count = block_count;
	const struct ordo_collective *collectives[2] = {
		ask_twice(group, &few, error), ask_twice(group, &uneven, error)};
	if (!collectives[0] || !collectives[1])
		return false;
	add_text(result, ordo_collective_digest(collectives[0]));
	add_text(result, ordo_collective_digest(collectives[1]));
	return true;
}

static bool group_of_a_set(uint64_t *result, struct ordo_error *error)
{
	struct ordo_plan_set *set = ordo_plan_set_read(in_folder("stored"), error);
	struct ordo_group *group = set ? ordo_group_create(set, error) : NULL;
	ordo_plan_set_destroy(set);
	const bool worked = group && ask_group(result, group, error);
	ordo_group_destroy(group);
	return worked;
}

static bool group_of_a_schedule(uint64_t *result, struct ordo_error *error)
{
	struct ordo_group *group = ordo_group_of_schedule(tree, error);
	const bool worked = group && ask_group(result, group, error);
	ordo_group_destroy(group);
	return worked;
}

/* The trial: with one request refused, with another, ... */

struct trial {
	const struct operation *operation;
	uint64_t result; /* with all the memory it wants */
	struct held held;
	uint64_t after; /* so many requests are granted */
	bool for_good;
};

static void compare_held(const struct trial *trial)
{
	const struct held held = failing_held();
	if (held.pieces != trial->held.pieces || held.files != trial->held.files)
		fail_msg("%s, request %llu refused: %lld pieces of memory and %d files are left "
			 "behind",
			trial->operation->name, (unsigned long long)trial->after,
			(long long)(held.pieces - trial->held.pieces),
			(int)(held.files - trial->held.files));
}

/* false: there was nothing to refuse. */
static bool try_once(const struct trial *trial)
{
	struct ordo_error error = {0};
	uint64_t result = 0;
	rewind(sheet);
	failing_begin(trial->after, trial->for_good);
	const bool worked = trial->operation->work(&result, &error);
	const uint64_t nrefused = failing_end();
	if (worked && result != trial->result)
		fail_msg("%s, request %llu refused: it claims to have worked, but the result is "
			 "another",
			trial->operation->name, (unsigned long long)trial->after);
	if (!worked && !nrefused)
		fail_msg("%s: %s", trial->operation->name, error.text);
	if (!worked && (error.code != ORDO_ENVIRONMENT || !error.text[0]))
		fail_msg("%s, request %llu refused: code %d, \"%s\"", trial->operation->name,
			(unsigned long long)trial->after, (int)error.code, error.text);
	compare_held(trial);
	return nrefused;
}

/* Returns how many requests could be refused. */
static uint64_t try_all(const struct operation *operation)
{
	struct ordo_error error = {0};
	struct trial trial = {.operation = operation, .held = failing_held()};
	rewind(sheet);
	if (!operation->work(&trial.result, &error))
		fail_msg("%s: %s", operation->name, error.text);
	compare_held(&trial);
	uint64_t ntrial = 0;
	for (int for_good = 0; for_good <= 1; for_good++)
		for (trial.after = 0, trial.for_good = for_good; try_once(&trial);
			trial.after += every)
			ntrial++;
	return ntrial;
}

static void without_memory(void **state)
{
	assert_true(try_all(*state) > 0);
}

static void whatever_is_wrong_with_a_document(void **state)
{
	(void)state;
	const struct operation operation = {reject, judge_reject};
	DIR *cases = opendir(REJECT_FOLDER);
	assert_non_null(cases);
	uint64_t ntrial = 0;
	for (struct dirent *entry; (entry = readdir(cases));) {
		if (!strstr(entry->d_name, ".json"))
			continue;
		snprintf(reject, sizeof reject, "%s/%s", REJECT_FOLDER, entry->d_name);
		ntrial += try_all(&operation);
	}
	closedir(cases);
	assert_true(ntrial * every > 5000);
}

static void every_algorithm(void **state)
{
	(void)state;
	uint32_t nalgorithm;
	const struct ordo_algorithm_facts *const *algorithms = ordo_algorithms(&nalgorithm);
	for (uint32_t i = 0; i < nalgorithm; i++) {
		const struct operation operation = {algorithms[i]->name, compile};
		enum ordo_operator op = ORDO_ALLREDUCE;
		while (!(algorithms[i]->operators >> op & 1))
			op = (enum ordo_operator)((op + 1) % ORDO_NOPERATOR);
		request = (struct ordo_request){.problem = {.op = op, .nrank = 4, .nshard = 4},
			.algorithm = algorithms[i]->name,
			.topology = mesh};
		assert_true(try_all(&operation) * every > 20);
	}
}

static struct ordo_schedule *compile_for_all(enum ordo_operator op, const char *algorithm)
{
	const struct ordo_request wanted = {.problem = {.op = op, .nrank = 4, .nshard = 4},
		.algorithm = algorithm,
		.topology = mesh};
	return ordo_compile(&wanted, NULL);
}

static int prepare(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "/tmp/ordo-test-failing-XXXXXX");
	printed = malloc(PRINTED_SIZE);
	sheet = printed ? fmemopen(printed, PRINTED_SIZE, "w") : NULL;
	mesh = ordo_topology_make("full-mesh", 4, NULL);
	if (!mkdtemp(folder) || !sheet || !mesh)
		return -1;
	ring = compile_for_all(ORDO_ALLREDUCE, "ring");
	tree = compile_for_all(ORDO_ALLREDUCE, "dyadic");
	exchange = compile_for_all(ORDO_ALLTOALL, "alltoall");
	return ring && tree && exchange &&
			       ordo_schedule_write(
				       ring, in_folder("ring.json"), NULL, NULL, NULL) &&
			       ordo_schedule_write(ring, in_folder("ring"), NULL, NULL, NULL) &&
			       write_set("stored", NULL) &&
			       ordo_topology_write(mesh, in_folder("mesh.json"), NULL)
		       ? 0
		       : -1;
}

static int clean_up(void **state)
{
	(void)state;
	ordo_schedule_destroy(ring);
	ordo_schedule_destroy(tree);
	ordo_schedule_destroy(exchange);
	ordo_topology_destroy(mesh);
	fclose(sheet);
	free(printed);
	char command[128];
	snprintf(command, sizeof command, "rm -r %s", folder);
	return system(command);
}

#define OPERATION(work)                                                                            \
	{                                                                                          \
#work, work                                                                        \
	}

int main(int argc, char **argv)
{
	if (argc > 1)
		every = strtoull(argv[1], NULL, 10);
	static const struct operation operations[] = {
		OPERATION(read_file),
		OPERATION(read_folder),
		OPERATION(read_text),
		OPERATION(write_file),
		OPERATION(write_folder),
		OPERATION(copy),
		OPERATION(read_topology),
		OPERATION(fail_a_link),
		OPERATION(plan_sets),
		OPERATION(failure_sets),
		OPERATION(verify_ring),
		OPERATION(verify_on_a_topology),
		OPERATION(verify_exchange),
		OPERATION(certify),
		OPERATION(order_both),
		OPERATION(grow_again),
		OPERATION(judge_a_proof),
		OPERATION(symmetric_ring),
		OPERATION(symmetric_doubling),
		OPERATION(run_plan),
		OPERATION(run_communicator),
		OPERATION(group_of_a_set),
		OPERATION(group_of_a_schedule),
		OPERATION(choose),
		OPERATION(list_suiting),
		OPERATION(select_cheapest),
		OPERATION(tune_and_compile_again),
	};
	enum { NOPERATION = sizeof operations / sizeof *operations };
	struct CMUnitTest tests[NOPERATION + 2] = {
		cmocka_unit_test(whatever_is_wrong_with_a_document),
		cmocka_unit_test(every_algorithm)};
	for (size_t i = 0; i < NOPERATION; i++)
		tests[i + 2] = (struct CMUnitTest){.name = operations[i].name,
			.test_func = without_memory,
			.initial_state = (void *)(uintptr_t)&operations[i]};
	return cmocka_run_group_tests(tests, prepare, clean_up);
}
