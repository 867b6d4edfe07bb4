/* space_time_plot.h - a space-time diagram under way: where everything lies. Private to
 * space_time*.c. */
#ifndef ORDO_TOOLS_VIEW_SVG_SPACE_TIME_PLOT_H
#define ORDO_TOOLS_VIEW_SVG_SPACE_TIME_PLOT_H

#include "scale.h"
#include "space_time.h"
#include "view/colours/palette.h"

/* The streams of one rank, or of several in a map. */
struct band {
	uint32_t first_rank, end_rank; /* positions in the plot's ranks */
	uint32_t first_row, end_row;
};

/* What takes so long that it is seen: all that the legend explains. */
struct seen {
	bool *phases; /* [nphase + 1] of moves */
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
	bool *row_idle;		   /* [nrow] nothing in it takes time: it is low */
	double row_height, bottom; /* height of those that are not */
	struct scale scale;

	uint32_t *path; /* [npath], the critical path, whatever is chosen */
	uint32_t npath;
	uint8_t *marks; /* [ntask] */
	bool all_phases;
	struct palette palette;
	uint64_t kinds[ORDO_NTASK_KIND]; /* how many are drawn */
	struct seen seen;
};

enum { ON_PATH = 1, RED = 2 };

/* In pixels: where the rows end and begin, where the names of ranks stand, and how far apart labels
 * are at least. */
static const double plot_right = 1256, plot_top = 92, rank_label_x = 14, least_label_distance = 12;

/* In a map waiting is paler than work. */
#define WAITING_SHADE 0.45

/* Chooses ranks, form and rows and finds what the picture shows. false: no memory. Released in
 * either case. */
bool lay_out_plot(struct plot *plot);
void release_plot(struct plot *plot);
/* The program of the rank at a position among the chosen ones. */
const struct ordo_program *plot_program(const struct plot *plot, uint32_t position);
/* As many letters of a stream's name as a label shows. */
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
/* The height of a task's bar: what goes to another rank is high, what stays is low, a Wait is
 * thin. */
double bar_height(const struct plot *plot, enum ordo_task_kind kind);

bool put_bars(const struct plot *plot);	  /* false: no memory */
extern const char space_time_style[];	  /* <style> */
void put_arrows(const struct plot *plot); /* counts them */
bool put_map(const struct plot *plot);	  /* false: no memory */
/* Below the rows; returns where it ends. */
double put_legend(const struct plot *plot, double top);

#endif
