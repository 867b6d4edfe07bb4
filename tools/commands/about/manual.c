/* manual.c - `ordo manual`: the manual pages, from the tables that --help prints. A page is
 * mdoc(7). It has the texts of --help and the longer texts of help/commands.txt, so a new command
 * or option needs no further text. */
#include "base/output.h"
#include "cli/options.h"
#include "commands/commands.h"
#include "help/texts.h"
#include <ctype.h>
#include <errno.h>
#include <string.h>

/* A fixed date, so that pages are reproducible: the last review of the text. */
#define MANUAL_DATE "November 22, 2026"

/* roff interprets backslashes, hyphens, and points and quotes at the beginning of a line. */
static void put_letter(FILE *out, char letter)
{
	if (letter == '\\')
		fputs("\\e", out);
	else if (letter == '-')
		fputs("\\-", out);
	else
		putc(letter, out);
}

static bool is_word(char letter)
{
	return isalnum((unsigned char)letter) || letter == '-' || letter == '_';
}

/* Words in capitals are arguments; brackets, bars and dots are syntax; all else is literal. */
static const char *face_of(const char *word, size_t length)
{
	size_t ncapital = 0;
	for (size_t i = 0; i < length; i++)
		ncapital += isupper((unsigned char)word[i]) != 0;
	return ncapital == length ? "\\fI" : "\\fB";
}

static void put_typed(FILE *out, const char *text, size_t length)
{
	for (size_t at = 0; at < length;) {
		size_t end = at;
		while (end < length && is_word(text[end]))
			end++;
		if (end == at) {
			put_letter(out, text[at++]);
			continue;
		}
		fputs(face_of(text + at, end - at), out);
		for (; at < end; at++)
			put_letter(out, text[at]);
		fputs("\\fR", out);
	}
}

/* roff interprets a point or a quote at the beginning of a line. */
static void begin_line(FILE *out, char first)
{
	if (first == '.' || first == '\'')
		fputs("\\&", out);
}

/* Every sentence begins a line, by which roff recognises its end. */
static bool ends_sentence(const char *text, size_t at)
{
	if (text[at] != ' ' || !at)
		return false;
	const char last = text[at - 1] == ')' && at > 1 ? text[at - 2] : text[at - 1];
	return last == '.' || last == '?' || last == '!';
}

/* The length of the option at the beginning of a text; 0: there is none. */
static size_t option_length(const char *text, size_t length)
{
	size_t end = 2;
	if (length < 4 || text[0] != '-' || text[1] != '-' || !islower((unsigned char)text[2]))
		return 0;
	while (end < length && is_word(text[end]))
		end++;
	return end;
}

/* Would the word after this space exceed the eighty columns of a line? Escapes are longer in the
 * source than on the page. */
static bool is_full(const char *text, size_t length, size_t begun, size_t at)
{
	enum { SHOWN = 50 };
	const char *next = memchr(text + at + 1, ' ', length - at - 1);
	return (next ? (size_t)(next - text) : length) - begun > SHOWN;
}

/* One line of text; options and words in backquotes are set as literals. */
static void put_line(FILE *out, const char *text, size_t length)
{
	size_t begun = 0;
	begin_line(out, length ? text[0] : 0);
	for (size_t at = 0; at < length; at++) {
		const char *end =
			text[at] == '`' ? memchr(text + at + 1, '`', length - at - 1) : NULL;
		const size_t option = option_length(text + at, length - at);
		if (option) {
			put_typed(out, text + at, option);
			at += option - 1;
		} else if (end) {
			put_typed(out, text + at + 1, (size_t)(end - text) - at - 1);
			at = (size_t)(end - text);
		} else if (at + 1 < length && text[at] == ' ' &&
			   (ends_sentence(text, at) || is_full(text, length, begun, at))) {
			putc('\n', out);
			begun = at + 1;
			begin_line(out, text[begun]);
		} else if (text[at] == '\\')
			fputs("\\e", out);
		else
			putc(text[at], out);
	}
	putc('\n', out);
}

