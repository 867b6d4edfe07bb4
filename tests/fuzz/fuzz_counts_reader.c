/* fuzz_counts_reader.c - any text as counts: what is read fits the problem that it is for, and
 * reads back the same from CSV and from JSON; a refusal names its place. The first byte is the
 * operator and the number of ranks.
 */
#include "counts/counts.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size);

static void demand(bool truth, const char *sentence)
{
	if (truth)
		return;
	fprintf(stderr, "not true: %s\n", sentence);
	abort();
}

/* The rows as CSV, or as a JSON matrix. */
static void demand_again(const struct counts_table *table, bool json)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct counts_table again;
	struct ordo_error error;
	demand(out, "there is memory");
	fputs(json ? "[" : "", out);
	for (size_t r = 0; r < table->nrow; r++) {
		fputs(!json ? "" : r ? ",[" : "[", out);
		for (size_t i = table->rows[r].first; i < table->rows[r].end; i++)
			fprintf(out, i > table->rows[r].first ? ", %" PRIu64 : "%" PRIu64,
				table->counts[i]);
		fputs(json ? "]" : "\n", out);
	}
	fputs(json ? "]" : "", out);
	demand(!fclose(out), "there is memory");
	demand(counts_read(&again, text, size, "again", &error), "what is written can be read");
	demand(again.nrow == table->nrow && again.ncount == table->ncount &&
			(!table->ncount || !memcmp(again.counts, table->counts,
						   table->ncount * sizeof *table->counts)),
		"it is what was written");
	for (size_t r = 0; r < table->nrow; r++)
		demand(again.rows[r].first == table->rows[r].first &&
				again.rows[r].end == table->rows[r].end,
			"its rows are those that were written");
	counts_free(&again);
	free(text);
}

static void demand_place(const struct ordo_error *error)
{
	demand(error->code == ORDO_BAD_INPUT && !strcmp(error->file, "fuzz"),
		"a refusal names the file");
	demand(!strncmp(error->text, "counts: ", 8), "and the counts");
}

static void demand_blocks(const struct counts_table *table, uint8_t kind)
{
	static const enum ordo_operator operators[] = {ORDO_ALLGATHER, ORDO_REDUCESCATTER,
		ORDO_SCATTER, ORDO_GATHER, ORDO_ALLTOALL, ORDO_ALLTOALL, ORDO_ALLREDUCE,
		ORDO_CUSTOM};
	const struct ordo_problem problem = {.op = operators[kind % 8],
		.nrank = 1 + kind / 8 % 8,
		.nshard = 1 + kind / 8 % 8,
		.chunks_per_block = 1};
	struct ordo_error error;
	uint64_t *blocks = counts_of_blocks(table, &problem, &error), size = 0;
	if (!blocks && ordo_has_counts(problem.op))
		demand_place(&error);
	demand(blocks || error.text[0], "a refusal says why");
	if (!blocks)
		return;
	demand(ordo_has_counts(problem.op), "only operators with blocks have counts");
	demand(ordo_nblock(&problem) == table->ncount, "every block has one");
	demand(ordo_blocks_size(&problem, blocks, &size) && size <= ORDO_COUNTS_LIMIT,
		"their sum is within the limit");
	uint64_t scaled[64];
	demand(ordo_blocks_scale(&problem, blocks, size / 3, scaled), "they can be scaled");
	for (size_t b = 0; b < table->ncount; b++)
		demand(scaled[b] <= blocks[b] / 3 + 1 && (blocks[b] || !scaled[b]),
			"to a third each, and empty blocks stay empty");
	free(blocks);
}

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size)
{
	struct counts_table table;
	struct ordo_error error;
	if (!size)
		return 0;
	if (counts_read(&table, (const char *)text + 1, size - 1, "fuzz", &error)) {
		bool whole = table.nrow;
		for (size_t r = 0; r < table.nrow; r++)
			whole &= table.rows[r].end > table.rows[r].first;
		if (whole)
			demand_again(&table, false);
		if (table.nrow)
			demand_again(&table, true);
		demand_blocks(&table, text[0]);
	} else {
		demand_place(&error);
		demand(error.line && error.column, "and the place in it");
	}
	counts_free(&table);
	return 0;
}
