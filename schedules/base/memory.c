/* memory.c - how much memory the library may take. */
#include <ordo/memory.h>
#include <stdatomic.h>
#include <stdio.h>

static _Atomic uint64_t limit = UINT64_MAX;

void ordo_set_memory_limit(uint64_t bytes)
{
	atomic_store_explicit(&limit, bytes, memory_order_relaxed);
}

uint64_t ordo_memory_limit(void)
{
	return atomic_load_explicit(&limit, memory_order_relaxed);
}

/* "3.2 GiB" */
static void print_bytes(char out[32], double bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	int unit = 0;
	for (; bytes >= 1024 && unit < 6; unit++)
		bytes /= 1024;
	snprintf(out, 32, bytes < 10 && unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
}

bool ordo_memory_allows(double bytes, const char *what, struct ordo_error *error)
{
	const uint64_t most = ordo_memory_limit();
	char wanted[32], there[32];
	if (most == UINT64_MAX || bytes <= (double)most)
		return true;
	print_bytes(wanted, bytes);
	print_bytes(there, (double)most);
	ordo_fail(error, ORDO_ENVIRONMENT, 0, "%s takes about %s of memory, there is %s", what,
		wanted, there);
	if (error)
		error->too_large = true;
	return ordo_hint(error, "--memory-limit SIZE allows more");
}
