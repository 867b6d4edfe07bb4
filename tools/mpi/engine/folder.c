/* folder.c - the documents of `plans=FOLDER`, the same on all ranks. */
#include "folder.h"
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <ordo/detail/accumulate.h>
#include <ordo/detail/fail.h>
#include <ordo/plan_set.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* A plan of a document. */
struct made {
	struct mpi_plan plan;
	struct made *next;
};
struct mpi_range {
	const struct mpi_document *document;
	struct mpi_range_facts facts;
	struct mpi_range *with_text; /* itself, or the earlier range with its schedule */
	const char *text;
	_Atomic uint64_t ncall;
	/* Of a range with a text. */
	struct made *plans;	 /* made when they are first used */
	bool is_proved;		 /* on this rank as well */
	struct mpi_trees *trees; /* [ntree] of facts; their steps are those that came */
	const uint32_t *tree_of; /* [nchunk] */
};
struct mpi_document {
	struct mpi_document_facts facts;
	struct mpi_range *ranges;
	struct mpi_document *next;
};
/* What no document covered. */
struct uncovered {
	enum ordo_operator op;
	uint32_t nrank, nshard;
	uint64_t ncall;
	struct uncovered *next;
};

static char *all_bytes; /* texts point into them */
static size_t all_size;
static struct mpi_document *documents;
static struct uncovered *uncovered;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* NULL: no memory. */
static char *read_range(struct mpi_document *document, uint32_t i, char *at)
{
	struct mpi_range *range = &document->ranges[i];
	memcpy(&range->facts, at, sizeof range->facts);
	range->document = document;
	range->with_text =
		range->facts.text_bytes ? range : &document->ranges[range->facts.text_of];
	range->text = at += sizeof range->facts;
	at += (range->facts.text_bytes + 7) / 8 * 8;
	char *end = at + range->facts.tree_bytes;
	if (!range->facts.ntree)
		return end;
	uint32_t *word = (uint32_t *)(void *)at;
	if (!(range->trees = calloc(range->facts.ntree, sizeof *range->trees)))
		return NULL;
	range->tree_of = word;
	word += range->facts.nchunk;
	for (uint32_t t = 0; t < range->facts.ntree; t++) {
		range->trees[t] = (struct mpi_trees){.depth = word[0],
			.nstep = word[1],
			.steps = word + 2,
			.accumulate = range->facts.accumulate};
		word += 2 + word[1];
	}
	return end;
}

/* The bytes are those of ordo_mpi_folder_read. */
static bool read_all(size_t size, struct ordo_error *error)
{
	struct mpi_document **last = &documents;
	for (char *at = all_bytes, *end = at + size; at < end;) {
		struct mpi_document *document = calloc(1, sizeof *document);
		if (!document)
			return ordo_fail_memory(error);
		*last = document;
		last = &document->next;
		memcpy(&document->facts, at, sizeof document->facts);
		at += sizeof document->facts;
		document->ranges = calloc(document->facts.nrange, sizeof *document->ranges);
		if (!document->ranges)
			return ordo_fail_memory(error);
		for (uint32_t i = 0; i < document->facts.nrange; i++)
			if (!(at = read_range(document, i, at)))
				return ordo_fail_memory(error);
	}
	return true;
}

/* Takes what came, unless another thread was first. */
static bool take_all(char *bytes, size_t size, struct ordo_error *error)
{
	bool worked = true;
	pthread_mutex_lock(&lock);
	if (all_bytes) {
		if (bytes != all_bytes)
			free(bytes);
	} else {
		all_bytes = bytes;
		all_size = size;
		worked = read_all(size, error);
	}
	pthread_mutex_unlock(&lock);
	return worked;
}

bool ordo_mpi_folder_share(const char *path, MPI_Comm comm, int source, struct ordo_error *error)
{
	int rank;
	char *bytes = all_bytes;
	size_t size = all_size;
	PMPI_Comm_rank(comm, &rank);
	if (rank == source && !bytes && !ordo_mpi_folder_read(path, &bytes, &size, error))
		return false;
	uint64_t n = size;
	PMPI_Bcast(&n, 1, MPI_UINT64_T, source, comm);
	if (rank != source && !(bytes = malloc(n + 1)))
		return ordo_fail_memory(error);
	for (uint64_t done = 0, most = UINT64_C(1) << 30; done < n; done += most)
		PMPI_Bcast(bytes + done, (int)(n - done < most ? n - done : most), MPI_BYTE, source,
			comm);
	return take_all(bytes, n, error);
}

