/* device.c - memory of accelerators, as the program's own CUDA or HIP reports it.
 *
 * A program links them, or CUDA's runtime, which loads the driver for itself only, or loads them
 * later. So they are looked for again whenever more libraries are loaded. Whether any were takes 20
 * ns to find out; so nothing is asked about the heap and the stack, where most vectors of a few
 * elements are, and which are mapped already, so that no accelerator's memory can be there. */
#define _GNU_SOURCE /* dl_iterate_phdr, RTLD_DEFAULT, pthread_getattr_np */
#include "device.h"
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef void any_function(void);

/* A function of a library that is loaded under one of these names. NULL: none is. */
static any_function *find(const char *const *names, const char *function)
{
	union {
		void *object;
		any_function *function;
	} found = {dlsym(RTLD_DEFAULT, function)};
	for (; !found.object && *names; names++) {
		void *library = dlopen(*names, RTLD_LAZY | RTLD_NOLOAD);
		if (!library)
			continue;
		found.object = dlsym(library, function);
		dlclose(library);
	}
	return found.object ? found.function : NULL;
}

/* cuda.h. The driver's functions leave the errors of CUDA's runtime alone. */
typedef int cuda_function(void *value, int attribute, unsigned long long pointer);
enum { CUDA_MEMORY_TYPE = 2, CUDA_IS_MANAGED = 8, CUDA_DEVICE = 2 };
static _Atomic(cuda_function *) get_cuda;

static bool is_cuda(const void *memory)
{
	const unsigned long long pointer = (unsigned long long)(size_t)memory;
	unsigned type = 0, is_managed = 0;
	cuda_function *get = atomic_load_explicit(&get_cuda, memory_order_acquire);
	if (!get || get(&type, CUDA_MEMORY_TYPE, pointer) || type != CUDA_DEVICE)
		return false;
	return get(&is_managed, CUDA_IS_MANAGED, pointer) || !is_managed;
}

/* hip_runtime_api.h; the type was renamed and renumbered in version 6. */
struct hip_attributes {
	int type, device;
	void *device_pointer, *host_pointer;
	int is_managed;
	unsigned flags;
	char room[64];
};
typedef int hip_function(struct hip_attributes *attributes, const void *pointer);
typedef int hip_number(int *number);
typedef int hip_error(void);
enum { HIP_6 = 60000000 };
static _Atomic(hip_function *) get_hip;
static _Atomic(hip_error *) peek_hip, clear_hip;
static _Atomic int hip_device;

static bool is_hip(const void *memory)
{
	struct hip_attributes attributes = {0};
	hip_function *get = atomic_load_explicit(&get_hip, memory_order_acquire);
	hip_error *peek = peek_hip, *clear = clear_hip;
	if (!get)
		return false;
	const bool had_error = peek && peek();
	if (!get(&attributes, memory))
		return attributes.type == hip_device && !attributes.is_managed;
	if (!had_error &&
		clear) /* for HIP, other memory is an error, which the program would see */
		clear();
	return false;
}

static void look(void)
{
	static const char *const cuda[] = {"libcuda.so.1", "libcuda.so", NULL},
				 *const hip[] = {"libamdhip64.so.7", "libamdhip64.so.6",
					 "libamdhip64.so.5", "libamdhip64.so.4", "libamdhip64.so",
					 NULL};
	hip_number *get_version = (hip_number *)find(hip, "hipRuntimeGetVersion");
	int version = 0;
	if (get_version && !get_version(&version))
		hip_device = version >= HIP_6 ? 2 : 1;
	peek_hip = (hip_error *)find(hip, "hipPeekAtLastError");
	clear_hip = (hip_error *)find(hip, "hipGetLastError");
	if (hip_device)
		get_hip = (hip_function *)find(hip, "hipPointerGetAttributes");
	get_cuda = (cuda_function *)find(cuda, "cuPointerGetAttribute");
}

static int take_number(struct dl_phdr_info *object, size_t size, void *closure)
{
	(void)size;
	*(unsigned long long *)closure = object->dlpi_adds + object->dlpi_subs;
	return 1; /* of any object */
}

static uintptr_t heap_begin = UINTPTR_MAX; /* if it is not known */

/* start_brk of proc(5): the 45th number after the name, which is in parentheses. */
static void find_heap(void)
{
	char text[1024] = "";
	FILE *file = fopen("/proc/self/stat", "r");
	const size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
	unsigned long long begin = 0;
	if (file)
		fclose(file);
	text[n] = 0;
	const char *at = strrchr(text, ')');
	for (int i = 0; at && i < 45; i++)
		at = strchr(at + 1, ' ');
	if (at && sscanf(at, "%llu", &begin) == 1 && begin)
		heap_begin = (uintptr_t)begin;
}

/* Of this thread; end 0: not known yet. */
struct stack {
	uintptr_t begin, end;
};
static _Thread_local struct stack stack;

static void find_stack(void)
{
	pthread_attr_t attributes;
	void *begin;
	size_t size;
	stack = (struct stack){UINTPTR_MAX, UINTPTR_MAX};
	if (pthread_getattr_np(pthread_self(), &attributes))
		return;
	if (!pthread_attr_getstack(&attributes, &begin, &size))
		stack = (struct stack){(uintptr_t)begin, (uintptr_t)begin + size};
	pthread_attr_destroy(&attributes);
}

/* glibc's own note of where the heap ends. UCX, which takes sbrk over, asks the kernel at each. */
extern char *__curbrk __attribute__((weak));
static uintptr_t heap_end(void)
{
	return (uintptr_t)(&__curbrk ? (void *)__curbrk : sbrk(0));
}

/* Whether memory is on the heap, or on the stack behind this function's: surely no device's. */
static bool is_own(const void *memory)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const uintptr_t at = (uintptr_t)memory, here = (uintptr_t)__builtin_frame_address(0);
	pthread_once(&once, find_heap);
	if (!stack.end)
		find_stack();
	return (at >= heap_begin && at < heap_end()) ||
	       (here >= stack.begin && at >= here && at < stack.end);
}

static bool is_one(const void *memory)
{
	return memory && (is_cuda(memory) || is_hip(memory));
}

static void look_again(void)
{
	static _Atomic unsigned long long last;
	unsigned long long number = 0;
	dl_iterate_phdr(take_number, &number);
	if (atomic_load_explicit(&last, memory_order_acquire) != number) {
		look();
		dl_iterate_phdr(take_number, &number);
		atomic_store_explicit(&last, number, memory_order_release);
	}
}

bool ordo_mpi_has_devices(void)
{
	look_again();
	return atomic_load(&get_cuda) || atomic_load(&get_hip);
}

bool ordo_mpi_is_on_device(const void *first, const void *second)
{
	if ((!first || is_own(first)) && (!second || is_own(second)))
		return false;
	look_again();
	return is_one(first) || is_one(second);
}
