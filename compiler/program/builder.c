/* builder.c - takes an algorithm's moves, checks each, and keeps them in program order. */
#include "build.h"
#include "sequence.h"
#include <ordo/arena.h>
#include <ordo/builder.h>
#include <ordo/detail/schedules.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ordo_builder {
	struct ordo_building building;
	struct ordo_sequence *sequence;
	struct ordo_cells cells; /* of input and output */
	bool *written;		 /* [cells.nwritable] something lies there */
	/* [nrank][scratch_room] what was last written there, or ORDO_NONE */
	uint32_t *scratch_chunk;
	uint32_t scratch_slots, scratch_room, scratch_used;
	/* first scratch slot of the work places; ORDO_NONE: not asked for yet */
	uint32_t work_scratch;
	uint32_t stream_label;
	struct {
		uint32_t label, lane;
	} * lanes;	/* [nrank] the stream each rank moved in last; label ORDO_NONE: none yet */
	uint32_t phase; /* index into phases, or ORDO_NO_PHASE */
	bool failed, lacks_link;
	int rule; /* that the first error breaks; 0: none that has a number */
	struct ordo_error error;
};

/* `phase "reduce-scatter 3": `, or nothing. */
static void print_phase(const struct ordo_builder *b, char *out, size_t size)
{
	*out = 0;
	if (b->phase == ORDO_NO_PHASE)
		return;
	const struct ordo_label label = b->sequence->phases.items[b->phase];
	if (label.number == ORDO_NONE)
		snprintf(out, size, "phase \"%s\": ", label.name);
	else
		snprintf(out, size, "phase \"%s %u\": ", label.name, label.number);
}

void ordo_builder_fail_memory(struct ordo_builder *b)
{
	if (!b->failed)
		ordo_fail_memory(&b->error);
	b->failed = true;
}

void ordo_builder_fail(struct ordo_builder *b, const char *format, ...)
{
	if (b->failed)
		return;
	char phase[128], what[1024];
	print_phase(b, phase, sizeof phase);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(what, sizeof what, format, arguments);
	va_end(arguments);
	ordo_fail(&b->error, ORDO_USAGE, 0, "%s: %s%s", b->building.notation, phase, what);
	b->failed = true;
}

/* The error that follows breaks this rule. */
static struct ordo_builder *breaks(struct ordo_builder *b, int rule)
{
	if (!b->failed)
		b->rule = rule;
	return b;
}

void ordo_builder_hint(struct ordo_builder *b, const char *format, ...)
{
	if (b->error.hint[0] || !b->failed || b->lacks_link)
		return;
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(b->error.hint, sizeof b->error.hint, format, arguments);
	va_end(arguments);
}

bool ordo_builder_failed(const struct ordo_builder *b)
{
	return b->failed;
}

void ordo_stream(struct ordo_builder *b, const char *name, uint32_t number)
{
	if (b->failed)
		return;
	b->stream_label = ordo_label_id(b->sequence, &b->sequence->stream_labels, name, number);
	if (b->stream_label == ORDO_NONE)
		ordo_builder_fail_memory(b);
}

void ordo_phase(struct ordo_builder *b, const char *name, uint32_t step)
{
	if (b->failed)
		return;
	uint32_t phase = ordo_label_id(b->sequence, &b->sequence->phases, name, step);
	if (phase >= ORDO_NO_PHASE)
		ordo_builder_fail_memory(b);
	else
		b->phase = phase;
}

/* Makes room for `slots` scratch slots a rank, by moving every rank's part to its new place, last
 * rank first.
 */
static bool widen(struct ordo_builder *b, uint32_t slots)
{
	const uint32_t nrank = b->sequence->problem.nrank, old = b->scratch_room;
	if (slots <= old)
		return true;
	const uint64_t room = slots > 2 * (uint64_t)old ? slots : 2 * (uint64_t)old;
	if (room * nrank >= UINT32_MAX)
		return false;
	uint32_t *grown = realloc(b->scratch_chunk, (size_t)room * nrank * sizeof *grown);
	if (!grown)
		return false;
	for (size_t rank = nrank; rank-- > 0;) {
		if (old)
			memmove(grown + rank * room, grown + rank * old, old * sizeof *grown);
		memset(grown + rank * room + old, 0xff, ((size_t)room - old) * sizeof *grown);
	}
	b->scratch_chunk = grown;
	b->scratch_room = (uint32_t)room;
	return true;
}

