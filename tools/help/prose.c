/* prose.c - what the manual says beside what --help says.
 *
 * Paragraphs are separated by empty lines. What stands between backquotes is set as it is typed;
 * words of capitals in it are arguments.
 */
#include "prose.h"
#include <string.h>

const char manual_overview[] =
	"`ordo` writes for every rank of a collective operation the list of its tasks: copies, "
	"sends, sums, notifications and waits. A finished schedule is a document, JSON that one "
	"can read aloud. It is proved before it is written, and can be proved again by anybody: "
	"that it ends in every interleaving, that no two accesses race, that every output is what "
	"the operator demands, and in which order each sum is made.\n\n"
	"A `FILE` is a document, a folder with one program a file, or - for the standard input. "
	"Options may stand before, between or after operands, as `--name VALUE` or `--name=VALUE`; "
	"`--` ends them. Results go to the standard output, summaries, progress and errors to the "
	"standard error.\n\n"
	"What takes longer than half a second has a bar on the standard error, if that is a "
	"terminal, with the time left. If the standard output is a terminal, a document is not "
	"printed there unless that is asked for.\n\n"
	"Every command has a page of its own, which `man ordo-compile` shows; `ordo compile "
	"--help` and `ordo help compile` print the short form. `ordo completions` has a shell "
	"complete what is typed, and `ordo doctor` tells what is missing on a machine.";

