/* oklch.h - colours in a perceptual space: lightness, chroma and hue. */
#ifndef ORDO_TOOLS_VIEW_COLOURS_OKLCH_H
#define ORDO_TOOLS_VIEW_COLOURS_OKLCH_H

#include <stdint.h>

/* "#rrggbb". lightness 0..1, chroma 0..0.3 (reduced to the gamut), hue in degrees. */
void write_oklch(char colour[8], double lightness, double chroma, double hue);

/* The inverse; the colour is 0xrrggbb. */
void read_oklch(uint32_t rgb, double *lightness, double *chroma, double *hue);

#endif
