/* window.c - memory that the ranks of a communicator share, and reductions through it.
 *
 * A turn moves at most one tile of every rank. Each rank copies its input into its own tile, and
 * says so; when all have, the tree of every element can be evaluated by anybody. A short turn ends
 * there: each rank evaluates all of it. In a long turn each evaluates one part, says so, and copies
 * the whole when all parts are there. The result of a part replaces what the next rank contributed
 * to it, in that rank's tile: a line of the cache which goes to the rank that evaluates it comes
 * back with the result, and is the next rank's own when that writes there again.
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

/* Where a rank's input of a turn of so many bytes is, if it is not in its line. */
static unsigned char *tile(const struct mpi_window *window, int rank, uint64_t bytes)
{
	const size_t number = (window->turn & 1) * (size_t)window->nrank + (size_t)rank;
	return bytes <= SHORT_BYTES
		       ? (unsigned char *)&window->lines[window->nrank] + number * SHORT_BYTES
		       : window->large.at + number * TILE_BYTES;
}

static struct line *arrival(const struct mpi_window *window, int rank)
{
	return &window->lines[rank].lines[window->turn & 1];
}

/* Where this rank's input of a turn of so many bytes goes. */
static unsigned char *begin_turn(struct mpi_window *window, uint64_t bytes)
{
	window->turn++;
	return bytes <= INLINE_BYTES ? arrival(window, window->rank)->data
				     : tile(window, window->rank, bytes);
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
static int arrive(struct mpi_window *window, uint64_t call, uint64_t bytes)
{
	uint64_t differs = 0;
	arrival(window, window->rank)->call = call;
	say(window, window->turn & 1);
	for (int r = 0; r < window->nrank; r++) {
		await(window, r, window->turn & 1);
		differs |= arrival(window, r)->call ^ call;
		window->inputs[r] =
			bytes <= INLINE_BYTES ? arrival(window, r)->data : tile(window, r, bytes);
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
	begin_turn(window, 0);
	arrive(window, PASSES, 0);
}

bool ordo_mpi_window_takes(struct mpi_window *window, uint64_t call, uint64_t bytes, int *code)
{
	*code = MPI_SUCCESS;
	if (bytes <= SHORT_BYTES || window->large.at || window->is_refused)
		return bytes <= SHORT_BYTES || window->large.at;
	begin_turn(window, 0);
	*code = arrive(window, call, 0); /* others may wait in a turn of a shorter call */
	if (*code != MPI_SUCCESS)
		return true;
	window->is_refused = !map_memory(window, large_bytes(window->nrank), &window->large);
	return !window->is_refused;
}

/* Evaluates elements [begin, begin + n) of this turn's tiles; own: where this rank's are. */
static int fold(
	const struct mpi_window_call *call, const void *own, uint64_t begin, uint64_t n, void *out)
{
	struct mpi_elements elements = *call->elements;
	struct mpi_window *window = call->window;
	const struct mpi_arithmetic arithmetic = ordo_mpi_elements_arithmetic(&elements);
	for (int r = 0; begin && r < window->nrank; r++)
		window->inputs[r] =
			(const unsigned char *)window->inputs[r] + begin * elements.extent;
	window->inputs[window->rank] = own;
	return n ? ordo_mpi_trees_fold(call->trees, &arithmetic, window->inputs, n, out)
		 : MPI_SUCCESS;
}

/* A part for each rank; parts begin at cache lines, if elements allow. */
static uint64_t part_begin(const struct mpi_window *window, uint64_t n, uint64_t extent, int part)
{
	const uint64_t line = LINE % extent ? 1 : LINE / extent,
		       begin = (n * (uint64_t)part / (uint64_t)window->nrank + line - 1) / line *
			       line;
	return begin < n ? begin : n;
}

/* Where the results of a long turn are: a rank's part in the tile of the rank after it. */
static unsigned char *result_at(
	const struct mpi_window *window, int part, uint64_t n, uint64_t extent)
{
	return tile(window, (part + 1) % window->nrank, n * extent) +
	       part_begin(window, n, extent, part) * extent;
}

/* All results of a long turn, when they are there. */
static int copy_results(struct mpi_window *window, uint64_t n, uint64_t extent, unsigned char *out)
{
	for (int i = 0; i < window->nrank; i++) { /* the own part first: it is here */
		const int r = (window->rank + i) % window->nrank;
		const uint64_t begin = part_begin(window, n, extent, r) * extent,
			       end = part_begin(window, n, extent, r + 1) * extent;
		const unsigned char *result = result_at(window, r, n, extent);
		await(window, r, FOLDED);
		if (window->lines[r].lines[FOLDED].data[0])
			return MPI_ERR_OTHER;
		if (i == window->nrank - 1) /* in the own tile */
			take(result, end - begin);
		memcpy(out + begin, result, end - begin);
	}
	return MPI_SUCCESS;
}

static int reduce_tile(const struct mpi_window_call *call, uint64_t skip, uint64_t n, bool *differs)
{
	struct mpi_window *window = call->window;
	const uint64_t extent = call->elements->extent, bytes = n * extent;
	const bool is_short = bytes <= SHORT_BYTES;
	const uint64_t begin = is_short ? 0 : part_begin(window, n, extent, window->rank),
		       end = is_short ? n : part_begin(window, n, extent, window->rank + 1),
		       copied = is_short ? n : begin; /* others need not see the own part */
	const unsigned char *input = (const unsigned char *)call->input + skip * extent;
	unsigned char *out = call->output ? (unsigned char *)call->output + skip * extent : NULL,
		      *to = begin_turn(window, bytes);
	memcpy(to, input, copied * extent);
	memcpy(to + end * extent, input + end * extent, (n - end) * extent);
	int code = arrive(window, call->call, bytes);
	if (code != MPI_SUCCESS)
		return *differs = true, code;
	if (is_short)
		return out ? fold(call, input, 0, n, out) : MPI_SUCCESS;
	unsigned char *result = result_at(window, window->rank, n, extent);
	take(result, (end - begin) * extent);
	code = fold(call, input + begin * extent, begin, end - begin, result);
	window->lines[window->rank].lines[FOLDED].data[0] = code != MPI_SUCCESS;
	say(window, FOLDED);
	return out && code == MPI_SUCCESS ? copy_results(window, n, extent, out) : code;
}

int ordo_mpi_window_reduce(const struct mpi_window_call *call, uint64_t n)
{
	const uint64_t most = TILE_BYTES / call->elements->extent;
	int code = MPI_SUCCESS;
	bool differs = false; /* others wait after another error */
	for (uint64_t skip = 0; skip < n && !differs; skip += most) {
		const int found =
			reduce_tile(call, skip, n - skip < most ? n - skip : most, &differs);
		code = code == MPI_SUCCESS ? found : code;
	}
	return code;
}

/* Elements [skip, skip + most) of a block of n. */
static uint64_t piece(uint64_t n, uint64_t skip, uint64_t most)
{
	return n <= skip ? 0 : n - skip < most ? n - skip : most;
}

static int scatter_tile(const struct mpi_window_call *call, const uint64_t *counts, uint64_t skip,
	uint64_t most, bool *differs)
{
	struct mpi_window *window = call->window;
	const uint64_t extent = call->elements->extent;
	uint64_t packed = 0, begin = 0, own = 0, offset = 0;
	for (int r = 0; r < window->nrank; r++)
		packed += piece(counts[r], skip, most);
	const uint64_t bytes = packed * extent;
	unsigned char *to = begin_turn(window, bytes);
	const unsigned char *input = call->input, *from = NULL;
	const bool is_apart = call->input != call->output; /* the result overwrites nothing */
	packed = 0;
	for (int r = 0; r < window->nrank; r++) {
		const uint64_t n = piece(counts[r], skip, most);
		const unsigned char *at = input + (offset + skip) * extent;
		if (r == window->rank) {
			begin = packed;
			own = n;
			from = is_apart ? at : to + packed * extent;
		}
		if (r != window->rank || !is_apart)
			memcpy(to + packed * extent, at, n * extent);
		packed += n;
		offset += counts[r];
	}
	const int code = arrive(window, call->call, bytes);
	if (code != MPI_SUCCESS)
		return *differs = true, code;
	return fold(call, from, begin, own, (unsigned char *)call->output + skip * extent);
}

int ordo_mpi_window_scatter(const struct mpi_window_call *call, const uint64_t *counts)
{
	const uint64_t fits = TILE_BYTES / call->elements->extent / (uint64_t)call->window->nrank;
	uint64_t longest = 0;
	int code = MPI_SUCCESS;
	for (int r = 0; r < call->window->nrank; r++)
		longest = counts[r] > longest ? counts[r] : longest;
	bool differs = false;
	for (uint64_t skip = 0; skip < longest && !differs; skip += fits) {
		const int found = scatter_tile(call, counts, skip, fits, &differs);
		code = code == MPI_SUCCESS ? found : code;
	}
	return code;
}
