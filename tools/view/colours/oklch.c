/* oklch.c - colours in a perceptual space. Source: Ottosson, "A perceptual color space for image
 * processing", 2020. */
#include "oklch.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

/* Linear red, green and blue. false: out of the gamut of sRGB. */
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

static double part_of(uint32_t byte)
{
	const double part = (byte & 255) / 255.0;
	return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4);
}

void read_oklch(uint32_t rgb, double *lightness, double *chroma, double *hue)
{
	const double red = part_of(rgb >> 16), green = part_of(rgb >> 8), blue = part_of(rgb);
	const double l = cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue),
		     m = cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue),
		     s = cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
	const double a = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
		     b = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s;
	*lightness = 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s;
	*chroma = hypot(a, b);
	*hue = atan2(b, a) / 0.017453292519943295;
}
