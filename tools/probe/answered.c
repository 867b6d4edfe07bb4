/* answered.c - the trees of answers that a machine gave elsewhere. */
#include "answered.h"
#include <stdlib.h>

const struct ordo_type_facts *answered_accumulator(enum ordo_type type)
{
	return type == ORDO_F16 || type == ORDO_BF16 ? ordo_type_facts(ORDO_F32) : NULL;
}

struct reading {
	const struct ordo_answers *answers;
	const struct ordo_answered_size *size;
	uint32_t table, run;
};

/* Runs come in the order in which they were made. */
static bool give_answers(
	void *closure, const double *leaves, double *elements, struct ordo_error *error)
{
	struct reading *reading = closure;
	(void)leaves;
	(void)error;
	for (uint32_t p = 0; p < reading->size->nplace; p++)
		elements[p] = ordo_answer(
			reading->answers, reading->size, reading->table, reading->run, p);
	reading->run++;
	return true;
}

static bool probe_table(struct probe *probe, const struct ordo_answers *answers,
	const struct ordo_answered_size *size, uint32_t table, struct ordo_forest *forest,
	struct ordo_error *error)
{
	uint8_t *colours = malloc((size_t)size->nplace + 1);
	struct reading reading = {answers, size, table, 0};
	const struct machine machine = {.nleaf = answers->problem.nrank,
		.nelement = size->nplace,
		.ncolour = ANSWERED_COLOURS,
		.colour_of = colours,
		.type = ordo_type_facts(answers->type),
		.accumulator = answered_accumulator(answers->type),
		.run = give_answers,
		.closure = &reading};
	for (uint32_t p = 0; colours && p < size->nplace; p++)
		colours[p] = (uint8_t)(size->places[p] % ANSWERED_COLOURS);
	const bool worked =
		colours ? probe_machine(probe, &machine, forest, error) : ordo_fail_memory(error);
	free(colours);
	return worked;
}

bool open_answered(struct answered *answered, const struct ordo_answers *answers,
	struct ordo_forest *forest, struct ordo_error *error)
{
	*answered = (struct answered){answers, calloc(answers->nsize, sizeof *answered->tables)};
	for (uint32_t s = 0; answered->tables && s < answers->nsize; s++) {
		const struct ordo_answered_size *size = &answers->sizes[s];
		answered->tables[s] = calloc(size->ntable, sizeof **answered->tables);
		if (!answered->tables[s])
			return ordo_fail_memory(error);
		for (uint32_t t = 0; t < size->ntable; t++)
			if (!probe_table(&answered->tables[s][t], answers, size, t, forest, error))
				return false;
	}
	return answered->tables || ordo_fail_memory(error);
}

void close_answered(struct answered *answered)
{
	for (uint32_t s = 0; answered->tables && s < answered->answers->nsize; s++) {
		for (uint32_t t = 0; answered->tables[s] && t < answered->answers->sizes[s].ntable;
			t++)
			free_probe(&answered->tables[s][t]);
		free(answered->tables[s]);
	}
	free(answered->tables);
}
