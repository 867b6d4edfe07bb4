/* error.c - filling and printing errors. */
#include <ordo/error.h>
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

int ordo_error_print(const struct ordo_error *error, char *out, unsigned long size)
{
	char where[600] = "", rule[16] = "";
	if (error->file[0] && error->line)
		snprintf(where, sizeof where, "%s:%u:%u: ", error->file, error->line, error->column);
	else if (error->file[0])
		snprintf(where, sizeof where, "%s: ", error->file);
	if (error->rule)
		snprintf(rule, sizeof rule, "[R%d]", error->rule);
	return snprintf(out, size, "%serror%s: %s%s%s", where, rule, error->text,
		error->hint[0] ? "\nhint: " : "", error->hint);
}
