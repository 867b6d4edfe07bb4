/* compile_moves.c - from a document of moves to a proved schedule. */
#include "algorithms/registry.h"
#include "pipeline/pipeline.h"
#include "program/build.h"
#include <ordo/arena.h>
#include <ordo/detail/memory_size.h>
#include <ordo/detail/slots.h>
#include <ordo/options.h>
#include <ordo/read_moves.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes that building, ordering and proving take, at most: for each slot that may be written, and
 * for each move. */
enum { SLOT_BYTES = 64, MOVE_BYTES = 512 };

/* An algorithm that is a document. */
struct document {
	struct ordo_algorithm algorithm; /* first, so that one pointer is both */
	const struct ordo_moves *moves;
	struct ordo_place *places; /* [moves->nitem] */
	/* what the first error of the builder is about */
	uint32_t *at; /* index of a move, or ORDO_NONE */
	int *rule;
};

static void do_move(struct ordo_builder *b, const struct ordo_moves_item *item)
{
	const struct ordo_at src = ordo_at(
				     item->src_rank, (enum ordo_buffer)item->src_buffer, item->src),
			     dst = ordo_at(
				     item->dst_rank, (enum ordo_buffer)item->dst_buffer, item->dst);
	if (item->reduces)
		ordo_builder_reduce(b, dst, src, item->count);
	else
		ordo_copy(b, dst, src, item->count);
}

/* labels[i]: of phase i; behind them those of the streams. */
static uint32_t *make_labels(struct ordo_builder *b, const struct ordo_moves *moves)
{
	uint32_t *labels = malloc(((size_t)moves->nphase + moves->nstream) * sizeof *labels);
	if (!labels)
		ordo_builder_fail_memory(b);
	for (uint32_t i = 0; labels && i < moves->nphase; i++)
		labels[i] = ordo_builder_phase_label(b, moves->phases[i]);
	for (uint32_t i = 0; labels && i < moves->nstream; i++)
		labels[moves->nphase + i] = ordo_builder_stream_label(b, moves->streams[i]);
	return labels;
}

static void set_ways(struct ordo_builder *b, const struct ordo_moves *moves, const uint32_t *labels)
{
	for (uint32_t i = 0; i < moves->nway && !ordo_builder_failed(b); i++) {
		const struct ordo_moves_way *way = &moves->ways[i];
		if (!ordo_builder_set_via(
			    b, way->rank, labels[moves->nphase + way->stream], way->via))
			ordo_builder_fail(b, "ways: rank %u moves nothing in stream \"%s\"",
				way->rank, moves->streams[way->stream]);
	}
}

static void build(struct ordo_builder *b, const struct ordo_resolved_request *resolved)
{
	const struct document *document = (const void *)resolved->algorithm;
	const struct ordo_moves *moves = document->moves;
	ordo_builder_begin_document(b, document->places);
	ordo_scratch(b, moves->scratch_slots);
	uint32_t *labels = make_labels(b, moves);
	*document->at = ORDO_NONE;
	for (uint32_t i = 0; i < moves->nitem && !ordo_builder_failed(b); i++) {
		const struct ordo_moves_item *item = &moves->items[i];
		const uint32_t phase =
			item->phase == ORDO_NO_PHASE ? ORDO_NO_PHASE : labels[item->phase];
		ordo_builder_place(b, labels[moves->nphase + item->stream], phase, i);
		do_move(b, item);
		if (ordo_builder_failed(b))
			*document->at = i;
	}
	if (labels && *document->at == ORDO_NONE)
		set_ways(b, moves, labels);
	*document->rule = ordo_builder_rule(b);
	free(labels);
}

/* What is right, by rule. */
static const char *hint_of(int rule)
{
	switch (rule) {
	case 3:
		return "\"chunks_per_block\" and \"scratch_slots\" say how many slots there are; "
		       "input and output have what the operator gives each rank";
	case 4:
		return "copy it to \"output\" or \"scratch\" first, or say \"in_place\": true";
	case 10:
		return "an earlier move must have written it: a program means what running it "
		       "from top to bottom means";
	case 11:
		return "input and output slots hold the chunks of the operator in ascending order; "
		       "scratch takes any chunk";
	case 12:
		return "move it over ranks that have links, or name another topology with -t";
	default:
		return NULL;
	}
}

