/* log.h - what the lines of NCCL_DEBUG=INFO say of one communicator: rings, trees and calls.
 *
 * The lines and what they mean: README.md. Files are read one after another into one log, so it
 * does not matter whether all ranks wrote one file or each its own.
 */
#ifndef ORDO_TOOLS_NCCL_LOG_H
#define ORDO_TOOLS_NCCL_LOG_H

#include <ordo/owned.h>
#include <ordo/schedule.h>

/* Where something was read. */
struct nccl_place {
	const char *file;
	uint32_t line;
};

/* A rank's part in the communicator. */
struct nccl_member {
	struct nccl_place place;
	const char *process; /* "host:pid" */
	const char *pointer; /* "0x..." */
	const char *id;	     /* commId, the same on all ranks; NULL: older versions have none */
	uint32_t rank, nrank;
};

/* `Channel 00/08 : 0 1 2 3`, of one rank, which begins it. */
struct nccl_channel {
	struct nccl_place place;
	uint32_t *ranks; /* [nrank] */
	uint32_t channel, nchannel, nrank;
};

/* `Ring 00 : 3 -> 0 -> 1` */
struct nccl_ring {
	struct nccl_place place;
	uint32_t channel, before, rank, after;
};

#define NCCL_MOST_CHILDREN 3

/* One channel of `Trees [0] 1/-1/-1->0->-1`; ORDO_NONE: no child, or no parent. */
struct nccl_node {
	struct nccl_place place;
	uint32_t channel, rank, parent, children[NCCL_MOST_CHILDREN];
};

struct nccl_call {
	struct nccl_place place;
	const char *collective; /* "AllReduce"; NULL: the line does not name it */
	const char *algorithm, *protocol;
	uint64_t bytes;
	uint32_t first, last; /* channels; ORDO_NONE: the line does not name them */
};

struct nccl_version {
	struct nccl_place place;
	uint32_t major, minor, patch; /* major 0: no line named it */
	bool rccl;
};

struct nccl_log {
	struct nccl_version version;
	struct nccl_member *members;
	struct nccl_channel *channels;
	struct nccl_ring *rings;
	struct nccl_node *nodes;
	struct nccl_call *calls;
	uint32_t nmember, nchannel, nring, nnode, ncall;

	/* Private: growth and ownership. */
	size_t member_room, channel_room, ring_room, node_room, call_room;
	struct ordo_arena arena;
};

/* Reads a file, after others; "-" is not accepted. false: an error with file and line. A log begins
 * as {0}; the caller closes it, also after an error. */
bool nccl_read(struct nccl_log *log, const char *path, struct ordo_error *error);
/* The same from memory. */
bool nccl_read_text(struct nccl_log *log, const char *text, size_t size, const char *name,
	struct ordo_error *error);
void nccl_close(struct nccl_log *log);

/* The rings and trees of all channels, complete and of one communicator. */
struct nccl_graph {
	uint32_t nrank, nchannel;
	uint32_t *rings; /* [nchannel][nrank], in order of sending */
	/* [nchannel][nrank], by rank; NULL: the log has no trees */
	struct nccl_node *trees;
};

/* Checks the version and that there is one communicator, and joins the lines of all ranks. false:
 * an error that says what is missing, or contradicts what. The caller frees the graph, also after
 * an error. */
bool nccl_join(const struct nccl_log *log, struct nccl_graph *graph, struct ordo_error *error);
void nccl_graph_free(struct nccl_graph *graph);
/* Whether there is a tree on every channel. false: an error that says which lines are missing. */
bool nccl_need_trees(
	const struct nccl_log *log, const struct nccl_graph *graph, struct ordo_error *error);

/* The ranks of a channel's tree from the root on, each after its parent; order[nrank]. Returns how
 * many there are; ORDO_NONE: more than ranks. */
uint32_t nccl_tree_order(const struct nccl_graph *graph, uint32_t channel, uint32_t *order);

/* Fills an error of bad input at a place. Always false. */
bool nccl_fail(struct nccl_place place, struct ordo_error *error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
