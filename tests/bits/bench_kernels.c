/* bench_kernels.c - how fast the loops over elements are, in every form this CPU has, beside
 * memcpy.
 *
 * Bytes read and written a second, in memory that the nearest caches hold and in memory that they
 * do not: sums of two arrays into a third, which reads twice what memcpy does; and what few
 * elements of eight ranks cost, as the shortest messages have them. And what an element of a sum
 * without order costs, widened, added and rounded, beside one added in f32. All in one run.
 */
#include "kernels/kernels.h"
#include <ordo/detail/elements.h>
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

static uint64_t mix(uint64_t x)
{
	x *= UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	return x ^ x >> 32;
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
	printf("%-9s %-20s", form->name, ordo_type_name(type));
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

/* A conversion, or a fold if that is NULL, of elements that a cache holds. */
struct element_work {
	ordo_convert_kernel *convert;
	ordo_fold_kernel *fold;
	void *to;
	const void *from;
};

enum { NELEMENT = 4096 };

/* Nanoseconds an element. */
static double element_time(const struct element_work *work)
{
	const void *const src[] = {work->to, work->from};
	void *const dst[] = {work->to};
	double best = 1e9;
	for (int i = 0; i < NREPEAT; i++) {
		const double begin = now();
		for (int call = 0; call < 20; call++)
			if (work->convert)
				work->convert(work->to, work->from, NELEMENT);
			else
				work->fold(dst, 1, src, 2, NELEMENT, 0);
		const double seconds = (now() - begin) / 20 / NELEMENT;
		best = seconds < best ? seconds : best;
	}
	return best * 1e9;
}

/* Numbers of one size, and of sizes that are up to 2^24 apart where the type has them, so that bins
 * differ. */
static void fill_elements(enum ordo_type type, bool alike, uint64_t seed, void *elements)
{
	for (uint64_t i = 0; i < NELEMENT; i++) {
		const uint64_t hash = mix(seed + i);
		const double size = alike || type == ORDO_F16 || ordo_type_size(type) < 2
					    ? 1
					    : (double)(hash >> 40);
		ordo_element_put(
			type, elements, i, ((double)(hash & 0xffff) / 65536 - 0.5) * (1 + size));
	}
}

static void print_states(const struct ordo_kernels *form, void *const *memory)
{
	static const enum ordo_type types[][2] = {{ORDO_F8E4M3, ORDO_EXACT_F8E4M3},
		{ORDO_F8E5M2, ORDO_EXACT_F8E5M2}, {ORDO_F16, ORDO_EXACT_F16},
		{ORDO_BF16, ORDO_BINNED2_F32}, {ORDO_BF16, ORDO_BINNED3_F32},
		{ORDO_F32, ORDO_BINNED2_F32}, {ORDO_F32, ORDO_BINNED3_F32},
		{ORDO_F64, ORDO_BINNED2_F64}, {ORDO_F64, ORDO_BINNED3_F64}};
	fill_elements(ORDO_F32, true, 1, memory[0]);
	memset(memory[1], 0, NELEMENT * sizeof(float));
	const double plain = element_time(
		&(struct element_work){NULL, form->fold[ORDO_F32][ORDO_SUM], memory[1], memory[0]});
	printf("%-9s %-6s %-28s %5d %7s %7.3f\n", form->name, "f32", "f32", 4, "", plain);
	for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
		const enum ordo_type type = types[t][0], state = types[t][1];
		struct element_work widen = {form->widen[state][type], NULL, memory[1], memory[0]},
				    add = {NULL, form->fold[state][ORDO_SUM], memory[2], memory[1]},
				    narrow = {
					    form->narrow[state][type], NULL, memory[0], memory[2]};
		double adding[2];
		for (int alike = 0; alike < 2; alike++) {
			fill_elements(type, alike, 2, memory[0]);
			form->widen[state][type](memory[2], memory[0], NELEMENT);
			fill_elements(type, alike, 1, memory[0]);
			form->widen[state][type](memory[1], memory[0], NELEMENT);
			adding[alike] = element_time(&add);
		}
		const double widening = element_time(&widen), rounding = element_time(&narrow);
		printf("%-9s %-6s %-28s %5zu %7.3f %7.3f %6.1f %7.3f %6.1f %7.3f\n", form->name,
			ordo_type_name(type), ordo_type_name(state), ordo_type_size(state),
			widening, adding[1], adding[1] / plain, adding[0], adding[0] / plain,
			rounding);
	}
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
	       "destinations. Binned sums: words of any bits, so that bins differ\n\n%30s",
		"");
	for (int p = 0; p < NPLACE; p++)
		printf("  %-12s", places[p].name);
	printf("  %-12s  %5s %5s\n%-30s", "streaming", "n=2", "n=15", "memcpy");
	for (int p = 0; p < NPLACE; p++) {
		work.bytes = places[p].bytes;
		copied[p] = rate(&work);
		printf("  %6.1f %5.2f", copied[p], 1.0);
	}
	printf("\n");
	for (uint32_t f = 0; f < nform; f++)
		for (enum ordo_type type = ORDO_F16; type < ORDO_F32_I32; type++)
			print_sums(forms[f], type, work, copied);
	for (size_t i = 0; i < places[NPLACE - 1].bytes / sizeof(uint64_t); i++)
		for (int k = 0; k < 2; k++)
			((uint64_t *)(void *)work.memory[k])[i] = mix(2 * i + (uint64_t)k);
	for (uint32_t f = 0; f < nform; f++)
		for (enum ordo_type type = ORDO_EXACT_F8E4M3; type < ORDO_NTYPE_AND_STATE; type++)
			print_sums(forms[f], type, work, copied);
	printf("\nns an element in the nearest caches; added: numbers alike, and of many sizes, "
	       "each "
	       "with its ratio to f32\n\n%-45s %5s %7s %7s %6s %7s %6s %7s\n",
		"", "bytes", "widened", "added", "", "added", "", "rounded");
	for (uint32_t f = 0; f < nform; f++)
		print_states(forms[f], (void *const *)work.memory);
	for (int i = 0; i < 3; i++)
		free(work.memory[i]);
	return EXIT_SUCCESS;
}
