/* test_order.c - forests, names, witnesses and guarantees of orders. */
#include "compiling.h"
#include <math.h>
#include <ordo/order.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct ordo_forest *new_forest(void)
{
	struct ordo_error error;
	struct ordo_forest *forest = ordo_forest_create(&error);
	assert_non_null(forest);
	return forest;
}

static void equal_trees_have_one_id_and_swapped_ones_stand_for_the_same(void **state)
{
	(void)state;
	struct ordo_forest *forest = new_forest();
	uint32_t leaf[4];
	for (uint32_t i = 0; i < 4; i++)
		leaf[i] = ordo_forest_leaf(forest, i);
	const uint32_t ab = ordo_forest_add(forest, leaf[0], leaf[1]),
		       ba = ordo_forest_add(forest, leaf[1], leaf[0]),
		       cd = ordo_forest_add(forest, leaf[2], leaf[3]);
	assert_int_equal(ordo_forest_leaf(forest, 2), leaf[2]);
	assert_int_equal(ordo_forest_add(forest, leaf[0], leaf[1]), ab);
	assert_int_equal(ordo_forest_add(forest, leaf[1], leaf[0]), ba);
	assert_int_not_equal(ab, ba);
	const struct ordo_trees *trees = &forest->trees;
	assert_int_equal(ordo_same_tree(trees, ab), ordo_same_tree(trees, ba));
	assert_int_not_equal(ordo_same_tree(trees, ab), ordo_same_tree(trees, cd));
	const uint32_t one = ordo_forest_add(forest, ab, cd), two = ordo_forest_add(forest, cd, ba);
	assert_int_not_equal(one, two);
	assert_int_equal(ordo_same_tree(trees, one), ordo_same_tree(trees, two));
	assert_int_equal(ordo_forest_add(forest, cd, ba), two);
	assert_int_not_equal(ordo_forest_add(forest, cd, ab), two);
	assert_int_equal(forest->facts[two].leaves, 4);
	assert_int_equal(forest->facts[two].depth, 2);
	assert_int_equal(forest->facts[two].smallest, 0);
	ordo_forest_destroy(forest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_trees_have_one_id_and_swapped_ones_stand_for_the_same),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
