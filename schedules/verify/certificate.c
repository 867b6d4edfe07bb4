/* certificate.c - runs all tasks in one legal order and records a happens-before path for every two
 * accesses that must be ordered.
 *
 * A read follows the last write of its slot; a write follows every read since the last write, or
 * that write if there was none. Two accesses of one stream are in program order; for the others a
 * path is found (happens_before.c). Each task needs one path per stream, from the latest task of
 * that stream that it must follow.
 */
#include "happens_before.h"
#include "json/write/members.h"
#include <ordo/arena.h>
#include <ordo/atomic_file.h>
#include <ordo/detail/certificate.h>
#include <stdlib.h>
#include <string.h>

/* The last accesses of a slot. */
struct cell {
	uint32_t writer;  /* ORDO_NONE: none */
	uint32_t readers; /* list of reads since then, the latest first; 0: none */
};

struct reader {
	uint32_t task, next;
};

/* A stream that touches the memory of another rank. */
struct touch {
	uint32_t stream, rank, last;
};

struct certificate {
	struct happens_before before;
	const struct ordo_schedule *schedule;
	struct ordo_error *error;
	uint64_t *cells_of; /* [nrank + 1] */
	uint32_t nscratch;  /* slots that tasks use */
	struct cell *cells;
	struct reader *readers; /* index 0 is unused */
	size_t reader_room;
	uint32_t nreader, free_reader;
	struct ordo_map touch_of; /* (stream, rank) -> touches */
	struct touch *touches;
	size_t touch_room;
	uint32_t ntouch;
	/* Predecessors of the current task: for each stream a Notify, and the ranks that have
	 * entered. */
	uint32_t *stamps, *known; /* [nstream] */
	uint32_t *entered;	  /* [nrank] the task, + 1 */
};

static void count_scratch(struct certificate *certificate)
{
	const struct ordo_schedule *schedule = certificate->schedule;
	for (uint32_t t = 0; t < schedule->ntask; t++) {
		const struct ordo_task *task = &schedule->tasks[t];
		if (!ordo_task_moves(task))
			continue;
		if (task->src_buffer == ORDO_SCRATCH &&
			task->src + task->count > certificate->nscratch)
			certificate->nscratch = task->src + task->count;
		if (task->dst_buffer == ORDO_SCRATCH &&
			task->dst + task->count > certificate->nscratch)
			certificate->nscratch = task->dst + task->count;
	}
}

/* Outputs, scratch, and in place those inputs that are no output. Out of place, input is never
 * written. */
static bool give_cells(struct certificate *certificate)
{
	const struct ordo_schedule *schedule = certificate->schedule;
	const struct ordo_problem *problem = &schedule->problem;
	const size_t nrank = problem->nrank, nstream = (size_t)schedule->nstream + 1;
	certificate->cells_of = malloc((nrank + 1) * sizeof *certificate->cells_of);
	certificate->stamps = calloc(nstream, sizeof *certificate->stamps);
	certificate->known = malloc(nstream * sizeof *certificate->known);
	certificate->entered = calloc(nrank, sizeof *certificate->entered);
	certificate->readers = calloc(1, sizeof *certificate->readers);
	certificate->reader_room = certificate->nreader = 1;
	if (!certificate->cells_of || !certificate->stamps || !certificate->known ||
		!certificate->entered || !certificate->readers)
		return ordo_fail_memory(certificate->error);
	uint64_t ncell = 0;
	count_scratch(certificate);
	for (uint32_t rank = 0; rank < nrank; rank++) {
		certificate->cells_of[rank] = ncell;
		ncell += (uint64_t)ordo_output_slots(problem, rank) + certificate->nscratch +
			 (problem->in_place ? ordo_input_slots(problem, rank) : 0);
	}
	certificate->cells_of[nrank] = ncell;
	certificate->cells = calloc(ncell + 1, sizeof *certificate->cells);
	if (!certificate->cells)
		return ordo_fail_memory(certificate->error);
	for (uint64_t i = 0; i < ncell; i++)
		certificate->cells[i].writer = ORDO_NONE;
	return true;
}