uint32_t ordo_scratch(struct ordo_builder *b, uint32_t count)
{
	if (b->failed)
		return 0;
	const uint32_t first = b->scratch_slots;
	if (count > ORDO_LIMIT - first || !widen(b, first + count)) {
		ordo_builder_fail_memory(b);
		return 0;
	}
	b->scratch_slots += count;
	return first;
}

bool ordo_has_input(const struct ordo_builder *b, uint32_t rank, uint32_t chunk)
{
	return ordo_input_slot(&b->sequence->problem, rank, chunk) != ORDO_NONE;
}

bool ordo_has_output(const struct ordo_builder *b, uint32_t rank, uint32_t chunk)
{
	return ordo_output_slot(&b->sequence->problem, rank, chunk) != ORDO_NONE;
}

struct ordo_at ordo_input_of(struct ordo_builder *b, uint32_t rank, uint32_t chunk)
{
	if (b->building.folds_shards)
		return ordo_work(b, rank, chunk);
	uint32_t slot = ordo_input_slot(&b->sequence->problem, rank, chunk);
	if (slot == ORDO_NONE)
		ordo_builder_fail(b, "rank %u has no chunk %u in its input", rank, chunk);
	return ordo_at(rank, ORDO_INPUT, slot);
}

struct ordo_at ordo_shard_of(struct ordo_builder *b, uint32_t rank, uint32_t shard, uint32_t chunk)
{
	const struct ordo_problem *problem = &b->sequence->problem;
	const uint32_t first = ordo_first_shard(problem, rank);
	if (shard < first || shard >= ordo_first_shard(problem, rank + 1))
		ordo_builder_fail(b, "rank %u does not have shard %u", rank, shard);
	return ordo_at(rank, ORDO_INPUT, (shard - first) * ordo_nchunk(problem) + chunk);
}

struct ordo_at ordo_output_of(struct ordo_builder *b, uint32_t rank, uint32_t chunk)
{
	uint32_t slot = ordo_output_slot(&b->sequence->problem, rank, chunk);
	if (slot == ORDO_NONE)
		ordo_builder_fail(
			b, "rank %u has no place for chunk %u in its output", rank, chunk);
	return ordo_at(rank, ORDO_OUTPUT, slot);
}

/* A number for every chunk, as small as possible for those a rank parks: its own block, if blocks
 * are the ranks', comes last. */
static uint32_t parking_number(const struct ordo_problem *problem, uint32_t rank, uint32_t chunk)
{
	const uint32_t K = problem->chunks_per_block, nchunk = ordo_nchunk(problem);
	if (ordo_nblock(problem) != problem->nrank || chunk / K < rank)
		return chunk;
	return chunk / K > rank ? chunk - K : nchunk - K + chunk % K;
}

struct ordo_at ordo_work(struct ordo_builder *b, uint32_t rank, uint32_t chunk)
{
	const struct ordo_problem *problem = &b->sequence->problem;
	uint32_t slot = ordo_output_slot(problem, rank, chunk);
	if (slot != ORDO_NONE)
		return ordo_at(rank, ORDO_OUTPUT, slot);
	slot = problem->in_place ? ordo_input_slot(problem, rank, chunk) : ORDO_NONE;
	if (slot != ORDO_NONE)
		return ordo_at(rank, ORDO_INPUT, slot);
	if (b->work_scratch == ORDO_NONE)
		b->work_scratch = ordo_scratch(b, ordo_nchunk(problem));
	return ordo_at(rank, ORDO_SCRATCH, b->work_scratch + parking_number(problem, rank, chunk));
}

struct ordo_at ordo_held(struct ordo_builder *b, uint32_t rank, uint32_t chunk)
{
	return ordo_has_input(b, rank, chunk) ? ordo_input_of(b, rank, chunk)
					      : ordo_work(b, rank, chunk);
}

void ordo_contribute(struct ordo_builder *b, uint32_t rank, uint32_t chunk, uint32_t count)
{
	for (uint32_t i = 0; i < count && !b->failed; i++)
		ordo_copy(b, ordo_work(b, rank, chunk + i), ordo_input_of(b, rank, chunk + i), 1);
}

static uint32_t slots_of(const struct ordo_builder *b, struct ordo_at at)
{
	switch (at.buffer) {
	case ORDO_INPUT:
		return ordo_input_slots(&b->sequence->problem, at.rank);
	case ORDO_OUTPUT:
		return ordo_output_slots(&b->sequence->problem, at.rank);
	case ORDO_SCRATCH:
		break;
	}
	return b->scratch_slots;
}

