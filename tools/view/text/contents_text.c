/* contents_text.c - a table of the contents of every slot after each step. */
#include "contents_text.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

enum {
	LINE = 100,	  /* letters */
	LONGEST_SET = 18, /* letters of one sum */
	MOST_SLOTS = 8,	  /* of a buffer, by default */
	MOST_STEPS = 32,  /* likewise; half of them at either end */
	MOST_LEAVES = 16, /* of a tree */
	FEW_LEAVES = 4,	  /* fewer than this are listed instead of written 3..1 */
};

struct column {
	enum ordo_buffer buffer;
	uint32_t slot;
	int width;
};

/* The notations in the table, for its legend. */
struct used {
	bool undefined, counted, strided, repeated, wrapped;
};

struct table {
	FILE *out;
	const struct ordo_schedule *schedule;
	const struct contents *contents;
	const struct contents_form *form;
	struct column *columns;
	uint32_t ncolumn;
	size_t column_room;
	/* [nrank * ncolumn] ORDO_NONE: the rank has no such slot */
	uint32_t *cell_at;
	const char **texts; /* [nchange] NULL: not in the table */
	/* [nnode] the text of a sum; NULL: not needed so far */
	const char **of_tree;
	const char **shown;			/* [ncell] current contents */
	uint32_t *changed;			/* [ncell] the last step that changed it + 1 */
	uint32_t *stack, *seen, *leaves, stamp; /* for walks: [nnode], [nnode], [contributors] */
	struct used used;
	struct ordo_arena arena;
};

static const struct ordo_problem *problem_of(const struct table *table)
{
	return &table->schedule->problem;
}

static bool reduces(const struct table *table)
{
	return ordo_operator_facts(problem_of(table)->op)->reduces;
}

static int compare_leaves(const void *left, const void *right)
{
	const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	return a < b ? -1 : a > b;
}

/* The leaves of a tree, ascending, each once; a shared node is visited once. */
static uint32_t gather_leaves(struct table *table, uint32_t tree)
{
	const struct ordo_trees *trees = &table->contents->forest->trees;
	uint32_t height = 0, count = 0;
	table->stamp++;
	table->stack[height++] = tree;
	table->seen[tree] = table->stamp;
	while (height) {
		const uint32_t *node = trees->nodes[table->stack[--height]];
		if (node[0] == ORDO_NONE) {
			table->leaves[count++] = node[1];
			continue;
		}
		for (int i = 0; i < 2; i++)
			if (table->seen[node[i]] != table->stamp) {
				table->seen[node[i]] = table->stamp;
				table->stack[height++] = node[i];
			}
	}
	qsort(table->leaves, count, sizeof *table->leaves, compare_leaves);
	return count;
}

/* "{0,2..5,7}"; false if longer than LONGEST_SET letters. */
static size_t print_ranges(const uint32_t *leaves, uint32_t count, char *text, size_t size)
{
	size_t length = (size_t)snprintf(text, size, "{");
	for (uint32_t first = 0, end; first < count && length < size; first = end) {
		for (end = first + 1; end < count && leaves[end] == leaves[end - 1] + 1;)
			end++;
		/* For two in a row a comma is as short. */
		if (end - first < 3)
			end = first + 1;
		length += (size_t)snprintf(text + length, size - length,
			end - first > 1 ? "%s%" PRIu32 "..%" PRIu32 : "%s%" PRIu32,
			first ? "," : "", leaves[first], leaves[end - 1]);
	}
	if (length + 1 < size)
		length += (size_t)snprintf(text + length, size - length, "}");
	return length;
}

static bool is_strided(const uint32_t *leaves, uint32_t count)
{
	for (uint32_t i = 2; i < count; i++)
		if (leaves[i] - leaves[i - 1] != leaves[1] - leaves[0])
			return false;
	return count > 2;
}

/* The start of a cyclic range of all contributors, such as 6, 7, 0, 1 of 8. 0: they are not a
 * cyclic range. */
static uint32_t find_wrap(const struct table *table, const uint32_t *leaves, uint32_t count)
{
	const uint32_t last =
		(reduces(table) ? problem_of(table)->nshard : problem_of(table)->nrank) - 1;
	uint32_t wrap = 0;
	if (last < FEW_LEAVES || leaves[0] || leaves[count - 1] != last)
		return 0;
	for (uint32_t i = 1; i < count; i++)
		if (leaves[i] != leaves[i - 1] + 1) {
			if (wrap)
				return 0;
			wrap = i;
		}
	return wrap;
}

