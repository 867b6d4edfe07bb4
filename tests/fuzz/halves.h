/* halves.h - two texts in one: what stands before and behind the first line `----`. */
#ifndef ORDO_TESTS_HALVES_H
#define ORDO_TESTS_HALVES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct halves {
	char *first, *second; /* the second lies in the first's memory; both end in NUL */
	size_t first_size, second_size;
};

/* Without such a line the second is empty. The caller frees the first. */
static inline struct halves cut_in_half(const uint8_t *text, size_t size)
{
	static const char line[] = "\n----\n";
	struct halves halves = {.first = malloc(size + 1)};
	if (!halves.first)
		abort();
	if (size)
		memcpy(halves.first, text, size);
	halves.first[size] = '\0';
	char *cut = NULL;
	for (size_t i = 0; !cut && i + strlen(line) <= size; i++)
		if (!memcmp(halves.first + i, line, strlen(line)))
			cut = halves.first + i;
	halves.first_size = cut ? (size_t)(cut - halves.first) : size;
	halves.second = cut ? cut + strlen(line) : halves.first + size;
	halves.second_size = (size_t)(halves.first + size - halves.second);
	if (cut)
		*cut = '\0';
	return halves;
}

#endif
