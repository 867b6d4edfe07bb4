/* c_source.h - schedules as C source: constant tables that a program compiles in, so that it reads
 * no document.
 *
 * The source is C11 and the same bytes on every machine. All its names begin with the name given:
 * `ring` is the schedule, or the plan set; `ring_schedules` the schedules of a set, one a range;
 * everything else is static.
 */
#ifndef ORDO_TOOLS_EMBED_C_SOURCE_H
#define ORDO_TOOLS_EMBED_C_SOURCE_H

#include <ordo/plan_set.h>
#include <stdio.h>

/* Letters, digits and underscores beginning with a letter, no word of C or C++, and not the
 * library's own. */
bool is_c_name(const char *name);
/* The last part of a path up to its dot, other characters as underscores: `out/ring-8.c` is
 * ring_8. */
void c_name_of_path(char *out, size_t size, const char *path);

/* What there is to declare: set is NULL if it is one schedule. */
struct c_source {
	const char *name;
	const struct ordo_plan_set *set;
	FILE *out; /* whether writing to it failed is the caller's to ask */
};

/* What stands before all tables; `title` is a line of text. */
void begin_c_source(const struct c_source *source, const char *title);
/* The tables of a schedule, which are those of a range if there is a set, and its order digest,
 * which may be empty. */
void print_c_schedule(const struct c_source *source, uint32_t range,
	const struct ordo_schedule *schedule, const char *title, const char *digest);
/* What follows them. */
void end_c_source(const struct c_source *source);
/* The declarations as a header of its own. */
void print_c_header(const struct c_source *source, const char *title);

#endif
