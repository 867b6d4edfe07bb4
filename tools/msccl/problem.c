/* problem.c - the collective of a program: operator, chunks of a block, root. */
#include "lower.h"
#include "runtimes.h"
#include <inttypes.h>
#include <ordo/detail/fail.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	enum ordo_operator op;
	bool by_blocks; /* nchunksperloop counts the chunks of a block for every gpu */
} collectives[] = {
	{"allreduce", ORDO_ALLREDUCE, false},
	{"reduce", ORDO_REDUCE, false},
	{"broadcast", ORDO_BROADCAST, false},
	{"allgather", ORDO_ALLGATHER, true},
	{"reduce_scatter", ORDO_REDUCESCATTER, true},
	{"reducescatter", ORDO_REDUCESCATTER, true},
	{"alltoall", ORDO_ALLTOALL, true},
};
enum { NCOLLECTIVE = sizeof collectives / sizeof *collectives };

const char *msccl_collective_name(enum ordo_operator op, enum msccl_runtime runtime)
{
	if (op == ORDO_REDUCESCATTER)
		return runtime == MSCCL_MICROSOFT ? "reduce_scatter" : "reducescatter";
	for (int i = 0; i < NCOLLECTIVE; i++)
		if (collectives[i].op == op)
			return collectives[i].name;
	return NULL;
}

/* What of these is demanded at the end, the file does not say. */
static bool is_undescribed(const struct msccl_program *program)
{
	static const char *const names[] = {
		"custom", "send", "recv", "gather", "scatter", "alltoallv"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(program->collective, names[i]))
			return true;
	return false;
}

static struct ordo_problem describe_custom(const struct msccl_program *program)
{
	uint32_t chunks = 1;
	for (uint32_t g = 0; g < program->ngpu; g++) {
		const struct msccl_gpu *gpu = &program->gpus[g];
		chunks = gpu->input_chunks > chunks ? gpu->input_chunks : chunks;
		chunks = gpu->output_chunks > chunks ? gpu->output_chunks : chunks;
	}
	return (struct ordo_problem){.op = ORDO_CUSTOM,
		.nrank = program->ngpu,
		.nshard = program->ngpu,
		.chunks_per_block = chunks};
}

/* Does any step of a gpu send, or receive? */
static bool takes_part(const struct msccl_program *program, const struct msccl_gpu *gpu, bool sends)
{
	for (uint32_t b = gpu->first; b < gpu->end; b++)
		for (uint32_t s = program->blocks[b].first; s < program->blocks[b].end; s++) {
			const struct msccl_type_facts *facts = &msccl_types[program->steps[s].type];
			if (sends ? facts->sends : facts->receives)
				return true;
		}
	return false;
}

/* Slots of the output, or of the input in place, that some step of a gpu writes. NULL: no memory;
 * freed by the caller. */
static bool *written_slots(const struct msccl_program *program, const struct msccl_gpu *gpu)
{
	bool *written = calloc((size_t)program->nchunk + 1, sizeof *written);
	if (!written)
		return NULL;
	for (uint32_t b = gpu->first; b < gpu->end; b++)
		for (uint32_t s = program->blocks[b].first; s < program->blocks[b].end; s++) {
			const struct msccl_step *step = &program->steps[s];
			if (!msccl_types[step->type].writes || step->dst.buffer == ORDO_SCRATCH)
				continue;
			for (uint32_t i = 0; i < step->count; i++)
				if ((uint64_t)step->dst.offset + i < program->nchunk)
					written[step->dst.offset + i] = true;
		}
	return written;
}

/* Does a gpu use data that it has from its caller, in a broadcast? Or does it write results, in a
 * reduction that is not in place? Only the root does. */
