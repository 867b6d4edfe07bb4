/* test_messages.c - parts of ranks, run by messages: the same bits as the tasks, although every
 * send is synchronous. */
#include "check/buffers.h"
#include "check/check.h"
#include "compiling.h"
#include "messages/bound.h"
#include <ordo/compiler.h>
#include <ordo/detail/generators.h>
#include <ordo/detail/messages.h>
#include <ordo/document.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A network of ranks on threads. A send is complete when its receive was posted. */
struct transfer {
	uint32_t from, to, tag;
	const void *src;
	void *dst;
	size_t bytes;
	bool sends;
	struct transfer *next; /* not matched yet, oldest first */
};
struct request {
	struct transfer transfer;
	bool is_complete;
};
struct network {
	pthread_mutex_t lock;
	struct transfer *open;
	uint32_t nrank, nblocked, nended;
	bool is_stuck, mismatch;
	uint64_t nmessage;
};
struct port {
	struct network *network;
	uint32_t rank;
	struct request *requests;
	size_t element, wide;
	const struct request *awaits;
	pthread_cond_t is_over; /* the wait for it: only this rank is woken */
	struct port *all;
};

static struct request *request_of(const struct transfer *transfer)
{
	void *address = (char *)(uintptr_t)transfer - offsetof(struct request, transfer);
	return address;
}

/* The port that waits for it, or NULL. */
static struct port *finish(struct port *ports, struct transfer *transfer)
{
	struct request *request = request_of(transfer);
	struct port *owner = &ports[transfer->sends ? transfer->from : transfer->to];
	request->is_complete = true;
	if (owner->awaits != request)
		return NULL;
	owner->network->nblocked--;
	owner->awaits = NULL;
	return owner;
}

/* The oldest transfer that this one meets, taken off the list; else this one is appended. */
static bool start(struct port *port, struct transfer transfer, uint32_t number)
{
	struct network *network = port->network;
	struct request *request = &port->requests[number];
	struct port *waiting = NULL;
	pthread_mutex_lock(&network->lock);
	*request = (struct request){transfer, false};
	struct transfer **at = &network->open, *own = &request->transfer;
	while (*at && ((*at)->sends == own->sends || (*at)->from != own->from ||
			      (*at)->to != own->to || (*at)->tag != own->tag)) {
		network->mismatch |= (*at)->from == own->from && (*at)->to == own->to &&
				     (*at)->tag == own->tag; /* of which one would it be? */
		at = &(*at)->next;
	}
	if (!*at) {
		*at = own;
	} else {
		struct transfer *other = *at;
		*at = other->next;
		network->mismatch |= other->bytes != own->bytes;
		memcpy(own->sends ? other->dst : own->dst, own->sends ? own->src : other->src,
			own->bytes < other->bytes ? own->bytes : other->bytes);
		finish(port->all, own);
		waiting = finish(port->all, other);
		network->nmessage++;
	}
	pthread_mutex_unlock(&network->lock);
	if (waiting)
		pthread_cond_signal(&waiting->is_over);
	return true;
}

static bool send(void *closure, uint32_t request, uint32_t peer, uint32_t tag, const void *src,
	uint64_t n, bool is_wide)
{
	struct port *port = closure;
	return start(port,
		(struct transfer){.from = port->rank,
			.to = peer,
			.tag = tag,
			.src = src,
			.bytes = n * (is_wide ? port->wide : port->element),
			.sends = true},
		request);
}

static bool receive(void *closure, uint32_t request, uint32_t peer, uint32_t tag, void *dst,
	uint64_t n, bool is_wide)
{
	struct port *port = closure;
	return start(port,
		(struct transfer){.from = peer,
			.to = port->rank,
			.tag = tag,
			.dst = dst,
			.bytes = n * (is_wide ? port->wide : port->element)},
		request);
}

/* All ranks that have not ended are blocked. */
static void note_stuck(struct port *port)
{
	struct network *network = port->network;
	if (network->nblocked + network->nended < network->nrank || !network->nblocked)
		return;
	network->is_stuck = true;
	for (uint32_t r = 0; r < network->nrank; r++)
		pthread_cond_signal(&port->all[r].is_over);
}

