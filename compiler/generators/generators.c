/* generators.c - what there is, and how tasks are written. */
#include "generator.h"
#include <math.h>
#include <ordo/compiler.h>
#include <ordo/detail/accumulate.h>
#include <ordo/memory.h>
#include <stdio.h>
#include <string.h>

static const struct generator *const table[] = {
	&ordo_generate_ring,
	&ordo_generate_halving_doubling,
	&ordo_generate_halving_doubling_near,
	&ordo_generate_recursive_doubling,
	&ordo_generate_recursive_doubling_near,
	&ordo_generate_tree,
	&ordo_generate_binary_blocks,
};
enum { NGENERATOR = sizeof table / sizeof *table };

const struct ordo_generator_facts *const *ordo_generators(uint32_t *count)
{
	static const struct ordo_generator_facts *const facts[NGENERATOR] = {
		&ordo_generate_ring.facts,
		&ordo_generate_halving_doubling.facts,
		&ordo_generate_halving_doubling_near.facts,
		&ordo_generate_recursive_doubling.facts,
		&ordo_generate_recursive_doubling_near.facts,
		&ordo_generate_tree.facts,
		&ordo_generate_binary_blocks.facts,
	};
	*count = NGENERATOR;
	return facts;
}

/* The own name of what a name means for an operator, without settings; or the name as it is. */
static const char *own_name(const char *name, enum ordo_operator op)
{
	struct ordo_named named[ORDO_MOST_NAMED];
	const uint32_t count = ordo_algorithms_named(name, named);
	for (uint32_t i = 0; i < count; i++)
		if (named[i].operators >> op & 1 && (!named[i].alias || !*named[i].alias->settings))
			return named[i].facts->name;
	return count && !named[0].alias ? named[0].facts->name : name;
}

static const struct generator *find(const char *name)
{
	for (int i = 0; i < NGENERATOR; i++)
		if (!strcmp(table[i]->facts.name, name))
			return table[i];
	return NULL;
}

static uint32_t chunks_of(const struct generator *generator, const struct ordo_problem *problem)
{
	return generator->chunks ? generator->chunks(problem) : 1;
}

static bool applies(const struct generator *generator, const struct ordo_problem *problem,
	struct ordo_error *error)
{
	const char *name = generator->facts.name;
	const uint32_t N = problem->nrank;
	const uint32_t K = N ? chunks_of(generator, problem) : 1;
	if (!(generator->facts.operators >> problem->op & 1))
		return ordo_fail(error, ORDO_USAGE, 0,
			"%s is generated for other operators than %s", name,
			ordo_operator_facts(problem->op)->name);
	if (N < 2 || (generator->power_of_two && (N & (N - 1))))
		return ordo_fail(error, ORDO_USAGE, 0, "%s is generated for %s ranks, found %u",
			name, generator->facts.ranks, N);
	if (problem->accumulate)
		return ordo_fail(error, ORDO_USAGE, 0,
			"accumulate: no algorithm is generated that accumulates in %s",
			ordo_accumulation_name(problem->accumulate));
	if (problem->nshard != N || (problem->in_place && !generator->in_place) ||
		(problem->chunks_per_block && problem->chunks_per_block != K))
		return ordo_fail(error, ORDO_USAGE, 0,
			"%s is generated %s, with one shard a rank and %u chunk%s a block", name,
			generator->in_place ? "in place or not" : "out of place", K,
			K == 1 ? "" : "s");
	return true;
}

/* Of what is proved from one program: that program, and so many bytes a rank. Measured. */
static bool fits_in_memory(const struct generator *generator, const struct ordo_problem *problem,
	struct ordo_error *error)
{
	const double N = problem->nrank, tasks = generator->power_of_two ? 10 * log2(N) : 6 * N;
	char what[256];
	snprintf(what, sizeof what,
		"%s on %u ranks by %s: %.1e tasks a rank, the proof from one of which",
		ordo_operator_facts(problem->op)->name, problem->nrank, generator->facts.name,
		tasks);
	if (ordo_memory_allows(200 * N + 50 * tasks, what, error))
		return true;
	return ordo_hint(error, "fewer ranks take less; --memory-limit SIZE allows more");
}

