/* lp.c - how an AllReduce divides links between sums and results: a linear program.
 *
 * Of a link of bandwidth b, sums get u and results d, u + d <= b, and each rank v is the root of
 * trees w(v). For every set T with a rank, results that enter it and sums that leave it must be at
 * least the sum of w outside T; switches let out what they let in. The greatest sum of w is wanted.
 * Sets are too many to list: the program begins with single ranks, and sweeps add those that its
 * solution leaves short.
 *
 * Every column has a small cost of its own, so that one solution is the best, whichever sets were
 * added on the way to it. The way is found in floats and ends in rational numbers; so the solution
 * is the same on every machine. It is rounded and then checked by flows of integers.
 */
#include "divide.h"
#include "pack.h"
#include <glpk.h>
#include <math.h>
#include <ordo/arena.h>
#include <ordo/memory.h>
#include <setjmp.h>
#include <stdlib.h>

enum {
	WIDEST = 1 << 24,
	/* Sums, results and roots: a program of so many takes seconds. */
	MOST_COLUMNS = 1 << 12,
	COST_BITS = 20,
	/* Roots are less by this part, so that rounding leaves no set short. */
	SPARED = 4096
};

struct program {
	const struct ordo_capacities *graph;
	glp_prob *problem;
	int *columns;	/* [1 + narc + nrank] of a row */
	double *values; /* likewise */
	int64_t widest;
};

static int column_of(const struct program *program, bool sums, uint32_t arc)
{
	return 1 + (int)(sums ? arc : program->graph->narc + arc);
}

static int column_of_root(const struct program *program, uint32_t rank)
{
	return 1 + (int)(2 * program->graph->narc + rank);
}

/* The row of program->columns[1..count], of which the sum is as `type` and `bound` say. */
static void add_row(struct program *program, int count, int type, double bound)
{
	const int row = glp_add_rows(program->problem, 1);
	glp_set_row_bnds(program->problem, row, type, bound, bound);
	glp_set_mat_row(program->problem, row, count, program->columns, program->values);
}

static int append(struct program *program, int count, int column, double value)
{
	program->columns[++count] = column;
	program->values[count] = value;
	return count;
}

/* Results enter a set, or sums leave it, as much as roots outside have. */
static void add_set(struct program *program, const bool *inside, bool sums)
{
	const struct ordo_capacities *graph = program->graph;
	int count = 0;
	for (uint32_t i = 0; i < graph->narc; i++)
		if (inside[graph->arcs[i].from] == sums && inside[graph->arcs[i].to] == !sums)
			count = append(program, count, column_of(program, sums, i), 1);
	for (uint32_t rank = 0; rank < graph->nrank; rank++)
		if (!inside[rank])
			count = append(program, count, column_of_root(program, rank), -1);
	add_row(program, count, GLP_LO, 0);
}

static void add_switch(struct program *program, uint32_t v, bool sums)
{
	const struct ordo_capacities *graph = program->graph;
	int count = 0;
	for (uint32_t i = 0; i < graph->narc; i++)
		if (graph->arcs[i].from == v || graph->arcs[i].to == v)
			count = append(program, count, column_of(program, sums, i),
				graph->arcs[i].from == v ? 1 : -1);
	add_row(program, count, GLP_FX, 0);
}

/* A unit on a link costs 1 to 2, from a fixed sequence; a root gains 2^COST_BITS, far more than its
 * trees cost. All times 2^COST_BITS. */
static double gain_of(const struct program *program, int column)
{
	uint32_t mixed = (uint32_t)column * 2654435769u;
	/* Not linear in the column: else sums of costs would often be equal. */
	mixed = (mixed ^ mixed >> 15) * 2246822519u;
	mixed = (mixed ^ mixed >> 13) >> (32 - COST_BITS);
	return column < column_of_root(program, 0) ? -(double)((1 << COST_BITS) + mixed)
						   : ldexp(1, 2 * COST_BITS) + mixed;
}

/* inside: [nvertex] */
static void state(struct program *program, bool *inside)
{
	const struct ordo_capacities *graph = program->graph;
	const int ncolumn = (int)(2 * graph->narc + graph->nrank);
	glp_set_obj_dir(program->problem, GLP_MAX);
	glp_add_cols(program->problem, ncolumn);
	for (int column = 1; column <= ncolumn; column++) {
		glp_set_col_bnds(program->problem, column, GLP_LO, 0, 0);
		glp_set_obj_coef(program->problem, column, gain_of(program, column));
	}
	for (uint32_t i = 0; i < graph->narc; i++) {
		append(program, append(program, 0, column_of(program, true, i), 1),
			column_of(program, false, i), 1);
		add_row(program, 2, GLP_UP, (double)graph->arcs[i].units);
	}
	for (uint32_t v = 0; v < graph->nvertex; v++) {
		inside[v] = true;
		for (uint32_t sums = 0; sums < 2; sums++)
			if (v < graph->nrank)
				add_set(program, inside, sums);
			else
				add_switch(program, v, sums);
		inside[v] = false;
	}
}

