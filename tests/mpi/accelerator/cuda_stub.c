/* cuda_stub.c - stands for CUDA's driver where there is none: what the program of reductions.c and
 * the library call. Memory of its device is memory that the processor may not touch; a second
 * mapping of it is what is copied. With STUB_NO_DEVICE there is no device. */
#define _GNU_SOURCE /* memfd_create */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef unsigned long long address;
enum { WORKED, INVALID, NO_MEMORY, NO_DEVICE = 100, NO_CONTEXT = 201 };
enum { HOST = 1, DEVICE = 2, MEMORY_TYPE = 2, IS_MANAGED = 8, MOST = 64 };
static struct region {
	char *begin, *mirror;
	size_t bytes;
	unsigned type, is_managed;
} regions[MOST];
static _Thread_local void *current;

static struct region *find(address at)
{
	for (int i = 0; i < MOST; i++)
		if (regions[i].begin && at - (address)(size_t)regions[i].begin < regions[i].bytes)
			return &regions[i];
	return NULL;
}

static void *add(void *begin, void *mirror, size_t bytes, unsigned type, unsigned is_managed)
{
	for (int i = 0; begin && i < MOST; i++)
		if (!regions[i].begin) {
			regions[i] = (struct region){begin, mirror, bytes, type, is_managed};
			return begin;
		}
	return NULL;
}

static int remove_region(address at)
{
	struct region *region = find(at);
	if (!region)
		return INVALID;
	if (region->mirror) {
		munmap(region->begin, region->bytes);
		munmap(region->mirror, region->bytes);
	} else if (region->is_managed) {
		free(region->begin);
	}
	region->begin = NULL;
	return WORKED;
}

#pragma GCC visibility push(default)
int cuInit(unsigned flags);
int cuDeviceGet(int *device, int ordinal);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxSetCurrent(void *context);
int cuCtxSynchronize(void);
int cuMemAlloc_v2(address *memory, size_t bytes);
int cuMemAllocAsync(address *memory, size_t bytes, void *stream);
int cuMemAllocManaged(address *memory, size_t bytes, unsigned flags);
int cuMemAllocHost_v2(void **memory, size_t bytes);
int cuMemHostRegister_v2(void *memory, size_t bytes, unsigned flags);
int cuMemcpyDtoH_v2(void *dst, address src, size_t bytes);
int cuMemcpyHtoD_v2(address dst, const void *src, size_t bytes);
int cuMemFree_v2(address memory);
int cuMemFreeHost(void *memory);
int cuMemHostUnregister(void *memory);
int cuPointerGetAttribute(void *value, int attribute, address pointer);

int cuInit(unsigned flags)
{
	(void)flags;
	return getenv("STUB_NO_DEVICE") ? NO_DEVICE : WORKED;
}

int cuDeviceGet(int *device, int ordinal)
{
	*device = ordinal;
	return ordinal ? INVALID : WORKED;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
	*context = regions;
	return device ? INVALID : WORKED;
}

int cuCtxSetCurrent(void *context)
{
	current = context;
	return WORKED;
}

int cuCtxSynchronize(void)
{
	return current ? WORKED : NO_CONTEXT;
}

int cuMemAlloc_v2(address *memory, size_t bytes)
{
	if (!current)
		return NO_CONTEXT;
	const int file = memfd_create("device", 0);
	if (file < 0 || ftruncate(file, (off_t)bytes))
		return NO_MEMORY;
	void *begin = mmap(NULL, bytes, PROT_NONE, MAP_SHARED, file, 0),
	     *mirror = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	close(file);
	if (begin == MAP_FAILED || mirror == MAP_FAILED)
		return NO_MEMORY;
	*memory = (address)(size_t)add(begin, mirror, bytes, DEVICE, 0);
	return *memory ? WORKED : NO_MEMORY;
}

int cuMemAllocAsync(address *memory, size_t bytes, void *stream)
{
	(void)stream;
	return cuMemAlloc_v2(memory, bytes);
}

int cuMemAllocManaged(address *memory, size_t bytes, unsigned flags)
{
	if (!current)
		return NO_CONTEXT;
	*memory = (address)(size_t)add(malloc(bytes), NULL, bytes, DEVICE, flags == 1);
	return *memory ? WORKED : NO_MEMORY;
}

int cuMemAllocHost_v2(void **memory, size_t bytes)
{
	if (!current)
		return NO_CONTEXT;
	*memory = add(malloc(bytes), NULL, bytes, HOST, 0);
	return *memory ? WORKED : NO_MEMORY;
}

int cuMemHostRegister_v2(void *memory, size_t bytes, unsigned flags)
{
	(void)flags;
	if (!current)
		return NO_CONTEXT;
	return add(memory, NULL, bytes, HOST, 0) ? WORKED : NO_MEMORY;
}

int cuMemcpyDtoH_v2(void *dst, address src, size_t bytes)
{
	const struct region *region = find(src);
	if (!current || !region || !region->mirror)
		return INVALID;
	memcpy(dst, region->mirror + (src - (address)(size_t)region->begin), bytes);
	return WORKED;
}

int cuMemcpyHtoD_v2(address dst, const void *src, size_t bytes)
{
	const struct region *region = find(dst);
	if (!current || !region || !region->mirror)
		return INVALID;
	memcpy(region->mirror + (dst - (address)(size_t)region->begin), src, bytes);
	return WORKED;
}

int cuMemFree_v2(address memory)
{
	return remove_region(memory);
}

int cuMemFreeHost(void *memory)
{
	const int code = remove_region((address)(size_t)memory);
	free(code ? NULL : memory);
	return code;
}

int cuMemHostUnregister(void *memory)
{
	return remove_region((address)(size_t)memory);
}

int cuPointerGetAttribute(void *value, int attribute, address pointer)
{
	const struct region *region = find(pointer);
	if (!region || (attribute != MEMORY_TYPE && attribute != IS_MANAGED))
		return INVALID;
	memcpy(value, attribute == MEMORY_TYPE ? &region->type : &region->is_managed,
		sizeof region->type);
	return WORKED;
}
