/* error.c - filling and printing errors. */
#include <inttypes.h>
#include <ordo/error_marks.h>
#include <stdarg.h>
#include <stdio.h>

bool ordo_fail(struct ordo_error *error, enum ordo_code code, int rule, const char *format, ...)
{
	if (!error)
		return false;
	*error = (struct ordo_error){.code = code, .rule = rule};
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(error->text, sizeof error->text, format, arguments);
	va_end(arguments);
	return false;
}

bool ordo_hint(struct ordo_error *error, const char *format, ...)
{
	if (!error)
		return false;
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(error->hint, sizeof error->hint, format, arguments);
	va_end(arguments);
	return false;
}

bool ordo_fail_memory(struct ordo_error *error)
{
	return ordo_fail(error, ORDO_ENVIRONMENT, 0, "out of memory");
}

/* What precedes the text: the place, and `error` with its rule. */
struct head {
	char place[sizeof(((struct ordo_error *)NULL)->file) + 32], word[24];
};

static struct head head_of(const struct ordo_error *error)
{
	struct head head = {"", "error"};
	if (error->file[0] && error->line)
		snprintf(head.place, sizeof head.place, "%s:%" PRIu32 ":%" PRIu32 ": ", error->file,
			error->line, error->column);
	else if (error->file[0])
		snprintf(head.place, sizeof head.place, "%s: ", error->file);
	if (error->rule)
		snprintf(head.word, sizeof head.word, "error[R%d]", error->rule);
	return head;
}

int ordo_error_print(const struct ordo_error *error, char *out, unsigned long size)
{
	const struct head head = head_of(error);
	return snprintf(out, size, "%s%s: %s%s%s", head.place, head.word, error->text,
		error->hint[0] ? "\nhint: " : "", error->hint);
}

void ordo_tame(char *text, bool lines)
{
	for (unsigned char *at = (unsigned char *)text; *at; at++) {
		const bool wide = at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0;
		if (wide || (*at < ' ' && !(lines && *at == '\n')) || *at == 0x7f)
			*at = '?';
		if (wide)
			*++at = '?';
	}
}

void ordo_error_write_marked(
	const struct ordo_error *error, FILE *out, const struct ordo_error_marks *marks)
{
	if (!error)
		return;
	struct ordo_error tamed = *error;
	struct head head = head_of(error);
	ordo_tame(head.place, true);
	ordo_tame(tamed.text, true);
	ordo_tame(tamed.hint, true);
	fprintf(out, "%s%s%s%s%s: %s%s%s\n", marks->place, head.place, marks->word, head.word,
		marks->plain, tamed.text, tamed.hint[0] ? "\nhint: " : "", tamed.hint);
}

void ordo_error_write(const struct ordo_error *error, FILE *out)
{
	ordo_error_write_marked(error, out, &(struct ordo_error_marks){"", "", ""});
}