bool ordo_mpi_folder_is_used(void)
{
	return documents;
}

static void count_uncovered(enum ordo_operator op, uint32_t nrank, uint32_t nshard)
{
	struct uncovered *one;
	pthread_mutex_lock(&lock);
	for (one = uncovered; one; one = one->next)
		if (one->op == op && one->nrank == nrank && one->nshard == nshard)
			break;
	if (!one && (one = malloc(sizeof *one))) {
		*one = (struct uncovered){op, nrank, nshard, 0, uncovered};
		uncovered = one;
	}
	if (one)
		one->ncall++;
	pthread_mutex_unlock(&lock);
}

static struct mpi_range *find_range(struct mpi_document *document, uint64_t bytes)
{
	for (uint32_t i = 0; i < document->facts.nrange; i++) {
		struct mpi_range *range = &document->ranges[i];
		if (bytes >= range->facts.from_bytes && bytes <= range->facts.to_bytes)
			return range;
	}
	return NULL;
}

/* Whether elements can be summed in the form of a document that has one. */
static bool accumulates(const struct ordo_problem *problem, const enum ordo_type *summed)
{
	return !problem->accumulate ||
	       (summed && ordo_can_reduce(problem, *summed, ORDO_SUM, NULL));
}

struct mpi_range *ordo_mpi_folder_find(enum ordo_operator op, uint32_t nrank, uint32_t root,
	uint32_t nshard, uint64_t bytes, const enum ordo_type *summed)
{
	struct mpi_range *range = NULL;
	if (!documents)
		return NULL;
	for (struct mpi_document *document = documents; document; document = document->next) {
		const struct ordo_problem *problem = &document->facts.problem;
		if (problem->op == op && problem->nrank == nrank && problem->root == root &&
			problem->nshard == nshard && accumulates(problem, summed) &&
			(range = find_range(document, bytes)))
			break;
	}
	if (range)
		atomic_fetch_add_explicit(&range->ncall, 1, memory_order_relaxed);
	else
		count_uncovered(op, nrank, nshard);
	return range;
}

const struct ordo_problem *ordo_mpi_range_problem(const struct mpi_range *range)
{
	return &range->document->facts.problem;
}

static struct ordo_schedule *read_schedule(const struct mpi_range *range, struct ordo_error *error)
{
	const struct ordo_read_options options = {.no_places = true};
	return ordo_schedule_read_text(
		range->text, range->facts.text_bytes, range->facts.name, &options, error);
}

/* Proves it again, on this rank. */
static bool prove_again(
	struct mpi_range *range, const struct ordo_schedule *schedule, struct ordo_error *error)
{
	struct ordo_proof *proof = ordo_verify(schedule, NULL, error);
	bool worked = proof;
	if (proof && (!proof->proved || strcmp(proof->digest, range->facts.digest)))
		worked = ordo_fail(error, ORDO_REFUTED, 0, "%s has the order %s, and on rank 0 %s",
			range->facts.name, proof->digest, range->facts.digest);
	ordo_proof_destroy(proof);
	return range->is_proved = worked;
}

/* The tree of all chunks; or an empty one. */
static struct mpi_trees only_tree(const struct mpi_range *range)
{
	return range->facts.ntree == 1 ? range->trees[0] : (struct mpi_trees){0};
}

static struct made *make_plan(struct mpi_range *range, const struct ordo_schedule *schedule,
	uint32_t rank, struct ordo_error *error)
{
	struct ordo_levels *levels = ordo_levels_create(schedule, error);
	struct made *made = levels ? calloc(1, sizeof *made) : NULL;
	if (made)
		made->plan = (struct mpi_plan){.nrank = schedule->problem.nrank,
			.rank = rank,
			.algorithm = range->facts.algorithm,
			.part = ordo_part_create(levels, rank, error),
			.trees = only_tree(range)};
	else if (levels)
		ordo_fail_memory(error);
	ordo_levels_destroy(levels);
	if (made && made->plan.part) {
		made->next = range->plans;
		return range->plans = made;
	}
	free(made);
	return NULL;
}