/* A sentence of --help, with a capital and a full stop added. */
static void put_sentence(FILE *out, const char *text)
{
	char sentence[512];
	snprintf(sentence, sizeof sentence - 1, "%s", text);
	const bool plain = islower((unsigned char)sentence[0]) &&
			   (islower((unsigned char)sentence[1]) || sentence[1] == ' ');
	size_t length = strlen(sentence);
	if (plain)
		sentence[0] = (char)toupper((unsigned char)sentence[0]);
	if (length && sentence[length - 1] != '.') {
		sentence[length++] = '.';
		sentence[length] = 0;
	}
	put_line(out, sentence, length);
}

/* The lines from *text up to an empty or verbatim one; backquotes may span lines. */
static size_t join_lines(const char *text, char *joined, size_t room)
{
	size_t length = 0;
	while (text[length] && length + 1 < room) {
		const bool ends =
			text[length] == '\n' && (!text[length + 1] || text[length + 1] == '\n' ||
							!strncmp(text + length + 1, "  ", 2));
		if (ends)
			break;
		joined[length] = text[length] == '\n' ? ' ' : text[length];
		length++;
	}
	joined[length] = 0;
	return length;
}

/* Verbatim lines, which begin with two spaces. Returns the text after them. */
static const char *put_literal(FILE *out, const char *text)
{
	fputs(".Bd -literal -offset indent\n", out);
	while (!strncmp(text, "  ", 2)) {
		const size_t length = strcspn(text, "\n");
		for (size_t i = 2; i < length; i++)
			put_letter(out, text[i]);
		putc('\n', out);
		text += length + (text[length] == '\n');
	}
	fputs(".Ed\n", out);
	if (*text && *text != '\n')
		fputs(".Pp\n", out);
	return text;
}

/* Paragraphs, separated by empty lines; lines that begin with two spaces are verbatim. */
static void put_paragraphs(FILE *out, const char *text)
{
	char joined[4096];
	while (*text) {
		size_t length = strcspn(text, "\n");
		if (!strncmp(text, "  ", 2)) {
			text = put_literal(out, text);
			continue;
		}
		if (!length)
			fputs(".Pp\n", out);
		else {
			length = join_lines(text, joined, sizeof joined);
			put_line(out, joined, length);
		}
		text += length + (text[length] == '\n');
	}
}

static void put_option(FILE *out, const char *command, const struct option *option)
{
	fputs(".It ", out);
	if (option->letter)
		fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
	fputs("\\fB\\-\\-", out);
	for (const char *letter = option->name; *letter; letter++)
		put_letter(out, *letter);
	fputs("\\fR", out);
	if (option->argument) {
		putc(' ', out);
		put_typed(out, option->argument, strlen(option->argument));
	}
	putc('\n', out);
	char synonym[64];
	const char *more = manual_text(command, option->name);
	if (more)
		put_paragraphs(out, more);
	else
		put_sentence(out, option->meaning);
	if (option_synonym(option->name)) {
		snprintf(synonym, sizeof synonym, "`--%s` is the same.",
			option_synonym(option->name));
		put_paragraphs(out, synonym);
	}
}

struct page {
	FILE *out;
	const char *command;
};

static void put_options(void *closure, const struct option *options, size_t noption)
{
	const struct page *page = closure;
	for (size_t i = 0; i < noption; i++)
		put_option(page->out, page->command, &options[i]);
}

static void put_common_options(FILE *out, const char *command)
{
	for (size_t i = 0; i < NCOMMON_OPTION; i++)
		put_option(out, command, &common_options[i]);
}

static void put_examples(FILE *out, const char *examples)
{
	fputs(".Sh EXAMPLES\n.Bd -literal\n", out);
	while (*examples) {
		const size_t length = strcspn(examples, "\n");
		for (size_t i = strspn(examples, " "); i < length; i++)
			put_letter(out, examples[i]);
		putc('\n', out);
		examples += length + (examples[length] == '\n');
	}
	fputs(".Ed\n", out);
}

