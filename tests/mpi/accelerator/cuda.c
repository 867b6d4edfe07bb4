/* cuda.c - memory of CUDA, by its driver. */
#include "cuda.h"
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cuda.h of CUDA. All functions return 0 if they worked. */
typedef unsigned long long address;
enum { ATTACH_GLOBAL = 1, PAGE = 4096, MOST_FAR = 8 };
static int (*initialize)(unsigned flags);
static int (*get_device)(int *device, int ordinal);
static int (*retain_context)(void **context, int device);
static int (*set_context)(void *context);
static int (*synchronize)(void);
static int (*allocate)(address *memory, size_t bytes);
static int (*allocate_in_order)(address *memory, size_t bytes, void *stream);
static int (*allocate_managed)(address *memory, size_t bytes, unsigned flags);
static int (*allocate_host)(void **memory, size_t bytes);
static int (*register_host)(void *memory, size_t bytes, unsigned flags);
static int (*to_host)(void *dst, address src, size_t bytes);
static int (*to_device)(address dst, const void *src, size_t bytes);
static int (*release)(address memory);
static int (*release_host)(void *memory);
static int (*forget_host)(void *memory);

static void *context;
static struct {
	const char *begin;
	size_t bytes;
} far[MOST_FAR];

/* false: the driver has no such function. */
static bool find(void *driver, const char *name, void *function)
{
	void *found = dlsym(driver, name);
	if (found)
		memcpy(function, &found, sizeof found);
	return found;
}

bool cuda_open(const char *driver, char *why, size_t size)
{
	const struct {
		const char *name;
		void *function;
	} functions[] = {{"cuInit", &initialize}, {"cuDeviceGet", &get_device},
		{"cuDevicePrimaryCtxRetain", &retain_context}, {"cuCtxSetCurrent", &set_context},
		{"cuCtxSynchronize", &synchronize}, {"cuMemAlloc_v2", &allocate},
		{"cuMemAllocAsync", &allocate_in_order}, {"cuMemAllocManaged", &allocate_managed},
		{"cuMemAllocHost_v2", &allocate_host}, {"cuMemHostRegister_v2", &register_host},
		{"cuMemcpyDtoH_v2", &to_host}, {"cuMemcpyHtoD_v2", &to_device},
		{"cuMemFree_v2", &release}, {"cuMemFreeHost", &release_host},
		{"cuMemHostUnregister", &forget_host}};
	void *library = dlopen(driver, RTLD_NOW | RTLD_LOCAL);
	int device, code;
	if (!library) {
		snprintf(why, size, "%s", dlerror());
		return false;
	}
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (!find(library, functions[i].name, functions[i].function)) {
			snprintf(why, size, "%s has no %s", driver, functions[i].name);
			return false;
		}
	code = initialize(0);
	if (!code)
		code = get_device(&device, 0);
	if (!code)
		code = retain_context(&context, device);
	if (code)
		snprintf(why, size, "%s has no device: error %d", driver, code);
	return !code;
}

static void require(bool worked, const char *what)
{
	if (worked)
		return;
	fprintf(stderr, "cuda: %s failed\n", what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static void remember(void *memory, size_t bytes)
{
	for (int i = 0; i < MOST_FAR; i++)
		if (!far[i].begin) {
			far[i].begin = memory;
			far[i].bytes = bytes;
			return;
		}
	require(false, "remembering memory");
}

static void forget(const void *memory)
{
	for (int i = 0; i < MOST_FAR; i++)
		if (far[i].begin == memory)
			far[i].begin = NULL;
}

bool cuda_is_far(const void *memory)
{
	const char *at = memory;
	for (int i = 0; i < MOST_FAR; i++)
		if (far[i].begin && at >= far[i].begin && at < far[i].begin + far[i].bytes)
			return true;
	return false;
}

static void *pointer_to(address at)
{
	void *pointer;
	memcpy(&pointer, &at, sizeof pointer);
	return pointer;
}

static address address_of(const void *pointer)
{
	return (address)(size_t)pointer;
}

void *cuda_allocate(enum kind kind, size_t bytes)
{
	address at = 0;
	void *memory = NULL;
	if (kind != PLAIN)
		require(!set_context(context), "cuCtxSetCurrent");
	switch (kind) {
	case DEVICE:
		require(!allocate(&at, bytes), "cuMemAlloc");
		break;
	case POOL:
		require(!allocate_in_order(&at, bytes, NULL) && !synchronize(), "cuMemAllocAsync");
		break;
	case MANAGED:
		require(!allocate_managed(&at, bytes, ATTACH_GLOBAL), "cuMemAllocManaged");
		return pointer_to(at);
	case PINNED:
		require(!allocate_host(&memory, bytes), "cuMemAllocHost");
		return memory;
	case PLAIN:
	case REGISTERED:
		memory = aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
		require(memory, "aligned_alloc");
		if (kind == REGISTERED)
			require(!register_host(memory, bytes, 0), "cuMemHostRegister");
		return memory;
	}
	remember(pointer_to(at), bytes);
	return pointer_to(at);
}

void cuda_free(enum kind kind, void *memory)
{
	if (kind != PLAIN)
		require(!set_context(context), "cuCtxSetCurrent");
	if (kind == PINNED) {
		require(!release_host(memory), "cuMemFreeHost");
		return;
	}
	if (kind == REGISTERED)
		require(!forget_host(memory), "cuMemHostUnregister");
	if (kind == PLAIN || kind == REGISTERED) {
		free(memory);
		return;
	}
	forget(memory);
	require(!release(address_of(memory)), "cuMemFree");
}

void cuda_copy(void *dst, const void *src, size_t bytes)
{
	const bool is_from = cuda_is_far(src), is_to = cuda_is_far(dst);
	if (!bytes)
		return;
	if (!is_from && !is_to) {
		memcpy(dst, src, bytes);
		return;
	}
	require(!set_context(context), "cuCtxSetCurrent");
	require(is_from != is_to, "a copy between two devices");
	if (is_from)
		require(!to_host(dst, address_of(src), bytes), "cuMemcpyDtoH");
	else
		require(!to_device(address_of(dst), src, bytes), "cuMemcpyHtoD");
}

void cuda_leave(void)
{
	require(!set_context(NULL), "cuCtxSetCurrent");
}
