/* memory.c - how much memory the library may take. */
#include <ordo/memory.h>
#include <ordo/units.h>
#include <stdatomic.h>

static _Atomic uint64_t limit = UINT64_MAX;

void ordo_set_memory_limit(uint64_t bytes)
{
	atomic_store_explicit(&limit, bytes, memory_order_relaxed);
}

uint64_t ordo_memory_limit(void)
{
	return atomic_load_explicit(&limit, memory_order_relaxed);
}

bool ordo_memory_allows(double bytes, const char *what, struct ordo_error *error)
{
	const uint64_t most = ordo_memory_limit();
	char wanted[ORDO_UNITS_SIZE], there[ORDO_UNITS_SIZE];
	if (most == UINT64_MAX || bytes <= (double)most)
		return true;
	ordo_fail(error, ORDO_ENVIRONMENT, 0, "%s takes about %s of memory, there is %s", what,
		ordo_bytes_text(wanted, bytes), ordo_bytes_text(there, (double)most));
	if (error)
		error->too_large = true;
	return ordo_hint(error, "--memory-limit SIZE allows more");
}
