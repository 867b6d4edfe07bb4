/* dark.h - a dark mode for pictures rendered by `dot`. */
#ifndef ORDO_TOOLS_VIEW_DOT_DARK_H
#define ORDO_TOOLS_VIEW_DOT_DARK_H

#include <ordo/error.h>
#include <stdbool.h>
#include <stdio.h>

/* Copies SVG as `dot` writes it, from its beginning, and adds a style sheet with its colours in
 * dark mode: inverted lightness, same hues. Viewers without dark mode show the original colours. */
bool add_dark_mode(FILE *svg, FILE *out, struct ordo_error *error);

#endif
