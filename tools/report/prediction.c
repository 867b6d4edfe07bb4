/* prediction.c - what `ordo predict` says of one prediction. */
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

void print_busiest(const struct predicted *predicted, char *out, size_t size)
{
	static const char *const of_ranks[] = {[ORDO_OUT_PORTS] = "the ports out of",
		[ORDO_IN_PORTS] = "the ports into",
		[ORDO_ADDER] = "the adder of",
		[ORDO_COPIER] = "the copier of"};
	const struct ordo_prediction *prediction = predicted->prediction;
	out[0] = 0;
	if (prediction->busiest == ORDO_WIRE) {
		snprintf(out, size, "the wire: links that nobody shares");
	} else if (prediction->busiest == ORDO_LINK) {
		const struct ordo_topology *topology = predicted->topology;
		const struct ordo_link *link = &topology->links[prediction->busiest_at];
		snprintf(out, size, "link %" PRIu32 " -> %" PRIu32 " %.40s", link->from, link->to,
			topology->class_names[link->class_name]);
	} else if (prediction->busiest != ORDO_NOTHING) {
		snprintf(out, size, "%s rank %" PRIu32, of_ranks[prediction->busiest],
			prediction->busiest_at);
	}
}

static const char *time_text(char text[24], double seconds_taken)
{
	if (seconds_taken < 1e-3)
		snprintf(text, 24, "%.4g us", seconds_taken * 1e6);
	else if (seconds_taken < 1)
		snprintf(text, 24, "%.4g ms", seconds_taken * 1e3);
	else
		snprintf(text, 24, "%.4g s", seconds_taken);
	return text;
}

void print_time(FILE *out, double seconds_taken)
{
	char text[24];
	fputs(time_text(text, seconds_taken), out);
}

static void print_item(const char *name)
{
	printf("  %-23s ", name);
}

/* `time 12.3 us for 16 MiB of f32 on full-mesh; algbw 40 GB/s, busbw 70 GB/s` */
static void print_total(const struct ordo_schedule *schedule, const struct predicted *predicted)
{
	const struct ordo_prediction *prediction = predicted->prediction;
	const double total = prediction->timeline->total,
		     algbw = total > 0 ? prediction->bytes / total : 0;
	print_item("time");
	printf("%s", paint(stdout, BOLD));
	print_time(stdout, total);
	printf("%s for ", paint(stdout, PLAIN));
	print_bytes(stdout, prediction->bytes);
	printf(" of %s on %s; algbw ", ordo_type_name(predicted->type),
		predicted->topology ? predicted->topology->name : "a link between every two ranks");
	print_rate(stdout, algbw);
	printf(", busbw ");
	print_rate(stdout, algbw * bus_factor(&schedule->problem));
	printf("\n");
}

struct part {
	const char *name;
	double seconds;
};
enum { NPART = 6 };

static void list_parts(const struct ordo_breakdown *breakdown, struct part parts[NPART])
{
	const struct part all[NPART] = {{"latency", breakdown->latency}, {"wire", breakdown->wire},
		{"sharing", breakdown->sharing}, {"reduce", breakdown->reduce},
		{"copy", breakdown->copy}, {"waiting", breakdown->waiting}};
	memcpy(parts, all, sizeof all);
}

static void print_parts(const struct ordo_prediction *prediction)
{
	struct part parts[NPART];
	const double total = prediction->timeline->total;
	bool first = true;
	list_parts(&prediction->breakdown, parts);
	print_item("of it");
	for (int i = 0; i < NPART; i++) {
		if (!(parts[i].seconds > 1e-9 * total))
			continue;
		printf("%s%s ", first ? "" : ", ", parts[i].name);
		print_time(stdout, parts[i].seconds);
		printf(" (%.3g%%)", 100 * parts[i].seconds / total);
		first = false;
	}
	printf("%s\n", first ? "nothing" : "");
}

static void print_bounds(const struct ordo_prediction *prediction)
{
	const struct ordo_time_bounds *bounds = &prediction->bounds;
	const char *name;
	const double most = largest_bound(bounds, &name);
	print_item("no schedule is below");
	printf("steps ");
	print_time(stdout, bounds->steps);
	printf(", volume ");
	print_time(stdout, bounds->volume);
	printf(", reduce ");
	print_time(stdout, bounds->reduce);
	printf(", cut ");
	print_time(stdout, bounds->cut);
	if (bounds->cut_nrank) {
		printf(" (rank%s ", bounds->cut_nrank == 1 ? "" : "s");
		for (uint32_t i = 0; i < bounds->cut_nrank; i++) {
			uint32_t last = i;
			if (i == 8 && bounds->cut_nrank > 9) {
				printf(", ...");
				break;
			}
			while (last + 1 < bounds->cut_nrank &&
				bounds->cut_ranks[last + 1] == bounds->cut_ranks[last] + 1)
				last++;
			printf(last > i ? "%s%" PRIu32 "-%" PRIu32 : "%s%" PRIu32, i ? ", " : "",
				bounds->cut_ranks[i], bounds->cut_ranks[last]);
			i = last;
		}
		printf(" against the rest%s)",
			bounds->cut_exact ? "" : "; not all cuts were looked at");
	}
	printf("\n");
	if (most > 0) {
		print_item("times the bound");
		printf("%.4g of %s\n", prediction->timeline->total / most, name);
	}
}

