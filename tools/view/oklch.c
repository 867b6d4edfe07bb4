/* oklch.c - colours by how they look. Source: Ottosson, "A perceptual color space for image processing", 2020. */
#include "oklch.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

/* Linear red, green and blue. false: the screen has no such colour. */
static bool linear(double rgb[3], double lightness, double chroma, double hue)
{
	const double a = chroma * cos(hue), b = chroma * sin(hue);
	const double l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3),
		     m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3),
		     s = pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
	rgb[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
	rgb[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
	rgb[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
	bool inside = true;
	for (int i = 0; i < 3; i++)
		inside &= rgb[i] >= -1e-4 && rgb[i] <= 1 + 1e-4;
	return inside;
}

static unsigned byte_of(double part)
{
	part = fmax(0, fmin(1, part));
	part = part <= 0.0031308 ? 12.92 * part : 1.055 * pow(part, 1 / 2.4) - 0.055;
	return (unsigned)lround(part * 255) & 255;
}

void write_oklch(char colour[8], double lightness, double chroma, double hue)
{
	double rgb[3];
	while (!linear(rgb, lightness, chroma, hue * 0.017453292519943295) && chroma > 0)
		chroma -= 0.002;
	snprintf(colour, 8, "#%02x%02x%02x", byte_of(rgb[0]), byte_of(rgb[1]), byte_of(rgb[2]));
}
