/* space_time_layout.c - the rows of a space-time diagram, and their positions. */
#include "space_time_plot.h"
#include <math.h>
#include <ordo/arena.h>
#include <ordo/detail/schedules.h>
#include <stdlib.h>
#include <string.h>

/* In pixels. */
static const double rank_label_width = 74, stream_letter_width = 5.7, least_stream_row = 9,
		    rows_height = 640, highest_row = 26, lowest_row = 4, idle_height = 0.22;
enum { MAP_ROWS = 64, MAP_SPANS = 284, MOST_STREAM_NAME = 24 };

bool is_in_plot(const struct plot *plot, uint32_t stream, uint32_t task)
{
	const uint32_t phase = plot->schedule->tasks[task].phase;
	if (plot->row_of[stream] == ORDO_NONE ||
		(plot->picture->absent && plot->picture->absent[task]))
		return false;
	return phase < plot->schedule->nphase ? plot->picture->selection->phases[phase]
					      : plot->all_phases;
}

double row_bottom(const struct plot *plot, uint32_t row)
{
	const double rest = plot->row_top[row + 1] - plot->row_top[row];
	return plot->row_top[row] +
	       fmin(rest, plot->row_height * (plot->row_idle[row] ? idle_height : 1));
}

double plot_y(const struct plot *plot, uint32_t stream)
{
	const uint32_t row = plot->row_of[stream];
	return (plot->row_top[row] + row_bottom(plot, row)) / 2;
}

double bar_height(const struct plot *plot, enum ordo_task_kind kind)
{
	switch (kind) {
	case ORDO_SEND:
	case ORDO_SEND_REDUCE:
		return plot->row_height * 0.82;
	case ORDO_LOCAL_COPY:
	case ORDO_LOCAL_REDUCE:
		return plot->row_height * 0.5;
	case ORDO_NOTIFY:
		return plot->row_height * 0.6;
	case ORDO_WAIT:
		return plot->row_height * 0.22;
	}
	return plot->row_height;
}

/* The selected ranks in the given order, without duplicates. */
static bool choose_ranks(struct plot *plot)
{
	const struct selection *selection = plot->picture->selection;
	bool *chosen = calloc((size_t)plot->schedule->problem.nrank + 1, sizeof *chosen);
	plot->ranks = calloc((size_t)selection->nrank + 1, sizeof *plot->ranks);
	for (uint32_t i = 0; chosen && plot->ranks && i < selection->nrank; i++)
		if (!chosen[selection->ranks[i]]) {
			chosen[selection->ranks[i]] = true;
			plot->ranks[plot->facts->nchosen_rank++] = selection->ranks[i];
		}
	free(chosen);
	plot->all_phases = true;
	for (uint32_t i = 0; i < plot->schedule->nphase; i++)
		plot->all_phases &= selection->phases[i];
	return chosen && plot->ranks;
}

const struct ordo_program *plot_program(const struct plot *plot, uint32_t position)
{
	return &plot->schedule->programs[plot->ranks[position]];
}

/* Rows of streams: a rank without streams has an empty row. */
static uint64_t count_streams(const struct plot *plot)
{
	uint64_t count = 0;
	for (uint32_t i = 0; i < plot->facts->nchosen_rank; i++) {
		const struct ordo_program *program = plot_program(plot, i);
		count += program->end_stream > program->first_stream
				 ? program->end_stream - program->first_stream
				 : 1;
	}
	return count;
}

static void choose_form(struct plot *plot)
{
	struct space_time_facts *facts = plot->facts;
	const uint64_t nrow = count_streams(plot);
	const bool usual = plot->picture->most_tasks == USUAL_TASKS;
	const uint32_t most = usual ? MOST_DENSE_BARS : plot->picture->most_tasks;
	if (facts->ntask > most || (usual && nrow > MOST_ROWS) || nrow > UINT32_MAX)
		facts->form = SPAN_MAP;
	else
		facts->form = facts->ntask > MOST_TASK_BARS ? DENSE_BARS : TASK_BARS;
	facts->ranks_a_row =
		facts->form == SPAN_MAP ? (facts->nchosen_rank + MAP_ROWS - 1) / MAP_ROWS : 1;
	facts->nspan = facts->form == SPAN_MAP ? MAP_SPANS : 0;
	facts->nrow = facts->form == SPAN_MAP
			      ? (facts->nchosen_rank + facts->ranks_a_row - 1) / facts->ranks_a_row
			      : (uint32_t)nrow;
}

