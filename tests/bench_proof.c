/* bench_proof.c - how large a schedule can be compiled and proved in memory, without its text: seconds and bytes for each task, beside the limit,
 * reading the tasks once.
 *
 * bench_proof                              the table of schedules/SCALE.md, in Markdown; each line in a process of its own
 * bench_proof OPERATOR RANKS ALGORITHM     one line of it
 *
 * CPU seconds of one core, so that other work on the machine counts little; the most memory that the process had resident after the step.
 * A benchmark, not a test; but what is not proved is an error.
 */
#include <ordo/compiler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double cpu_s(void)
{
	struct timespec time;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double resident_bytes(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss * 1024;
}

static void stop(const struct ordo_error *error)
{
	char text[4096];
	ordo_error_print(error, text, sizeof text);
	fprintf(stderr, "%s\n", text);
	exit(1);
}

/* Every word of every task, read once. */
static double read_once(const struct ordo_schedule *schedule)
{
	const double start = cpu_s();
	uint64_t sum = 0;
	for (uint32_t i = 0; i < schedule->ntask; i++) {
		const struct ordo_task *task = &schedule->tasks[i];
		sum += (uint64_t)task->kind + task->peer + task->chunk + task->count + task->src + task->dst;
	}
	const double seconds = cpu_s() - start;
	if (sum == 1)
		printf("(the words add up to %llu)\n", (unsigned long long)sum);
	return seconds;
}

static uint64_t chunks_moved(const struct ordo_schedule *schedule)
{
	uint64_t count = 0;
	for (uint32_t i = 0; i < schedule->ntask; i++)
		count += ordo_task_moves(&schedule->tasks[i]) ? schedule->tasks[i].count : 0;
	return count;
}

static void measure(enum ordo_operator op, uint32_t nrank, const char *algorithm)
{
	struct ordo_error error;
	const struct ordo_request request = {.problem = {.op = op, .nrank = nrank, .nshard = nrank},
		.algorithm = algorithm,
		.unproved = true};
	double start = cpu_s();
	struct ordo_schedule *schedule = ordo_compile(&request, &error);
	if (!schedule)
		stop(&error);
	const double compiled = cpu_s() - start, compiled_bytes = resident_bytes();
	start = cpu_s();
	struct ordo_proof *proof = ordo_verify(schedule, NULL, &error);
	if (proof && !proof->proved)
		ordo_finding_error(schedule, &proof->findings[0], &error);
	if (!proof || !proof->proved)
		stop(&error);
	const double proved = cpu_s() - start, once = read_once(schedule), ntask = schedule->ntask,
		     bytes = resident_bytes();
	printf("| %s | %s | %u | %u | %.1f | %.1f | %.2f | %.2f | %.2f | %.0f | %.0f | %.1f | %.2f | %.2f | "
	       "%.0f |\n",
		algorithm, ordo_operator_facts(op)->name, nrank, schedule->nstream, ntask * 1e-6,
		(double)chunks_moved(schedule) * 1e-6, compiled, proved, once, compiled * 1e9 / ntask,
		proved * 1e9 / ntask, once * 1e9 / ntask, compiled_bytes / (1 << 30), bytes / (1 << 30),
		bytes / ntask);
	fflush(stdout);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
}

static void measure_apart(enum ordo_operator op, uint32_t nrank, const char *algorithm)
{
	const pid_t child = fork();
	int status = 1;
	if (!child) {
		measure(op, nrank, algorithm);
		exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0 || status)
		fprintf(stderr, "%s, %u ranks, %s: failed\n", ordo_operator_facts(op)->name, nrank,
			algorithm);
}

int main(int argc, char **argv)
{
	enum ordo_operator op = ORDO_ALLREDUCE;
	printf("| algorithm | operator | ranks | streams | tasks, M | chunks moved, M | compile, s | proof, "
	       "s | tasks once, s | compile, ns "
	       "a task | proof, ns a task | once, ns a task | compile, GiB | both, GiB | bytes a task |\n"
	       "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
	if (argc == 4 && ordo_operator_from_typed(argv[1], &op)) {
		measure(op, (uint32_t)strtoul(argv[2], NULL, 10), argv[3]);
		return 0;
	}
	measure_apart(op, 1024, "ring");
	return 0;
}