static struct made *find_plan(struct mpi_range *range, uint32_t rank, struct ordo_error *error)
{
	for (struct made *made = range->plans; made; made = made->next)
		if (made->plan.rank == rank)
			return made;
	struct ordo_schedule *schedule = read_schedule(range, error);
	const bool is_proved =
		schedule && (range->is_proved || prove_again(range, schedule, error));
	struct made *made = is_proved ? make_plan(range, schedule, rank, error) : NULL;
	ordo_schedule_destroy(schedule);
	return made;
}

const struct mpi_plan *ordo_mpi_range_plan(
	struct mpi_range *range, uint32_t rank, struct ordo_error *error)
{
	pthread_mutex_lock(&lock);
	const struct made *made = find_plan(range->with_text, rank, error);
	pthread_mutex_unlock(&lock);
	return made ? &made->plan : NULL;
}

static struct ordo_schedule *read_wanted(
	void *closure, const struct mpi_plan *wanted, struct ordo_error *error)
{
	(void)wanted;
	return read_schedule(closure, error);
}

static bool prove_wanted(void *closure, const struct ordo_schedule *schedule, struct mpi_plan *plan,
	struct ordo_error *error)
{
	struct mpi_range *range = closure;
	const struct mpi_trees only = only_tree(range);
	pthread_mutex_lock(&lock);
	const bool worked = (range->is_proved || prove_again(range, schedule, error)) &&
			    ordo_mpi_trees_copy(&plan->trees, &only, error);
	pthread_mutex_unlock(&lock);
	return worked;
}

struct mpi_plan *ordo_mpi_range_share(
	struct mpi_range *range, uint32_t rank, MPI_Comm comm, struct ordo_error *error)
{
	const struct mpi_maker maker = {range->with_text, read_wanted, prove_wanted};
	const struct mpi_plan wanted = {.nrank = range->document->facts.problem.nrank,
		.rank = rank,
		.algorithm = range->facts.algorithm};
	return ordo_mpi_plan_share(&wanted, &maker, comm, error);
}

int ordo_mpi_range_fold(const struct mpi_range *range, const struct mpi_arithmetic *arithmetic,
	uint32_t block, const void *const *inputs, uint64_t n, void *out)
{
	const struct mpi_range *own = range->with_text;
	const uint32_t nleaf = ordo_mpi_range_problem(range)->nshard;
	const void **at = malloc(nleaf * sizeof *at);
	int code = at ? MPI_SUCCESS : MPI_ERR_NO_MEM;
	const uint32_t K = own->facts.chunks_per_block;
	for (uint32_t k = 0; code == MPI_SUCCESS && k < K; k++) {
		const uint64_t begin = ordo_chunk_begin(n, K, k, 1),
			       size = ordo_chunk_begin(n, K, k + 1, 1) - begin;
		for (uint32_t leaf = 0; leaf < nleaf; leaf++)
			at[leaf] = (const char *)inputs[leaf] + begin * arithmetic->extent;
		if (size)
			code = ordo_mpi_trees_fold(&own->trees[own->tree_of[block * K + k]],
				arithmetic, at, size, (char *)out + begin * arithmetic->extent);
	}
	free(at);
	return code;
}

static void print_calls(FILE *out, uint64_t ncall)
{
	if (ncall)
		fprintf(out, ", %" PRIu64 " call%s\n", ncall, ncall == 1 ? "" : "s");
	else
		fprintf(out, ", not used by rank 0\n");
}

static void print_schedule(FILE *out, const struct mpi_range *range)
{
	fprintf(out, "by %s, %s, order digest %s", range->facts.algorithm, range->facts.order,
		range->facts.digest);
	print_calls(out, range->ncall);
}

static void print_range(FILE *out, const struct mpi_range *range)
{
	fprintf(out, "ordo:     %" PRIu64, range->facts.from_bytes);
	if (range->facts.to_bytes != ORDO_ENDLESS)
		fprintf(out, " to %" PRIu64, range->facts.to_bytes);
	fprintf(out, " bytes%s: %s, ", range->facts.to_bytes == ORDO_ENDLESS ? " and more" : "",
		range->facts.name);
	print_schedule(out, range);
}

