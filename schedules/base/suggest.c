/* suggest.c - the nearest known name to a mistyped one. */
#include <ctype.h>
#include <ordo/suggest.h>
#include <stddef.h>
#include <string.h>

enum { LONGEST = 64 };

static bool is_same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Edit distance in which swapping two neighbours is one edit; both words shorter than LONGEST.
 * Three rows of the usual table. */
static uint32_t edit_distance(const char *a, uint32_t na, const char *b, uint32_t nb)
{
	uint32_t rows[3][LONGEST];
	for (uint32_t j = 0; j <= nb; j++)
		rows[0][j] = j;
	for (uint32_t i = 1; i <= na; i++) {
		uint32_t *row = rows[i % 3];
		const uint32_t *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
		row[0] = i;
		for (uint32_t j = 1; j <= nb; j++) {
			row[j] = smaller(above[j], row[j - 1]) + 1;
			row[j] = smaller(row[j], above[j - 1] + !is_same(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && is_same(a[i - 1], b[j - 2]) &&
				is_same(a[i - 2], b[j - 1]))
				row[j] = smaller(row[j], two_above[j - 2] + 1);
		}
	}
	return rows[na % 3][nb];
}

const char *ordo_suggest(const char *word, const char *const *names, uint32_t count)
{
	const size_t length = strlen(word);
	const char *nearest = NULL;
	if (length >= LONGEST)
		return NULL;
	uint32_t least = (length < 6 ? 2 : (uint32_t)length / 3) + 1;
	for (uint32_t i = 0; i < count; i++) {
		const size_t width = names[i] ? strlen(names[i]) : LONGEST;
		if (width >= LONGEST)
			continue;
		const uint32_t distance =
			edit_distance(word, (uint32_t)length, names[i], (uint32_t)width);
		if (distance < least && distance < width) {
			least = distance;
			nearest = names[i];
		}
	}
	return nearest;
}
