/* pictures.h - pictures: their format, the program that renders them, and their file. */
#ifndef ORDO_TOOLS_VIEW_PICTURES_H
#define ORDO_TOOLS_VIEW_PICTURES_H

#include "base/report.h"

struct picture_options {
	const char *as, *output; /* NULL: not set */
};

/* Chooses the format of graphs: dot, svg, png or pdf, by the ending of OUT, else dot; without
 * either option `as` stays NULL. "-" is stdout. false: call->status. */
bool choose_picture_form(struct call *call, struct picture_options *args);

/* Writes DOT, or the format itself. false: call->status. */
typedef bool picture_writer(struct call *call, const void *closure, FILE *out);

/* Calls the writer, renders its output by `dot` unless it is `straight`, and writes it to the file.
 * false: call->status. */
bool deliver_picture(struct call *call, const struct picture_options *args, bool straight,
	picture_writer *write, const void *closure);

#endif
