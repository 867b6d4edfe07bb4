/* promela.c - schedules as Promela models, judged by Spin.
 *
 * A stream is a process, a signal a counter: Notify counts up, Wait is passable only above nought
 * and counts down. For memory, a move is two steps, begin and end, between which its cells are
 * marked as being read or written; a rank is a process that enters, and leaves when its streams are
 * done. Marks that meet fail an assertion.
 */
#include "promela.h"

#include "oracle_document.h"

#include <stdlib.h>
#include <string.h>

static bool is_target(uint32_t access)
{
	return access % 2; /* accesses of a move come as source, target, source, target, ... */
}

static void print_begin(const struct oracle_document *d, uint32_t task, FILE *out)
{
	const uint32_t rank = foreign_rank(d, task);
	fprintf(out, "\td_step {");
	if (rank != ORDO_NONE)
		fprintf(out, " assert(entered[%u] && !left[%u]);", rank, rank);
	for (uint32_t i = d->first_access[task]; i < d->first_access[task + 1]; i++) {
		const uint32_t cell = d->accesses[i].cell;
		if (is_target(i - d->first_access[task]))
			fprintf(out, " assert(!reading[%u] && !writing[%u]); writing[%u]++;", cell,
				cell, cell);
		else
			fprintf(out, " assert(!writing[%u]); reading[%u]++;", cell, cell);
	}
	fprintf(out, " }\n");
}

static void print_end(const struct oracle_document *d, uint32_t task, FILE *out)
{
	const uint32_t rank = foreign_rank(d, task);
	fprintf(out, "\td_step {");
	if (rank != ORDO_NONE)
		fprintf(out, " assert(!left[%u]);", rank);
	for (uint32_t i = d->first_access[task]; i < d->first_access[task + 1]; i++)
		fprintf(out, " %s[%u]--;",
			is_target(i - d->first_access[task]) ? "writing" : "reading",
			d->accesses[i].cell);
	fprintf(out, " }\n");
}

static void print_stream(const struct oracle_document *d, uint32_t stream, bool memory, FILE *out)
{
	const struct ordo_schedule *s = d->schedule;
	const uint32_t rank = s->streams[stream].rank;
	fprintf(out, "active proctype stream_%u()\n{\n", stream);
	if (memory)
		fprintf(out, "\tentered[%u];\n", rank);
	for (uint32_t t = s->streams[stream].first; t < s->streams[stream].end; t++)
		if (s->tasks[t].kind == ORDO_NOTIFY) {
			fprintf(out, "\tsignal[%u]++;\n", d->signal_of[t]);
		} else if (s->tasks[t].kind == ORDO_WAIT) {
			fprintf(out, "\tatomic { signal[%u] > 0 -> signal[%u]-- }\n",
				d->signal_of[t], d->signal_of[t]);
		} else if (memory) {
			print_begin(d, t, out);
			print_end(d, t, out);
		}
	if (memory)
		fprintf(out, "\tdone[%u]++\n}\n\n", rank);
	else
		fprintf(out, "\tskip\n}\n\n");
}

static void print_rank(const struct oracle_document *d, uint32_t rank, FILE *out)
{
	const struct ordo_program *program = &d->schedule->programs[rank];
	fprintf(out, "active proctype rank_%u()\n{\n\tentered[%u] = true;\n", rank, rank);
	fprintf(out, "\tdone[%u] == %u;\n\tleft[%u] = true\n}\n\n", rank,
		program->end_stream - program->first_stream, rank);
}

/* When all have left, no token may be there. */
static void print_end_of_all(const struct oracle_document *d, FILE *out)
{
	fprintf(out, "active proctype last()\n{\n");
	for (uint32_t r = 0; r < d->schedule->problem.nrank; r++)
		fprintf(out, "\tleft[%u];\n", r);
	for (uint32_t i = 0; i < d->nsignal; i++)
		fprintf(out, "\tassert(signal[%u] == 0);\n", i);
	fprintf(out, "\tskip\n}\n");
}

void promela_print(const struct ordo_schedule *schedule, enum promela_detail detail, FILE *out)
{
	struct oracle_document document;
	struct oracle_opinion opinion;
	open_document_unbalanced(schedule, &document, &opinion);
	const bool memory = detail == PROMELA_MEMORY;
	const uint32_t nrank = schedule->problem.nrank;
	fprintf(out, "byte signal[%u];\n", document.nsignal + 1);
	if (memory)
		fprintf(out,
			"byte reading[%u], writing[%u], done[%u];\nbool entered[%u], left[%u];\n\n",
			document.ncell + 1, document.ncell + 1, nrank, nrank, nrank);
	for (uint32_t i = 0; i < schedule->nstream; i++)
		print_stream(&document, i, memory, out);
	for (uint32_t r = 0; memory && r < nrank; r++)
		print_rank(&document, r, out);
	if (memory)
		print_end_of_all(&document, out);
	close_document(&document);
}

static enum spin_verdict read_verdict(FILE *output)
{
	char line[512];
	enum spin_verdict verdict = SPIN_ABSENT;
	bool limited = false, failed = false;
	while (fgets(line, sizeof line, output)) {
		if (!strcmp(line, "compiled\n"))
			verdict = SPIN_UNDECIDED; /* and so it stays if time runs out */
		if (strstr(line, "invalid end state (at"))
			verdict = SPIN_DEADLOCK, failed = true;
		else if (strstr(line, "assertion violated"))
			verdict = SPIN_ASSERTION, failed = true;
		else if (strstr(line, "max search depth too small") ||
			 strstr(line, "Search not completed") || strstr(line, "out of memory"))
			limited = true;
		else if (strstr(line, "errors: 0") && !failed)
			verdict = SPIN_CLEAN;
	}
	return limited && !failed ? SPIN_UNDECIDED : verdict;
}

enum spin_verdict spin_judge(
	const struct ordo_schedule *schedule, enum promela_detail detail, const char *folder)
{
	char text[2048];
	snprintf(text, sizeof text, "%s/model.pml", folder);
	FILE *model = fopen(text, "w");
	if (!model)
		return SPIN_ABSENT;
	promela_print(schedule, detail, model);
	fclose(model);
	snprintf(text, sizeof text,
		"cd '%s' && rm -f pan pan.c && spin -a model.pml 2>&1 && cc -w -O0 -DSAFETY "
		"-DNOFAIR -DVECTORSZ=4096 -DMEMLIM=1500 -o pan pan.c 2>&1 && echo compiled && "
		"timeout 20 ./pan -m200000 2>&1",
		folder);
	FILE *output = popen(text, "r");
	if (!output)
		return SPIN_ABSENT;
	enum spin_verdict verdict = read_verdict(output);
	pclose(output);
	return verdict;
}
