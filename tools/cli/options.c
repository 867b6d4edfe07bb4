/* options.c - reads a command line by the command's table of options. */
#include "options.h"
#include "help/texts.h"
#include "inputs.h"
#include "memory_limit.h"
#include "overwrite.h"
#include "plugin/shared_object.h"
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/decimal.h>
#include <ordo/operator.h>
#include <ordo/plan_set.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The options that every command has. */
const struct option common_options[NCOMMON_OPTION] = {
	{"json", 0, SWITCH, NULL, NULL, "print one JSON object on stdout, also for errors"},
	{"help", 'h', SWITCH, NULL, NULL, "print this and exit"},
};

bool read_wide(const char *text, uint64_t *number)
{
	uint64_t value = 0;
	if (!*text)
		return false;
	for (; *text; text++) {
		const uint64_t digit = (uint64_t)(unsigned char)*text - '0';
		if (digit > 9 || value > (UINT64_MAX - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	*number = value;
	return true;
}

bool read_size(const char *text, uint64_t *size)
{
	static const struct {
		const char *unit;
		uint64_t bytes;
	} units[] = {
		{"", 1},
		{"B", 1},
		{"K", 1ull << 10},
		{"M", 1ull << 20},
		{"G", 1ull << 30},
		{"T", 1ull << 40},
		{"KiB", 1ull << 10},
		{"MiB", 1ull << 20},
		{"GiB", 1ull << 30},
		{"TiB", 1ull << 40},
		{"kB", 1000},
		{"MB", 1000000},
		{"GB", 1000000000},
		{"TB", 1000000000000},
	};
	char digits[24];
	size_t length = strspn(text, "0123456789");
	uint64_t number;
	if (length >= sizeof digits)
		return false;
	memcpy(digits, text, length);
	digits[length] = 0;
	if (!read_wide(digits, &number))
		return false;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!strcasecmp(text + length, units[i].unit)) {
			*size = number * units[i].bytes;
			return number <= UINT64_MAX / units[i].bytes;
		}
	return false;
}

bool is_size(const char *text)
{
	char one[8] = "1";
	uint64_t size;
	const size_t digits = strspn(text, "0123456789");
	return digits && strlen(text + digits) < sizeof one - 1 &&
	       read_size(strcat(one, text + digits), &size);
}

/* Digits, optionally with a point and an exponent; positive and finite. */
static bool read_real(const char *text, double *number)
{
	char *end;
	if (!*text || strspn(text, "0123456789.eE+-") != strlen(text))
		return false;
	const double value = strtod(text, &end);
	*number = value;
	return !*end && value > 0 && value <= DBL_MAX;
}

/* Sizes have one name in every command; their former names are still accepted. */
static const struct {
	const char *name, *also;
} synonyms[] = {{"size", "bytes"}};
enum { NSYNONYM = sizeof synonyms / sizeof *synonyms };

const char *option_synonym(const char *name)
{
	for (int i = 0; i < NSYNONYM; i++)
		if (!strcmp(name, synonyms[i].name))
			return synonyms[i].also;
	return NULL;
}

static void print_option(const struct option *option)
{
	enum { LEFT = 26 };
	char left[96];
	int length = snprintf(left, sizeof left, "  ");
	if (option->letter)
		length += snprintf(
			left + length, sizeof left - (size_t)length, "-%c, ", option->letter);
	length += snprintf(left + length, sizeof left - (size_t)length, "--%s", option->name);
	if (option->argument)
		snprintf(left + length, sizeof left - (size_t)length, " %s", option->argument);
	const char *also = option_synonym(option->name);
	if (strlen(left) > LEFT)
		printf("%s\n%-*s %s", left, LEFT, "", option->meaning);
	else
		printf("%-*s %s", LEFT, left, option->meaning);
	printf(also ? "; or --%s\n" : "\n", also);
}

static void print_command_help(
	const struct command *command, const struct option *options, size_t noption)
{
	printf("usage: ordo %s %s\n\n%s\n", command->name, command->usage, command->summary);
	if (command_text(command->name))
		printf("\n%s\n", command_text(command->name));
	printf("\noptions:\n");
	for (size_t i = 0; i < noption; i++)
		print_option(&options[i]);
	for (size_t i = 0; i < NCOMMON_OPTION; i++)
		print_option(&common_options[i]);
	if (command->examples)
		printf("\nexamples:\n%s\n", command->examples);
}

/* Underscores are equal to hyphens. */
static bool is_name(const char *name, const char *written, size_t length)
{
	if (strlen(name) != length)
		return false;
	for (size_t i = 0; i < length; i++)
		if (name[i] != (written[i] == '_' ? '-' : written[i]))
			return false;
	return true;
}

static const struct option *find_option(
	const struct option *options, size_t noption, const char *name, size_t length)
{
	for (size_t i = 0; i < noption; i++)
		if (is_name(options[i].name, name, length))
			return &options[i];
	for (size_t i = 0; i < noption; i++) {
		const char *also = option_synonym(options[i].name);
		if (also && is_name(also, name, length))
			return &options[i];
	}
	return NULL;
}

static const struct option *find_letter(const struct option *options, size_t noption, char letter)
{
	for (size_t i = 0; i < noption; i++)
		if (options[i].letter && options[i].letter == letter)
			return &options[i];
	return NULL;
}

static bool refuse_unknown(
	struct call *call, const struct option *options, size_t noption, const char *written)
{
	enum { MOST = 32 };
	const char *names[MOST];
	size_t count = 0;
	for (size_t i = 0; i < noption && count < MOST; i++)
		names[count++] = options[i].name;
	for (size_t i = 0; i < NCOMMON_OPTION && count < MOST; i++)
		names[count++] = common_options[i].name;
	char name[64] = "", hint[128];
	if (!strncmp(written, "--", 2))
		snprintf(name, sizeof name, "%.*s", (int)strcspn(written + 2, "="), written + 2);
	const char *like = *name ? ordo_suggest(name, names, (uint32_t)count) : NULL;
	snprintf(hint, sizeof hint, "did you mean --%s?", like ? like : "");
	return refuse_usage(call, like ? hint : NULL, "unknown option %s", written);
}

static bool add_item(struct texts *texts, const char *text)
{
	if (!ordo_array_reserve(
		    &texts->items, &texts->room, texts->count + 1, sizeof *texts->items))
		return false;
	texts->items[texts->count++] = text;
	return true;
}

/* Splits the argument at its commas in place; argv may be changed. */
static bool add_items(struct texts *texts, char *text)
{
	for (char *rest = text; rest;) {
		char *item = rest, *comma = strchr(rest, ',');
		if (comma)
			*comma = 0;
		rest = comma ? comma + 1 : NULL;
		if (!add_item(texts, item))
			return false;
	}
	return true;
}

static bool is_digits(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text);
}

/* Reports an argument that is no number or out of range. */
static bool refuse_number(struct call *call, const struct option *option, const char *found,
	uint64_t least, uint64_t most)
{
	uint64_t number;
	const char *shown = *found ? found : "nothing";
	if (!is_digits(found))
		return refuse_usage(call, NULL,
			"--%s: found %s, wanted a number of %" PRIu64 "..%" PRIu64, option->name,
			shown, least, most);
	if (read_wide(found, &number) && number < least)
		return refuse_usage(call, NULL, "--%s: found %s, wanted at least %" PRIu64,
			option->name, shown, least);
	return refuse_usage(
		call, NULL, "--%s: found %s, wanted at most %" PRIu64, option->name, shown, most);
}

static bool refuse_size(struct call *call, const struct option *option, const char *found)
{
	if (is_size(found))
		return refuse_usage(call, NULL, "--%s: found %s, wanted at most %" PRIu64 " bytes",
			option->name, found, ORDO_BYTES_LIMIT);
	return refuse_usage(call, "KiB, MiB and GiB are powers of 1024; kB, MB and GB of 1000",
		"--%s: found %s, wanted a size such as 4096, 1KiB or 1GiB", option->name,
		*found ? found : "nothing");
}

static bool refuse_real(struct call *call, const struct option *option, const char *found)
{
	char *end;
	errno = 0;
	strtod(found, &end);
	const bool out = errno == ERANGE && !*end && *found != '-' &&
			 strspn(found, "0123456789.eE+-") == strlen(found);
	return refuse_usage(call, NULL, "--%s: found %s, wanted a number %s", option->name,
		*found ? found : "nothing", out ? "above 0, of 4.9e-324..1.7e+308" : "above 0");
}

/* Warns of digits that are not taken. */
static bool set_real(struct call *call, const struct option *option, const char *argument)
{
	double *value = option->value;
	char taken[ORDO_DECIMAL_SIZE];
	if (!read_real(argument, value))
		return refuse_real(call, option, argument);
	const char *digits = argument + (*argument == '+');
	if (!ordo_decimal_is(digits, strlen(digits), *value))
		warn(call, "--%s: %s is taken as %s, the nearest double", option->name, argument,
			ordo_decimal_text(*value, taken));
	return true;
}

static bool set_number(struct call *call, const struct option *option, const char *argument,
	uint64_t least, uint64_t most, uint64_t *number)
{
	if (read_wide(argument, number) && *number >= least && *number <= most)
		return true;
	return refuse_number(call, option, argument, least, most);
}

static bool set_option(struct call *call, const struct option *option, char *argument)
{
	uint64_t number;
	switch (option->kind) {
	case SWITCH:
		*(bool *)option->value = true;
		return true;
	case TEXT:
	case READ:
	case NAMED:
	case WRITTEN:
		*(const char **)option->value = argument;
		return true;
	case TEXTS:
		return add_items(option->value, argument) || refuse_memory(call);
	case NUMBER:
	case POSITIVE:
		if (!set_number(
			    call, option, argument, option->kind == POSITIVE, ORDO_LIMIT, &number))
			return false;
		*(uint32_t *)option->value = (uint32_t)number;
		return true;
	case COUNT:
		return set_number(call, option, argument, 0, ORDO_BYTES_LIMIT, option->value);
	case WIDE:
		return set_number(call, option, argument, 0, UINT64_MAX, option->value);
	case REAL:
		return set_real(call, option, argument);
	case SIZE:
		if (read_size(argument, option->value) &&
			*(uint64_t *)option->value <= ORDO_BYTES_LIMIT)
			return true;
		return refuse_size(call, option, argument);
	}
	return false;
}

/* Reads the option at argv[*at] and its argument, which may be the next word. */
static bool read_option(struct call *call, const struct option *options, size_t noption, int *at)
{
	char *word = call->argv[*at], *argument = NULL;
	const struct option *option;
	if (word[1] == '-') {
		size_t length = strcspn(word + 2, "=");
		option = find_option(options, noption, word + 2, length);
		argument = word[2 + length] ? word + 3 + length : NULL;
	} else {
		option = find_letter(options, noption, word[1]);
		argument = word[2] ? word + 2 : NULL;
	}
	if (!option)
		return refuse_unknown(call, options, noption, word);
	if (option->kind == SWITCH && argument)
		return refuse_usage(
			call, NULL, "--%s takes no argument, found %s", option->name, argument);
	if (option->kind != SWITCH && !argument) {
		if (*at + 1 >= call->argc)
			return refuse_usage(call, NULL, "--%s needs an argument: --%s %s",
				option->name, option->name, option->argument);
		argument = call->argv[++*at];
	}
	return set_option(call, option, argument);
}

static bool is_common(struct call *call, const char *word, const struct option *options,
	size_t noption, bool *help)
{
	if (!strcmp(word, "--json")) {
		call->json = true;
		return true;
	}
	*help = !strcmp(word, "--help") ||
		(!strcmp(word, "-h") && !find_letter(options, noption, 'h'));
	return *help;
}

/* Returns whether all later words are operands too. */
static bool add_operand(struct call *call, const char *word)
{
	call->operands[call->noperand++] = word;
	return call->program_follows;
}

bool read_options(struct call *call, const struct option *options, size_t noption)
{
	if (call->describe) {
		call->describe(call->closure, options, noption);
		return refuse(call, ORDO_OK);
	}
	call->operands = calloc((size_t)call->argc + 1, sizeof *call->operands);
	if (!call->operands)
		return refuse_memory(call);
	bool only_operands = false;
	for (int at = 0; at < call->argc; at++) {
		char *word = call->argv[at];
		bool help = false;
		if (only_operands || word[0] != '-' || !word[1])
			only_operands = add_operand(call, word) || only_operands;
		else if (!strcmp(word, "--"))
			only_operands = true;
		else if (!is_common(call, word, options, noption, &help)) {
			if (!read_option(call, options, noption, &at))
				return false;
		}
		if (help) {
			print_command_help(call->command, options, noption);
			return refuse(call, ORDO_OK);
		}
	}
	set_memory_limit();
	const struct option *topology = find_option(options, noption, "topology", 8);
	call->topology = topology ? topology_of_option(topology) : NULL;
	const struct option *algorithm = find_option(options, noption, "algorithm", 9);
	if (algorithm && !load_algorithm(call, algorithm->value))
		return false;
	return keep_inputs(call, options, noption);
}

void describe_command(const struct command *command, describe_options *describe, void *closure)
{
	struct call call = {.command = command, .describe = describe, .closure = closure};
	command->run(&call);
}

void free_texts(struct texts *texts)
{
	free(texts->items);
	*texts = (struct texts){0};
}