static bool exists(struct ordo_builder *b, struct ordo_at at, uint32_t count)
{
	const uint32_t nrank = b->sequence->problem.nrank;
	if (at.rank >= nrank) {
		ordo_builder_fail(
			breaks(b, 2), "there is no rank %u, only 0..%u", at.rank, nrank - 1);
		return false;
	}
	const uint32_t slots = slots_of(b, at);
	if (at.slot >= slots || count > slots - at.slot) {
		ordo_builder_fail(breaks(b, 3), "%s slots: found %u..%llu, rank %u has %u",
			ordo_buffer_name(at.buffer), at.slot,
			(unsigned long long)at.slot + count - 1, at.rank, slots);
		return false;
	}
	return true;
}

/* What the operator puts into an input or output slot. */
static uint32_t meant(const struct ordo_builder *b, struct ordo_at at)
{
	return at.buffer == ORDO_INPUT ? ordo_input_chunk(&b->sequence->problem, at.rank, at.slot)
				       : ordo_output_chunk(&b->sequence->problem, at.rank, at.slot);
}

/* The chunk that lies there now, or ORDO_NONE. */
static uint32_t *scratch_at(const struct ordo_builder *b, struct ordo_at at)
{
	return &b->scratch_chunk[(size_t)at.rank * b->scratch_room + at.slot];
}

static bool *written_at(const struct ordo_builder *b, struct ordo_at at)
{
	return &b->written[ordo_cell(&b->cells, at.rank, at.buffer, at.slot)];
}

static uint32_t lies(const struct ordo_builder *b, struct ordo_at at)
{
	if (at.buffer == ORDO_SCRATCH)
		return *scratch_at(b, at);
	if (at.buffer == ORDO_INPUT && !b->sequence->problem.in_place)
		return meant(b, at);
	return *written_at(b, at) ? meant(b, at) : ORDO_NONE;
}

bool ordo_written(const struct ordo_builder *b, struct ordo_at at)
{
	return !b->failed && lies(b, at) != ORDO_NONE;
}

static bool may_take(struct ordo_builder *b, struct ordo_at dst, uint32_t chunk, bool reduces)
{
	if (dst.buffer == ORDO_INPUT && !b->sequence->problem.in_place)
		ordo_builder_fail(breaks(b, 4),
			"writes input slot %u of rank %u, which is not in place", dst.slot,
			dst.rank);
	else if (reduces && lies(b, dst) == ORDO_NONE)
		ordo_builder_fail(breaks(b, 10),
			"adds chunk %u to %s slot %u of rank %u, to which nothing was written",
			chunk, ordo_buffer_name(dst.buffer), dst.slot, dst.rank);
	else if (reduces && lies(b, dst) != chunk)
		ordo_builder_fail(breaks(b, 10),
			"adds chunk %u to %s slot %u of rank %u, which holds chunk %u", chunk,
			ordo_buffer_name(dst.buffer), dst.slot, dst.rank, lies(b, dst));
	else if (dst.buffer != ORDO_SCRATCH && meant(b, dst) != chunk)
		ordo_builder_fail(breaks(b, 11),
			"writes chunk %u to %s slot %u of rank %u, the place of chunk %u", chunk,
			ordo_buffer_name(dst.buffer), dst.slot, dst.rank, meant(b, dst));
	return !b->failed;
}

/* The chunk that goes from src to dst, which then holds it. */
static uint32_t pass_on(
	struct ordo_builder *b, struct ordo_at dst, struct ordo_at src, bool reduces)
{
	const uint32_t chunk = lies(b, src);
	if (chunk == ORDO_NONE) {
		ordo_builder_fail(breaks(b, 10),
			"reads %s slot %u of rank %u, to which nothing was written",
			ordo_buffer_name(src.buffer), src.slot, src.rank);
		return chunk;
	}
	if (!may_take(b, dst, chunk, reduces))
		return ORDO_NONE;
	if (dst.buffer == ORDO_SCRATCH)
		*scratch_at(b, dst) = chunk;
	else
		*written_at(b, dst) = true;
	return chunk;
}

static bool joined(struct ordo_builder *b, uint32_t from, uint32_t to)
{
	const struct ordo_topology *topology = b->building.topology;
	const uint32_t *map = b->building.map;
	if (from == to || !topology || ordo_topology_reaches(topology, from, to))
		return true;
	const uint32_t a = map ? map[from] : from, z = map ? map[to] : to;
	b->lacks_link = b->lacks_link || !b->failed;
	ordo_builder_fail(breaks(b, 12),
		"needs link %u-%u (from rank %u to rank %u), which topology \"%s\" does not "
		"have or which is down",
		a, z, a, z, topology->name);
	return false;
}