static const char *set_text(struct table *table, uint32_t tree)
{
	const uint32_t count = gather_leaves(table, tree), *leaves = table->leaves;
	const bool repeated = table->contents->forest->facts[tree].leaves > count;
	const uint32_t wrap = find_wrap(table, leaves, count);
	char text[LONGEST_SET + 8];
	table->used.wrapped |= wrap;
	if (count == 1)
		snprintf(text, sizeof text, "%" PRIu32, leaves[0]);
	else if (leaves[count - 1] - leaves[0] + 1 == count)
		snprintf(text, sizeof text, "%" PRIu32 "..%" PRIu32, leaves[0], leaves[count - 1]);
	else if (wrap)
		snprintf(
			text, sizeof text, "%" PRIu32 "..%" PRIu32, leaves[wrap], leaves[wrap - 1]);
	else if (print_ranges(leaves, count, text, sizeof text) > LONGEST_SET) {
		const bool strided = is_strided(leaves, count);
		table->used.strided |= strided;
		table->used.counted |= !strided;
		if (strided)
			snprintf(text, sizeof text, "%" PRIu32 "..%" PRIu32 "/%" PRIu32, leaves[0],
				leaves[count - 1], leaves[1] - leaves[0]);
		else
			snprintf(text, sizeof text, "(%" PRIu32 ")", count);
	}
	table->used.repeated |= repeated;
	return ordo_arena_format(&table->arena, "%s%s", text, repeated ? "!" : "");
}

static const char *sum_text(struct table *table, uint32_t tree)
{
	const char **text = &table->of_tree[tree];
	if (!*text)
		*text = table->form->trees ? ordo_forest_print(table->contents->forest,
						     &table->arena, tree, MOST_LEAVES)
					   : set_text(table, tree);
	return *text;
}

/* The chunk of a scratch slot is printed if there is more than one chunk; output and input slots
 * have their own chunk. */
static const char *content_text(
	struct table *table, enum ordo_buffer buffer, struct content content)
{
	const bool names_chunk = buffer == ORDO_SCRATCH && ordo_nchunk(problem_of(table)) > 1;
	if (content.tree == CONTENT_UNDEFINED) {
		table->used.undefined = true;
		return "?";
	}
	const char *sum = sum_text(table, content.tree);
	if (!sum || !names_chunk)
		return sum;
	if (!reduces(table))
		return ordo_arena_format(&table->arena, "c%" PRIu32, content.chunk);
	return ordo_arena_format(&table->arena, "c%" PRIu32 ":%s", content.chunk, sum);
}

/* Selects the slots that are columns. */

static bool add_column(struct table *table, enum ordo_buffer buffer, uint32_t slot)
{
	if (!ordo_array_reserve(&table->columns, &table->column_room, (size_t)table->ncolumn + 1,
		    sizeof *table->columns))
		return false;
	table->columns[table->ncolumn++] = (struct column){buffer, slot, 0};
	return true;
}

/* The chunk that belongs to an output or input slot. */
static uint32_t own_chunk(const struct table *table, const struct slot_name *name)
{
	return name->buffer == ORDO_OUTPUT
		       ? ordo_output_chunk(problem_of(table), name->rank, name->slot)
		       : ordo_input_chunk(problem_of(table), name->rank, name->slot);
}

static bool choose_columns_of(
	struct table *table, enum ordo_buffer buffer, struct contents_omission *omission)
{
	const struct contents *contents = table->contents;
	const bool *chunks = table->form->chunks;
	uint32_t nslot = 0;
	for (uint32_t c = 0; c < contents->ncell; c++)
		if (contents->cells[c].buffer == buffer && contents->cells[c].slot >= nslot)
			nslot = contents->cells[c].slot + 1;
	bool *wanted = calloc((size_t)nslot + 1, sizeof *wanted);
	if (!wanted)
		return false;
	for (uint32_t c = 0; c < contents->ncell; c++) {
		const struct slot_name *name = &contents->cells[c];
		if (name->buffer == buffer && !chunks)
			wanted[name->slot] = name->slot < MOST_SLOTS;
		else if (name->buffer == buffer && buffer != ORDO_SCRATCH)
			wanted[name->slot] |= chunks[own_chunk(table, name)];
	}
	for (size_t i = 0; chunks && buffer == ORDO_SCRATCH && i < contents->nchange; i++) {
		const struct slot_change *change = &contents->changes[i];
		const struct slot_name *name = &contents->cells[change->cell];
		if (name->buffer == buffer)
			wanted[name->slot] |= chunks[change->content.chunk];
	}
	bool worked = true;
	for (uint32_t slot = 0; worked && slot < nslot; slot++)
		if (wanted[slot])
			worked = add_column(table, buffer, slot);
	omission->all_slots += nslot;
	free(wanted);
	return worked;
}