/* The rows of the ranks from a position on form one band. */
static void add_band(struct plot *plot, uint32_t position, uint32_t end, uint32_t *row)
{
	struct band *band = &plot->bands[plot->nband++];
	*band = (struct band){.first_rank = position, .end_rank = end, .first_row = *row};
	for (; position < end; position++) {
		const struct ordo_program *program = plot_program(plot, position);
		for (uint32_t s = program->first_stream; s < program->end_stream; s++)
			plot->row_of[s] = plot->facts->form == SPAN_MAP
						  ? *row
						  : *row + s - program->first_stream;
		if (plot->facts->form != SPAN_MAP && program->end_stream > program->first_stream)
			*row += program->end_stream - program->first_stream - 1;
	}
	band->end_row = ++*row;
}

/* Rows without tasks that take time are low, if their rank has other rows. */
static void find_idle_rows(struct plot *plot)
{
	memset(plot->row_idle, true, plot->facts->nrow);
	for (uint32_t s = 0; s < plot->schedule->nstream; s++)
		for (uint32_t t = plot->schedule->streams[s].first;
			t < plot->schedule->streams[s].end; t++)
			if (is_in_plot(plot, s, t) && plot->times[t].end > plot->times[t].ready)
				plot->row_idle[plot->row_of[s]] = false;
	for (uint32_t i = 0; i < plot->nband; i++)
		if (plot->bands[i].end_row - plot->bands[i].first_row == 1)
			plot->row_idle[plot->bands[i].first_row] = false;
}

static void place_rows(struct plot *plot)
{
	const uint32_t nrow = plot->facts->nrow;
	uint32_t nidle = 0;
	for (uint32_t row = 0; row < nrow; row++)
		nidle += plot->row_idle[row];
	if (nidle == nrow)
		memset(plot->row_idle, nidle = 0, nrow);
	const double weight = nrow - nidle + nidle * idle_height;
	plot->row_height = fmin(highest_row, fmax(lowest_row, rows_height / fmax(1, weight)));
	const double gap = nrow > plot->nband ? fmin(8, plot->row_height * 0.55) : 0;
	double y = plot_top;
	for (uint32_t i = 0; i < plot->nband; i++, y += gap)
		for (uint32_t row = plot->bands[i].first_row; row < plot->bands[i].end_row; row++) {
			plot->row_top[row] = y;
			y += plot->row_height * (plot->row_idle[row] ? idle_height : 1);
		}
	plot->row_top[nrow] = plot->bottom = y - (plot->nband ? gap : 0);
}

static bool lay_out_rows(struct plot *plot)
{
	const uint32_t nrank = plot->facts->nchosen_rank, nrow = plot->facts->nrow;
	const uint32_t step = plot->facts->ranks_a_row ? plot->facts->ranks_a_row : 1;
	plot->bands = calloc((size_t)nrank + 1, sizeof *plot->bands);
	plot->row_top = calloc((size_t)nrow + 1, sizeof *plot->row_top);
	plot->row_idle = calloc((size_t)nrow + 1, sizeof *plot->row_idle);
	if (!plot->bands || !plot->row_top || !plot->row_idle)
		return false;
	uint32_t row = 0;
	for (uint32_t i = 0; i < nrank; i += step)
		add_band(plot, i, nrank - i < step ? nrank : i + step, &row);
	find_idle_rows(plot);
	place_rows(plot);
	return true;
}

/* The selected tasks, and when the first begins and the last ends. */
static void find_window(struct plot *plot)
{
	double begin = HUGE_VAL, end = 0;
	for (uint32_t s = 0; s < plot->schedule->nstream; s++)
		for (uint32_t t = plot->schedule->streams[s].first;
			t < plot->schedule->streams[s].end; t++) {
			if (!is_in_plot(plot, s, t))
				continue;
			plot->facts->ntask++;
			plot->kinds[plot->schedule->tasks[t].kind]++;
			begin = fmin(begin, plot->times[t].ready);
			end = fmax(end, plot->times[t].end);
		}
	if (plot->all_phases || !plot->facts->ntask) {
		begin = 0;
		end = plot->picture->timeline->total;
	}
	plot->scale = make_scale(begin, end, 0, plot_right, 9);
}

/* The length of a name, cut to what is shown. */
int letters_shown(const char *name)
{
	int length = 0;
	while (name[length] && length < MOST_STREAM_NAME)
		length++;
	while (name[length] && length && ((unsigned char)name[length] & 0xc0) == 0x80)
		length--;
	return length;
}

