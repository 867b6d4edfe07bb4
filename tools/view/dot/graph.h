/* graph.h - the subset of cgraph that drawings use. */
#ifndef ORDO_TOOLS_VIEW_DOT_GRAPH_H
#define ORDO_TOOLS_VIEW_DOT_GRAPH_H

#include <cgraph.h>
#include <ordo/error.h>
#include <stdio.h>

/* cgraph takes char *, but only reads. */
char *text_of(const char *text);
/* An attribute of a graph, node or edge. */
void set(void *object, const char *name, const char *value);
void set_format(void *object, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Several attributes, as `shape=box; width=%.2f`: no value may have a semicolon. */
void set_all(void *object, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* An attribute with a literal text from a document: backslashes are escaped, control characters
 * replaced. `end` is not escaped. */
void set_text(void *object, const char *name, const char *text, const char *end);
/* The same for several centred lines. */
void set_lines(void *object, const char *name, const char *text);
/* A default for all nodes (AGNODE), edges (AGEDGE) or graphs (AGRAPH). */
void set_default(Agraph_t *graph, int kind, const char *name, const char *value);
/* Several, as `shape=box; style=filled`. */
void set_defaults(Agraph_t *graph, int kind, const char *attributes);
/* A node at x, y inches; y grows downwards from 0. */
Agnode_t *add_node(Agraph_t *graph, const char *name, double x, double y);
/* A node with text only. */
Agnode_t *add_label(Agraph_t *graph, const char *name, double x, double y, const char *text);
/* Text aligned left at x, in a box of the text's largest width. */
Agnode_t *add_left_label(
	Agraph_t *graph, const char *name, double x, double y, const char *text, double points);
/* The largest width of a text in inches, at a size in points: that in Helvetica and a fifth more,
 * for wider substitute fonts. */
double width_of_text(const char *text, double points);
/* A cluster with the box left, top, right, bottom, in inches. */
Agraph_t *add_cluster(
	Agraph_t *graph, const char *name, double left, double top, double right, double bottom);
/* A graph with given positions, which `dot` keeps. NULL: error. */
Agraph_t *open_picture(const char *name, struct ordo_error *error);
/* Writes the graph as DOT and closes it. */
bool close_picture(Agraph_t *graph, FILE *out, struct ordo_error *error);

#endif
