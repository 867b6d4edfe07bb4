/* order_table.h - the orders of every algorithm: a matrix of algorithms and numbers of ranks. */
#ifndef ORDO_TOOLS_CHOOSE_ORDER_TABLE_H
#define ORDO_TOOLS_CHOOSE_ORDER_TABLE_H

#include "cli/options.h"

struct order_table_options {
	struct texts ranks;	/* each "4-8" or "12" */
	struct texts operators; /* none: ReduceScatter */
};

/* Prints, as Markdown or JSON, a table for each operator: every cell is compiled and proved.
 * Returns the exit code. */
int print_order_table(struct call *call, const struct order_table_options *args);

#endif
