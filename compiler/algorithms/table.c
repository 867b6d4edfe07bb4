/* table.c - the table of algorithms. */
#include "algorithm.h"

#define ORDO_ALGORITHM(name) extern const struct ordo_algorithm ordo_algorithm_##name;
#include "table.h"
#undef ORDO_ALGORITHM

#define ORDO_ALGORITHM(name) &ordo_algorithm_##name,
const struct ordo_algorithm *const ordo_algorithm_table[] = {
#include "table.h"
};
#undef ORDO_ALGORITHM

#define ORDO_ALGORITHM(name) &ordo_algorithm_##name.facts,
static const struct ordo_algorithm_facts *const facts[] = {
#include "table.h"
};
#undef ORDO_ALGORITHM

#define ORDO_ALGORITHM(name) PLACE_OF_##name,
enum {
#include "table.h"
	NALGORITHM
};
#undef ORDO_ALGORITHM

const uint32_t ordo_nalgorithm = NALGORITHM;

const struct ordo_algorithm_facts *const *ordo_algorithms(uint32_t *count)
{
	*count = ordo_nalgorithm;
	return facts;
}
