/* hand.c - a fold in blocks that stay in registers, and who folds what. */
#include "hand.h"
#include <string.h>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#define MOST_RANKS TEAM_MOST
#define BLOCK 64 /* elements: 256 bytes */
/* From here on results do not fit a cache, and are written past it. */
#define STREAMING_BYTES (64ull << 20)

struct fold {
	uint32_t nin, nout;
	const float *in[MOST_RANKS];
	float *out[MOST_RANKS];
};

typedef float vector __attribute__((vector_size(64), aligned(4), may_alias));

static inline __attribute__((always_inline)) void store(
	float *to, const vector *value, bool streaming)
{
#if defined(__x86_64__)
	if (streaming && (uintptr_t)to % 16 == 0) {
		const float *from = (const float *)value;
		for (int i = 0; i < 16; i += 4)
			_mm_stream_ps(to + i, _mm_loadu_ps(from + i));
		return;
	}
#else
	(void)streaming;
#endif
	*(vector *)(void *)to = *value;
}

static inline __attribute__((always_inline)) void add(vector *sum, const float *from)
{
	*sum += *(const vector *)(const void *)from;
}

static inline __attribute__((always_inline)) void fold_blocks(
	const struct fold *fold, uint64_t n, bool streaming)
{
	uint64_t i = 0;
	for (; i + BLOCK <= n; i += BLOCK) {
		const float *first = fold->in[0] + i;
		vector a, b, c, d;
		memcpy(&a, first, sizeof(a));
		memcpy(&b, first + 16, sizeof(b));
		memcpy(&c, first + 32, sizeof(c));
		memcpy(&d, first + 48, sizeof(d));
		for (uint32_t k = 1; k < fold->nin; k++) {
			const float *in = fold->in[k] + i;
			add(&a, in);
			add(&b, in + 16);
			add(&c, in + 32);
			add(&d, in + 48);
		}
		for (uint32_t m = 0; m < fold->nout; m++) {
			float *out = fold->out[m] + i;
			store(out, &a, streaming);
			store(out + 16, &b, streaming);
			store(out + 32, &c, streaming);
			store(out + 48, &d, streaming);
		}
	}
	for (; i < n; i++) {
		float sum = fold->in[0][i];
		for (uint32_t k = 1; k < fold->nin; k++)
			sum += fold->in[k][i];
		for (uint32_t m = 0; m < fold->nout; m++)
			fold->out[m][i] = sum;
	}
}

static void fold_portable(const struct fold *fold, uint64_t n, bool streaming)
{
	if (streaming)
		fold_blocks(fold, n, true);
	else
		fold_blocks(fold, n, false);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void fold_avx2(
	const struct fold *fold, uint64_t n, bool streaming)
{
	if (streaming)
		fold_blocks(fold, n, true);
	else
		fold_blocks(fold, n, false);
}

__attribute__((target("avx512f"))) static void fold_avx512(
	const struct fold *fold, uint64_t n, bool streaming)
{
	if (streaming)
		fold_blocks(fold, n, true);
	else
		fold_blocks(fold, n, false);
}
#endif

/* out[m][at..at+n) = the sum of in[k][at..at+n). */
static void fold_range(const struct fold *fold, uint64_t at, uint64_t n, bool streaming)
{
	struct fold moved = {.nin = fold->nin, .nout = fold->nout};
	for (uint32_t k = 0; k < fold->nin; k++)
		moved.in[k] = fold->in[k] + at;
	for (uint32_t m = 0; m < fold->nout; m++)
		moved.out[m] = fold->out[m] + at;
#if defined(__x86_64__)
	if (n < BLOCK)
		fold_portable(&moved, n, streaming);
	else if (__builtin_cpu_supports("avx512f"))
		fold_avx512(&moved, n, streaming);
	else if (__builtin_cpu_supports("avx2"))
		fold_avx2(&moved, n, streaming);
	else
		fold_portable(&moved, n, streaming);
	if (streaming)
		_mm_sfence();
#else
	fold_portable(&moved, n, streaming);
#endif
}

/* The thread's slice of a vector that all of them share out, in whole blocks. */
static void fold_slice(
	const struct fold *fold, uint32_t thread, uint32_t nthread, uint64_t count, bool streaming)
{
	const uint64_t nblock = (count + BLOCK - 1) / BLOCK;
	const uint64_t begin = nblock * thread / nthread * BLOCK,
		       end = nblock * (thread + 1) / nthread * BLOCK;
	const uint64_t stop = end < count ? end : count;
	if (begin < stop)
		fold_range(fold, begin, stop - begin, streaming);
}

/* What goes to, or comes from, the thread's own ranks. */
static void work_for_rank(const struct cell *cell, uint32_t rank, float *const *inputs,
	float *const *outputs, bool streaming)
{
	const uint32_t nrank = cell->nrank;
	const uint64_t block = cell_block(cell);
	struct fold fold = {.nin = 1, .nout = 1};
	switch (cell->operator) {
	case CELL_REDUCESCATTER:
		fold.nin = nrank;
		for (uint32_t k = 0; k < nrank; k++)
			fold.in[k] = inputs[k] + rank * block;
		fold.out[0] = outputs[rank];
		fold_range(&fold, 0, block, streaming);
		break;
	case CELL_ALLGATHER:
		fold.nout = nrank;
		fold.in[0] = inputs[rank];
		for (uint32_t m = 0; m < nrank; m++)
			fold.out[m] = outputs[m] + rank * block;
		fold_range(&fold, 0, block, streaming);
		break;
	case CELL_ALLTOALL:
		for (uint32_t k = 0; k < nrank; k++) {
			fold.in[0] = inputs[k] + rank * block;
			fold.out[0] = outputs[rank] + k * block;
			fold_range(&fold, 0, block, streaming);
		}
		break;
	case CELL_ALLREDUCE:
	case CELL_BROADCAST:
		break;
	}
}

void hand_collective(struct team *team, uint32_t thread, const struct cell *cell,
	float *const *inputs, float *const *outputs)
{
	const uint32_t nrank = cell->nrank, nthread = team->nthread;
	const bool streaming = cell_traffic(cell) > STREAMING_BYTES,
		   reduces = cell->operator== CELL_ALLREDUCE;
	team_barrier(team);
	if (reduces || cell->operator== CELL_BROADCAST) {
		struct fold fold = {
			.nin = reduces ? nrank : 1, .nout = reduces ? nrank : nrank - 1};
		for (uint32_t k = 0; k < fold.nin; k++)
			fold.in[k] = inputs[k];
		for (uint32_t m = 0; m < fold.nout; m++)
			fold.out[m] = outputs[reduces ? m : m + 1];
		fold_slice(&fold, thread, nthread, cell->count, streaming);
	} else {
		for (uint32_t rank = nrank * thread / nthread;
			rank < nrank * (thread + 1) / nthread; rank++)
			work_for_rank(cell, rank, inputs, outputs, streaming);
	}
	team_barrier(team);
}