struct used_link {
	double seconds; /* at full speed */
	uint32_t link;
};

/* The busiest first, then in order. */
static int compare_links(const void *one, const void *other)
{
	const struct used_link *a = one, *b = other;
	if (a->seconds > b->seconds || a->seconds < b->seconds)
		return a->seconds > b->seconds ? -1 : 1;
	return (a->link > b->link) - (a->link < b->link);
}

/* Those over which anything went, the busiest first. NULL: no memory. */
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

static void print_links(const struct foretelling *wish, const struct predicted *predicted)
{
	const struct ordo_topology *topology = predicted->topology;
	uint32_t count, nup = 0;
	struct used_link *links = sort_links(predicted, &count);
	for (uint32_t i = 0; i < topology->nlink; i++)
		nup += !topology->links[i].down;
	print_item("links");
	printf("%" PRIu32 " of %" PRIu32 " used%s\n", count, nup,
		count ? ", the busiest first" : "");
	for (uint32_t k = 0; links && k < count && k < wish->max_links; k++) {
		const struct ordo_link *link = &topology->links[links[k].link];
		const struct ordo_link_load *load = &predicted->prediction->links[links[k].link];
		print_item("");
		printf("%5.1f%%  %" PRIu32 " -> %" PRIu32 " %s: ",
			100 * utilisation(predicted, links[k].link), link->from, link->to,
			topology->class_names[link->class_name]);
		print_bytes(stdout, load->bytes);
		printf(" in %" PRIu64 " move%s, at most %" PRIu32 " at once\n", load->flows,
			load->flows == 1 ? "" : "s", load->most);
	}
	if (count > wish->max_links) {
		print_item("");
		printf("and %" PRIu32 " more; --max-links %" PRIu32 " shows all\n",
			count - wish->max_links, count);
	}
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

static void print_step(const struct ordo_schedule *schedule,
	const struct ordo_prediction *prediction, uint32_t task)
{
	const struct ordo_timed_task *timed = &prediction->timeline->tasks[task];
	const struct ordo_stream *stream = &schedule->streams[ordo_stream_of(schedule, task)];
	char text[256], begin[24], duration[24];
	ordo_task_print(&schedule->tasks[task], text, sizeof text);
	print_item("");
	printf("%9s + %-9s rank %" PRIu32 " %s: %s", time_text(begin, timed->begin),
		time_text(duration, timed->end - timed->begin), stream->rank, stream->name, text);
	if (schedule->tasks[task].phase != ORDO_NO_PHASE)
		printf("  # %s", schedule->phases[schedule->tasks[task].phase]);
	printf("\n");
}

/* Of a long one the beginning and the end. */
static void print_path(const struct foretelling *wish, const struct ordo_schedule *schedule,
	const struct ordo_prediction *prediction)
{
	uint32_t *steps = malloc(((size_t)prediction->npath + 1) * sizeof *steps);
	if (!steps)
		return;
	const uint32_t count = find_steps(prediction, steps), most = wish->max_path,
		       head = count > most ? (most + 1) / 2 : count,
		       tail = count > most ? most / 2 : 0;
	print_item("critical path");
	printf("%" PRIu32 " task%s, of which %" PRIu32 " take time: begin and duration\n",
		prediction->npath, prediction->npath == 1 ? "" : "s", count);
	for (uint32_t i = 0; i < count; i++)
		if (i < head || i >= count - tail) {
			print_step(schedule, prediction, steps[i]);
		} else if (i == head) {
			print_item("");
			printf("... %" PRIu32 " more; --max-path %" PRIu32 " shows all\n",
				count - head - tail, count);
		}
	free(steps);
}

/* Those over which anything went. */
static void add_links(cJSON *answer, const struct predicted *predicted)
{
	const struct ordo_topology *topology = predicted->topology;
	cJSON *list = cJSON_AddArrayToObject(answer, "links");
	for (uint32_t i = 0; i < topology->nlink; i++) {
		const struct ordo_link *link = &topology->links[i];
		const struct ordo_link_load *load = &predicted->prediction->links[i];
		if (!load->flows)
			continue;
		cJSON *one = cJSON_CreateObject();
		add_count(one, "from", link->from);
		add_count(one, "to", link->to);
		add_text(one, "class", topology->class_names[link->class_name]);
		add_count(one, "moves", load->flows);
		add_count(one, "most_at_once", load->most);
		add_number(one, "bytes", load->bytes);
		add_number(one, "busy_seconds", load->busy);
		add_number(one, "utilisation", utilisation(predicted, i));
		cJSON_AddItemToArray(list, one);
	}
}

static void add_path(cJSON *answer, const struct ordo_schedule *schedule,
	const struct ordo_prediction *prediction)
{
	cJSON *list = cJSON_AddArrayToObject(answer, "critical_path");
	for (uint32_t i = 0; i < prediction->npath; i++) {
		const uint32_t task = prediction->path[i], s = ordo_stream_of(schedule, task),
			       phase = schedule->tasks[task].phase;
		const struct ordo_timed_task *timed = &prediction->timeline->tasks[task];
		cJSON *one = cJSON_CreateObject();
		char text[256];
		ordo_task_print(&schedule->tasks[task], text, sizeof text);
		add_count(one, "rank", schedule->streams[s].rank);
		add_text(one, "stream", schedule->streams[s].name);
		add_count(one, "task", task - schedule->streams[s].first);
		add_text(one, "text", text);
		add_text(one, "phase", phase == ORDO_NO_PHASE ? NULL : schedule->phases[phase]);
		add_number(one, "begin_seconds", timed->begin);
		add_number(one, "end_seconds", timed->end);
		cJSON_AddItemToArray(list, one);
	}
}

static void add_bounds(cJSON *answer, const struct ordo_prediction *prediction)
{
	const struct ordo_time_bounds *bounds = &prediction->bounds;
	const char *name;
	const double most = largest_bound(bounds, &name);
	cJSON *json = cJSON_AddObjectToObject(answer, "bounds_seconds");
	add_number(json, "steps", bounds->steps);
	add_number(json, "volume", bounds->volume);
	add_number(json, "reduce", bounds->reduce);
	add_number(json, "cut", bounds->cut);
	cJSON *cut = cJSON_AddArrayToObject(answer, "cut_ranks");
	for (uint32_t i = 0; i < bounds->cut_nrank; i++)
		cJSON_AddItemToArray(cut, cJSON_CreateNumber(bounds->cut_ranks[i]));
	add_truth(answer, "all_cuts_looked_at", bounds->cut_exact);
	add_text(answer, "largest_bound", name);
	add_number(answer, "times_the_bound", most > 0 ? prediction->timeline->total / most : 0);
}

static void add_prediction(
	cJSON *answer, const struct ordo_schedule *schedule, const struct predicted *predicted)
{
	const struct ordo_prediction *prediction = predicted->prediction;
	const double total = prediction->timeline->total,
		     algbw = total > 0 ? prediction->bytes / total * 1e-9 : 0;
	struct part parts[NPART];
	char busiest[128];
	add_text(answer, "predicted_on", predicted->topology ? predicted->topology->name : NULL);
	add_text(answer, "type", ordo_type_name(predicted->type));
	add_number(answer, "bytes", prediction->bytes);
	add_number(answer, "seconds", total);
	add_number(answer, "algbw_gigabytes_per_second", algbw);
	add_number(answer, "busbw_gigabytes_per_second", algbw * bus_factor(&schedule->problem));
	cJSON *json = cJSON_AddObjectToObject(answer, "breakdown_seconds");
	list_parts(&prediction->breakdown, parts);
	for (int i = 0; i < NPART; i++)
		add_number(json, parts[i].name, parts[i].seconds);
	print_busiest(predicted, busiest, sizeof busiest);
	add_text(answer, "bottleneck", busiest[0] ? busiest : NULL);
	add_number(answer, "bottleneck_share", prediction->busiest_share);
	add_bounds(answer, prediction);
	add_path(answer, schedule, prediction);
	if (predicted->topology)
		add_links(answer, predicted);
}

void foretell(struct call *call, const struct foretelling *wish,
	const struct ordo_schedule *schedule, const struct predicted *predicted)
{
	const struct ordo_prediction *prediction = predicted->prediction;
	char busiest[128];
	if (call->json) {
		add_prediction(call->answer, schedule, predicted);
		return;
	}
	print_total(schedule, predicted);
	print_parts(prediction);
	print_bounds(prediction);
	print_busiest(predicted, busiest, sizeof busiest);
	if (busiest[0]) {
		print_item("bottleneck");
		printf("%s, at work %.3g%% of the time\n", busiest,
			100 * prediction->busiest_share);
	}
	if (predicted->topology)
		print_links(wish, predicted);
	print_path(wish, schedule, prediction);
}
