/* space_time_plot.h - the layout of a space-time diagram. Private to space_time*.c. */
#ifndef ORDO_TOOLS_VIEW_SVG_SPACE_TIME_PLOT_H
#define ORDO_TOOLS_VIEW_SVG_SPACE_TIME_PLOT_H

#include "scale.h"
#include "space_time.h"
#include "view/colours/palette.h"

/* The streams of one rank, or of several in a map. */
struct band {
	uint32_t first_rank, end_rank; /* positions in the ranks of the plot */
	uint32_t first_row, end_row;
};

/* The visible things, which the legend explains. */
struct seen {
	bool *phases; /* [nphase + 1] phases of moves */
	bool kinds[ORDO_NTASK_KIND];
	bool waiting, path, fault;
	bool all; /* no move takes time */
};

struct plot {
	FILE *out;
	const struct space_time *picture;
	const struct ordo_schedule *schedule;
	const struct ordo_timed_task *times;
	struct space_time_facts *facts;

	uint32_t *ranks;  /* [facts->nchosen_rank], each once */
	uint32_t *row_of; /* [nstream]; ORDO_NONE: not drawn */
	struct band *bands;
	uint32_t nband;
	double *row_top;	   /* [nrow + 1] */
	bool *row_idle;		   /* [nrow] no task in it takes time: the row is low */
	double row_height, bottom; /* height of the other rows */
	struct scale scale;

	uint32_t *path; /* [npath], the critical path, whatever is selected */
	uint32_t npath;
	uint8_t *marks; /* [ntask] */
	bool all_phases;
	struct palette palette;
	uint64_t kinds[ORDO_NTASK_KIND]; /* number of drawn tasks */
	struct seen seen;
};

enum { ON_PATH = 1, RED = 2 };

/* In pixels: the end and the begin of rows, the position of rank names, and the least distance of
 * labels. */
static const double plot_right = 1256, plot_top = 92, rank_label_x = 14, least_label_distance = 12;

/* In a map waiting is paler than work. */
#define WAITING_SHADE 0.45

/* Selects ranks, form and rows and finds the visible things. false: no memory. Release it in either
 * case. */
bool lay_out_plot(struct plot *plot);
void release_plot(struct plot *plot);
/* The program of the rank at a position among the selected ones. */
const struct ordo_program *plot_program(const struct plot *plot, uint32_t position);
/* The part of a stream's name that fits into a label. */
int letters_shown(const char *name);
bool has_stream_labels(const struct plot *plot);

bool is_in_plot(const struct plot *plot, uint32_t stream, uint32_t task);
static inline double plot_x(const struct plot *plot, double seconds)
{
	return place_on_scale(&plot->scale, seconds);
}
double row_bottom(const struct plot *plot, uint32_t row);
/* The middle of a stream's row. */
double plot_y(const struct plot *plot, uint32_t stream);
/* The height of a task's bar: moves to another rank are high, moves within a rank low, Waits
 * thin. */
double bar_height(const struct plot *plot, enum ordo_task_kind kind);

bool put_bars(const struct plot *plot);	  /* false: no memory */
extern const char space_time_style[];	  /* <style> */
void put_arrows(const struct plot *plot); /* counts the drawn tasks */
bool put_map(const struct plot *plot);	  /* false: no memory */
/* Below the rows; returns its lower edge. */
double put_legend(const struct plot *plot, double top);

#endif
