/* input.c - `ordo run --input`: runs a schedule on a witness input. */
#include "input.h"
#include "check/buffers.h"
#include "report/execution.h"
#include "report/proof.h"
#include "trace_write.h"
#include <inttypes.h>
#include <ordo/detail/trace.h>
#include <stdlib.h>
#include <string.h>

struct ordo_input *open_input(struct call *call, const char *path)
{
	struct ordo_error error;
	struct ordo_input *input = ordo_input_read(path, &error);
	if (!input)
		call->status = fail(call, &error);
	return input;
}

/* Positions refer to the summed vector, so an input fits every schedule that sums as many shards,
 * on any number of ranks and for any operator. Only the elements per block, and the rank that holds
 * the requested elements, depend on the schedule. */
static bool fit(struct call *call, const struct ordo_schedule *schedule, struct ordo_input *input)
{
	const struct ordo_problem *here = &schedule->problem, *there = &input->problem;
	const uint64_t length = input->count * ordo_nblock(there);
	if (here->op != there->op || here->nshard != there->nshard)
		return refuse_usage(call, NULL,
			"--input: the schedule and the input have different %s",
			here->op != there->op ? "operators" : "numbers of shards");
	if (length % ordo_nblock(here))
		return refuse_usage(call, NULL,
			"--input: its vector of %" PRIu64
			" elements does not fill %u blocks evenly",
			length, ordo_nblock(here));
	input->count = length / ordo_nblock(here);
	for (uint32_t i = 0; i < input->nelement; i++) {
		struct ordo_output_element *element = &input->elements[i];
		if (here->op == ORDO_REDUCESCATTER)
			element->rank = (uint32_t)(element->position / input->count);
		else if (here->op == ORDO_REDUCE)
			element->rank = here->root;
		if (element->rank < here->nrank)
			continue;
		return refuse_usage(call, NULL,
			"--input: an element of rank %" PRIu32
			" is requested, the schedule has %" PRIu32 " ranks",
			element->rank, here->nrank);
	}
	return true;
}

/* Stores a number as an element of the type. */
static void put_number(enum ordo_type type, union ordo_number number, char *out)
{
	if (type == ORDO_I64 || type == ORDO_U64)
		memcpy(out, &number.integer, sizeof number.integer);
	else
		ordo_element_put(type, out, 0,
			ordo_type_facts(type)->is_float ? number.real : (double)number.integer);
}

/* In decimal, possibly rounded; the bits are printed too. */
static void print_element(enum ordo_type type, const char *bytes, char *out, size_t size)
{
	int64_t integer;
	if (type == ORDO_I64 || type == ORDO_U64) {
		memcpy(&integer, bytes, sizeof integer);
		snprintf(out, size, type == ORDO_I64 ? "%" PRId64 : "%" PRIu64, integer);
	} else {
		snprintf(out, size, "%.*g",
			type == ORDO_F64		  ? 17
			: ordo_type_facts(type)->is_float ? 9
							  : 10,
			ordo_element_get(type, bytes, 0));
	}
}

/* The bytes of an element as one hexadecimal number. */
static void print_bits(enum ordo_type type, const char *bytes, char *out)
{
	const size_t size = ordo_type_size(type);
	uint64_t bits = 0;
	if (size == 1) {
		bits = (unsigned char)bytes[0];
	} else if (size == 2) {
		uint16_t half;
		memcpy(&half, bytes, sizeof half);
		bits = half;
	} else if (size == 4) {
		uint32_t word;
		memcpy(&word, bytes, sizeof word);
		bits = word;
	} else {
		memcpy(&bits, bytes, sizeof bits);
	}
	snprintf(out, 17, "%0*" PRIx64, 2 * (int)size, bits);
}

/* The state of a run. */
struct showing {
	const struct ordo_schedule *schedule;
	const struct ordo_input *input;
	struct ordo_plan *plan;
	struct buffers buffers;
};

static void fill_slot(struct showing *showing, uint32_t rank, uint32_t slot)
{
	const struct ordo_problem *problem = &showing->schedule->problem;
	const struct ordo_input *input = showing->input;
	const size_t size = ordo_type_size(input->type);
	const uint32_t chunk = ordo_input_chunk(problem, rank, slot), K = problem->chunks_per_block,
		       shard = ordo_input_shard(problem, rank, slot);
	const uint64_t first = ordo_position_of(problem, input->count, chunk, 0),
		       count = ordo_chunk_begin(input->count, K, chunk % K + 1, 1) -
			       ordo_chunk_begin(input->count, K, chunk % K, 1);
	char *at = (char *)showing->buffers.inputs[rank] +
		   size * element_of_slot(problem, input->count, slot);
	for (uint64_t i = 0; i < count; i++)
		put_number(input->type, ordo_input_at(input, shard, first + i), at + i * size);
}

