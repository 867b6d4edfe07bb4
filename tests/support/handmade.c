/* handmade.c - schedules written by hand, for tests that want no compiler. */
#include "handmade.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require(bool condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "handmade: %s\n", what);
	abort();
}

static enum ordo_buffer buffer_named(const char *name)
{
	for (int i = 0; i < ORDO_NBUFFER; i++)
		if (!strcmp(name, ordo_buffer_name((enum ordo_buffer)i)))
			return (enum ordo_buffer)i;
	require(false, name);
	return ORDO_INPUT;
}

static struct ordo_task parse_move(const char *line, struct ordo_task task)
{
	char from[16], to[16];
	uint32_t last, src, dst;
	if (sscanf(line, " chunks %" SCNu32 "..%" SCNu32 " %15s %" SCNu32 " -> %15s %" SCNu32,
		    &task.chunk, &last, from, &src, to, &dst) != 6) {
		require(sscanf(line, " chunk %" SCNu32 " %15s %" SCNu32 " -> %15s %" SCNu32,
				&task.chunk, from, &src, to, &dst) == 5,
			line);
		last = task.chunk;
	}
	task.count = last - task.chunk + 1;
	task.src_buffer = buffer_named(from) & 3;
	task.dst_buffer = buffer_named(to) & 3;
	task.src = src;
	task.dst = dst;
	return task;
}

static struct ordo_task parse_task(const char *line)
{
	char name[16];
	int length = 0, more = 0;
	struct ordo_task task = {.phase = ORDO_NO_PHASE};
	require(sscanf(line, "%15s%n", name, &length) == 1, line);
	while (task.kind < ORDO_WAIT &&
		strcmp(name, ordo_task_kind_name((enum ordo_task_kind)task.kind)))
		task.kind++;
	require(!strcmp(name, ordo_task_kind_name((enum ordo_task_kind)task.kind)), line);
	line += length;
	if (ordo_task_crosses(&task)) {
		require(sscanf(line, "%" SCNu32 "%n", &task.peer, &more) == 1, line);
		line += more;
	}
	if (ordo_task_moves(&task))
		return parse_move(line, task);
	require(sscanf(line, " signal %" SCNu32, &task.signal) == 1, line);
	return task;
}

struct ordo_schedule *handmade(
	const struct ordo_problem *problem, uint32_t scratch_slots, const char *lines)
{
	struct ordo_error error;
	struct ordo_schedule *schedule = ordo_schedule_create(problem, "handmade", &error);
	require(schedule, "no schedule");
	schedule->scratch_slots = scratch_slots;
	char *copy = strdup(lines), *rest = copy;
	for (char *line; (line = strsep(&rest, "\n"));) {
		uint32_t rank;
		line += strspn(line, " \t");
		if (!*line)
			continue;
		if (sscanf(line, "rank %" SCNu32, &rank) == 1) {
			require(ordo_schedule_begin_stream(schedule, rank, "hand", &error), line);
			continue;
		}
		struct ordo_task task = parse_task(line);
		require(ordo_schedule_append(schedule, &task, &error), line);
	}
	free(copy);
	return schedule;
}

static void print_ring_rank(FILE *out, uint32_t n, uint32_t i, bool in_place)
{
	const uint32_t right = (i + 1) % n, left = (i + n - 1) % n;
	fprintf(out, "rank %u\n", i);
	if (!in_place)
		fprintf(out, "LocalCopy chunks 0..%u input 0 -> output 0\n", n - 1);
	if (n == 1)
		return;
	fprintf(out, "Notify %u signal 1\nWait %u signal 1\n", left, right);
	for (uint32_t step = 0; step < 2 * n - 2; step++) {
		const bool sums = step < n - 1;
		const uint32_t chunk = sums ? (i + n - step) % n : (i + 2 * n - step) % n;
		fprintf(out, "%s %u chunk %u output %u -> output %u\n",
			sums ? "SendReduce" : "Send", right, chunk, chunk, chunk);
		fprintf(out, "Notify %u signal 0\nWait %u signal 0\n", right, left);
	}
}

struct ordo_schedule *handmade_ring(uint32_t nrank, bool in_place)
{
	const struct ordo_problem problem = {.op = ORDO_ALLREDUCE,
		.nrank = nrank,
		.chunks_per_block = nrank,
		.nshard = nrank,
		.in_place = in_place};
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	require(out, "no memory");
	for (uint32_t i = 0; i < nrank; i++)
		print_ring_rank(out, nrank, i, in_place);
	fclose(out);
	struct ordo_schedule *schedule = handmade(&problem, 0, text);
	free(text);
	return schedule;
}

/* Signal 0: the chunk is there. Signal 1: I entered, or my scratch slot is free again. */
static void print_chain_rank(FILE *out, uint32_t n, uint32_t root, uint32_t place, uint32_t chunks)
{
	const uint32_t rank = (root + place) % n, before = (rank + n - 1) % n,
		       after = (rank + 1) % n;
	const bool first = place == 0, last = place == n - 1;
	fprintf(out, "rank %u\n", rank);
	if (!first)
		fprintf(out, "Notify %u signal 1\n", before);
	for (uint32_t c = 0; c < chunks; c++) {
		const char *from = first ? "input" : "scratch";
		if (!first)
			fprintf(out, "Wait %u signal 0\n", before);
		fprintf(out, "LocalCopy chunk %u %s %u -> output %u\n", c, from, first ? c : 0, c);
		if (!last)
			fprintf(out,
				"Wait %u signal 1\nSend %u chunk %u %s %u -> scratch 0\nNotify %u "
				"signal 0\n",
				after, after, c, from, first ? c : 0, after);
		if (!first && c + 1 < chunks)
			fprintf(out, "Notify %u signal 1\n", before);
	}
}

struct ordo_schedule *handmade_chain(uint32_t nrank, uint32_t root, uint32_t chunks)
{
	const struct ordo_problem problem = {.op = ORDO_BROADCAST,
		.nrank = nrank,
		.root = root,
		.chunks_per_block = chunks,
		.nshard = nrank};
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	require(out, "no memory");
	for (uint32_t place = 0; place < nrank; place++)
		print_chain_rank(out, nrank, root, place, chunks);
	fclose(out);
	struct ordo_schedule *schedule = handmade(&problem, 1, text);
	free(text);
	return schedule;
}
