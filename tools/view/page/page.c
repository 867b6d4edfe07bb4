/* page.c - writes a page: its frame around the data. */
#include "page.h"
#include "base/report.h"
#include <errno.h>
#include <string.h>

static bool write_part(FILE *out, int part)
{
	return fwrite(page_frame[part].text, 1, page_frame[part].size, out) ==
	       page_frame[part].size;
}

/* Text between tags. */
static void write_escaped(FILE *out, const char *text)
{
	for (; *text; text++)
		if (*text == '<')
			fputs("&lt;", out);
		else if (*text == '&')
			fputs("&amp;", out);
		else
			fputc(*text, out);
}

bool write_page(FILE *out, const struct page *page, struct ordo_error *error)
{
	const struct ordo_schedule *schedule = page->schedule;
	errno = 0;
	bool worked = write_part(out, 0);
	fprintf(out, "%s on %u ranks by ", ordo_operator_facts(schedule->problem.op)->name,
		schedule->problem.nrank);
	write_escaped(out, schedule->algorithm);
	worked = worked && write_part(out, 1);
	if (worked && !write_page_data(out, page, error))
		return false;
	if (is_json_incomplete())
		return ordo_fail_memory(error);
	worked = worked && write_part(out, 2);
	return (worked && !fflush(out) && !ferror(out)) ||
	       ordo_fail(error, ORDO_ENVIRONMENT, 0, "cannot write the page: %s", strerror(errno));
}
