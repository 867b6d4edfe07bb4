/* test_plans.c - the schedules that reductions follow: all of an order have its trees, and a part
 * that rank 0 sends is the one the rank would make, of a document as well, whose trees nonblocking
 * calls evaluate; and few numbers are summed as many are. */
#include "engine/communicator.h"
#include "engine/elements.h"
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

/* Proofs of this rank. */
static int nproof;
struct ordo_proof *__wrap_ordo_verify_sized(size_t size, const struct ordo_schedule *schedule,
	const struct ordo_verify_options *options, struct ordo_error *error);
struct ordo_proof *__real_ordo_verify_sized(size_t size, const struct ordo_schedule *schedule,
	const struct ordo_verify_options *options, struct ordo_error *error);
struct ordo_proof *__wrap_ordo_verify_sized(size_t size, const struct ordo_schedule *schedule,
	const struct ordo_verify_options *options, struct ordo_error *error)
{
	nproof++;
	return __real_ordo_verify_sized(size, schedule, options, error);
}

/* Of a document, the part that rank 0 sends is the one that the rank would make. */
static void check_part(struct mpi_range *range, uint32_t rank, uint32_t nrank)
{
	struct ordo_error error = {0};
	const struct mpi_plan *own = ordo_mpi_range_plan(range, rank, &error);
	struct mpi_plan *shared = ordo_mpi_range_share(range, rank, MPI_COMM_WORLD, &error);
	expect(own && shared, error.text, nrank);
	expect(own && shared && ordo_part_bytes(shared->part) == ordo_part_bytes(own->part) &&
			!memcmp(shared->part, own->part, ordo_part_bytes(own->part)) &&
			shared->trees.nstep == own->trees.nstep &&
			shared->trees.accumulate == own->trees.accumulate,
		"the part of a document that was sent is another", nrank);
	ordo_mpi_plan_destroy(shared);
}

/* Nonblocking reductions: of the ring's N orders of floats, and of a sum without order, of whose
 * addends the first and the last cancel. The others of the sum are lost in every order of floats,
 * but that in which these two meet first. */
enum { NELEMENT = 11, MOST_RANKS = 8 };
static float element(uint32_t rank, uint32_t nrank, uint32_t i)
{
	return rank == 0 ? 1e9f : rank + 1 == nrank ? -1e9f : (float)(i + 1) / (float)(rank + 2);
}

static void check_fold(const struct mpi_range *range, bool has_order, uint32_t nrank)
{
	float inputs[MOST_RANKS][NELEMENT], found[NELEMENT];
	const void *at[MOST_RANKS];
	struct mpi_elements elements;
	for (uint32_t r = 0; r < nrank; r++)
		for (uint32_t i = 0; i < NELEMENT; i++)
			inputs[r][i] = element(r, nrank, i);
	for (uint32_t r = 0; r < nrank; r++)
		at[r] = inputs[r];
	ordo_mpi_elements(&elements, MPI_FLOAT, MPI_SUM);
	const struct mpi_arithmetic arithmetic = ordo_mpi_elements_arithmetic(&elements);
	expect(ordo_mpi_range_fold(range, &arithmetic, 0, at, NELEMENT, found) == MPI_SUCCESS,
		"no fold", nrank);
	for (uint32_t c = 0, i = 0; c < nrank; c++) /* the ring adds chunk c from rank c + 1 on */
		for (; i < (NELEMENT * (c + 1) + nrank - 1) / nrank; i++) {
			float sum = has_order ? inputs[(c + 1) % nrank][i] : 0;
			for (uint32_t step = 1; has_order && step < nrank; step++)
				sum += inputs[(c + 1 + step) % nrank][i];
			for (uint32_t r = 1; !has_order && r + 1 < nrank; r++)
				sum += inputs[r][i];
			expect(sum == found[i], "the fold of a document is another", nrank);
		}
}

/* Writes a document of rank 0. */
static void write_ring(
	const char *path, enum ordo_operator op, enum ordo_accumulation accumulate, uint32_t nrank)
{
	struct ordo_error error = {0};
	const struct ordo_request request = {
		.problem = {.op = op, .nrank = nrank, .nshard = nrank, .accumulate = accumulate},
		.algorithm = "ring"};
	struct ordo_schedule *schedule = ordo_compile(&request, &error);
	expect(schedule && ordo_schedule_write(schedule, path, NULL, NULL, &error), error.text,
		nrank);
	ordo_schedule_destroy(schedule);
}

/* Rank 0 proves documents for all: the trees of nonblocking calls need nothing more, and each rank
 * proves a part again. */
