/* test_collectives.c - calls by name do what prepared ones do, for all operators and types, from
 * all ranks' threads and from one; and say what they cannot do.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants those before it. */
#include <cmocka.h>
#include <ordo/collectives.h>
#include <ordo/compiler.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NRANK = 5, ROOT = 3, MOST = 1000 };

static struct ordo_schedule *schedules[ORDO_NOPERATOR];

static struct ordo_schedule *compile(
	enum ordo_operator op, uint32_t nrank, uint32_t root, const char *algorithm)
{
	struct ordo_error error;
	const struct ordo_request request = {
		.problem = {.op = op, .nrank = nrank, .root = root}, .algorithm = algorithm};
	struct ordo_schedule *schedule = ordo_compile(&request, &error);
	if (!schedule)
		ordo_error_write(&error, stderr);
	assert_non_null(schedule);
	return schedule;
}

static int compile_all(void **state)
{
	(void)state;
	for (int op = 0; op < ORDO_NOPERATOR; op++) {
		const bool rooted = ordo_operator_facts((enum ordo_operator)op)->rooted;
		schedules[op] = compile((enum ordo_operator)op, NRANK, rooted ? ROOT : 0,
			op == ORDO_ALLREDUCE ? "ring" : "mesh");
	}
	return 0;
}

static int destroy_all(void **state)
{
	(void)state;
	for (int op = 0; op < ORDO_NOPERATOR; op++)
		ordo_schedule_destroy(schedules[op]);
	return 0;
}

static struct ordo_communicator *create(uint32_t nrank, uint32_t nkept)
{
	const struct ordo_communicator_options options = {
		.nrank = nrank, .nkept = nkept, .deadline_ms = 60000};
	struct ordo_communicator *communicator = ordo_communicator_create(&options, NULL);
	assert_non_null(communicator);
	return communicator;
}

/* Beside `communicator`, on which calls are made by name, one on which they are prepared. */
struct party {
	struct ordo_communicator *communicator, *prepared;
	struct ordo_group *groups[ORDO_NOPERATOR];
};

static void create_party(struct party *party, uint32_t nkept)
{
	struct ordo_error error;
	party->communicator = create(NRANK, nkept);
	party->prepared = create(NRANK, 0);
	for (int op = 0; op < ORDO_NOPERATOR; op++) {
		party->groups[op] = ordo_group_of_schedule(schedules[op], NULL);
		assert_non_null(party->groups[op]);
		assert_true(ordo_communicator_bind(party->communicator, schedules[op], &error));
	}
}

static void destroy_party(struct party *party)
{
	ordo_communicator_destroy(party->communicator);
	ordo_communicator_destroy(party->prepared);
	for (int op = 0; op < ORDO_NOPERATOR; op++)
		ordo_group_destroy(party->groups[op]);
}

/* What is called. */
struct call {
	enum ordo_operator op;
	struct ordo_plan_options options;
	uint64_t counts[NRANK * NRANK]; /* of unequal blocks; see choose_counts */
};

/* The same of blocks with counts: the calls whose names end in v. */
static bool call_rank_unequal(struct ordo_communicator *communicator, uint32_t rank,
	const struct call *call, const void *in, void *out, struct ordo_error *error)
{
	const uint64_t *counts = call->options.block_count;
	const enum ordo_type type = call->options.type;
	if (call->op == ORDO_REDUCESCATTER)
		return ordo_reducescatterv(
			communicator, rank, in, out, counts, type, call->options.reduction, error);
	if (call->op == ORDO_ALLGATHER)
		return ordo_allgatherv(communicator, rank, in, out, counts, type, error);
	if (call->op == ORDO_SCATTER)
		return ordo_scatterv(communicator, rank, in, out, counts, type, ROOT, error);
	if (call->op == ORDO_GATHER)
		return ordo_gatherv(communicator, rank, in, out, counts, type, ROOT, error);
	return call->op == ORDO_ALLTOALL &&
	       ordo_alltoallv(communicator, rank, in, out, counts, type, error);
}

