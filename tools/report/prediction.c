/* prediction.c - reports a predicted time: its parts, its bounds, the links and the critical
 * path. */
#include "prediction.h"
#include "cli/sizes.h"
#include "proof.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

double largest_bound(const struct ordo_time_bounds *bounds, const char **name)
{
	const struct {
		const char *name;
		double seconds;
	} all[] = {{"steps", bounds->steps}, {"volume", bounds->volume}, {"reduce", bounds->reduce},
		{"cut", bounds->cut}};
	size_t most = 0;
	for (size_t i = 1; i < sizeof all / sizeof *all; i++)
		if (all[i].seconds > all[most].seconds)
			most = i;
	*name = all[most].name;
	return all[most].seconds;
}

const char *busiest_text(char out[BUSIEST_SIZE], const struct predicted *predicted)
{
	static const char *const of_ranks[] = {[ORDO_OUT_PORTS] = "the ports out of",
		[ORDO_IN_PORTS] = "the ports into",
		[ORDO_ADDER] = "the adder of",
		[ORDO_COPIER] = "the copier of"};
	const struct ordo_prediction *prediction = predicted->prediction;
	out[0] = 0;
	if (prediction->busiest == ORDO_WIRE) {
		snprintf(out, BUSIEST_SIZE, "links without sharing");
	} else if (prediction->busiest == ORDO_LINK) {
		const struct ordo_topology *topology = predicted->topology;
		const struct ordo_link *link = &topology->links[prediction->busiest_at];
		snprintf(out, BUSIEST_SIZE, "link %" PRIu32 " -> %" PRIu32 " %.40s", link->from,
			link->to, topology->class_names[link->class_name]);
	} else if (prediction->busiest != ORDO_NOTHING) {
		snprintf(out, BUSIEST_SIZE, "%s rank %" PRIu32, of_ranks[prediction->busiest],
			prediction->busiest_at);
	}
	return out;
}

/* `time 12.3 us for 16 MiB of f32 on full-mesh; algbw 40 GB/s, busbw 70 GB/s` */
static void report_total(const struct report *report, const struct ordo_schedule *schedule,
	const struct predicted *predicted)
{
	const struct ordo_prediction *prediction = predicted->prediction;
	const double total = prediction->timeline->total,
		     rate = total > 0 ? prediction->bytes / total : 0, algbw = rate * 1e-9,
		     factor = bus_factor(&schedule->problem);
	const char *topology = predicted->topology ? predicted->topology->name : NULL;
	add_text(report->json, "predicted_on", topology);
	report_line(report, "time",
		"%s%g<seconds:time>%s for %g<bytes:bytes> of %s<type> on %s; algbw %g<:rate>, "
		"busbw "
		"%g<:rate>",
		paint(report->text, BOLD), total, paint(report->text, PLAIN), prediction->bytes,
		ordo_type_name(predicted->type),
		topology ? topology : "a link between every two ranks", rate, rate * factor);
	report_members(report, "%g<algbw_gigabytes_per_second> %g<busbw_gigabytes_per_second>",
		algbw, algbw * factor);
}

static void report_parts(const struct report *report, const struct ordo_prediction *prediction)
{
	const struct ordo_breakdown *breakdown = &prediction->breakdown;
	const struct {
		const char *name;
		double seconds;
	} parts[] = {{"latency", breakdown->latency}, {"wire", breakdown->wire},
		{"sharing", breakdown->sharing}, {"reduce", breakdown->reduce},
		{"copy", breakdown->copy}, {"waiting", breakdown->waiting}};
	const struct report list = report_object(report, "breakdown_seconds");
	const double total = prediction->timeline->total;
	bool first = true;
	report_label(report, "breakdown");
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		add_number(list.json, parts[i].name, parts[i].seconds);
		if (!(parts[i].seconds > 1e-9 * total))
			continue;
		report_text(report, "%s%s %g<:time> (%.3g%%)", first ? "" : ", ", parts[i].name,
			parts[i].seconds, 100 * parts[i].seconds / total);
		first = false;
	}
	report_text(report, "%s\n", first ? "nothing" : "");
}

/* ` (ranks 0-3, 8 against the rest)` */
static void report_cut(const struct report *report, const struct ordo_time_bounds *bounds)
{
	const struct report list = report_list(report, "cut_ranks");
	for (uint32_t i = 0; i < bounds->cut_nrank; i++)
		report_members(&list, "%u<>", bounds->cut_ranks[i]);
	if (bounds->cut_nrank)
		report_text(report, " (rank%s ", plural(bounds->cut_nrank));
	for (uint32_t i = 0; i < bounds->cut_nrank; i++) {
		uint32_t last = i;
		if (i == 8 && bounds->cut_nrank > 9) {
			report_text(report, ", ...");
			break;
		}
		while (last + 1 < bounds->cut_nrank &&
			bounds->cut_ranks[last + 1] == bounds->cut_ranks[last] + 1)
			last++;
		report_text(report, "%s%u", i ? ", " : "", bounds->cut_ranks[i]);
		if (last > i)
			report_text(report, "-%u", bounds->cut_ranks[last]);
		i = last;
	}
	if (bounds->cut_nrank)
		report_text(report, " against the rest%s)",
			bounds->cut_exact ? "" : "; not all cuts were computed");
	else if (bounds->cut_nset)
		report_text(report, " (%u sets of ranks against each other%s)", bounds->cut_nset,
			bounds->cut_exact ? "" : "; not all partitions were computed");
	else if (bounds->cut > 0)
		report_text(report, " (shortest paths of all pairs: see `ordo bound`)");
	report_members(report, "%u<cut_sets>", bounds->cut_nset);
	report_members(report, "%d<all_cuts_looked_at?>", bounds->cut_exact);
}

