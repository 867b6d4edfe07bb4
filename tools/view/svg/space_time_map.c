/* space_time_map.c - rows of ranks divided into spans of time, for schedules of more tasks than fit
 * into a picture. The colour of a cell shows the share of its span in which the ranks of its row
 * worked: moves between ranks in the colour of their phase, moves within a rank darker; the share
 * in which no stream works but some wait is grey. Smaller shares are paler. Every task costs the
 * same, however long it is: it is added where it begins and subtracted where it ends, and a prefix
 * sum gives the values between. */
#include "space_time_plot.h"
#include "svg.h"
#include <math.h>
#include <stdlib.h>

/* Seconds, in spans, of one row. Colours are 0..255, weighted by their times. */
enum { RED_PART, GREEN_PART, BLUE_PART, BUSY, WAITING, NPART };
struct amount {
	double parts[NPART];
};

struct map {
	const struct plot *plot;
	uint32_t nrow, nspan;
	struct amount *inside; /* [nrow][nspan] of tasks that begin or end in the span */
	struct amount *change; /* [nrow][nspan + 1] of tasks that last for whole spans */
	uint32_t *nrank;       /* [nrow] */
};

enum { SHADES = 8 }; /* equal neighbours become one box */

static void add(struct amount *to, const struct amount *what, double times)
{
	for (int i = 0; i < NPART; i++)
		to->parts[i] += what->parts[i] * times;
}

/* Adds an interval. */
static void add_time(
	struct map *map, uint32_t row, double begin, double end, const struct amount *what)
{
	const struct scale *scale = &map->plot->scale;
	const double length = (scale->end - scale->begin) / map->nspan;
	if (!(length > 0))
		return;
	begin = fmax(0, fmin(map->nspan, (begin - scale->begin) / length));
	end = fmax(begin, fmin(map->nspan, (end - scale->begin) / length));
	struct amount *inside = &map->inside[(size_t)row * map->nspan],
		      *change = &map->change[(size_t)row * (map->nspan + 1)];
	const uint32_t first = (uint32_t)begin < map->nspan ? (uint32_t)begin : map->nspan - 1,
		       last = (uint32_t)end < map->nspan ? (uint32_t)end : map->nspan - 1;
	if (first == last) {
		add(&inside[first], what, end - begin);
		return;
	}
	add(&inside[first], what, first + 1 - begin);
	add(&inside[last], what, end - last);
	add(&change[first + 1], what, 1);
	add(&change[last], what, -1);
}

static struct amount colour_of(const struct plot *plot, uint32_t phase, double strength)
{
	const unsigned long rgb = strtoul(phase_bar_colour(&plot->palette, phase) + 1, NULL, 16);
	return (struct amount){{(double)(rgb >> 16) * strength, (double)(rgb >> 8 & 255) * strength,
		(double)(rgb & 255) * strength, 1, 0}};
}

static void add_task(struct map *map, uint32_t stream, uint32_t task)
{
	static const struct amount waiting = {{0, 0, 0, 0, 1}};
	const struct plot *plot = map->plot;
	const struct ordo_timed_task *times = &plot->times[task];
	const struct ordo_task *facts = &plot->schedule->tasks[task];
	const uint32_t row = plot->row_of[stream];
	if (times->begin > times->ready)
		add_time(map, row, times->ready, times->begin, &waiting);
	if (times->end > times->begin) {
		const struct amount working =
			colour_of(plot, facts->phase, ordo_task_crosses(facts) ? 1 : 0.62);
		add_time(map, row, times->begin, times->end, &working);
	}
}

static void fill(struct map *map)
{
	const struct plot *plot = map->plot;
	for (uint32_t i = 0; i < plot->nband; i++)
		map->nrank[plot->bands[i].first_row] =
			plot->bands[i].end_rank - plot->bands[i].first_rank;
	for (uint32_t s = 0; s < plot->schedule->nstream; s++) {
		if (plot->row_of[s] == ORDO_NONE)
			continue;
		for (uint32_t t = plot->schedule->streams[s].first;
			t < plot->schedule->streams[s].end; t++)
			if (is_in_plot(plot, s, t))
				add_task(map, s, t);
	}
}

/* The share of a cell in which its ranks work, and the share of the rest in which they wait:
 * parallel streams count once. */
static void share(const struct amount *amount, uint32_t nrank, double *busy, double *waiting)
{
	*busy = fmin(1, amount->parts[BUSY] / nrank);
	*waiting = fmin(1 - *busy, amount->parts[WAITING] / nrank);
}

/* The style of a cell; equal styles have equal numbers. 0: empty. */
static uint32_t look_of(const struct amount *amount, uint32_t nrank)
{
	static const double grey[] = {0x8c, 0x95, 0x9f};
	double busy, waiting;
	share(amount, nrank, &busy, &waiting);
	waiting *= WAITING_SHADE;
	uint32_t look = (uint32_t)lround((busy + waiting) * SHADES);
	if (!look)
		return 0;
	for (int i = RED_PART; i <= BLUE_PART; i++) {
		const double colour = amount->parts[BUSY] > 0
					      ? amount->parts[i] / amount->parts[BUSY]
					      : 0,
			     mixed = (colour * busy + grey[i] * waiting) / (busy + waiting);
		look = look << 8 | ((uint32_t)lround(fmax(0, fmin(255, mixed))) & 0xfc);
	}
	return look;
}

