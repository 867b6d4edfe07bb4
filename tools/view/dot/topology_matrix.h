/* topology_matrix.h - the loads of many ranks' links as a matrix: from, to, colour by load. */
#ifndef ORDO_TOOLS_VIEW_DOT_TOPOLOGY_MATRIX_H
#define ORDO_TOOLS_VIEW_DOT_TOPOLOGY_MATRIX_H

#include "graph.h"
#include "view/model/loads.h"

/* The links of more ranks are no web that anybody could read. */
enum { MOST_WEB_RANKS = 16 };

/* A row for every rank and switch that a link comes from, a column for each that one goes to;
 * switches stand beside the ranks. Of more than 80 rows, neighbours in a row that look alike are
 * one box. The loads are measured here. false: no memory. */
bool draw_matrix(Agraph_t *graph, struct loads *loads, const uint32_t *ranks, uint32_t nrank);

#endif
