/* where.c - the place of a task of rank 0, as text. */
#include "quotient.h"
#include <stdio.h>

struct where ordo_quotient_where(const struct quotient *q, uint32_t task)
{
	const uint32_t stream = q->stream_of[task],
		       first = stream ? q->program.ends[stream - 1] : 0;
	struct where where;
	char line[128];
	ordo_task_print(&q->program.tasks[task], line, sizeof line);
	snprintf(where.text, sizeof where.text, "rank 0, stream \"%.100s\", task %u (%s)",
		q->program.names[stream], task - first, line);
	return where;
}