/* The stream of a rank by the label at hand. */
static uint32_t lane_of(struct ordo_builder *b, uint32_t rank)
{
	if (b->lanes[rank].label != b->stream_label) {
		b->lanes[rank].lane = ordo_lane_id(b->sequence, rank, b->stream_label);
		b->lanes[rank].label = b->stream_label;
	}
	return b->lanes[rank].lane;
}

static void set_via(struct ordo_builder *b, uint32_t rank, const struct ordo_via *via)
{
	if (b->failed)
		return;
	if (rank >= b->sequence->problem.nrank) {
		ordo_builder_fail(
			b, "there is no rank %u, only 0..%u", rank, b->sequence->problem.nrank - 1);
		return;
	}
	const uint32_t lane = lane_of(b, rank);
	const struct ordo_via *kept =
		lane == ORDO_NONE ? NULL : ordo_via_copy(&b->sequence->arena, via);
	if (kept)
		b->sequence->lanes[lane].via = kept;
	else
		ordo_builder_fail_memory(b);
}

void ordo_via(struct ordo_builder *b, uint32_t rank, const uint32_t *switches, uint32_t nswitch,
	const char *class_name)
{
	set_via(b, rank, &(struct ordo_via){switches, nswitch, class_name, NULL});
}

void ordo_via_classes(struct ordo_builder *b, uint32_t rank, const uint32_t *switches,
	uint32_t nswitch, const char *const *classes)
{
	set_via(b, rank, &(struct ordo_via){switches, nswitch, NULL, classes});
}

static void fail_moves(struct ordo_builder *b)
{
	ordo_builder_fail(
		b, "not compiled, for it takes more than %u moves", b->building.most_moves);
	b->error.code = ORDO_ENVIRONMENT;
	b->error.too_large = true;
}

static void append(struct ordo_builder *b, struct ordo_at dst, struct ordo_at src, uint32_t chunk,
	uint32_t count, bool reduces)
{
	if (dst.buffer == ORDO_SCRATCH && dst.slot + count > b->scratch_used)
		b->scratch_used = dst.slot + count;
	struct ordo_move move = {
		.reduces = reduces,
		.src_buffer = src.buffer,
		.dst_buffer = dst.buffer,
		.phase = b->phase & ORDO_NO_PHASE,
		.stream = lane_of(b, src.rank),
		.rank = src.rank,
		.peer = dst.rank,
		.chunk = chunk,
		.count = count,
		.src = src.slot,
		.dst = dst.slot,
	};
	if (b->building.most_moves && b->sequence->nmove >= b->building.most_moves)
		fail_moves(b);
	else if (move.stream == ORDO_NONE || !ordo_sequence_append(b->sequence, &move))
		ordo_builder_fail_memory(b);
}

/* How far apart two places are in memory; UINT32_MAX: on different ranks or in buffers that have
 * nothing in common. */
static uint32_t apart(const struct ordo_builder *b, struct ordo_at dst, struct ordo_at src)
{
	if (dst.rank != src.rank || (dst.buffer == ORDO_SCRATCH) != (src.buffer == ORDO_SCRATCH))
		return UINT32_MAX;
	uint32_t to = dst.slot, from = src.slot;
	if (dst.buffer != ORDO_SCRATCH) {
		to = ordo_cell(&b->cells, dst.rank, dst.buffer, dst.slot);
		from = ordo_cell(&b->cells, src.rank, src.buffer, src.slot);
	}
	return to > from ? to - from : from - to;
}

static void move_chunks(struct ordo_builder *b, struct ordo_at dst, struct ordo_at src,
	uint32_t count, bool reduces)
{
	if (b->failed || !count || !exists(b, src, count) || !exists(b, dst, count))
		return;
	const uint32_t distance = apart(b, dst, src);
	if (!distance && !reduces)
		return;
	if (distance < count) {
		ordo_builder_fail(breaks(b, 3), "rank %u %s %s slots %u..%u onto themselves",
			src.rank, reduces ? "adds" : "copies", ordo_buffer_name(src.buffer),
			src.slot, src.slot + count - 1);
		return;
	}
	if (!joined(b, src.rank, dst.rank))
		return;
	for (uint32_t begin = 0, end; begin < count; begin = end) {
		const struct ordo_at to = ordo_at(dst.rank, dst.buffer, dst.slot + begin);
		const struct ordo_at from = ordo_at(src.rank, src.buffer, src.slot + begin);
		const uint32_t chunk = pass_on(b, to, from, reduces);
		for (end = begin + 1; end < count && !b->failed; end++) {
			const struct ordo_at next = ordo_at(src.rank, src.buffer, src.slot + end);
			if (lies(b, next) != chunk + (end - begin))
				break;
			pass_on(b, ordo_at(dst.rank, dst.buffer, dst.slot + end), next, reduces);
		}
		if (b->failed)
			return;
		append(b, to, from, chunk, end - begin, reduces);
	}
}

