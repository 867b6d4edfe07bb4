/* decimal.h - the decimals that doubles are taken as. */
#ifndef ORDO_DECIMAL_H
#define ORDO_DECIMAL_H

#include <ordo/error.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ORDO_DECIMAL_SIZE = 40 };

/* digits * 10^exponent; the last digit is not 0, unless all is 0 */
struct ordo_decimal {
	uint64_t digits;
	int exponent;
};

/* The shortest decimal that reads back as `value`, of at least 0; 15 to 17 digits are tried. */
ORDO_API struct ordo_decimal ordo_decimal_of(double value);
/* The same as text. */
ORDO_API const char *ordo_decimal_text(double value, char text[ORDO_DECIMAL_SIZE]);

/* Whether a number as it was written is the shortest decimal of its double, exactly.
 *
 *   text, length   digits, perhaps a point and an exponent; no sign
 *   value          what they read as */
ORDO_API bool ordo_decimal_is(const char *text, size_t length, double value);

#ifdef __cplusplus
}
#endif
#endif
