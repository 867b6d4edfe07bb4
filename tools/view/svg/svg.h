/* svg.h - the subset of SVG that pictures use: numbers, boxes and text. */
#ifndef ORDO_TOOLS_VIEW_SVG_SVG_H
#define ORDO_TOOLS_VIEW_SVG_SVG_H

#include <stdio.h>

/* A length with two decimals at most, the same on every machine. */
void svg_number(FILE *out, double number);
/* ` name="number"` */
void svg_attribute(FILE *out, const char *name, double number);
/* A text in XML: markup is escaped, and characters that XML forbids become question marks. */
void svg_escape(FILE *out, const char *text);
/* <text> in a class of the picture's style; x is its start, end or middle, by the class. */
void svg_label(FILE *out, const char *class_name, double x, double y, const char *text);
/* A closed box as path data. Adjacent boxes share an edge: left and right are rounded, not the
 * width. */
void svg_box(FILE *out, double left, double top, double right, double bottom);
/* <rect>. */
void svg_rect(
	FILE *out, const char *class_name, double left, double top, double right, double bottom);
/* A straight line as path data. */
void svg_line(FILE *out, double x0, double y0, double x1, double y1);

#endif