static bool choose_columns(struct table *table, struct contents_omission *omission)
{
	return choose_columns_of(table, ORDO_OUTPUT, omission) &&
	       choose_columns_of(table, ORDO_SCRATCH, omission) &&
	       choose_columns_of(table, ORDO_INPUT, omission);
}

/* ORDO_NONE: no such column. Columns are sorted by slot within a buffer. */
static uint32_t find_column(const struct table *table, const struct slot_name *name)
{
	uint32_t low = 0, high = table->ncolumn;
	static const int place[ORDO_NBUFFER] = {
		[ORDO_OUTPUT] = 0, [ORDO_SCRATCH] = 1, [ORDO_INPUT] = 2};
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		const struct column *column = &table->columns[middle];
		const bool before = column->buffer != name->buffer
					    ? place[column->buffer] < place[name->buffer]
					    : column->slot < name->slot;
		if (before)
			low = middle + 1;
		else
			high = middle;
	}
	return low < table->ncolumn && table->columns[low].buffer == name->buffer &&
			       table->columns[low].slot == name->slot
		       ? low
		       : ORDO_NONE;
}

static bool place_cells(struct table *table)
{
	const struct contents *contents = table->contents;
	const size_t size = (size_t)table->form->nrank * table->ncolumn;
	table->cell_at = ordo_array_make(size + 1, sizeof *table->cell_at, 0xff);
	for (uint32_t row = 0; table->cell_at && row < table->form->nrank; row++)
		for (uint32_t c = contents->first_cell[row]; c < contents->first_cell[row + 1];
			c++) {
			const uint32_t column = find_column(table, &contents->cells[c]);
			if (column != ORDO_NONE)
				table->cell_at[(size_t)row * table->ncolumn + column] = c;
		}
	return table->cell_at;
}

static int digits(uint32_t number)
{
	return snprintf(NULL, 0, "%" PRIu32, number);
}

/* The texts of all contents of the columns, and the widths of the columns. */
static bool write_texts(struct table *table)
{
	const struct contents *contents = table->contents;
	for (uint32_t i = 0; i < table->ncolumn; i++)
		table->columns[i].width = digits(table->columns[i].slot);
	for (size_t i = 0; i < contents->nchange; i++) {
		const struct slot_change *change = &contents->changes[i];
		const struct slot_name *name = &contents->cells[change->cell];
		const uint32_t column = find_column(table, name);
		if (column == ORDO_NONE)
			continue;
		const char *text = content_text(table, name->buffer, change->content);
		if (!text)
			return false;
		table->texts[i] = text;
		const int width = (int)strlen(text) + 1;
		if (table->columns[column].width < width)
			table->columns[column].width = width;
	}
	return true;
}

static int buffer_width(const struct table *table, uint32_t first, uint32_t end)
{
	int width = -2;
	for (uint32_t i = first; i < end; i++)
		width += table->columns[i].width + 2;
	const int least = (int)strlen(ordo_buffer_name(table->columns[first].buffer));
	return width < least ? least : width;
}

/* One past the columns of the same buffer. */
static uint32_t end_of_buffer(const struct table *table, uint32_t first, uint32_t end)
{
	uint32_t i = first;
	while (i < end && table->columns[i].buffer == table->columns[first].buffer)
		i++;
	return i;
}

/* One past the columns that fit on a line with columns[first]; at least one. */
static uint32_t end_of_line(const struct table *table, uint32_t first)
{
	uint32_t end = first + 1;
	for (; end < table->ncolumn; end++) {
		int width = 4;
		for (uint32_t i = first, next; i <= end; i = next) {
			next = end_of_buffer(table, i, end + 1);
			width += 3 + buffer_width(table, i, next);
		}
		if (width > LINE)
			break;
	}
	return end;
}

