/* witness_dot.c - draws the witness of a refuted schedule in red, over the picture of its tasks. */
#include "witness_dot.h"
#include <math.h>
#include <string.h>

struct point {
	double x, y;
};

struct sketch {
	const struct witness_canvas *canvas;
	const struct witness *witness;
	uint32_t nnode;			  /* names of added nodes */
	bool linked[WITNESS_MISSING + 1]; /* the kinds that were drawn */
};

static Agnode_t *add_anonymous(struct sketch *sketch, struct point at)
{
	char name[32];
	snprintf(name, sizeof name, "witness%u", sketch->nnode++);
	return add_node(sketch->canvas->graph, name, at.x, at.y);
}

/* An end or a corner of a line. */
static Agnode_t *add_point(struct sketch *sketch, struct point at)
{
	Agnode_t *node = add_anonymous(sketch, at);
	if (!node)
		return NULL;
	set_all(node, "shape=point; style=invis; width=0.01; height=0.01");
	return node;
}

static Agedge_t *add_line(
	struct sketch *sketch, Agnode_t *from, Agnode_t *to, const char *direction)
{
	Agedge_t *edge = from && to ? agedge(sketch->canvas->graph, from, to, NULL, 1) : NULL;
	if (!edge)
		return NULL;
	set_all(edge, "color=%s; penwidth=2.4; arrowsize=0.8; dir=%s", WITNESS_RED, direction);
	return edge;
}

/* The label of an arrow, beside its middle: a fixed text in one or two lines. */
static bool add_words(struct sketch *sketch, struct point at, const char *text)
{
	Agnode_t *node = add_anonymous(sketch, at);
	if (!node)
		return false;
	const size_t first = strcspn(text, "\n"),
		     second = text[first] ? strlen(text + first + 1) : 0;
	set_lines(node, "label", text);
	set_all(node,
		"shape=box; style=filled; fillcolor=#fff4f3; color=%s; penwidth=0.4; fontcolor=%s; "
		"fontsize=8; height=%s; width=%.2f",
		WITNESS_RED, WITNESS_RED, second ? "0.3" : "0.17",
		0.06 * (double)(first > second ? first : second) + 0.1);
	return true;
}

/* The number of a hop. */
static bool add_number(struct sketch *sketch, struct point at, const char *text)
{
	Agnode_t *node = add_anonymous(sketch, at);
	if (!node)
		return false;
	set(node, "label", text);
	set_all(node,
		"shape=%s; style=filled; fillcolor=%s; color=white; fontcolor=white; "
		"fontname=Helvetica-Bold; fontsize=8; height=0.19; width=%s",
		strlen(text) < 3 ? "circle" : "box", WITNESS_RED,
		strlen(text) < 3 ? "0.19" : "0.3");
	return true;
}

static struct point between(struct point a, struct point b, double share)
{
	return (struct point){a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share};
}

static struct point middle(struct point a, struct point b)
{
	return between(a, b, 0.5);
}

/* A line beside the column, so that no box hides it; side: -1 left, 1 right. */
static bool add_bracket(struct sketch *sketch, const struct witness_spot *from,
	const struct witness_spot *to, double side, const char *text)
{
	const double x = from->x + 0.53 * side;
	Agnode_t *first = add_point(sketch, (struct point){x, from->y}),
		 *second = add_point(sketch, (struct point){x, to->y});
	return add_line(sketch, from->node, first, "none") &&
	       add_line(sketch, first, second, "none") &&
	       add_line(sketch, second, to->node, "forward") &&
	       add_number(sketch, (struct point){x, (from->y + to->y) / 2}, text);
}