/* Puts the place of the move, and the rule, to what the builder said. */
static void locate(const struct document *document, struct ordo_error *error)
{
	const struct ordo_moves *moves = document->moves;
	const char *file = moves->source ? moves->source : moves->file;
	char prefix[256];
	const int length = snprintf(prefix, sizeof prefix, "%s: ", moves->algorithm);
	if (*document->rule || *document->at != ORDO_NONE)
		error->code = ORDO_REFUTED;
	error->rule = *document->rule;
	if (length < (int)sizeof prefix && !strncmp(error->text, prefix, (size_t)length))
		memmove(error->text, error->text + length, strlen(error->text + length) + 1);
	snprintf(error->file, sizeof error->file, "%s", file ? file : "");
	if (*document->at != ORDO_NONE) {
		error->line = document->places[*document->at].line;
		error->column = document->places[*document->at].column;
	}
	if (hint_of(*document->rule))
		ordo_hint(error, "%s", hint_of(*document->rule));
}

static bool resolve(struct ordo_resolved_request *resolved, const struct ordo_request *request,
	const struct document *document, struct ordo_error *error)
{
	if (!ordo_request_take_problem(resolved, request, error))
		return false;
	resolved->registry = &ordo_registry;
	resolved->algorithm = &document->algorithm;
	resolved->notation = document->moves->algorithm;
	return ordo_check_problem(&resolved->problem, error);
}

/* Before slots and moves are taken for what they say. */
static bool fits_in_memory(const struct ordo_moves *moves, struct ordo_error *error)
{
	const struct ordo_problem *problem = &moves->problem;
	double slots = (double)moves->scratch_slots * problem->nrank;
	for (uint32_t rank = 0; rank < problem->nrank; rank++)
		slots += (double)ordo_input_slots(problem, rank) + ordo_output_slots(problem, rank);
	const double bytes = slots * SLOT_BYTES + (double)moves->nitem * MOVE_BYTES;
	return ordo_memory_allows(bytes, "compiling these moves", error) ||
	       ordo_hint(error, "fewer chunks or scratch slots take less");
}

/* Where each move stands: in the author's source, if the document names one. */
static struct ordo_place *places_of(const struct ordo_moves *moves, struct ordo_error *error)
{
	struct ordo_place *places = calloc((size_t)moves->nitem + 1, sizeof *places);
	if (!places)
		ordo_fail_memory(error);
	for (uint32_t i = 0; places && i < moves->nitem; i++)
		if (moves->source)
			places[i] = (struct ordo_place){moves->items[i].line, 1};
		else if (moves->places)
			places[i] = moves->places[i];
	return places;
}

/* The members that only documents give. */
static bool name_file(
	struct ordo_schedule *schedule, const struct ordo_moves *moves, struct ordo_error *error)
{
	const char *file = moves->source ? moves->source : moves->file;
	if (file)
		schedule->file = ordo_arena_text(&schedule->arena, file, strlen(file));
	if (moves->extra)
		schedule->extra =
			ordo_arena_text(&schedule->arena, moves->extra, strlen(moves->extra));
	return (!file || schedule->file) && (!moves->extra || schedule->extra)
		       ? true
		       : ordo_fail_memory(error);
}

static struct ordo_schedule *compile_document(
	struct document *document, const struct ordo_request *request, struct ordo_error *error)
{
	uint32_t at = ORDO_NONE;
	int rule = 0;
	struct ordo_error why = {0};
	struct ordo_resolved_request resolved = {0};
	struct ordo_request unproved = *request;
	struct ordo_schedule *schedule = NULL;
	unproved.unproved = true; /* proved here, once the tasks have their places */
	document->at = &at;
	document->rule = &rule;
	bool worked = resolve(&resolved, request, document, &why);
	if (worked) {
		schedule = ordo_compile_resolved(&unproved, &resolved, &why);
		worked = schedule && name_file(schedule, document->moves, &why) &&
			 ordo_prove_product(request, schedule, &why);
	}
	if (!worked && why.code == ORDO_USAGE)
		locate(document, &why);
	ordo_resolved_request_destroy(&resolved);
	if (worked)
		return schedule;
	ordo_schedule_destroy(schedule);
	if (error)
		*error = why;
	return NULL;
}

struct ordo_schedule *ordo_compile_moves_sized(size_t size, const struct ordo_moves *moves,
	const struct ordo_request *request, struct ordo_error *error)
{
	struct ordo_request own;
	if (!ordo_options_take(&own, sizeof own, request, size, error) ||
		!fits_in_memory(moves, error))
		return NULL;
	own.problem = moves->problem;
	own.algorithm = moves->algorithm;
	struct document document = {.algorithm = {.facts = {.name = moves->algorithm},
					    .build = build,
					    .takes_shards = true},
		.moves = moves,
		.places = places_of(moves, error)};
	struct ordo_schedule *schedule =
		document.places ? compile_document(&document, &own, error) : NULL;
	free(document.places);
	return schedule;
}

struct ordo_schedule *(ordo_compile_moves)(const struct ordo_moves *moves,
	const struct ordo_request *request, struct ordo_error *error)
{
	return ordo_compile_moves_sized(ORDO_UP_TO(ordo_request, closure), moves, request, error);
}