/* Reads the solution in whole units, roots less some. */
static void read_solution(
	const struct program *program, bool spares, struct ordo_divided_links *divided)
{
	const struct ordo_capacities *graph = program->graph;
	const double scale = (double)WIDEST / (double)program->widest;
	for (uint32_t i = 0; i < 2 * graph->narc; i++) {
		const double value = glp_get_col_prim(program->problem, 1 + (int)i) * scale;
		*(i < graph->narc ? &divided->sums[i] : &divided->results[i - graph->narc]) =
			(uint32_t)lround(value);
	}
	for (uint32_t rank = 0; rank < graph->nrank; rank++) {
		const uint32_t root = (uint32_t)lround(
			glp_get_col_prim(program->problem, column_of_root(program, rank)) * scale);
		divided->roots[rank] = spares ? root - root / SPARED : root;
	}
}

/* Adds the sets that the solution leaves short; *count of them. false: no memory. */
static bool add_short_sets(
	struct program *program, struct ordo_divided_links *divided, uint32_t *count)
{
	const struct ordo_capacities *graph = program->graph;
	const uint32_t rounding = graph->narc + graph->nrank;
	bool worked = true;
	*count = 0;
	read_solution(program, false, divided);
	for (uint32_t sums = 0; worked && sums < 2; sums++) {
		struct ordo_short_sets sets;
		worked = ordo_short_sets_find(&sets, graph, sums,
			sums ? divided->sums : divided->results, divided->roots, rounding);
		for (uint32_t i = 0; worked && i < sets.count; i++)
			add_set(program, sets.inside + (size_t)i * graph->nvertex, sums);
		*count += worked ? sets.count : 0;
		ordo_short_sets_free(&sets);
	}
	return worked;
}

/* Adds sets until no set is short. false without a code in `error`: GLPK failed. */
static bool add_all_sets(struct program *program, struct ordo_divided_links *divided, bool exact,
	struct ordo_error *error)
{
	glp_smcp how;
	uint32_t count = 1;
	bool worked = true;
	glp_init_smcp(&how);
	how.msg_lev = GLP_MSG_OFF;
	how.meth = GLP_DUALP;
	while (worked && count)
		worked = !(exact ? glp_exact : glp_simplex)(program->problem, &how) &&
			 glp_get_status(program->problem) == GLP_OPT &&
			 (add_short_sets(program, divided, &count) || ordo_fail_memory(error));
	return worked;
}

/* Where GLPK has no memory it calls this, which returns to setjmp in solve. */
static void fail_solver(void *jump)
{
	longjmp(*(jmp_buf *)jump, 1);
}

/* false without a code in `error`: GLPK failed. */
static bool solve(struct program *program, struct ordo_divided_links *divided, bool *inside,
	struct ordo_error *error)
{
	jmp_buf jump;
	const int printed = glp_term_out(GLP_OFF);
	glp_error_hook(fail_solver, &jump);
	if (setjmp(jump)) {
		glp_free_env();
		return ordo_fail_memory(error);
	}
	program->problem = glp_create_prob();
	state(program, inside);
	add_all_sets(program, divided, false, error);
	const bool worked = !error->code && add_all_sets(program, divided, true, error);
	if (worked)
		read_solution(program, true, divided);
	glp_delete_prob(program->problem);
	glp_error_hook(NULL, NULL);
	glp_term_out(printed);
	return worked;
}

/* Whether trees of the rounded roots exist. */
static bool check(const struct ordo_capacities *graph, struct ordo_divided_links *divided,
	struct ordo_error *error)
{
	bool worked = true, holds = true;
	for (uint32_t sums = 0; worked && sums < 2; sums++) {
		struct ordo_short_sets sets;
		uint32_t *capacities = sums ? divided->sums : divided->results;
		ordo_units_trim(graph, capacities);
		worked = ordo_short_sets_find(&sets, graph, sums, capacities, divided->roots, 0) ||
			 ordo_fail_memory(error);
		holds = holds && !sets.count;
		ordo_short_sets_free(&sets);
	}
	return worked && holds;
}

bool ordo_divide_links(struct ordo_divided_links *divided, const struct ordo_capacities *graph,
	struct ordo_error *error)
{
	const size_t ncolumn = 2 * (size_t)graph->narc + graph->nrank;
	struct program program = {.graph = graph,
		.widest = ordo_capacities_widest(graph),
		.columns = ordo_array_make(ncolumn + 1, sizeof *program.columns, 0),
		.values = ordo_array_make(ncolumn + 1, sizeof *program.values, 0)};
	bool *inside = ordo_array_make(graph->nvertex, sizeof *inside, 0);
	*divided = (struct ordo_divided_links){
		.sums = ordo_array_make(graph->narc, sizeof *divided->sums, 0),
		.results = ordo_array_make(graph->narc, sizeof *divided->results, 0),
		.roots = ordo_array_make(graph->nrank, sizeof *divided->roots, 0),
		.widest = WIDEST};
	const bool has_memory = (program.columns && program.values && inside && divided->sums &&
					divided->results && divided->roots) ||
				ordo_fail_memory(error);
	/* Measured; checked beforehand because GMP aborts where it gets no memory. */
	const double bytes = 3e6 + 2e3 * (double)ncolumn;
	const bool worked = has_memory && ncolumn <= MOST_COLUMNS &&
			    ordo_memory_allows(bytes, "solving the linear program", error) &&
			    solve(&program, divided, inside, error) && check(graph, divided, error);
	free(program.columns);
	free(program.values);
	free(inside);
	return worked;
}
