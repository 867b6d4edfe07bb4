/* write_documents.c - writes one document of every shape into a folder, for the test of the JSON
 * Schemas. */
#include <ordo/detail/certificate.h>
#include <ordo/detail/input.h>
#include <ordo/detail/replay.h>
#include <ordo/failure_sets.h>
#include <ordo/plan_set.h>
#include <ordo/read_moves.h>
#include <stdlib.h>

static void stop(const struct ordo_error *error)
{
	char text[4096];
	ordo_error_print(error, text, sizeof text);
	fprintf(stderr, "%s\n", text);
	exit(1);
}

/* Every kind of task, once; the first operators also have every optional key. */
static struct ordo_schedule *make(enum ordo_operator op, struct ordo_error *error)
{
	static const char *const phases[] = {"one", "two"};
	const struct ordo_operator_facts *facts = ordo_operator_facts(op);
	struct ordo_problem problem = {.op = op,
		.nrank = 3,
		.root = facts->rooted,
		.chunks_per_block = 2,
		.nshard = facts->reduces ? 6 : 3,
		.accumulate = facts->reduces ? ORDO_ACCUMULATE_F32 : ORDO_ACCUMULATE_NONE};
	struct ordo_schedule *schedule = ordo_schedule_create(&problem, "none", error);
	bool worked = schedule &&
		      ordo_schedule_set_phases(schedule, phases, op < 4 ? 2 : 0, error) &&
		      ordo_schedule_begin_stream(schedule, 1, "main", error);
	for (uint32_t kind = 0; worked && kind < ORDO_NTASK_KIND; kind++) {
		struct ordo_task task = {.kind = kind & 7,
			.phase = op < 4 && kind % 2 ? kind / 3 : ORDO_NO_PHASE,
			.chunk = kind};
		if (ordo_task_moves(&task))
			task.count = kind + 1;
		worked = ordo_schedule_append(schedule, &task, error);
	}
	if (!worked)
		stop(error);
	if (op < 4) {
		schedule->extra = "{\"made by\": [1.5, null, {\"a\": \"b\"}]}";
		schedule->topology_name = "ring";
		schedule->topology_digest = "0123456789abcdef0123456789abcdef";
	}
	return schedule;
}

static void write_topology(const char *path, struct ordo_error *error)
{
	struct ordo_topology *topology = ordo_topology_create("pair", 2, 1, 1, error);
	bool worked = topology && ordo_topology_add(topology, 0, 1, "fast", 0.1, 18.3, error) &&
		      ordo_topology_add(topology, 0, 1, NULL, 1e9, 1e-3, error) &&
		      ordo_topology_add(topology, 1, 2, NULL, 0, 25, error) &&
		      ordo_topology_fail_link(topology, 1, 2, error) &&
		      ordo_topology_finish(topology, error);
	if (worked) {
		topology->extra = "{\"rack\": 7}";
		topology->cores = 3;
		topology->task_ns = 12.5;
		topology->reduce_gbs = 195;
		topology->copy_gbs = 290;
		topology->sum_gbs[ORDO_ACCUMULATE_EXACT] = 180;
		topology->sum_gbs[ORDO_ACCUMULATE_BINNED2] = 90.5;
		topology->sum_gbs[ORDO_ACCUMULATE_BINNED3] = 70;
		topology->links[0].reduce_gbs = 7.25;
	}
	if (!worked || !ordo_topology_write(topology, path, error))
		stop(error);
	ordo_topology_destroy(topology);
}

/* A folder of a set with every key, and with sizes of both kinds. */
static void write_set(const char *path, struct ordo_error *error)
{
	struct ordo_schedule *schedule = make(ORDO_REDUCE, error);
	const struct ordo_schedule *const schedules[] = {NULL, schedule, schedule};
	struct ordo_plan_set *set = ordo_plan_set_create(&schedule->problem, error);
	bool worked = set && ordo_plan_set_add(set, 0, 63, NULL, error) &&
		      ordo_plan_set_add(set, 64, UINT64_C(1) << 60, "range-0.json", error) &&
		      ordo_plan_set_add(
			      set, (UINT64_C(1) << 60) + 1, ORDO_ENDLESS, "range-1.json", error);
	if (worked)
		set->extra = "{\"rack\": 7}";
	if (!worked || !ordo_plan_set_write(set, schedules, path, error))
		stop(error);
	ordo_plan_set_destroy(set);
	ordo_schedule_destroy(schedule);
}

