/* rules.c - the rules R1..R13 in words. */
#include "rules.h"

const struct rule rules[NRULE + 1] = {
	[1] = {"shape",
		"Every key is known, present once, and of the right type; numbers are integers in "
		"their ranges.",
		"A document that two readers understand differently proves nothing.",
		"Go to the line and column of the message; schedules/FORMAT.md lists every key.",
		"Rank 1's Wait names a chunk, as if it moved one.", ""},
	[2] = {"every rank once, peers valid",
		"There is exactly one program for each rank, peers are ranks, and nobody sends to "
		"itself.",
		"A missing program is a rank that never answers; a peer out of range is a wild "
		"address.",
		"Within a rank use LocalCopy and LocalReduce; only Notify and Wait may name the "
		"own rank.",
		"Rank 0 means to copy its own block, and sends it to itself.", ""},
	[3] = {"slices inside their buffers",
		"The slots a task reads and writes lie inside the buffer it names, on the rank "
		"that has that buffer.",
		"A slot too many is memory that belongs to somebody else.",
		"Compare slot + count with the slots the operator gives that rank (`ordo explain "
		"OPERATOR`), or raise scratch_slots.",
		"Rank 0 sends to the second output slot of rank 1, which has one.", ""},
	[4] = {"input is never written unless in place",
		"No task writes an input slot, unless the schedule is in place and that memory is "
		"also an output. Where sums are accumulated in f32, reduces write scratch only, "
		"and add nothing that was rounded.",
		"The caller's data would change under it; and a sum that is rounded on the way is "
		"rounded twice.",
		"Write to output or scratch, or make the schedule in place. Keep partial sums in "
		"scratch.",
		"Rank 0 copies its output back over its input.", ""},
	[5] = {"one notifying and one waiting stream per signal",
		"All Notify tasks of a signal are in one stream, and all its Wait tasks are in one "
		"stream.",
		"With two producers a token does not say which of them came, so no order follows "
		"from it. With one of each, the j-th Wait always takes the j-th Notify, and what "
		"happens before what is the same in every run.",
		"Give the second stream a signal of its own.",
		"Rank 0 notifies twice, for two streams of rank 1, on one signal: which of them "
		"gets the first token?",
		""},
	[6] = {"signals balanced", "Every signal is waited for exactly as often as it is notified.",
		"A token left over would let the next call's Wait through too early.",
		"Remove the Notify that nobody waits for, or add its Wait.",
		"Rank 0 notifies twice and rank 1 waits once: the second token lets the next "
		"call's Wait through.",
		""},
	[7] = {"no deadlock", "Running every stream as far as it goes ends with all tasks done.",
		"Streams that wait for each other in a circle never end. By R5 one run is enough "
		"to know: what can fire stays able to fire, so if one run ends, all do.",
		"The message is the whole circle of waiting tasks: move a Notify before the Wait "
		"of its stream somewhere in it.",
		"Rank 1 waits for the data before it says that it has entered, which is what rank "
		"0 waits for.",
		""},
	[8] = {"no race",
		"Two accesses of one slot, one of them a write, are ordered by streams and "
		"signals.",
		"Unordered, the result depends on timing.",
		"Notify from the stream of the first access after it, and wait in the stream of "
		"the second before it.",
		"Each rank sends its data to the other's scratch and adds what it got; rank 0 adds "
		"before it waited.",
		""},
	[9] = {"nobody touches a rank's memory before it entered or after it left",
		"A rank's memory is touched by others only after that rank notified them, and it "
		"ends only after it knows that they are done.",
		"Its caller may still be filling the buffer, or already be reusing it. With this "
		"rule calls may follow each other with no barrier.",
		"Let the owner notify first (entering), and let the last one who touches notify "
		"the owner (leaving).",
		"Rank 0 sends at once: rank 1 may still be busy with what its output held before.",
		""},
	[10] = {"what is read is defined, and is the chunk the task names",
		"No task reads a slot nothing was written to, and the chunk lying in the slot is "
		"the one the task names.",
		"Chunks differ in length, and what is undefined is whatever was in memory.",
		"Check the chunk id of the task against what was last written to its source slot.",
		"Rank 0 sends a scratch slot that nobody has written.", ""},
	[11] = {"the outputs are what the operator demands",
		"At the end every output slot holds exactly what the operator says, each required "
		"contribution once.",
		"This is the point of it all.",
		"The message says what lies there and what should; `ordo draw` with --ranks shows "
		"how it came there.",
		"Rank 0, the root, forgets that it is to have the vector in its own output, too.",
		""},
	[12] = {"every cross-rank task has a link that is up",
		"With a topology, tasks with a peer go only where a link, or a path through "
		"switches, is up.",
		"There is no way for the bytes, or for the token.",
		"Compile for that topology (--topology, --fail-link), or choose another ring "
		"order.",
		"Nothing is wrong with it, but the only link is down.", "--fail-link 0-1"},
	[13] = {"resource limits",
		"Streams, scratch slots and signals per rank, and tokens in flight per signal "
		"within one call, stay under the limits asked for.",
		"Hardware has so many of each; a flag that is set and cleared holds one token "
		"only.",
		"Compile with fewer streams (directions, rings) or chunks, or ask for more.",
		"Each of two chunks is announced at once: two tokens on one signal, where hardware "
		"has a flag.",
		"--max-tokens 1"},
};

