/* folder_read.c - on rank 0: reads and proves the documents of a folder. */
#include "folder.h"
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <ordo/detail/accumulate.h>
#include <ordo/detail/fail.h>
#include <ordo/failure_sets.h>
#include <ordo/plan_set.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct reader {
	const char *path;
	FILE *out;
	struct mpi_document_facts *facts; /* [ndocument] */
	uint32_t ndocument;
	struct ordo_plan_set **sets; /* [nset] */
	uint32_t nset;
	struct ordo_error *error;
};

/* "order dyadic", "order unnamed", "4 orders", "sums without order (binned(bins=2))". */
static bool name_order(char *text, size_t size, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, struct ordo_error *error)
{
	struct ordo_tree_name name;
	if (ordo_is_order_free(&schedule->problem)) {
		snprintf(text, size, "sums without order (%s)",
			ordo_accumulation_name(schedule->problem.accumulate));
		return true;
	}
	struct ordo_forest *forest = ordo_forest_create(error);
	struct ordo_order *order =
		forest ? ordo_order_create(forest, schedule, proof, error) : NULL;
	bool worked = order;
	if (order && order->nclass > 1)
		snprintf(text, size, "%" PRIu32 " orders", order->nclass);
	else if (order && !ordo_forest_name(forest, order->classes[0].tree, &name))
		worked = ordo_fail_memory(error);
	else if (order && size > 6)
		ordo_tree_name_print(name, strcpy(text, "order ") + 6, size - 6);
	ordo_order_destroy(order);
	ordo_forest_destroy(forest);
	return worked;
}

static bool put_tree(
	const struct ordo_proof *proof, uint32_t root, FILE *out, struct ordo_error *error)
{
	struct mpi_trees tree;
	if (!ordo_mpi_tree_open(&tree, &proof->trees, root, error))
		return false;
	const uint32_t sizes[2] = {tree.depth, tree.nstep};
	const bool worked = fwrite(sizes, sizeof sizes, 1, out) == 1 &&
			    fwrite(tree.steps, sizeof *tree.steps, tree.nstep, out) == tree.nstep;
	ordo_mpi_trees_close(&tree);
	return worked || ordo_fail_memory(error);
}

/* Which of the chunks before, or itself, has the tree of a chunk. Sums without order are the same
 * by any tree. seen: [nnode] chunks by tree, or ORDO_NONE. */
static uint32_t first_alike(const struct ordo_schedule *schedule, const struct ordo_proof *proof,
	uint32_t chunk, uint32_t *seen)
{
	if (ordo_is_order_free(&schedule->problem))
		return 0;
	uint32_t *first = &seen[ordo_same_tree(&proof->trees, proof->chunk_tree[chunk])];
	return *first = *first == ORDO_NONE ? chunk : *first;
}

/* Writes the trees of all chunks, each once: see struct mpi_range_facts. */
static bool put_trees(const struct ordo_schedule *schedule, const struct ordo_proof *proof,
	struct mpi_range_facts *facts, FILE *out, struct ordo_error *error)
{
	const uint32_t nchunk = ordo_nchunk(&schedule->problem), filling = 0;
	uint32_t *seen = malloc(((size_t)proof->trees.nnode + 1) * sizeof *seen),
		 *tree_of = malloc(((size_t)nchunk + 1) * sizeof *tree_of),
		 *firsts = malloc(((size_t)nchunk + 1) * sizeof *firsts);
	bool worked = (seen && tree_of && firsts) || ordo_fail_memory(error);
	if (worked)
		memset(seen, 0xff, proof->trees.nnode * sizeof *seen);
	facts->ntree = 0;
	for (uint32_t c = 0; worked && c < nchunk; c++) {
		const uint32_t first = first_alike(schedule, proof, c, seen);
		tree_of[c] = first < c ? tree_of[first] : facts->ntree;
		if (first == c)
			firsts[facts->ntree++] = c;
	}
	if (worked && fwrite(tree_of, sizeof *tree_of, nchunk, out) != nchunk)
		worked = ordo_fail_memory(error);
	for (uint32_t t = 0; worked && t < facts->ntree; t++)
		worked = put_tree(proof, proof->chunk_tree[firsts[t]], out, error);
	if (worked && ftell(out) % 8 && fwrite(&filling, sizeof filling, 1, out) != 1)
		worked = ordo_fail_memory(error);
	free(seen);
	free(tree_of);
	free(firsts);
	facts->nchunk = nchunk;
	facts->chunks_per_block = schedule->problem.chunks_per_block;
	facts->accumulate = ordo_is_order_free(&schedule->problem) ? schedule->problem.accumulate
								   : ORDO_ACCUMULATE_NONE;
	return worked;
}