/* A folder of a failure set with every key, and with states of both kinds. */
static void write_failures(const char *path, struct ordo_error *error)
{
	struct ordo_schedule *schedule = make(ORDO_REDUCE, error);
	const struct ordo_schedule *const schedules[] = {schedule, NULL};
	struct ordo_topology *topology = ordo_topology_create("pair", 2, 0, 0, error);
	const char digest[] = "0123456789abcdef0123456789abcdef";
	struct ordo_failure_set *set = topology ? ordo_failure_set_create(&schedule->problem,
							  "pair", digest, UINT64_C(1) << 60, error)
						: NULL;
	struct ordo_failure_state sound = {ORDO_NONE, ORDO_NONE, "failure-0.json", "none", digest,
		UINT64_C(1) << 60, 3, 1.5, 7, 0, {0, 0}};
	sound.price = ordo_failure_price(&sound, UINT64_C(1) << 60);
	const struct ordo_failure_state parts = {.a = 0, .b = 1};
	if (!set || !ordo_failure_set_add(set, &sound, error) ||
		!ordo_failure_set_add(set, &parts, error))
		stop(error);
	set->extra = "{\"rack\": 7}";
	if (!ordo_topology_finish(topology, error) ||
		!ordo_failure_set_write(set, topology, schedules, path, error))
		stop(error);
	ordo_failure_set_destroy(set);
	ordo_topology_destroy(topology);
	ordo_schedule_destroy(schedule);
}

/* Of two ranks that both copy and send into one slot. */
static void write_replay(const char *path, struct ordo_error *error)
{
	const struct ordo_problem problem = {
		.op = ORDO_ALLREDUCE, .nrank = 2, .chunks_per_block = 1, .nshard = 2};
	struct ordo_schedule *schedule = ordo_schedule_create(&problem, "none", error);
	bool worked = schedule != NULL;
	for (uint32_t rank = 0; worked && rank < 2; rank++) {
		struct ordo_task task = {.kind = ORDO_SEND,
			.phase = ORDO_NO_PHASE,
			.count = 1,
			.peer = 0,
			.dst_buffer = ORDO_OUTPUT};
		if (!rank)
			task.kind = ORDO_LOCAL_COPY;
		worked = ordo_schedule_begin_stream(schedule, rank, "main", error) &&
			 ordo_schedule_append(schedule, &task, error);
	}
	const uint32_t tasks[2] = {0, 1};
	const struct ordo_finding race = {.rule = 8, .ntask = 2, .tasks = tasks, .text = "race"};
	struct ordo_replay *replay = worked ? ordo_replay_of_finding(schedule, &race, error) : NULL;
	if (!replay || !ordo_replay_write(schedule, replay, path, error))
		stop(error);
	ordo_replay_destroy(replay);
	ordo_schedule_destroy(schedule);
}

static void write_inputs(const char *folder, struct ordo_error *error)
{
	const struct ordo_problem problem = {
		.op = ORDO_REDUCE, .nrank = 3, .root = 1, .chunks_per_block = 2, .nshard = 6};
	for (int i = 0; i < 2; i++) {
		char path[4096];
		struct ordo_input *input = ordo_input_create(
			&problem, i ? ORDO_I64 : ORDO_F64, i ? ORDO_MIN : ORDO_PROD, 5, error);
		const union ordo_number number[2] = {
			{.real = -0x1.8p-1000}, {.integer = INT64_MIN}};
		if (!input || !ordo_input_add(input, 5, 4, number[i], error))
			stop(error);
		input->elements[0] = (struct ordo_output_element){1, 3};
		input->nelement = 1;
		snprintf(path, sizeof path, "%s/input-%d.json", folder, i);
		if (!ordo_input_write(input, path, error))
			stop(error);
		ordo_input_destroy(input);
	}
}

