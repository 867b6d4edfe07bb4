/* space_time.c - a schedule in time: which rows there are, where they lie, and what stands around
 * them. */
#include "space_time.h"
#include "space_time_plot.h"
#include "svg.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

/* In pixels. */
static const double picture_width = 1280, plot_right = 1256, plot_top = 92, rank_label_x = 14,
		    rank_label_width = 74, stream_letter_width = 5.7, least_label_distance = 12,
		    least_stream_row = 9, rows_height = 640, highest_row = 26, lowest_row = 4,
		    idle_height = 0.22;
/* MOST_TITLE: letters. */
enum { MAP_ROWS = 64, MAP_SPANS = 284, MOST_TITLE = 150, MOST_STREAM_NAME = 24 };

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

/* Every rank once, in the order wished. */
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

static const struct ordo_program *program_of(const struct plot *plot, uint32_t position)
{
	return &plot->schedule->programs[plot->ranks[position]];
}

/* Rows of streams: a rank that has none keeps an empty one. */
static uint64_t count_streams(const struct plot *plot)
{
	uint64_t count = 0;
	for (uint32_t i = 0; i < plot->facts->nchosen_rank; i++) {
		const struct ordo_program *program = program_of(plot, i);
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

/* The rows of the ranks from a position on, as one band. */
static void add_band(struct plot *plot, uint32_t position, uint32_t end, uint32_t *row)
{
	struct band *band = &plot->bands[plot->nband++];
	*band = (struct band){.first_rank = position, .end_rank = end, .first_row = *row};
	for (; position < end; position++) {
		const struct ordo_program *program = program_of(plot, position);
		for (uint32_t s = program->first_stream; s < program->end_stream; s++)
			plot->row_of[s] = plot->facts->form == SPAN_MAP
						  ? *row
						  : *row + s - program->first_stream;
		if (plot->facts->form != SPAN_MAP && program->end_stream > program->first_stream)
			*row += program->end_stream - program->first_stream - 1;
	}
	band->end_row = ++*row;
}

/* Rows of streams none of whose tasks takes time are low, beside others of their rank. */
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

/* What is chosen, when it begins and when it ends. */
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

/* Letters of a name, as many as are shown. */
static int name_length(const char *name)
{
	int length = 0;
	while (name[length] && length < MOST_STREAM_NAME)
		length++;
	while (name[length] && length && ((unsigned char)name[length] & 0xc0) == 0x80)
		length--;
	return length;
}

static bool has_stream_labels(const struct plot *plot)
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
			const int length = name_length(plot->schedule->streams[s].name);
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

/* Moves that take no time are seen where none takes any. */
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

static bool lay_out(struct plot *plot)
{
	plot->row_of = ordo_array_make(plot->schedule->nstream, sizeof *plot->row_of, 0xff);
	if (!plot->row_of || !choose_ranks(plot))
		return false;
	for (uint32_t i = 0; i < plot->facts->nchosen_rank; i++)
		for (uint32_t s = program_of(plot, i)->first_stream;
			s < program_of(plot, i)->end_stream; s++)
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

static void release(struct plot *plot)
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

/* As much of a text as a title takes. */
static void put_short(const struct plot *plot, const char *class_name, double y, const char *text)
{
	char cut[MOST_TITLE * 4 + 8];
	size_t letters = 0, length = 0;
	for (; text[length] && length + 8 < sizeof cut; length++) {
		letters += ((unsigned char)text[length] & 0xc0) != 0x80;
		if (letters > MOST_TITLE)
			break;
	}
	while (text[length] && length && ((unsigned char)text[length] & 0xc0) == 0x80)
		length--;
	memcpy(cut, text, length);
	snprintf(cut + length, sizeof cut - length, "%s", text[length] ? "…" : "");
	svg_label(plot->out, class_name, rank_label_x, y, cut);
}

static void put_title(const struct plot *plot)
{
	char text[1024], total[40];
	const struct ordo_problem *problem = &plot->schedule->problem;
	int length = snprintf(text, sizeof text, "%s on %u ranks by %.400s",
		ordo_operator_facts(problem->op)->name, problem->nrank, plot->schedule->algorithm);
	if (problem->nshard != problem->nrank && length > 0 && (size_t)length < sizeof text)
		length += snprintf(text + length, sizeof text - (size_t)length, ", %u shards",
			problem->nshard);
	print_duration(plot->picture->timeline->total, total, sizeof total);
	if (length > 0 && (size_t)length < sizeof text)
		snprintf(text + length, sizeof text - (size_t)length, ": %s", total);
	put_short(plot, "title", 30, text);
	put_short(plot, "soft", 50, plot->picture->setting);
}

static void put_bands(const struct plot *plot)
{
	const bool narrow = plot->row_height < least_label_distance;
	for (uint32_t i = 0; i < plot->nband; i++) {
		const struct band *band = &plot->bands[i];
		if (band->first_row < band->end_row && i % 2 == 0 &&
			(!narrow || plot->facts->nrow > plot->nband))
			svg_rect(plot->out, "zebra", plot->scale.left,
				plot->row_top[band->first_row], plot_right,
				row_bottom(plot, band->end_row - 1));
	}
}

static void put_axis(const struct plot *plot)
{
	FILE *out = plot->out;
	char text[48];
	fputs("<path class=\"grid\" d=\"", out);
	for (int64_t tick = plot->scale.first_tick; tick <= plot->scale.last_tick; tick++) {
		const double x = plot_x(plot, (double)tick * plot->scale.step);
		svg_line(out, x, plot_top - 6, x, plot->bottom);
	}
	fputs("\"/>\n", out);
	for (int64_t tick = plot->scale.first_tick; tick <= plot->scale.last_tick; tick++) {
		print_tick(&plot->scale, tick, text, sizeof text);
		svg_label(out, "soft middle", plot_x(plot, (double)tick * plot->scale.step),
			plot_top - 12, text);
	}
	svg_label(out, "soft end", plot->scale.left - 20, plot_top - 12, plot->scale.unit_name);
	if (plot->facts->ranks_a_row > 1)
		svg_label(out, "soft", rank_label_x, plot_top - 12, "ranks");
}

/* The streams of a band, as far as there is room. */
static void put_stream_labels(const struct plot *plot, const struct band *band)
{
	const struct ordo_program *program = program_of(plot, band->first_rank);
	if (!has_stream_labels(plot))
		return;
	for (uint32_t s = program->first_stream; s < program->end_stream; s++) {
		char name[64];
		if (plot->row_idle[plot->row_of[s]] && plot->facts->nrow > plot->nband)
			continue;
		snprintf(name, sizeof name, "%.*s", name_length(plot->schedule->streams[s].name),
			plot->schedule->streams[s].name);
		svg_label(
			plot->out, "small end", plot->scale.left - 8, plot_y(plot, s) + 3.5, name);
	}
}

static void put_band_label(const struct plot *plot, const struct band *band)
{
	char text[64];
	const uint32_t first = plot->ranks[band->first_rank],
		       last = plot->ranks[band->end_rank - 1];
	const double middle =
		(plot->row_top[band->first_row] + row_bottom(plot, band->end_row - 1)) / 2;
	if (first == last)
		snprintf(text, sizeof text, "rank %" PRIu32, first);
	else if (last - first == band->end_rank - band->first_rank - 1)
		snprintf(text, sizeof text, "%" PRIu32 "–%" PRIu32, first, last);
	else
		snprintf(text, sizeof text, "%" PRIu32 ", … %" PRIu32, first, last);
	svg_label(plot->out, "rank", rank_label_x, middle + 4, text);
}

static void put_labels(const struct plot *plot)
{
	double last = -least_label_distance;
	for (uint32_t i = 0; i < plot->nband; i++) {
		const struct band *band = &plot->bands[i];
		const double top = plot->row_top[band->first_row];
		put_stream_labels(plot, band);
		if (top - last < least_label_distance)
			continue;
		put_band_label(plot, band);
		last = top;
	}
}

static bool put_contents(const struct plot *plot)
{
	bool worked = true;
	put_title(plot);
	put_bands(plot);
	put_axis(plot);
	if (plot->facts->form == SPAN_MAP)
		worked = put_map(plot);
	else if ((worked = put_bars(plot)))
		put_arrows(plot);
	put_labels(plot);
	return worked;
}

/* The contents go to memory first: how high they are is known last. */
static bool put_picture(struct plot *plot, FILE *out)
{
	char *contents = NULL;
	size_t size = 0;
	plot->out = open_memstream(&contents, &size);
	if (!plot->out)
		return false;
	bool worked = put_contents(plot);
	const double height = put_legend(plot, plot->bottom + 26) + 10;
	worked = !fclose(plot->out) && worked;
	if (worked) {
		fprintf(out,
			"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"st\" role=\"img\" "
			"viewBox=\"0 0 %.0f ",
			picture_width);
		svg_number(out, height);
		fprintf(out, "\" width=\"%.0f\"", picture_width);
		svg_attribute(out, "height", height);
		fprintf(out, ">\n%s", space_time_style);
		fputs("<defs><pattern id=\"st-hatch\" width=\"5\" height=\"5\" "
		      "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><rect "
		      "class=\"queue\" width=\"5\" height=\"5\"/><path class=\"hatch\" d=\"M0 "
		      "0V5\" stroke-width=\"3\"/></pattern></defs>\n",
			out);
		svg_rect(out, "paper", 0, 0, picture_width, height);
		fwrite(contents, 1, size, out);
		fputs("</svg>\n", out);
	}
	free(contents);
	return worked;
}

bool draw_space_time(FILE *out, const struct space_time *picture, struct space_time_facts *facts,
	struct ordo_error *error)
{
	*facts = (struct space_time_facts){.form = TASK_BARS};
	struct plot plot = {.picture = picture,
		.schedule = picture->timeline->schedule,
		.times = picture->timeline->tasks,
		.facts = facts};
	const bool worked = lay_out(&plot) && put_picture(&plot, out);
	release(&plot);
	if (!worked)
		return ordo_fail_memory(error);
	return (!fflush(out) && !ferror(out)) ||
	       ordo_fail(
		       error, ORDO_ENVIRONMENT, 0, "cannot write the picture: %s", strerror(errno));
}
