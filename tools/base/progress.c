/* progress.c - a progress bar with the time left. A separate thread draws, so that a bar appears in
 * time and moves even when nothing is reported for seconds. It starts with the first report, only
 * if stderr is a terminal, and draws only between show_progress and hide_progress: code that prints
 * calls hide_progress first, which erases the bar before it returns. */
#include "progress.h"
#include "clock.h"
#include "command.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Seconds: shortest duration with a bar; interval between drawings; delay before a rate is used. */
static const double patience = 0.4, interval = 0.1, rate_delay = 0.2;
enum { BAR_WIDTH = 32, TAIL_WIDTH = 14, LINE_WIDTH = 14 + BAR_WIDTH + 9 + TAIL_WIDTH };

/* One bar for one activity at a time; the last reporter owns it. */
static struct {
	pthread_mutex_t lock;
	bool allowed, drawing;	       /* drawing: the thread runs */
	double started;		       /* the command */
	struct progress *owner, *last; /* last: the hidden one, which may continue where it was */
	const char *what;
	uint64_t done, total;
	double began, reported; /* of `what`: the first and the last report of progress */
	bool visible;
} bar = {.lock = PTHREAD_MUTEX_INITIALIZER};

void allow_progress(bool allowed)
{
	const char *terminal = getenv("TERM");
	bar.allowed =
		allowed && isatty(STDERR_FILENO) && (!terminal || strcmp(terminal, "dumb") != 0);
	bar.started = clock_seconds();
}

/* "12 s left", "3 min left"; the elapsed time if the rate is unknown. */
static void format_time(double now, char *out, size_t size)
{
	const double passed = bar.reported - bar.began;
	const bool known = bar.total && bar.done && bar.done <= bar.total && passed > rate_delay;
	const double whole = known ? passed / (double)bar.done * (double)bar.total : 0;
	double shown = known ? whole - (now - bar.began) : now - bar.began;
	shown = shown < 1 ? 1 : shown;
	const char *word = known ? "left" : "so far";
	if (shown < 100)
		snprintf(out, size, "%.0f s %s", shown, word);
	else if (shown < 6000)
		snprintf(out, size, "%.0f min %s", shown / 60, word);
	else
		snprintf(out, size, "%.0f h %s", shown / 3600, word);
}

/* The caller holds the lock. */
static void draw(void)
{
	const double now = clock_seconds();
	if (!bar.owner || now - bar.started < patience)
		return;
	const bool known = bar.total && bar.done <= bar.total;
	const double share = known ? (double)bar.done / (double)bar.total : 0;
	const int filled = (int)(share * BAR_WIDTH);
	char percent[8] = "", time[32];
	if (known)
		snprintf(percent, sizeof percent, "%d %%", (int)(share * 100));
	format_time(now, time, sizeof time);
	fprintf(stderr, "\r%-12.12s [%.*s%*s] %5s  %-*s", bar.what, filled,
		"################################", BAR_WIDTH - filled, "", percent, TAIL_WIDTH,
		time);
	fflush(stderr);
	bar.visible = true;
}

static void *draw_now_and_then(void *unused)
{
	(void)unused;
	const struct timespec pause = {0, (long)(interval * 1e9)};
	for (;;) {
		nanosleep(&pause, NULL);
		pthread_mutex_lock(&bar.lock);
		draw();
		pthread_mutex_unlock(&bar.lock);
	}
	return NULL;
}

static void begin_drawing(void)
{
	pthread_t thread;
	bar.drawing = !pthread_create(&thread, NULL, draw_now_and_then, NULL);
	if (bar.drawing)
		pthread_detach(thread);
	else
		bar.allowed = false;
}

void show_progress(void *closure, const char *what, uint64_t done, uint64_t total)
{
	struct progress *progress = closure;
	if (!bar.allowed)
		return;
	pthread_mutex_lock(&bar.lock);
	if (!bar.drawing)
		begin_drawing();
	const double now = clock_seconds();
	const bool goes_on = bar.owner == progress || (!bar.owner && bar.last == progress);
	if (!goes_on || strcmp(bar.what, what) != 0 || done < bar.done)
		bar.began = bar.reported = now;
	else if (done > bar.done)
		bar.reported = now;
	bar.owner = progress;
	bar.what = what;
	bar.done = done;
	bar.total = total;
	pthread_mutex_unlock(&bar.lock);
}

void hide_progress(struct progress *progress)
{
	pthread_mutex_lock(&bar.lock);
	if (bar.owner && bar.owner == progress) {
		bar.last = progress;
		bar.owner = NULL;
		if (bar.visible)
			fprintf(stderr, "\r%*s\r", LINE_WIDTH, "");
		bar.visible = false;
	}
	pthread_mutex_unlock(&bar.lock);
}
