/* option.c - the option --counts. */
#include "option.h"
#include "counts.h"
#include "xml/xml_file.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void measure(struct counts *counts)
{
	ordo_blocks_size(counts->problem, counts->block_count, &counts->elements);
	counts->largest = counts->nempty = 0;
	for (uint32_t b = 0; b < ordo_nblock(counts->problem); b++) {
		const uint64_t n = counts->block_count[b];
		counts->largest = n > counts->largest ? n : counts->largest;
		counts->nempty += !n;
	}
}

static bool read_table(struct call *call, const char *text, struct counts_table *table)
{
	struct ordo_error error;
	size_t size;
	*table = (struct counts_table){.counts = NULL};
	if (is_counts(text))
		return counts_read(table, text, strlen(text), NULL, &error) ||
		       refuse_error(call, &error);
	char *contents = read_whole_file(text, &size, &error);
	if (!contents) {
		ordo_hint(&error, "counts are numbers such as 3,0,5, or in a file");
		return refuse_error(call, &error);
	}
	const bool worked = counts_read(table, contents, size, text, &error);
	free(contents);
	return worked || refuse_error(call, &error);
}

bool read_counts(struct call *call, const char *text, const struct ordo_problem *problem,
	struct counts *counts)
{
	struct ordo_error error;
	struct counts_table table;
	*counts = (struct counts){.problem = problem};
	if (!text)
		return true;
	bool worked = read_table(call, text, &table);
	if (worked && !(counts->given = counts_of_blocks(&table, problem, &error)))
		worked = refuse_error(call, &error);
	counts_free(&table);
	if (!worked)
		return false;
	counts->block_count = counts->given;
	measure(counts);
	return true;
}

void free_counts(struct counts *counts)
{
	free(counts->given);
	free(counts->scaled);
	*counts = (struct counts){.given = NULL};
}

bool scale_counts(struct call *call, struct counts *counts, enum ordo_type type, uint64_t bytes)
{
	if (!counts->scaled)
		counts->scaled = malloc(ordo_nblock(counts->problem) * sizeof *counts->scaled);
	if (!counts->scaled)
		return refuse_memory(call);
	if (!ordo_blocks_scale(
		    counts->problem, counts->given, bytes / ordo_type_size(type), counts->scaled))
		return refuse_usage(call, NULL,
			"--counts: found a size of %" PRIu64
			" bytes, wanted less than 2^59 elements",
			bytes);
	counts->block_count = counts->scaled;
	measure(counts);
	return true;
}

uint64_t bytes_of_counts(const struct counts *counts, enum ordo_type type)
{
	return counts->elements * ordo_type_size(type);
}

/* Elements of a rank's input or output of so many slots: all blocks as often as they are there, or
 * the rank's own. */
static double elements_of(const struct counts *counts, double all, uint32_t rank, uint32_t nslot)
{
	const uint32_t nchunk = ordo_nchunk(counts->problem);
	if (!nslot)
		return 0;
	return nslot >= nchunk ? (double)(nslot / nchunk) * all : (double)counts->block_count[rank];
}

double bytes_of_counted_buffers(const struct counts *counts, enum ordo_type type)
{
	const struct ordo_problem *problem = counts->problem;
	double all = 0, elements = 0;
	for (uint32_t b = 0; b < ordo_nblock(problem); b++)
		all += (double)counts->block_count[b];
	for (uint32_t rank = 0; rank < problem->nrank && problem->op != ORDO_ALLTOALL; rank++) {
		const double input = elements_of(
				     counts, all, rank, ordo_input_slots(problem, rank)),
			     output = elements_of(
				     counts, all, rank, ordo_output_slots(problem, rank));
		elements += problem->in_place ? (input > output ? input : output) : input + output;
	}
	if (problem->op == ORDO_ALLTOALL)
		elements = 2 * all;
	return elements * (double)ordo_type_size(type);
}

void note_scaled(struct call *call, enum ordo_type type, uint64_t bytes, uint64_t cut)
{
	note(call,
		"%" PRIu64 " B cut to %" PRIu64
		" B, whole elements of %s in the proportions of the "
		"counts",
		bytes, cut, ordo_type_name(type));
}

void report_counts(const struct report *report, const struct counts *counts)
{
	const uint32_t nblock = ordo_nblock(counts->problem);
	if (!counts->block_count)
		return;
	const struct report one = report_object(report, "counts");
	report_label(report, "counts");
	report_text(&one,
		"%" PRIu32 "<blocks> blocks, the largest of %" PRIu64 "<largest> element%s", nblock,
		counts->largest, plural(counts->largest));
	if (counts->nempty)
		report_text(&one, ", %" PRIu64 " empty", counts->nempty);
	report_text(&one, "; %" PRIu64 "<elements> in the largest buffer of a rank\n",
		counts->elements);
	report_members(&one, "%" PRIu64 "<empty>", counts->nempty);
}
