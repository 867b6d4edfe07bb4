/* palette.h - a colour for every phase: one hue for phases that differ only in their number, from
 * light to dark in their order. */
#ifndef ORDO_TOOLS_VIEW_COLOURS_PALETTE_H
#define ORDO_TOOLS_VIEW_COLOURS_PALETTE_H

#include <ordo/schedule.h>

struct legend {
	uint32_t first, end; /* its phases */
	char text[160];
	/* one colour, or two with a colon between: of the first and the last phase */
	char colour[40];
};

struct palette {
	char (*fill)[8]; /* [nphase] "#rrggbb" */
	char (*line)[8]; /* [nphase], darker */
	char (*bar)[8];	 /* [nphase], legible without an outline on white and on black */
	uint32_t nphase;
	struct legend *legends; /* a line for every name, "reduce-scatter 0-6" */
	uint32_t nlegend;
};

/* With more names than this, bars take the colours of one gradient, phase by phase. */
enum { MOST_BAR_NAMES = 12 };
enum { MOST_NAME_BYTES = 80 };

/* false: no memory. */
bool make_palette(struct palette *palette, const struct ordo_schedule *schedule);
void free_palette(struct palette *palette);
/* A legend for the phases of one name that are in seen[nphase]; false: none is. */
bool legend_of_seen(const struct palette *palette, const struct ordo_schedule *schedule,
	uint32_t number, const bool *seen, struct legend *legend);
/* A name, cut to a number of bytes (less than MOST_NAME_BYTES) at a character boundary, with "…" if
 * cut. */
void shorten_name(char text[MOST_NAME_BYTES], const char *name, size_t most);
const char *phase_colour(const struct palette *palette, uint32_t phase);
const char *phase_line_colour(const struct palette *palette, uint32_t phase);
const char *phase_bar_colour(const struct palette *palette, uint32_t phase);

#endif