static bool wait(void *closure, uint32_t number)
{
	struct port *port = closure;
	struct network *network = port->network;
	const struct request *request = &port->requests[number];
	pthread_mutex_lock(&network->lock);
	if (!request->is_complete) {
		port->awaits = request;
		network->nblocked++;
		note_stuck(port);
	}
	while (!request->is_complete && !network->is_stuck)
		pthread_cond_wait(&port->is_over, &network->lock);
	const bool worked = request->is_complete;
	pthread_mutex_unlock(&network->lock);
	return worked;
}

struct rank_run {
	struct port *port;
	struct ordo_bound_part *bound;
	void *input, *output;
	uint32_t repeat;
	bool worked;
};

static void *run_rank(void *closure)
{
	struct rank_run *run = closure;
	const struct ordo_messenger messenger = {
		.closure = run->port, .send = send, .receive = receive, .wait = wait};
	struct ordo_error error;
	run->worked = true;
	for (uint32_t i = 0; i < run->repeat && run->worked; i++)
		run->worked = ordo_bound_part_run(
			run->bound, run->input, run->output, &messenger, &error);
	pthread_mutex_lock(&run->port->network->lock);
	run->port->network->nended++;
	note_stuck(run->port);
	pthread_mutex_unlock(&run->port->network->lock);
	return NULL;
}

/* Each rank on a thread. */
static void run_all(struct network *network, struct rank_run *runs)
{
	pthread_t threads[64];
	for (uint32_t r = 0; r < network->nrank; r++)
		assert_int_equal(pthread_create(&threads[r], NULL, run_rank, &runs[r]), 0);
	for (uint32_t r = 0; r < network->nrank; r++)
		pthread_join(threads[r], NULL);
}

struct trial_of_part {
	const struct ordo_schedule *schedule;
	struct ordo_plan_options options;
	const struct ordo_programs *programs; /* NULL: parts come from the schedule */
};

static struct ordo_part *make_part(
	const struct trial_of_part *trial, const struct ordo_levels *levels, uint32_t rank)
{
	struct ordo_error error;
	struct ordo_part *part = trial->programs ? ordo_part_generate(trial->programs, rank, &error)
						 : ordo_part_create(levels, rank, &error);
	assert_non_null(part);
	/* as it arrives on another rank */
	struct ordo_part *copy = ordo_part_read(part, ordo_part_bytes(part), &error);
	ordo_part_destroy(part);
	assert_non_null(copy);
	return copy;
}

static void open_rank(struct rank_run *run, const struct trial_of_part *trial,
	struct ordo_part *part, struct port *port)
{
	struct ordo_error error;
	run->bound = ordo_part_bind(part, &trial->options, NULL, &error);
	if (!run->bound)
		print_error("%s\n", error.text);
	assert_non_null(run->bound);
	port->requests = calloc((size_t)ordo_part_requests(part) + 1, sizeof *port->requests);
	port->element = ordo_type_size(trial->options.type);
	port->wide = sizeof(float);
	run->port = port;
}

/* All ranks of a schedule. */
struct cluster {
	struct network network;
	struct port *ports;
	struct rank_run *runs;
	struct ordo_part **parts;
	struct buffers buffers;
};