static const struct prose {
	const char *command; /* NULL: every command that has the option */
	const char *option;  /* NULL: of the command itself */
	const char *text;
} proses[] = {
	{NULL, "topology",
		"A name with its parameters, such as `full-mesh`, `ring` or `torus:4x4` (`ordo "
		"list topologies`), or the file of a document `ordo/topology/1`."},
	{NULL, "fail-link",
		"This link is down in both directions. May be repeated. Without `--topology` it "
		"means a full mesh."},
	{NULL, "json",
		"Print one JSON object on the standard output, also for errors, and nothing for "
		"people."},
	{NULL, "help", "Print the command's options and examples."},
	{"compile", NULL,
		"With an algorithm, `--require` and `--order` are conditions: if it does not hold "
		"them nothing is written, the exit code is 1, and those that do are named."},
	{"compile", "algorithm",
		"The algorithm, with its parameters in parentheses: `ring`, "
		"`ring(directions=2,rings=3)`, `hierarchical(mesh,nhr)`. The last has an algorithm "
		"for each level, the innermost first: mesh in a server, nhr between servers. `ordo "
		"list` shows them, and the names that the field has for them, which serve as well: "
		"`pairwise`, `rabenseifner`, `double-binary-tree`. With `--size` (or a type, or "
		"costs) the number of chunks K is chosen that is fastest there."},
	{"compile", "shards",
		"Virtual shards to be summed, instead of one a rank: AllReduce, ReduceScatter and "
		"Reduce, at least as many as ranks, not in place. Shards have fixed numbers "
		"whoever holds them, so results need not depend on how many ranks there are: "
		"`dyadic` makes one and the same tree D(V) on every number of ranks N with V = N "
		"2^i (or 1), `forest` on any N up to V. With other algorithms each rank folds its "
		"own shards first, and the algorithm adds the ranks' sums in its own order. What "
		"the shards cost is told: how many sums the ranks are left with, at most and on "
		"average, and what that does to the volume."},
	{"compile", "accumulate",
		"Sums of f16 and bf16 are held in f32, in scratch, and rounded once, at the end. "
		"Runs as f16, bf16 or f32."},
	{"compile", "sizes",
		"A plan set instead of a schedule: for every size of `A` to `B` bytes, as `ordo "
		"run --size` counts them, the algorithm that costs least, each proved, and all of "
		"them as a set. Without `B` the last range has no end. Costs are closed forms, "
		"steps and bytes on the wire and added up, so the sizes where the choice changes "
		"are exact. Of equally cheap algorithms those are taken with which the order of "
		"sums changes least often. With `--require G3` or `--require constant` only one "
		"order of sums is used at all sizes: the one that costs least more than the "
		"cheapest without conditions, which is told."},
	{"compile", "alpha-ns",
		"What `--sizes` reckons with: the latency of a step and the bandwidth of a link "
		"(those of the topology, of its slowest way, or 1000 and 56), and of adding one "
		"vector to another (195)."},
	{"compile", "prove-only",
		"No document: the verdict, as `ordo verify` gives it, goes to standard output, "
		"with the time and the memory it took for each task. For schedules too large to be "
		"text: a ring of 4096 ranks has 100 million tasks."},
	{"compile", "output",
		"Where to: a name ending in `.json` is one file, another a folder. Without it, or "
		"with `-`, the document goes to the standard output. A file appears whole or not "
		"at all."},
	{"verify", NULL,
		"Every rule that is broken is shown as `file:line:column: error[R8]: ...`, with "
		"what was found, what was wanted and a hint. Of a plan set (a document "
		"`ordo/plan-set/1`, or the folder of one) it is shown at which sizes the order "
		"changes, with the trees on both sides and an input on which they differ. That "
		"alone is no failure."},
	{"verify", "require",
		"The exit code is 1 unless these hold: `G1`, `G2`, `G3`, and of a plan set "
		"`constant`: all its schedules add in one order. G3 of a set means one order for "
		"all positions and all sizes."},
	{"verify", "atomic-reduce",
		"Unordered reductions into one slot are complete sums whose order is not fixed: "
		"accepted, and the guarantee G2 is refuted."},
	{"verify", "max-tokens",
		"At most so many tokens in flight on a signal within one call; with 1, flags that "
		"are set and cleared are enough (R13)."},
	{"verify", "symmetry",
		"If every rank's program is rank 0's, relabelled by adding to its rank, cyclically "
		"or digit by digit (XOR), the proof can be made from that one program, with the "
		"same verdict, guarantees and digest: `auto` (if left out) does so for documents "
		"of a million tasks and more, where nothing else needs the trees; `off` never; "
		"`only` whatever the size, and exits with 4 if no symmetry is found. What is "
		"refuted is refuted from the whole, which has the witnesses."},
	{"verify", "generate",
		"Instead of a file: the programs of `ring`, `halving-doubling` or "
		"`recursive-doubling`, made one rank at a time as `ordo compile` would, for as "
		"many ranks as wanted; nothing but one program is held in memory."},
	{"verify", "trust",
		"Compare only the programs of those ranks that generate the symmetry (of a ring, "
		"rank 1; of XOR, the powers of two), and take the generator's word that it does "
		"for the others what it does for these. The answer says by construction."},
	{"verify", "write-replay",
		"Write an interleaving that shows the first finding that has one: the two accesses "
		"of a race in either order, a run to where nobody can go on, two calls in a row of "
		"which the second meets what the first left behind."},
	{"verify", "certificate",
		"If it is proved, write the proof down: one legal order of all tasks, and why "
		"every two accesses that must be ordered are. The program `ordo-check FILE OUT` "
		"checks it again; it shares no code with `ordo`, and ends with 0 if the schedule "
		"is proved, 1 if it is not, 3 if one of the two cannot be read."},
	{"verify", "op",
		"And the reduction: `sum` if left out. Integers, minima and maxima are "
		"associative: there all guarantees hold."},
	{"verify", "write-input",
		"If G1 or G3 is refuted, write an input (a document `ordo/input/1`) on which the "
		"bits of the two elements found differ, although all ranks hold the same in both "
		"places. Of several, the first one that is required, or else the first. Both trees "
		"are evaluated on it before it is written; `ordo run --input` shows it on the "
		"running schedule."},
	{"run", NULL,
		"The columns of the table are size, elements of a block, type, reduction and root, "
		"and for the two forms of buffers, out of place and in place, the mean time of a "
		"run, algbw (the size over the time), busbw (algbw times 2(n-1)/n for AllReduce, "
		"(n-1)/n for ReduceScatter, AllGather, AllToAll, Scatter and Gather, 1 for "
		"Broadcast and Reduce, on n ranks) and how many elements were wrong. What was not "
		"checked is N/A too. Every run finds inputs that were written just before, which "
		"is not timed. The exit code is 1 if anything was wrong."},
	{"run", "size",
		"Bytes of a rank's larger buffer, or, if ranks have several shards, of each: "
		"`1KiB`, `1MiB`, `1GiB`; `k`, `M` and `G` are powers of 1024, `kB`, `MB` and `GB` "
		"of 1000."},
	{"run", "begin",
		"Of a table: the first size; 8 if left out. Without `--end` the same as `--size`."},
	{"run", "csv",
		"The table as a line of names and a line for each row, separated by commas: times "
		"in microseconds, rates in 10^9 bytes a second, nothing where there is no number. "
		"`--json` has the same in `rows`."},
	{"run", "type",
		"`f16`, `bf16`, `f32`, `f64`, `i8`, `i32`, `i64` or `u8`; several with commas "
		"between them, or `all`, make a table. Sums and products of `f16` and `bf16` are "
		"rounded to nearest after every operation."},
	{"run", "op",
		"`sum`, `prod`, `min`, `max` or `avg`, the sum divided once by the number of "
		"shards in the end; integers are truncated towards zero. Several, or `all`, make a "
		"table."},
	{"run", "check",
		"Compare every rank's output after every run, bit for bit, with the sequential "
		"meaning, which is the reduction trees of the proof evaluated one by one on the "
		"same inputs, and with the exact result. What is refuted, or has no one order, is "
		"compared with the exact result only: sums and products of floats with what any "
		"order of adding can be. The first run that is wrong is the last."},
	{"run", "transport",
		"`threads`: the tasks as they are written; `seeded`: so too, on one thread, on "
		"which the seed picks the stream that goes next; `folded`: what is proved of them, "
		"each output made straight from the inputs in the proved order, as "
		"`ordo_communicator_run` does it: the same bits, without the copies that only "
		"ranks with separate memories need, and in place or not whatever the document is. "
		"Of a table that is proved `folded` is meant if nothing is said, otherwise "
		"`threads`."},
	{"run", "workers",
		"Threads for all ranks; 0 is a thread for every rank, and if that is `folded` the "
		"time is from when the last one called until the last one was back."},
	{"run", "repeat",
		"Run so many times; the seeded transport takes one seed after the other."},
	{"run", "replay",
		"Run exactly the interleavings that `ordo verify --write-replay` wrote, on 16 "
		"elements a chunk unless asked otherwise, and say what came of each, and where "
		"they differ. Nothing is proved first. The exit code is 1 if anything shows."},
	{"run", "input",
		"Run on that input (a document `ordo/input/1`) instead of one made from the seed, "
		"and print the elements it asks for with their bits. The input says type, "
		"reduction and count. It serves every schedule that sums as many shards, whatever "
		"chunks the vector is cut into and however many ranks there are. The exit code is "
		"1 if it asks for two elements and they differ."},
	{"run", "trace",
		"Write when each task of the last call ran, as Chrome trace-event JSON, which "
		"Perfetto (https://ui.perfetto.dev) opens: ranks are processes, streams are "
		"threads, tasks are slices with the phase as category, and arrows lead from every "
		"Notify to the Wait that took its token. A Wait lasts from when its stream first "
		"looked for the token until it had it; one that began before the Notify has a "
		"slice `token` inside, its part since the token was given, and the arrow ends "
		"there. Long chunks are moved in rounds, each of which has every task. Of a replay "
		"the file has all calls, the second interleaving after the first. A run that fails "
		"leaves its trace too, in which tasks that did not end are unfinished. All calls "
		"are recorded, one over the other, so times printed include some 0.1 microseconds "
		"a task."},
	{"probe", NULL,
		"The counts of all pairs of inputs are those of one tree, or of none. Neighbouring "
		"elements are given different pairs in one run, so that what comes from a wrong "
		"place, or from the call before, is seen too. Integers are the same in any order, "
		"so sums of floats are probed. The exit code is 1, too, if runs differ."},
	{"probe", "count",
		"Elements of each block; so many that every chunk is moved in two rounds, one "
		"after another without a barrier, if left out."},
	{"probe", "atomic-reduce",
		"Unordered reductions into one slot are no error: every seed shows some order, and "
		"none is compared with the proof, which has none."},
	{"order", NULL,
		"Operands are sorted by their smallest leaf. How far a result can be from the "
		"exact one is (1+u)^n - 1 of the sum of absolute values, n being the depth, or of "
		"the product, n being all its roundings, or of the average of absolute values, n "
		"being the depth and one, as long as nothing overflows or underflows. Then it is "
		"told what that guarantees, as `ordo verify` does."},
	{"order", "max-leaves",
		"A tree of more leaves is cut at a depth that keeps so many ends; 32 if left out. "
		"[4..7] is some sum of the leaves 4 to 7, ... of others."},
	{"order", "max-orders",
		"Show or draw the first so many orders; 16 if left out. `--json` has all of them."},
	{"order", "table",
		"Instead of a schedule: for each operator a matrix of algorithms and numbers of "
		"ranks with how many orders each makes, every cell compiled and proved."},
	{"diff", NULL,
		"Bit-interchangeable are schedules of one operator that give the same bits for "
		"every input, on every rank. Where sums differ, both trees are printed, the first "
		"sum that one makes and the other does not, and how far the vector is concerned."},
	{"diff", "op",
		"The reduction: `sum` if left out. Integers, minima and maxima have the same bits "
		"in any order."},
	{"diff", "write-input",
		"Where two schedules differ, write an input whose results differ: `ordo run "
		"--input` on each of the two shows other bits."},
	{"draw", "max-tasks",
		"Draw at most so many tasks; 500 if left out. What is left out is said. In time "
		"nothing is left out: of more tasks, 40000 if left out, a map is drawn."},
	{"draw", "space-time",
		"Draw when each task runs, as SVG that needs no other program: a row for every "
		"rank and stream, a bar for every task, an arrow from every Notify to its Wait, "
		"and the critical path in bold. High bars go to another rank, low ones stay, a "
		"dark foot adds; what is hatched waits. A browser shows what each is when the "
		"pointer rests on it. Above 5000 tasks only those of the critical path have that "
		"and arrows; above `--max-tasks`, or 300 rows, a map shows what part of each span "
		"of time the ranks of a row worked, and waited in grey. No picture is longer than "
		"2 MB unless `--max-tasks` asks for it. Times are predicted for `--topology`, "
		"`--size` and `--type`, or those of a `--trace`."},
	{"draw", "trace",
		"Times from the file that `ordo run --trace` wrote of a run of this schedule. What "
		"a task waited for last is what ended last of the task before it, the Notify whose "
		"token it took, and what its thread did before. Tasks that never ended are drawn "
		"up to the end."},
	{"draw", "call",
		"Draw this call of the trace, counted from 0; the last one it has if left out."},
	{"draw", "round",
		"Draw this round of the call. Chunks longer than a tile are moved in rounds, each "
		"of which runs all tasks; if left out it is the one with the median length."},
	{"embed", NULL,
		"Of a plan set each of its ranges has one of `NAME_schedules`. Each schedule is "
		"proved first. The source is C11 and the same bytes on every machine; C++ includes "
		"the header and links the object."},
	{"embed", "output",
		"The source; the standard output if left out. It appears whole or not at all."},
	{"embed", "name",
		"What it is called. If left out, as `OUT` or else `FILE` is called, without "
		"folders and endings."},
	{"embed", "max-tasks",
		"Refuse what has more tasks; 250000 if left out. A compiler takes about 30 "
		"microseconds and 2 to 6 KB of memory for each, so that longer schedules are "
		"better read from documents."},
	{"list", NULL, "Of a plan set it lists the ranges."},
};
enum { NPROSE = sizeof proses / sizeof *proses };

static bool is_same(const char *left, const char *right)
{
	return left == right || (left && right && !strcmp(left, right));
}

const char *find_prose(const char *command, const char *option)
{
	const char *shared = NULL;
	for (size_t i = 0; i < NPROSE; i++)
		if (is_same(proses[i].option, option)) {
			if (is_same(proses[i].command, command))
				return proses[i].text;
			if (!proses[i].command)
				shared = proses[i].text;
		}
	return shared;
}
