/* bench_predict.c [WORDS] - how many tasks a second are predicted, alone and shared: of all cases,
 * or those with these words in the title. */
#include <ordo/compiler.h>
#include <ordo/predict.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static const struct {
	const char *title;
	enum ordo_operator op;
	uint32_t nrank;
	const char *algorithm, *topology; /* NULL: none */
	bool through_ranks;
	uint64_t bytes;
} cases[] = {
	{"ring, nothing shared", ORDO_ALLREDUCE, 128, "ring", "full-mesh", false, 1 << 24},
	{"ring, nothing shared", ORDO_ALLREDUCE, 1024, "ring", "full-mesh", false, 1 << 24},
	{"ring both ways, adders shared", ORDO_ALLREDUCE, 1024, "ring(directions=2)", "ring", false,
		1 << 24},
	{"halving-doubling", ORDO_ALLREDUCE, 1024, "halving-doubling", NULL, false, 1 << 24},
	{"mesh on one switch, ports shared", ORDO_ALLREDUCE, 256, "mesh", "star", false, 1 << 24},
	{"mesh over spines, chunks of unequal sizes", ORDO_ALLTOALL, 256, "mesh",
		"servers:32x8,spines=4,oversubscription=4", true, (1 << 24) + 12345},
	{"pairwise over spines", ORDO_ALLTOALL, 256, "alltoall",
		"servers:32x8,spines=4,oversubscription=4", true, 1 << 24},
	{"recursive halving through a torus", ORDO_REDUCESCATTER, 1024, "halving-doubling",
		"torus:32x32", true, 1 << 24},
	{"recursive halving through a torus", ORDO_REDUCESCATTER, 4096, "halving-doubling",
		"torus:64x64", true, 1 << 24},
	{"mesh through a torus", ORDO_ALLTOALL, 64, "mesh", "torus:8x8", true, 1 << 20},
	{"double tree through a torus", ORDO_ALLREDUCE, 256, "tree(shape=double-binary)",
		"torus:16x16", true, 1 << 24},
};

int main(int argc, char **argv)
{
	const char *only = argc > 1 ? argv[1] : NULL;
	printf("%-44s %9s %10s %9s %12s\n", "schedule", "ranks", "tasks", "seconds",
		"tasks/second");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ordo_error error;
		if (only && !strstr(cases[i].title, only))
			continue;
		const struct ordo_request request = {
			.problem = {.op = cases[i].op, .nrank = cases[i].nrank},
			.algorithm = cases[i].algorithm,
			.unproved = true};
		struct ordo_topology *topology =
			cases[i].topology
				? ordo_topology_make(cases[i].topology, cases[i].nrank, &error)
				: NULL;
		struct ordo_schedule *schedule = ordo_compile(&request, &error);
		if (!schedule || (cases[i].topology && !topology)) {
			fprintf(stderr, "%s: %s\n", cases[i].title, error.text);
			return 1;
		}
		const struct ordo_predict_options options = {.topology = topology,
			.machine = ordo_machine_usual(),
			.bytes = cases[i].bytes,
			.element_bytes = 4,
			.no_bounds = true,
			.through_ranks = cases[i].through_ranks};
		const double began = now();
		struct ordo_prediction *prediction = ordo_predict(schedule, &options, &error);
		const double taken = now() - began;
		if (!prediction) {
			fprintf(stderr, "%s: %s\n", cases[i].title, error.text);
			return 1;
		}
		printf("%-44s %9u %10u %9.3f %12.0f\n", cases[i].title, cases[i].nrank,
			schedule->ntask, taken, schedule->ntask / taken);
		fflush(stdout);
		ordo_prediction_destroy(prediction);
		ordo_schedule_destroy(schedule);
		ordo_topology_destroy(topology);
	}
	return 0;
}
