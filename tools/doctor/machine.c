/* machine.c - the machine as the system describes it, and what this process may use of it. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "machine.h"
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <linux/futex.h>
#endif

bool read_start(const char *path, char *text, size_t room)
{
	FILE *file = fopen(path, "re");
	text[0] = 0;
	if (!file)
		return false;
	const size_t length = fread(text, 1, room - 1, file);
	text[length] = 0;
	fclose(file);
	return length > 0;
}

/* The folder of this process's control group under a root: of version 2, or of a controller of
 * version 1. */
static bool find_group(const char *controller, char *group, size_t room)
{
	char text[8192], mark[64];
	if (!read_start("/proc/self/cgroup", text, sizeof text))
		return false;
	snprintf(mark, sizeof mark, *controller ? ":%s" : ":%s:", controller);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		const char *names = strchr(line, ':'),
			   *path = names ? strchr(names + 1, ':') : NULL;
		if (path && (*controller ? strstr(names, mark) && strstr(names, mark) < path
					 : !strncmp(names, "::", 2))) {
			snprintf(group, room, "%s", path + 1);
			return true;
		}
	}
	return false;
}

/* The smallest number in a file of this process's group and its parents. "max" is no number. */
static bool read_limit(const char *root, const char *controller, const char *file, uint64_t *first,
	uint64_t *second)
{
	char group[2048], path[4096], text[128];
	bool found = false;
	if (!find_group(controller, group, sizeof group))
		snprintf(group, sizeof group, "/");
	for (;;) {
		uint64_t a = 0, b = 0;
		snprintf(path, sizeof path, "%s%s/%s", root, group[1] ? group : "", file);
		if (read_start(path, text, sizeof text) &&
			sscanf(text, "%" SCNu64 " %" SCNu64, &a, &b) >= 1 && a &&
			(!found || a < *first)) {
			*first = a;
			*second = b;
			found = true;
		}
		char *slash = strrchr(group, '/');
		if (!slash || !group[1])
			return found;
		slash[slash == group] = 0;
	}
}

static double read_quota(void)
{
	uint64_t quota, period = 0, none;
	if (read_limit("/sys/fs/cgroup", "", "cpu.max", &quota, &period) && period)
		return (double)quota / (double)period;
	if (read_limit("/sys/fs/cgroup/cpu", "cpu", "cpu.cfs_quota_us", &quota, &none) &&
		quota < UINT64_MAX / 2 &&
		read_limit("/sys/fs/cgroup/cpu", "cpu", "cpu.cfs_period_us", &period, &none) &&
		period)
		return (double)quota / (double)period;
	return 0;
}

/* Processors of one core have the same first sibling. */
static uint32_t count_cores(const cpu_set_t *allowed)
{
	uint32_t count = 0;
	cpu_set_t seen;
	CPU_ZERO(&seen);
	for (int i = 0; i < CPU_SETSIZE; i++) {
		char path[128], text[64];
		if (!CPU_ISSET(i, allowed))
			continue;
		snprintf(path, sizeof path,
			"/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", i);
		if (!read_start(path, text, sizeof text))
			return 0;
		const unsigned long first = strtoul(text, NULL, 10);
		if (first < CPU_SETSIZE && !CPU_ISSET(first, &seen)) {
			CPU_SET(first, &seen);
			count++;
		}
	}
	return count;
}

void read_processors(struct processors *processors)
{
	cpu_set_t allowed;
	const long online = sysconf(_SC_NPROCESSORS_ONLN);
	*processors = (struct processors){.online = online > 0 ? (uint32_t)online : 1};
	processors->allowed = processors->online;
	if (!sched_getaffinity(0, sizeof allowed, &allowed)) {
		processors->allowed = (uint32_t)CPU_COUNT(&allowed);
		processors->cores = count_cores(&allowed);
	}
	processors->quota = read_quota();
}

/* "MemTotal:   123 kB" -> bytes, or a number of pages. */
static uint64_t field(const char *text, const char *name, uint64_t unit)
{
	const char *found = strstr(text, name);
	return found ? strtoull(found + strlen(name), NULL, 10) * unit : 0;
}

static void lower(uint64_t *least, uint64_t number)
{
	*least = number < *least ? number : *least;
}

/* The limit of the group less its use; memory that can be reclaimed does not count as used. */
static uint64_t left_in_group(uint64_t limit)
{
	uint64_t used = 0, none;
	char text[8192];
	if (!read_limit("/sys/fs/cgroup", "", "memory.current", &used, &none) &&
		!read_limit(
			"/sys/fs/cgroup/memory", "memory", "memory.usage_in_bytes", &used, &none))
		return limit;
	uint64_t cached = 0;
	if (read_start("/sys/fs/cgroup/memory.stat", text, sizeof text))
		cached = field(text, "\ninactive_file ", 1);
	else if (read_start("/sys/fs/cgroup/memory/memory.stat", text, sizeof text))
		cached = field(text, "\ntotal_inactive_file ", 1);
	used -= cached < used ? cached : used;
	return used < limit ? limit - used : 0;
}

/* The address space that this process may still map. */
static uint64_t left_in_process(uint64_t page)
{
	struct rlimit limit;
	char text[128];
	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	const uint64_t used = read_start("/proc/self/statm", text, sizeof text)
				      ? strtoull(text, NULL, 10) * page
				      : 0;
	return used < limit.rlim_cur ? limit.rlim_cur - used : 0;
}

void read_memory(struct memory *memory)
{
	char text[8192];
	uint64_t none;
	const long page = sysconf(_SC_PAGESIZE), pages = sysconf(_SC_PHYS_PAGES);
	*memory = (struct memory){.page = page > 0 ? (uint64_t)page : 0};
	memory->total = pages > 0 ? (uint64_t)pages * memory->page : 0;
	if (read_start("/proc/meminfo", text, sizeof text)) {
		memory->available = field(text, "MemAvailable:", 1024);
		memory->huge_page = field(text, "Hugepagesize:", 1024);
		memory->huge_total = field(text, "HugePages_Total:", 1);
		memory->huge_free = field(text, "HugePages_Free:", 1);
	}
	if (!read_limit("/sys/fs/cgroup", "", "memory.max", &memory->limit, &none) &&
		!read_limit("/sys/fs/cgroup/memory", "memory", "memory.limit_in_bytes",
			&memory->limit, &none))
		memory->limit = 0;
	if (memory->limit >= memory->total)
		memory->limit = 0;
	memory->left = memory->available ? memory->available : UINT64_MAX;
	if (memory->limit)
		lower(&memory->left, left_in_group(memory->limit));
	lower(&memory->left, left_in_process(memory->page));
	if (read_start("/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof text)) {
		const char *begin = strchr(text, '['), *end = begin ? strchr(begin, ']') : NULL;
		if (end)
			snprintf(memory->transparent, sizeof memory->transparent, "%.*s",
				(int)(end - begin - 1), begin + 1);
	}
}

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void read_timer(struct timer *timer)
{
	enum { READINGS = 20000 };
	*timer = (struct timer){.step = 1};
	if (read_start("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		    timer->source, sizeof timer->source))
		timer->source[strcspn(timer->source, "\n")] = 0;
	const double begin = now();
	double last = begin;
	for (int i = 0; i < READINGS; i++) {
		const double read = now();
		if (read > last && read - last < timer->step)
			timer->step = read - last;
		last = read;
	}
	timer->cost = (last - begin) / READINGS;
}

bool has_futex(void)
{
#if defined(__linux__)
	uint32_t word = 0;
	return syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) >= 0;
#else
	return false;
#endif
}
