/* pictures.h - pictures as commands deliver them: in which form, through which program, to
 * where. */
#ifndef ORDO_TOOLS_VIEW_PICTURES_H
#define ORDO_TOOLS_VIEW_PICTURES_H

#include "base/report.h"

struct picture_wish {
	const char *as, *output; /* NULL: not given */
};

/* Chooses the form of graphs: dot, svg, png or pdf, as OUT ends, else dot; neither option: as stays
 * NULL. "-" is stdout. false: call->status. */
bool choose_picture_form(struct call *call, struct picture_wish *wish);

/* Writes what is to be delivered, DOT or the form itself. false: call->status. */
typedef bool picture_writer(struct call *call, const void *closure, FILE *out);

/* Has it written, rendered by `dot` unless it is `straight`, and put where it belongs. false:
 * call->status. */
bool deliver_picture(struct call *call, const struct picture_wish *wish, bool straight,
	picture_writer *write, const void *closure);

#endif
