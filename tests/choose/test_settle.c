/* test_settle.c - the fewest changes of order, and among these the most preferred, against trying
 * every choice. */
#include "choose/tie_break.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
/* cmocka needs the four above. */
#include <cmocka.h>

enum { MOST_RANGES = 5, MOST_ALTERNATIVES = 3 };

static uint32_t random_below(uint64_t *seed, uint32_t limit)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % limit;
}

static uint32_t first_of(const uint32_t *ends, uint32_t range)
{
	return range ? ends[range - 1] : 0;
}

/* Changes first, then how far the choices are behind the preferred ones. */
static uint32_t price_of(const struct ordo_alternative *items, const uint32_t *ends,
	uint32_t nrange, const uint32_t *choice)
{
	uint32_t price = 0;
	for (uint32_t i = 0; i < nrange; i++) {
		price += choice[i] - first_of(ends, i);
		if (i && items[choice[i]].order != items[choice[i - 1]].order)
			price += 1000;
	}
	return price;
}

static uint32_t least_price(
	const struct ordo_alternative *items, const uint32_t *ends, uint32_t nrange)
{
	uint32_t choice[MOST_RANGES], least = UINT32_MAX;
	for (uint32_t i = 0; i < nrange; i++)
		choice[i] = first_of(ends, i);
	for (;;) {
		const uint32_t price = price_of(items, ends, nrange, choice);
		uint32_t at = 0;
		least = price < least ? price : least;
		while (at < nrange && ++choice[at] == ends[at]) {
			choice[at] = first_of(ends, at);
			at++;
		}
		if (at == nrange)
			return least;
	}
}

static void no_choice_has_fewer_changes(void **state)
{
	(void)state;
	uint64_t seed = 1;
	for (int time = 0; time < 2000; time++) {
		struct ordo_alternative items[MOST_RANGES * MOST_ALTERNATIVES];
		uint32_t ends[MOST_RANGES], choice[MOST_RANGES], count = 0;
		const uint32_t nrange = 1 + random_below(&seed, MOST_RANGES);
		for (uint32_t i = 0; i < nrange; i++) {
			for (uint32_t more = 1 + random_below(&seed, MOST_ALTERNATIVES); more;
				more--) {
				items[count] =
					(struct ordo_alternative){count, random_below(&seed, 3)};
				count++;
			}
			ends[i] = count;
		}
		assert_true(ordo_tie_break(items, ends, nrange, choice, NULL));
		for (uint32_t i = 0; i < nrange; i++)
			assert_in_range(choice[i], first_of(ends, i), ends[i] - 1);
		assert_int_equal(
			price_of(items, ends, nrange, choice), least_price(items, ends, nrange));
	}
}

static void nothing_to_choose_from_is_nothing_chosen(void **state)
{
	(void)state;
	assert_true(ordo_tie_break(NULL, NULL, 0, NULL, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_choice_has_fewer_changes),
		cmocka_unit_test(nothing_to_choose_from_is_nothing_chosen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
