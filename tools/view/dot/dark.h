/* dark.h - pictures set by `dot`, also for those who read in the dark. */
#ifndef ORDO_TOOLS_VIEW_DOT_DARK_H
#define ORDO_TOOLS_VIEW_DOT_DARK_H

#include <ordo/error.h>
#include <stdbool.h>
#include <stdio.h>

/* Copies SVG as `dot` writes it, from its beginning, with a style sheet that is its colours in the
 * dark: light is dark and dark is light there, hues stay. Readers that know no dark mode show it as
 * it was. */
bool add_dark_mode(FILE *svg, FILE *out, struct ordo_error *error);

#endif
