/* folder.h - the documents of `plans=FOLDER`: schedules and plan sets that reductions follow
 * instead of the order of `order=`. Private to tools/mpi/.
 *
 * Rank 0 reads and proves them once, and all ranks get them as text, because a communicator of any
 * ranks may need any of them. All ranks also get the reduction trees of each, which are all that a
 * nonblocking call needs. A rank makes its part of a document when a communicator first uses it; on
 * communicators of many ranks it gets the part from their rank 0. */
#ifndef ORDO_MPI_FOLDER_H
#define ORDO_MPI_FOLDER_H

#include "plan.h"

/* What rank 0 knows of a document; sent before its ranges. */
struct mpi_document_facts {
	struct ordo_problem problem; /* chunks_per_block is that of the first schedule */
	char name[256];		     /* below the folder */
	uint32_t nrange;	     /* 1 for a schedule */
	bool is_set, changes;	     /* a set; whose order changes with the size */
	bool has_gaps;		     /* some of its ranges have no schedule: not covered */
};
/* And of the schedule of a range of sizes. Its text follows, unless another range has it, and then
 * its trees: the number of each chunk's, and for each of them its depth, its number of steps and
 * these. Texts are filled up to whole units of 8 bytes, and so are trees. */
struct mpi_range_facts {
	uint64_t from_bytes, to_bytes; /* both belong to it; ORDO_ENDLESS */
	uint64_t text_bytes;	       /* 0: that of an earlier range */
	uint64_t tree_bytes;
	uint32_t text_of; /* that range; or itself */
	uint32_t chunks_per_block, nchunk, ntree;
	enum ordo_accumulation accumulate; /* in which sums have no order; or none */
	char name[256], algorithm[128], order[64], digest[33];
};

struct mpi_range;

/* Reads and proves all documents of a folder (or the one that the folder is), and writes them as
 * all ranks get them: facts, and the text of each schedule. The caller frees *bytes. false: there
 * is no folder, a document cannot be read or is not proved or not usable, or two are for the same
 * case. */
bool ordo_mpi_folder_read(const char *path, char **bytes, size_t *size, struct ordo_error *error);
/* Reads the folder on rank `source` of a communicator, unless it has it, and gives it to all its
 * ranks that do not have it. All of them call. false: as above, on that rank alone: the others
 * wait, and the caller ends the program. */
bool ordo_mpi_folder_share(const char *path, MPI_Comm comm, int source, struct ordo_error *error);

/* Whether there is a folder. */
bool ordo_mpi_folder_is_used(void);
/* The range that a reduction follows, and counts it. nshard: nrank, or that of
 * ordo_mpi_allreduce_shards. bytes: of all blocks of one rank. summed: the type of sums by our
 * loops; NULL: it is another reduction, which no document that accumulates covers. NULL: not
 * covered; that is counted as well. Any thread. */
struct mpi_range *ordo_mpi_folder_find(enum ordo_operator op, uint32_t nrank, uint32_t root,
	uint32_t nshard, uint64_t bytes, const enum ordo_type *summed);
const struct ordo_problem *ordo_mpi_range_problem(const struct mpi_range *range);
/* Its plan for a rank, kept until the end. plan->trees is the tree of all chunks, or empty if they
 * have several. Any thread; no other rank is needed. NULL: see error. */
const struct mpi_plan *ordo_mpi_range_plan(
	struct mpi_range *range, uint32_t rank, struct ordo_error *error);
/* The same for many ranks, all of which call: rank 0 proves it again, and the others get their
 * parts. The caller frees it. NULL: see error; the others may have theirs. */
struct mpi_plan *ordo_mpi_range_share(
	struct mpi_range *range, uint32_t rank, MPI_Comm comm, struct ordo_error *error);
/* Evaluates the trees of a block of n elements, chunk by chunk, as ordo_mpi_trees_fold. block: 0,
 * or that of a ReduceScatter. Proves nothing: the trees came from rank 0. Returns an MPI error
 * code. */
int ordo_mpi_range_fold(const struct mpi_range *range, const struct mpi_arithmetic *arithmetic,
	uint32_t block, const void *const *inputs, uint64_t n, void *out);
/* A line for each document and range, and for what none covered; nothing without a folder. */
void ordo_mpi_folder_print(FILE *out, const char *fallback);
/* The same as objects, added to `report`. */
void ordo_mpi_folder_json(struct cJSON *report);

#endif
