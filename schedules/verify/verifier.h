/* verifier.h - the shared state of the verifier for one schedule. Private to schedules/verify/.
 */
#ifndef ORDO_SCHEDULES_VERIFY_VERIFIER_H
#define ORDO_SCHEDULES_VERIFY_VERIFIER_H

#include "findings.h"
#include "model/switch_reachability.h"
#include "trees/tree_builder.h"
#include <ordo/map.h>
#include <ordo/signals.h>
#include <ordo/verify.h>

/* What the verifier knows about a task. */
struct task_info {
	uint32_t stream;
	uint32_t at;   /* its place in the run */
	uint32_t link; /* Notify, Wait: the signal's index; a move: its flow chain */
};

/* A signal, in addition to its name and streams (signals.table). */
struct signal {
	uint32_t first;		/* its notifies in verifier.signals.notifies, in order */
	uint32_t posted, taken; /* so many of its notifies and waits are filled in */
	uint32_t sync;		/* index of (notifier -> waiter) in verifier.syncs.items */
	uint32_t next;		/* another signal of the same sync, or ORDO_NONE */
	uint32_t entry,
		/* touches that this signal can prove safe; ORDO_NONE: it joins streams of one
		 * rank */
		exit;
};

/* From one stream to another: the latest notify of `from` that `to` has waited for directly. */
struct sync {
	uint32_t from, to;
	uint32_t known;	       /* notify task + 1; 0: none */
	uint32_t first_signal; /* the signals between the two: a list by signal.next */
};

/* A stream that touches another rank's memory, or synchronises with that rank (R9). */
struct touch {
	uint32_t stream, rank;
	bool entered;	      /* the stream waited for a notify of some stream of that rank */
	uint32_t first, last; /* its accesses to that rank's memory; ORDO_NONE: none */
	/* latest notify of the stream that some stream of that rank waited for, + 1 */
	uint32_t left;
	bool entered_first; /* that rank had entered before `first`, for certain */
};

/* The last actions of a stream in the run. */
struct recent {
	uint32_t gate;	/* the last Wait passed; ORDO_NONE: none */
	uint32_t touch; /* the last touch and, */
	/* the latest first, the last syncs to this stream that mattered; ORDO_NONE: none */
	uint32_t syncs[2];
};

/* Does a precede b in every execution? Decided exactly by reachability.c, if nothing cheaper
 * does. */
struct query {
	uint32_t a, b;
	uint32_t gate;	/* the last Wait before b in b's stream; ORDO_NONE: none, so no */
	uint32_t owner; /* the rank whose memory they conflict about, */
	uint32_t slot;	/* and which slot of it: for the message */
	uint8_t buffer;
	bool only_order; /* two reduces that --atomic-reduce allows: it refutes G2, not R8 */
	bool ordered;	 /* the result */
};

/* The memory of one chunk, in the run. */
struct cell {
	uint32_t tree;	      /* what it holds; ORDO_NONE: undefined */
	uint32_t chunk : 31;  /* of which chunk */
	uint32_t rounded : 1; /* accumulate f32: a sum that has been rounded already */
	uint32_t writer;      /* the last write; ORDO_NONE: none since the call began */
	/* reads since then: the latest, and a list of earlier ones of other streams */
	uint32_t reader, more;
};

/* With --atomic-reduce a slot's history also has groups of reduces that may come in any order among
 * themselves. */
struct group {
	uint32_t reduces; /* list: the reduces of the open group */
	uint32_t base;	  /* list: what every one of them must follow */
	uint32_t latest;  /* the reduce last added */
};

/* Lists of tasks, in one pool; index 0 is the empty list. */
struct item {
	uint32_t task, next;
};

/* All signals, numbered in the order in which tasks name them. */
struct signals {
	struct ordo_signal_table table; /* of signal i: table.items[i] and items[i] */
	struct signal *items;
	uint32_t *notifies; /* tasks, by signal; */
	/* and the Wait that took each: so far posted, and so far taken, are filled in */
	uint32_t *waits;
	/* the Notify after which a signal holds most tokens; ORDO_NONE: not measured */
	uint32_t fullest;
};

struct sync_table {
	struct sync *items;
	size_t room;
	uint32_t count;
	struct ordo_near_map of; /* (to, from) streams -> items */
};

struct touch_table {
	struct touch *items;
	size_t room;
	uint32_t count;
	struct ordo_near_map of; /* (stream, rank) -> items */
};

