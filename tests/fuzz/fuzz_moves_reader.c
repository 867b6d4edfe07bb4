/* fuzz_moves_reader.c - any text as a program of moves: what is read is written and read back the
 * same; small ones are compiled, and what is compiled is sound or refused at a place. */
#include "judging.h"
#include <ordo/builder.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size);

static void demand(bool truth, const char *sentence)
{
	if (truth)
		return;
	fprintf(stderr, "not true: %s\n", sentence);
	abort();
}

static char *print(const struct ordo_moves *moves, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);
	demand(out && ordo_moves_print(moves, out, NULL) && !fclose(out),
		"what is read can be written");
	return text;
}

static bool is_small(const struct ordo_moves *moves)
{
	const struct ordo_problem *p = &moves->problem;
	return moves->nitem <= 200 && p->nrank <= 16 && ordo_nchunk(p) <= 256 && p->nshard <= 32 &&
	       moves->scratch_slots <= 1024;
}

static void compile(const struct ordo_moves *moves)
{
	struct ordo_error error = {0};
	const struct ordo_request request = {.unproved = true};
	struct ordo_schedule *schedule = ordo_compile_moves(moves, &request, &error);
	if (!schedule) {
		demand(error.code == ORDO_REFUTED || error.code == ORDO_USAGE,
			"a refusal has a code");
		return;
	}
	struct judgement judgement;
	judge_schedule(schedule, &(struct judging){0}, &judgement);
	if (*judgement.quarrel) {
		fprintf(stderr, "%s\n", judgement.quarrel);
		abort();
	}
	demand(judgement.proved || judgement.group == ORACLE_FLOW,
		"synchronisation is right whatever moves");
	ordo_schedule_destroy(schedule);
}

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size)
{
	struct ordo_error error = {0};
	struct ordo_moves *moves = ordo_moves_read_text((const char *)text, size, "fuzz", &error);
	if (!moves) {
		demand((error.rule == 1 || error.rule == 2) && error.line && error.column,
			"a refusal names its rule and its place");
		return 0;
	}
	size_t once_size, twice_size;
	char *once = print(moves, &once_size);
	struct ordo_moves *again = ordo_moves_read_text(once, once_size, "again", NULL);
	demand(again, "what is written can be read");
	char *twice = print(again, &twice_size);
	demand(once_size == twice_size && !memcmp(once, twice, once_size),
		"writing what was written gives the same bytes");
	if (is_small(moves))
		compile(moves);
	free(once);
	free(twice);
	ordo_moves_destroy(moves);
	ordo_moves_destroy(again);
	return 0;
}
