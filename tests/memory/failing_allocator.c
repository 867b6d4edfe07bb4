/* failing_allocator.c - loaded before a program, refuses its requests for memory: the Nth, or all
 * from the Nth on.
 *
 * ORDO_REFUSE is N, `N-` for all from there, or the name of a file. To a file it writes for each
 * request a line with a hash of the calls that led to it, and refuses none. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <unwind.h>

/* The allocator of the C library under the names that no program redefines. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

enum { DEPTH = 24 };
static _Atomic unsigned long nrequest;
static unsigned long first; /* the first that is refused, from 1 */
static int begun, all_after, record = -1;
static _Thread_local int inside;

__attribute__((constructor)) static void begin(void)
{
	const char *wanted = getenv("ORDO_REFUSE");
	if (!wanted)
		return;
	char *end;
	first = strtoul(wanted, &end, 10);
	all_after = *end == '-';
	if (!first)
		record = open(wanted, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
	/* What the program starts gets all the memory that it asks for. */
	unsetenv("LD_PRELOAD");
	unsetenv("ORDO_REFUSE");
	begun = 1;
}

struct stack {
	uint64_t hash;
	int depth;
};

static _Unwind_Reason_Code add_caller(struct _Unwind_Context *context, void *closure)
{
	struct stack *stack = closure;
	stack->hash = (stack->hash ^ _Unwind_GetIP(context)) * 0x100000001b3u;
	return ++stack->depth < DEPTH ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static void record_request(void)
{
	struct stack stack = {.hash = 0xcbf29ce484222325u};
	char line[24];
	inside = 1;
	_Unwind_Backtrace(add_caller, &stack);
	const int length = snprintf(line, sizeof line, "%016jx\n", (uintmax_t)stack.hash);
	if (write(record, line, (size_t)length) != length)
		abort();
	inside = 0;
}

static int refused(void)
{
	if (!begun || inside)
		return 0;
	const unsigned long n = atomic_fetch_add(&nrequest, 1) + 1;
	if (record >= 0)
		record_request();
	else if (n == first || (all_after && n > first)) {
		errno = ENOMEM;
		return 1;
	}
	return 0;
}

/* The build hides every name that is not marked. */
#pragma GCC visibility push(default)
void *malloc(size_t size)
{
	return refused() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return refused() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return refused() ? NULL : __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size)
{
	return refused() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
	void *memory = memalign(alignment, size);
	if (memory)
		*block = memory;
	return memory ? 0 : ENOMEM;
}
#pragma GCC visibility pop