static void put_cells(
	const struct map *map, uint32_t row, uint32_t first, uint32_t end, uint32_t look)
{
	const struct plot *plot = map->plot;
	const double width = (plot->scale.right - plot->scale.left) / map->nspan,
		     top = plot->row_top[row];
	if (!look)
		return;
	fprintf(plot->out, "<path fill=\"#%06x\"", (unsigned)(look & 0xffffff));
	if (look >> 24 < SHADES)
		svg_attribute(plot->out, "fill-opacity", (double)(look >> 24) / SHADES);
	fputs(" d=\"", plot->out);
	svg_box(plot->out, plot->scale.left + width * first, top, plot->scale.left + width * end,
		top + plot->row_height);
	fputs("\"/>\n", plot->out);
}

/* The cells of a row from the prefix sums. */
static void find_cells(const struct map *map, uint32_t row, struct amount *cells)
{
	struct amount running = {{0}};
	for (uint32_t i = 0; i < map->nspan; i++) {
		cells[i] = map->inside[(size_t)row * map->nspan + i];
		add(&running, &map->change[(size_t)row * (map->nspan + 1) + i], 1);
		add(&cells[i], &running, 1);
	}
}

static void put_row_title(const struct map *map, uint32_t nrank, const struct amount *cells)
{
	double working = 0, waited = 0;
	for (uint32_t i = 0; i < map->nspan; i++) {
		double busy, waiting;
		share(&cells[i], nrank, &busy, &waiting);
		working += busy / map->nspan;
		waited += waiting / map->nspan;
	}
	fprintf(map->plot->out, "<title>working %.0f %% of the time, waiting %.0f %%</title>\n",
		100 * working, 100 * waited);
}

static void put_row(const struct map *map, uint32_t row, struct amount *cells)
{
	const uint32_t nrank = map->nrank[row];
	find_cells(map, row, cells);
	fputs("<g class=\"row\" shape-rendering=\"crispEdges\">", map->plot->out);
	put_row_title(map, nrank, cells);
	for (uint32_t first = 0, end; first < map->nspan; first = end) {
		const uint32_t look = look_of(&cells[first], nrank);
		for (end = first + 1; end < map->nspan && look_of(&cells[end], nrank) == look;)
			end++;
		put_cells(map, row, first, end, look);
	}
	fputs("</g>\n", map->plot->out);
}

/* The critical path within one column of pixels. */
struct column {
	double x, low, high, last; /* the last row it was in */
	uint32_t nturn;		   /* changes of row */
};

/* The critical path of a trace may change between threads hundreds of times in a column: a solid
 * line would hide everything else. */
enum { MOST_TURNS = 3 };

static void put_extent(const struct plot *plot, const struct column *column)
{
	svg_line(plot->out, column->x, column->low, column->x, column->high);
}

static void leave_column(const struct plot *plot, const struct column *column, bool flutter)
{
	if (column->high <= column->low || (flutter && column->nturn <= MOST_TURNS))
		return;
	if (flutter || column->nturn <= MOST_TURNS)
		put_extent(plot, column);
	if (flutter)
		return;
	fputc('M', plot->out);
	svg_number(plot->out, column->x);
	fputc(' ', plot->out);
	svg_number(plot->out, column->last);
}

/* The critical path as a line through the middles of rows. Within one column its extent is drawn;
 * `flutter` selects the columns with many changes, otherwise all others. */
static void put_way(const struct plot *plot, const char *class_name, bool flutter)
{
	struct column column = {.x = -1};
	fprintf(plot->out, "<path class=\"%s\" d=\"", class_name);
	for (uint32_t i = 0; i < plot->npath; i++) {
		const uint32_t task = plot->path[i], stream = ordo_stream_of(plot->schedule, task);
		if (!is_in_plot(plot, stream, task))
			continue;
		const double x = floor(plot_x(plot, plot->times[task].end)),
			     y = plot_y(plot, stream);
		if (x == column.x) {
			column.nturn += y != column.last;
			column.low = fmin(column.low, y);
			column.high = fmax(column.high, y);
			column.last = y;
			continue;
		}
		if (column.x < 0 && !flutter)
			svg_line(plot->out, plot_x(plot, plot->times[task].begin), y, x, y);
		leave_column(plot, &column, flutter);
		if (column.x >= 0 && !flutter) {
			fputc('L', plot->out);
			svg_number(plot->out, x);
			fputc(' ', plot->out);
			svg_number(plot->out, y);
		}
		column = (struct column){.x = x, .low = y, .high = y, .last = y};
	}
	leave_column(plot, &column, flutter);
	fputs("\"/>\n", plot->out);
}

bool put_map(const struct plot *plot)
{
	struct map map = {.plot = plot, .nrow = plot->facts->nrow, .nspan = plot->facts->nspan};
	const size_t ncell = (size_t)map.nrow * (map.nspan + 1);
	map.inside = calloc(ncell + 1, sizeof *map.inside);
	map.change = calloc(ncell + 1, sizeof *map.change);
	map.nrank = calloc((size_t)map.nrow + 1, sizeof *map.nrank);
	struct amount *cells = calloc((size_t)map.nspan + 1, sizeof *cells);
	const bool worked = map.inside && map.change && map.nrank && cells;
	if (worked) {
		fill(&map);
		for (uint32_t row = 0; row < map.nrow; row++)
			put_row(&map, row, cells);
		put_way(plot, "halo", false);
		put_way(plot, "way flutter", true);
		put_way(plot, "way", false);
	}
	free(cells);
	free(map.inside);
	free(map.change);
	free(map.nrank);
	return worked;
}
