/* failing.c - memory and threads that are refused on demand. */
#include "failing.h"
#include <cjson/cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <ordo/arena.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static atomic_uint_fast64_t nrequest, nrefused, refuse_at = UINT64_MAX;
static atomic_bool refuse_on;
static atomic_int_fast64_t npiece;

static bool is_granted(void)
{
	const uint64_t number = nrequest++, from = refuse_at;
	const bool granted = refuse_on ? number < from : number != from;
	nrefused += !granted;
	return granted;
}

void failing_begin(uint64_t after, bool for_good)
{
	refuse_at = UINT64_MAX;
	nrequest = 0;
	nrefused = 0;
	refuse_on = for_good;
	refuse_at = after;
}

uint64_t failing_end(void)
{
	refuse_at = UINT64_MAX;
	return nrefused;
}

uint64_t failing_requests(void)
{
	return nrequest;
}

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t length);
char *__real_realpath(const char *path, char *resolved);
FILE *__real_open_memstream(char **text, size_t *size);
FILE *__real_fdopen(int descriptor, const char *mode);
DIR *__real_opendir(const char *path);
DIR *__real_fdopendir(int descriptor);
void *__real_mmap(
	void *address, size_t size, int protection, int flags, int descriptor, off_t offset);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
	void *(*start)(void *), void *argument);
void *__real_ordo_arena_alloc(struct ordo_arena *arena, size_t size);
char *__real_ordo_arena_text(struct ordo_arena *arena, const char *text, size_t length);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t length);
char *__wrap_realpath(const char *path, char *resolved);
FILE *__wrap_open_memstream(char **text, size_t *size);
FILE *__wrap_fdopen(int descriptor, const char *mode);
DIR *__wrap_opendir(const char *path);
DIR *__wrap_fdopendir(int descriptor);
void *__wrap_mmap(
	void *address, size_t size, int protection, int flags, int descriptor, off_t offset);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
	void *(*start)(void *), void *argument);
void *__wrap_ordo_arena_alloc(struct ordo_arena *arena, size_t size);
char *__wrap_ordo_arena_text(struct ordo_arena *arena, const char *text, size_t length);
char *__wrap_ordo_arena_format(struct ordo_arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* One more piece is held, if there is one. */
static void *hold(void *piece)
{
	npiece += piece != NULL;
	return piece;
}

static void *refuse(void)
{
	errno = ENOMEM;
	return NULL;
}

void *__wrap_malloc(size_t size)
{
	return is_granted() ? hold(__real_malloc(size)) : refuse();
}

void *__wrap_calloc(size_t count, size_t size)
{
	return is_granted() ? hold(__real_calloc(count, size)) : refuse();
}

void *__wrap_realloc(void *memory, size_t size)
{
	if (!is_granted())
		return refuse();
	void *grown = __real_realloc(memory, size);
	return memory ? grown : hold(grown);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return is_granted() ? hold(__real_aligned_alloc(alignment, size)) : refuse();
}

void __wrap_free(void *memory)
{
	npiece -= memory != NULL;
	__real_free(memory);
}

char *__wrap_strdup(const char *text)
{
	return is_granted() ? hold(__real_strdup(text)) : refuse();
}

char *__wrap_strndup(const char *text, size_t length)
{
	return is_granted() ? hold(__real_strndup(text, length)) : refuse();
}

char *__wrap_realpath(const char *path, char *resolved)
{
	if (resolved)
		return __real_realpath(path, resolved);
	return is_granted() ? hold(__real_realpath(path, NULL)) : refuse();
}

/* The text that closing the stream leaves is held. */
FILE *__wrap_open_memstream(char **text, size_t *size)
{
	return is_granted() ? hold(__real_open_memstream(text, size)) : refuse();
}

FILE *__wrap_fdopen(int descriptor, const char *mode)
{
	return is_granted() ? __real_fdopen(descriptor, mode) : refuse();
}

DIR *__wrap_opendir(const char *path)
{
	return is_granted() ? __real_opendir(path) : refuse();
}

DIR *__wrap_fdopendir(int descriptor)
{
	return is_granted() ? __real_fdopendir(descriptor) : refuse();
}

void *__wrap_mmap(
	void *address, size_t size, int protection, int flags, int descriptor, off_t offset)
{
	if (is_granted())
		return __real_mmap(address, size, protection, flags, descriptor, offset);
	errno = ENOMEM;
	return MAP_FAILED;
}

int __wrap_pthread_create(
	pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
	return is_granted() ? __real_pthread_create(thread, attributes, start, argument) : EAGAIN;
}

void *__wrap_ordo_arena_alloc(struct ordo_arena *arena, size_t size)
{
	return is_granted() ? __real_ordo_arena_alloc(arena, size) : refuse();
}

char *__wrap_ordo_arena_text(struct ordo_arena *arena, const char *text, size_t length)
{
	return is_granted() ? __real_ordo_arena_text(arena, text, length) : refuse();
}

char *__wrap_ordo_arena_format(struct ordo_arena *arena, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	const int length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	char *text = length < 0 ? NULL : ordo_arena_alloc(arena, (size_t)length + 1);
	if (!text)
		return NULL;
	va_start(arguments, format);
	vsnprintf(text, (size_t)length + 1, format, arguments);
	va_end(arguments);
	return text;
}

/* NOLINTEND(bugprone-reserved-identifier) */

/* cJSON is a library of its own, where no link reaches. */
__attribute__((constructor)) static void hook_cjson(void)
{
	cJSON_Hooks hooks = {__wrap_malloc, __wrap_free};
	cJSON_InitHooks(&hooks);
}

struct held failing_held(void)
{
	struct held held = {.pieces = npiece};
	DIR *folder = __real_opendir("/proc/self/fd");
	while (folder && readdir(folder))
		held.files++;
	if (folder)
		closedir(folder);
	return held;
}
