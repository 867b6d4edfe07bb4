/* program.c - types of steps, warnings, errors, and the end of a program. */
#include "program.h"
#include <ordo/arena.h>
#include <ordo/detail/fail.h>
#include <stdarg.h>
#include <stdlib.h>

const struct msccl_type_facts msccl_types[MSCCL_NTYPE] = {
	[MSCCL_SEND] = {"s", .reads = true, .sends = true},
	[MSCCL_RECEIVE] = {"r", .writes = true, .receives = true},
	[MSCCL_RECEIVE_COPY_SEND] = {"rcs", .writes = true, .receives = true, .sends = true},
	[MSCCL_RECEIVE_REDUCE_COPY] = {"rrc", .reads = true, .writes = true, .receives = true},
	[MSCCL_RECEIVE_REDUCE_SEND] = {"rrs", .reads = true, .receives = true, .sends = true},
	[MSCCL_RECEIVE_REDUCE_COPY_SEND] = {"rrcs", .reads = true, .writes = true, .receives = true,
		.sends = true},
	[MSCCL_COPY] = {"cpy", .reads = true, .writes = true},
	[MSCCL_REDUCE] = {"re", .reads = true, .writes = true},
	[MSCCL_NOP] = {.name = "nop"},
};

void msccl_destroy(struct msccl_program *program)
{
	if (!program)
		return;
	free(program->gpus);
	free(program->blocks);
	free(program->steps);
	free(program->warnings);
	ordo_arena_free(&program->arena);
	free(program);
}

bool msccl_warn(struct msccl_program *program, struct ordo_place place, const char *format, ...)
{
	char text[512];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	const char *copy = ordo_arena_format(&program->arena, "%s", text);
	if (!copy || !ordo_array_reserve(&program->warnings, &program->warning_room,
			     (size_t)program->nwarning + 1, sizeof *program->warnings))
		return false;
	program->warnings[program->nwarning++] = (struct msccl_warning){place, copy};
	return true;
}

bool msccl_fail(const struct msccl_program *program, struct ordo_place place, int rule,
	struct ordo_error *error, const char *format, ...)
{
	char text[1024];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	ordo_fail(error, ORDO_BAD_INPUT, rule, "%s", text);
	if (error) {
		snprintf(error->file, sizeof error->file, "%s", program->file);
		error->line = place.line;
		error->column = place.column;
	}
	return false;
}
