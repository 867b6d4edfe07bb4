/* device_stub.c - what the library asks of CUDA's driver (-DVERSION=0) or of HIP of a version, of
 * memory that a test marks. */
#include <stddef.h>
#include <string.h>

#pragma GCC visibility push(default)
enum { HOST, DEVICE, MANAGED };
static const char *marked;
static size_t nmarked;
static int kind, error;

void stub_mark(const void *memory, size_t bytes, int of_kind);
void stub_mark(const void *memory, size_t bytes, int of_kind)
{
	marked = memory;
	nmarked = bytes;
	kind = of_kind;
}

static int kind_of(const void *pointer)
{
	const char *at = pointer;
	return at >= marked && at < marked + nmarked ? kind : HOST;
}

#if VERSION
struct hip_attributes {
	int type, device;
	void *device_pointer, *host_pointer;
	int is_managed;
	unsigned flags;
};
int hipRuntimeGetVersion(int *version);
int hipPointerGetAttributes(struct hip_attributes *attributes, const void *pointer);
int hipPeekAtLastError(void);
int hipGetLastError(void);
int stub_error(void);

int hipRuntimeGetVersion(int *version)
{
	*version = VERSION * 10000000 + 200000;
	return 0;
}

int hipPointerGetAttributes(struct hip_attributes *attributes, const void *pointer)
{
	memset(attributes, 0, sizeof *attributes);
	if (kind_of(pointer) == HOST)
		return error = 1;
	attributes->type = VERSION >= 6 ? 2 : 1;
	attributes->is_managed = kind_of(pointer) == MANAGED;
	return 0;
}

int hipPeekAtLastError(void)
{
	return error;
}

int hipGetLastError(void)
{
	const int found = error;
	error = 0;
	return found;
}

int stub_error(void)
{
	return error;
}
#else
int cuPointerGetAttribute(void *value, int attribute, unsigned long long pointer);
int stub_error(void);

int cuPointerGetAttribute(void *value, int attribute, unsigned long long pointer)
{
	const int found = kind_of((const void *)(size_t)pointer);
	const unsigned type = found == HOST ? 1 : 2, is_managed = found == MANAGED;
	if (found == HOST)
		return 1;
	memcpy(value, attribute == 2 ? &type : &is_managed, sizeof type);
	return 0;
}

int stub_error(void)
{
	return error;
}
#endif
