/* mpi.c - `ordo mpi`: executes an MPI program with its reductions in a proved order, and compares
 * the logs of two runs. */
#include "cli/options.h"
#include "commands.h"
#include "mpi_launch/compare_logs.h"
#include "mpi_launch/launch.h"
#include <string.h>

/* Of the options before the program. */
static bool compares(const struct call *call)
{
	for (int at = 0; at < call->argc && call->argv[at][0] == '-'; at++)
		if (!strcmp(call->argv[at], "--compare"))
			return true;
	return false;
}

static int start(struct call *call, const char *wanted, const struct mpi_settings_words *words)
{
	struct mpi_program program;
	if (!call->noperand)
		return fail_usage(call, "mpirun -n 8 ordo mpi ./program", "which program?");
	if (!examine_program(call, call->operands[0], &program))
		return call->status;
	const struct mpi_kind *kind = choose_mpi(call, &program, wanted);
	if (!kind || !set_environment(call, &program, kind, words))
		return call->status;
	return become_program(call, &program, call->operands, call->noperand);
}

static int mpi(struct call *call)
{
	const char *wanted = NULL;
	bool compare = false;
	struct mpi_settings_words words = {.shards = ORDO_NONE};
	const struct option options[] = {
		{"mpi", 0, TEXT, &wanted, "openmpi|mpich",
			"the MPI library that the program uses (from its file, or the launcher)"},
		{"order", 0, TEXT, &words.order, "dyadic|linear|folded|library",
			"the order of all reductions; library: that of the MPI library, for logs "
			"(dyadic)"},
		{"plans", 0, TEXT, &words.plans, "FOLDER",
			"schedules and plan sets for the reductions that they cover"},
		{"shards", 0, NUMBER, &words.shards, "V",
			"the number of shards into which a program with <ordo/mpi.h> divides its "
			"work"},
		{"report", 0, TEXT, &words.report, "FILE",
			"where rank 0 writes the report at the end, or none (stderr)"},
		{"log", 0, TEXT, &words.log, "FOLDER",
			"every rank writes a line for each reduction, with hashes of its data"},
		{"strict", 0, SWITCH, &words.strict, NULL,
			"end the program at a call that is passed on and whose bits could vary"},
		{"check", 0, SWITCH, &words.check, NULL,
			"compare the arguments of all ranks at every call"},
		{"compare", 0, SWITCH, &compare, NULL,
			"instead of running, compare two folders of logs and print the first call "
			"that differs"},
	};
	call->program_follows = !compares(call);
	if (!READ_OPTIONS(call, options))
		return call->status;
	if (!compare)
		return start(call, wanted, &words);
	if (call->noperand != 2)
		return fail_usage(call, NULL, "--compare: found %zu operands, wanted two folders",
			call->noperand);
	return compare_logs(call, call->operands[0], call->operands[1]);
}

const struct command mpi_command = {
	.name = "mpi",
	.summary = "runs an MPI program with its reductions in a proved order",
	.usage = "[OPTION]... PROGRAM [ARG]...",
	.examples = "  mpirun -n 8 ordo mpi ./program\n"
		    "  mpirun -n 8 ordo mpi --log one --report none python3 script.py\n"
		    "  ordo mpi --compare one two",
	.run = mpi,
};
