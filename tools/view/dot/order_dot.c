/* order_dot.c - draws the trees of an order: leaves in a row, every addition above its operands. */
#include "drawings.h"
#include "graph.h"
#include "witness_dot.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

/* Inches. */
#define BETWEEN_LEAVES 0.12
#define DIGIT_WIDTH 0.09
#define LEVEL_STEP 0.5
#define TITLE_STEP 0.45
#define BETWEEN 0.9

/* A drawn node; operands come before it. */
struct sketch {
	uint32_t tree;
	uint32_t operands[2]; /* indices of sketches; ORDO_NONE: an end */
	double x, y;
};

struct drawing {
	Agraph_t *graph;
	const struct ordo_forest *forest;
	const struct order_picture *picture;
	const struct titled_tree *titled; /* the current tree */
	bool *below_red;		  /* [nnode] nodes below the red node */
	bool *above_red;		  /* [nnode] nodes above the red node */
	struct sketch *sketches;	  /* of the current tree */
	Agnode_t **nodes;
	size_t sketch_room, node_room;
	uint32_t nsketch, nend;
	uint32_t levels;
	double width;	      /* width of a box with the longest number */
	double x, y;	      /* left and top of the current tree */
	double bottom, right; /* of all trees */
};

static bool is_leaf(const struct drawing *drawing, uint32_t tree)
{
	return drawing->forest->trees.nodes[tree][0] == ORDO_NONE;
}

/* Nodes on the stack, with or without finished operands. */
struct visit {
	uint32_t tree, depth;
	bool opened;
	uint32_t first; /* the sketch of the first operand */
};

static uint32_t end_depth(const struct drawing *drawing, uint32_t tree)
{
	uint32_t depth = ORDO_NONE;
	if (drawing->forest->facts[tree].leaves > drawing->picture->max_leaves)
		for (depth = 0; drawing->picture->max_leaves >> (depth + 1); depth++)
			continue;
	return depth;
}

static bool add_sketch(struct drawing *drawing, const struct visit *visit, uint32_t second)
{
	if (!ordo_array_reserve(&drawing->sketches, &drawing->sketch_room,
		    (size_t)drawing->nsketch + 1, sizeof *drawing->sketches))
		return false;
	struct sketch *sketch = &drawing->sketches[drawing->nsketch++];
	*sketch = (struct sketch){.tree = visit->tree, .y = drawing->y + visit->depth * LEVEL_STEP};
	if (visit->opened) {
		sketch->operands[0] = visit->first;
		sketch->operands[1] = second;
		sketch->x = (drawing->sketches[visit->first].x + drawing->sketches[second].x) / 2;
	} else {
		sketch->operands[0] = sketch->operands[1] = ORDO_NONE;
		sketch->x = drawing->x + drawing->nend++ * (drawing->width + BETWEEN_LEAVES);
	}
	drawing->levels = visit->depth > drawing->levels ? visit->depth : drawing->levels;
	return true;
}

/* Lays out a tree, cut where it would have too many ends, with an explicit stack. */
static bool sketch_tree(struct drawing *drawing, uint32_t tree)
{
	const struct ordo_tree_facts *facts = drawing->forest->facts;
	const uint32_t deepest = end_depth(drawing, tree);
	struct visit *stack = NULL;
	size_t room = 0, height = 0;
	bool worked = ordo_array_reserve(&stack, &room, 1, sizeof *stack);
	if (worked)
		stack[height++] = (struct visit){tree, 0, false, ORDO_NONE};
	while (worked && height) {
		struct visit *top = &stack[height - 1];
		const uint32_t *node = drawing->forest->trees.nodes[top->tree];
		const bool end = is_leaf(drawing, top->tree) || top->depth == deepest;
		const uint32_t latest = drawing->nsketch - 1;
		const bool swapped = !end && facts[node[1]].smallest < facts[node[0]].smallest;
		if (end || top->first != ORDO_NONE) {
			worked = add_sketch(drawing, top, latest);
			height--;
			continue;
		}
		uint32_t next = node[swapped];
		if (top->opened) {
			top->first = latest;
			next = node[!swapped];
		}
		top->opened = true;
		const uint32_t depth = top->depth + 1;
		if ((worked = ordo_array_reserve(&stack, &room, height + 1, sizeof *stack)))
			stack[height++] = (struct visit){next, depth, false, ORDO_NONE};
	}
	free(stack);
	return worked;
}

