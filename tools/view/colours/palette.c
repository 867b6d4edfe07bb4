/* palette.c - a colour for every phase. */
#include "palette.h"
#include "oklch.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Hues that stay distinguishable, also with most kinds of colour blindness. */
static const double hues[] = {0.58, 0.10, 0.38, 0.80, 0.48, 0.95, 0.16, 0.70};
enum { NHUE = sizeof hues / sizeof *hues };

/* Hues of bars, in degrees: the page mixes both, and opposite hues would give grey. */
static const double bar_hues[] = {255, 62, 160, 330, 205, 25, 100, 292};

static void write_colour(char colour[8], double hue, double saturation, double value)
{
	double rgb[3];
	for (int i = 0; i < 3; i++) {
		double k = fmod((i == 0 ? 5 : i == 1 ? 3 : 1) + hue * 6, 6);
		rgb[i] = value - value * saturation * fmax(0, fmin(fmin(k, 4 - k), 1));
	}
	snprintf(colour, 8, "#%02x%02x%02x", (unsigned)(rgb[0] * 255) & 255,
		(unsigned)(rgb[1] * 255) & 255, (unsigned)(rgb[2] * 255) & 255);
}

/* The length of a phase's name without its number: "reduce-scatter 3" -> 3. */
static size_t family_length(const char *phase)
{
	size_t length = strlen(phase);
	while (length && phase[length - 1] >= '0' && phase[length - 1] <= '9')
		length--;
	while (length && phase[length - 1] == ' ')
		length--;
	return length;
}

static bool same_family(const char *a, const char *b)
{
	size_t length = family_length(a);
	return length == family_length(b) && !strncmp(a, b, length);
}

void shorten_name(char text[MOST_NAME_BYTES], const char *name, size_t most)
{
	if (strlen(name) <= most) {
		snprintf(text, MOST_NAME_BYTES, "%s", name);
		return;
	}
	for (most -= strlen("…"); most && ((unsigned char)name[most] & 0xc0) == 0x80;)
		most--;
	snprintf(text, MOST_NAME_BYTES, "%.*s…", (int)most, name);
}

static struct legend legend_between(const struct palette *palette,
	const struct ordo_schedule *schedule, uint32_t first, uint32_t end)
{
	struct legend legend = {.first = first, .end = end};
	const char *last = schedule->phases[end - 1];
	char name[MOST_NAME_BYTES];
	shorten_name(name, schedule->phases[first], MOST_NAME_BYTES - 1);
	if (end - first == 1) {
		snprintf(legend.text, sizeof legend.text, "%s", name);
		memcpy(legend.colour, palette->fill[first], 8);
		return legend;
	}
	snprintf(legend.text, sizeof legend.text, "%s-%.12s", name, last + family_length(last) + 1);
	snprintf(legend.colour, sizeof legend.colour, "%s:%s", palette->fill[first],
		palette->fill[end - 1]);
	return legend;
}

bool legend_of_seen(const struct palette *palette, const struct ordo_schedule *schedule,
	uint32_t number, const bool *seen, struct legend *legend)
{
	uint32_t first = palette->legends[number].first, end = palette->legends[number].end;
	while (first < end && !seen[first])
		first++;
	while (first < end && !seen[end - 1])
		end--;
	if (first < end)
		*legend = legend_between(palette, schedule, first, end);
	return first < end;
}

/* phases[first..end) belong to one family. */
static void colour_family(struct palette *palette, const struct ordo_schedule *schedule,
	uint32_t first, uint32_t end, uint32_t family)
{
	double hue = hues[family % NHUE];
	for (uint32_t i = first; i < end; i++) {
		double at = end - first > 1 ? (double)(i - first) / (end - first - 1) : 0.4;
		write_colour(palette->fill[i], hue, 0.14 + 0.36 * at, 0.99 - 0.13 * at);
		write_colour(palette->line[i], hue, 0.75, 0.72 - 0.25 * at);
		write_oklch(palette->bar[i], 0.82 - 0.30 * at, 0.09 + 0.06 * at,
			bar_hues[family % NHUE]);
	}
	palette->legends[palette->nlegend++] = legend_between(palette, schedule, first, end);
}

bool make_palette(struct palette *palette, const struct ordo_schedule *schedule)
{
	uint32_t n = schedule->nphase;
	palette->nphase = n;
	palette->fill = calloc((size_t)n + 1, sizeof *palette->fill);
	palette->line = calloc((size_t)n + 1, sizeof *palette->line);
	palette->bar = calloc((size_t)n + 1, sizeof *palette->bar);
	palette->legends = calloc((size_t)n + 1, sizeof *palette->legends);
	if (!palette->fill || !palette->line || !palette->bar || !palette->legends)
		return false;
	for (uint32_t first = 0, end, family = 0; first < n; first = end, family++) {
		for (end = first + 1;
			end < n && same_family(schedule->phases[first], schedule->phases[end]);)
			end++;
		colour_family(palette, schedule, first, end, family);
	}
	for (uint32_t i = 0; palette->nlegend > MOST_BAR_NAMES && i < n; i++) {
		const double at = (double)i / (n - 1);
		write_oklch(palette->bar[i], 0.48 + 0.36 * at, 0.14, 290 - 190 * at);
	}
	return true;
}

void free_palette(struct palette *palette)
{
	free(palette->fill);
	free(palette->line);
	free(palette->bar);
	free(palette->legends);
}

const char *phase_colour(const struct palette *palette, uint32_t phase)
{
	return phase < palette->nphase ? palette->fill[phase] : "#ececec";
}

const char *phase_line_colour(const struct palette *palette, uint32_t phase)
{
	return phase < palette->nphase ? palette->line[phase] : "#909090";
}

const char *phase_bar_colour(const struct palette *palette, uint32_t phase)
{
	return phase < palette->nphase ? palette->bar[phase] : "#9aa0a8";
}