/* What only moves data is proved as well, and then not used. trees: where they are written. */
static bool prove(const struct ordo_schedule *schedule, struct mpi_range_facts *facts, FILE *trees,
	struct ordo_error *error)
{
	struct ordo_proof *proof = ordo_verify(schedule, NULL, error);
	bool worked = proof;
	if (!proof)
		return false;
	snprintf(facts->algorithm, sizeof facts->algorithm, "%s", schedule->algorithm);
	if (!proof->proved) {
		ordo_finding_error(schedule, &proof->findings[0], error);
		worked = false;
	} else if (!ordo_operator_facts(schedule->problem.op)->reduces) {
		strcpy(facts->order, "-");
	} else if (proof->rank_equal == ORDO_DOES_NOT_HOLD) {
		worked = ordo_fail(error, ORDO_USAGE, 0, "ranks would get other bits (G1): %s",
			proof->rank_equal_why);
	} else if (schedule->problem.accumulate == ORDO_ACCUMULATE_EXACT) {
		worked = ordo_fail(error, ORDO_USAGE, 0,
			"it accumulates in exact form, and MPI has no type of float that can");
	} else {
		memcpy(facts->digest, proof->digest, sizeof facts->digest);
		worked = name_order(facts->order, sizeof facts->order, schedule, proof, error) &&
			 put_trees(schedule, proof, facts, trees, error);
	}
	ordo_proof_destroy(proof);
	return worked;
}

static bool print_schedule(
	struct reader *reader, const struct ordo_schedule *schedule, char **text, size_t *size)
{
	FILE *out = open_memstream(text, size);
	const bool worked = out && ordo_schedule_print(schedule, out, reader->error);
	return (out && !fclose(out) && worked) || ordo_fail_memory(reader->error);
}

/* The trees, as bytes. */
static bool prove_all(struct reader *reader, const struct ordo_schedule *schedule,
	struct mpi_range_facts *facts, char **trees, size_t *size)
{
	FILE *out = open_memstream(trees, size);
	bool worked = (out || ordo_fail_memory(reader->error)) &&
		      prove(schedule, facts, out, reader->error);
	if (out && fclose(out) && worked)
		worked = ordo_fail_memory(reader->error);
	if (!worked && !reader->error->file[0])
		memcpy(reader->error->file, facts->name, sizeof facts->name);
	return worked;
}

/* Writes the facts of a range, the schedule, and its trees. */
static bool put_schedule(
	struct reader *reader, const struct ordo_schedule *schedule, struct mpi_range_facts *facts)
{
	static const char filling[8];
	char *text = NULL, *trees = NULL;
	size_t size = 0, tree_bytes = 0;
	bool worked = prove_all(reader, schedule, facts, &trees, &tree_bytes) &&
		      print_schedule(reader, schedule, &text, &size);
	if (worked) {
		const size_t fill = (8 - size % 8) % 8;
		facts->text_bytes = size;
		facts->tree_bytes = tree_bytes;
		worked = (fwrite(facts, sizeof *facts, 1, reader->out) == 1 &&
				 fwrite(text, 1, size, reader->out) == size &&
				 fwrite(filling, 1, fill, reader->out) == fill &&
				 fwrite(trees, 1, tree_bytes, reader->out) == tree_bytes) ||
			 ordo_fail_memory(reader->error);
	}
	free(text);
	free(trees);
	return worked;
}

static bool is_same_case(const struct ordo_problem *a, const struct ordo_problem *b)
{
	return a->op == b->op && a->nrank == b->nrank && a->root == b->root &&
	       a->nshard == b->nshard;
}

