/* fuzz_nccl.c - any text as a log of NCCL: what is refused has a message, and what is joined has
 * rings of all ranks, and trees that lead to them. */
#include "nccl/log.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size);

static void demand(bool truth, const char *sentence, const char *text)
{
	if (truth)
		return;
	fprintf(stderr, "not true: %s: %s\n", sentence, text);
	abort();
}

static void look(const struct nccl_log *log, const struct nccl_graph *graph)
{
	struct ordo_error error = {.code = ORDO_OK};
	uint8_t *seen = calloc((size_t)graph->nrank + 1, 1);
	uint32_t *order = malloc(((size_t)graph->nrank + 1) * sizeof *order);
	demand(seen && order, "there is memory", "");
	for (uint32_t c = 0; c < graph->nchannel; c++) {
		memset(seen, 0, graph->nrank);
		for (uint32_t i = 0; i < graph->nrank; i++) {
			const uint32_t rank = graph->rings[(size_t)c * graph->nrank + i];
			demand(rank < graph->nrank && !seen[rank]++, "a ring has every rank once",
				"");
		}
	}
	if (!nccl_need_trees(log, graph, &error))
		demand(error.text[0], "a refusal has a text", "");
	else
		for (uint32_t c = 0; c < graph->nchannel; c++)
			demand(nccl_tree_order(graph, c, order) == graph->nrank,
				"a tree leads to all ranks", "");
	free(seen);
	free(order);
}

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size)
{
	struct ordo_error error = {.code = ORDO_OK};
	struct nccl_log log = {0};
	struct nccl_graph graph = {0};
	/* Parsers of text often read one byte too far: a copy has none. */
	char *copy = malloc(size + !size);
	demand(copy, "there is memory", "");
	if (size)
		memcpy(copy, text, size);
	const bool read = nccl_read_text(&log, copy, size, "fuzz.log", &error);
	free(copy);
	if (read && nccl_join(&log, &graph, &error))
		look(&log, &graph);
	else
		demand(error.text[0] && error.code != ORDO_OK, "a refusal has a text", "");
	nccl_graph_free(&graph);
	nccl_close(&log);
	return 0;
}
