/* window.c - memory that the ranks of a communicator share, and reductions through it.
 *
 * A turn moves at most one tile of every rank. Each rank copies its input into shared memory, and
 * says so; when all have, the tree of every element can be evaluated by anybody. A short turn ends
 * there: each rank evaluates all of it. In a long turn each evaluates one part, says so, and copies
 * the whole when all parts are there.
 *
 * A core writes a line of the cache fastest if it was the last to use it, and slowest if others
 * have read it since. So in a long turn a rank writes what it contributes to parts into the places
 * from which it read contributions two turns ago. The result of a part replaces what the next rank
 * contributed to it; that rank reads it last, and writes there again.
 *
 * Memory for short turns is made with the window, and that for long ones when the first needs it.
 *
 * Tiles are there twice, for odd and for even turns, and that is all the care their reuse needs:
 * who writes for turn t + 2 has seen that all ranks arrived in turn t + 1, which they did after
 * their last access to what belongs to turn t.
 *
 * A rank that waits lets MPI progress: another may be in a send to it that needs this before it can
 * come here. */
#define _GNU_SOURCE /* sched_getcpu */
#include "window.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

bool ordo_mpi_wants_window = true;

/* In place of a call: the rank passes it on. */
#define PASSES UINT64_MAX

/* A rank's tile; so many fit a cache that a core has for itself. */
#define TILE_BYTES (UINT64_C(256) << 10)
/* Up to this size every rank evaluates all, so that it waits once only. */
#define SHORT_BYTES (UINT64_C(4) << 10)
enum { LINE = 64, INLINE_BYTES = LINE - 16 };
/* Processors fetch the line beside one as well: that of the next turn would leave its writer. */
enum { LINES = 2 * LINE };

/* What a rank says to all others, and its input, if that is as short: one line of the cache. */
struct line {
	alignas(LINES) _Atomic uint64_t turn;
	uint64_t call; /* the arguments that ranks share: see struct mpi_window_call */
	unsigned char data[INLINE_BYTES];
};
enum { FOLDED = 2, NLINE };
struct rank_lines {
	struct line lines[NLINE];	 /* of arrivals in even and in odd turns, and FOLDED */
	alignas(LINES) _Atomic int core; /* where the rank was last; written when that changes */
};

/* Memory that all ranks have mapped; or NULL. */
struct shared {
	unsigned char *at;
	size_t bytes;
};

struct mpi_window {
	struct shared small, large;
	int rank, nrank;
	MPI_Comm comm;
	uint64_t turn;
	bool is_crowded;	  /* more ranks than cores */
	int core;		  /* see struct rank_lines */
	struct rank_lines *lines; /* [nrank], in the small memory */
	const void **inputs;	  /* [nrank] of this turn */
	bool is_refused;	  /* the large memory was not to be had */
};

/* The lines, and short tiles: [2][nrank]. */
static size_t small_bytes(int nrank)
{
	return (size_t)nrank * (sizeof(struct rank_lines) + 2 * SHORT_BYTES);
}

/* Tiles: [2][nrank]. */
static size_t large_bytes(int nrank)
{
	return 2 * (size_t)nrank * TILE_BYTES;
}

/* Rank 0 makes the memory, which nobody finds by name once all have it. -1: it is not to be had. */
static int make_memory(char *name, size_t size, size_t bytes)
{
	static _Atomic unsigned number;
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(name, size, "/ordo-%ld-%u-%lld%09ld", (long)getpid(), atomic_fetch_add(&number, 1),
		(long long)now.tv_sec, now.tv_nsec);
	const int file = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
	/* all of it, now: a write to memory that is not there would end the program */
	if (file >= 0 && posix_fallocate(file, 0, (off_t)bytes)) {
		close(file);
		shm_unlink(name);
		return -1;
	}
	return file;
}

/* All ranks have it, or none. */
static bool map_memory(const struct mpi_window *window, size_t bytes, struct shared *shared)
{
	char name[64] = "";
	int file = window->rank ? -1 : make_memory(name, sizeof name, bytes);
	if (PMPI_Bcast(name, sizeof name, MPI_CHAR, 0, window->comm) != MPI_SUCCESS)
		return false;
	if (window->rank)
		file = shm_open(name, O_RDWR, 0600);
	void *memory = file < 0 ? MAP_FAILED
				: mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (file >= 0)
		close(file);
	int worked = memory != MAP_FAILED, all = 0;
	PMPI_Allreduce(&worked, &all, 1, MPI_INT, MPI_MIN, window->comm);
	if (!window->rank)
		shm_unlink(name);
	if (worked && !all)
		munmap(memory, bytes);
	if (all)
		*shared = (struct shared){memory, bytes};
	return all;
}