static struct cell *cell_of(const struct certificate *certificate, uint32_t rank,
	enum ordo_buffer buffer, uint32_t slot)
{
	const struct ordo_problem *problem = &certificate->schedule->problem;
	const uint32_t noutput = ordo_output_slots(problem, rank);
	uint64_t index = certificate->cells_of[rank] + slot;
	if (buffer == ORDO_SCRATCH)
		index += noutput;
	if (buffer == ORDO_INPUT) {
		const uint32_t same = ordo_in_place_output_slot(problem, rank, slot);
		index = same != ORDO_NONE ? certificate->cells_of[rank] + same
					  : index + noutput + certificate->nscratch;
	}
	return &certificate->cells[index];
}

static uint32_t rank_of(const struct certificate *certificate, uint32_t task)
{
	return certificate->schedule->streams[certificate->before.stream_of[task]].rank;
}

/* Keeps the items from `first` on as a path to the task, and records what it proves. */
static bool keep_path(struct certificate *certificate, uint32_t task, uint32_t first)
{
	struct happens_before *before = &certificate->before;
	if (!ordo_happens_before_keep(before, &before->paths, task, first))
		return false;
	const uint32_t notify = ordo_happens_before_first_notify(before, first),
		       stream = before->stream_of[notify];
	if (certificate->stamps[stream] != task + 1 || certificate->known[stream] < notify)
		certificate->known[stream] = notify;
	certificate->stamps[stream] = task + 1;
	certificate->entered[rank_of(certificate, notify)] = task + 1;
	return true;
}

/* b must follow a. */
static bool follow(struct certificate *certificate, uint32_t a, uint32_t b)
{
	struct happens_before *before = &certificate->before;
	const uint32_t stream = before->stream_of[a], first = before->nitem;
	if (stream == before->stream_of[b] ||
		(certificate->stamps[stream] == b + 1 && certificate->known[stream] > a))
		return true;
	return ordo_happens_before_find(before, a, b) && keep_path(certificate, b, first);
}

static bool read_cell(struct certificate *certificate, struct cell *cell, uint32_t task)
{
	const uint32_t *stream_of = certificate->before.stream_of;
	if (cell->writer != ORDO_NONE && !follow(certificate, cell->writer, task))
		return false;
	struct reader *latest = cell->readers ? &certificate->readers[cell->readers] : NULL;
	if (latest && stream_of[latest->task] == stream_of[task]) {
		latest->task = task;
		return true;
	}
	uint32_t index = certificate->free_reader;
	if (index)
		certificate->free_reader = certificate->readers[index].next;
	else if (ordo_array_reserve(&certificate->readers, &certificate->reader_room,
			 (size_t)certificate->nreader + 1, sizeof *certificate->readers))
		index = certificate->nreader++;
	else
		return ordo_fail_memory(certificate->error);
	certificate->readers[index] = (struct reader){task, cell->readers};
	cell->readers = index;
	return true;
}

static bool write_cell(struct certificate *certificate, struct cell *cell, uint32_t task)
{
	if (!cell->readers && cell->writer != ORDO_NONE && !follow(certificate, cell->writer, task))
		return false;
	while (cell->readers) {
		struct reader *reader = &certificate->readers[cell->readers];
		const uint32_t index = cell->readers;
		if (!follow(certificate, reader->task, task))
			return false;
		cell->readers = reader->next;
		reader->next = certificate->free_reader;
		certificate->free_reader = index;
	}
	cell->writer = task;
	return true;
}

static bool touch(struct certificate *certificate, uint32_t task, uint32_t rank)
{
	struct happens_before *before = &certificate->before;
	const uint32_t stream = before->stream_of[task],
		       index = ordo_map_get(&certificate->touch_of, stream, rank);
	if (index != ORDO_NONE) {
		certificate->touches[index].last = task;
		return true;
	}
	if (!ordo_array_reserve(&certificate->touches, &certificate->touch_room,
		    (size_t)certificate->ntouch + 1, sizeof *certificate->touches) ||
		!ordo_map_put(&certificate->touch_of, stream, rank, certificate->ntouch))
		return ordo_fail_memory(certificate->error);
	certificate->touches[certificate->ntouch++] = (struct touch){stream, rank, task};
	const uint32_t first = before->nitem;
	return certificate->entered[rank] == task + 1 ||
	       (ordo_happens_before_find_entering(before, rank, task) &&
		       keep_path(certificate, task, first));
}

