/* decimal.c - the decimals that doubles are taken as. */
#include <ordo/decimal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_DIGITS = 15, MOST_DIGITS = 17, MOST_EXPONENT = 1000000 };

/* The number after `e`. */
static int read_exponent(const char *text, const char *end)
{
	int exponent = 0;
	const bool negative = text < end && *text == '-';
	for (text += text < end && (*text == '-' || *text == '+'); text < end; text++)
		if (exponent < MOST_EXPONENT)
			exponent = 10 * exponent + (*text - '0');
	return negative ? -exponent : exponent;
}

/* The decimal point may be any sign. *lost: there are more digits than fit. */
static struct ordo_decimal read_decimal(const char *text, size_t length, bool *lost)
{
	const char *const end = text + length;
	struct ordo_decimal decimal = {0, 0};
	int zeros = 0; /* since the last digit that is none */
	*lost = false;
	for (bool point = false; text < end && *text != 'e' && *text != 'E'; text++) {
		if (*text < '0' || *text > '9') {
			point = true;
			continue;
		}
		decimal.exponent -= point;
		zeros++;
		if (*text == '0')
			continue;
		for (; zeros && !*lost; zeros--) {
			*lost = decimal.digits > UINT64_MAX / 10 - 1;
			decimal.digits *= 10;
		}
		decimal.digits += (uint64_t)(*text - '0');
		zeros = 0;
	}
	decimal.exponent += zeros + (text < end ? read_exponent(text + 1, end) : 0);
	if (!decimal.digits)
		decimal.exponent = 0;
	return decimal;
}

const char *ordo_decimal_text(double value, char text[ORDO_DECIMAL_SIZE])
{
	int digits = LEAST_DIGITS;
	do
		snprintf(text, ORDO_DECIMAL_SIZE, "%.*g", digits, value);
	while (++digits <= MOST_DIGITS && strtod(text, NULL) != value);
	return text;
}

struct ordo_decimal ordo_decimal_of(double value)
{
	char text[ORDO_DECIMAL_SIZE];
	bool lost;
	ordo_decimal_text(value, text);
	return read_decimal(text, strlen(text), &lost);
}

bool ordo_decimal_is(const char *text, size_t length, double value)
{
	bool lost;
	const struct ordo_decimal written = read_decimal(text, length, &lost),
				  taken = ordo_decimal_of(value);
	return !lost && written.digits == taken.digits && written.exponent == taken.exponent;
}
