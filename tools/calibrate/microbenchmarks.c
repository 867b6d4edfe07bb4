/* microbenchmarks.c - schedules that are no collectives, but repeat one kind of task, to be
 * measured.
 *
 * They are written as documents and read again, because that is the way to create arbitrary
 * schedules.
 */
#include "microbenchmarks.h"
#include "base/memory_stream.h"
#include <inttypes.h>
#include <stdlib.h>

/* A document being written. */
struct page {
	FILE *out;
	struct memory_stream stream;
};

static bool begin_page(struct page *page, uint32_t nrank, uint32_t nchunk, struct ordo_error *error)
{
	*page = (struct page){.out = NULL};
	page->out = open_memory_stream(&page->stream);
	if (!page->out)
		return ordo_fail_memory(error);
	fprintf(page->out,
		"{\"schema\": \"ordo/schedule/1\", \"operator\": \"AllReduce\", \"algorithm\": "
		"\"practice\", \"ranks\": %" PRIu32 ", \"chunks_per_block\": %" PRIu32
		", \"scratch_slots\": 0, \"in_place\": false, \"programs\": [",
		nrank, nchunk);
	return true;
}

static void begin_rank(struct page *page, uint32_t rank)
{
	fprintf(page->out,
		"%s{\"rank\": %" PRIu32 ", \"streams\": [{\"name\": \"practice\", \"tasks\": [\n",
		rank ? ",\n" : "\n", rank);
}

static void end_rank(struct page *page)
{
	fprintf(page->out, "]}]}");
}

static struct ordo_schedule *end_page(struct page *page, struct ordo_error *error)
{
	fprintf(page->out, "\n]}\n");
	struct ordo_schedule *schedule = NULL;
	char *text = close_memory_stream(&page->stream);
	if (text)
		schedule =
			ordo_schedule_read_text(text, page->stream.size, "practice", NULL, error);
	else
		ordo_fail_memory(error);
	free(text);
	return schedule;
}

static void write_move(
	struct page *page, uint32_t chunk, enum ordo_task_kind kind, uint32_t peer, bool first)
{
	fprintf(page->out, "%s{\"task\": \"%s\", ", first ? "" : ",\n", ordo_task_kind_name(kind));
	if (kind == ORDO_SEND || kind == ORDO_SEND_REDUCE)
		fprintf(page->out, "\"peer\": %" PRIu32 ", ", peer);
	fprintf(page->out,
		"\"chunk\": %" PRIu32 ", \"src\": [\"input\", %" PRIu32
		"], \"dst\": [\"output\", %" PRIu32 "]}",
		chunk, chunk, chunk);
}

struct ordo_schedule *make_moves_benchmark(uint32_t nrank, uint32_t nchunk, uint32_t nround,
	enum ordo_task_kind kind, struct ordo_error *error)
{
	struct page page;
	if (!begin_page(&page, nrank, nchunk, error))
		return NULL;
	for (uint32_t rank = 0; rank < nrank; rank++) {
		begin_rank(&page, rank);
		for (uint32_t i = 0; i < nchunk * nround; i++)
			write_move(&page, i % nchunk, kind, (rank + 1) % nrank, !i);
		end_rank(&page);
	}
	return end_page(&page, error);
}

/* Writes one end of the ping-pong; rank 0 sends first. */
static void write_hops(struct page *page, uint32_t rank, uint32_t nhop)
{
	const uint32_t peer = 1 - rank;
	begin_rank(page, rank);
	for (uint32_t hop = 0; hop < nhop; hop++)
		if (hop % 2 == rank)
			fprintf(page->out,
				"%s{\"task\": \"Send\", \"peer\": %" PRIu32
				", \"chunk\": 0, \"src\": [\"input\", 0], \"dst\": [\"output\", "
				"0]},\n"
				"{\"task\": \"Notify\", \"peer\": %" PRIu32 ", \"signal\": 0}",
				hop ? ",\n" : "", peer, peer);
		else
			fprintf(page->out,
				"%s{\"task\": \"Wait\", \"peer\": %" PRIu32 ", \"signal\": 0}",
				hop ? ",\n" : "", peer);
	end_rank(page);
}

struct ordo_schedule *make_pingpong(uint32_t nhop, struct ordo_error *error)
{
	struct page page;
	if (!begin_page(&page, 2, 1, error))
		return NULL;
	write_hops(&page, 0, nhop);
	write_hops(&page, 1, nhop);
	return end_page(&page, error);
}