static void print_document(FILE *out, const struct mpi_document *document)
{
	const struct ordo_problem *problem = &document->facts.problem;
	fprintf(out, "ordo:   %s: %s on %" PRIu32 " ranks", document->facts.name,
		ordo_operator_facts(problem->op)->name, problem->nrank);
	if (ordo_operator_facts(problem->op)->rooted)
		fprintf(out, ", root %" PRIu32, problem->root);
	if (problem->nshard != problem->nrank)
		fprintf(out, ", %" PRIu32 " shards", problem->nshard);
	if (!ordo_operator_facts(problem->op)->reduces) {
		fprintf(out, ", not used: it only moves data\n");
	} else if (document->facts.is_set) {
		fprintf(out, ", %s\n",
			document->facts.changes	   ? "its order changes with the size"
			: document->facts.has_gaps ? "one order for all sizes that it covers"
						   : "one order for all sizes");
		for (uint32_t i = 0; i < document->facts.nrange; i++)
			print_range(out, &document->ranges[i]);
	} else {
		fprintf(out, ", ");
		print_schedule(out, &document->ranges[0]);
	}
}

void ordo_mpi_folder_print(FILE *out, const char *fallback)
{
	for (const struct mpi_document *document = documents; document; document = document->next)
		print_document(out, document);
	pthread_mutex_lock(&lock);
	for (const struct uncovered *one = uncovered; one; one = one->next) {
		fprintf(out, "ordo:   not covered by plans: %s on %" PRIu32 " ranks",
			ordo_operator_facts(one->op)->name, one->nrank);
		if (one->nshard != one->nrank)
			fprintf(out, ", %" PRIu32 " shards", one->nshard);
		fprintf(out, ", in the order %s", fallback);
		print_calls(out, one->ncall);
	}
	pthread_mutex_unlock(&lock);
}

static cJSON *make_problem(enum ordo_operator op, uint32_t nrank, uint32_t nshard)
{
	cJSON *one = cJSON_CreateObject();
	cJSON_AddStringToObject(one, "operator", ordo_operator_facts(op)->name);
	cJSON_AddNumberToObject(one, "ranks", nrank);
	if (nshard != nrank)
		cJSON_AddNumberToObject(one, "shards", nshard);
	return one;
}

static cJSON *make_range(const struct mpi_range *range, bool is_set)
{
	cJSON *one = cJSON_CreateObject();
	if (is_set) {
		cJSON_AddStringToObject(one, "schedule", range->facts.name);
		cJSON_AddNumberToObject(one, "from_bytes", (double)range->facts.from_bytes);
		if (range->facts.to_bytes != ORDO_ENDLESS)
			cJSON_AddNumberToObject(one, "to_bytes", (double)range->facts.to_bytes);
	}
	cJSON_AddStringToObject(one, "algorithm", range->facts.algorithm);
	cJSON_AddStringToObject(one, "order", range->facts.order);
	cJSON_AddStringToObject(one, "order_digest", range->facts.digest);
	cJSON_AddNumberToObject(one, "calls", (double)range->ncall);
	return one;
}

static cJSON *make_document(const struct mpi_document *document)
{
	const struct ordo_problem *problem = &document->facts.problem;
	const struct ordo_operator_facts *facts = ordo_operator_facts(problem->op);
	cJSON *one = make_problem(problem->op, problem->nrank, problem->nshard);
	cJSON_AddStringToObject(one, "name", document->facts.name);
	if (facts->rooted)
		cJSON_AddNumberToObject(one, "root", problem->root);
	cJSON_AddBoolToObject(one, "reduces", facts->reduces);
	cJSON_AddBoolToObject(one, "order_changes_with_size", document->facts.changes);
	cJSON *ranges = cJSON_AddArrayToObject(one, "ranges");
	for (uint32_t i = 0; facts->reduces && i < document->facts.nrange; i++)
		cJSON_AddItemToArray(
			ranges, make_range(&document->ranges[i], document->facts.is_set));
	return one;
}

void ordo_mpi_folder_json(cJSON *report)
{
	cJSON *all = cJSON_AddArrayToObject(report, "documents"),
	      *others = cJSON_AddArrayToObject(report, "not_covered");
	for (const struct mpi_document *document = documents; document; document = document->next)
		cJSON_AddItemToArray(all, make_document(document));
	pthread_mutex_lock(&lock);
	for (const struct uncovered *one = uncovered; one; one = one->next) {
		cJSON *object = make_problem(one->op, one->nrank, one->nshard);
		cJSON_AddNumberToObject(object, "calls", (double)one->ncall);
		cJSON_AddItemToArray(others, object);
	}
	pthread_mutex_unlock(&lock);
}