/* Blanks are printed only before the next text, so that no line ends with blanks. */
static void print_padded(FILE *out, int *owed, const char *text, int width)
{
	fprintf(out, "%*s%s", *owed, "", text);
	*owed = width - (int)strlen(text);
}

static void print_heads(const struct table *table, uint32_t first, uint32_t end)
{
	int owed = 4;
	for (uint32_t i = first, next; i < end; i = next) {
		next = end_of_buffer(table, i, end);
		print_padded(table->out, &owed, " | ", 3);
		print_padded(table->out, &owed, ordo_buffer_name(table->columns[i].buffer),
			buffer_width(table, i, next));
	}
	fprintf(table->out, "\nrank");
	owed = 0;
	for (uint32_t i = first, next; i < end; i = next) {
		next = end_of_buffer(table, i, end);
		print_padded(table->out, &owed, " | ", 3);
		int left = buffer_width(table, i, next);
		for (uint32_t c = i; c < next; c++) {
			char number[16];
			snprintf(number, sizeof number, "%" PRIu32, table->columns[c].slot);
			const int width = c + 1 < next ? table->columns[c].width + 2 : left;
			print_padded(table->out, &owed, number, width);
			left -= width;
		}
	}
	fprintf(table->out, "\n");
}

static const char *cell_text(
	const struct table *table, uint32_t row, uint32_t column, uint32_t step, bool *changed)
{
	const uint32_t cell = table->cell_at[(size_t)row * table->ncolumn + column];
	*changed = cell != ORDO_NONE && table->changed[cell] == step + 1;
	return cell == ORDO_NONE ? "" : table->shown[cell] ? table->shown[cell] : ".";
}

static void print_row(
	const struct table *table, uint32_t row, uint32_t step, uint32_t first, uint32_t end)
{
	int owed = 0;
	fprintf(table->out, "%4" PRIu32, table->form->ranks[row]);
	for (uint32_t i = first, next; i < end; i = next) {
		next = end_of_buffer(table, i, end);
		print_padded(table->out, &owed, " | ", 3);
		int left = buffer_width(table, i, next);
		for (uint32_t c = i; c < next; c++) {
			bool changed;
			const char *text = cell_text(table, row, c, step, &changed);
			const int width = c + 1 < next ? table->columns[c].width + 2 : left;
			if (*text)
				print_padded(table->out, &owed, text, width);
			else
				owed += width;
			if (changed) {
				putc('*', table->out);
				owed--;
			}
			left -= width;
		}
	}
	fprintf(table->out, "\n");
}

static void print_markdown(const struct table *table, uint32_t step)
{
	FILE *out = table->out;
	fprintf(out, "| rank |");
	for (uint32_t c = 0; c < table->ncolumn; c++)
		fprintf(out, " %s %" PRIu32 " |", ordo_buffer_name(table->columns[c].buffer),
			table->columns[c].slot);
	fprintf(out, "\n|---|");
	for (uint32_t c = 0; c < table->ncolumn; c++)
		fprintf(out, "---|");
	for (uint32_t row = 0; row < table->form->nrank; row++) {
		fprintf(out, "\n| %" PRIu32 " |", table->form->ranks[row]);
		for (uint32_t c = 0; c < table->ncolumn; c++) {
			bool changed;
			const char *text = cell_text(table, row, c, step, &changed);
			fprintf(out, changed ? " **%s** |" : " %s |", text);
		}
	}
	fprintf(out, "\n");
}

static void print_step_name(const struct table *table, uint32_t step)
{
	const struct contents *contents = table->contents;
	const char *strong = table->form->markdown ? "**" : "";
	fprintf(table->out, "\n%s", strong);
	if (!step)
		fprintf(table->out, "before the first step");
	else if (contents->by_phase)
		fprintf(table->out, "step %" PRIu32 " of %" PRIu32 ": %s", step, contents->nstep,
			table->schedule->phases[step - 1]);
	else
		fprintf(table->out, "step %" PRIu32 " of %" PRIu32, step, contents->nstep);
	fprintf(table->out, "%s", strong);
}