static void open_cluster(struct cluster *cluster, const struct trial_of_part *trial)
{
	const struct ordo_schedule *schedule = trial->schedule;
	const uint32_t nrank = schedule->problem.nrank;
	struct ordo_error error;
	struct ordo_levels *levels = ordo_levels_create(schedule, &error);
	assert_non_null(levels);
	*cluster = (struct cluster){.network = {.nrank = nrank},
		.ports = calloc(nrank, sizeof *cluster->ports),
		.runs = calloc(nrank, sizeof *cluster->runs),
		.parts = calloc(nrank, sizeof *cluster->parts)};
	pthread_mutex_init(&cluster->network.lock, NULL);
	assert_true(
		allocate_buffers(&cluster->buffers, &schedule->problem, &trial->options, &error));
	for (uint32_t r = 0; r < nrank; r++) {
		cluster->ports[r] = (struct port){
			.network = &cluster->network, .rank = r, .all = cluster->ports};
		pthread_cond_init(&cluster->ports[r].is_over, NULL);
		cluster->parts[r] = make_part(trial, levels, r);
		open_rank(&cluster->runs[r], trial, cluster->parts[r], &cluster->ports[r]);
		/* in place a second run would add up the sums of the first */
		cluster->runs[r].repeat = schedule->problem.in_place ? 1 : 2;
		cluster->runs[r].input = cluster->buffers.inputs[r];
		cluster->runs[r].output = cluster->buffers.outputs[r];
	}
	ordo_levels_destroy(levels);
}

static void close_cluster(struct cluster *cluster)
{
	for (uint32_t r = 0; r < cluster->network.nrank; r++) {
		assert_true(cluster->runs[r].worked);
		ordo_bound_part_destroy(cluster->runs[r].bound);
		ordo_part_destroy(cluster->parts[r]);
		free(cluster->ports[r].requests);
		pthread_cond_destroy(&cluster->ports[r].is_over);
	}
	free_buffers(&cluster->buffers);
	free(cluster->parts);
	free(cluster->runs);
	free(cluster->ports);
}

/* Runs all ranks, and compares with the trees that the verifier proved. Returns the messages. */
static uint64_t check_schedule(const struct trial_of_part *trial)
{
	const struct ordo_schedule *schedule = trial->schedule;
	struct ordo_error error;
	struct ordo_proof *proof = ordo_verify(schedule, NULL, &error);
	struct cluster cluster;
	struct check result;
	struct places places;
	assert_true(proof && proof->proved);
	assert_true(make_places(&places, &schedule->problem, trial->options.count,
		trial->options.block_count, &error));
	open_cluster(&cluster, trial);
	const struct trial values = {.problem = &schedule->problem,
		.proof = proof,
		.values = {7, trial->options.type, trial->options.reduction},
		.count = trial->options.count,
		.places = &places,
		.inputs = cluster.buffers.inputs,
		.outputs = cluster.buffers.outputs};
	fill(&values);
	run_all(&cluster.network, cluster.runs);
	assert_false(cluster.network.is_stuck);
	assert_false(cluster.network.mismatch);
	assert_null(cluster.network.open);
	assert_true(check(&values, &result));
	if (is_wrong(&result))
		print_error("%s: %s\n", schedule->algorithm, result.text);
	assert_false(is_wrong(&result));
	close_cluster(&cluster);
	free_places(&places);
	ordo_proof_destroy(proof);
	return cluster.network.nmessage;
}

struct sweep {
	uint64_t nschedule, nmessage;
};

/* Blocks with counts of their own, many of them empty; and all empty: then there is no message. */
static void check_unequal(const struct ordo_schedule *schedule)
{
	const uint32_t nblock = ordo_nblock(&schedule->problem);
	uint64_t *counts = calloc(nblock, sizeof *counts);
	const struct trial_of_part trial = {.schedule = schedule,
		.options = {.type = ORDO_F32, .block_count = counts, .tile_bytes = 128}};
	assert_non_null(counts);
	assert_int_equal(check_schedule(&trial), 0);
	for (uint32_t b = 0; b < nblock; b++)
		counts[b] = b * 7 % 3 ? 0 : 1 + b * 11 % 60;
	check_schedule(&trial);
	free(counts);
}

static void check_request(const struct ordo_request *request, struct sweep *sweep)
{
	static const uint64_t counts[] = {1, 7, 1000};
	static const enum ordo_type types[] = {ORDO_F32, ORDO_BF16, ORDO_F32};
	struct ordo_schedule *schedule = ordo_compile(request, NULL);
	for (unsigned i = 0; schedule && i < 3; i++) {
		const struct trial_of_part trial = {.schedule = schedule,
			.options = {.type = types[i],
				.reduction = ORDO_SUM,
				.count = counts[i],
				/* the last in rounds of few bytes */
				.tile_bytes = i == 2 ? 128 : 0}};
		sweep->nmessage += check_schedule(&trial);
	}
	sweep->nschedule += schedule != NULL;
	if (schedule && ordo_has_counts(request->problem.op))
		check_unequal(schedule);
	ordo_schedule_destroy(schedule);
}

