/* oklch.h - colours by how they look: lightness, strength and hue. */
#ifndef ORDO_TOOLS_OKLCH_H
#define ORDO_TOOLS_OKLCH_H

/* "#rrggbb". lightness 0..1, chroma 0..0.3 (less where the screen has no such colour), hue in degrees. */
void write_oklch(char colour[8], double lightness, double chroma, double hue);

#endif