/* The value and the last accesses of every slot. */
struct memory {
	uint32_t nscratch;  /* scratch slots that some task names: the others need no cells */
	uint64_t *cells_of; /* [nrank+1] first cell of each rank */
	uint64_t nfollowed; /* chunks moved by all tasks */
	/* to be followed slot by slot: undecided unless a cheaper rule refutes it */
	bool too_large;
	struct cell *cells;
	struct group *groups; /* only with atomic_reduce */
	struct item *items;
	size_t item_room;
	uint32_t nitem, free_item;
};

/* Flow chains: each continues its entry's chain by following one chunk. */
struct chain_table {
	uint32_t (*items)[2]; /* {entry: the move it left another chain at, or ORDO_NONE; tail} */
	size_t room;
	uint32_t count;
	uint32_t parent;   /* of the current move: the writer of what it reads */
	uint32_t followed; /* a task that the current move is known to follow */
};

struct query_list {
	uint32_t *order; /* Notify and Wait as they ran, if a query needs it */
	uint32_t norder;
	struct query *items;
	size_t room;
	uint32_t count;
};

/* Two ranks whose copies of a chunk have different trees; chunk ORDO_NONE: none (G1). */
struct unequal {
	uint32_t chunk, ranks[2], trees[2];
};

struct verifier {
	const struct ordo_schedule *schedule;
	const struct ordo_verify_options *options;
	struct findings findings;
	bool deadlocked; /* the run did not reach its end */
	struct ordo_switch_reachability
		*passing; /* where ranks pass on, what they join; NULL: they do not */

	struct task_info *tasks; /* [ntask] */
	struct signals signals;
	struct sync_table syncs;
	struct touch_table touches;
	struct recent *recent; /* [nstream] */
	struct memory memory;
	struct chain_table chains;
	struct query_list queries;

	struct ordo_tree_builder tree_builder; /* of proof.trees */
	size_t copy_room;
	struct unequal unequal;
	uint32_t *chunk_rank;  /* [nchunk] the first rank that holds the chunk */
	uint32_t unordered[2]; /* two reduces in no fixed order (G2); ORDO_NONE: none */
};

/* Each returns false when there is no memory (findings.error is filled); broken rules are
 * findings. */

/* shape.c, signals.c, run.c */
bool ordo_verify_shape(struct verifier *verifier);
bool ordo_verify_signals(struct verifier *verifier);
bool ordo_verify_limits(struct verifier *verifier);
bool ordo_verify_run(struct verifier *verifier);

/* memory.c */
bool ordo_measure_memory(struct verifier *verifier);
/* false also if the schedule is too large to be followed */
bool ordo_prepare_memory(struct verifier *verifier);
bool ordo_access_memory(struct verifier *verifier, uint32_t task, uint32_t stream);
bool ordo_verify_outputs(struct verifier *verifier);
/* The tree in an output slot at the end; ORDO_NONE if nothing was written. */
uint32_t ordo_output_tree(const struct verifier *verifier, uint32_t rank, uint32_t slot);

/* custom.c: the guarantees and the digest of Custom. */
bool ordo_verify_custom(struct verifier *verifier);

/* ordering.c */
void ordo_note_sync(struct recent *recent, uint32_t sync);
bool ordo_is_ordered(struct verifier *verifier, uint32_t a, uint32_t stream);
bool ordo_extend_chain(struct verifier *verifier, uint32_t task);
bool ordo_verify_order(struct verifier *verifier);

/* search.c: decides queries by a bounded backward search. */
bool ordo_search_back(struct verifier *verifier);

/* passes/entry_exit.c: decides every open touch exactly. */
bool ordo_verify_entry_exit(struct verifier *verifier);

/* passes/reachability.c: decides every open query exactly. */
bool ordo_list_order(
	struct verifier *verifier); /* verifier.queries.order, if it is not there yet */
bool ordo_verify_reachability(struct verifier *verifier);

/* passes/tokens.c: counts tokens in flight if there is a limit on them or it is cheap. */
bool ordo_verify_tokens(struct verifier *verifier);

/* trees.c */
#define POISON (ORDO_NONE - 1) /* the tree of a wrong value, which was reported already */
bool ordo_prepare_trees(struct verifier *verifier);
bool ordo_verify_guarantees(struct verifier *verifier);

/* findings.c: ordo_task_locate into a fixed buffer. */
struct where ordo_where_is(const struct verifier *verifier, uint32_t task);

#endif
