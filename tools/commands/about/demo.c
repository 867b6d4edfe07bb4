/* demo.c - `ordo demo`: runs the commands on a real case, an AllReduce of 8 ranks around a dead
 * link. Every step is a command of ordo as a user would type it. */
#include "cli/memory_limit.h"
#include "cli/options.h"
#include "commands/commands.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_WORDS = 16 };

/* A step: its explanation, and the command; `@` stands for the demo's folder. */
struct step {
	const char *shows; /* NULL: continues the step before */
	const struct command *command;
	const char *words[MOST_WORDS];
	int status; /* the expected exit code */
	bool large; /* only with --large */
};

static const struct step steps[] = {
	{"Eight ranks, a link between every two of them, and the link 0-1 is down.", &draw_command,
		{"--topology", "full-mesh", "--ranks", "8", "--fail-link", "0-1", "-o",
			"@/topology.svg"},
		ORDO_OK, false},
	{"A mesh needs that link: the compiler reports an error.", &compile_command,
		{"allreduce", "--ranks", "8", "--algorithm", "mesh", "--fail-link", "0-1"},
		ORDO_USAGE, false},
	{"A ring can avoid it: the compiler finds a cycle through all ranks without 0-1.",
		&compile_command,
		{"allreduce", "--ranks", "8", "--algorithm", "ring", "--fail-link", "0-1", "-o",
			"@/one-ring.json"},
		ORDO_OK, false},
	{"The document is proved on its own, by a verifier that shares nothing with the compiler.",
		&verify_command, {"@/one-ring.json", "--fail-link", "0-1"}, ORDO_OK, false},
	{NULL, &draw_command,
		{"@/one-ring.json", "--ranks", "0,2,1,3-7", "--phases", "0-3", "-o",
			"@/one-ring.svg"},
		ORDO_OK, false},
	{"It runs on threads; every bit is compared with the reference result.", &run_command,
		{"@/one-ring.json", "--size", "1KiB", "--check", "--fail-link", "0-1"}, ORDO_OK,
		false},
	{NULL, &run_command, {"@/one-ring.json", "--size", "1MiB", "--check", "--fail-link", "0-1"},
		ORDO_OK, false},
	{NULL, &run_command, {"@/one-ring.json", "--size", "1GiB", "--check", "--fail-link", "0-1"},
		ORDO_OK, true},
	{"One ring leaves most links idle. Three link-disjoint rings, each in both directions, "
	 "keep six of the\n"
	 "seven links of every rank busy, and the busiest link carries a sixth.",
		&compile_command,
		{"allreduce", "--ranks", "8", "--algorithm", "ring(directions=2,rings=3)",
			"--fail-link", "0-1", "-o", "@/three-rings.json"},
		ORDO_OK, false},
	{NULL, &verify_command, {"@/three-rings.json", "--fail-link", "0-1"}, ORDO_OK, false},
	{NULL, &draw_command,
		{"@/three-rings.json", "--ranks", "0-2", "--phases", "0-1", "-o",
			"@/three-rings.svg"},
		ORDO_OK, false},
	{NULL, &run_command,
		{"@/three-rings.json", "--size", "1KiB", "--check", "--fail-link", "0-1"}, ORDO_OK,
		false},
	{NULL, &run_command,
		{"@/three-rings.json", "--size", "1MiB", "--check", "--fail-link", "0-1"}, ORDO_OK,
		false},
	{NULL, &run_command,
		{"@/three-rings.json", "--size", "1GiB", "--check", "--fail-link", "0-1"}, ORDO_OK,
		true},
};
enum { NSTEP = sizeof steps / sizeof *steps };

/* The words of a step with the folder substituted; each is malloc'd. Returns their number; -1: no
 * memory. */
static int make_words(const struct step *step, const char *folder, char *words[MOST_WORDS])
{
	int count = 0;
	for (; count < MOST_WORDS && step->words[count]; count++) {
		const char *word = step->words[count];
		bool inside = word[0] == '@';
		size_t size = strlen(word) + strlen(folder) + 1;
		if (!(words[count] = malloc(size)))
			return -1;
		snprintf(words[count], size, "%s%s", inside ? folder : "", word + inside);
	}
	return count;
}

static void show_step(struct call *call, const struct step *step, int nword, char *const *words)
{
	if (step->shows)
		say(call, "\n%s%s%s\n", paint(stdout, BOLD), step->shows, paint(stdout, PLAIN));
	say(call, "%s$ ordo %s", paint(stdout, DIM), step->command->name);
	for (int i = 0; i < nword; i++)
		say(call, strpbrk(words[i], "()") ? " '%s'" : " %s", words[i]);
	say(call, "%s\n", paint(stdout, PLAIN));
	fflush(stdout);
}

static int take_step(struct call *call, const struct step *step, const char *folder, cJSON *list)
{
	char *words[MOST_WORDS] = {NULL};
	int nword = make_words(step, folder, words), status = ORDO_ENVIRONMENT;
	struct call inner = {.table = call->table,
		.command = step->command,
		.argc = nword,
		.argv = words,
		.json = call->json,
		.answer = cJSON_CreateObject()};
	if (nword >= 0 && inner.answer) {
		show_step(call, step, nword, words);
		status = step->command->run(&inner);
		fflush(stdout);
		cJSON_AddStringToObject(inner.answer, "command", step->command->name);
		cJSON_AddItemToArray(list, inner.answer);
		inner.answer = NULL;
	}
	cJSON_Delete(inner.answer);
	free(inner.operands);
	for (int i = 0; i < MOST_WORDS; i++)
		free(words[i]);
	return status;
}

static int run_steps(struct call *call, const char *folder, bool large)
{
	cJSON *list = cJSON_AddArrayToObject(call->answer, "steps");
	for (int i = 0; i < NSTEP; i++) {
		if (steps[i].large && !large)
			continue;
		if (reader_left())
			return ORDO_ENVIRONMENT;
		int status = take_step(call, &steps[i], folder, list);
		if (status != steps[i].status)
			return status ? status : ORDO_REFUTED;
	}
	say(call, "\nThe documents and pictures are in %s/. `ordo --help` lists the commands.\n",
		folder);
	return ORDO_OK;
}

static int demo(struct call *call)
{
	const char *folder = "ordo-demo";
	bool large = false;
	const struct option options[] = {
		{"output", 'o', WRITTEN, &folder, "FOLDER",
			"where documents and pictures go (ordo-demo)"},
		{"large", 0, SWITCH, &large, NULL, "also run 1 GiB a rank: needs 17 GiB of memory"},
		MEMORY_LIMIT_OPTION,
	};
	struct ordo_error error;
	if (!READ_OPTIONS(call, options))
		return call->status;
	if (call->noperand)
		return fail_usage(call, NULL, "demo takes no operand, found %s", call->operands[0]);
	if (mkdir(folder, 0777) && errno != EEXIST) {
		ordo_fail(&error, ORDO_ENVIRONMENT, 0, "cannot make the folder %s: %s", folder,
			strerror(errno));
		return fail(call, &error);
	}
	return run_steps(call, folder, large);
}

const struct command demo_command = {
	.name = "demo",
	.summary = "demonstrates the commands on one case: AllReduce around a dead link",
	.usage = "[OPTION]...",
	.examples = "  ordo demo\n"
		    "  ordo demo --large -o /tmp/demo",
	.run = demo,
};