/* Red: the node and its subtree, with its marked leaves in a stronger red; also a box that stands
 * for a subtree with the node. */
static void style_red(const struct drawing *drawing, const struct sketch *sketch, Agnode_t *node)
{
	const struct titled_tree *titled = drawing->titled;
	const bool end = sketch->operands[0] == ORDO_NONE && !is_leaf(drawing, sketch->tree);
	if (titled->red == ORDO_NONE)
		return;
	if (sketch->tree == titled->red || (end && drawing->above_red[sketch->tree]))
		set_all(node, "fillcolor=%s; penwidth=2", WITNESS_FILL);
	if (drawing->below_red[sketch->tree] || (end && drawing->above_red[sketch->tree]))
		set(node, "color", WITNESS_RED);
	for (int i = 0; i < 3 && is_leaf(drawing, sketch->tree); i++)
		if (drawing->forest->trees.nodes[sketch->tree][1] == titled->marked_leaves[i])
			set_all(node, "fillcolor=#ffe3a3; penwidth=1.8");
}

/* Marks the ancestors and the descendants of the red node; operands come before their sum. */
static bool find_red(struct drawing *drawing, const struct titled_tree *titled)
{
	const struct ordo_trees *trees = &drawing->forest->trees;
	const uint32_t red = titled->red;
	free(drawing->below_red);
	free(drawing->above_red);
	drawing->titled = titled;
	drawing->below_red = calloc((size_t)trees->nnode + 1, sizeof *drawing->below_red);
	drawing->above_red = calloc((size_t)trees->nnode + 1, sizeof *drawing->above_red);
	if (!drawing->below_red || !drawing->above_red)
		return false;
	if (red == ORDO_NONE)
		return true;
	drawing->below_red[red] = drawing->above_red[red] = true;
	for (uint32_t node = red + 1; node-- > 0;)
		for (int i = 0;
			i < 2 && drawing->below_red[node] && trees->nodes[node][0] != ORDO_NONE;
			i++)
			drawing->below_red[trees->nodes[node][i]] = true;
	for (uint32_t node = red + 1; node < trees->nnode; node++)
		if (trees->nodes[node][0] != ORDO_NONE)
			drawing->above_red[node] = drawing->above_red[trees->nodes[node][0]] ||
						   drawing->above_red[trees->nodes[node][1]];
	return true;
}

static bool draw_node(struct drawing *drawing, const char *name, uint32_t index)
{
	const struct sketch *sketch = &drawing->sketches[index];
	Agnode_t *node = add_node(drawing->graph, name, sketch->x, sketch->y);
	drawing->nodes[index] = node;
	if (!node)
		return false;
	const uint32_t leaves = drawing->forest->facts[sketch->tree].leaves;
	if (sketch->operands[0] != ORDO_NONE) {
		set_all(node, "label=+; shape=circle; fillcolor=#dbe7f5");
	} else if (is_leaf(drawing, sketch->tree)) {
		set_format(
			node, "label", "%" PRIu32, drawing->forest->trees.nodes[sketch->tree][1]);
		set_all(node, "shape=box; fillcolor=white; width=%.2f", drawing->width);
	} else {
		set_format(node, "label", "%" PRIu32, leaves);
		set_all(node,
			"shape=box; style=filled,rounded,dashed; fillcolor=#eeeeee; width=%.2f",
			drawing->width);
		set_format(node, "tooltip", "%" PRIu32 " leaves, %" PRIu32 " levels", leaves,
			drawing->forest->facts[sketch->tree].depth);
	}
	style_red(drawing, sketch, node);
	for (int i = 0; i < 2 && sketch->operands[i] != ORDO_NONE; i++) {
		Agedge_t *edge =
			agedge(drawing->graph, node, drawing->nodes[sketch->operands[i]], NULL, 1);
		if (!edge)
			return false;
		set(edge, "dir", "none");
		if (drawing->below_red[sketch->tree])
			set(edge, "color", WITNESS_RED);
	}
	return true;
}