/* A number for the machine whose memory this process shares with others: the boot of its kernel,
 * its name, since a container may have another, and the file system of shared memory. */
static uint64_t machine;
static void find_machine(void)
{
	char boot[64] = {0}, name[256] = {0};
	struct stat info = {0};
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
	if (file && fread(boot, 1, sizeof boot, file) == 0)
		boot[0] = 0;
	if (file)
		fclose(file);
	if (gethostname(name, sizeof name))
		name[0] = 0;
	if (stat("/dev/shm", &info))
		info.st_dev = 0;
	machine = XXH3_64bits(boot, sizeof boot) ^ XXH3_64bits_withSeed(name, sizeof name, 1) ^
		  XXH3_64bits_withSeed(&info.st_dev, sizeof info.st_dev, 2);
}

/* All ranks are ready, and on one machine: one message each way, where MPI_Comm_split_type makes a
 * communicator. */
static bool share_memory(MPI_Comm comm, bool is_ready)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, find_machine);
	const uint64_t own[3] = {machine, ~machine, is_ready};
	uint64_t all[3] = {0};
	return PMPI_Allreduce(own, all, 3, MPI_UINT64_T, MPI_MIN, comm) == MPI_SUCCESS &&
	       all[0] == ~all[1] && all[2];
}

struct mpi_window *ordo_mpi_window_open(MPI_Comm comm, bool is_ready)
{
	int nrank;
	if (!ordo_mpi_wants_window)
		return NULL;
	PMPI_Comm_size(comm, &nrank);
	struct mpi_window *window = calloc(1, sizeof *window);
	const void **inputs = malloc((size_t)nrank * sizeof *inputs);
	if (!share_memory(comm, is_ready && window && inputs)) {
		free(window);
		free(inputs);
		return NULL;
	}
	const long cores = sysconf(_SC_NPROCESSORS_ONLN);
	*window = (struct mpi_window){.nrank = nrank,
		.comm = comm,
		.is_crowded = nrank > cores,
		.core = -1,
		.inputs = inputs};
	PMPI_Comm_rank(comm, &window->rank);
	if (map_memory(window, small_bytes(nrank), &window->small)) {
		window->lines = (struct rank_lines *)(void *)window->small.at;
		return window;
	}
	ordo_mpi_window_close(window);
	return NULL;
}

void ordo_mpi_window_close(struct mpi_window *window)
{
	if (!window)
		return;
	if (window->small.at)
		munmap(window->small.at, window->small.bytes);
	if (window->large.at)
		munmap(window->large.at, window->large.bytes);
	free(window->inputs);
	free(window);
}

/* A line of another core takes less than EAGER_READS; a pause may take longer than that. After so
 * many reads another process may need the core. */
enum { EAGER_READS = 200, MOST_READS = 4096, MOST_CROWDED_READS = 512 };

static void relax(void)
{
#if defined __x86_64__ || defined __i386__
	__builtin_ia32_pause();
#endif
}

static bool has_come(const struct mpi_window *window, const struct line *line)
{
	return atomic_load_explicit(&line->turn, memory_order_acquire) >= window->turn;
}

/* Whether a rank that has yet to write such a line can do so only if this one gives it the core. */
static bool is_in_the_way(const struct mpi_window *window, int which)
{
	for (int r = 0; window->is_crowded && r < window->nrank; r++) {
		const struct rank_lines *lines = &window->lines[r];
		if (atomic_load_explicit(&lines->core, memory_order_relaxed) == window->core &&
			!has_come(window, &lines->lines[which]))
			return true;
	}
	return false;
}

/* Reads the line for as long as no other rank needs the core. */
static bool read_often(const struct mpi_window *window, int rank, int which)
{
	const struct line *line = &window->lines[rank].lines[which];
	const int most = window->is_crowded ? MOST_CROWDED_READS : MOST_READS;
	for (int i = 0; i < most; i++) {
		if (has_come(window, line))
			return true;
		if (i % EAGER_READS == 0 && is_in_the_way(window, which))
			return false;
		if (i > EAGER_READS)
			relax();
	}
	return false;
}

