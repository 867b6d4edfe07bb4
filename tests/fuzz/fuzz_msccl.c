/* fuzz_msccl.c - any text as MSCCL XML: what is refused has a message and a place, and what becomes
 * a schedule breaks no rule that the importer alone answers for, with any number of slots. */
#include "msccl/links.h"
#include "msccl/lower.h"
#include <ordo/detail/schedules.h>
#include <ordo/verify.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size);

static void demand(bool truth, const char *sentence, const char *text)
{
	if (truth)
		return;
	fprintf(stderr, "not true: %s: %s\n", sentence, text);
	abort();
}

static void demand_place(const struct ordo_error *error, bool everywhere)
{
	demand(error->text[0] && error->code != ORDO_OK, "a refusal has a text", "");
	demand(!everywhere || error->code == ORDO_ENVIRONMENT || error->line,
		"a refusal has a line", error->text);
}

/* A file may race, hang and compute garbage; but whatever it is, its streams and signals are in
 * order: shape, ranks, one notifier and one waiter, balance, entering and leaving. */
static void demand_rules(const struct ordo_schedule *schedule)
{
	struct ordo_error error;
	const struct ordo_verify_options options = {.max_findings = 64};
	struct ordo_proof *proof = ordo_verify(schedule, &options, &error);
	demand(proof, "there is memory", "");
	for (uint32_t i = 0; i < proof->nfinding; i++) {
		const int rule = proof->findings[i].rule;
		demand(rule == 3 || rule == 4 || rule == 7 || rule == 8 || rule == 10 || rule == 11,
			"only R3, R4, R7, R8, R10 and R11 can be broken", proof->findings[i].text);
	}
	ordo_proof_destroy(proof);
}

static uint32_t count_moves(const struct ordo_schedule *schedule)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < schedule->ntask; i++)
		count += ordo_task_moves(&schedule->tasks[i]);
	return count;
}

static bool is_small(const struct msccl_program *program)
{
	return program->nstep <= 200 && program->ngpu <= 32 && program->nchunk <= 256;
}

static void lower_it(const struct msccl_program *program, const struct msccl_links *links)
{
	struct ordo_error error = {.code = ORDO_OK};
	uint32_t moves = ORDO_NONE;
	for (uint32_t slots = 0; slots <= 2; slots++) {
		const struct msccl_options options = {
			.slots = slots, .in_place = slots == 1, .root = ORDO_NONE};
		struct ordo_schedule *schedule = msccl_lower(program, links, &options, &error);
		if (!schedule) {
			demand_place(&error, false);
			continue;
		}
		for (uint32_t i = 0; i < schedule->ntask; i++)
			demand(schedule->places && schedule->places[i].line, "a task has a line",
				"");
		demand_rules(schedule);
		if (slots == 0)
			moves = count_moves(schedule);
		if (slots == 2 && moves != ORDO_NONE)
			demand(moves == count_moves(schedule), "slots change no move", "");
		ordo_schedule_destroy(schedule);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size)
{
	struct ordo_error error = {.code = ORDO_OK};
	struct msccl_links links = {0};
	/* Parsers of text often read one byte too far: a copy has none. */
	char *copy = malloc(size + !size);
	demand(copy, "there is memory", "");
	if (size)
		memcpy(copy, text, size);
	struct msccl_program *program = msccl_read_text(copy, size, "fuzz.xml", &error);
	free(copy);
	if (!program)
		demand_place(&error, true);
	else if (!msccl_link(&links, program, &error))
		demand_place(&error, true);
	else if (is_small(program))
		lower_it(program, &links);
	msccl_links_close(&links);
	msccl_destroy(program);
	return 0;
}
