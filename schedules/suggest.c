/* suggest.c - what was probably meant. */
#include "suggest.h"
#include <ctype.h>
#include <string.h>

enum { LONGEST = 32 };

static unsigned smallest(unsigned a, unsigned b, unsigned c)
{
	unsigned least = a < b ? a : b;
	return least < c ? least : c;
}

/* Insertions, deletions and changes of a letter; case does not count. Both at most LONGEST long. */
static unsigned edit_distance(const char *a, const char *b)
{
	unsigned row[LONGEST + 1], width = (unsigned)strlen(b);
	for (unsigned j = 0; j <= width; j++)
		row[j] = j;
	for (unsigned i = 1; a[i - 1]; i++) {
		unsigned before = row[0];
		row[0] = i;
		for (unsigned j = 1; j <= width; j++) {
			unsigned differ =
				tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]);
			unsigned cost = smallest(row[j] + 1, row[j - 1] + 1, before + differ);
			before = row[j];
			row[j] = cost;
		}
	}
	return row[width];
}

const char *ordo_suggest(const char *word, const char *const *names, uint32_t count)
{
	size_t length = strlen(word);
	unsigned least = length / 3 < 2 ? 2 : (unsigned)(length / 3);
	const char *nearest = NULL;
	if (length > LONGEST)
		return NULL;
	for (uint32_t i = 0; i < count; i++) {
		unsigned distance = edit_distance(word, names[i]);
		if (distance < strlen(names[i]) && (nearest ? distance < least : distance <= least)) {
			least = distance;
			nearest = names[i];
		}
	}
	return nearest;
}