static void report_bounds(const struct report *report, const struct ordo_prediction *prediction)
{
	const struct ordo_time_bounds *bounds = &prediction->bounds;
	const char *name;
	const double most = largest_bound(bounds, &name),
		     times = most > 0 ? prediction->timeline->total / most : 0;
	const struct report list = report_object(report, "bounds_seconds");
	report_label(&list, "lower bound");
	report_text(&list,
		"steps %g<steps:time>, volume %g<volume:time>, reduce %g<reduce:time>, cut "
		"%g<cut:time>",
		bounds->steps, bounds->volume, bounds->reduce, bounds->cut);
	report_cut(report, bounds);
	report_text(report, "\n");
	if (most > 0)
		report_line(report, "ratio to bound", "%.4g of %s", times, name);
	report_members(report, "%s<largest_bound> %g<times_the_bound>", name, times);
}

struct used_link {
	double seconds; /* at full speed */
	uint32_t link;
};

/* By load, the highest first, then by number. */
static int compare_links(const void *one, const void *other)
{
	const struct used_link *a = one, *b = other;
	if (a->seconds > b->seconds || a->seconds < b->seconds)
		return a->seconds > b->seconds ? -1 : 1;
	return (a->link > b->link) - (a->link < b->link);
}

/* The resources that were used, by load. NULL: no memory. */
static struct used_link *sort_links(const struct predicted *predicted, uint32_t *count)
{
	const struct ordo_topology *topology = predicted->topology;
	const struct ordo_link_load *loads = predicted->prediction->links;
	struct used_link *links = malloc(((size_t)topology->nlink + 1) * sizeof *links);
	*count = 0;
	for (uint32_t i = 0; links && i < topology->nlink; i++)
		if (loads[i].flows)
			links[(*count)++] = (struct used_link){
				loads[i].bytes * 1e-9 / topology->links[i].bandwidth_gbs, i};
	if (links && *count)
		qsort(links, *count, sizeof *links, compare_links);
	return links;
}

static double utilisation(const struct predicted *predicted, uint32_t link)
{
	const double total = predicted->prediction->timeline->total;
	return total > 0 ? predicted->prediction->links[link].bytes * 1e-9 /
				   predicted->topology->links[link].bandwidth_gbs / total
			 : 0;
}

static void report_links(const struct report *report, const struct prediction_limits *args,
	const struct predicted *predicted)
{
	const struct ordo_topology *topology = predicted->topology;
	uint32_t count, nup = 0;
	struct used_link *links = sort_links(predicted, &count);
	for (uint32_t i = 0; i < topology->nlink; i++)
		nup += !topology->links[i].down;
	report_line(
		report, "links", "%u of %u used%s", count, nup, count ? ", the busiest first" : "");
	for (uint32_t k = 0; links && k < count && k < args->max_links; k++) {
		const struct ordo_link *link = &topology->links[links[k].link];
		const struct ordo_link_load *load = &predicted->prediction->links[links[k].link];
		report_line(report, "",
			"%5.1f%%  %u -> %u %s: %g<:bytes> in %" PRIu64
			" move%s, at most %u at once",
			100 * utilisation(predicted, links[k].link), link->from, link->to,
			topology->class_names[link->class_name], load->bytes, load->flows,
			plural(load->flows), load->most);
	}
	if (count > args->max_links)
		report_line(report, "", "and %u more; --max-links %u shows all",
			count - args->max_links, count);
	free(links);
}

/* The tasks of the critical path that take time. */
static uint32_t find_steps(const struct ordo_prediction *prediction, uint32_t *steps)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < prediction->npath; i++) {
		const struct ordo_timed_task *timed =
			&prediction->timeline->tasks[prediction->path[i]];
		if (timed->end > timed->begin)
			steps[count++] = prediction->path[i];
	}
	return count;
}

static void report_step(const struct report *report, const struct ordo_schedule *schedule,
	const struct ordo_prediction *prediction, uint32_t task)
{
	const struct ordo_timed_task *timed = &prediction->timeline->tasks[task];
	const struct ordo_stream *stream = &schedule->streams[ordo_stream_of(schedule, task)];
	const uint32_t phase = schedule->tasks[task].phase;
	char text[256];
	ordo_task_print(&schedule->tasks[task], text, sizeof text);
	report_line(report, "", "%9g<:time> + %-9g<:time> rank %u %s: %s%s%s", timed->begin,
		timed->end - timed->begin, stream->rank, stream->name, text,
		phase != ORDO_NO_PHASE ? "  # " : "",
		phase != ORDO_NO_PHASE ? schedule->phases[phase] : "");
}

