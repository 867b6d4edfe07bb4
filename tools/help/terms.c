/* terms.c - the words of documents, options and answers, in plain words. */
#include "guides.h"
#include <strings.h>

static const struct term all[] = {
	{"rank", "one of the processors that work together",
		"Ranks are numbered from 0. Each has buffers of its own - input, output, scratch - "
		"and a program: its streams of tasks.",
		"--ranks 8: ranks 0 to 7"},
	{"block", "what an operator gives to, or takes from, one rank",
		"AllReduce, Reduce and Broadcast have one block, the vector; ReduceScatter and "
		"AllGather one for each rank; AllToAll one for each pair. Blocks may have "
		"different lengths when a plan is made.",
		"ReduceScatter on 4 ranks: block 2 is what rank 2 gets"},
	{"chunk", "a piece of a block, numbered over all blocks",
		"Schedules speak of chunks only, never of bytes, so one schedule serves every "
		"size. A block is cut into K chunks of nearly equal length (--chunks K) when a "
		"plan is made; tasks name the first and how many.",
		"{\"task\": \"Send\", \"peer\": 1, \"chunk\": 2, \"count\": 3, ...} moves chunks "
		"2, 3 and 4"},
	{"slot", "a place in a buffer that holds one chunk",
		"Slots are counted from 0 in ascending order of the chunks they are for. Scratch "
		"slots are for any chunk: what lies there is what was last written.",
		"\"dst\": [\"scratch\", 1] is the second scratch slot"},
	{"move", "a task that moves or adds data: LocalCopy, LocalReduce, Send, SendReduce",
		"Algorithms are written as one sequence of moves; the compiler adds what keeps "
		"that order where it matters.",
		"Send 1 chunk 0 input 0 -> output 0"},
	{"stream", "tasks of one rank that run one after another",
		"Each task is complete before the next begins. Streams of a rank run side by side, "
		"and only signals order them.",
		"birs has three: sio, hccs and copy"},
	{"signal", "a counter of tokens from one stream to another",
		"Notify adds a token, Wait takes one and blocks until there is one. Because one "
		"stream notifies and one waits, the j-th Wait always takes the j-th Notify, in "
		"every run.",
		"{\"task\": \"Notify\", \"peer\": 1, \"signal\": 0} and, on rank 1, {\"task\": "
		"\"Wait\", \"peer\": 0, \"signal\": 0}"},
	{"phase", "a name for the tasks of one step of an algorithm",
		"Phases are for people: pictures colour them, traces name them. They order "
		"nothing.",
		"\"reduce-scatter 0\", \"all-gather 2\""},
	{"schedule", "the programs of all ranks for one operator",
		"A document (ordo/schedule/1), or the same in memory. It depends on the operator, "
		"the number of ranks and the topology, not on sizes and types.",
		"ordo compile allreduce --ranks 8 --algorithm ring -o ring.json"},
	{"order", "in which parenthesised tree a sum is added",
		"Floats round at every addition, so (0+1)+2 and 0+(1+2) differ in bits. Which "
		"operand stands left does not matter. Trees that have names: dyadic, folded, "
		"linear.",
		"dyadic on 4 ranks: ((0+1)+(2+3)); linear: (((0+1)+2)+3); folded: ((0+2)+(1+3))"},
	{"digest", "128 bits that stand for the orders of all sums of a schedule",
		"Equal digests mean that two schedules give the same bits for all inputs, so that "
		"one may stand for the other.",
		"ordo verify prints it; ordo diff compares what lies behind it"},
	{"plan", "a schedule bound to a type, a reduction and lengths",
		"Made once and run often: nothing is allocated afterwards. Chunks become bytes "
		"here.",
		"ordo run makes one; in a program ordo_plan_create"},
	{"plan set", "ranges of sizes, with a schedule for each",
		"What a library chooses by size, as a document (ordo/plan-set/1). It is proved as "
		"a schedule is, and told where the order of sums changes with the size.",
		"ordo compile allreduce --ranks 8 --sizes 1:1GiB -o set"},
	{"shard", "a vector that is summed, with a number of its own",
		"Usually each rank has one. With --shards V there are V, spread over the ranks, "
		"and trees are over shards: so results can be the same on different numbers of "
		"ranks.",
		"--ranks 4 --shards 16: rank 1 has shards 4 to 7"},
	{"token", "what a Notify adds to a signal and a Wait takes",
		"How many may be in flight at once matters to hardware whose flags hold one.",
		"ordo verify ring.json --max-tokens 1"},
	{"certificate", "a proof written down",
		"One legal order of all tasks, and why every two accesses that must be ordered "
		"are. ordo-check checks it again and shares no code with ordo.",
		"ordo verify ring.json --certificate proof.json && ordo-check ring.json "
		"proof.json"},
	{"replay", "an interleaving that shows a finding",
		"Two accesses that race, in either order; a run to where nobody can go on; two "
		"calls in a row.",
		"ordo verify broken.json --write-replay race.json; ordo run broken.json --replay "
		"race.json"},
};

const struct term *find_term(const char *name)
{
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcasecmp(all[i].name, name))
			return &all[i];
	return NULL;
}

const struct term *terms(size_t *count)
{
	*count = sizeof all / sizeof *all;
	return all;
}