static const char exit_status[] =
	".Sh EXIT STATUS\n"
	".Bl -tag -width Ds -compact\n"
	".It 0\nIt worked; the schedule is proved; the results agree.\n"
	".It 1\nThe schedule is refuted, or a result is wrong.\n"
	".It 2\nThe command line is invalid, or the request does not apply.\n"
	".It 3\nA document cannot be read.\n"
	".It 4\nUndecided: a limit was reached.\n"
	".It 5\nMemory, files, threads or another program failed.\n"
	".El\n";

static const char environment[] =
	".Sh ENVIRONMENT\n"
	".Bl -tag -width NO_COLOR\n"
	".It Ev NO_COLOR\nIf it is set and not empty, nothing is coloured.\n"
	"Without it, colours go to terminals only.\n"
	".It Ev LD_PRELOAD\nKept by\n.Xr ordo-mpi 1 ,\nwhich adds a library in front.\n"
	".It Ev ORDO_MPI\nThe settings of the library that is preloaded into MPI programs.\n"
	".It Ev PATH\nWhere the program\n.Xr dot 1\nis looked for when a picture is drawn; see "
	"also\n"
	".Xr ordo-doctor 1 .\n"
	".It Ev SLURM_JOB_ID\nIf it is set,\n.Xr ordo-mpi 1\ndoes not expect the launcher of the "
	"program's MPI.\n"
	".It Ev TERM\nIf it is dumb, nothing is coloured.\n"
	".El\n";

static void put_head(FILE *out, const char *page, const char *summary)
{
	fputs(".Dd " MANUAL_DATE "\n.Dt ", out);
	for (const char *letter = page; *letter; letter++)
		putc(toupper((unsigned char)*letter), out);
	fprintf(out, " 1\n.Os ordo %s\n.Sh NAME\n.Nm %s\n.Nd %s\n", ORDO_VERSION, page, summary);
}

static void put_usage(FILE *out, const struct command *command)
{
	fputs(".Nm ordo\n", out);
	put_typed(out, command->name, strlen(command->name));
	putc(' ', out);
	put_typed(out, command->usage, strlen(command->usage));
	putc('\n', out);
}

static bool mentions(const char *text, const char *name)
{
	char wanted[64];
	snprintf(wanted, sizeof wanted, "ordo %s", name);
	const size_t length = strlen(wanted);
	for (const char *found = text; found && (found = strstr(found, wanted)); found += length)
		if (!islower((unsigned char)found[length]))
			return true;
	return false;
}

/* ordo(1), and the pages of the commands in a command's text and examples, in alphabetical
 * order. */
static void put_related(FILE *out, const struct command_table *table, const struct command *command)
{
	const struct command *last = NULL;
	fputs(".Sh SEE ALSO\n.Xr ordo 1", out);
	for (size_t i = 0; i < table->count; i++) {
		const struct command *next = NULL;
		for (size_t k = 0; k < table->count; k++)
			if (table->commands[k] != command &&
				(!last || strcmp(table->commands[k]->name, last->name) > 0) &&
				(!next || strcmp(table->commands[k]->name, next->name) < 0) &&
				(mentions(command_text(command->name), table->commands[k]->name) ||
					mentions(command->examples, table->commands[k]->name) ||
					mentions(manual_text(command->name, NULL),
						table->commands[k]->name)))
				next = table->commands[k];
		if (!next)
			break;
		fprintf(out, " ,\n.Xr ordo-%s 1", next->name);
		last = next;
	}
	putc('\n', out);
}