static bool run_once(
	struct showing *showing, const struct execution_options *how, struct ordo_error *error)
{
	const struct ordo_problem *problem = &showing->schedule->problem;
	const struct ordo_input *input = showing->input;
	const struct ordo_plan_options options = {
		.type = input->type, .reduction = input->reduction, .count = input->count};
	showing->plan = ordo_plan_create(showing->schedule, &options, error);
	if (!showing->plan ||
		!allocate_and_bind(&showing->buffers, showing->plan, problem, &options, error))
		return false;
	for (uint32_t rank = 0; rank < problem->nrank; rank++)
		for (uint32_t slot = 0; slot < ordo_input_slots(problem, rank); slot++)
			fill_slot(showing, rank, slot);
	if (how->trace && !ordo_plan_trace_begin(showing->plan, 1, error))
		return false;
	return how->flags    ? ordo_plan_run_flags(showing->plan, how->seed, error)
	       : how->seeded ? ordo_plan_run_seeded(showing->plan, how->seed, error)
			     : ordo_plan_run_threads(showing->plan, how->nworker, error);
}

/* Whether all shards have equal values at both elements, so that only the order can make a
 * difference. */
static bool same_inputs(const struct ordo_input *input)
{
	const enum ordo_type type = input->type;
	for (uint32_t shard = 0; shard < input->problem.nshard; shard++) {
		char bytes[2][8] = {{0}};
		for (uint32_t i = 0; i < 2; i++)
			put_number(type, ordo_input_at(input, shard, input->elements[i].position),
				bytes[i]);
		if (memcmp(bytes[0], bytes[1], sizeof bytes[0]) != 0)
			return false;
	}
	return true;
}

/* Reports one output element, and copies its bytes to `bytes`. */
static void report_element(
	const struct report *list, const struct showing *showing, uint32_t i, char *bytes)
{
	const struct ordo_input *input = showing->input;
	const struct ordo_problem *problem = &showing->schedule->problem;
	const uint32_t rank = input->elements[i].rank;
	const size_t size = ordo_type_size(input->type);
	const struct report one = report_item(list);
	uint32_t chunk;
	uint64_t offset;
	char value[40], bits[17];
	ordo_chunk_at(problem, input->count, input->elements[i].position, &chunk, &offset);
	const uint64_t at =
		element_of_slot(problem, input->count, ordo_output_slot(problem, rank, chunk)) +
		offset;
	memcpy(bytes, (const char *)showing->buffers.outputs[rank] + at * size, size);
	print_element(input->type, bytes, value, sizeof value);
	print_bits(input->type, bytes, bits);
	report_line(&one, "element",
		"rank %u<rank>, chunk %u<chunk>, offset %" PRIu64
		"<offset>: %s<value> (bits %s<bits>)",
		rank, chunk, offset, value, bits);
}

static int report_elements(struct call *call, const struct showing *showing, const char *path)
{
	const struct ordo_input *input = showing->input;
	struct report report = report_of(call, stdout);
	char bytes[2][8] = {{0}};
	report.width = EXECUTION_WIDTH;
	report_schedule(&report, showing->schedule);
	report_line(&report, "input",
		"%s<input>: %s<type> %s<reduction>, %" PRIu64 " element%s a block, %zu value%s",
		path, ordo_type_name(input->type), ordo_reduction_name(input->reduction),
		input->count, plural(input->count), input->nvalue, plural(input->nvalue));
	const struct report list = report_list(&report, "elements");
	for (uint32_t i = 0; i < input->nelement; i++)
		report_element(&list, showing, i, bytes[i]);
	if (input->nelement < 2)
		return ORDO_OK;
	const bool same = same_inputs(input),
		   differ = memcmp(bytes[0], bytes[1], sizeof bytes[0]) != 0;
	report_members(&report, "%d<same_inputs?> %d<differ?>", same, differ);
	report_line(&report, "", "%s%s%s", paint(report.text, differ ? YELLOW : GREEN),
		differ && same
			? "they differ, although every shard has the same value in both places"
		: differ ? "they differ, but the shards do not have the same values in both places"
			 : "they are the same",
		paint(report.text, PLAIN));
	return differ ? ORDO_REFUTED : ORDO_OK;
}

int run_input(struct call *call, const struct ordo_schedule *schedule,
	const struct ordo_input *input, const char *path, const struct execution_options *how)
{
	struct ordo_error error;
	struct ordo_input fitted = *input;
	struct showing showing = {.schedule = schedule, .input = &fitted};
	if (!fit(call, schedule, &fitted))
		return call->status;
	int status = run_once(&showing, how, &error) ? report_elements(call, &showing, path)
						     : fail(call, &error);
	const struct ordo_plan *plan = showing.plan;
	status = deliver_trace(call, how->trace, schedule, &plan, 1, status);
	ordo_plan_destroy(showing.plan);
	free_buffers(&showing.buffers);
	return status;
}
