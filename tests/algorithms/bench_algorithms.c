/* bench_algorithms.c - every algorithm and operator at 64, 256 and 1,024 ranks: tasks, pairs of
 * Notify and Wait, compile and proof times.
 *
 * bench_algorithms [ALGORITHM]. "published" is what the usual protocol would use: an
 * acknowledgement and a data signal for each rank, peer and phase between which something moves. A
 * benchmark, not a test; prints a table in Markdown.
 */
#include <ordo/compiler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double cpu_s(void)
{
	struct timespec time;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Cross-rank moves, one for each stream's run of moves to one peer in one phase. */
static uint64_t count_exchanges(const struct ordo_schedule *schedule)
{
	uint64_t count = 0;
	for (uint32_t s = 0; s < schedule->nstream; s++) {
		uint32_t peer = ORDO_NONE, phase = ORDO_NONE;
		for (uint32_t t = schedule->streams[s].first; t < schedule->streams[s].end; t++) {
			const struct ordo_task *task = &schedule->tasks[t];
			if (!ordo_task_moves(task) || !ordo_task_crosses(task) ||
				(task->peer == peer && task->phase == phase))
				continue;
			peer = task->peer;
			phase = task->phase;
			count++;
		}
	}
	return count;
}

/* Pairs between ranks. */
static uint64_t count_pairs(const struct ordo_schedule *schedule)
{
	uint64_t count = 0;
	for (uint32_t s = 0; s < schedule->nstream; s++)
		for (uint32_t t = schedule->streams[s].first; t < schedule->streams[s].end; t++)
			count += schedule->tasks[t].kind == ORDO_NOTIFY &&
				 schedule->tasks[t].peer != schedule->streams[s].rank;
	return count;
}

static void measure(const struct ordo_algorithm_facts *facts, enum ordo_operator op, uint32_t nrank)
{
	struct ordo_error error;
	const struct ordo_request request = {.problem = {.op = op, .nrank = nrank, .nshard = nrank},
		.algorithm = facts->name,
		.unproved = true};
	double start = cpu_s();
	struct ordo_schedule *schedule = ordo_compile(&request, &error);
	const double compiled = cpu_s() - start;
	if (!schedule) {
		if (error.code != ORDO_USAGE)
			fprintf(stderr, "%s: %s\n", facts->name, error.text);
		return;
	}
	start = cpu_s();
	struct ordo_proof *proof = ordo_verify(schedule, NULL, &error);
	const double proved = cpu_s() - start;
	const uint64_t pairs = count_pairs(schedule), published = 2 * count_exchanges(schedule);
	printf("| %s | %s | %u | %u | %llu | %llu | %.3f | %.3f | %.3f |%s\n", facts->name,
		ordo_operator_facts(op)->name, nrank, schedule->ntask, (unsigned long long)pairs,
		(unsigned long long)published, published ? (double)pairs / (double)published : 0,
		compiled, proved, proof && proof->proved ? "" : " NOT PROVED");
	fflush(stdout);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
}

int main(int argc, char **argv)
{
	static const uint32_t sizes[] = {64, 256, 1024};
	uint32_t count;
	const struct ordo_algorithm_facts *const *algorithms = ordo_algorithms(&count);
	printf("| algorithm | operator | ranks | tasks | pairs | published | ratio | compile, CPU "
	       "s | proof, CPU s |\n"
	       "|---|---|---|---|---|---|---|---|---|\n");
	for (uint32_t i = 0; i < count; i++)
		for (int op = 0; op < ORDO_NOPERATOR; op++)
			for (int n = 0; n < 3; n++)
				if (algorithms[i]->operators >> op & 1 &&
					(argc < 2 || !strcmp(argv[1], algorithms[i]->name)))
					measure(algorithms[i], (enum ordo_operator)op, sizes[n]);
	return 0;
}
