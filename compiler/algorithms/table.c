/* table.c - the table of algorithms. */
#include "algorithms/registry.h"
#include "request/request.h"

#define ORDO_ALGORITHM(name) extern const struct ordo_algorithm ordo_algorithm_##name;
#include "table.h"
#undef ORDO_ALGORITHM

#define ORDO_ALGORITHM(name) PLACE_OF_##name,
enum {
#include "table.h"
	NALGORITHM
};
#undef ORDO_ALGORITHM

#define ORDO_ALGORITHM(name) &ordo_algorithm_##name,
static const struct ordo_algorithm *algorithms[NALGORITHM + ORDO_MOST_ADDED] = {
#include "table.h"
};
#undef ORDO_ALGORITHM

#define ORDO_ALGORITHM(name) &ordo_algorithm_##name.facts,
static const struct ordo_algorithm_facts *facts[NALGORITHM + ORDO_MOST_ADDED] = {
#include "table.h"
};
#undef ORDO_ALGORITHM

struct ordo_registry ordo_registry = {algorithms, NALGORITHM};

void ordo_registry_append(const struct ordo_algorithm *algorithm)
{
	algorithms[ordo_registry.nalgorithm] = algorithm;
	facts[ordo_registry.nalgorithm++] = &algorithm->facts;
}

const struct ordo_algorithm_facts *const *ordo_algorithms(uint32_t *count)
{
	*count = ordo_registry.nalgorithm;
	return facts;
}

uint32_t ordo_algorithms_named(const char *name, struct ordo_named named[ORDO_MOST_NAMED])
{
	return ordo_registry_named(&ordo_registry, name, named);
}

const char *ordo_algorithm_suggest(const char *word, uint32_t operators)
{
	return ordo_registry_suggest(&ordo_registry, word, operators);
}
