/* bench_documents.c - how fast documents are written and read, beside reading the same bytes
 * once. */
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
	struct ordo_problem problem = {.op = ORDO_ALLREDUCE,
		.nrank = RANKS,
		.chunks_per_block = TASKS_A_RANK,
		.nshard = RANKS};
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

static double write_schedule(const struct ordo_schedule *schedule, const char *path)
{
	struct ordo_error error;
	double begin = now();
	if (!ordo_schedule_write(schedule, path, NULL, NULL, &error))
		stop(&error);
	return now() - begin;
}

static double print_nowhere(const struct ordo_schedule *schedule)
{
	struct ordo_error error;
	FILE *out = fopen("/dev/null", "w");
	double begin = now();
	if (!out || !ordo_schedule_print(schedule, out, &error))
		stop(&error);
	fclose(out);
	return now() - begin;
}

/* The same document as other programs write it: every member on a line of its own. */
static void write_foreign(const char *from, const char *path)
{
	const struct ordo_error unwritten = {.code = ORDO_ENVIRONMENT, .text = "cannot write"};
	FILE *in = fopen(from, "rb"), *out = fopen(path, "wb");
	if (!in || !out)
		stop(&unwritten);
	for (int c; (c = getc(in)) != EOF;) {
		putc(c, out);
		if (c == '{' || c == '[' || c == ',')
			fputs("\n    ", out);
	}
	fclose(in);
	if (fclose(out))
		stop(&unwritten);
}

static void keep_least(double *least, double time)
{
	if (*least <= 0 || time < *least)
		*least = time;
}

/* The best of some rounds: other work on the machine only adds. */
int main(int argc, char **argv)
{
	enum { PRINT, WRITE, ONCE, SCAN, FOREIGN, CJSON, NMEASURE };
	static const char *const names[] = {"print to nowhere", "write", "bytes once", "read",
		"read, other writer", "the same, cJSON only"};
	double least[NMEASURE] = {0};
	struct ordo_error error;
	const char *path = argc > 1 ? argv[1] : "bench_documents.json";
	const char *foreign = "bench_documents_foreign.json";
	struct ordo_schedule *schedule = make(&error);
	uint64_t size = 0, sum = 0;
	if (!schedule)
		stop(&error);
	for (int round = 0; round < 5; round++) {
		keep_least(&least[PRINT], print_nowhere(schedule));
		keep_least(&least[WRITE], write_schedule(schedule, path));
		keep_least(&least[ONCE], read_once(path, &size, &sum));
		keep_least(&least[SCAN], read_schedule(path, false));
		if (round >= 2)
			continue;
		write_foreign(path, foreign);
		keep_least(&least[FOREIGN], read_schedule(foreign, false));
		keep_least(&least[CJSON], read_schedule(foreign, true));
	}
	printf("%" PRIu32 " tasks, %.0f MB, sum %" PRIx64 "\n", schedule->ntask, (double)size / 1e6,
		sum);
	for (int i = 0; i < NMEASURE; i++)
		printf("%-22s %7.2f s  %6.1f million tasks/s  %6.1f times the bytes once\n",
			names[i], least[i], schedule->ntask / 1e6 / least[i],
			least[i] / least[ONCE]);
	ordo_schedule_destroy(schedule);
	unlink(path);
	unlink(foreign);
	return 0;
}
