/* oracle.h - a second opinion on schedules, slow and plain, to judge the verifier with.
 *
 * Written from the meaning of the document alone, sharing no code with the verifier and none with
 * the operator table. Two oracles that share only what a single task touches (oracle_document.c):
 * one walks through every interleaving (oracle_interleavings.c), the other closes happens-before
 * transitively and looks at every pair of accesses (oracle_closure.c).
 */
#ifndef ORDO_TESTS_ORACLE_H
#define ORDO_TESTS_ORACLE_H

#include <ordo/schedule.h>

struct oracle_opinion {
	bool decided;	 /* false: too many states; nothing else is valid then */
	uint32_t broken; /* bit 1 << r for every rule r found broken, see below */
	/* most tokens any signal ever holds, in one call or those asked for; valid unless R1..R7
	 * are broken */
	uint32_t tokens_in_flight;
	/* every interleaving ends with the same trees in the output; valid if nothing is broken */
	bool one_order;
	bool rank_equal; /* every copy of a chunk has one tree; likewise */
	/* Custom: outputs over chunks of the same ranks have one tree of ranks; likewise */
	bool positions_equal;
	/* different trees over all output chunks, each as its first rank holds it; likewise */
	uint32_t ntree;
	uint64_t nstate; /* interleavings: states visited; closure: pairs of accesses looked at */
	char why[256];	 /* the first thing found broken */
};

/* The rules are asked in groups: R1..R6 (each document by itself); only if they hold R7, R8 and R9;
 * only if those hold R10 and R11. Opinions of the two oracles are equal in `broken`, save that R8
 * and R9 are looked for in what runs before a deadlock by the first only. */
#define ORACLE_STATIC 0x7eu /* R1..R6 */
#define ORACLE_DEADLOCK (1u << 7)
#define ORACLE_RACE (1u << 8 | 1u << 9)
#define ORACLE_FLOW (1u << 10 | 1u << 11)

/* Every interleaving of all streams, ranks entering at any time; at most max_states states. */
void oracle_interleavings(const struct ordo_schedule *schedule, bool atomic_reduce,
	uint32_t max_states, struct oracle_opinion *opinion);
/* Every interleaving of so many calls back to back; only the rules R1 to R7 and tokens_in_flight
 * are looked for. */
void oracle_calls(const struct ordo_schedule *schedule, uint32_t ncall, uint32_t max_states,
	struct oracle_opinion *opinion);
/* Happens-before, closed. Memory grows with the square of the tasks; at most max_tasks of them. */
void oracle_closure(const struct ordo_schedule *schedule, bool atomic_reduce, uint32_t max_tasks,
	struct oracle_opinion *opinion);

/* The lowest group of rules that is broken, as one of the masks above; 0 if none is. */
uint32_t oracle_group(uint32_t broken);

#endif
