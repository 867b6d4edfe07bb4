/* bench_proof.c - large schedules compiled and proved in memory, without their text: seconds and
 * bytes for each task, beside the limit, reading the tasks once.
 *
 * bench_proof                              the table of schedules/SCALE.md, in Markdown; each line
 *                                          in a process of its own
 * bench_proof OPERATOR RANKS ALGORITHM     one line of it
 *
 * CPU seconds of one core, so that other work on the machine counts little; the most memory that
 * the process had resident after the step. A benchmark, not a test; but what is not proved is an
 * error.
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
		sum += (uint64_t)task->kind + task->peer + task->chunk + task->count + task->src +
		       task->dst;
	}
	const double seconds = cpu_s() - start;
	if (sum == 1)
		printf("(the words add up to %llu)\n", (unsigned long long)sum);
	return seconds;
}

static double chunks_moved(const struct ordo_schedule *schedule)
{
	uint64_t count = 0;
	for (uint32_t i = 0; i < schedule->ntask; i++)
		count += ordo_task_moves(&schedule->tasks[i]) ? schedule->tasks[i].count : 0;
	return (double)count;
}

/* What does not apply is left out. */
static void measure(enum ordo_operator op, uint32_t nrank, const char *algorithm)
{
	struct ordo_error error;
	const struct ordo_request request = {.problem = {.op = op, .nrank = nrank, .nshard = nrank},
		.algorithm = algorithm,
		.unproved = true};
	double start = cpu_s();
	struct ordo_schedule *schedule = ordo_compile(&request, &error);
	if (!schedule && error.code == ORDO_USAGE)
		return;
	if (!schedule)
		stop(&error);
	const double compiled = cpu_s() - start;
	start = cpu_s();
	struct ordo_proof *proof = ordo_verify(schedule, NULL, &error);
	if (proof && !proof->proved)
		ordo_finding_error(schedule, &proof->findings[0], &error);
	if (!proof || !proof->proved)
		stop(&error);
	const double proved = cpu_s() - start, bytes = resident_bytes(), once = read_once(schedule),
		     ntask = schedule->ntask, moved = chunks_moved(schedule);
	printf("| %s | %s | %u | %u | %u | %.3g | %.2f | %.2f | %.3f | %.0f | %.0f | %.0f | %.2f | "
	       "%.0f |\n",
		algorithm, ordo_operator_facts(op)->name, nrank, schedule->nstream, schedule->ntask,
		moved * 1e-6, compiled, proved, once, compiled * 1e9 / ntask, proved * 1e9 / ntask,
		(compiled + proved) * 1e9 / (ntask > moved ? ntask : moved), bytes / (1 << 30),
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

static void measure_all(void)
{
	static const char *const few_steps[] = {"nhr", "nb", "circulant", "halving-doubling", "rhd",
		"dyadic", "recursive-doubling", "tree"};
	static const uint32_t sizes[] = {1024, 2048, 4096};
	for (int i = 0; i < 3; i++)
		measure_apart(ORDO_ALLREDUCE, sizes[i], "ring");
	measure_apart(ORDO_REDUCESCATTER, 4096, "ring");
	measure_apart(ORDO_ALLGATHER, 4096, "ring");
	for (size_t i = 0; i < sizeof few_steps / sizeof *few_steps; i++)
		for (int op = 0; op < ORDO_NOPERATOR; op++)
			measure_apart((enum ordo_operator)op, 4096, few_steps[i]);
	measure_apart(ORDO_ALLREDUCE, 4095, "rhd");
	measure_apart(ORDO_ALLREDUCE, 4095, "circulant");
	measure_apart(ORDO_ALLREDUCE, 4096, "hierarchical(ring,nhr,sizes=[8,512])");
	measure_apart(ORDO_ALLREDUCE, 1024, "hierarchical(ring,ring,sizes=[32,32])");
	for (int i = 0; i < 2; i++)
		measure_apart(ORDO_ALLREDUCE, sizes[i], "mesh");
	measure_apart(ORDO_ALLTOALL, 2048, "alltoall");
}

int main(int argc, char **argv)
{
	enum ordo_operator op = ORDO_ALLREDUCE;
	if (argc != 1 && (argc != 4 || !ordo_operator_from_typed(argv[1], &op))) {
		fprintf(stderr, "usage: bench_proof [OPERATOR RANKS ALGORITHM]\n");
		return 2;
	}
	printf("| algorithm | operator | ranks | streams | tasks | chunks moved, M | compile, s | "
	       "proof, s | tasks once, s | compile, ns a task | proof, ns a task | both, ns a task "
	       "or chunk | memory, GiB | bytes a task |\n"
	       "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
	fflush(stdout);
	if (argc == 4)
		measure(op, (uint32_t)strtoul(argv[2], NULL, 10), argv[3]);
	else
		measure_all();
	return 0;
}
