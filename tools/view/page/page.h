/* page.h - a schedule as one page of HTML that steps through it: its frame, compiled in, and its
 * data, as JSON. */
#ifndef ORDO_TOOLS_VIEW_PAGE_PAGE_H
#define ORDO_TOOLS_VIEW_PAGE_PAGE_H

#include "check/places.h"
#include "page_selection.h"
#include "report/guarantees.h"
#include <ordo/predict.h>

/* The inputs of a page. It owns nothing. */
struct page {
	const struct ordo_schedule *schedule;
	const struct ordo_proof *proof;
	const struct guarantee_verdicts *verdicts; /* NULL: refuted */
	const struct ordo_limits *limits;
	const struct ordo_topology *topology;	  /* NULL: none */
	const struct ordo_prediction *prediction; /* NULL: moves are counted */
	const struct ordo_timeline *timeline;	  /* of the prediction, or counted */
	const struct steps *steps;
	const struct shown *shown;
	const struct incoming *incoming;
	const struct places *places; /* of blocks with counts; NULL: blocks are equal */
	const char *against;	     /* the schedule that G4 and G5 were checked against; or NULL */
	const char *command;	     /* that made it */
};

/* Writes the page: its data between the parts of its frame. Equal inputs give equal bytes. false:
 * no memory, or it cannot be written. */
bool write_page(FILE *out, const struct page *page, struct ordo_error *error);
/* The data as JSON that may be embedded in a page: it has no `<`. */
bool write_page_data(FILE *out, const struct page *page, struct ordo_error *error);

/* The frame, generated from the files in page/ at build: before the title, between title and data,
 * and after the data. */
struct frame_part {
	const unsigned char *text;
	size_t size;
};
extern const struct frame_part page_frame[3];

#endif
