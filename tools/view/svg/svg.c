/* svg.c - the subset of SVG that pictures use. */
#include "svg.h"
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static int64_t hundredths(double number)
{
	return (int64_t)llround(number * 100);
}

static void put_hundredths(FILE *out, int64_t value)
{
	if (value < 0)
		fputc('-', out);
	const uint64_t size = (uint64_t)(value < 0 ? -value : value), part = size % 100;
	fprintf(out, "%" PRIu64, size / 100);
	if (part)
		fprintf(out, part % 10 ? ".%02" PRIu64 : ".%" PRIu64, part % 10 ? part : part / 10);
}

void svg_number(FILE *out, double number)
{
	put_hundredths(out, hundredths(number));
}

void svg_attribute(FILE *out, const char *name, double number)
{
	fprintf(out, " %s=\"", name);
	svg_number(out, number);
	fputc('"', out);
}

void svg_escape(FILE *out, const char *text)
{
	for (const unsigned char *at = (const unsigned char *)text; *at; at++)
		if (*at == '&')
			fputs("&amp;", out);
		else if (*at == '<')
			fputs("&lt;", out);
		else if (*at == '>')
			fputs("&gt;", out);
		else if (*at == '"')
			fputs("&quot;", out);
		else if ((*at < ' ' && *at != '\n') || *at == 0x7f)
			fputc('?', out);
		else if (at[0] == 0xef && at[1] == 0xbf && at[2] >= 0xbe) {
			fputc('?', out);
			at += 2;
		} else
			fputc(*at, out);
}

void svg_label(FILE *out, const char *class_name, double x, double y, const char *text)
{
	fprintf(out, "<text class=\"%s\"", class_name);
	svg_attribute(out, "x", x);
	svg_attribute(out, "y", y);
	fputc('>', out);
	svg_escape(out, text);
	fputs("</text>\n", out);
}

void svg_box(FILE *out, double left, double top, double right, double bottom)
{
	const int64_t width = hundredths(right) - hundredths(left);
	fputc('M', out);
	svg_number(out, left);
	fputc(' ', out);
	svg_number(out, top);
	fputc('h', out);
	put_hundredths(out, width);
	fputc('v', out);
	put_hundredths(out, hundredths(bottom) - hundredths(top));
	fputc('h', out);
	put_hundredths(out, -width);
	fputc('z', out);
}

void svg_rect(
	FILE *out, const char *class_name, double left, double top, double right, double bottom)
{
	fprintf(out, "<rect class=\"%s\"", class_name);
	svg_attribute(out, "x", left);
	svg_attribute(out, "y", top);
	svg_attribute(out, "width", (double)(hundredths(right) - hundredths(left)) / 100);
	svg_attribute(out, "height", (double)(hundredths(bottom) - hundredths(top)) / 100);
	fputs("/>\n", out);
}

void svg_line(FILE *out, double x0, double y0, double x1, double y1)
{
	fputc('M', out);
	svg_number(out, x0);
	fputc(' ', out);
	svg_number(out, y0);
	fputc('L', out);
	svg_number(out, x1);
	fputc(' ', out);
	svg_number(out, y1);
}