static void print_step(const struct table *table, uint32_t step, bool changes)
{
	print_step_name(table, step);
	if (!changes && !table->form->steps) {
		fprintf(table->out, "%s\n",
			table->contents->moves[step] ? ": nothing here changes"
						     : ": nothing moves");
		return;
	}
	fprintf(table->out, table->form->markdown ? "\n\n" : "\n");
	if (table->form->markdown) {
		print_markdown(table, step);
		return;
	}
	for (uint32_t first = 0, end; first < table->ncolumn; first = end) {
		end = end_of_line(table, first);
		print_heads(table, first, end);
		for (uint32_t row = 0; row < table->form->nrank; row++)
			print_row(table, row, step, first, end);
	}
}

/* Selects the steps to print, and counts them. NULL: no memory. */
static bool *choose_steps(const struct table *table, struct contents_omission *omission)
{
	const uint32_t nstep = table->contents->nstep;
	bool *wanted = calloc((size_t)nstep + 1, sizeof *wanted);
	for (uint32_t step = 0; wanted && step <= nstep; step++) {
		wanted[step] = table->form->steps ? table->form->steps[step]
						  : nstep <= MOST_STEPS || step <= MOST_STEPS / 2 ||
							    step > nstep - MOST_STEPS / 2;
		omission->steps += wanted[step] && step;
	}
	omission->all_steps = nstep;
	return wanted;
}

static bool print_steps(struct table *table, struct contents_omission *omission)
{
	const struct contents *contents = table->contents;
	bool *wanted = choose_steps(table, omission);
	bool left_out = false;
	if (!wanted)
		return false;
	for (uint32_t step = 0, i = 0; step <= contents->nstep; step++) {
		bool changes = false;
		for (; i < contents->nchange && contents->changes[i].step == step; i++) {
			if (!table->texts[i])
				continue;
			table->shown[contents->changes[i].cell] = table->texts[i];
			table->changed[contents->changes[i].cell] = step + 1;
			changes = true;
		}
		if (wanted[step] && left_out && !table->form->steps)
			fprintf(table->out,
				"\n... %" PRIu32 " step%s omitted; --steps selects others\n",
				omission->all_steps - omission->steps,
				omission->all_steps - omission->steps == 1 ? "" : "s");
		left_out = !wanted[step];
		if (wanted[step] && (step || changes))
			print_step(table, step, changes);
	}
	free(wanted);
	return true;
}

/* The heading of the table. */

static const char *slots_meaning(const struct ordo_problem *problem)
{
	const bool one = problem->chunks_per_block == 1;
	switch (problem->op) {
	case ORDO_REDUCESCATTER:
	case ORDO_SCATTER:
		return one ? "output slot 0 of rank r is for chunk r"
			   : "output slot j of rank r, of K to a block, is for chunk rK+j";
	case ORDO_ALLTOALL:
		return one ? "output slot i of rank r is for what rank i has for r"
			   : "output slot iK+k of rank r, of K to a block, is for what rank i has "
			     "for r";
	case ORDO_CUSTOM:
		return "output slots may hold any chunk: what they are for is not described";
	case ORDO_ALLREDUCE:
	case ORDO_REDUCE:
	case ORDO_BROADCAST:
	case ORDO_ALLGATHER:
	case ORDO_GATHER:
		break;
	}
	return "output slot c is for chunk c";
}

static void print_line(const struct table *table, const char *text)
{
	fprintf(table->out, table->form->markdown ? "%s  \n" : "%s\n", text);
}