void ordo_copy(struct ordo_builder *b, struct ordo_at dst, struct ordo_at src, uint32_t count)
{
	move_chunks(b, dst, src, count, false);
}

void ordo_builder_reduce(
	struct ordo_builder *b, struct ordo_at dst, struct ordo_at src, uint32_t count)
{
	move_chunks(b, dst, src, count, true);
}

static void destroy(struct ordo_builder *b)
{
	ordo_cells_free(&b->cells);
	free(b->written);
	free(b->lanes);
	free(b->scratch_chunk);
	free(b);
}

/* In the beginning every input slot holds its chunk, and nothing else holds anything. */
static bool begin(struct ordo_builder *b, struct ordo_error *error)
{
	const struct ordo_problem *problem = &b->sequence->problem;
	if (!ordo_cells_make(&b->cells, problem, 0, error))
		return false;
	b->written = ordo_array_make((size_t)b->cells.nwritable + 1, sizeof *b->written, 0);
	b->lanes = ordo_array_make(problem->nrank, sizeof *b->lanes, 0xff);
	if (!b->written || !b->lanes)
		return ordo_fail_memory(error);
	for (uint32_t rank = 0; problem->in_place && rank < problem->nrank; rank++)
		for (uint32_t slot = 0, end = ordo_input_slots(problem, rank); slot < end; slot++)
			b->written[ordo_cell(&b->cells, rank, ORDO_INPUT, slot)] = true;
	return true;
}

struct ordo_builder *ordo_builder_create(const struct ordo_building *building,
	struct ordo_sequence *sequence, struct ordo_error *error)
{
	struct ordo_builder *b = calloc(1, sizeof *b);
	if (!b) {
		ordo_fail_memory(error);
		return NULL;
	}
	*b = (struct ordo_builder){.building = *building,
		.sequence = sequence,
		.work_scratch = ORDO_NONE,
		.phase = ORDO_NO_PHASE};
	if (begin(b, error))
		return b;
	destroy(b);
	return NULL;
}

int ordo_builder_rule(const struct ordo_builder *b)
{
	return b->failed && b->error.code == ORDO_USAGE ? b->rule : 0;
}

void ordo_builder_begin_document(struct ordo_builder *b, const struct ordo_place *places)
{
	b->sequence->places = places;
}

/* The index of a label by its name alone. */
static uint32_t label_of(struct ordo_builder *b, struct ordo_labels *labels, const char *name)
{
	const uint32_t label = ordo_label_id(b->sequence, labels, name, ORDO_NONE);
	if (label >= ORDO_NO_PHASE)
		ordo_builder_fail_memory(b);
	return label;
}

uint32_t ordo_builder_stream_label(struct ordo_builder *b, const char *name)
{
	return label_of(b, &b->sequence->stream_labels, name);
}

uint32_t ordo_builder_phase_label(struct ordo_builder *b, const char *name)
{
	return label_of(b, &b->sequence->phases, name);
}

void ordo_builder_place(
	struct ordo_builder *b, uint32_t stream_label, uint32_t phase, uint32_t origin)
{
	b->stream_label = stream_label;
	b->phase = phase;
	b->sequence->origin = origin;
}

bool ordo_builder_set_via(
	struct ordo_builder *b, uint32_t rank, uint32_t stream_label, const struct ordo_via *via)
{
	const uint32_t lane = ordo_map_get(&b->sequence->lane_ids, rank, stream_label);
	if (lane == ORDO_NONE)
		return false;
	b->sequence->lanes[lane].via = via;
	return true;
}

bool ordo_builder_lacks_link(const struct ordo_builder *b)
{
	return b->lacks_link;
}

void ordo_builder_begin_algorithm(struct ordo_builder *b)
{
	b->phase = ORDO_NO_PHASE;
	ordo_stream(b, "main", ORDO_NONE);
}

bool ordo_builder_finish(struct ordo_builder *b, struct ordo_error *error)
{
	const bool worked = !b->failed;
	if (b->failed && error)
		*error = b->error;
	b->sequence->scratch_slots = b->scratch_used;
	destroy(b);
	return worked;
}