static void check_documents(uint32_t rank, uint32_t nrank)
{
	char folder[] = "/tmp/ordo-plans-XXXXXX", paths[2][64];
	struct ordo_error error = {0};
	expect(rank || mkdtemp(folder), "no folder", nrank);
	snprintf(paths[0], sizeof paths[0], "%s/all.json", folder);
	snprintf(paths[1], sizeof paths[1], "%s/to.json", folder);
	if (!rank) {
		write_ring(paths[0], ORDO_ALLREDUCE, ORDO_ACCUMULATE_NONE, nrank);
		write_ring(paths[1], ORDO_REDUCE, ORDO_ACCUMULATE_BINNED3, nrank);
	}
	nproof = 0;
	expect(ordo_mpi_folder_share(folder, MPI_COMM_WORLD, 0, &error), error.text, nrank);
	const enum ordo_type type = ORDO_F32;
	struct mpi_range *all = ordo_mpi_folder_find(ORDO_ALLREDUCE, nrank, 0, nrank, 64, NULL),
			 *to = ordo_mpi_folder_find(ORDO_REDUCE, nrank, 0, nrank, 64, &type);
	expect(!ordo_mpi_folder_find(ORDO_REDUCE, nrank, 0, nrank, 64, NULL),
		"a document that accumulates covers another reduction", nrank);
	check_fold(all, true, nrank);
	check_fold(to, false, nrank);
	expect(nproof == (rank ? 0 : 2), "a nonblocking call proves a document", nrank);
	check_part(all, rank, nrank);
	check_part(to, rank, nrank);
	expect(nproof == (rank ? 2 : 4), "a document is not proved once more for its part", nrank);
	if (!rank) {
		unlink(paths[0]);
		unlink(paths[1]);
		rmdir(folder);
	}
}

/* Bits of floats and doubles: zeros, subnormals, the largest, infinities, and NaNs of all kinds. */
static const uint64_t numbers[2][14] = {
	{0, 0x80000000, 1, 0x807fffff, 0x3f800000, 0xbf800001, 0x33800000, 0x7f7fffff, 0xff7fffff,
		0x7f800000, 0xff800000, 0x7fc00001, 0xffc00000, 0x7f800001},
	{0, UINT64_C(1) << 63, 1, UINT64_C(0x800fffffffffffff), UINT64_C(0x3ff0000000000000),
		UINT64_C(0xbff0000000000001), UINT64_C(0x3ca0000000000000),
		UINT64_C(0x7fefffffffffffff), UINT64_C(0xffefffffffffffff),
		UINT64_C(0x7ff0000000000000), UINT64_C(0xfff0000000000000),
		UINT64_C(0x7ff8000000000001), UINT64_C(0xfff8000000000000),
		UINT64_C(0x7ff0000000000001)}};

/* A sum of few numbers has the bits that it has among many, in the tree of any ranks. */
static void check_few(int is_double)
{
	enum { NUMBER = 14, ELEMENTS = NUMBER * NUMBER, RANKS = 18 };
	static unsigned char inputs[RANKS][ELEMENTS * 8];
	struct mpi_elements elements;
	struct ordo_error error;
	const size_t size = is_double ? 8 : 4;
	const void *at[RANKS], *own[RANKS];
	ordo_mpi_elements(&elements, is_double ? MPI_DOUBLE : MPI_FLOAT, MPI_SUM);
	const struct mpi_arithmetic arithmetic = ordo_mpi_elements_arithmetic(&elements);
	for (int r = 0; r < RANKS; r++) /* of ranks 0 and 1 every pair */
		for (int i = 0; i < ELEMENTS; i++) {
			const int which = r ? i / NUMBER * r : i;
			memcpy(&inputs[r][(size_t)i * size], &numbers[is_double][which % NUMBER],
				size);
		}
	for (uint32_t nrank = 2; nrank <= RANKS; nrank++) {
		unsigned char all[ELEMENTS * 8], few[8 * 8];
		const struct mpi_trees *trees = ordo_mpi_tree(ORDO_MPI_DYADIC, nrank, &error);
		for (uint32_t r = 0; r < nrank; r++)
			at[r] = inputs[r];
		ordo_mpi_trees_fold(trees, &arithmetic, at, ELEMENTS, all);
		for (size_t first = 0, n = 1; first + n <= ELEMENTS; first += n, n = n % 8 + 1) {
			for (uint32_t r = 0; r < nrank; r++)
				own[r] = inputs[r] + first * size;
			ordo_mpi_trees_fold(trees, &arithmetic, own, n, few);
			expect(!memcmp(few, all + first * size, n * size),
				"few numbers have another sum", nrank);
		}
		for (size_t i = 0; i < ELEMENTS; i++) {
			for (uint32_t r = 0; r < nrank; r++)
				own[r] = inputs[r] + i * size;
			ordo_mpi_trees_fold(trees, &arithmetic, own, 1, few);
			expect(!memcmp(few, all + i * size, size), "one number has another sum",
				nrank);
		}
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
	check_few(0);
	check_few(1);
	check_disagreement(rank, nrank);
	check_documents((uint32_t)rank, (uint32_t)nrank);
	PMPI_Allreduce(MPI_IN_PLACE, &nfailed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	PMPI_Finalize();
	return nfailed != 0;
}