static void print_key(const struct table *table)
{
	const struct ordo_problem *problem = problem_of(table);
	const char *whose = problem->nshard != problem->nrank ? "shards" : "ranks";
	const char *new = table->form->markdown ? "bold" : "*";
	char line[160];
	if (reduces(table) && table->form->trees)
		snprintf(line, sizeof line,
			"(0+1)+2: the tree in which the data of these %s are added; .: nothing "
			"yet; %s: new in "
			"this step",
			whose, new);
	else if (reduces(table))
		snprintf(line, sizeof line,
			"0..3: the sum of the data of %s 0 to 3; .: nothing yet; %s: new in this "
			"step",
			whose, new);
	else if (problem->op == ORDO_CUSTOM)
		snprintf(line, sizeof line,
			"3: chunk 3; {3,5}: a sum with it; .: nothing yet; %s: new in this step",
			new);
	else
		snprintf(line, sizeof line,
			"3: what rank 3 had; .: nothing yet; %s: new in this step", new);
	print_line(table, line);
	print_line(table, slots_meaning(problem));
	bool scratch = false;
	for (uint32_t c = 0; c < table->ncolumn; c++)
		scratch |= table->columns[c].buffer == ORDO_SCRATCH;
	if (scratch && ordo_nchunk(problem) > 1)
		print_line(table, reduces(table) ? "c2:0..3: of chunk 2" : "c2: chunk 2");
	if (table->used.wrapped)
		print_line(table, "3..1: from 3 to the last, and from 0 to 1");
	if (table->used.strided)
		print_line(table, "0..6/2: every second of them");
	if (table->used.counted)
		print_line(table, "(5): the sum of 5 that are not a range; --trees lists them");
	if (table->used.repeated)
		print_line(table, "!: some data were added more than once");
	if (table->used.undefined)
		print_line(table, "?: undefined: read before it was written, or another chunk than "
				  "the task names");
}

static void print_head(const struct table *table, const struct contents_omission *omission)
{
	const struct ordo_schedule *schedule = table->schedule;
	const struct ordo_problem *problem = problem_of(table);
	char line[256];
	fprintf(table->out,
		"%s%s%s on %" PRIu32
		" rank%s by %s: the contents of every slot after each step%s\n",
		table->form->markdown ? "**" : "", ordo_operator_facts(problem->op)->name,
		problem->in_place ? " in place" : "", problem->nrank,
		problem->nrank == 1 ? "" : "s", schedule->algorithm,
		table->form->markdown ? "**  " : "");
	print_key(table);
	if (table->form->nrank < problem->nrank || omission->slots < omission->all_slots) {
		snprintf(line, sizeof line,
			"here: %" PRIu32 " of %" PRIu32 " ranks, %" PRIu32 " of %" PRIu32
			" slots; --ranks and --chunks select others",
			table->form->nrank, problem->nrank, omission->slots, omission->all_slots);
		print_line(table, line);
	}
	if (table->form->remark)
		print_line(table, table->form->remark);
}

static void print_blocked(const struct table *table)
{
	const struct contents *contents = table->contents;
	char where[320];
	if (!contents->nblocked)
		return;
	ordo_task_locate(table->schedule, contents->first_blocked, where, sizeof where);
	fprintf(table->out, "\nstuck: %" PRIu32 " stream%s for ever, the first of them at %s\n",
		contents->nblocked, contents->nblocked == 1 ? " waits" : "s wait", where);
}

static bool open_table(struct table *table)
{
	const struct contents *contents = table->contents;
	const size_t nnode = contents->forest->trees.nnode;
	table->texts = calloc(contents->nchange + 1, sizeof *table->texts);
	table->of_tree = calloc(nnode + 1, sizeof *table->of_tree);
	table->shown = calloc((size_t)contents->ncell + 1, sizeof *table->shown);
	table->changed = calloc((size_t)contents->ncell + 1, sizeof *table->changed);
	table->stack = calloc(nnode + 1, sizeof *table->stack);
	table->seen = calloc(nnode + 1, sizeof *table->seen);
	table->leaves = calloc(nnode + 1, sizeof *table->leaves);
	return table->texts && table->of_tree && table->shown && table->changed && table->stack &&
	       table->seen && table->leaves;
}

static void close_table(struct table *table)
{
	free(table->columns);
	free(table->cell_at);
	free(table->texts);
	free(table->of_tree);
	free(table->shown);
	free(table->changed);
	free(table->stack);
	free(table->seen);
	free(table->leaves);
	ordo_arena_free(&table->arena);
}

bool print_contents(FILE *out, const struct ordo_schedule *schedule,
	const struct contents *contents, const struct contents_form *form,
	struct contents_omission *omission)
{
	struct table table = {.out = out, .schedule = schedule, .contents = contents, .form = form};
	*omission = (struct contents_omission){0};
	bool worked = open_table(&table) && choose_columns(&table, omission) &&
		      place_cells(&table) && write_texts(&table);
	if (worked) {
		omission->slots = table.ncolumn;
		print_head(&table, omission);
		worked = print_steps(&table, omission);
		print_blocked(&table);
	}
	close_table(&table);
	return worked;
}
