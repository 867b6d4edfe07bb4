/* completions.c - `ordo completions`: completion of `ordo` command lines in shells. The script of a
 * shell passes the words typed so far to `ordo completions --for`, which reads the command's option
 * table and prints the candidates: a new command or option needs no further text, and the
 * candidates are those of the installed ordo. */
#include "commands/commands.h"
#include "completion/complete.h"
#include "help/texts.h"
#include <ordo/operator.h>
#include <string.h>

static const struct {
	const char *shell, *file;
} scripts[] = {
	{"bash", "ordo.bash"},
	{"zsh", "_ordo"},
	{"fish", "ordo.fish"},
};
enum { NSCRIPT = sizeof scripts / sizeof *scripts };

/* The words after `ordo` up to the cursor; the last one is incomplete. */
struct typed {
	const char *const *words;
	size_t nword;
	size_t at; /* index of the command */
	struct completion completion;
};

static const struct option *find_typed(
	const struct option *options, size_t noption, const char *word)
{
	const bool is_long = word[0] == '-' && word[1] == '-';
	const size_t length = is_long ? strcspn(word + 2, "=") : 0;
	for (size_t i = 0; i < noption; i++)
		if (is_long ? strlen(options[i].name) == length &&
					!strncmp(options[i].name, word + 2, length)
			    : options[i].letter && options[i].letter == word[1])
			return &options[i];
	return NULL;
}

/* Is the argument of the option the next word? */
static bool takes_next(const struct option *option, const char *word)
{
	return option && option->kind != SWITCH && (word[1] == '-' ? !strchr(word, '=') : !word[2]);
}

/* The words before the last, as options and operands. */
struct reading {
	const struct option *awaiting; /* the option whose argument is the last word */
	bool only_operands;
	const char *first; /* the first operand */
	size_t noperand;
	uint64_t given; /* bit i: options[i] */
};

static struct reading read_typed(
	const struct typed *typed, const struct option *options, size_t noption)
{
	struct reading reading = {0};
	for (size_t i = typed->at + 1; i + 1 < typed->nword; i++) {
		const char *word = typed->words[i];
		if (reading.only_operands || word[0] != '-' || !word[1]) {
			reading.first = reading.noperand++ ? reading.first : word;
			continue;
		}
		reading.only_operands = !strcmp(word, "--");
		const struct option *option = find_typed(options, noption, word);
		if (option && option - options < 64)
			reading.given |= UINT64_C(1) << (option - options);
		if (takes_next(option, word) && ++i + 1 == typed->nword)
			reading.awaiting = option;
	}
	return reading;
}

static bool can_repeat(const struct option *option)
{
	return option->kind == TEXTS;
}

static void complete_option(struct completion *completion, const struct option *option)
{
	char name[64];
	snprintf(name, sizeof name, "--%s", option->name);
	print_candidate(completion, name, option->meaning);
}

static void complete_options(struct typed *typed, const struct option *options, size_t noption,
	const struct reading *reading)
{
	for (size_t i = 0; i < noption; i++)
		if (i >= 64 || !(reading->given >> i & 1) || can_repeat(&options[i]))
			complete_option(&typed->completion, &options[i]);
	for (size_t i = 0; i < NCOMMON_OPTION; i++)
		complete_option(&typed->completion, &common_options[i]);
}

/* The operand at a place of a usage line, with its alternatives: "FILE|--generate A" has FILE
 * first, and then none. Brackets and options are skipped, a final "FILE..." is repeated. */
static void complete_operand(struct completion *completion, const char *usage, size_t place, int op)
{
	size_t operand = 0;
	bool alternative = false, argument = false, last_is_operand = false;
	for (const char *at = usage; *at;) {
		const size_t length = strcspn(at, " []|");
		if (length && !strncmp(at, "...", 3))
			at += length;
		else if (length && at[0] == '-') {
			/* The word after an option, unless a bar or a bracket, is its argument. */
			argument =
				at[length] == ' ' && at[length + 1] != '|' && at[length + 1] != '[';
			last_is_operand = false;
			at += length;
		} else if (length && argument) {
			argument = false;
			at += length;
		} else if (length && !strncmp(at, "OPTION", 6))
			return;
		else if (length) {
			char name[64];
			const size_t dots =
				length > 3 && !strncmp(at + length - 3, "...", 3) ? 3 : 0;
			operand += last_is_operand && !alternative;
			snprintf(name, sizeof name, "%.*s", (int)(length - dots), at);
			if (operand == place || (dots && operand < place))
				complete_values(completion, name, false, op);
			last_is_operand = true;
			alternative = false;
			at += length;
		} else
			alternative |= *at++ == '|';
	}
}