bool has_stream_labels(const struct plot *plot)
{
	return plot->row_height >= (plot->facts->nrow > plot->nband ? least_stream_row
								    : least_label_distance) &&
	       plot->facts->form != SPAN_MAP;
}

/* Rows begin behind the longest label. */
static void find_left(struct plot *plot)
{
	int longest = 0;
	for (uint32_t s = 0; has_stream_labels(plot) && s < plot->schedule->nstream; s++)
		if (plot->row_of[s] != ORDO_NONE) {
			char title[256];
			ordo_stream_title(plot->schedule, s, title, sizeof title);
			const int length = letters_shown(title);
			longest = length > longest ? length : longest;
		}
	plot->scale.left = rank_label_x + rank_label_width + longest * stream_letter_width +
			   (longest ? 14 : 0);
}

static bool mark_tasks(struct plot *plot)
{
	const uint32_t ntask = plot->schedule->ntask;
	plot->path = malloc(((size_t)ntask + 1) * sizeof *plot->path);
	plot->marks = calloc((size_t)ntask + 1, sizeof *plot->marks);
	if (!plot->path || !plot->marks)
		return false;
	plot->npath = ordo_timeline_path(plot->picture->timeline, plot->path);
	for (uint32_t i = 0; i < plot->npath; i++)
		plot->marks[plot->path[i]] |= ON_PATH;
	const struct witness *witness = plot->picture->witness;
	for (uint32_t i = 0; witness && i < witness->ntask; i++)
		plot->marks[witness->tasks[i]] |= RED;
	return true;
}

static void see(struct plot *plot, uint32_t task)
{
	const struct ordo_task *facts = &plot->schedule->tasks[task];
	const struct ordo_timed_task *times = &plot->times[task];
	plot->seen.path |= (plot->marks[task] & ON_PATH) != 0;
	plot->seen.fault |= (plot->marks[task] & RED) != 0;
	plot->seen.waiting |= times->begin > times->ready;
	if (facts->kind == ORDO_WAIT)
		plot->seen.waiting |= times->end > times->ready;
	if (!ordo_task_moves(facts) || !(times->end > times->begin || plot->seen.all))
		return;
	plot->seen.kinds[facts->kind] = true;
	plot->seen.phases[facts->phase < plot->schedule->nphase ? facts->phase
								: plot->schedule->nphase] = true;
}

/* If no move takes time, moves without duration are visible. */
static bool find_seen(struct plot *plot)
{
	const struct ordo_schedule *schedule = plot->schedule;
	plot->seen.phases = calloc((size_t)schedule->nphase + 1, sizeof *plot->seen.phases);
	if (!plot->seen.phases)
		return false;
	plot->seen.all = true;
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t s = 0; s < schedule->nstream; s++)
			for (uint32_t t = schedule->streams[s].first; t < schedule->streams[s].end;
				t++) {
				if (!is_in_plot(plot, s, t))
					continue;
				if (pass)
					see(plot, t);
				else if (ordo_task_moves(&schedule->tasks[t]))
					plot->seen.all &=
						!(plot->times[t].end > plot->times[t].begin);
			}
	return true;
}

bool lay_out_plot(struct plot *plot)
{
	plot->row_of = ordo_array_make(plot->schedule->nstream, sizeof *plot->row_of, 0xff);
	if (!plot->row_of || !choose_ranks(plot))
		return false;
	for (uint32_t i = 0; i < plot->facts->nchosen_rank; i++)
		for (uint32_t s = plot_program(plot, i)->first_stream;
			s < plot_program(plot, i)->end_stream; s++)
			plot->row_of[s] = 0;
	find_window(plot);
	choose_form(plot);
	if (plot->facts->form == SPAN_MAP)
		plot->facts->span = (plot->scale.end - plot->scale.begin) / plot->facts->nspan;
	if (!lay_out_rows(plot))
		return false;
	find_left(plot);
	return mark_tasks(plot) && find_seen(plot) && make_palette(&plot->palette, plot->schedule);
}

void release_plot(struct plot *plot)
{
	free_palette(&plot->palette);
	free(plot->ranks);
	free(plot->row_of);
	free(plot->bands);
	free(plot->row_top);
	free(plot->row_idle);
	free(plot->path);
	free(plot->marks);
	free(plot->seen.phases);
}
