/* fuzz_input_reader.c - any text as an input: what is read lies where it says, and what is written
 * reads back the same. */
#include <ordo/detail/input.h>
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

static char *print(const struct ordo_input *input, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);
	demand(out && ordo_input_print(input, out, NULL) && !fclose(out),
		"what is read can be written");
	return text;
}

static bool same_number(
	const struct ordo_input *input, union ordo_number one, union ordo_number other)
{
	return ordo_type_facts(input->type)->is_float
		       ? !memcmp(&one.real, &other.real, sizeof one.real)
		       : one.integer == other.integer;
}

static void demand_places(const struct ordo_input *input)
{
	const uint64_t length = ordo_nblock(&input->problem) * input->count;
	demand(input->nelement >= 1 && input->nelement <= 2, "one or two elements are asked for");
	for (uint32_t i = 0; i < input->nelement; i++)
		demand(input->elements[i].rank < input->problem.nrank &&
				input->elements[i].position < length,
			"an element is one of the output");
	for (size_t i = 0; i < input->nvalue; i++) {
		const struct ordo_input_value *value = &input->values[i];
		demand(value->shard < input->problem.nshard && value->position < length,
			"a value lies in a shard");
		demand(same_number(input, ordo_input_at(input, value->shard, value->position),
			       value->number),
			"a value is found at its place");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size)
{
	struct ordo_error error = {0};
	struct ordo_input *input = ordo_input_read_text((const char *)text, size, "fuzz", &error);
	if (!input) {
		demand(error.rule == 1 && error.line && error.column,
			"a refusal names R1 and its place");
		return 0;
	}
	demand_places(input);
	size_t once_size, twice_size;
	char *once = print(input, &once_size);
	struct ordo_input *again = ordo_input_read_text(once, once_size, "again", NULL);
	demand(again, "what is written can be read");
	char *twice = print(again, &twice_size);
	demand(once_size == twice_size && !memcmp(once, twice, once_size),
		"writing what was written gives the same bytes");
	free(once);
	free(twice);
	ordo_input_destroy(input);
	ordo_input_destroy(again);
	return 0;
}
