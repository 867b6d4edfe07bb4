/* two_trees.c - draws two different trees side by side, the first difference in red. */
#include "two_trees.h"
#include "base/memory_stream.h"
#include "drawings.h"
#include "report/guarantees.h"
#include <inttypes.h>
#include <stdlib.h>

/* Numbers in the format of witness inputs. NULL: no memory. */
static char *write_captions(const struct two_trees *two, struct ordo_arena *arena)
{
	const struct ordo_contradiction *found = two->contradiction;
	const struct ordo_witness *witness = &found->witness;
	struct memory_stream stream;
	char numbers[2][32];
	FILE *out = open_memory_stream(&stream);
	const char *node = ordo_forest_print(two->forest, arena, witness->node[0], two->max_leaves);
	if (!out || !node) {
		if (out)
			free(close_memory_stream(&stream));
		return NULL;
	}
	fprintf(out,
		"first difference: the left adds %s; on the right %" PRIu32 " and %" PRIu32
		" meet only after %" PRIu32 " came in\nwith ",
		node, witness->a, witness->b, witness->c);
	report_shard_values(&(struct report){.text = out}, found);
	fprintf(out, ": %s on the left, %s on the right", real_text(numbers[0], found->result[0]),
		real_text(numbers[1], found->result[1]));
	return close_memory_stream(&stream);
}

bool draw_two_trees(struct call *call, const struct two_trees *two, FILE *out)
{
	struct ordo_error error;
	struct ordo_arena arena = {NULL};
	const struct ordo_contradiction *found = two->contradiction;
	const struct ordo_witness *witness = &found->witness;
	struct titled_tree trees[2];
	char *captions = write_captions(two, &arena);
	for (int i = 0; i < 2; i++)
		trees[i] = (struct titled_tree){found->tree[i], two->title[i], witness->node[i],
			{witness->a, witness->b, witness->c}};
	const struct order_picture picture = {.trees = trees,
		.ntree = 2,
		.max_leaves = two->max_leaves,
		.beside = true,
		.captions = captions};
	bool worked = captions || ordo_fail_memory(&error);
	worked = worked && draw_order(out, two->forest, &picture, &error);
	if (!worked)
		call->status = fail(call, &error);
	free(captions);
	ordo_arena_free(&arena);
	return worked;
}