static bool draw_hop(struct sketch *sketch, const struct witness_arrow *arrow)
{
	const struct witness_canvas *canvas = sketch->canvas;
	const struct witness_spot from = canvas->spot_of_task(canvas->drawing, arrow->from),
				  to = canvas->spot_of_task(canvas->drawing, arrow->to);
	if (!from.node || !to.node)
		return true;
	sketch->linked[arrow->link] = true;
	if (from.x == to.x)
		return add_bracket(
			sketch, &from, &to, arrow->link == WITNESS_BEHIND ? -1 : 1, arrow->text);
	return add_line(sketch, from.node, to.node, "forward") &&
	       add_number(sketch,
		       middle((struct point){from.x, from.y}, (struct point){to.x, to.y}),
		       arrow->text);
}

/* Is there too little room for text between the two? */
static bool narrow(const struct witness_spot *from, const struct witness_spot *to)
{
	return (from->x < to->x ? to->x - from->x : from->x - to->x) < 1.3;
}

static bool draw_race(struct sketch *sketch, const struct witness_arrow *arrow)
{
	const struct witness_canvas *canvas = sketch->canvas;
	const struct witness_spot from = canvas->spot_of_task(canvas->drawing, arrow->from),
				  to = canvas->spot_of_task(canvas->drawing, arrow->to);
	if (!from.node || !to.node)
		return true;
	sketch->linked[WITNESS_RACE] = true;
	struct point at = middle((struct point){from.x, from.y}, (struct point){to.x, to.y});
	at.y -= narrow(&from, &to) ? 0.36 : 0.2;
	return add_line(sketch, from.node, to.node, "both") && add_words(sketch, at, arrow->text);
}

/* A missing Notify or Wait. */
static Agnode_t *add_missing(struct sketch *sketch, struct point at, bool wait, uint32_t peer)
{
	Agnode_t *node = add_anonymous(sketch, at);
	if (!node)
		return NULL;
	set_all(node,
		"shape=%s; style=filled,dashed; color=%s; penwidth=1.2; width=0.2; height=0.2; "
		"fontsize=8; fillcolor=%s; fontcolor=%s; label=%u",
		peer < 100 ? "circle" : "box", WITNESS_RED, wait ? "white" : WITNESS_RED,
		wait ? WITNESS_RED : "white", peer);
	return node;
}

/* The place of a missing Notify, after `from`, or of a missing Wait, before `to`; or in the columns
 * of the rank that enters or leaves. */
static bool find_place(const struct sketch *sketch, const struct witness_arrow *arrow, bool wait,
	struct point *place)
{
	const struct witness_canvas *canvas = sketch->canvas;
	const uint32_t task = wait ? arrow->to : arrow->from;
	if (task != ORDO_NONE) {
		const struct witness_spot spot = canvas->spot_of_task(canvas->drawing, task);
		const double side = wait ? -1 : 1;
		*place = (struct point){spot.x + side * (spot.width / 2 - 0.06),
			spot.y + side * (spot.height / 2 + 0.03)};
		return spot.node;
	}
	const struct witness_spot rank = canvas->spot_of_rank(canvas->drawing, arrow->rank);
	*place = wait ? (struct point){rank.x, canvas->bottom}
		      : (struct point){rank.x - rank.width / 2 + 0.13, 0.46};
	return rank.width > 0;
}

static uint32_t rank_of(const struct sketch *sketch, uint32_t task, uint32_t otherwise)
{
	const struct ordo_schedule *schedule = sketch->canvas->schedule;
	return task == ORDO_NONE ? otherwise
				 : schedule->streams[ordo_stream_of(schedule, task)].rank;
}