static bool acts_as_root(const struct msccl_program *program, const struct msccl_gpu *gpu,
	const struct ordo_problem *problem, const bool *written)
{
	const bool reduces = problem->op == ORDO_REDUCE;
	for (uint32_t b = gpu->first; b < gpu->end; b++)
		for (uint32_t s = program->blocks[b].first; s < program->blocks[b].end; s++) {
			const struct msccl_step *step = &program->steps[s];
			const struct msccl_type_facts *facts = &msccl_types[step->type];
			if (reduces && !problem->in_place && facts->writes &&
				step->dst.buffer == ORDO_OUTPUT)
				return true;
			if (reduces || !facts->reads || step->src.buffer == ORDO_SCRATCH)
				continue;
			if (!problem->in_place && step->src.buffer == ORDO_INPUT)
				return true;
			for (uint32_t i = 0; problem->in_place && i < step->count; i++)
				if ((uint64_t)step->src.offset + i < program->nchunk &&
					!written[step->src.offset + i])
					return true;
		}
	return false;
}

/* The only gpu that sends nothing is the root of a reduction, the only one that receives nothing
 * that of a broadcast; otherwise the only one that uses its data as a root does. ORDO_NONE: there
 * is no such gpu, or several. false: no memory. */
static bool guess_root(const struct msccl_program *program, struct ordo_problem *problem)
{
	uint32_t idle = 0, active = 0, idle_root = ORDO_NONE, active_root = ORDO_NONE;
	for (uint32_t g = 0; g < program->ngpu; g++) {
		const struct msccl_gpu *gpu = &program->gpus[g];
		bool *written = written_slots(program, gpu);
		if (!written)
			return false;
		if (!takes_part(program, gpu, problem->op == ORDO_REDUCE)) {
			idle_root = g;
			idle++;
		}
		if (acts_as_root(program, gpu, problem, written)) {
			active_root = g;
			active++;
		}
		free(written);
	}
	problem->root = idle == 1 ? idle_root : active == 1 ? active_root : ORDO_NONE;
	return true;
}

static bool find_root(const struct msccl_program *program, const struct msccl_options *options,
	struct ordo_problem *problem, struct ordo_error *error)
{
	problem->root = options->root;
	if (options->root == ORDO_NONE && !guess_root(program, problem))
		return ordo_fail_memory(error);
	if (problem->root == ORDO_NONE) {
		msccl_fail(program, program->place, 0, error,
			"coll=\"%s\": the file names no root, and its data shows none",
			program->collective);
		if (error)
			error->code = ORDO_USAGE;
		return ordo_hint(error, "--root R names it");
	}
	if (problem->root < program->ngpu)
		return true;
	return ordo_fail(error, ORDO_USAGE, 0, "--root: found %" PRIu32 ", wanted 0..%" PRIu32,
		problem->root, program->ngpu - 1);
}

bool msccl_problem(const struct msccl_program *program, const struct msccl_options *options,
	struct ordo_problem *problem, struct ordo_error *error)
{
	int i = 0;
	while (i < NCOLLECTIVE && strcmp(program->collective, collectives[i].name) != 0)
		i++;
	if (is_undescribed(program)) {
		*problem = describe_custom(program);
		return true;
	}
	if (i == NCOLLECTIVE)
		return msccl_fail(program, program->place, 1, error,
			"coll: found \"%.40s\", wanted allreduce, allgather, reduce_scatter, "
			"reducescatter, alltoall, reduce, broadcast or custom",
			program->collective);
	const uint32_t ngpu = program->ngpu;
	*problem = (struct ordo_problem){.op = collectives[i].op,
		.nrank = ngpu,
		.nshard = ngpu,
		.chunks_per_block =
			collectives[i].by_blocks ? program->nchunk / ngpu : program->nchunk,
		.in_place = !program->out_of_place || (program->in_place && options->in_place)};
	if (collectives[i].by_blocks && program->nchunk % ngpu)
		return msccl_fail(program, program->place, 1, error,
			"nchunksperloop: found %" PRIu32 ", wanted a multiple of %" PRIu32
			", the number of gpus, for %s",
			program->nchunk, ngpu, program->collective);
	if (problem->op == ORDO_ALLTOALL && problem->in_place) {
		msccl_fail(program, program->place, 0, error,
			"an alltoall in place: cannot be expressed");
		if (error)
			error->code = ORDO_UNDECIDED;
		return false;
	}
	if (problem->op == ORDO_REDUCE || problem->op == ORDO_BROADCAST)
		return find_root(program, options, problem, error);
	return true;
}
