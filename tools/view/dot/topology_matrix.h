/* topology_matrix.h - draws the loads of many links as a matrix: from, to, colour by load. */
#ifndef ORDO_TOOLS_VIEW_DOT_TOPOLOGY_MATRIX_H
#define ORDO_TOOLS_VIEW_DOT_TOPOLOGY_MATRIX_H

#include "graph.h"
#include "view/model/loads.h"

/* With more ranks than this, a drawing of links as lines is illegible. */
enum { MOST_WEB_RANKS = 16 };

/* A row for every rank and switch with outgoing links, a column for each with incoming links;
 * switches stand beside the ranks. With more than 80 rows, adjacent cells of a row with equal
 * styles are one box. Computes the loads. false: no memory. */
bool draw_matrix(Agraph_t *graph, struct loads *loads, const uint32_t *ranks, uint32_t nrank);

#endif
