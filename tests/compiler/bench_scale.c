/* bench_scale.c - compile, write, read and prove one large schedule, each apart, beside the limit:
 * reading its bytes once.
 *
 * bench_scale [ranks [algorithm [folder]]], by default 1024 "ring" and a temporary folder. Prints
 * seconds, tasks and bytes a second, and the resident memory after each step. A benchmark, not a
 * test: it judges nothing.
 */
#include <ordo/compiler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Of the processor, so that other work on the machine counts little. */
static double now_s(void)
{
	struct timespec time;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double resident_gib(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss / 1024 / 1024;
}

static void report(const char *step, double seconds, uint32_t ntask, double bytes)
{
	printf("%-28s %7.2f s  %6.1f M tasks/s", step, seconds, ntask / seconds * 1e-6);
	if (bytes > 0)
		printf("  %6.2f GB/s", bytes / seconds * 1e-9);
	else
		printf("             ");
	printf("  peak %5.2f GiB\n", resident_gib());
	fflush(stdout);
}

static void stop(const struct ordo_error *error)
{
	char text[4096];
	ordo_error_print(error, text, sizeof text);
	fprintf(stderr, "%s\n", text);
	exit(1);
}

static double sum_bytes(const char *path, double *size)
{
	static unsigned char block[1 << 20];
	FILE *file = fopen(path, "rb");
	if (!file)
		exit(1);
	double start = now_s();
	unsigned long sum = 0;
	size_t length;
	*size = 0;
	while ((length = fread(block, 1, sizeof block, file)) > 0) {
		for (size_t i = 0; i < length; i++)
			sum += block[i];
		*size += (double)length;
	}
	fclose(file);
	double seconds = now_s() - start;
	printf("(the bytes add up to %lu)\n", sum);
	return seconds;
}

static struct ordo_schedule *compile(uint32_t nrank, const char *algorithm)
{
	const struct ordo_request request = {
		.problem = {.op = ORDO_ALLREDUCE, .nrank = nrank, .nshard = nrank},
		.algorithm = algorithm,
		.unproved = true};
	struct ordo_error error;
	struct ordo_schedule *schedule = ordo_compile(&request, &error);
	if (!schedule)
		stop(&error);
	return schedule;
}

static struct ordo_schedule *read_back(const char *path, bool only_cjson)
{
	struct ordo_error error;
	struct ordo_schedule *schedule = ordo_schedule_read(
		path, &(struct ordo_read_options){.only_cjson = only_cjson}, &error);
	if (!schedule)
		stop(&error);
	return schedule;
}

static void measure(uint32_t nrank, const char *algorithm, const char *path)
{
	struct ordo_error error;
	double start = now_s();
	struct ordo_schedule *schedule = compile(nrank, algorithm);
	uint32_t ntask = schedule->ntask;
	printf("AllReduce, %u ranks, %s: %u tasks in %u streams\n", nrank, algorithm, ntask,
		schedule->nstream);
	report("compile, without the proof", now_s() - start, ntask, 0);
	start = now_s();
	if (!ordo_schedule_write(schedule, path, NULL, NULL, &error))
		stop(&error);
	double written = now_s() - start, size;
	ordo_schedule_destroy(schedule);
	double bytes_once = sum_bytes(path, &size);
	report("write", written, ntask, size);
	report("the bytes, once", bytes_once, ntask, size);
	start = now_s();
	schedule = read_back(path, false);
	double read = now_s() - start;
	report("read", read, ntask, size);
	start = now_s();
	struct ordo_proof *proof = ordo_verify(schedule, NULL, &error);
	if (!proof || !proof->proved)
		stop(&error);
	double proved = now_s() - start;
	report("prove", proved, ntask, size);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
	start = now_s();
	ordo_schedule_destroy(read_back(path, true));
	report("read with cJSON alone", now_s() - start, ntask, size);
	printf("against the bytes once: write %.1fx, read %.1fx, prove %.1fx\n",
		written / bytes_once, read / bytes_once, proved / bytes_once);
}

int main(int argc, char **argv)
{
	char path[512];
	snprintf(path, sizeof path, "%s/ordo-bench-%ld.json", argc > 3 ? argv[3] : "/tmp",
		(long)getpid());
	measure(argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1024, argc > 2 ? argv[2] : "ring",
		path);
	unlink(path);
	return 0;
}