/* On few numbers of ranks, where a sanitizer makes threads slow. */
static bool few_ranks;

/* Every algorithm and operator, on 2 to 9 ranks; in all forms but the first on some of them. */
static void check_form(bool in_place, bool accumulates)
{
	uint32_t nalgorithm;
	const struct ordo_algorithm_facts *const *algorithms = ordo_algorithms(&nalgorithm);
	struct sweep sweep = {0};
	for (uint32_t a = 0; a < nalgorithm; a++)
		for (uint32_t op = 0; op < ORDO_NOPERATOR; op++)
			for (uint32_t n = 2; n <= 9; n++) {
				if (few_ranks ? n != (in_place || accumulates ? 5 : 8)
					      : (in_place || accumulates) && n != 3 && n != 5 &&
							n != 8)
					continue;
				const struct ordo_request request = {
					.problem = {.op = (enum ordo_operator)op,
						.nrank = n,
						.root = n / 2 *
							ordo_operator_facts((enum ordo_operator)op)
								->rooted,
						.nshard = n,
						.in_place = in_place,
						.accumulate = accumulates ? ORDO_ACCUMULATE_F32
									  : ORDO_ACCUMULATE_NONE},
					.algorithm = algorithms[a]->name};
				check_request(&request, &sweep);
			}
	assert_true(sweep.nschedule > (few_ranks ? 20 : 50));
	assert_true(sweep.nmessage > (few_ranks ? 1000 : 5000));
}

/* Messages of an algorithm with so many elements, run with this bound on what is packed. */
static uint64_t count_messages(
	const struct ordo_request *request, uint64_t most_packed, uint64_t count)
{
	const uint64_t kept = ordo_messages_most_packed;
	struct ordo_schedule *schedule = ordo_compile(request, NULL);
	assert_non_null(schedule);
	const struct trial_of_part trial = {
		.schedule = schedule, .options = {.type = ORDO_F32, .count = count}};
	ordo_messages_most_packed = most_packed;
	const uint64_t nmessage = check_schedule(&trial);
	ordo_messages_most_packed = kept;
	ordo_schedule_destroy(schedule);
	return nmessage / (request->problem.in_place ? 1 : 2); /* runs */
}

/* Halving, nearest ranks first: 4, then 2, then 1 block that do not adjoin, in three exchanges. */
static void one_message_to_a_peer(void **state)
{
	(void)state;
	const struct ordo_request request = {
		.problem = {.op = ORDO_REDUCESCATTER, .nrank = 8, .nshard = 8},
		.algorithm = "halving-doubling(masks=near)"};
	assert_int_equal(count_messages(&request, UINT64_MAX, 10), 8 * 3);
	assert_int_equal(count_messages(&request, 0, 10), 8 * 7);
	/* 4 blocks of 40 bytes are too many */
	assert_int_equal(count_messages(&request, 100, 10), 8 * (4 + 1 + 1));
}

