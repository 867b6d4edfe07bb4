/* cover.c - prints compiler/COVERAGE.md: which algorithms, operators and numbers of ranks are
 * compiled, proved, and run.
 *
 * cover [LAST [EVERY [ALGORITHM]]]: LAST, the largest number of ranks, 0 for the usual one; EVERY,
 * which requests are made: every so manieth; ALGORITHM, the only one. Every schedule is proved
 * (ordo_compile proves), and up to 33 ranks it runs, its result compared bit for bit with the
 * sequential meaning: up to 8 ranks on two threads, with more on one, as two spend their time
 * waking each other where there is little data. Exits 1 if anything fails. All algorithms take
 * minutes.
 */
#include "check/execution.h"
#include "specimens.h"
#include <stdlib.h>
#include <string.h>

static const uint32_t sizes[] = {48, 64, 96, 100, 127, 128, 129, 255, 256, 257};
enum {
	NTINY = 8,
	NSMALL = 33,
	NSIZE = sizeof sizes / sizeof *sizes,
	MOST_ROWS = 256,
	MOST_RANKS = 258
};

/* One algorithm and operator. */
struct row {
	const char *algorithm;
	enum ordo_operator op;
	bool proved[MOST_RANKS];
	uint32_t nproved, nrun;
};

struct coverage {
	const char *algorithm; /* NULL: all */
	struct row rows[MOST_ROWS];
	uint32_t nrow, nwrong;
};

/* A row for every algorithm and operator of the table, also for those that apply to no number of
 * ranks tried. */
static void list_rows(struct coverage *coverage)
{
	uint32_t nalgorithm;
	const struct ordo_algorithm_facts *const *algorithms = ordo_algorithms(&nalgorithm);
	for (uint32_t i = 0; i < nalgorithm; i++)
		for (int op = 0; op < ORDO_NOPERATOR; op++) {
			if (!(algorithms[i]->operators >> op & 1) ||
				(coverage->algorithm &&
					strcmp(coverage->algorithm, algorithms[i]->name) != 0))
				continue;
			if (coverage->nrow == MOST_ROWS)
				abort();
			coverage->rows[coverage->nrow++] = (struct row){
				.algorithm = algorithms[i]->name, .op = (enum ordo_operator)op};
		}
}

static struct row *row_of(struct coverage *coverage, const struct specimen *specimen)
{
	size_t length = strcspn(specimen->algorithm, "(");
	for (uint32_t i = 0; i < coverage->nrow; i++) {
		struct row *row = &coverage->rows[i];
		if (row->op == specimen->problem.op && strlen(row->algorithm) == length &&
			!strncmp(row->algorithm, specimen->algorithm, length))
			return row;
	}
	abort();
}

static void run(struct coverage *coverage, const struct specimen *specimen,
	const struct ordo_schedule *schedule)
{
	struct ordo_error error = {0};
	struct execution execution = {0};
	const struct execution_options args = {.type = ORDO_F32,
		.reduction = ORDO_SUM,
		.count = 2 * (uint64_t)schedule->problem.chunks_per_block + 3,
		.nworker = schedule->problem.nrank > NTINY ? 1 : 2,
		.seed = specimen->problem.nrank,
		.repeat = 2,
		.check = true};
	struct ordo_proof *proof = ordo_verify(schedule, NULL, &error);
	bool right = proof && proof->proved && execute(&execution, schedule, proof, &args, &error);
	if (!right || !execution.check.bits_equal || !execution.check.within_bounds) {
		fprintf(stderr, "%s: %s%s\n", specimen->title, error.text,
			right ? execution.check.text : "");
		coverage->nwrong++;
	}
	if (proof)
		close_execution(&execution);
	ordo_proof_destroy(proof);
}

static void cover(
	const struct specimen *specimen, const struct ordo_schedule *schedule, void *closure)
{
	struct coverage *coverage = closure;
	struct row *row = row_of(coverage, specimen);
	row->proved[specimen->problem.nrank] = true;
	row->nproved++;
	if (specimen->problem.nrank > NSMALL)
		return;
	run(coverage, specimen, schedule);
	row->nrun++;
}

static void cover_size(struct coverage *coverage, uint32_t nrank, uint32_t every)
{
	const struct specimen_range range = {.algorithm = coverage->algorithm,
		.first_rank = nrank,
		.last_rank = nrank,
		.every = every,
		.all_roots = nrank <= NTINY,
		.all_chunks = nrank <= NSMALL,
		.all_parameters = nrank <= NSMALL};
	struct specimen_count count = visit_specimens(&range, cover, coverage);
	coverage->nwrong += count.failed;
	fprintf(stderr, "%u ranks: %u proved\n", nrank, count.visited);
}

/* "1..33, 48, 64" */
static void print_sizes(const struct row *row)
{
	const char *comma = "";
	for (uint32_t n = 0; n < MOST_RANKS; n++) {
		uint32_t last = n;
		if (!row->proved[n])
			continue;
		while (last + 1 < MOST_RANKS && row->proved[last + 1])
			last++;
		if (last > n + 1)
			printf("%s%u..%u", comma, n, last);
		else
			printf(last > n ? "%s%u, %u" : "%s%u", comma, n, last);
		comma = ", ";
		n = last;
	}
}

static void print(const struct coverage *coverage)
{
	uint64_t proved = 0, ran = 0;
	printf("# Coverage\n\n"
	       "Made by `tests/algorithms/cover`; do not edit. Every combination of algorithm and "
	       "operator that applies, for the numbers of ranks named, in place\nand out of place, "
	       "and, if it adds, with 2N and with 3N+1 virtual shards, compiled and proved: with "
	       "roots 0 and N-1 (up to %u ranks every root), the natural\nand 2 chunks a block, "
	       "and up to %u ranks also 1, 3 and N+1 chunks and every value of every parameter. "
	       "Up to %u ranks each also ran, twice,\nbit-equal with the reference result: up to "
	       "%u ranks on two threads, with more on one.\n\n"
	       "| algorithm | operator | ranks | proved | run |\n|---|---|---|---|---|\n",
		NTINY, NSMALL, NSMALL, NTINY);
	for (uint32_t i = 0; i < coverage->nrow; i++) {
		const struct row *row = &coverage->rows[i];
		printf("| %s | %s | ", row->algorithm, ordo_operator_facts(row->op)->name);
		print_sizes(row);
		printf("%s | %u | %u |\n", row->nproved ? "" : "none", row->nproved, row->nrun);
		proved += row->nproved;
		ran += row->nrun;
	}
	printf("| all | | | %llu | %llu |\n", (unsigned long long)proved, (unsigned long long)ran);
}

int main(int argc, char **argv)
{
	static struct coverage coverage;
	const uint32_t most = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0,
		       last = most ? most : sizes[NSIZE - 1],
		       every = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1;
	coverage.algorithm = argc > 3 ? argv[3] : NULL;
	list_rows(&coverage);
	if (!coverage.nrow) {
		fprintf(stderr, "cover: no algorithm is named %s\n", coverage.algorithm);
		return 1;
	}
	for (uint32_t n = 1; n <= NSMALL && n <= last; n++)
		cover_size(&coverage, n, every);
	for (int i = 0; i < NSIZE && sizes[i] <= last; i++)
		cover_size(&coverage, sizes[i], every);
	print(&coverage);
	return fflush(stdout) || coverage.nwrong != 0;
}