static bool is_memory(const struct certificate *certificate, unsigned buffer)
{
	return buffer != ORDO_INPUT || certificate->schedule->problem.in_place;
}

static bool process_move(struct certificate *certificate, uint32_t id)
{
	const struct ordo_task *task = &certificate->schedule->tasks[id];
	const uint32_t rank = rank_of(certificate, id),
		       target = ordo_task_crosses(task) ? task->peer : rank;
	const bool reads = is_memory(certificate, task->src_buffer);
	const enum ordo_buffer src = (enum ordo_buffer)task->src_buffer,
			       dst = (enum ordo_buffer)task->dst_buffer;
	uint32_t parent = ORDO_NONE;
	for (uint32_t i = 0; reads && parent == ORDO_NONE && i < task->count; i++)
		parent = cell_of(certificate, rank, src, task->src + i)->writer;
	if (!ordo_happens_before_note_move(&certificate->before, id, parent))
		return false;
	for (uint32_t i = 0; i < task->count; i++)
		if ((reads && !read_cell(certificate,
				      cell_of(certificate, rank, src, task->src + i), id)) ||
			!write_cell(
				certificate, cell_of(certificate, target, dst, task->dst + i), id))
			return false;
	return target == rank || touch(certificate, id, target);
}

static bool process_tasks(struct certificate *certificate)
{
	struct happens_before *before = &certificate->before;
	uint32_t *next = malloc(((size_t)certificate->schedule->nstream + 1) * sizeof *next);
	uint32_t at = 0;
	bool worked = next ? true : ordo_fail_memory(certificate->error);
	for (uint32_t s = 0; worked && s < certificate->schedule->nstream; s++)
		next[s] = certificate->schedule->streams[s].first;
	for (uint32_t i = 0; worked && i < before->order.nrun; i++)
		for (uint32_t n = 0; worked && n < before->order.runs[i].count; n++) {
			const uint32_t task = next[before->order.runs[i].stream]++;
			const struct ordo_task *what = &certificate->schedule->tasks[task];
			before->at[task] = at++;
			if (ordo_task_moves(what))
				worked = process_move(certificate, task);
			else if (what->kind == ORDO_WAIT)
				worked = ordo_happens_before_note_wait(before, task);
		}
	free(next);
	return worked;
}

static bool process_leaving(struct certificate *certificate)
{
	struct happens_before *before = &certificate->before;
	for (uint32_t i = 0; i < certificate->ntouch; i++) {
		const struct touch *touch = &certificate->touches[i];
		const uint32_t first = before->nitem;
		if (!ordo_happens_before_find_leaving(before, touch->last, touch->rank) ||
			!ordo_happens_before_keep(before, &before->leaving, touch->rank, first))
			return false;
	}
	return true;
}

/* The document. */

/* Prints the routes that paths use; numbers[] becomes the index of their first hop among all
 * hops. */
static void put_routes(
	struct ordo_printer *printer, const struct happens_before *before, uint32_t *numbers)
{
	uint32_t nhop = 0;
	ordo_printer_text(printer, ",\n \"routes\": [");
	for (uint32_t i = 0; i < before->data.nchain; i++) {
		if (numbers[i] == ORDO_NONE)
			continue;
		ordo_printer_text(printer, nhop ? ",\n  [" : "\n  [");
		for (uint32_t k = 0; k < before->data.chains[i].nhop; k++)
			ordo_print_item(printer, k ? ", " : "", before->data.chains[i].hops[k]);
		ordo_printer_text(printer, "]");
		numbers[i] = nhop;
		nhop += before->data.chains[i].nhop;
	}
	ordo_printer_text(printer, "]");
}

static void put_path(struct ordo_printer *printer, const struct happens_before *before,
	const struct path *path, const uint32_t *numbers)
{
	ordo_print_item(printer, "[", path->goal);
	for (uint32_t i = path->first; i < path->end; i++) {
		const struct path_item *item = &before->items[i];
		if (item->route == ORDO_NONE) {
			ordo_print_item(printer, ", ", item->first);
			continue;
		}
		ordo_print_item(printer, ", [", numbers[item->route] + item->first);
		ordo_print_item(printer, ", ", numbers[item->route] + item->last);
		ordo_printer_text(printer, "]");
	}
	ordo_printer_text(printer, "]");
}

