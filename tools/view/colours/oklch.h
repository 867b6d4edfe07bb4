/* oklch.h - colours by how they look: lightness, strength and hue. */
#ifndef ORDO_TOOLS_VIEW_COLOURS_OKLCH_H
#define ORDO_TOOLS_VIEW_COLOURS_OKLCH_H

#include <stdint.h>

/* "#rrggbb". lightness 0..1, chroma 0..0.3 (less where the screen has no such colour), hue in
 * degrees. */
void write_oklch(char colour[8], double lightness, double chroma, double hue);

/* The other way; the colour is 0xrrggbb. */
void read_oklch(uint32_t rgb, double *lightness, double *chroma, double *hue);

#endif