static bool call_all_unequal(struct ordo_communicator *communicator, const struct call *call,
	const void *const *in, void *const *out, struct ordo_error *error)
{
	const uint64_t *counts = call->options.block_count;
	const enum ordo_type type = call->options.type;
	if (call->op == ORDO_REDUCESCATTER)
		return ordo_reducescatterv_all(
			communicator, in, out, counts, type, call->options.reduction, error);
	if (call->op == ORDO_ALLGATHER)
		return ordo_allgatherv_all(communicator, in, out, counts, type, error);
	if (call->op == ORDO_SCATTER)
		return ordo_scatterv_all(communicator, in, out, counts, type, ROOT, error);
	if (call->op == ORDO_GATHER)
		return ordo_gatherv_all(communicator, in, out, counts, type, ROOT, error);
	return call->op == ORDO_ALLTOALL &&
	       ordo_alltoallv_all(communicator, in, out, counts, type, error);
}

static bool call_rank(struct ordo_communicator *communicator, uint32_t rank,
	const struct call *call, const void *in, void *out, struct ordo_error *error)
{
	const uint64_t count = call->options.count;
	const enum ordo_type type = call->options.type;
	const enum ordo_reduction reduction = call->options.reduction;
	if (call->options.block_count)
		return call_rank_unequal(communicator, rank, call, in, out, error);
	switch (call->op) {
	case ORDO_ALLREDUCE:
		return ordo_allreduce(communicator, rank, in, out, count, type, reduction, error);
	case ORDO_REDUCE:
		return ordo_reduce(
			communicator, rank, in, out, count, type, reduction, ROOT, error);
	case ORDO_BROADCAST:
		return ordo_broadcast(communicator, rank, in, out, count, type, ROOT, error);
	case ORDO_REDUCESCATTER:
		return ordo_reducescatter(
			communicator, rank, in, out, count, type, reduction, error);
	case ORDO_ALLGATHER:
		return ordo_allgather(communicator, rank, in, out, count, type, error);
	case ORDO_SCATTER:
		return ordo_scatter(communicator, rank, in, out, count, type, ROOT, error);
	case ORDO_GATHER:
		return ordo_gather(communicator, rank, in, out, count, type, ROOT, error);
	case ORDO_ALLTOALL:
		return ordo_alltoall(communicator, rank, in, out, count, type, error);
	case ORDO_CUSTOM: /* nobody calls it */
		break;
	}
	return false;
}

static bool call_all(struct ordo_communicator *communicator, const struct call *call,
	const void *const *in, void *const *out, struct ordo_error *error)
{
	const uint64_t count = call->options.count;
	const enum ordo_type type = call->options.type;
	const enum ordo_reduction reduction = call->options.reduction;
	if (call->options.block_count)
		return call_all_unequal(communicator, call, in, out, error);
	switch (call->op) {
	case ORDO_ALLREDUCE:
		return ordo_allreduce_all(communicator, in, out, count, type, reduction, error);
	case ORDO_REDUCE:
		return ordo_reduce_all(communicator, in, out, count, type, reduction, ROOT, error);
	case ORDO_BROADCAST:
		return ordo_broadcast_all(communicator, in, out, count, type, ROOT, error);
	case ORDO_REDUCESCATTER:
		return ordo_reducescatter_all(communicator, in, out, count, type, reduction, error);
	case ORDO_ALLGATHER:
		return ordo_allgather_all(communicator, in, out, count, type, error);
	case ORDO_SCATTER:
		return ordo_scatter_all(communicator, in, out, count, type, ROOT, error);
	case ORDO_GATHER:
		return ordo_gather_all(communicator, in, out, count, type, ROOT, error);
	case ORDO_ALLTOALL:
		return ordo_alltoall_all(communicator, in, out, count, type, error);
	case ORDO_CUSTOM:
		break;
	}
	return false;
}

/* Call number i of them, each different: elements, types and reductions of all operators.
 * false: it is one again, for the operator does not reduce, or the type has no such reduction. */
enum { NCALL = 3 * ORDO_NTYPE * ORDO_NREDUCTION * ORDO_NOPERATOR };
/* The same call with blocks of at most `count` elements, some of them empty. */
static void choose_counts(uint32_t i, struct call *call)
{
	for (uint32_t b = 0; b < ordo_nblock(&schedules[call->op]->problem); b++)
		call->counts[b] = (b + i) % 3 ? (b * 7919 + i) % (call->options.count + 1) : 0;
	call->options.block_count = call->counts;
}