/* Waits until the line is of this turn. It lets MPI progress last: that takes longer than giving
 * the core away, which Open MPI does there once more. */
static void await(const struct mpi_window *window, int rank, int which)
{
	while (!read_often(window, rank, which)) {
		int found;
		sched_yield();
		if (!has_come(window, &window->lines[rank].lines[which]))
			PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, window->comm, &found,
				MPI_STATUS_IGNORE);
	}
}

static void say(struct mpi_window *window, int which)
{
	struct rank_lines *own = &window->lines[window->rank];
	const int core = window->is_crowded ? sched_getcpu() : window->core;
	if (core != window->core) {
		window->core = core;
		atomic_store_explicit(&own->core, core, memory_order_relaxed);
	}
	atomic_store_explicit(&own->lines[which].turn, window->turn, memory_order_release);
}

static struct line *arrival(const struct mpi_window *window, int rank)
{
	return &window->lines[rank].lines[window->turn & 1];
}

/* The tile of a rank in this turn, of short or of long turns. */
static size_t tile(const struct mpi_window *window, int rank)
{
	return (window->turn & 1) * (size_t)window->nrank + (size_t)rank;
}

/* Where a rank's input of a short turn of so many bytes is. */
static unsigned char *short_input(const struct mpi_window *window, int rank, uint64_t bytes)
{
	return bytes <= INLINE_BYTES ? arrival(window, rank)->data
				     : (unsigned char *)&window->lines[window->nrank] +
					       tile(window, rank) * SHORT_BYTES;
}

/* A rank's share of the tiles of a long turn, at most. */
static uint64_t most_piece(const struct mpi_window *window)
{
	return TILE_BYTES / (uint64_t)window->nrank / LINES * LINES;
}

/* Where pieces of a long turn are: what a rank has for the part of another. */
struct places {
	uint64_t stride;  /* bytes from one to the next, so that no two share a line of the cache */
	bool has_results; /* of parts, each in the place of the next rank's piece */
};

static struct places make_places(uint64_t piece_bytes, bool has_results)
{
	return (struct places){(piece_bytes + LINES - 1) / LINES * LINES, has_results};
}

/* Places are known by how far `to` is from `from`. Those of one distance move on by it at each use,
 * so that `to` is next to write there. */
static unsigned char *place(
	const struct mpi_window *window, const struct places *places, int from, int to)
{
	const uint64_t nrank = (uint64_t)window->nrank,
		       distance = ((uint64_t)to + nrank - (uint64_t)from) % nrank,
		       use = places->has_results && distance == nrank - 1
				     ? 0
				     : (window->turn >> 1) % nrank,
		       owner = ((uint64_t)from + use * (nrank - distance)) % nrank;
	return window->large.at + tile(window, (int)owner) * TILE_BYTES + distance * places->stride;
}

/* Asks for lines of the cache, all at once, to be written here: one after another would take
 * several times as long where they come from another core. */
static void take(const void *at, uint64_t bytes)
{
#if defined __x86_64__ || defined __i386__
	for (uint64_t i = 0; i < bytes; i += LINE)
		__asm__ volatile("prefetchw %0" : : "m"(((const unsigned char *)at)[i]));
#else
	(void)at;
	(void)bytes;
#endif
}

/* Of calls that differ. */
static int judge(const struct mpi_window *window)
{
	for (int r = 0; r < window->nrank; r++)
		if (arrival(window, r)->call == PASSES)
			return ORDO_MPI_PASS_ON;
	return MPI_ERR_TRUNCATE;
}

/* The input of this rank is there; waits for those of the others. If calls differ, or a rank passes
 * its call on, all ranks see it here, and none takes another turn of this call. */
static int arrive(struct mpi_window *window, uint64_t call)
{
	uint64_t differs = 0;
	arrival(window, window->rank)->call = call;
	say(window, window->turn & 1);
	for (int r = 0; r < window->nrank; r++) {
		await(window, r, window->turn & 1);
		differs |= arrival(window, r)->call ^ call;
	}
	/* nobody reads it any more, and it comes while the program does something else */
	take(&window->lines[window->rank].lines[~window->turn & 1], LINE);
	return differs || call == PASSES ? judge(window) : MPI_SUCCESS;
}