/* Broadcast that sends the same twice: two receives into one slot are not one message. */
static void one_slot_twice(void **state)
{
	static const char text[] =
		"{\"schema\": \"ordo/schedule/1\", \"operator\": \"Broadcast\", \"algorithm\": "
		"\"twice\", \"ranks\": 2, \"root\": 0, \"chunks_per_block\": 1, \"scratch_slots\": "
		"0, "
		"\"in_place\": false, \"phases\": [\"all\"], \"programs\": [{\"rank\": 0, "
		"\"streams\": "
		"[{\"name\": \"local\", \"tasks\": [{\"task\": \"LocalCopy\", \"chunk\": 0, "
		"\"src\": "
		"[\"input\", 0], \"dst\": [\"output\", 0], \"phase\": 0}]}, {\"name\": \"to 1\", "
		"\"tasks\": [{\"task\": \"Wait\", \"peer\": 1, \"signal\": 0, \"phase\": 0}, "
		"{\"task\": "
		"\"Send\", \"peer\": 1, \"chunk\": 0, \"src\": [\"input\", 0], \"dst\": "
		"[\"output\", 0], "
		"\"phase\": 0}, {\"task\": \"Send\", \"peer\": 1, \"chunk\": 0, \"src\": "
		"[\"input\", 0], "
		"\"dst\": [\"output\", 0], \"phase\": 0}, {\"task\": \"Notify\", \"peer\": 1, "
		"\"signal\": "
		"0, \"phase\": 0}]}]}, {\"rank\": 1, \"streams\": [{\"name\": \"to 1\", \"tasks\": "
		"[{\"task\": \"Notify\", \"peer\": 0, \"signal\": 0, \"phase\": 0}, {\"task\": "
		"\"Wait\", "
		"\"peer\": 0, \"signal\": 0, \"phase\": 0}]}]}]}";
	struct ordo_schedule *schedule =
		ordo_schedule_read_text(text, sizeof text - 1, "twice", NULL, NULL);
	const struct trial_of_part trial = {
		.schedule = schedule, .options = {.type = ORDO_F32, .count = 10}};
	(void)state;
	assert_non_null(schedule);
	assert_int_equal(check_schedule(&trial), 2 * 2); /* in two runs */
	ordo_schedule_destroy(schedule);
}

static void pieces_alone(void **state)
{
	(void)state;
	const uint64_t kept = ordo_messages_most_packed;
	for (ordo_messages_most_packed = 0; ordo_messages_most_packed <= 300;
		ordo_messages_most_packed += 300) {
		check_form(true, false);
		check_form(false, true);
	}
	ordo_messages_most_packed = kept;
}

static void as_written(void **state)
{
	(void)state;
	check_form(false, false);
}

static void with_a_wide_accumulator(void **state)
{
	(void)state;
	check_form(false, true);
}

static void in_place(void **state)
{
	(void)state;
	check_form(true, false);
}

static bool run_generated(const char *algorithm, const struct ordo_problem *problem)
{
	struct ordo_programs programs;
	if (!ordo_generate(algorithm, problem, &programs, NULL))
		return false;
	struct ordo_schedule *all = ordo_programs_gather(&programs, NULL);
	assert_non_null(all);
	const struct trial_of_part trial = {.schedule = all,
		.options = {.type = ORDO_F32,
			.reduction = ORDO_SUM,
			.count = 1000,
			.tile_bytes = problem->nrank % 2 ? 128 : 0},
		.programs = &programs};
	check_schedule(&trial);
	ordo_schedule_destroy(all);
	return true;
}

/* Every generator, each rank's part from its own list and those of the ranks it names. */
static void generated(void **state)
{
	(void)state;
	uint32_t count, ntrial = 0;
	const struct ordo_generator_facts *const *generators = ordo_generators(&count);
	for (uint32_t g = 0; g < count; g++)
		for (int op = 0; op < ORDO_NOPERATOR; op++)
			for (uint32_t n = 2; n <= 23; n += n < 9 ? 1 : 7)
				for (int in_place = 0; in_place < 2; in_place++)
					ntrial += run_generated(generators[g]->name,
						&(struct ordo_problem){.op = (enum ordo_operator)op,
							.nrank = n,
							.nshard = n,
							.in_place = in_place});
	assert_true(ntrial > 70);
}

int main(int argc, char **argv)
{
	few_ranks = argc > 1 && !strcmp(argv[1], "few");
	const struct CMUnitTest tests[] = {cmocka_unit_test(as_written),
		cmocka_unit_test(generated), cmocka_unit_test(in_place),
		cmocka_unit_test(with_a_wide_accumulator), cmocka_unit_test(one_message_to_a_peer),
		cmocka_unit_test(one_slot_twice), cmocka_unit_test(pieces_alone)};
	return cmocka_run_group_tests_name("messages", tests, NULL, NULL);
}
