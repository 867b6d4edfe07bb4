/* palette.h - a colour for every phase: one hue for the phases of one name, lighter to darker as
 * they count.
 */
#ifndef ORDO_TOOLS_VIEW_COLOURS_PALETTE_H
#define ORDO_TOOLS_VIEW_COLOURS_PALETTE_H

#include <ordo/schedule.h>

struct legend {
	uint32_t first, end; /* its phases */
	char text[160];
	char colour[40]; /* one, or two with a colon between: from the first phase to the last */
};

struct palette {
	char (*fill)[8]; /* [nphase] "#rrggbb" */
	char (*line)[8]; /* [nphase], darker */
	char (*bar)[8];	 /* [nphase], strong enough to stand without a line on white and on black */
	uint32_t nphase;
	struct legend *legends; /* a line for every name, "reduce-scatter 0-6" */
	uint32_t nlegend;
};

/* More names than this have no colour of their own as bars: these go through one row of colours,
 * phase by phase. */
enum { MOST_BAR_NAMES = 12 };
enum { MOST_NAME_BYTES = 80 };

/* false: no memory. */
bool make_palette(struct palette *palette, const struct ordo_schedule *schedule);
void free_palette(struct palette *palette);
/* A legend for those phases of one name that are seen[nphase]; false: none is. */
bool legend_of_seen(const struct palette *palette, const struct ordo_schedule *schedule,
	uint32_t number, const bool *seen, struct legend *legend);
/* A name, or so many bytes of it at most (less than MOST_NAME_BYTES): whole letters, "…" behind. */
void shorten_name(char text[MOST_NAME_BYTES], const char *name, size_t most);
const char *phase_colour(const struct palette *palette, uint32_t phase);
const char *phase_line_colour(const struct palette *palette, uint32_t phase);
const char *phase_bar_colour(const struct palette *palette, uint32_t phase);

#endif