/* Writes the facts of a document, of which there is no other for its case. */
static bool put_document(struct reader *reader, const struct mpi_document_facts *facts)
{
	const struct ordo_problem *problem = &facts->problem;
	for (uint32_t i = 0; i < reader->ndocument; i++)
		if (is_same_case(&reader->facts[i].problem, problem))
			return ordo_fail(reader->error, ORDO_USAGE, 0,
				"two documents for %s on %" PRIu32 " ranks: %s and %s",
				ordo_operator_facts(problem->op)->name, problem->nrank,
				reader->facts[i].name, facts->name);
	struct mpi_document_facts *more =
		realloc(reader->facts, ((size_t)reader->ndocument + 1) * sizeof *more);
	if (!more)
		return ordo_fail_memory(reader->error);
	reader->facts = more;
	more[reader->ndocument++] = *facts;
	return fwrite(facts, sizeof *facts, 1, reader->out) == 1 || ordo_fail_memory(reader->error);
}

/* The place of a range among those with a schedule: sizes of the others are not covered. */
static uint32_t place_of(const struct ordo_plan_set *set, uint32_t range)
{
	uint32_t place = 0;
	for (uint32_t i = 0; i < range; i++)
		place += set->ranges[i].schedule != NULL;
	return place;
}

/* facts: of the ranges with a schedule. `text` may be an earlier one's. */
static bool put_range(struct reader *reader, const struct ordo_plan_set *set, uint32_t i,
	struct mpi_range_facts *facts)
{
	const uint32_t place = place_of(set, i), first = place_of(set, ordo_plan_set_first(set, i));
	struct mpi_range_facts *own = &facts[place];
	*own = facts[first];
	own->from_bytes = set->ranges[i].from_bytes;
	own->to_bytes = set->ranges[i].to_bytes;
	own->text_bytes = own->tree_bytes = 0;
	own->ntree = 0;
	own->text_of = first;
	snprintf(own->name, sizeof own->name, "%s", set->ranges[i].schedule);
	if (first < place)
		return fwrite(own, sizeof *own, 1, reader->out) == 1 ||
		       ordo_fail_memory(reader->error);
	struct ordo_schedule *schedule = ordo_plan_set_open(set, i, NULL, reader->error);
	const bool worked = schedule && put_schedule(reader, schedule, own);
	ordo_schedule_destroy(schedule);
	return worked;
}

static bool read_ranges(
	struct reader *reader, const struct ordo_plan_set *set, struct mpi_document_facts *document)
{
	struct mpi_range_facts *facts = calloc(set->nrange, sizeof *facts);
	FILE *out = reader->out;
	char *text = NULL;
	size_t size = 0;
	bool worked = facts && (reader->out = open_memstream(&text, &size));
	if (!worked)
		ordo_fail_memory(reader->error);
	for (uint32_t i = 0; worked && i < set->nrange; i++)
		worked = !set->ranges[i].schedule || put_range(reader, set, i, facts);
	for (uint32_t i = 0; worked && i < document->nrange; i++)
		document->changes = document->changes || !facts[i].digest[0] ||
				    strcmp(facts[i].digest, facts[0].digest);
	if (reader->out && fclose(reader->out) && worked)
		worked = ordo_fail_memory(reader->error);
	reader->out = out;
	worked = worked && put_document(reader, document);
	if (worked && fwrite(text, 1, size, out) != size)
		worked = ordo_fail_memory(reader->error);
	free(text);
	free(facts);
	return worked;
}

static bool read_set(struct reader *reader, const char *path, const char *name)
{
	struct ordo_plan_set **more =
		realloc(reader->sets, ((size_t)reader->nset + 1) * sizeof *more);
	if (!more)
		return ordo_fail_memory(reader->error);
	reader->sets = more;
	struct ordo_plan_set *set = ordo_plan_set_read(path, reader->error);
	if (!set)
		return false;
	more[reader->nset++] = set;
	struct mpi_document_facts facts = {
		.problem = set->problem, .nrange = place_of(set, set->nrange), .is_set = true};
	facts.has_gaps = facts.nrange < set->nrange;
	snprintf(facts.name, sizeof facts.name, "%s", name);
	return read_ranges(reader, set, &facts);
}

static bool read_schedule(struct reader *reader, const char *path, const char *name)
{
	struct ordo_schedule *schedule = ordo_schedule_read(path, NULL, reader->error);
	if (!schedule)
		return false;
	struct mpi_document_facts facts = {.problem = schedule->problem, .nrange = 1};
	struct mpi_range_facts range = {.to_bytes = ORDO_ENDLESS};
	snprintf(facts.name, sizeof facts.name, "%s", name);
	memcpy(range.name, facts.name, sizeof range.name);
	const bool worked = put_document(reader, &facts) && put_schedule(reader, schedule, &range);
	ordo_schedule_destroy(schedule);
	return worked;
}