static void put_command_page(
	FILE *out, const struct command_table *table, const struct command *command)
{
	struct page page = {.out = out, .command = command->name};
	char name[64];
	snprintf(name, sizeof name, "ordo-%s", command->name);
	put_head(out, name, command->summary);
	fputs(".Sh SYNOPSIS\n", out);
	put_usage(out, command);
	const char *more = manual_text(command->name, NULL);
	fputs(".Sh DESCRIPTION\n", out);
	if (command_text(command->name))
		put_paragraphs(out, command_text(command->name));
	else
		put_sentence(out, command->summary);
	if (more) {
		fputs(".Pp\n", out);
		put_paragraphs(out, more);
	}
	fputs(".Sh OPTIONS\n.Bl -tag -width Ds\n", out);
	describe_command(command, put_options, &page);
	put_common_options(out, command->name);
	fputs(".El\n", out);
	fputs(exit_status, out);
	if (command->examples)
		put_examples(out, command->examples);
	put_related(out, table, command);
}

static void put_overview(FILE *out, const struct command_table *table)
{
	put_head(out, "ordo",
		"compiles collective communication to proved schedules, draws and runs them");
	fputs(".Sh SYNOPSIS\n", out);
	static const char *const usages[] = {
		"COMMAND [OPTION]... [FILE]...", "help [COMMAND]", "COMMAND --help", "--version"};
	for (size_t i = 0; i < sizeof usages / sizeof *usages; i++) {
		fputs(".Nm ordo\n", out);
		put_typed(out, usages[i], strlen(usages[i]));
		putc('\n', out);
	}
	fputs(".Sh DESCRIPTION\n", out);
	put_paragraphs(out, manual_text("ordo", NULL));
	fputs(".Sh COMMANDS\n.Bl -tag -width Ds\n", out);
	for (size_t i = 0; i < table->count; i++) {
		fprintf(out, ".It Xr ordo-%s 1\n", table->commands[i]->name);
		put_sentence(out, table->commands[i]->summary);
	}
	fputs(".El\n.Sh OPTIONS\nAll commands have these:\n.Bl -tag -width Ds\n", out);
	put_common_options(out, "ordo");
	fputs(".It \\fB\\-\\-version\\fR\nPrint the version and exit.\n.El\n", out);
	fputs(environment, out);
	fputs(exit_status, out);
	put_examples(out, help_text("commands", "ordo", "examples"));
	fputs(".Sh SEE ALSO\n.Xr dot 1 ,\n.Xr ordo-check 1\n", out);
}

static void put_page(FILE *out, const struct command_table *table, const struct command *command)
{
	if (command)
		put_command_page(out, table, command);
	else
		put_overview(out, table);
}

/* With --json the page is a text in the answer. */
static int answer_page(struct call *call, const char *name, const struct command *command)
{
	struct ordo_error error;
	FILE *page = tmpfile();
	if (!page) {
		ordo_fail(&error, ORDO_ENVIRONMENT, 0, "cannot write a temporary file: %s",
			strerror(errno));
		return fail(call, &error);
	}
	put_page(page, call->table, command);
	add_text(call->answer, "page", name);
	const bool worked = add_contents(call->answer, "mdoc", page, &error);
	fclose(page);
	return worked ? ORDO_OK : fail(call, &error);
}

static int manual(struct call *call)
{
	if (!read_options(call, NULL, 0))
		return call->status;
	if (call->noperand > 1)
		return fail_usage(call, NULL, "one page at a time: found %s and %s",
			call->operands[0], call->operands[1]);
	const char *name = call->noperand ? call->operands[0] : NULL;
	const struct command *command = name ? find_command(call->table, name) : NULL;
	if (name && !command)
		return refuse_command(call, name);
	if (call->json)
		return answer_page(call, command ? name : "ordo", command);
	put_page(stdout, call->table, command);
	return ORDO_OK;
}

const struct command manual_command = {
	.name = "manual",
	.summary = "writes the manual page of a command",
	.usage = "[COMMAND]",
	.examples = "  ordo manual compile | mandoc -a\n"
		    "  ordo manual > ordo.1",
	.run = manual,
};
