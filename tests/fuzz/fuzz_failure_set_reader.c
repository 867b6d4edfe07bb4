/* fuzz_failure_set_reader.c - any text as a failure set: states ascend, names lead nowhere
 * else, and what is written reads back the same. */
#include <ordo/failure_sets.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size);

static void expect(bool truth, const char *sentence)
{
	if (truth)
		return;
	fprintf(stderr, "does not hold: %s\n", sentence);
	abort();
}

static void expect_states(const struct ordo_failure_set *set)
{
	expect(set->nstate && set->states[0].a == ORDO_NONE && set->states[0].schedule,
		"the first state is without a failure");
	for (uint32_t i = 0; i < set->nstate; i++) {
		const struct ordo_failure_state *state = &set->states[i];
		expect(ordo_failure_set_find(set, state->b, state->a) == i,
			"a link finds its state");
		expect(!i || state->a < state->b, "a link has two ends in order");
		expect(!state->schedule || !strncmp(state->schedule, "failure-", 8),
			"a name leads nowhere else");
		expect(!state->schedule || strlen(state->order_digest) == 32,
			"a digest has 32 digits");
	}
}

static char *write_text(const struct ordo_failure_set *set, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);
	expect(out && ordo_failure_set_print(set, out, NULL) && !fclose(out), "a set is written");
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size)
{
	struct ordo_error error = {0};
	size_t sizes[2];
	struct ordo_failure_set *set =
		ordo_failure_set_read_text((const char *)text, size, "fuzz", &error);
	if (!set) {
		expect(error.rule == 1 && error.line && error.column, "R1 and its place");
		return 0;
	}
	expect_states(set);
	expect(!ordo_failure_set_open(set, 0, NULL, &error) && error.line,
		"no schedule without a folder");
	expect(!ordo_failure_set_topology(set, &error), "no topology without a folder");
	char *first = write_text(set, &sizes[0]);
	struct ordo_failure_set *again = ordo_failure_set_read_text(first, sizes[0], "again", NULL);
	expect(again, "what is written is read");
	char *second = write_text(again, &sizes[1]);
	expect(sizes[0] == sizes[1] && !memcmp(first, second, sizes[0]), "it is written the same");
	free(first);
	free(second);
	ordo_failure_set_destroy(set);
	ordo_failure_set_destroy(again);
	return 0;
}
