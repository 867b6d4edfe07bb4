/* bench_symmetry.c - how many seconds of the processor it takes to find the symmetry of a generated
 * schedule, reading every rank's program, and to prove it from one.
 *
 * bench_symmetry [algorithm [operator [ranks [all|generators]]]], by default "ring", "allreduce",
 * 10000, all. A benchmark, not a test: it judges nothing.
 */
#include <ordo/detail/generators.h>
#include <ordo/detail/symmetry.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* Of the processor: other programs do not count. */
static double now_s(void)
{
	struct timespec time;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void report(const char *step, double seconds)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	printf("%-40s %8.3f s   peak %6.0f MiB\n", step, seconds, (double)usage.ru_maxrss / 1024);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const char *algorithm = argc > 1 ? argv[1] : "ring";
	const bool all = argc <= 4 || strcmp(argv[4], "all") == 0;
	struct ordo_problem problem = {
		.nrank = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 10000};
	struct ordo_programs programs;
	struct ordo_symmetry symmetry;
	struct ordo_error error = {0};
	char group[64];
	problem.nshard = problem.nrank;
	if (!ordo_operator_from_typed(argc > 2 ? argv[2] : "allreduce", &problem.op) ||
		!ordo_generate(algorithm, &problem, &programs, &error))
		return 1;
	double start = now_s();
	if (!ordo_symmetry_find(&programs, all ? ORDO_COMPARE_ALL : ORDO_COMPARE_GENERATORS, NULL,
		    NULL, &symmetry, &error))
		return 1;
	ordo_symmetry_print(&symmetry.group, group, sizeof group);
	printf("%s: %u programs compared, %llu tasks\n", group, symmetry.ncompared,
		(unsigned long long)symmetry.ntask);
	report("found", now_s() - start);
	start = now_s();
	struct ordo_proof *proof = ordo_verify_symmetric(&programs, &symmetry, NULL, &error);
	report("proved", now_s() - start);
	if (proof)
		printf("%s %s, %u trees\n", proof->proved ? "proved" : "refuted", proof->digest,
			proof->ndistinct);
	else
		printf("%s\n", error.text);
	ordo_proof_destroy(proof);
	return 0;
}
