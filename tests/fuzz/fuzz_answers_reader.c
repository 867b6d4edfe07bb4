/* fuzz_answers_reader.c - any text as answers of a probed machine: every result can be looked up,
 * and every class of elements has a tree or a reason. */
#include "probe/answered.h"
#include <ordo/detail/answers.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size);

static void demand(bool truth, const char *sentence)
{
	if (truth)
		return;
	fprintf(stderr, "not true: %s\n", sentence);
	abort();
}

static void demand_trees(const struct ordo_answers *answers)
{
	struct ordo_error error = {0};
	struct ordo_forest *forest = ordo_forest_create(&error);
	struct answered answered;
	demand(forest, "there is memory");
	if (open_answered(&answered, answers, forest, &error))
		for (uint32_t s = 0; s < answers->nsize; s++)
			for (uint32_t t = 0; t < answers->sizes[s].ntable; t++) {
				const struct probe *probe = &answered.tables[s][t];
				for (uint32_t c = 0; c < probe->recovered.nclass; c++)
					demand(probe->trees[c] != ORDO_NONE ||
							probe->recovered.classes[c].why[0],
						"a class has a tree or a reason");
			}
	else
		demand(error.code == ORDO_USAGE, "only too many ranks for the type are refused");
	close_answered(&answered);
	ordo_forest_destroy(forest);
}

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size)
{
	struct ordo_error error = {0};
	struct ordo_answers *answers =
		ordo_answers_read_text((const char *)text, size, "fuzz", &error);
	if (!answers) {
		demand(error.rule == 1 && error.line && error.column,
			"a refusal names R1 and its place");
		return 0;
	}
	demand_trees(answers);
	ordo_answers_destroy(answers);
	return 0;
}