bool ordo_generate(const char *algorithm, const struct ordo_problem *problem,
	struct ordo_programs *programs, struct ordo_error *error)
{
	const char *name = own_name(algorithm, problem->op);
	const struct generator *generator = find(name);
	if (!generator) {
		ordo_fail(error, ORDO_USAGE, 0, "\"%s\" has no generator", algorithm);
		return ordo_hint(error,
			"ring, tree, binary-blocks, halving-doubling and recursive-doubling have, "
			"the last two also with masks=near");
	}
	if (!applies(generator, problem, error) || !fits_in_memory(generator, problem, error))
		return false;
	*programs = (struct ordo_programs){.problem = *problem,
		.algorithm = generator->facts.name,
		.scratch_slots = generator->scratch(problem),
		.nphase = generator->phases(problem),
		.give = generator->give,
		.closure = generator,
		.level = generator->level,
		.most_chunks = generator->most_chunks ? generator->most_chunks(problem) : 1};
	programs->problem.chunks_per_block = chunks_of(generator, problem);
	return ordo_problem_check(&programs->problem, error);
}

uint32_t ordo_level_by_phase(const struct ordo_task *task)
{
	if (task->kind != ORDO_LOCAL_COPY)
		return 2 * task->phase + 1;
	return task->phase ? 2 * task->phase + 2 : 0;
}

static void append(struct writing *writing, const struct ordo_task *task)
{
	writing->failed = writing->failed ||
			  !ordo_rank_program_append(writing->program, task, writing->error);
}

void ordo_write_stream(struct writing *writing, const char *name)
{
	writing->failed = writing->failed ||
			  !ordo_rank_program_stream(writing->program, name, writing->error);
}

void ordo_write_notify(struct writing *writing, uint32_t peer, uint32_t signal, uint32_t phase)
{
	append(writing, &(struct ordo_task){.kind = ORDO_NOTIFY,
				.peer = peer,
				.signal = signal,
				.phase = phase & ORDO_NO_PHASE});
}

void ordo_write_wait(struct writing *writing, uint32_t peer, uint32_t signal, uint32_t phase)
{
	append(writing, &(struct ordo_task){.kind = ORDO_WAIT,
				.peer = peer,
				.signal = signal,
				.phase = phase & ORDO_NO_PHASE});
}

static struct ordo_task move(enum ordo_task_kind kind, uint32_t chunk, uint32_t count,
	struct place src, struct place dst, uint32_t phase)
{
	return (struct ordo_task){.kind = kind & 7,
		.src_buffer = src.buffer & 3,
		.dst_buffer = dst.buffer & 3,
		.phase = phase & ORDO_NO_PHASE,
		.chunk = chunk,
		.count = count,
		.src = src.slot,
		.dst = dst.slot};
}

void ordo_write_copy(struct writing *writing, uint32_t chunk, uint32_t count, struct place src,
	struct place dst, uint32_t phase)
{
	const struct ordo_task task = move(ORDO_LOCAL_COPY, chunk, count, src, dst, phase);
	if (count)
		append(writing, &task);
}

void ordo_write_send(struct writing *writing, bool reduces, uint32_t peer, uint32_t chunk,
	uint32_t count, struct place src, struct place dst, uint32_t phase)
{
	struct ordo_task task =
		move(reduces ? ORDO_SEND_REDUCE : ORDO_SEND, chunk, count, src, dst, phase);
	task.peer = peer;
	append(writing, &task);
}

void ordo_write_reduce(
	struct writing *writing, uint32_t chunk, struct place src, struct place dst, uint32_t phase)
{
	const struct ordo_task task = move(ORDO_LOCAL_REDUCE, chunk, 1, src, dst, phase);
	append(writing, &task);
}