static bool draw_missing(struct sketch *sketch, const struct witness_arrow *arrow)
{
	struct point from, to;
	if (!find_place(sketch, arrow, false, &from) || !find_place(sketch, arrow, true, &to))
		return true;
	const uint32_t notifier = rank_of(sketch, arrow->from, arrow->rank),
		       waiter = rank_of(sketch, arrow->to, arrow->rank);
	/* For a Notify without a Wait (R6) only the Wait is missing, and vice versa. */
	const struct ordo_task *tasks = sketch->canvas->schedule->tasks;
	const bool notify = arrow->from == ORDO_NONE || ordo_task_moves(&tasks[arrow->from]),
		   wait = arrow->to == ORDO_NONE || ordo_task_moves(&tasks[arrow->to]);
	Agnode_t *first = notify ? add_missing(sketch, from, false, waiter)
				 : add_point(sketch, from),
		 *second = wait ? add_missing(sketch, to, true, notifier) : add_point(sketch, to);
	Agedge_t *edge = add_line(sketch, first, second, "forward");
	if (!edge)
		return false;
	sketch->linked[WITNESS_MISSING] = true;
	set_all(edge, "style=dashed; penwidth=1.8");
	/* Near its task, however long the arrow: arrows from many ranks cross in their middles. */
	const double near = fmin(0.35, 0.6 / fmax(hypot(to.x - from.x, to.y - from.y), 0.1));
	struct point at = between(from, to,
		arrow->from == ORDO_NONE ? 1 - near
		: arrow->to == ORDO_NONE ? near
					 : 0.5);
	/* Above the task that it precedes, below the task that it follows. */
	at.y += arrow->from == ORDO_NONE ? -0.1 : fabs(to.x - from.x) < 0.6 ? 0.24 : 0.16;
	return add_words(sketch, at, arrow->text);
}

/* The Notify for one Wait of a cycle, at the place where it would open the cycle: before another
 * Wait. */
static bool draw_earlier(struct sketch *sketch, const struct witness_arrow *arrow)
{
	const struct witness_canvas *canvas = sketch->canvas;
	const struct witness_spot from = canvas->spot_of_task(canvas->drawing, arrow->from),
				  to = canvas->spot_of_task(canvas->drawing, arrow->to);
	if (!from.node || !to.node)
		return true;
	const struct point at = {from.x + 0.22, from.y - 0.26};
	Agnode_t *notify = add_missing(sketch, at, false, rank_of(sketch, arrow->to, 0));
	Agedge_t *edge = add_line(sketch, notify, to.node, "forward");
	if (!edge)
		return false;
	sketch->linked[WITNESS_MISSING] = true;
	set_all(edge, "style=dashed; penwidth=1.8");
	return add_words(sketch, (struct point){at.x + 0.3, at.y - 0.2}, arrow->text);
}

static bool draw_arrow(struct sketch *sketch, const struct witness_arrow *arrow)
{
	switch (arrow->link) {
	case WITNESS_RACE:
		return draw_race(sketch, arrow);
	case WITNESS_MISSING:
		return draw_missing(sketch, arrow);
	case WITNESS_EARLIER:
		return draw_earlier(sketch, arrow);
	case WITNESS_WAITS:
	case WITNESS_BEHIND:
		return draw_hop(sketch, arrow);
	}
	return true;
}

static bool draw_arrows(struct sketch *sketch)
{
	const struct witness *witness = sketch->witness;
	for (uint32_t i = 0; i < witness->narrow; i++) {
		const struct witness_arrow *arrow = &witness->arrows[i];
		if (!draw_arrow(sketch, arrow))
			return false;
	}
	return true;
}

struct captions {
	struct sketch *sketch;
	double y;
	uint32_t nline;
};

static bool add_caption_line(struct captions *captions, const char *text, size_t length, bool hint)
{
	char line[512], name[32];
	snprintf(line, sizeof line, "%.*s", (int)length, text);
	snprintf(name, sizeof name, "caption%u", captions->nline++);
	Agnode_t *node =
		add_left_label(captions->sketch->canvas->graph, name, 0.02, captions->y, line, 10);
	captions->y += 0.2;
	if (!node)
		return false;
	set(node, "fontcolor", hint ? "#8a3a30" : WITNESS_RED);
	if (hint)
		set(node, "fontname", "Helvetica-Oblique");
	return true;
}

