/* test_plans.c - the schedules that reductions follow: all of an order have its trees, and a part
 * that rank 0 sends is the one the rank would make. */
#include "engine/communicator.h"
#include "engine/folder.h"
#include "engine/plan.h"
#include <ordo/compiler.h>
#include <ordo/document.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int nfailed;

static void expect(int is_true, const char *what, uint32_t nrank)
{
	if (is_true)
		return;
	fprintf(stderr, "%s, on %u ranks\n", what, nrank);
	nfailed++;
}

static int is_same_tree(const struct mpi_trees *a, const struct mpi_trees *b)
{
	return a->nstep == b->nstep && a->depth == b->depth &&
	       !memcmp(a->steps, b->steps, a->nstep * sizeof *a->steps);
}

/* A tree as text in which the order of operands does not matter: the side of the smaller leaf
 * first. Returns how many steps it has. */
struct folded {
	char *text;
	uint32_t least;
};

static struct folded fold(const struct mpi_trees *trees)
{
	struct folded *stack = calloc(trees->depth + 1, sizeof *stack), left, right;
	uint32_t top = 0;
	for (uint32_t i = 0; i < trees->nstep; i++) {
		char *text = NULL;
		if (trees->steps[i] != ORDO_NONE) {
			text = malloc(16);
			snprintf(text, 16, "%u", trees->steps[i]);
			stack[top++] = (struct folded){text, trees->steps[i]};
			continue;
		}
		right = stack[--top];
		left = stack[--top];
		if (right.least < left.least) {
			const struct folded other = left;
			left = right;
			right = other;
		}
		const size_t size = strlen(left.text) + strlen(right.text) + 4;
		text = malloc(size);
		snprintf(text, size, "(%s+%s)", left.text, right.text);
		free(left.text);
		free(right.text);
		stack[top++] = (struct folded){text, left.least};
	}
	const struct folded result = stack[0];
	free(stack);
	return result;
}

/* The proved trees of all forms are the named one. */
static void check_order(enum ordo_mpi_order order, uint32_t nrank)
{
	struct ordo_error error;
	const struct mpi_trees *named = ordo_mpi_tree(order, nrank, &error);
	const struct folded wanted = fold(named);
	for (int form = 0; form < ORDO_MPI_NFORM; form++) {
		const struct mpi_plan *plan =
			ordo_mpi_plan(order, (enum ordo_mpi_form)form, nrank, nrank - 1, &error);
		if (!plan) {
			expect(0, error.text, nrank);
			continue;
		}
		const struct folded found = fold(&plan->trees);
		expect(!strcmp(found.text, wanted.text), found.text, nrank);
		free(found.text);
	}
	free(wanted.text);
}

static void check_received(enum ordo_mpi_form form, uint32_t rank, uint32_t nrank)
{
	struct ordo_error error;
	struct mpi_plan *received =
		ordo_mpi_plan_received(ORDO_MPI_DYADIC, form, MPI_COMM_WORLD, &error);
	const struct mpi_plan *own = ordo_mpi_plan(ORDO_MPI_DYADIC, form, nrank, rank, &error);
	expect(received && own, "no plan", nrank);
	if (!received || !own)
		return;
	expect(ordo_part_bytes(received->part) == ordo_part_bytes(own->part) &&
			!memcmp(received->part, own->part, ordo_part_bytes(own->part)),
		"the received part is another", nrank);
	expect(is_same_tree(&received->trees, &own->trees), "the received tree is another", nrank);
	expect(!strcmp(received->digest, own->digest), "the received digest is another", nrank);
	expect(*own->schedule && !strcmp(received->schedule, own->schedule),
		"the received digest of the schedule is another", nrank);
	ordo_mpi_plan_destroy(received);
}

/* Of a document, the part that rank 0 sends is the one that the rank would make. */
static void check_document(const char *algorithm, uint32_t rank, uint32_t nrank)
{
	char folder[] = "/tmp/ordo-plans-XXXXXX", path[64];
	struct ordo_error error = {0};
	const struct ordo_request request = {
		.problem = {.op = ORDO_ALLREDUCE, .nrank = nrank, .nshard = nrank},
		.algorithm = algorithm};
	struct ordo_schedule *schedule = rank ? NULL : ordo_compile(&request, &error);
	const bool has_folder = rank || mkdtemp(folder);
	snprintf(path, sizeof path, "%s/schedule.json", folder);
	expect(has_folder && (rank || ordo_schedule_write(schedule, path, NULL, NULL, &error)),
		error.text, nrank);
	expect(ordo_mpi_folder_share(folder, MPI_COMM_WORLD, 0, &error), error.text, nrank);
	struct mpi_range *range = ordo_mpi_folder_find(ORDO_ALLREDUCE, nrank, 0, nrank, 64);
	const struct mpi_plan *own = ordo_mpi_range_plan(range, rank, &error);
	struct mpi_plan *shared = ordo_mpi_range_share(range, rank, MPI_COMM_WORLD, &error);
	expect(own && shared, error.text, nrank);
	expect(own && shared && ordo_part_bytes(shared->part) == ordo_part_bytes(own->part) &&
			!memcmp(shared->part, own->part, ordo_part_bytes(own->part)) &&
			shared->trees.nstep == own->trees.nstep,
		"the part of a document that was sent is another", nrank);
	ordo_mpi_plan_destroy(shared);
	ordo_schedule_destroy(schedule);
	if (!rank) {
		unlink(path);
		rmdir(folder);
	}
}

/* Where the last rank has another order, or another schedule, all get an error. */
static void check_disagreement(int rank, int nrank)
{
	for (int what = 0; what < 3; what++) {
		MPI_Comm comm;
		int code, codes[2];
		PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
		const bool differs = what && rank == nrank - 1;
		ordo_mpi_wanted_order = differs && what == 1 ? ORDO_MPI_LINEAR : ORDO_MPI_DYADIC;
		struct mpi_state *state = ordo_mpi_state(comm, &code);
		const enum ordo_mpi_form form =
			differs && what == 2 ? ORDO_MPI_LONG_ALLREDUCE : ORDO_MPI_SHORT_ALLREDUCE;
		const struct mpi_plan *plan = ordo_mpi_state_plan(state, form, &code);
		const int has = plan != NULL;
		PMPI_Allreduce(&has, &codes[0], 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
		PMPI_Allreduce(&has, &codes[1], 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
		expect(codes[0] == !what && codes[1] == !what,
			what ? "ranks that disagree go on" : "ranks that agree do not go on",
			(uint32_t)nrank);
		PMPI_Comm_free(&comm);
	}
	ordo_mpi_wanted_order = ORDO_MPI_DYADIC;
}

int main(int argc, char **argv)
{
	int rank, nrank;
	PMPI_Init(&argc, &argv);
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &nrank);
	for (int form = 0; form < ORDO_MPI_NFORM; form++)
		check_received((enum ordo_mpi_form)form, (uint32_t)rank, (uint32_t)nrank);
	for (uint32_t n = 2; n <= 33 && !rank; n++)
		for (int order = ORDO_MPI_DYADIC; order <= ORDO_MPI_FOLDED; order++)
			check_order((enum ordo_mpi_order)order, n);
	check_disagreement(rank, nrank);
	check_document("ring", (uint32_t)rank, (uint32_t)nrank);
	PMPI_Allreduce(MPI_IN_PLACE, &nfailed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	PMPI_Finalize();
	return nfailed != 0;
}
