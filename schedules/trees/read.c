/* read.c - the tree that a text stands for: a name, or additions in parentheses. */
#include <ordo/arena.h>
#include <ordo/detail/order.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	struct ordo_forest *forest;
	const char *text;
	size_t at;
	uint32_t nleaf;
	bool *seen; /* [nleaf] */
	struct ordo_error *error;
};

/* An operand and the depth of parentheses at which it waits for another. */
struct operand {
	uint32_t tree;
	bool open; /* it is a parenthesis, and no tree */
};

static bool refuse(const struct reader *reader, const char *wanted)
{
	const char found = reader->text[reader->at];
	if (!found)
		return ordo_fail(reader->error, ORDO_USAGE, 0,
			"order: found the end of \"%.200s\", wanted %s", reader->text, wanted);
	return ordo_fail(reader->error, ORDO_USAGE, 0,
		"order: found '%c' at character %zu of \"%.200s\", wanted %s", found,
		reader->at + 1, reader->text, wanted);
}

static bool read_leaf(struct reader *reader, uint32_t *tree)
{
	const size_t begin = reader->at;
	uint64_t leaf = 0;
	for (; reader->text[reader->at] >= '0' && reader->text[reader->at] <= '9'; reader->at++)
		leaf = leaf < ORDO_LIMIT ? 10 * leaf + (uint64_t)(reader->text[reader->at] - '0')
					 : leaf;
	if (leaf >= reader->nleaf)
		return ordo_fail(reader->error, ORDO_USAGE, 0,
			"order: found %.*s at character %zu, wanted 0..%u",
			(int)(reader->at - begin < 20 ? reader->at - begin : 20),
			reader->text + begin, begin + 1, reader->nleaf - 1);
	if (reader->seen[leaf])
		return ordo_fail(reader->error, ORDO_USAGE, 0,
			"order: found %u for the second time at character %zu, wanted each once",
			(unsigned)leaf, begin + 1);
	reader->seen[leaf] = true;
	*tree = ordo_forest_leaf(reader->forest, (uint32_t)leaf);
	return *tree != ORDO_NONE || ordo_fail_memory(reader->error);
}

static void skip_spaces(struct reader *reader)
{
	while (reader->text[reader->at] == ' ')
		reader->at++;
}

/* Puts a tree behind what is there: adds it to the operand before it. Three operands without
 * parentheses are added from the left. */
static bool take(const struct reader *reader, struct operand *stack, size_t *height, uint32_t tree)
{
	if (*height && !stack[*height - 1].open) {
		--*height;
		tree = ordo_forest_add(reader->forest, stack[*height].tree, tree);
	}
	stack[(*height)++] = (struct operand){tree, false};
	return tree != ORDO_NONE || ordo_fail_memory(reader->error);
}

/* After an operand: closes parentheses, until a + or the end. */
static bool close_all(struct reader *reader, struct operand *stack, size_t *height)
{
	for (;;) {
		skip_spaces(reader);
		const char next = reader->text[reader->at];
		if (next != ')')
			return next == '+' ||
			       (!next ? *height == 1 || refuse(reader, "a closing parenthesis")
				      : refuse(reader, "+, ) or the end"));
		if (*height < 2)
			return refuse(reader, "no parenthesis that was not opened");
		const uint32_t tree = stack[*height - 1].tree;
		*height -= 2;
		reader->at++;
		if (!take(reader, stack, height, tree))
			return false;
	}
}

static bool read_additions(struct reader *reader, struct operand *stack, uint32_t *tree)
{
	size_t height = 0;
	for (;;) {
		skip_spaces(reader);
		const char next = reader->text[reader->at];
		if (next == '(') {
			stack[height++] = (struct operand){ORDO_NONE, true};
			reader->at++;
			continue;
		}
		if (next < '0' || next > '9')
			return refuse(reader, "a number or (");
		if (!read_leaf(reader, tree) || !take(reader, stack, &height, *tree) ||
			!close_all(reader, stack, &height))
			return false;
		if (!reader->text[reader->at])
			break;
		reader->at++;
	}
	*tree = stack[0].tree;
	for (uint32_t leaf = 0; leaf < reader->nleaf; leaf++)
		if (!reader->seen[leaf])
			return ordo_fail(reader->error, ORDO_USAGE, 0,
				"order: %u is missing, wanted each of 0..%u once", leaf,
				reader->nleaf - 1);
	return true;
}

uint32_t ordo_forest_read(
	struct ordo_forest *forest, const char *text, uint32_t nleaf, struct ordo_error *error)
{
	struct ordo_tree_name name;
	uint32_t tree = ORDO_NONE;
	if (ordo_tree_name_read(text, &name)) {
		if (name.from < nleaf)
			tree = ordo_forest_named(forest, name, nleaf);
		else
			ordo_fail(error, ORDO_USAGE, 0, "order: found \"%.200s\", wanted 0..%u",
				text, nleaf - 1);
		if (tree == ORDO_NONE && name.from < nleaf)
			ordo_fail_memory(error);
		return tree;
	}
	struct operand *stack = ordo_array_make(strlen(text) + 1, sizeof *stack, 0);
	struct reader reader = {.forest = forest,
		.text = text,
		.nleaf = nleaf,
		.error = error,
		.seen = ordo_array_make(nleaf, sizeof *reader.seen, 0)};
	bool worked = stack && reader.seen;
	if (!worked)
		ordo_fail_memory(error);
	else if (!strpbrk(text, "+()") && !(*text >= '0' && *text <= '9'))
		worked = ordo_fail(error, ORDO_USAGE, 0,
			"order: found \"%.200s\", wanted dyadic, folded, linear or additions such "
			"as (0+1)+2",
			text);
	else
		worked = read_additions(&reader, stack, &tree);
	free(stack);
	free(reader.seen);
	return worked ? tree : ORDO_NONE;
}