/* Breaks lines at spaces to fit the width of the picture. */
static bool add_caption(struct captions *captions, const char *text)
{
	const double right = captions->sketch->canvas->right;
	const size_t most = right > 8 ? (size_t)(right / 0.085) : 94;
	while (*text) {
		const size_t whole = strcspn(text, "\n");
		const bool hint = !strncmp(text, "hint: ", 6);
		size_t length = whole;
		if (length > most)
			for (length = most; length > most / 2 && text[length] != ' ';)
				length--;
		if (!add_caption_line(captions, text, length, hint))
			return false;
		text += length;
		while (*text == ' ' || *text == '\n')
			text++;
	}
	return true;
}

/* The first few findings in full, and the number of the others. Findings of one rule share their
 * hint, which is printed once. */
static bool add_captions(struct sketch *sketch)
{
	enum { MOST = 4 };
	const struct witness *witness = sketch->witness;
	struct captions captions = {sketch, sketch->canvas->bottom + 0.35, 0};
	for (uint32_t i = 0; i < witness->nfinding && i < MOST; i++) {
		const char *text = witness->captions[i], *hint = strstr(text, "\nhint: "),
			   *next = i + 1 < witness->nfinding && i + 1 < MOST
					   ? strstr(witness->captions[i + 1], "\nhint: ")
					   : NULL;
		char shortened[2048];
		if (hint && next && !strcmp(hint, next)) {
			snprintf(shortened, sizeof shortened, "%.*s", (int)(hint - text), text);
			text = shortened;
		}
		if (!add_caption(&captions, text))
			return false;
	}
	char more[64];
	snprintf(more, sizeof more, "and %u more finding%s", witness->nfinding - MOST,
		witness->nfinding == MOST + 1 ? "" : "s");
	return witness->nfinding <= MOST || add_caption(&captions, more);
}

static bool add_meaning(
	struct sketch *sketch, double *y, const char *text, const char *direction, bool dashed)
{
	const double x = sketch->canvas->right;
	Agnode_t *left = add_point(sketch, (struct point){x + 0.2, *y}),
		 *right = add_point(sketch, (struct point){x + 0.52, *y});
	Agedge_t *edge = add_line(sketch, left, right, direction);
	if (!edge || !add_left_label(sketch->canvas->graph, text, x + 0.6, *y, text, 10))
		return false;
	if (dashed)
		set(edge, "style", "dashed");
	*y += 0.26;
	return true;
}

static bool add_swatch(struct sketch *sketch, double *y, const char *text, const char *style,
	const char *fill, const char *colour)
{
	const double x = sketch->canvas->right;
	Agnode_t *swatch = add_anonymous(sketch, (struct point){x + 0.35, *y});
	if (!swatch || !add_left_label(sketch->canvas->graph, text, x + 0.6, *y, text, 10))
		return false;
	set_all(swatch, "width=0.3; height=0.2; label=; style=%s; fillcolor=%s; color=%s", style,
		fill, colour);
	*y += 0.26;
	return true;
}

static bool add_meanings(struct sketch *sketch)
{
	const struct witness *witness = sketch->witness;
	double y = sketch->canvas->legend_y;
	bool worked = !witness->ntask || add_swatch(sketch, &y, "at fault", "filled,rounded",
						 WITNESS_FILL, WITNESS_RED);
	worked = worked &&
		 (!witness->stopped || add_swatch(sketch, &y, "never runs", "filled,rounded,dashed",
					       "white", "#b0b0b0"));
	if (sketch->linked[WITNESS_WAITS])
		worked = worked &&
			 add_meaning(sketch, &y, "cycle: waits for; at the side: comes after",
				 "forward", false);
	if (sketch->linked[WITNESS_RACE])
		worked = worked && add_meaning(sketch, &y, "nothing orders these", "both", false);
	if (sketch->linked[WITNESS_MISSING])
		worked = worked &&
			 add_meaning(sketch, &y, "missing: would order them", "forward", true);
	return worked;
}

bool draw_witness(const struct witness_canvas *canvas, const struct witness *witness)
{
	struct sketch sketch = {.canvas = canvas, .witness = witness};
	return draw_arrows(&sketch) && add_captions(&sketch) && add_meanings(&sketch);
}
