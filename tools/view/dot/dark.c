/* dark.c - a dark mode for pictures rendered by `dot`. `dot` writes colours as attributes, which a
 * style sheet overrides: it gets one rule for each colour in the picture, so drawings need no dark
 * mode of their own. */
#include "dark.h"
#include "view/colours/oklch.h"
#include <errno.h>
#include <math.h>
#include <ordo/arena.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Lightness of the background and of the text in dark mode; lightness of white and black. */
static const double paper = 0.165, ink = 0.945;

enum attribute { FILL, STROKE, STOP, NATTRIBUTE };
static const char *const before_colour[NATTRIBUTE] = {" fill=\"", " stroke=\"", "stop-color:"};

/* One use of a colour: attribute << 24 | 0xrrggbb, and a flag for named colours. */
enum { NAMED = 1u << 26 };
struct uses {
	uint32_t *items;
	size_t count, room;
};

/* Inverts the lightness. Strong colours are lines and marks: they get a little lighter on a dark
 * background. */
static void dark_of(uint32_t rgb, char colour[8])
{
	double lightness, chroma, hue;
	read_oklch(rgb, &lightness, &chroma, &hue);
	const double strong = fmin(1, chroma / 0.12) * fmax(0, fmin(1, (0.85 - lightness) / 0.25));
	/* Nearly white colours must differ from the background. */
	const double turned =
		paper + (ink - paper) * pow(fmax(0, 1 - lightness), 0.8) + 0.15 * strong;
	if (chroma < 0.02)
		write_oklch(colour, turned, 0.012, 255);
	else
		write_oklch(colour, fmin(ink, turned), chroma * 1.15, hue);
}

/* "#rrggbb", "black" or "white"; false: none of these. */
static bool read_colour(const char *text, uint32_t *use)
{
	if (!strncmp(text, "black\"", 6) || !strncmp(text, "white\"", 6)) {
		*use = NAMED | (*text == 'w' ? 0xffffff : 0);
		return true;
	}
	return *text == '#' && strspn(text + 1, "0123456789abcdef") == 6 &&
	       sscanf(text + 1, "%6x", use) == 1;
}

static int compare(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* Each colour once, sorted. false: no memory. */
static bool find_uses(const char *svg, struct uses *uses)
{
	for (uint32_t attribute = 0; attribute < NATTRIBUTE; attribute++) {
		const size_t length = strlen(before_colour[attribute]);
		for (const char *at = svg; (at = strstr(at, before_colour[attribute]));) {
			uint32_t use;
			at += length;
			if (!read_colour(at, &use))
				continue;
			use |= attribute << 24;
			/* Adjacent elements often have equal colours. */
			if (uses->count && uses->items[uses->count - 1] == use)
				continue;
			if (!ordo_array_reserve(&uses->items, &uses->room, uses->count + 1,
				    sizeof *uses->items))
				return false;
			uses->items[uses->count++] = use;
		}
	}
	qsort(uses->items, uses->count, sizeof *uses->items, compare);
	size_t kept = 0;
	for (size_t i = 0; i < uses->count; i++)
		if (!kept || uses->items[kept - 1] != uses->items[i])
			uses->items[kept++] = uses->items[i];
	uses->count = kept;
	return true;
}

static void print_rule(FILE *out, uint32_t use)
{
	char colour[8], dark[8];
	snprintf(colour, sizeof colour, "#%06x", use & 0xffffff);
	if (use & NAMED)
		snprintf(colour, sizeof colour, "%s", use & 0xffffff ? "white" : "black");
	dark_of(use & 0xffffff, dark);
	switch ((enum attribute)(use >> 24 & 3)) {
	case FILL:
	case NATTRIBUTE:
		fprintf(out, ".dot [fill=\"%s\"]{fill:%s}\n", colour, dark);
		break;
	case STROKE:
		fprintf(out, ".dot [stroke=\"%s\"]{stroke:%s}\n", colour, dark);
		break;
	case STOP:
		fprintf(out, ".dot [style*=\"stop-color:%s\"]{stop-color:%s!important}\n", colour,
			dark);
		break;
	}
}

/* Text without a colour is black. */
static void print_style(FILE *out, const struct uses *uses)
{
	char dark[8];
	dark_of(0, dark);
	fprintf(out, "\n<style>\n@media (prefers-color-scheme:dark){\n.dot text{fill:%s}\n", dark);
	for (size_t i = 0; i < uses->count; i++)
		print_rule(out, uses->items[i]);
	fputs("}\n</style>", out);
}

static char *read_all(FILE *file)
{
	char *text = NULL;
	size_t length = 0, room = 0;
	rewind(file);
	for (;;) {
		if (!ordo_array_reserve(&text, &room, length + 65536, 1)) {
			free(text);
			return NULL;
		}
		const size_t got = fread(text + length, 1, 65535, file);
		length += got;
		text[length] = 0;
		if (!got)
			return text;
	}
}

bool add_dark_mode(FILE *svg, FILE *out, struct ordo_error *error)
{
	struct uses uses = {0};
	char *text = read_all(svg);
	bool worked = text && find_uses(text, &uses);
	if (worked) {
		const char *root = strstr(text, "<svg "), *end = root ? strchr(root, '>') : NULL;
		if (end) {
			fprintf(out, "%.*s<svg class=\"dot\" %.*s", (int)(root - text), text,
				(int)(end + 1 - root - 5), root + 5);
			print_style(out, &uses);
			fputs(end + 1, out);
		} else {
			fputs(text, out);
		}
	}
	free(text);
	free(uses.items);
	if (!worked)
		return ordo_fail_memory(error);
	return (!fflush(out) && !ferror(out)) ||
	       ordo_fail(
		       error, ORDO_ENVIRONMENT, 0, "cannot write the picture: %s", strerror(errno));
}