static bool make_call(uint32_t i, struct call *call)
{
	static const uint64_t counts[] = {1, 17, MOST};
	call->op = (enum ordo_operator)(i % ORDO_NOPERATOR);
	i /= ORDO_NOPERATOR;
	call->options = (struct ordo_plan_options){.type = (enum ordo_type)(i % ORDO_NTYPE),
		.count = counts[i / ORDO_NTYPE % 3],
		.reduction = (enum ordo_reduction)(i / ORDO_NTYPE / 3)};
	return ordo_operator_facts(call->op)->reduces
		       ? ordo_has_reduction(call->options.type, call->options.reduction, NULL)
		       : !call->options.reduction;
}

/* Buffers of one rank. */
struct buffers {
	_Alignas(16) unsigned char in[NRANK * MOST * 16], wanted[NRANK * MOST * 16],
		out[NRANK * MOST * 16];
};

/* Numbers of the type whose sums are rounded. */
static void fill(struct buffers *buffers, uint32_t rank, enum ordo_type type, uint64_t count)
{
	for (uint64_t i = 0; i < NRANK * count; i++) {
		const uint32_t number = (uint32_t)(i * 2654435761u + rank * 40503u) >> 7;
		ordo_element_put(type, buffers->in, i,
			ordo_type_facts(type)->is_float ? ordo_type_round(type, number % 4099 / 7.0)
							: number % 5);
	}
	memset(buffers->wanted, 0xee, sizeof buffers->wanted);
	memset(buffers->out, 0xee, sizeof buffers->out);
}

static const struct ordo_collective *prepare(const struct party *party, const struct call *call)
{
	return ordo_group_collective(party->groups[call->op], &call->options, NULL);
}

struct caller {
	pthread_t thread;
	const struct party *party;
	uint32_t rank;
	struct buffers buffers;
	uint32_t nright;
	struct ordo_error error;
};
static struct caller callers[NRANK];

static bool is_right(struct caller *caller, const struct call *call)
{
	struct buffers *b = &caller->buffers;
	const struct ordo_part part = {
		.collective = prepare(caller->party, call), .input = b->in, .output = b->wanted};
	fill(b, caller->rank, call->options.type, call->options.count);
	return ordo_communicator_run(
		       caller->party->prepared, caller->rank, &part, &caller->error) &&
	       call_rank(caller->party->communicator, caller->rank, call, b->in, b->out,
		       &caller->error) &&
	       !memcmp(b->out, b->wanted, sizeof b->out);
}

static void *call_often(void *argument)
{
	struct caller *caller = argument;
	struct call call;
	for (uint32_t i = 0; i < NCALL; i++) {
		if (!make_call(i, &call))
			continue;
		if (!is_right(caller, &call))
			return caller;
		if (!ordo_has_counts(call.op))
			continue;
		choose_counts(i, &call);
		if (!is_right(caller, &call))
			return caller;
	}
	return NULL;
}

static void start_callers(const struct party *party, void *(*call)(void *argument))
{
	for (uint32_t r = 0; r < NRANK; r++) {
		callers[r].party = party;
		callers[r].rank = r;
		callers[r].error = (struct ordo_error){.text = "the bits differ"};
		assert_int_equal(pthread_create(&callers[r].thread, NULL, call, &callers[r]), 0);
	}
}

static void join_callers(void)
{
	uint32_t nwrong = 0;
	for (uint32_t r = 0; r < NRANK; r++) {
		void *wrong;
		pthread_join(callers[r].thread, &wrong);
		nwrong += wrong != NULL;
		if (wrong)
			ordo_error_write(&callers[r].error, stderr);
	}
	assert_int_equal(nwrong, 0);
}

/* All calls there are, with as many collectives kept as are made, with few, and with one. */
static void ranks_get_the_bits_of_prepared_calls(void **state)
{
	(void)state;
	const uint32_t nkept[] = {1000, 7, 1};
	for (int i = 0; i < 3; i++) {
		struct party party;
		create_party(&party, nkept[i]);
		start_callers(&party, call_often);
		join_callers();
		destroy_party(&party);
	}
}

