/* wide_number.h - exact sums of doubles, and what such a sum is rounded to a float type: the oracle
 * of sums without order. Integers of 32-bit digits, and nothing of the code under test. */
#ifndef ORDO_TESTS_WIDE_NUMBER_H
#define ORDO_TESTS_WIDE_NUMBER_H

#include <ordo/element.h>

/* digit[i] * 2^(32 i - 1600), summed; digits of any sign. All zero is 0. */
#define NDIGIT 104
struct wide_number {
	int64_t digit[NDIGIT];
};

/* number += value * 2^scale; |scale| <= 200, value finite. Up to 2^30 of these. */
void wide_add(struct wide_number *number, double value, int scale);
/* a - b. */
struct wide_number wide_difference(const struct wide_number *a, const struct wide_number *b);
/* -1, 0 or 1. */
int wide_sign(const struct wide_number *number);
/* The sign of |a| - |b|. */
int wide_compare(const struct wide_number *a, const struct wide_number *b);

/* Close to the number. */
double wide_value(const struct wide_number *number);

/* The value of a float's bits; that after the largest finite number is 2^(e + 1), as if numbers
 * went on. No NaN. */
double float_value(enum ordo_type type, uint64_t bits);
/* Are these the bits of the number nearest to the sum, and of two the even one? Too large sums are
 * infinity, or of fp8 the largest number; zero is +0. */
bool is_nearest(enum ordo_type type, uint64_t bits, const struct wide_number *sum);

#endif
