/* bench_kernels.c - how fast the loops over elements are, in every form this CPU has, beside
 * memcpy.
 *
 * Bytes read and written a second, in memory that the nearest caches hold and in memory that they
 * do not: sums of two arrays into a third, which reads twice what memcpy does; and what few
 * elements of eight ranks cost, as the shortest messages have them. All in one run.
 */
#include "kernels/kernels.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A working set of an operation is three of these, of memcpy two. */
static const struct {
	const char *name;
	size_t bytes;
} places[] = {{"L1", 8 << 10}, {"L2", 256 << 10}, {"memory", 64 << 20}};
enum { NPLACE = 3, NRANK = 8 };

static double now(void)
{
	struct timespec at;
	clock_gettime(CLOCK_MONOTONIC, &at);
	return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

/* What is measured; a NULL kernel is memcpy. */
struct work {
	ordo_fold_kernel *fold;
	unsigned char *memory[3];
	size_t bytes, n;
	unsigned ways;
};

static void run(const struct work *work)
{
	const void *const src[] = {work->memory[0], work->memory[1]};
	void *const dst[] = {work->memory[2]};
	if (work->fold)
		work->fold(dst, 1, src, 2, work->n, work->ways);
	else
		memcpy(dst[0], src[0], work->bytes);
}

/* The least of many short times in seconds, so that what else the machine does is in few of
 * them. */
enum { NREPEAT = 60, NCALL = 500 };

/* Bytes read and written in a second, in GB. */
static double rate(const struct work *work)
{
	const size_t moved = work->bytes * (work->fold ? 3 : 2),
		     nrun = 1 + (size_t)(1 << 20) / moved;
	const int nrepeat = moved > 1 << 24 ? NREPEAT / 10 : NREPEAT;
	double best = 1e9;
	run(work);
	for (int i = 0; i < nrepeat; i++) {
		const double begin = now();
		for (size_t r = 0; r < nrun; r++)
			run(work);
		const double seconds = (now() - begin) / (double)nrun;
		best = seconds < best ? seconds : best;
	}
	return (double)moved / best * 1e-9;
}

/* Nanoseconds of one fold of n elements of eight ranks, into all of them. */
static double latency(ordo_fold_kernel *fold, size_t n)
{
	static unsigned char memory[NRANK][4096];
	const void *src[NRANK];
	void *dst[NRANK];
	double best = 1e9;
	for (int i = 0; i < NRANK; i++) {
		src[i] = memory[i];
		dst[i] = memory[i] + 2048;
	}
	for (int i = 0; i < NREPEAT; i++) {
		const double begin = now();
		for (int call = 0; call < NCALL; call++)
			fold(dst, NRANK, src, NRANK, n, false);
		const double seconds = (now() - begin) / NCALL;
		best = seconds < best ? seconds : best;
	}
	return best * 1e9;
}

static void print_sums(const struct ordo_kernels *form, enum ordo_type type, struct work work,
	const double *copied)
{
	work.fold = form->fold[type][ORDO_SUM];
	printf("%-9s %-5s", form->name, ordo_type_name(type));
	for (int p = 0; p < NPLACE; p++) {
		work.bytes = places[p].bytes;
		work.n = work.bytes / ordo_type_size(type);
		const double found = rate(&work);
		printf("  %6.1f %5.2f", found, found / copied[p]);
	}
	work.ways = ORDO_STREAM;
	const double streamed = rate(&work);
	printf("  %6.1f %5.2f  %5.1f %5.1f\n", streamed, streamed / copied[NPLACE - 1],
		latency(work.fold, 2), latency(work.fold, 15));
}

int main(void)
{
	struct work work = {.fold = NULL};
	const struct ordo_kernels *forms[ORDO_NKERNEL_FORM];
	const uint32_t nform = ordo_kernels_all(forms, ORDO_NKERNEL_FORM);
	double copied[NPLACE];
	for (int i = 0; i < 3; i++) {
		work.memory[i] = aligned_alloc(64, places[NPLACE - 1].bytes);
		if (!work.memory[i])
			return EXIT_FAILURE;
		memset(work.memory[i], 0, places[NPLACE - 1].bytes);
	}
	printf("GB/s read and written, and that over memcpy; ns of 8 sources into 8 "
	       "destinations\n\n%15s",
		"");
	for (int p = 0; p < NPLACE; p++)
		printf("  %-12s", places[p].name);
	printf("  %-12s  %5s %5s\nmemcpy         ", "streaming", "n=2", "n=15");
	for (int p = 0; p < NPLACE; p++) {
		work.bytes = places[p].bytes;
		copied[p] = rate(&work);
		printf("  %6.1f %5.2f", copied[p], 1.0);
	}
	printf("\n");
	for (uint32_t f = 0; f < nform; f++)
		for (enum ordo_type type = ORDO_F16; type < ORDO_F32_I32; type++)
			print_sums(forms[f], type, work, copied);
	for (int i = 0; i < 3; i++)
		free(work.memory[i]);
	return EXIT_SUCCESS;
}