static void so_does_one_thread_for_all(void **state)
{
	(void)state;
	struct party party;
	struct ordo_error error;
	struct call call;
	create_party(&party, 0);
	for (uint32_t i = 0; i < 2 * NCALL; i++) {
		struct ordo_part parts[NRANK];
		const void *in[NRANK];
		void *out[NRANK];
		if (!make_call(i % NCALL, &call) || (i >= NCALL && !ordo_has_counts(call.op)))
			continue;
		if (i >= NCALL)
			choose_counts(i, &call);
		for (uint32_t r = 0; r < NRANK; r++) {
			struct buffers *b = &callers[r].buffers;
			fill(b, r, call.options.type, call.options.count);
			in[r] = b->in;
			out[r] = b->out;
			parts[r] = (struct ordo_part){.collective = prepare(&party, &call),
				.input = b->in,
				.output = b->wanted};
		}
		assert_true(ordo_communicator_run_all(party.prepared, parts, &error));
		assert_true(call_all(party.communicator, &call, in, out, &error));
		for (uint32_t r = 0; r < NRANK; r++)
			assert_memory_equal(callers[r].buffers.out, callers[r].buffers.wanted,
				sizeof callers[r].buffers.out);
	}
	destroy_party(&party);
}

static uint32_t ncall_of_sizes = 3000;

/* A few elements again and again, of sizes that come back, while hardly any collective is kept:
 * what a rank found may be gone when it comes again, and never while it calls. */
static void *call_sizes(void *argument)
{
	struct caller *caller = argument;
	uint32_t random = 12345;
	for (uint32_t i = 0; i < ncall_of_sizes; i++) {
		random = random * 1664525 + 1013904223;
		int32_t in[64], out[64] = {0};
		const uint32_t count = 1 + (random >> 16) % (i % 3 ? 8 : 64);
		for (uint32_t k = 0; k < count; k++)
			in[k] = (int32_t)(caller->rank + k + i);
		if (!ordo_allreduce(caller->party->communicator, caller->rank, in, out, count,
			    ORDO_I32, ORDO_SUM, &caller->error))
			return caller;
		for (uint32_t k = 0; k < count; k++)
			if (out[k] != (int32_t)(NRANK * (k + i) + NRANK * (NRANK - 1) / 2))
				return caller;
	}
	return NULL;
}

