/* bench_spin.c - the proof of a schedule beside Spin's search through all its interleavings.
 *
 * bench_spin [RANKS]    AllReduce by a ring on 2 to RANKS (6) ranks, a Markdown table
 *
 * Spin gets what the verifier proves of waiting and memory: no deadlock, no race, no access to a
 * rank that is not in the call. It says nothing of what is computed, or in which order. Its search
 * is compiled with -O2, and the time is that of the search alone. Run by tools/bench-proof.
 */
#include "promela.h"
#include <ordo/compiler.h>
#include <ordo/verify.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT_S = 300 };

static char folder[] = "/tmp/ordo-bench-spin-XXXXXX";

static double now_s(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void stop(const struct ordo_error *error)
{
	ordo_error_write(error, stderr);
	exit(1);
}

static double prove_s(const struct ordo_schedule *schedule)
{
	struct ordo_error error;
	double least = 1e9;
	for (int i = 0; i < 20; i++) {
		const double start = now_s();
		struct ordo_proof *proof = ordo_verify(schedule, NULL, &error);
		if (!proof || !proof->proved)
			stop(&error);
		least = now_s() - start < least ? now_s() - start : least;
		ordo_proof_destroy(proof);
	}
	return least;
}

/* Seconds, and how many states it went through; negative: beyond the limits. */
static double search_s(const struct ordo_schedule *schedule, char *states, size_t size)
{
	char command[512], line[512];
	snprintf(command, sizeof command, "%s/model.pml", folder);
	FILE *model = fopen(command, "w");
	if (!model)
		exit(1);
	promela_print(schedule, PROMELA_MEMORY, model);
	fclose(model);
	snprintf(command, sizeof command,
		"cd '%s' && spin -a model.pml >/dev/null && cc -w -O2 -DSAFETY -DNOFAIR "
		"-DVECTORSZ=8192 -DCOLLAPSE -DMEMLIM=8000 -o pan pan.c",
		folder);
	if (system(command))
		exit(1);
	snprintf(command, sizeof command, "cd '%s' && timeout %d ./pan -m1000000", folder, LIMIT_S);
	const double start = now_s();
	FILE *output = popen(command, "r");
	bool clean = false, limited = false;
	snprintf(states, size, "?");
	while (output && fgets(line, sizeof line, output)) {
		clean = clean || strstr(line, "errors: 0");
		limited = limited || strstr(line, "Search not completed") ||
			  strstr(line, "max search depth too small");
		unsigned long long count;
		if (strstr(line, " states, stored") && sscanf(line, " %llu", &count) == 1)
			snprintf(states, size, "%llu", count);
	}
	const bool ended = output && !pclose(output);
	return clean && ended && !limited ? now_s() - start : -1;
}

int main(int argc, char **argv)
{
	const uint32_t most = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 6;
	if (!mkdtemp(folder))
		return 1;
	printf("| ranks | tasks | ordo proves in | Spin searches | states | Spin / ordo |\n"
	       "|---|---|---|---|---|---|\n");
	for (uint32_t nrank = 2; nrank <= most; nrank++) {
		struct ordo_error error;
		char states[32];
		const struct ordo_request request = {
			.problem = {.op = ORDO_ALLREDUCE, .nrank = nrank}, .algorithm = "ring"};
		struct ordo_schedule *schedule = ordo_compile(&request, &error);
		if (!schedule)
			stop(&error);
		const double proof = prove_s(schedule),
			     search = search_s(schedule, states, sizeof states);
		printf("| %u | %u | %.3g ms | ", nrank, schedule->ntask, proof * 1e3);
		if (search < 0)
			printf("not in %d s and 8 GB | | |\n", LIMIT_S);
		else
			printf("%.3g s | %s | %.3g |\n", search, states, search / proof);
		fflush(stdout);
		ordo_schedule_destroy(schedule);
	}
	char command[64];
	snprintf(command, sizeof command, "rm -r '%s'", folder);
	return system(command);
}