static void put_paths(struct ordo_printer *printer, const struct happens_before *before,
	const char *name, const struct path_list *list, const uint32_t *numbers)
{
	ordo_printer_text(printer, name);
	for (uint32_t i = 0; i < list->npath; i++) {
		ordo_printer_text(printer, !i ? "\n  " : i % 8 ? ", " : ",\n  ");
		put_path(printer, before, &list->paths[i], numbers);
	}
	ordo_printer_text(printer, "]");
}

static const char *truth_of(enum ordo_verdict verdict)
{
	return verdict == ORDO_HOLDS ? "true" : verdict == ORDO_DOES_NOT_HOLD ? "false" : "null";
}

/* G1 and G3 of Custom compare sums that only the verifier pairs: they are not claimed. */
static void put_claims(struct ordo_printer *printer, const struct ordo_proof *proof)
{
	const bool claimed = !proof->contents_unjudged;
	ordo_print_item(printer, ",\n \"claims\": {\"trees\": ", proof->ndistinct);
	ordo_printer_text(printer, ", \"G1\": ");
	ordo_printer_text(printer, claimed ? truth_of(proof->rank_equal) : "null");
	ordo_printer_text(printer, ", \"G3\": ");
	ordo_printer_text(printer, claimed ? truth_of(proof->position_invariant) : "null");
	ordo_printer_text(printer, "}}\n");
}

static bool print(const struct certificate *certificate, const struct ordo_proof *proof, FILE *out)
{
	const struct happens_before *before = &certificate->before;
	struct ordo_printer printer;
	uint32_t *numbers = malloc(((size_t)before->data.nchain + 1) * sizeof *numbers);
	if (!numbers)
		return ordo_fail_memory(certificate->error);
	memset(numbers, 0xff, before->data.nchain * sizeof *numbers);
	for (uint32_t i = 0; i < before->nitem; i++)
		if (before->items[i].route != ORDO_NONE)
			numbers[before->items[i].route] = 0;
	ordo_printer_begin(&printer, out);
	ordo_printer_text(&printer, "{\"schema\": \"ordo/certificate/1\"");
	ordo_printer_text(&printer, ",\n \"order\": ");
	ordo_print_runs(&printer, ",\n  [", &before->order);
	put_routes(&printer, before, numbers);
	put_paths(&printer, before, ",\n \"paths\": [", &before->paths, numbers);
	put_paths(&printer, before, ",\n \"leaving\": [", &before->leaving, numbers);
	put_claims(&printer, proof);
	free(numbers);
	return ordo_print_end(&printer, "", certificate->error);
}

static void close_certificate(struct certificate *certificate)
{
	ordo_happens_before_close(&certificate->before);
	free(certificate->cells_of);
	free(certificate->cells);
	free(certificate->readers);
	ordo_map_free(&certificate->touch_of);
	free(certificate->touches);
	free(certificate->stamps);
	free(certificate->known);
	free(certificate->entered);
}

bool ordo_certificate_print(const struct ordo_schedule *schedule, const struct ordo_proof *proof,
	FILE *out, struct ordo_error *error)
{
	if (!proof->proved || proof->unordered[0] != proof->unordered[1])
		return ordo_fail(error, ORDO_USAGE, 0,
			proof->proved ? "a schedule whose reductions are in no fixed order has no "
					"certificate"
				      : "a refuted schedule has no certificate");
	struct certificate certificate = {.schedule = schedule, .error = error};
	const bool worked = ordo_happens_before_open(&certificate.before, schedule, error) &&
			    give_cells(&certificate) && process_tasks(&certificate) &&
			    process_leaving(&certificate) && print(&certificate, proof, out);
	close_certificate(&certificate);
	return worked;
}

bool ordo_certificate_write(const struct ordo_schedule *schedule, const struct ordo_proof *proof,
	const char *path, struct ordo_error *error)
{
	struct ordo_atomic_file file;
	return ordo_atomic_begin_file(&file, path, error) &&
	       ordo_atomic_end(
		       &file, ordo_certificate_print(schedule, proof, file.out, error), error);
}
