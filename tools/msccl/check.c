/* check.c - what is wrong with steps: peers, counts, slots, nops, chains. */
#include "check.h"
#include <inttypes.h>
#include <ordo/detail/fail.h>

enum { MOST_COUNT = 71 };

static bool fail_peer(const struct msccl_program *program, const struct msccl_block *block,
	const char *name, int32_t peer, struct ordo_error *error)
{
	return msccl_fail(program, block->place, 2, error,
		"gpu %" PRIu32 ", tb %" PRIu32 ": %s: found %" PRId32
		", wanted another gpu of 0..%" PRIu32 ", or -1",
		block->gpu, block->id, name, peer, program->ngpu - 1);
}

static bool is_peer(
	const struct msccl_program *program, const struct msccl_block *block, int32_t peer)
{
	return peer < 0 || ((uint32_t)peer < program->ngpu && (uint32_t)peer != block->gpu);
}

static bool check_block(
	struct msccl_program *program, const struct msccl_block *block, struct ordo_error *error)
{
	if (!is_peer(program, block, block->send))
		return fail_peer(program, block, "send", block->send, error);
	if (!is_peer(program, block, block->receive))
		return fail_peer(program, block, "recv", block->receive, error);
	if (block->channel >= program->nchannel &&
		!msccl_warn(program, block->place,
			"chan: found %" PRIu32 " in a file of nchannels=\"%" PRIu32 "\"",
			block->channel, program->nchannel))
		return ordo_fail_memory(error);
	return true;
}

static uint32_t room_of(const struct msccl_gpu *gpu, uint32_t buffer)
{
	return buffer == ORDO_INPUT    ? gpu->input_chunks
	       : buffer == ORDO_OUTPUT ? gpu->output_chunks
				       : gpu->scratch_chunks;
}

static bool check_slot(const struct msccl_program *program, const struct msccl_gpu *gpu,
	const struct msccl_step *step, const struct msccl_slot *slot, const char *name,
	struct ordo_error *error)
{
	static const char *const names[] = {"i", "o", "s"};
	const uint32_t room = room_of(gpu, slot->buffer);
	if (slot->offset != ORDO_NONE && (uint64_t)slot->offset + step->count <= room)
		return true;
	if (slot->offset == ORDO_NONE)
		return msccl_fail(
			program, step->place, 3, error, "%soff: found -1, wanted a slot", name);
	return msccl_fail(program, step->place, 3, error,
		"%soff and cnt: found %s[%" PRIu32 "] and %" PRIu32
		" chunks, wanted slots below %" PRIu32 ", the %s_chunks of gpu %" PRIu32
		": runtimes check the first chunk only, and compute garbage",
		name, names[slot->buffer], slot->offset, step->count, room, names[slot->buffer],
		gpu->id);
}

/* In one step, the slots read and those written: all the same ones, or none. */
static bool check_overlap(const struct msccl_program *program, const struct msccl_step *step,
	struct ordo_error *error)
{
	const struct msccl_type_facts *facts = &msccl_types[step->type];
	const uint32_t a = step->src.offset, b = step->dst.offset;
	if (!facts->reads || !facts->writes || step->src.buffer != step->dst.buffer || a == b ||
		a >= b + (uint64_t)step->count || b >= a + (uint64_t)step->count)
		return true;
	return msccl_fail(program, step->place, 3, error,
		"src and dst overlap in part: runtimes compute garbage");
}

static bool check_count(
	struct msccl_program *program, const struct msccl_step *step, struct ordo_error *error)
{
	if (!step->count)
		return msccl_fail(program, step->place, 1, error,
			"cnt: found 0, wanted 1..%d: runtimes move nothing, or hang", MOST_COUNT);
	if (step->count > MOST_COUNT)
		return msccl_fail(program, step->place, 1, error,
			"cnt: found %" PRIu32 ", wanted 1..%d: runtimes refuse the file",
			step->count, MOST_COUNT);
	return true;
}