/* A path in a folder, to be freed. NULL: no memory. */
static char *join(const char *folder, const char *name)
{
	const size_t size = strlen(folder) + strlen(name) + 2;
	char *path = malloc(size);
	if (path)
		snprintf(path, size, "%s/%s", folder, name);
	return path;
}

static bool has_file(const char *folder, const char *name)
{
	struct stat status;
	char *path = join(folder, name);
	const bool has = path && !stat(path, &status);
	free(path);
	return has;
}

static bool is_document(const char *path, const char *name)
{
	struct stat status;
	const size_t length = strlen(name);
	if (stat(path, &status))
		return false;
	if (S_ISDIR(status.st_mode))
		return has_file(path, "plan-set.json") || has_file(path, "schedule.json");
	return length > 5 && !strcmp(name + length - 5, ".json");
}

/* Whether a set that is a file beside it names it. */
static bool is_of_set(const struct reader *reader, const char *name)
{
	for (uint32_t s = 0; s < reader->nset; s++) {
		const struct ordo_plan_set *set = reader->sets[s];
		const size_t length = strlen(reader->path);
		if (strncmp(set->folder_name, reader->path, length) ||
			strspn(set->folder_name + length, "/") != strlen(set->folder_name + length))
			continue;
		for (uint32_t i = 0; i < set->nrange; i++)
			if (set->ranges[i].schedule && !strcmp(set->ranges[i].schedule, name))
				return true;
	}
	return false;
}

static bool read_entry(struct reader *reader, const char *name, bool wants_set)
{
	char *path = join(reader->path, name);
	bool worked = path || ordo_fail_memory(reader->error);
	if (path && name[0] != '.' && is_document(path, name) &&
		ordo_is_plan_set(path) == wants_set && (wants_set || !is_of_set(reader, name)))
		worked = wants_set ? read_set(reader, path, name)
				   : read_schedule(reader, path, name);
	free(path);
	return worked;
}

/* Sets come first: the schedules beside a set that it names are no documents of their own. A set in
 * a folder of its own has them there. */
static bool read_entries(struct reader *reader)
{
	struct dirent **entries;
	const int n = scandir(reader->path, &entries, NULL, alphasort);
	bool worked = true;
	if (n < 0)
		return ordo_fail(reader->error, ORDO_ENVIRONMENT, 0, "%s: %s", reader->path,
			strerror(errno));
	for (int i = 0; i < n && worked; i++)
		worked = read_entry(reader, entries[i]->d_name, true);
	for (int i = 0; i < n && worked; i++)
		worked = read_entry(reader, entries[i]->d_name, false);
	for (int i = 0; i < n; i++)
		free(entries[i]);
	free(entries);
	if (worked && !reader->ndocument)
		worked = ordo_fail(reader->error, ORDO_USAGE, 0,
			"%s has no schedule and no plan set", reader->path);
	return worked;
}

/* The last part of a path. */
static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

static bool refuse_failure_set(struct reader *reader)
{
	ordo_fail(reader->error, ORDO_USAGE, 0,
		"%s is a failure set, wanted a schedule or a plan set", reader->path);
	return ordo_hint(reader->error, "name the schedule of one state, such as failure-0.json");
}

bool ordo_mpi_folder_read(const char *path, char **bytes, size_t *size, struct ordo_error *error)
{
	struct reader reader = {.path = path, .error = error};
	*bytes = NULL;
	if (!(reader.out = open_memstream(bytes, size)))
		return ordo_fail_memory(error);
	bool worked = ordo_is_failure_set(path) ? refuse_failure_set(&reader)
		      : ordo_is_plan_set(path)	? read_set(&reader, path, name_of(path))
		      : has_file(path, "schedule.json")
			      ? read_schedule(&reader, path, name_of(path))
			      : read_entries(&reader);
	if (fclose(reader.out) && worked)
		worked = ordo_fail_memory(error);
	for (uint32_t i = 0; i < reader.nset; i++)
		ordo_plan_set_destroy(reader.sets[i]);
	free(reader.sets);
	free(reader.facts);
	return worked;
}