/* Counts are copied and compared by content; they may be missing, too many, or not agreed upon. */
static void counts_are_compared_by_content(void **state)
{
	(void)state;
	struct party party;
	struct ordo_error error;
	create_party(&party, 2);
	const void *in[NRANK];
	void *out[NRANK];
	for (uint32_t r = 0; r < NRANK; r++) {
		fill(&callers[r].buffers, r, ORDO_F32, MOST);
		in[r] = callers[r].buffers.in;
		out[r] = callers[r].buffers.out;
	}
	for (uint32_t i = 0; i < 40; i++) {
		uint64_t counts[NRANK] = {i % 4, 0, i % 3, 1, 2};
		assert_true(
			ordo_allgatherv_all(party.communicator, in, out, counts, ORDO_F32, &error));
		counts[0] = counts[2] = 99; /* nobody looks at them any more */
		const float *first = (const float *)in[0], *gathered = (const float *)out[4];
		assert_memory_equal(first, gathered, i % 4 * sizeof *first);
		assert_memory_equal(in[4], gathered + i % 4 + i % 3 + 1, 2 * sizeof *gathered);
	}
	assert_false(ordo_allgatherv_all(party.communicator, in, out, NULL, ORDO_F32, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	assert_string_equal(error.text, "AllGatherV: found no counts, wanted one for each block");
	const uint64_t many[NRANK] = {UINT64_MAX, UINT64_MAX, 1, 1, 1};
	assert_false(ordo_allgatherv_all(party.communicator, in, out, many, ORDO_F32, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	destroy_party(&party);
}

static void what_is_kept_may_change_at_any_time(void **state)
{
	(void)state;
	for (uint32_t nkept = 1; nkept < 12; nkept += 5) {
		struct party party;
		create_party(&party, nkept);
		start_callers(&party, call_sizes);
		join_callers();
		destroy_party(&party);
	}
}

static void calls_may_be_in_place(void **state)
{
	(void)state;
	struct ordo_communicator *communicator = create(NRANK, 0);
	static float memory[NRANK][100];
	const void *in[NRANK];
	void *out[NRANK];
	assert_true(ordo_communicator_bind(communicator, schedules[ORDO_ALLREDUCE], NULL));
	for (uint32_t r = 0; r < NRANK; r++) {
		in[r] = out[r] = memory[r];
		memory[r][99] = (float)(1u << r);
	}
	assert_true(ordo_allreduce_all(communicator, in, out, 100, ORDO_F32, ORDO_SUM, NULL));
	for (uint32_t r = 0; r < NRANK; r++)
		assert_true(memory[r][99] == (1 << NRANK) - 1);
	ordo_communicator_destroy(communicator);
}

/* Refused calls. */

static void check_refused(
	bool worked, const struct ordo_error *error, const char *text, const char *hint)
{
	assert_false(worked);
	assert_int_equal(error->code, ORDO_USAGE);
	assert_string_equal(error->text, text);
	assert_string_equal(error->hint, hint);
}

static bool sum_one(struct ordo_communicator *communicator, struct ordo_error *error)
{
	static float in[NRANK], out[NRANK];
	const void *inputs[NRANK];
	void *outputs[NRANK];
	for (int r = 0; r < NRANK; r++) {
		inputs[r] = &in[r];
		outputs[r] = &out[r];
		in[r] = 1;
		out[r] = 0;
	}
	return ordo_allreduce_all(communicator, inputs, outputs, 1, ORDO_F32, ORDO_SUM, error) &&
	       out[0] == NRANK && out[NRANK - 1] == NRANK;
}

static void what_is_not_bound_is_refused(void **state)
{
	(void)state;
	struct ordo_error error;
	float x = 0;
	struct ordo_communicator *communicator = create(NRANK, 0);
	/* Before anything is bound, and with something else bound. */
	for (int i = 0; i < 2; i++) {
		check_refused(ordo_allgather(communicator, 0, &x, &x, 1, ORDO_F32, &error), &error,
			"AllGather: no schedule for it is bound to the communicator",
			"ordo_communicator_bind binds one; `ordo compile AllGather --ranks 5` "
			"makes one");
		assert_true(i || ordo_communicator_bind(
					 communicator, schedules[ORDO_BROADCAST], &error));
	}
	check_refused(ordo_broadcast(communicator, 0, &x, &x, 1, ORDO_F32, 1, &error), &error,
		"Broadcast with root 1: the schedules bound to the communicator have root 3",
		"bind one for that root too: `ordo compile Broadcast --ranks 5 --root 1`");
	struct ordo_schedule *of_one = compile(ORDO_BROADCAST, NRANK, 1, "mesh");
	assert_true(ordo_communicator_bind(communicator, of_one, &error));
	check_refused(ordo_broadcast(communicator, 0, &x, &x, 1, ORDO_F32, 4, &error), &error,
		"Broadcast with root 4: the schedules bound to the communicator have root 3, 1",
		"bind one for that root too: `ordo compile Broadcast --ranks 5 --root 4`");
	ordo_communicator_destroy(communicator);
	ordo_schedule_destroy(of_one);
}

static void what_does_not_fit_is_refused(void **state)
{
	(void)state;
	struct ordo_error error;
	float x = 0, y = 0;
	struct ordo_communicator *communicator = create(4, 0);
	check_refused(ordo_communicator_bind(communicator, schedules[ORDO_ALLREDUCE], &error),
		&error, "a schedule of AllReduce for 5 ranks, on a communicator of 4",
		"`ordo compile AllReduce --ranks 4` makes a matching schedule");
	ordo_communicator_destroy(communicator);
	communicator = create(NRANK, 0);
	assert_true(ordo_communicator_bind(communicator, schedules[ORDO_ALLREDUCE], &error));
	check_refused(ordo_allreduce(communicator, NRANK, &x, &y, 1, ORDO_F32, ORDO_SUM, &error),
		&error, "there is no rank 5, only 5 ranks", "");
	check_refused(
		ordo_allreduce(communicator, 0, &x, &y, 1, (enum ordo_type)256, ORDO_SUM, &error),
		&error, "type 256 or reduction 0 does not exist", "");
	check_refused(ordo_allreduce(communicator, 0, &x, &y, 1, ORDO_F32,
			      (enum ordo_reduction)ORDO_NREDUCTION, &error),
		&error, "type 2 or reduction 10 does not exist", "");
	check_refused(ordo_allreduce(communicator, 0, &x, &y, 1, ORDO_F32, ORDO_BAND, &error),
		&error, "reduction: found band of f32, wanted sum, prod, min, max or avg",
		"f32 holds floats, which have sum, prod, min, max or avg; band is of types such as "
		"i8");
	assert_false(ordo_allreduce(communicator, 0, NULL, NULL, 1, ORDO_F32, ORDO_SUM, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	assert_false(
		ordo_allreduce(communicator, 0, &x, &y, UINT64_MAX, ORDO_F32, ORDO_SUM, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	/* None of that broke it. */
	assert_true(sum_one(communicator, &error));
	ordo_communicator_abort(communicator, 2, "it is late");
	assert_false(ordo_allreduce(communicator, 0, &x, &y, 1, ORDO_F32, ORDO_SUM, &error));
	assert_string_equal(error.text, "rank 2 aborted: it is late");
	assert_false(sum_one(communicator, &error));
	assert_true(ordo_communicator_reset(communicator, &error));
	assert_true(sum_one(communicator, &error));
	ordo_communicator_destroy(communicator);
}

static void a_schedule_that_is_refuted_is_not_bound(void **state)
{
	(void)state;
	struct ordo_error error;
	struct ordo_communicator *communicator = create(NRANK, 0);
	struct ordo_schedule *wrong = ordo_schedule_copy(schedules[ORDO_ALLREDUCE], NULL);
	assert_non_null(wrong);
	uint32_t task = 0;
	while (wrong->tasks[task].kind != ORDO_WAIT)
		task++;
	wrong->tasks[task].kind = ORDO_NOTIFY;
	assert_false(ordo_communicator_bind(communicator, wrong, &error));
	assert_int_equal(error.code, ORDO_REFUTED);
	assert_true(error.rule > 0);
	ordo_schedule_destroy(wrong);
	/* What was bound before stays. */
	assert_true(ordo_communicator_bind(communicator, schedules[ORDO_ALLREDUCE], &error));
	assert_true(sum_one(communicator, &error));
	ordo_communicator_destroy(communicator);
}

/* A call that comes while a binding is made is refused, and made again. */
static void *call_and_wait(void *communicator)
{
	struct ordo_error error;
	float x = 1, y;
	do
		if (ordo_allreduce(communicator, 1, &x, &y, 1, ORDO_F32, ORDO_SUM, &error))
			return NULL;
	while (strstr(error.text, "inside a call"));
	return communicator;
}

static void nothing_is_bound_while_a_rank_calls(void **state)
{
	(void)state;
	struct ordo_error error;
	pthread_t thread;
	void *failed;
	struct ordo_communicator *communicator = create(NRANK, 0);
	assert_true(ordo_communicator_bind(communicator, schedules[ORDO_ALLREDUCE], &error));
	assert_int_equal(pthread_create(&thread, NULL, call_and_wait, communicator), 0);
	while (ordo_communicator_bind(communicator, schedules[ORDO_ALLREDUCE], &error))
		usleep(100);
	check_refused(false, &error,
		"rank 1 is inside a call on another thread; one thread at a time acts for a rank",
		"");
	ordo_communicator_abort(communicator, 0, "enough");
	pthread_join(thread, &failed);
	assert_non_null(failed);
	ordo_communicator_destroy(communicator);
}

/* Sets. */

/* Sums that tell one order from another: of 2^24, 1, 1, ... each is 2^24 or more by where the ones
 * meet. */
static uint32_t sum_of(struct ordo_communicator *communicator, uint64_t count, uint32_t *digest)
{
	static float in[NRANK][MOST], out[NRANK][MOST];
	const void *inputs[NRANK];
	void *outputs[NRANK];
	for (int r = 0; r < NRANK; r++) {
		inputs[r] = in[r];
		outputs[r] = out[r];
		for (uint64_t i = 0; i < count; i++)
			in[r][i] = (uint64_t)r == i % NRANK ? 0x1p24f : 1;
	}
	assert_true(
		ordo_allreduce_all(communicator, inputs, outputs, count, ORDO_F32, ORDO_SUM, NULL));
	*digest = 0;
	for (uint64_t i = 0; i < count; i++)
		*digest = *digest * 31 + (uint32_t)(out[0][i] - 0x1p24f);
	return *digest;
}

/* What is bound later takes the place of what was: the ring, then the first document of the folder
 * (digests of 100 elements). */
static void check_binding_again(struct ordo_communicator *communicator,
	const struct ordo_schedule *ring, const char *folder, uint32_t of_document,
	uint32_t of_ring)
{
	struct ordo_error error;
	char path[64];
	uint32_t digest;
	sum_of(communicator, 100, &digest);
	assert_true(ordo_communicator_bind(communicator, ring, &error));
	assert_int_equal(sum_of(communicator, 100, &digest), of_ring);
	snprintf(path, sizeof path, "%s/range-0.json", folder);
	assert_true(ordo_communicator_bind_document(communicator, path, &error));
	assert_int_equal(sum_of(communicator, 100, &digest), of_document);
	assert_false(ordo_communicator_bind_document(communicator, "/nowhere.json", &error));
	assert_int_equal(error.code, ORDO_ENVIRONMENT);
	assert_string_equal(error.file, "/nowhere.json");
}

static void the_size_chooses_from_a_set(void **state)
{
	(void)state;
	struct ordo_error error;
	char folder[] = "/tmp/ordo-test-collectives-XXXXXX", command[64];
	struct ordo_schedule *const ring = schedules[ORDO_ALLREDUCE],
				    *mesh = compile(ORDO_ALLREDUCE, NRANK, 0, "mesh");
	const struct ordo_schedule *const each[] = {mesh, ring};
	struct ordo_plan_set *set = ordo_plan_set_create(&ring->problem, &error);
	assert_true(set && ordo_plan_set_add(set, 1, 400, "range-0.json", &error) &&
		    ordo_plan_set_add(set, 401, 4000, "range-1.json", &error));
	assert_true(mkdtemp(folder) && !rmdir(folder) &&
		    ordo_plan_set_write(set, each, folder, &error));
	struct ordo_communicator *of[4];
	for (int i = 0; i < 4; i++)
		of[i] = create(NRANK, 0);
	struct ordo_group *group = ordo_group_of_schedules(set, each, &error);
	assert_true(ordo_communicator_bind(of[0], mesh, &error) &&
		    ordo_communicator_bind(of[1], ring, &error));
	assert_true(ordo_communicator_bind_group(of[2], group, &error));
	assert_true(ordo_communicator_bind_document(of[3], folder, &error));
	const uint64_t counts[] = {100, 101};
	uint32_t digests[4][2];
	for (int i = 0; i < 8; i++)
		sum_of(of[i / 2], counts[i % 2], &digests[i / 2][i % 2]);
	assert_true(digests[0][0] != digests[1][0] && digests[0][1] != digests[1][1]);
	for (int i = 2; i < 4; i++) {
		assert_int_equal(digests[i][0], digests[0][0]);
		assert_int_equal(digests[i][1], digests[1][1]);
	}
	static float x[1001], y[1001];
	check_refused(ordo_allreduce(of[3], 0, x, y, 1001, ORDO_F32, ORDO_SUM, &error), &error,
		"4004 bytes: the plan set has schedules for 1 to 4000 bytes", "");
	check_binding_again(of[0], ring, folder, digests[2][0], digests[1][0]);
	for (int i = 0; i < 4; i++)
		ordo_communicator_destroy(of[i]);
	ordo_group_destroy(group);
	ordo_plan_set_destroy(set);
	ordo_schedule_destroy(mesh);
	snprintf(command, sizeof command, "rm -rf %s", folder);
	assert_int_equal(system(command), 0);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		ncall_of_sizes = (uint32_t)strtoul(argv[1], NULL, 10);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_get_the_bits_of_prepared_calls),
		cmocka_unit_test(so_does_one_thread_for_all),
		cmocka_unit_test(counts_are_compared_by_content),
		cmocka_unit_test(what_is_kept_may_change_at_any_time),
		cmocka_unit_test(calls_may_be_in_place),
		cmocka_unit_test(what_is_not_bound_is_refused),
		cmocka_unit_test(what_does_not_fit_is_refused),
		cmocka_unit_test(a_schedule_that_is_refuted_is_not_bound),
		cmocka_unit_test(nothing_is_bound_while_a_rank_calls),
		cmocka_unit_test(the_size_chooses_from_a_set),
	};
	return cmocka_run_group_tests(tests, compile_all, destroy_all);
}