/* Of a long path the beginning and the end. */
static void report_path(const struct report *report, const struct prediction_limits *args,
	const struct ordo_schedule *schedule, const struct ordo_prediction *prediction)
{
	uint32_t *steps = malloc(((size_t)prediction->npath + 1) * sizeof *steps);
	if (!steps)
		return;
	const uint32_t count = find_steps(prediction, steps), most = args->max_path,
		       head = count > most ? (most + 1) / 2 : count,
		       tail = count > most ? most / 2 : 0;
	report_line(report, "critical path", "%u task%s, of which %u take time: begin and duration",
		prediction->npath, plural(prediction->npath), count);
	for (uint32_t i = 0; i < count; i++)
		if (i < head || i >= count - tail)
			report_step(report, schedule, prediction, steps[i]);
		else if (i == head)
			report_line(report, "", "... %u more; --max-path %u shows all",
				count - head - tail, count);
	free(steps);
}

/* The links that were used. */
static void add_links(const struct report *report, const struct predicted *predicted)
{
	const struct ordo_topology *topology = predicted->topology;
	const struct report list = report_list(report, "links");
	for (uint32_t i = 0; i < topology->nlink; i++) {
		const struct ordo_link *link = &topology->links[i];
		const struct ordo_link_load *load = &predicted->prediction->links[i];
		if (!load->flows)
			continue;
		const struct report one = report_item(&list);
		report_members(&one,
			"%u<from> %u<to> %s<class> %" PRIu64 "<moves> %u<most_at_once> %g<bytes> "
			"%g<busy_seconds> %g<utilisation>",
			link->from, link->to, topology->class_names[link->class_name], load->flows,
			load->most, load->bytes, load->busy, utilisation(predicted, i));
	}
}

static void add_path(const struct report *report, const struct ordo_schedule *schedule,
	const struct ordo_prediction *prediction)
{
	const struct report list = report_list(report, "critical_path");
	for (uint32_t i = 0; i < prediction->npath; i++) {
		const uint32_t task = prediction->path[i], s = ordo_stream_of(schedule, task),
			       phase = schedule->tasks[task].phase;
		const struct ordo_timed_task *timed = &prediction->timeline->tasks[task];
		const struct report one = report_item(&list);
		char text[256];
		ordo_task_print(&schedule->tasks[task], text, sizeof text);
		report_members(&one, "%u<rank> %s<stream> %u<task> %s<text>",
			schedule->streams[s].rank, schedule->streams[s].name,
			task - schedule->streams[s].first, text);
		add_text(
			one.json, "phase", phase == ORDO_NO_PHASE ? NULL : schedule->phases[phase]);
		report_members(&one, "%g<begin_seconds> %g<end_seconds>", timed->begin, timed->end);
	}
}

/* The closed form of blocks with counts, if ranks waited for each other after every phase. */
static void report_rounds(const struct report *report, const struct predicted *predicted)
{
	const struct ordo_round_sum *rounds = &predicted->prediction->rounds;
	const double sum = rounds->latency + rounds->wire + rounds->reduce + rounds->copy;
	if (!predicted->counts.block_count || !rounds->nround)
		return;
	const struct report one = report_object(report, "in_rounds");
	report_label(report, "in rounds");
	report_text(&one,
		"%g<seconds:time>: %u<rounds> round%s, each as long as its slowest stream", sum,
		rounds->nround, plural(rounds->nround));
	report_text(&one, "; latency %g<latency_seconds:time>, wire %g<wire_seconds:time>",
		rounds->latency, rounds->wire);
	if (rounds->reduce > 0)
		report_text(&one, ", reduce %g<:time>", rounds->reduce);
	if (rounds->copy > 0)
		report_text(&one, ", copy %g<:time>", rounds->copy);
	report_text(&one, "\n");
	report_members(&one, "%g<reduce_seconds> %g<copy_seconds>", rounds->reduce, rounds->copy);
}

void report_prediction(const struct report *report, const struct prediction_limits *args,
	const struct ordo_schedule *schedule, const struct predicted *predicted)
{
	const struct ordo_prediction *prediction = predicted->prediction;
	char busiest[BUSIEST_SIZE];
	report_counts(report, &predicted->counts);
	report_total(report, schedule, predicted);
	report_rounds(report, predicted);
	report_parts(report, prediction);
	report_bounds(report, prediction);
	busiest_text(busiest, predicted);
	if (busiest[0])
		report_line(report, "bottleneck", "%s, utilisation %.3g%%", busiest,
			100 * prediction->busiest_share);
	report_members(report, "%s<bottleneck> %g<bottleneck_share>", text_or_null(busiest),
		prediction->busiest_share);
	/* Text shows the busiest links and the ends of the path; --json has all, in order. */
	if (report->json)
		add_path(report, schedule, prediction);
	if (report->json && predicted->topology)
		add_links(report, predicted);
	if (report->text && predicted->topology)
		report_links(report, args, predicted);
	if (report->text)
		report_path(report, args, schedule, prediction);
}
