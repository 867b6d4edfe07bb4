/* nearest.c - the known name that a mistyped one is nearest to. */
#include "nearest.h"
#include <string.h>

size_t ordo_edit_distance(const char *text, size_t length, const char *name)
{
	size_t row[64], width = strlen(name);
	if (length > 63 || width > 63)
		return 64;
	for (size_t j = 0; j <= width; j++)
		row[j] = j;
	for (size_t i = 1; i <= length; i++) {
		size_t diagonal = row[0];
		row[0] = i;
		for (size_t j = 1; j <= width; j++) {
			size_t best = diagonal + (text[i - 1] != name[j - 1]);
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			diagonal = row[j];
			row[j] = best;
		}
	}
	return row[width];
}

const char *ordo_nearest(const char *text, const char *const *names, size_t count)
{
	const char *best = NULL;
	size_t least = 64;
	for (size_t i = 0; i < count; i++) {
		const size_t distance = ordo_edit_distance(text, strlen(text), names[i]);
		if (distance < least && distance * 2 <= strlen(names[i])) {
			least = distance;
			best = names[i];
		}
	}
	return best;
}