const struct guarantee guarantees[] = {
	{"The copies of a chunk on all ranks are one tree, up to the order of the operands of each "
	 "addition.",
		"replicas that go on from their copy drift apart without it",
		"ordo verify; --require G1 makes it a condition, also of ordo compile",
		"Each of three ranks adds what the others sent to what it has, its own first: rank "
		"2 adds 0 before 1, the others 1 before 2.",
		"$ ordo explain G1 --write-example G1.json\n"
		"$ ordo verify G1.json --require G1\n"
		"G1.json: error: G1 rank-equal does not hold for f32 sum: chunk 0 is ((0+1)+2) on "
		"rank 0 but ((0+2)+1) on rank 2\n"
		"...\n"
		"                          with shard 0 = 0x1p+26, 1 = -0x1p+26, 2 = 1, others 0 "
		"(f32 sum):\n"
		"                          1 at rank 0, chunk 0, offset 0, but 0 at rank 2, chunk "
		"0, offset 0\n"
		"...\n"},
	{"No two reduces into one place are left without an order, so the tree does not depend on "
	 "timing.",
		"a run that cannot be repeated cannot be debugged",
		"ordo verify; it can fail only with --atomic-reduce, for otherwise that breaks R8",
		"Ranks 1 and 2 add to one slot of rank 0, as atomic additions may, and nothing "
		"says who is first.",
		"$ ordo explain G2 --write-example G2.json\n"
		"$ ordo verify G2.json --atomic-reduce --require G2\n"
		"G2.json: error: G2 run-to-run does not hold for f32 sum: rank 1, stream \"main\", "
		"task 1 (SendReduce 0 chunk 0 input 0 -> output 0) and rank 2, stream \"main\", "
		"task 1 (SendReduce 0 chunk 0 input 0 -> output 0) reduce into one slot in no "
		"fixed order\n"
		"...\n"},
	{"All chunks are one tree, so bits do not depend on where an element lies, on the count, "
	 "on the slices or on who owns them.",
		"a batch computed with others, or in other pieces, gives other bits without it",
		"ordo verify; --require G3 makes it a condition, also of ordo compile",
		"A ring adds every slice in an order of its own, beginning where the slice begins.",
		"$ ordo compile allreduce --ranks 4 --algorithm ring -o ring.json\n"
		"...\n"
		"$ ordo verify ring.json --require G3\n"
		"ring.json: error: G3 position-invariant does not hold for f32 sum: chunk 0 is "
		"(0+((1+2)+3)) but chunk 1 is ((0+(2+3))+1)\n"
		"...\n"
		"                          with shard 2 = 0x1p+26, 1 = -0x1p+26, 0 = 1, others 0 "
		"(f32 sum):\n"
		"                          1 at rank 0, chunk 0, offset 0, but 0 at rank 0, chunk "
		"1, offset 0\n"
		"...\n"},
	{"Schedules for other topologies, for a link that is down, or for ranks in other places "
	 "are the same trees.",
		"a failed cable, or another rack, changes results without it",
		"ordo diff A B, for documents that name other topologies",
		"A ring around a link that is down is another ring.",
		"$ ordo compile allreduce --ranks 4 --topology full-mesh --algorithm ring -o "
		"ring.json\n"
		"...\n"
		"$ ordo compile allreduce --ranks 4 --fail-link 0-1 --algorithm ring -o "
		"around.json\n"
		"...\n"
		"$ ordo diff ring.json around.json\n"
		"ring.json and around.json: different\n"
		"...\n"
		"  first node that differs (2+3) by ring.json\n"
		"                          ((0+(1+3))+2) by around.json, where 2 and 3 meet only "
		"after 0 came in\n"
		"...\n"},
	{"Schedules for other numbers of ranks that sum as many virtual shards are the same trees.",
		"a job that goes on with fewer ranks gives other bits without it",
		"ordo diff A B, for schedules compiled with the same --shards V",
		"The same four shards, on four ranks and on two: dyadic adds them alike, a ring "
		"does not.",
		"$ ordo compile allreduce --ranks 4 --shards 4 --algorithm ring -o 4.json\n"
		"...\n"
		"$ ordo compile allreduce --ranks 2 --shards 4 --algorithm ring -o 2.json\n"
		"...\n"
		"$ ordo diff 4.json 2.json\n"
		"4.json and 2.json: different\n"
		"...\n"
		"  [0, 1/4)                (0+((1+2)+3)), ring from 1, by 4.json\n"
		"                          ((0+1)+(2+3)), dyadic, by 2.json\n"
		"...\n"},
};
