/* print.c - the text: one element a line, attributes in double quotes with one blank between, as
 * the runtimes' parsers want it.
 */
#include "print.h"
#include <inttypes.h>
#include <ordo/detail/slots.h>
#include <stdio.h>
#include <stdlib.h>

/* Microsoft's runtime takes sizes below maxBytes, and has no word for "no limit". */
static const uint64_t MICROSOFT_MOST = UINT64_C(1) << 40;

static const char *const protocols[] = {"Simple", "LL", "LL128"};

/* What a parser could take for something else is left out of names. */
static void print_name(FILE *out, const char *name)
{
	for (const char *c = name; *c; c++)
		fputc((unsigned char)*c < ' ' || (unsigned char)*c > '~' || *c == '"' ||
					*c == '<' || *c == '>' || *c == '&'
				? '_'
				: *c,
			out);
}

/* Of the rank that has most: every gpu has so many in the file. */
static uint32_t input_slots(const struct msccl_arrangement *a)
{
	const struct ordo_problem *problem = &a->events->schedule->problem;
	return ordo_input_slots(problem, problem->root);
}

static uint32_t output_slots(const struct msccl_arrangement *a)
{
	const struct ordo_problem *problem = &a->events->schedule->problem;
	return ordo_output_slots(problem, problem->root);
}

static void print_head(FILE *out, const struct msccl_arrangement *a,
	const struct msccl_export *options, uint64_t most_bytes)
{
	const struct ordo_problem *problem = &a->events->schedule->problem;
	const uint32_t nchannel = a->events->nchannel;
	if (options->runtime == MSCCL_MICROSOFT)
		most_bytes = most_bytes > MICROSOFT_MOST ? MICROSOFT_MOST : most_bytes + 1;
	else if (most_bytes == UINT64_MAX)
		most_bytes = 0;
	fputs("<algo name=\"", out);
	print_name(out, a->events->schedule->algorithm);
	fprintf(out,
		"\" proto=\"%s\" nchannels=\"%" PRIu32 "\" nchunksperloop=\"%" PRIu32
		"\" ngpus=\"%" PRIu32 "\" coll=\"%s\" inplace=\"%d\" outofplace=\"%d\"",
		protocols[options->protocol], nchannel ? nchannel : 1,
		input_slots(a) > output_slots(a) ? input_slots(a) : output_slots(a), problem->nrank,
		msccl_collective_name(problem->op, options->runtime), problem->in_place,
		!problem->in_place);
	fprintf(out, " minBytes=\"%" PRIu64 "\" maxBytes=\"%" PRIu64 "\">\n", options->least_bytes,
		most_bytes);
}

static void print_slot(FILE *out, const char *name, struct msccl_slot slot)
{
	static const char *const buffers[] = {
		[ORDO_INPUT] = "i", [ORDO_OUTPUT] = "o", [ORDO_SCRATCH] = "s"};
	fprintf(out, " %sbuf=\"%s\" %soff=\"%" PRIu32 "\"", name, buffers[slot.buffer], name,
		slot.offset);
}

/* Blocks without steps have no number. */
static uint32_t number_of(const struct msccl_arrangement *a, uint32_t block)
{
	uint32_t number = 0;
	for (uint32_t b = a->first_block[a->blocks[block].rank]; b < block; b++)
		number += a->blocks[b].nstep > 0;
	return number;
}

static void print_dependence(FILE *out, const struct msccl_arrangement *a, uint32_t step)
{
	const struct msccl_placed_step *before = &a->steps[step];
	fprintf(out, " depid=\"%" PRIu32 "\" deps=\"%" PRIu32 "\"", number_of(a, before->block),
		before->position);
}

/* A nop for every dependence but the last, which the step has itself. Of a sum the local operand is
 * the source. */
static void print_step(
	FILE *out, const struct msccl_arrangement *a, const struct msccl_placed_step *step)
{
	const struct msccl_event *event = &a->events->events[step->event];
	const bool sums = step->type == MSCCL_RECEIVE_REDUCE_COPY ||
			  step->type == MSCCL_RECEIVE_REDUCE_COPY_SEND;
	const uint32_t ndependence = step->end - step->first;
	for (uint32_t i = 0; i + 1 < ndependence; i++) {
		fprintf(out,
			"      <step s=\"%" PRIu32
			"\" type=\"nop\" srcbuf=\"i\" srcoff=\"-1\" dstbuf=\"o\" dstoff=\"-1\" "
			"cnt=\"0\"",
			step->position + 1 - ndependence + i);
		print_dependence(out, a, a->dependences[step->first + i]);
		fputs(" hasdep=\"0\"/>\n", out);
	}
	fprintf(out, "      <step s=\"%" PRIu32 "\" type=\"%s\"", step->position,
		msccl_types[step->type].name);
	print_slot(out, "src", sums ? event->dst : event->src);
	print_slot(out, "dst", event->dst);
	fprintf(out, " cnt=\"%" PRIu32 "\"", event->count);
	if (ndependence)
		print_dependence(out, a, a->dependences[step->end - 1]);
	else
		fputs(" depid=\"-1\" deps=\"-1\"", out);
	fprintf(out, " hasdep=\"%d\"/>\n", step->is_waited_for);
}

static void print_block(FILE *out, const struct msccl_arrangement *a, uint32_t index, uint32_t id)
{
	const struct msccl_thread_block *block = &a->blocks[index];
	const struct msccl_route *routes = a->events->routes;
	fprintf(out, "    <tb id=\"%" PRIu32 "\" send=\"%d\" recv=\"%d\" chan=\"%" PRIu32 "\">\n",
		id, block->send == ORDO_NONE ? -1 : (int)routes[block->send].to,
		block->receive == ORDO_NONE ? -1 : (int)routes[block->receive].from,
		block->channel);
	for (uint32_t s = block->first; s != ORDO_NONE; s = a->steps[s].next)
		print_step(out, a, &a->steps[s]);
	fputs("    </tb>\n", out);
}

static void print_gpu(FILE *out, const struct msccl_arrangement *a, uint32_t rank)
{
	uint32_t id = 0;
	fprintf(out,
		"  <gpu id=\"%" PRIu32 "\" i_chunks=\"%" PRIu32 "\" o_chunks=\"%" PRIu32
		"\" s_chunks=\"%" PRIu32 "\">\n",
		rank, input_slots(a), output_slots(a), a->events->schedule->scratch_slots);
	for (uint32_t b = a->first_block[rank]; b < a->first_block[rank + 1]; b++)
		if (a->blocks[b].nstep)
			print_block(out, a, b, id++);
	fputs("  </gpu>\n", out);
}

char *msccl_print(
	const struct msccl_arrangement *a, const struct msccl_export *options, uint64_t most_bytes)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	print_head(out, a, options, most_bytes);
	for (uint32_t rank = 0; rank < a->events->schedule->problem.nrank; rank++)
		print_gpu(out, a, rank);
	fputs("</algo>\n", out);
	const bool failed = ferror(out);
	if (!fclose(out) && !failed)
		return text;
	free(text);
	return NULL;
}
