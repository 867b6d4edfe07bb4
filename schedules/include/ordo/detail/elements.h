/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* elements.h - facts and names of types and reductions, and elements as numbers. */
#ifndef ORDO_ELEMENTS_H
#define ORDO_ELEMENTS_H

#include <ordo/element.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ordo_type_kind { ORDO_SIGNED, ORDO_UNSIGNED, ORDO_FLOAT, ORDO_COMPLEX, ORDO_PAIR, ORDO_STATE };

struct ordo_type_facts {
	const char *name; /* "f32" */
	uint32_t size;	  /* bytes */
	enum ordo_type_kind kind;
	bool is_float; /* ORDO_FLOAT */
	/* of a complex number, its parts; of a pair, the value; of a state of a sum without order
	 * (accumulate.h), the elements that it is a sum of; else itself */
	enum ordo_type part;
	/* floats and complex numbers: bits of the significand, the hidden one included: u =
	 * 2^-precision */
	uint32_t precision;
	/* the same: of the largest finite number, 1.x * 2^e; and of the least normal one */
	int32_t greatest_exponent, least_exponent;
	double largest; /* what overflow gives, instead of infinity; 0: infinity */
};

ORDO_API const struct ordo_type_facts *ordo_type_facts(enum ordo_type type);
ORDO_API const char *ordo_type_name(enum ordo_type type); /* "f32" */
ORDO_API bool ordo_type_from_name(const char *name, enum ordo_type *type);
ORDO_API const char *ordo_reduction_name(enum ordo_reduction reduction); /* "sum" */
ORDO_API bool ordo_reduction_from_name(const char *name, enum ordo_reduction *reduction);

/* Whether elements are added on the way: sum and avg. */
ORDO_API bool ordo_reduction_adds(enum ordo_reduction reduction);
/* Whether every order of reducing gives the same bits: integers, pairs, minima and maxima; not
 * sums, products and averages of floats and complex numbers. */
ORDO_API bool ordo_is_associative(enum ordo_type type, enum ordo_reduction reduction);
/* Whether the type has that reduction (element.h). If not, ORDO_USAGE, with what it has. */
ORDO_API bool ordo_has_reduction(
	enum ordo_type type, enum ordo_reduction reduction, struct ordo_error *error);

/* The number of a float type nearest to this, ties to even; if it is too large, infinity, or what
 * the type has instead. */
ORDO_API double ordo_type_round(enum ordo_type type, double number);
/* elements[at] as a number; and a number as elements[at], rounded if that is a float, while an
 * integer must be one of the type and below 2^53. Of a complex number that is the real part, and
 * the imaginary one is put as 0; of a pair the value, and the index is put as 0. The memory needs
 * no alignment. A state is the sum that it holds, rounded to the elements that it is a sum of. */
ORDO_API double ordo_element_get(enum ordo_type type, const void *elements, size_t at);
ORDO_API void ordo_element_put(enum ordo_type type, void *elements, size_t at, double number);

#ifdef __cplusplus
}
#endif
#endif