/* Draws one tree below its title, and moves the position for the next one. */
static bool draw_tree(struct drawing *drawing, uint32_t number, const struct titled_tree *titled)
{
	char name[48];
	const double top = drawing->y;
	drawing->nsketch = drawing->nend = drawing->levels = 0;
	snprintf(name, sizeof name, "%" PRIu32, drawing->forest->facts[titled->tree].leaves);
	drawing->width = 0.12 + DIGIT_WIDTH * (double)(strlen(name) > 2 ? strlen(name) : 2);
	snprintf(name, sizeof name, "title %" PRIu32, number);
	if (!find_red(drawing, titled) || !add_left_label(drawing->graph, name, drawing->x - 0.2,
						  drawing->y, titled->title, 10))
		return false;
	drawing->y += TITLE_STEP;
	if (!sketch_tree(drawing, titled->tree) ||
		!ordo_array_reserve(
			&drawing->nodes, &drawing->node_room, drawing->nsketch, sizeof(Agnode_t *)))
		return false;
	for (uint32_t i = 0; i < drawing->nsketch; i++) {
		snprintf(name, sizeof name, "%" PRIu32 " %" PRIu32, number, i);
		if (!draw_node(drawing, name, i))
			return false;
	}
	drawing->y += drawing->levels * LEVEL_STEP + BETWEEN;
	drawing->bottom = drawing->y > drawing->bottom ? drawing->y : drawing->bottom;
	if (drawing->picture->beside) {
		const double tree = drawing->nend * (drawing->width + BETWEEN_LEAVES),
			     title = width_of_text(titled->title, 10);
		drawing->x += (tree > title ? tree : title) + BETWEEN;
		drawing->y = top;
	}
	return true;
}

static bool draw_captions(struct drawing *drawing)
{
	const char *text = drawing->picture->captions;
	char line[512], name[32];
	for (uint32_t n = 0; text && *text; n++) {
		const size_t length = strcspn(text, "\n");
		snprintf(line, sizeof line, "%.*s", (int)length, text);
		snprintf(name, sizeof name, "caption %" PRIu32, n);
		Agnode_t *node = add_left_label(drawing->graph, name, -0.2,
			drawing->bottom - BETWEEN / 2 + 0.22 * n, line, 10);
		if (!node)
			return false;
		set(node, "fontcolor", WITNESS_RED);
		text += length + (text[length] == '\n');
	}
	return true;
}

bool draw_order(FILE *out, const struct ordo_forest *forest, const struct order_picture *picture,
	struct ordo_error *error)
{
	struct drawing drawing = {
		.graph = open_picture("order", error), .forest = forest, .picture = picture};
	if (!drawing.graph)
		return false;
	set_defaults(drawing.graph, AGNODE,
		"style=filled; color=#404040; width=0.3; height=0.3; fixedsize=true");
	set_default(drawing.graph, AGEDGE, "color", "#404040");
	bool worked = true;
	for (uint32_t i = 0; worked && i < picture->ntree; i++)
		worked = draw_tree(&drawing, i, &picture->trees[i]);
	worked = worked && draw_captions(&drawing);
	free(drawing.below_red);
	free(drawing.above_red);
	free(drawing.sketches);
	free(drawing.nodes);
	if (worked)
		return close_picture(drawing.graph, out, error);
	agclose(drawing.graph);
	return ordo_fail_memory(error);
}
