/* fuzz_plan_set_reader.c - any text as a plan set: every size from its first to its last has one
 * range, and what is written reads back the same. */
#include <ordo/plan_set.h>
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

static char *print(const struct ordo_plan_set *set, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);
	demand(out && ordo_plan_set_print(set, out, NULL) && !fclose(out),
		"what is read can be written");
	return text;
}

/* Both ends of every range are found in it, and it begins where the one before ended. */
static void demand_no_gaps(const struct ordo_plan_set *set)
{
	for (uint32_t i = 0; i < set->nrange; i++) {
		const struct ordo_plan_range *range = &set->ranges[i];
		demand(range->from_bytes <= range->to_bytes, "no range is empty");
		demand(!i || range->from_bytes == set->ranges[i - 1].to_bytes + 1,
			"ranges follow each other");
		demand(ordo_plan_set_find(set, range->from_bytes) == i &&
				ordo_plan_set_find(set, range->to_bytes) == i,
			"a size finds its range");
		demand(!range->schedule ||
				(!strchr(range->schedule, '/') && range->schedule[0] != '.'),
			"a name leads nowhere else");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size)
{
	struct ordo_error error = {0};
	struct ordo_plan_set *set =
		ordo_plan_set_read_text((const char *)text, size, "fuzz", &error);
	if (!set) {
		demand(error.rule == 1 && error.line && error.column,
			"a refusal names R1 and its place");
		return 0;
	}
	demand_no_gaps(set);
	demand(!ordo_plan_set_open(set, 0, NULL, &error) && error.line && error.column,
		"without a folder no schedule is opened");
	size_t once_size, twice_size;
	char *once = print(set, &once_size);
	struct ordo_plan_set *again = ordo_plan_set_read_text(once, once_size, "again", NULL);
	demand(again, "what is written can be read");
	char *twice = print(again, &twice_size);
	demand(once_size == twice_size && !memcmp(once, twice, once_size),
		"writing what was written gives the same bytes");
	free(once);
	free(twice);
	ordo_plan_set_destroy(set);
	ordo_plan_set_destroy(again);
	return 0;
}