static bool check_step(struct msccl_program *program, const struct msccl_block *block,
	const struct msccl_step *step, struct ordo_error *error)
{
	const struct msccl_type_facts *facts = &msccl_types[step->type];
	const struct msccl_gpu *gpu = &program->gpus[block->gpu];
	if (step->type == MSCCL_NOP)
		return true;
	if (facts->sends && block->send < 0)
		return msccl_fail(program, step->place, 2, error,
			"%s in tb %" PRIu32 " of gpu %" PRIu32
			", which sends to nobody (send=\"-1\")",
			facts->name, block->id, block->gpu);
	if (facts->receives && block->receive < 0)
		return msccl_fail(program, step->place, 2, error,
			"%s in tb %" PRIu32 " of gpu %" PRIu32
			", which receives from nobody (recv=\"-1\")",
			facts->name, block->id, block->gpu);
	return check_count(program, step, error) &&
	       (!facts->reads || check_slot(program, gpu, step, &step->src, "src", error)) &&
	       (!facts->writes || check_slot(program, gpu, step, &step->dst, "dst", error)) &&
	       check_overlap(program, step, error);
}

bool msccl_is_chained(const struct msccl_program *program, uint32_t step)
{
	const struct msccl_step *s = &program->steps[step];
	if (s->type != MSCCL_REDUCE || !step || s[-1].type != MSCCL_REDUCE)
		return false;
	return s->depends_on_block < 0 && !s[-1].is_waited_for &&
	       s->dst.buffer == s[-1].dst.buffer && s->dst.offset == s[-1].dst.offset &&
	       s->src.buffer == s[-1].src.buffer;
}

/* nops carry the dependences of the next step beyond its first. */
static bool check_nop(struct msccl_program *program, const struct msccl_block *block, uint32_t step,
	struct ordo_error *error)
{
	const struct msccl_step *s = &program->steps[step];
	uint32_t next = step;
	while (next < block->end && program->steps[next].type == MSCCL_NOP)
		next++;
	if (next == block->end)
		return msccl_warn(
			       program, s->place, "a nop at the end of a tb: runtimes ignore it") ||
		       ordo_fail_memory(error);
	if (s->depends_on_block < 0)
		return msccl_warn(program, s->place,
			       "a nop without a dependence: runtimes lose count of the steps") ||
		       ordo_fail_memory(error);
	if (program->steps[next].depends_on_block < 0)
		return msccl_fail(program, s->place, 1, error,
			"the step after the nop, on line %" PRIu32
			", has no dependence of its own: runtimes refuse the file",
			program->steps[next].place.line);
	return true;
}

static bool check_neighbours(struct msccl_program *program, const struct msccl_block *block,
	uint32_t step, struct ordo_error *error)
{
	const struct msccl_step *s = &program->steps[step];
	if ((s->depends_on_block < 0) != (s->depends_on_step < 0))
		return msccl_fail(program, s->place, 1, error,
			"depid and deps: found %" PRId32 " and %" PRId32
			", wanted both, or -1 and -1",
			s->depends_on_block, s->depends_on_step);
	if (step > block->first && msccl_is_chained(program, step) && s->count != s[-1].count)
		return msccl_fail(program, s->place, 1, error,
			"cnt: found %" PRIu32 " after %" PRIu32
			" in a chain of reductions into one slot: runtimes use the last for all",
			s->count, s[-1].count);
	return s->type != MSCCL_NOP || check_nop(program, block, step, error);
}

/* A small file with huge buffers must not take the memory of a huge file. */
static bool check_sizes(const struct msccl_program *program, struct ordo_error *error)
{
	enum { FEW = 1 << 22, SLOTS_A_CHUNK = 64 };
	uint64_t moved = 0, scratch = 0;
	for (uint32_t s = 0; s < program->nstep; s++)
		moved += program->steps[s].count;
	for (uint32_t g = 0; g < program->ngpu; g++)
		if (program->gpus[g].scratch_chunks > scratch)
			scratch = program->gpus[g].scratch_chunks;
	const uint64_t slots = (2 * (uint64_t)program->nchunk + scratch) * program->ngpu;
	if (slots <= FEW + SLOTS_A_CHUNK * moved)
		return true;
	msccl_fail(program, program->place, 0, error,
		"nchunksperloop and s_chunks: found %" PRIu64
		" slots on all gpus, but steps that move only %" PRIu64
		" chunks: too many to follow",
		slots, moved);
	if (error)
		error->code = ORDO_UNDECIDED;
	return false;
}

bool msccl_check(struct msccl_program *program, struct ordo_error *error)
{
	for (uint32_t b = 0; b < program->nblock; b++) {
		const struct msccl_block *block = &program->blocks[b];
		if (!check_block(program, block, error))
			return false;
		for (uint32_t s = block->first; s < block->end; s++)
			if (!check_step(program, block, &program->steps[s], error) ||
				!check_neighbours(program, block, s, error))
				return false;
	}
	return check_sizes(program, error);
}
