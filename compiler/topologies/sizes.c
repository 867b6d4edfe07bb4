/* sizes.c - reads the sizes in the name of a topology. */
#include "sizes.h"
#include <ctype.h>
#include <ordo/operator.h>
#include <ordo/plural.h>
#include <stddef.h>

/* NULL: no number, or one out of range. */
static const char *read_size(const char *text, uint32_t *size)
{
	uint64_t value = 0;
	if (!isdigit((unsigned char)*text))
		return NULL;
	for (; isdigit((unsigned char)*text) && value <= ORDO_LIMIT; text++)
		value = value * 10 + (uint64_t)(*text - '0');
	*size = (uint32_t)value;
	return value >= 1 && value <= ORDO_LIMIT ? text : NULL;
}

static const char *fail_sizes(
	const char *name, uint32_t least, uint32_t most, struct ordo_error *error)
{
	static const char *const forms[] = {"", "4", "2x4", "2x4x4"};
	ordo_fail(error, ORDO_USAGE, 0,
		"topology: found \"%.200s\", wanted %u%s sizes after the colon, as in %s%s%s", name,
		least, least < most ? " or more" : "", forms[least], least < most ? " or " : "",
		least < most ? forms[most] : "");
	return NULL;
}

const char *ordo_sizes_read(const char *name, const char *text, uint32_t nrank, uint32_t least,
	uint32_t most, struct ordo_sizes *sizes, struct ordo_error *error)
{
	*sizes = (struct ordo_sizes){.at = {1, 1, 1}, .product = 1};
	do {
		text += sizes->count && *text == 'x';
		if (sizes->count == most || !(text = read_size(text, &sizes->at[sizes->count])))
			return fail_sizes(name, least, most, error);
		const uint64_t product = (uint64_t)sizes->product * sizes->at[sizes->count++];
		if (product > ORDO_LIMIT)
			return fail_sizes(name, least, most, error);
		sizes->product = (uint32_t)product;
	} while (*text == 'x');
	if (sizes->count < least)
		return fail_sizes(name, least, most, error);
	if (!nrank || sizes->product == nrank)
		return text;
	ordo_fail(error, ORDO_USAGE, 0, "topology %.200s: found %u rank%s, wanted %u", name,
		sizes->product, ordo_plural(sizes->product), nrank);
	ordo_hint(error, "ask for %u rank%s, or give sizes whose product is %u", sizes->product,
		ordo_plural(sizes->product), nrank);
	return NULL;
}