bool ordo_mpi_window_is_used(const struct mpi_window *window, uint64_t bytes)
{
	return bytes <= SHORT_BYTES || window->large.at || !window->is_refused;
}

void ordo_mpi_window_pass_on(struct mpi_window *window)
{
	window->turn++;
	arrive(window, PASSES);
}

bool ordo_mpi_window_takes(struct mpi_window *window, uint64_t call, uint64_t bytes, int *code)
{
	*code = MPI_SUCCESS;
	if (bytes <= SHORT_BYTES || window->large.at || window->is_refused)
		return bytes <= SHORT_BYTES || window->large.at;
	window->turn++;
	*code = arrive(window, call); /* others may wait in a turn of a shorter call */
	if (*code != MPI_SUCCESS)
		return true;
	window->is_refused = !map_memory(window, large_bytes(window->nrank), &window->large);
	return !window->is_refused;
}

/* Evaluates n elements; inputs are those of the other ranks, own: this rank's. */
static int fold(const struct mpi_window_call *call, const void *own, uint64_t n, void *out)
{
	struct mpi_elements elements = *call->elements;
	struct mpi_window *window = call->window;
	const struct mpi_arithmetic arithmetic = ordo_mpi_elements_arithmetic(&elements);
	window->inputs[window->rank] = own;
	return n ? ordo_mpi_trees_fold(call->trees, &arithmetic, window->inputs, n, out)
		 : MPI_SUCCESS;
}

/* Inputs of a short turn of so many bytes, from byte `begin` on. */
static void find_short_inputs(struct mpi_window *window, uint64_t bytes, uint64_t begin)
{
	for (int r = 0; r < window->nrank; r++)
		window->inputs[r] = short_input(window, r, bytes) + begin;
}

/* Inputs of this rank's part in a long turn. */
static void find_pieces(struct mpi_window *window, const struct places *places, uint64_t bytes)
{
	for (int r = 0; r < window->nrank; r++)
		if (r != window->rank) {
			window->inputs[r] = place(window, places, r, window->rank);
			take(window->inputs[r], bytes);
		}
}

/* A part for each rank. */
static uint64_t part_begin(const struct mpi_window *window, uint64_t n, int part)
{
	return n * (uint64_t)part / (uint64_t)window->nrank;
}

/* Where the result of a part is in a long turn. */
static unsigned char *result_at(
	const struct mpi_window *window, const struct places *places, int part)
{
	return place(window, places, (part + 1) % window->nrank, part);
}

/* All results of a long turn, when they are there. */
static int copy_results(struct mpi_window *window, const struct places *places, uint64_t n,
	uint64_t extent, unsigned char *out)
{
	for (int i = 0; i < window->nrank; i++) { /* the own part first: it is here */
		const int r = (window->rank + i) % window->nrank;
		const uint64_t begin = part_begin(window, n, r) * extent,
			       end = part_begin(window, n, r + 1) * extent;
		const unsigned char *result = result_at(window, places, r);
		await(window, r, FOLDED);
		if (window->lines[r].lines[FOLDED].data[0])
			return MPI_ERR_OTHER;
		if (i == window->nrank - 1) /* where this rank writes again */
			take(result, end - begin);
		memcpy(out + begin, result, end - begin);
	}
	return MPI_SUCCESS;
}

static int reduce_short(const struct mpi_window_call *call, const unsigned char *input, uint64_t n,
	unsigned char *out, bool *differs)
{
	struct mpi_window *window = call->window;
	const uint64_t bytes = n * call->elements->extent;
	memcpy(short_input(window, window->rank, bytes), input, bytes);
	const int code = arrive(window, call->call);
	if (code != MPI_SUCCESS)
		return *differs = true, code;
	find_short_inputs(window, bytes, 0);
	return out ? fold(call, input, n, out) : MPI_SUCCESS;
}