/* Of one rank that copies. */
static void write_certificate(const char *path, struct ordo_error *error)
{
	const struct ordo_problem problem = {
		.op = ORDO_ALLREDUCE, .nrank = 1, .chunks_per_block = 1, .nshard = 1};
	const struct ordo_task copy = {.kind = ORDO_LOCAL_COPY,
		.phase = ORDO_NO_PHASE,
		.count = 1,
		.dst_buffer = ORDO_OUTPUT};
	struct ordo_schedule *schedule = ordo_schedule_create(&problem, "none", error);
	if (!schedule || !ordo_schedule_begin_stream(schedule, 0, "main", error) ||
		!ordo_schedule_append(schedule, &copy, error))
		stop(error);
	struct ordo_proof *proof = ordo_verify(schedule, NULL, error);
	if (!proof || !ordo_certificate_write(schedule, proof, path, error))
		stop(error);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
}

/* Every optional key. */
static void write_moves(const char *path, struct ordo_error *error)
{
	static const char *names[] = {"one", "two"};
	static const uint32_t switches[] = {5, 4};
	static const char *const classes[] = {"fast", "slow", "fast"};
	const struct ordo_via via = {switches, 2, NULL, classes};
	const struct ordo_problem problem = {.op = ORDO_REDUCE,
		.nrank = 3,
		.root = 1,
		.chunks_per_block = 2,
		.nshard = 6,
		.accumulate = ORDO_ACCUMULATE_F32};
	struct ordo_moves *moves = ordo_moves_create(&problem, "none", error);
	const struct ordo_moves_item first = {.src_rank = 2,
		.dst_rank = 1,
		.dst_buffer = ORDO_SCRATCH,
		.stream = 1,
		.phase = 1,
		.count = 2,
		.line = 7};
	const struct ordo_moves_item second = {.reduces = 1,
		.dst_buffer = ORDO_OUTPUT,
		.phase = ORDO_NO_PHASE,
		.count = 1,
		.line = 8};
	const bool worked = moves && ordo_moves_append(moves, &first, error) &&
			    ordo_moves_append(moves, &second, error) &&
			    ordo_moves_add_way(moves, &(struct ordo_moves_way){2, 1, &via}, error);
	if (!worked)
		stop(error);
	moves->scratch_slots = 2;
	moves->topology_name = "ring";
	moves->topology_digest = "0123456789abcdef0123456789abcdef";
	moves->source = "ring.py";
	moves->extra = "{\"rack\": 7}";
	moves->phases = moves->streams = names;
	moves->nphase = moves->nstream = 2;
	if (!ordo_moves_write(moves, path, error))
		stop(error);
	ordo_moves_destroy(moves);
}

int main(int argc, char **argv)
{
	struct ordo_error error;
	char path[4096];
	if (argc != 2)
		return 2;
	for (int op = 0; op < ORDO_NOPERATOR; op++) {
		struct ordo_schedule *schedule = make((enum ordo_operator)op, &error);
		const char *name = ordo_operator_facts((enum ordo_operator)op)->name;
		snprintf(path, sizeof path, "%s/%s.json", argv[1], name);
		bool worked = ordo_schedule_write(schedule, path, NULL, NULL, &error);
		snprintf(path, sizeof path, "%s/%s", argv[1], name);
		if (!worked || !ordo_schedule_write(schedule, path, NULL, NULL, &error))
			stop(&error);
		ordo_schedule_destroy(schedule);
	}
	snprintf(path, sizeof path, "%s/topology.json", argv[1]);
	write_topology(path, &error);
	snprintf(path, sizeof path, "%s/set", argv[1]);
	write_set(path, &error);
	snprintf(path, sizeof path, "%s/failures", argv[1]);
	write_failures(path, &error);
	snprintf(path, sizeof path, "%s/replay.json", argv[1]);
	write_replay(path, &error);
	write_inputs(argv[1], &error);
	snprintf(path, sizeof path, "%s/moves.json", argv[1]);
	write_moves(path, &error);
	snprintf(path, sizeof path, "%s/certificate.json", argv[1]);
	write_certificate(path, &error);
	return 0;
}
