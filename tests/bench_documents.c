/* bench_documents.c - how fast documents are written and read, beside reading the same bytes once. */
#include <errno.h>
#include <inttypes.h>
#include <ordo/document.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RANKS = 256, TASKS_A_RANK = 8192 };

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void stop(const struct ordo_error *error)
{
	char text[4096];
	ordo_error_print(error, text, sizeof text);
	fprintf(stderr, "%s\n", text);
	exit(1);
}

/* As a ring of reduces looks: a wait, a move and a notify for every chunk that passes by. */
static struct ordo_schedule *make(struct ordo_error *error)
{
	static const char *const phases[] = {"sum", "gather"};
	struct ordo_problem problem = {
		.op = ORDO_ALLREDUCE, .nrank = RANKS, .chunks_per_block = TASKS_A_RANK, .nshard = RANKS};
	struct ordo_schedule *schedule = ordo_schedule_create(&problem, "synthetic", error);
	bool worked = schedule && ordo_schedule_set_phases(schedule, phases, 2, error);
	for (uint32_t r = 0; worked && r < RANKS; r++) {
		worked = ordo_schedule_begin_stream(schedule, r, "ring", error);
		for (uint32_t i = 0; worked && i < TASKS_A_RANK; i++) {
			struct ordo_task task = {.kind = i % 3 == 0 ? ORDO_WAIT : ORDO_NOTIFY,
				.peer = (r + 1) % RANKS,
				.signal = i % 7};
			if (i % 3 == 1)
				task = (struct ordo_task){.kind = ORDO_SEND_REDUCE,
					.peer = (r + 1) % RANKS,
					.chunk = i,
					.count = 1,
					.src_buffer = ORDO_OUTPUT,
					.dst_buffer = ORDO_OUTPUT,
					.src = i,
					.dst = i};
			task.phase = i >= TASKS_A_RANK / 2;
			worked = ordo_schedule_append(schedule, &task, error);
		}
	}
	return worked ? schedule : NULL;
}

/* The bytes once, through read, eight at a time. */
static double read_once(const char *path, uint64_t *size, uint64_t *sum)
{
	static uint64_t words[1 << 15];
	double begin = now();
	FILE *file = fopen(path, "rb");
	size_t got;
	setvbuf(file, NULL, _IONBF, 0);
	*size = *sum = 0;
	while ((got = fread(words, 1, sizeof words, file))) {
		*size += got;
		for (size_t i = 0; i < got / sizeof *words; i++)
			*sum += words[i];
	}
	fclose(file);
	return now() - begin;
}

static double read_schedule(const char *path, bool only_cjson)
{
	struct ordo_error error;
	struct ordo_read_options options = {.only_cjson = only_cjson};
	double begin = now();
	struct ordo_schedule *schedule = ordo_schedule_read(path, &options, &error);
	double time = now() - begin;
	if (!schedule)
		stop(&error);
	ordo_schedule_destroy(schedule);
	return time;
}

int main(int argc, char **argv)
{
	struct ordo_error error;
	const char *path = argc > 1 ? argv[1] : "bench_documents.json";
	struct ordo_schedule *schedule = make(&error);
	if (!schedule)
		stop(&error);
	for (int round = 0; round < 3; round++) {
		uint64_t size, sum;
		double begin = now();
		if (!ordo_schedule_write(schedule, path, NULL, NULL, &error))
			stop(&error);
		double write = now() - begin, once = read_once(path, &size, &sum),
		       scan = read_schedule(path, false);
		double cjson = round ? 0 : read_schedule(path, true);
		double mega = (double)size / 1e6;
		printf("%" PRIu32
		       " tasks, %.0f MB: write %.0f MB/s, read %.0f MB/s, bytes once %.0f MB/s (sum %" PRIx64
		       ")",
			schedule->ntask, mega, mega / write, mega / scan, mega / once, sum);
		if (cjson > 0)
			printf(", read with cJSON only %.0f MB/s", mega / cjson);
		printf("\n");
	}
	ordo_schedule_destroy(schedule);
	unlink(path);
	return 0;
}