static int reduce_long(const struct mpi_window_call *call, const unsigned char *input, uint64_t n,
	unsigned char *out, bool *differs)
{
	struct mpi_window *window = call->window;
	const uint64_t extent = call->elements->extent, nrank = (uint64_t)window->nrank,
		       own = part_begin(window, n, window->rank),
		       nown = part_begin(window, n, window->rank + 1) - own;
	const struct places places = make_places((n + nrank - 1) / nrank * extent, true);
	for (int r = 0; r < window->nrank; r++) {
		const uint64_t begin = part_begin(window, n, r), end = part_begin(window, n, r + 1);
		if (r != window->rank) /* others need not see the own part */
			memcpy(place(window, &places, window->rank, r), input + begin * extent,
				(end - begin) * extent);
	}
	int code = arrive(window, call->call);
	if (code != MPI_SUCCESS)
		return *differs = true, code;
	find_pieces(window, &places, nown * extent);
	code = fold(call, input + own * extent, nown, result_at(window, &places, window->rank));
	window->lines[window->rank].lines[FOLDED].data[0] = code != MPI_SUCCESS;
	say(window, FOLDED);
	return out && code == MPI_SUCCESS ? copy_results(window, &places, n, extent, out) : code;
}

int ordo_mpi_window_reduce(const struct mpi_window_call *call, uint64_t n)
{
	struct mpi_window *window = call->window;
	const uint64_t extent = call->elements->extent,
		       most = most_piece(window) / extent * (uint64_t)window->nrank;
	const unsigned char *input = call->input;
	unsigned char *out = call->output;
	int code = MPI_SUCCESS;
	bool differs = false; /* others wait after another error */
	for (uint64_t skip = 0; skip < n && !differs; skip += most) {
		const uint64_t left = n - skip < most ? n - skip : most;
		window->turn++;
		const int found = (left * extent <= SHORT_BYTES ? reduce_short : reduce_long)(call,
			input + skip * extent, left, out ? out + skip * extent : NULL, &differs);
		code = code == MPI_SUCCESS ? found : code;
	}
	return code;
}

/* Elements [skip, skip + most) of a block of n. */
static uint64_t piece(uint64_t n, uint64_t skip, uint64_t most)
{
	return n <= skip ? 0 : n - skip < most ? n - skip : most;
}

/* Elements [skip, skip + most) of each block; longest: the most that a block has of them. */
static int scatter_tile(const struct mpi_window_call *call, const uint64_t *counts, uint64_t skip,
	uint64_t most, uint64_t longest, bool *differs)
{
	struct mpi_window *window = call->window;
	const uint64_t extent = call->elements->extent;
	const struct places places = make_places(longest * extent, false);
	uint64_t packed = 0, own = 0, offset = 0;
	for (int r = 0; r < window->nrank; r++)
		packed += piece(counts[r], skip, most);
	const uint64_t bytes = packed * extent;
	const bool is_short = bytes <= SHORT_BYTES,
		   is_apart = call->input != call->output; /* the result overwrites nothing */
	const unsigned char *input = call->input, *from = NULL;
	window->turn++;
	packed = 0;
	for (int r = 0; r < window->nrank; r++) {
		const uint64_t n = piece(counts[r], skip, most);
		const unsigned char *at = input + (offset + skip) * extent;
		unsigned char *to =
			is_short ? short_input(window, window->rank, bytes) + packed * extent
				 : place(window, &places, window->rank, r);
		if (r != window->rank || !is_apart)
			memcpy(to, at, n * extent);
		if (r == window->rank) {
			own = packed;
			from = is_apart ? at : to;
		}
		packed += n;
		offset += counts[r];
	}
	const int code = arrive(window, call->call);
	if (code != MPI_SUCCESS)
		return *differs = true, code;
	const uint64_t n = piece(counts[window->rank], skip, most);
	if (is_short)
		find_short_inputs(window, bytes, own * extent);
	else
		find_pieces(window, &places, n * extent);
	return fold(call, from, n, (unsigned char *)call->output + skip * extent);
}

int ordo_mpi_window_scatter(const struct mpi_window_call *call, const uint64_t *counts)
{
	const uint64_t most = most_piece(call->window) / call->elements->extent;
	uint64_t longest = 0;
	int code = MPI_SUCCESS;
	for (int r = 0; r < call->window->nrank; r++)
		longest = counts[r] > longest ? counts[r] : longest;
	bool differs = false;
	for (uint64_t skip = 0; skip < longest && !differs; skip += most) {
		const int found = scatter_tile(
			call, counts, skip, most, piece(longest, skip, most), &differs);
		code = code == MPI_SUCCESS ? found : code;
	}
	return code;
}