static void complete_for_command(void *closure, const struct option *options, size_t noption)
{
	struct typed *typed = closure;
	struct completion *completion = &typed->completion;
	const struct command *command =
		find_command(completion->call->table, typed->words[typed->at]);
	const struct reading reading = read_typed(typed, options, noption);
	enum ordo_operator op;
	const int known = reading.first && ordo_operator_from_typed(reading.first, &op)
				  ? (int)op
				  : ORDO_NOPERATOR;
	const char *equals = strchr(completion->word, '=');
	if (reading.awaiting) {
		complete_values(completion, reading.awaiting->argument,
			reading.awaiting->kind == TEXTS, known);
	} else if (reading.only_operands || completion->word[0] != '-' || !completion->word[1]) {
		complete_operand(completion, command->usage, reading.noperand, known);
	} else if (!strncmp(completion->word, "--", 2) && equals) {
		const struct option *option = find_typed(options, noption, completion->word);
		completion->kept = (size_t)(equals - completion->word) + 1;
		if (option && option->argument)
			complete_values(completion, option->argument, option->kind == TEXTS, known);
	} else
		complete_options(typed, options, noption, &reading);
}

/* The index of the command; nword - 1 if it is not complete. */
static size_t find_place(const char *const *words, size_t nword)
{
	for (size_t i = 0; i + 1 < nword; i++)
		if (words[i][0] != '-')
			return i;
	return nword - 1;
}

static void complete_start(struct completion *completion)
{
	if (completion->word[0] == '-') {
		for (size_t i = 0; i < NCOMMON_OPTION; i++)
			complete_option(completion, &common_options[i]);
		print_candidate(completion, "--version", "print the version and exit");
		return;
	}
	complete_values(completion, "COMMAND", false, ORDO_NOPERATOR);
	print_candidate(completion, "help", "prints what a command does and which options it has");
}

static void answer_for(struct call *call, const char *const *words, size_t nword)
{
	struct typed typed = {.words = words, .nword = nword, .at = find_place(words, nword)};
	struct completion *completion = &typed.completion;
	completion->call = call;
	completion->word = words[nword - 1];
	completion->list = call->json ? cJSON_AddArrayToObject(call->answer, "offers") : NULL;
	const bool is_start = typed.at == nword - 1;
	const struct command *command =
		is_start ? NULL : find_command(call->table, words[typed.at]);
	if (is_start)
		complete_start(completion);
	else if (command)
		describe_command(command, complete_for_command, &typed);
	else if (!strcmp(words[typed.at], "help") && typed.at + 2 == nword)
		complete_values(completion, "COMMAND", false, ORDO_NOPERATOR);
	add_truth(call->answer, "files", completion->files);
	add_truth(call->answer, "folders", completion->folders);
	if (completion->files || completion->folders)
		say(call, "\t%s\n", completion->files ? "files" : "folders");
}

static int print_script(struct call *call, const char *shell)
{
	const char *names[NSCRIPT];
	for (int i = 0; i < NSCRIPT; i++) {
		names[i] = scripts[i].shell;
		if (strcmp(shell, scripts[i].shell) != 0)
			continue;
		add_text(call->answer, "shell", shell);
		const char *script = help_text("completions", scripts[i].file, "");
		add_text(call->answer, "script", script);
		say(call, "%s", script);
		return ORDO_OK;
	}
	const char *like = ordo_suggest(shell, names, NSCRIPT);
	char hint[64];
	snprintf(hint, sizeof hint, "did you mean %s?", like ? like : "");
	return fail_usage(
		call, like ? hint : "bash, zsh or fish", "there are no completions for %s", shell);
}

static int completions(struct call *call)
{
	static const char *const nothing[] = {""};
	bool asked = false;
	const struct option options[] = {
		{"for", 0, SWITCH, &asked, NULL,
			"list completions of the last word of `ordo WORD...`, one per line, with a "
			"tab and the meaning"},
	};
	if (!READ_OPTIONS(call, options))
		return call->status;
	if (asked) {
		answer_for(call, call->noperand ? call->operands : nothing,
			call->noperand ? call->noperand : 1);
		return ORDO_OK;
	}
	if (call->noperand != 1)
		return fail_usage(call, "bash, zsh or fish", "the name of a shell is missing");
	return print_script(call, call->operands[0]);
}

const struct command completions_command = {
	.name = "completions",
	.summary = "prints the completion script for bash, zsh or fish",
	.usage = "bash|zsh|fish",
	.examples = "  ordo completions bash > ordo.bash\n"
		    "  ordo completions --for -- compile allreduce --algorithm 'mesh(fold='",
	.run = completions,
};
