/* blocked.c - reports which streams wait for which in a run that makes no progress. */
#include "blocked.h"
#include "task_error.h"
#include <inttypes.h>
#include <stdio.h>

/* At most this many links of a cycle are printed, each shorter than LINK_SIZE. */
#define MAX_LINKS 6
#define LINK_SIZE 640

bool ordo_is_waiting(const struct ordo_plan *plan, uint32_t stream)
{
	const struct ordo_schedule *schedule = plan->schedule;
	uint32_t at = plan->streams[stream].at;
	if (at == schedule->streams[stream].end || schedule->tasks[at].kind != ORDO_WAIT)
		return false;
	uint32_t signal = plan->signal_of[at];
	return atomic_load(signal_word(plan, signal)) >> 1 ==
	       (plan->taken[signal] & (UINT32_MAX >> 1));
}

/* One edge of the wait-for graph: from a waiting stream to the stream that notifies its signal. */
struct link {
	uint32_t signal, notifier;
	const char *why; /* the chain ends here; NULL: the notifier itself waits */
	bool absent;	 /* the chain ends because the notifier's rank has not entered */
};

static bool will_notify(const struct ordo_plan *plan, uint32_t stream, uint32_t signal)
{
	const struct ordo_schedule *schedule = plan->schedule;
	for (uint32_t t = plan->streams[stream].at; t < schedule->streams[stream].end; t++)
		if (schedule->tasks[t].kind == ORDO_NOTIFY && plan->signal_of[t] == signal)
			return true;
	/* Later rounds start from the first task again, but only after this one. */
	return false;
}

static struct link link_of(const struct ordo_plan *plan, uint32_t stream, uint64_t ncall)
{
	const uint32_t signal = plan->signal_of[plan->streams[stream].at];
	const uint32_t notifier = plan->signals[signal].notifier;
	if (notifier == ORDO_NONE)
		return (struct link){signal, notifier, "which nobody notifies", false};
	const struct ordo_stream *facts = &plan->schedule->streams[notifier];
	if (plan->streams[notifier].at == facts->end && plan->ranks[facts->rank].ncall < ncall)
		return (struct link){signal, notifier, "which has not entered the call", true};
	if (plan->streams[notifier].at == facts->end)
		return (struct link){signal, notifier, "which has ended", false};
	if (!will_notify(plan, notifier, signal))
		return (struct link){signal, notifier, "which has no such Notify left", false};
	if (!ordo_is_waiting(plan, notifier))
		return (struct link){signal, notifier, "which is running", false};
	return (struct link){signal, notifier, NULL, false};
}

/* Follows the links from a waiting stream to the end of the chain, or into a cycle. */
static uint32_t end_of_chain(const struct ordo_plan *plan, uint32_t stream, uint64_t ncall)
{
	for (uint32_t step = 0; step < plan->schedule->nstream; step++) {
		struct link link = link_of(plan, stream, ncall);
		if (link.why)
			return stream;
		stream = link.notifier;
	}
	return stream;
}

/* `rank 1, stream "ring", task 3 (Wait 0 signal 0) waits for rank 0, stream "ring", which has
 * ended` */
static int print_link(
	const struct ordo_plan *plan, uint32_t stream, struct link link, char *text, size_t size)
{
	char where[256], who[256];
	const struct ordo_signal *signal = &plan->signals[link.signal];
	ordo_task_locate(plan->schedule, plan->streams[stream].at, where, sizeof where);
	if (link.notifier == ORDO_NONE)
		snprintf(who, sizeof who, "signal %" PRIu32 " of rank %" PRIu32, signal->number,
			signal->from);
	else if (plan->streams[link.notifier].at == plan->schedule->streams[link.notifier].end)
		snprintf(who, sizeof who, "rank %" PRIu32 ", stream \"%.64s\"", signal->from,
			plan->schedule->streams[link.notifier].name);
	else
		ordo_task_locate(plan->schedule, plan->streams[link.notifier].at, who, sizeof who);
	return snprintf(text, size, "\n%s waits for %s%s%s", where, who, link.why ? ", " : "",
		link.why ? link.why : "");
}

/* Prints the last link of a chain, or the whole cycle. Returns whether a rank is merely absent. */
static bool print_chain(
	const struct ordo_plan *plan, uint32_t root, uint64_t ncall, char *text, size_t size)
{
	size_t length = 0;
	uint32_t stream = root, nlink = 0;
	struct link link;
	do {
		link = link_of(plan, stream, ncall);
		if (nlink++ < MAX_LINKS)
			length += (size_t)print_link(
				plan, stream, link, text + length, size - length);
		stream = link.notifier;
	} while (!link.why && stream != root);
	if (nlink > MAX_LINKS)
		snprintf(text + length, size - length,
			"\nand so on, %" PRIu32 " streams in a cycle", nlink);
	return link.absent;
}

bool ordo_fail_blocked(const struct ordo_plan *plan, struct ordo_error *error)
{
	uint32_t first = ORDO_NONE, nwaiting = 0;
	uint64_t ncall = 0;
	for (uint32_t s = 0; s < plan->schedule->nstream; s++)
		if (ordo_is_waiting(plan, s)) {
			first = first == ORDO_NONE ? s : first;
			nwaiting++;
		}
	for (uint32_t r = 0; r < plan->schedule->problem.nrank; r++)
		ncall = plan->ranks[r].ncall > ncall ? plan->ranks[r].ncall : ncall;
	if (first == ORDO_NONE)
		return ordo_fail(error, ORDO_ENVIRONMENT, 0,
			"the run is stuck: nothing moved, though no stream waits");
	char chain[(MAX_LINKS + 1) * LINK_SIZE];
	bool absent =
		print_chain(plan, end_of_chain(plan, first, ncall), ncall, chain, sizeof chain);
	ordo_fail(error, absent ? ORDO_ENVIRONMENT : ORDO_REFUTED, absent ? 0 : 7,
		"%s: %" PRIu32 " %s:%s", absent ? "the run timed out" : "deadlock", nwaiting,
		nwaiting == 1 ? "stream waits" : "streams wait", chain);
	if (absent)
		return ordo_hint(
			error, "every rank must enter the call before the watchdog expires");
	return ordo_hint(error, "verify the schedule: a proved one cannot deadlock");
}

bool ordo_fail_unbound(const struct ordo_plan *plan, uint32_t stream, struct ordo_error *error)
{
	const uint32_t task = plan->streams[stream].at, peer = plan->schedule->tasks[task].peer;
	return ordo_fail_task(plan->schedule, task, 9, error,
		"rank %" PRIu32 " has no buffers yet, and the schedule does not wait for it", peer);
}
