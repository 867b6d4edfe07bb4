/* page_data.c - the data of a page as JSON: facts as objects, tasks as one column for each
 * field. */
#include "help/texts.h"
#include "page.h"
#include "report/proof.h"
#include "view/colours/palette.h"
#include "view/model/layout.h"
#include <inttypes.h>
#include <math.h>
#include <ordo/detail/schedules.h>
#include <stdlib.h>
#include <string.h>

/* Times are integer ticks of the whole, more than any screen has points. */
enum { TICKS = 1000000 };
/* More trees than this are not listed, to keep the page small. */
enum { MOST_TREES = 200000 };

struct writing {
	FILE *out;
	const struct page *page;
	uint32_t *tasks; /* [shown->ntask] tasks of the schedule */
	double tick;	 /* seconds, or steps */
};

/* A `<` could end the script element with the data. */
static bool write_json(FILE *out, cJSON *json)
{
	char *text = json ? cJSON_PrintUnformatted(json) : NULL;
	for (const char *at = text; at && *at; at++)
		if (*at == '<')
			fputs("\\u003c", out);
		else
			fputc(*at, out);
	cJSON_free(text);
	cJSON_Delete(json);
	return text;
}

static void write_number(FILE *out, bool first, uint32_t number)
{
	if (number == ORDO_NONE)
		fputs(first ? "-1" : ",-1", out);
	else
		fprintf(out, first ? "%u" : ",%u", number);
}

/* A column: one number for each shown task. ORDO_NONE is -1. */
typedef uint32_t task_number(const struct writing *writing, uint32_t task);

static void write_column(const struct writing *writing, const char *name, task_number *number)
{
	fprintf(writing->out, ",\"%s\":[", name);
	for (uint32_t i = 0; i < writing->page->shown->ntask; i++)
		write_number(writing->out, !i, number(writing, writing->tasks[i]));
	fputc(']', writing->out);
}

/* Runs of equal differences: first value, difference, count, repeated. */
typedef uint32_t slot_number(const struct page *page, uint32_t rank, uint32_t slot);

static void write_runs(FILE *out, const struct page *page, const char *name, uint32_t rank,
	uint32_t count, slot_number *number)
{
	fprintf(out, ",\"%s\":[", name);
	for (uint32_t i = 0, end; i < count; i = end) {
		const int64_t first = (int32_t)number(page, rank, i),
			      step = i + 1 < count ? (int32_t)number(page, rank, i + 1) - first : 0;
		for (end = i + 1; end < count && (int32_t)number(page, rank, end) ==
							 first + step * (int64_t)(end - i);)
			end++;
		fprintf(out, "%s%lld,%lld,%u", i ? "," : "", (long long)first, (long long)step,
			end - i);
	}
	fputc(']', out);
}

static cJSON *list_phases(const struct ordo_schedule *schedule)
{
	struct palette palette = {0};
	cJSON *phases = cJSON_CreateObject();
	cJSON *names = cJSON_AddArrayToObject(phases, "names"),
	      *fill = cJSON_AddArrayToObject(phases, "fill"),
	      *line = cJSON_AddArrayToObject(phases, "line"),
	      *families = cJSON_AddArrayToObject(phases, "families");
	bool worked = make_palette(&palette, schedule);
	for (uint32_t i = 0; worked && i < schedule->nphase; i++) {
		cJSON_AddItemToArray(names, cJSON_CreateString(schedule->phases[i]));
		cJSON_AddItemToArray(fill, cJSON_CreateString(phase_colour(&palette, i)));
		cJSON_AddItemToArray(line, cJSON_CreateString(phase_bar_colour(&palette, i)));
	}
	for (uint32_t i = 0; worked && i < palette.nlegend; i++) {
		cJSON *family = cJSON_CreateObject();
		add_text(family, "text", palette.legends[i].text);
		add_count(family, "first", palette.legends[i].first);
		add_count(family, "end", palette.legends[i].end);
		cJSON_AddItemToArray(families, family);
	}
	free_palette(&palette);
	if (worked)
		return phases;
	cJSON_Delete(phases);
	return NULL;
}

static const char *state_of_rule(const struct page *page, int rule)
{
	const struct ordo_proof *proof = page->proof;
	const struct ordo_limits *limits = page->limits;
	for (uint32_t i = 0; i < proof->nfinding; i++)
		if (proof->findings[i].rule == rule)
			return "broken";
	if (rule == 12 && !page->topology)
		return "not checked: no topology was given";
	if (rule == 13 && !limits->streams && !limits->scratch_slots && !limits->signals &&
		!limits->tokens_in_flight)
		return "not checked: no limits were given";
	if (proof->proved)
		return "holds";
	return proof->complete || rule <= 6 || rule == 12 ? "nothing found"
							  : "not checked: another rule is broken";
}

static void add_rules(cJSON *verdict, const struct page *page)
{
	cJSON *list = cJSON_AddArrayToObject(verdict, "rules");
	for (int rule = 1; rule <= NRULE; rule++) {
		cJSON *one = cJSON_CreateObject();
		add_text(one, "title", rule_text(rule, "title"));
		add_text(one, "text", rule_text(rule, "text"));
		add_text(one, "state", state_of_rule(page, rule));
		cJSON_AddItemToArray(list, one);
	}
}

static void add_findings(cJSON *verdict, const struct page *page)
{
	struct ordo_error error;
	cJSON *list = cJSON_AddArrayToObject(verdict, "findings");
	for (uint32_t i = 0; i < page->proof->nfinding; i++) {
		const struct ordo_finding *finding = &page->proof->findings[i];
		ordo_finding_error(page->schedule, finding, &error);
		cJSON *one = error_json(&error), *tasks = cJSON_AddArrayToObject(one, "tasks");
		for (uint32_t k = 0; k < finding->ntask; k++) {
			const uint32_t task = page->shown->number[finding->tasks[k]];
			cJSON_AddItemToArray(
				tasks, cJSON_CreateNumber(task == ORDO_NONE ? -1 : (double)task));
		}
		cJSON_AddItemToArray(list, one);
	}
}

static void add_guarantees(cJSON *verdict, const struct page *page)
{
	cJSON *checked = cJSON_AddObjectToObject(verdict, "judged");
	if (page->verdicts)
		report_verdicts(&(struct report){.json = checked}, page->verdicts);
	if (page->against)
		add_text(verdict, "against", page->against);
	cJSON *list = cJSON_AddArrayToObject(verdict, "guarantees");
	for (int i = 0; i < ORDO_NGUARANTEE; i++) {
		cJSON *one = cJSON_CreateObject();
		add_text(one, "name", ordo_guarantee_name((enum ordo_guarantee)i));
		add_text(one, "title", ordo_guarantee_title((enum ordo_guarantee)i));
		add_text(one, "meaning", ordo_guarantee_meaning((enum ordo_guarantee)i));
		cJSON_AddItemToArray(list, one);
	}
}

/* Streams that never end, and the task at which each blocks. */
static void add_stopped(cJSON *verdict, const struct page *page)
{
	const struct ordo_schedule *schedule = page->schedule;
	cJSON *list = cJSON_AddArrayToObject(verdict, "stopped");
	for (uint32_t s = 0; s < schedule->nstream; s++) {
		const uint32_t task = page->steps->stopped[s];
		if (task == schedule->streams[s].end || page->shown->number[task] == ORDO_NONE)
			continue;
		cJSON *one = cJSON_CreateObject();
		add_count(one, "task", page->shown->number[task]);
		const uint32_t notify = page->timeline->tasks[task].notify;
		cJSON_AddNumberToObject(one, "notify",
			notify == ORDO_NONE || page->shown->number[notify] == ORDO_NONE
				? -1
				: (double)page->shown->number[notify]);
		add_truth(one, "notified", notify != ORDO_NONE);
		cJSON_AddItemToArray(list, one);
	}
}

static cJSON *list_verdict(const struct page *page)
{
	cJSON *verdict = cJSON_CreateObject();
	add_truth(verdict, "proved", page->proof->proved);
	add_truth(verdict, "complete", page->proof->complete);
	if (page->proof->proved) {
		add_count(verdict, "orders", page->proof->ndistinct);
		add_text(verdict, "digest", page->proof->digest[0] ? page->proof->digest : NULL);
		add_count(verdict, "signals", page->proof->nsignal);
		if (page->proof->tokens_in_flight != ORDO_UNBOUNDED)
			add_count(verdict, "tokens", page->proof->tokens_in_flight);
	}
	add_rules(verdict, page);
	add_findings(verdict, page);
	add_guarantees(verdict, page);
	add_stopped(verdict, page);
	return verdict;
}

static cJSON *list_topology(const struct page *page)
{
	const struct ordo_topology *topology = page->topology;
	cJSON *json = cJSON_CreateObject();
	add_text(json, "name", topology->name);
	add_count(json, "ranks", topology->nrank);
	add_count(json, "switches", topology->nswitch);
	add_count(json, "ports", topology->ports);
	cJSON *classes = cJSON_AddArrayToObject(json, "classes");
	for (uint32_t i = 0; i < topology->nclass; i++)
		cJSON_AddItemToArray(classes, cJSON_CreateString(topology->class_names[i]));
	return json;
}

/* A link is listed if both its ends are shown. */
static bool has_link(const struct page *page, const struct ordo_link *link)
{
	const uint32_t nrank = page->topology->nrank;
	return (link->from >= nrank || page->shown->has_rank[link->from]) &&
	       (link->to >= nrank || page->shown->has_rank[link->to]);
}

/* from, to, class, down, ns, GB/s, bend of its line, and of a prediction the bytes and the busy
 * seconds. */
static void write_links(FILE *out, const struct page *page, const struct layout *layout)
{
	const struct ordo_link_load *loads = page->prediction ? page->prediction->links : NULL;
	bool first = true;
	fputs(",\"links\":[", out);
	for (uint32_t i = 0; i < page->topology->nlink; i++) {
		const struct ordo_link *link = &page->topology->links[i];
		if (!has_link(page, link))
			continue;
		fprintf(out, "%s[%u,%u,%u,%d,%.9g,%.9g,%.3g", first ? "" : ",", link->from,
			link->to, link->class_name, link->down, link->latency_ns,
			link->bandwidth_gbs,
			bow_of_line(layout, page->topology, link->from, link->to));
		if (loads)
			fprintf(out, ",%.9g,%.9g", loads[i].bytes, loads[i].busy);
		fputc(']', out);
		first = false;
	}
	fputc(']', out);
}

/* Positions of ranks and switches: vertex, x, y; boxes of servers: number, left, top, right,
 * bottom, whether the name is at the lower edge. */
static void write_places(FILE *out, const struct page *page, const struct layout *layout)
{
	bool first = true;
	fputs(",\"places\":[", out);
	for (uint32_t i = 0; i < page->topology->nrank + page->topology->nswitch; i++)
		if (layout->drawn[i]) {
			fprintf(out, "%s%u,%.4g,%.4g", first ? "" : ",", i, layout->at[i].x,
				layout->at[i].y);
			first = false;
		}
	fputs("],\"boxes\":[", out);
	for (uint32_t i = 0; i < layout->nbox; i++) {
		const struct layout_box *box = &layout->boxes[i];
		fprintf(out, "%s%u,%.4g,%.4g,%.4g,%.4g,%d", i ? "," : "", box->server, box->low.x,
			box->low.y, box->high.x, box->high.y, box->below);
	}
	fputc(']', out);
}

static bool write_topology(FILE *out, const struct page *page)
{
	struct layout layout;
	if (!page->topology)
		return true;
	const bool worked =
		lay_out(&layout, page->topology, page->shown->ranks, page->shown->nrank);
	if (worked) {
		write_places(out, page, &layout);
		write_links(out, page, &layout);
	}
	free_layout(&layout);
	return worked;
}

static cJSON *list_time(const struct writing *writing)
{
	const struct page *page = writing->page;
	cJSON *json = cJSON_CreateObject();
	add_truth(json, "predicted", page->prediction);
	add_number(json, "total", page->timeline->total);
	add_number(json, "tick", writing->tick);
	add_count(json, "ticks", TICKS);
	if (!page->prediction)
		return json;
	const struct ordo_breakdown *breakdown = &page->prediction->breakdown;
	add_number(json, "bytes", page->prediction->bytes);
	cJSON *parts = cJSON_AddObjectToObject(json, "breakdown");
	add_number(parts, "latency", breakdown->latency);
	add_number(parts, "wire", breakdown->wire);
	add_number(parts, "sharing", breakdown->sharing);
	add_number(parts, "reduce", breakdown->reduce);
	add_number(parts, "copy", breakdown->copy);
	add_number(parts, "waiting", breakdown->waiting);
	const struct ordo_time_bounds *bounds = &page->prediction->bounds;
	cJSON *least = cJSON_AddObjectToObject(json, "bounds");
	add_number(least, "steps", bounds->steps);
	add_number(least, "volume", bounds->volume);
	add_number(least, "reduce", bounds->reduce);
	add_number(least, "cut", bounds->cut);
	return json;
}

static cJSON *list_shown(const struct page *page)
{
	const struct shown *shown = page->shown;
	cJSON *json = cJSON_CreateObject(), *ranks = cJSON_AddArrayToObject(json, "ranks");
	add_truth(json, "all", shown->all);
	add_truth(json, "all_tasks", shown->all_tasks);
	add_count(json, "tasks", shown->ntask);
	add_count(json, "incoming", shown->nincoming);
	for (uint32_t i = 0; i < shown->nrank; i++)
		cJSON_AddItemToArray(ranks, cJSON_CreateNumber(shown->ranks[i]));
	return json;
}

static const struct ordo_task *task_of(const struct writing *writing, uint32_t task)
{
	return &writing->page->schedule->tasks[task];
}

static uint32_t kind_of(const struct writing *writing, uint32_t task)
{
	return task_of(writing, task)->kind;
}

static uint32_t phase_of(const struct writing *writing, uint32_t task)
{
	const uint32_t phase = task_of(writing, task)->phase;
	return phase < writing->page->schedule->nphase ? phase : ORDO_NONE;
}

static uint32_t peer_of(const struct writing *writing, uint32_t task)
{
	return task_of(writing, task)->peer;
}

static uint32_t chunk_of(const struct writing *writing, uint32_t task)
{
	return task_of(writing, task)->chunk;
}

static uint32_t count_of(const struct writing *writing, uint32_t task)
{
	return task_of(writing, task)->count;
}

/* A slot and its buffer: slot * 3 + buffer; ORDO_NONE if that does not fit. */
static uint32_t place_of(uint32_t buffer, uint32_t slot)
{
	return slot > (ORDO_LIMIT - 2) / 3 ? ORDO_NONE : slot * 3 + buffer;
}

static uint32_t source_of(const struct writing *writing, uint32_t task)
{
	const struct ordo_task *it = task_of(writing, task);
	return place_of(it->src_buffer, it->src);
}

static uint32_t target_of(const struct writing *writing, uint32_t task)
{
	const struct ordo_task *it = task_of(writing, task);
	return place_of(it->dst_buffer, it->dst);
}

static uint32_t notify_of(const struct writing *writing, uint32_t task)
{
	const uint32_t notify = writing->page->timeline->tasks[task].notify;
	return notify == ORDO_NONE ? ORDO_NONE : writing->page->shown->number[notify];
}

static uint32_t ticks_of(const struct writing *writing, double time)
{
	return writing->tick > 0 ? (uint32_t)lround(time / writing->tick) : 0;
}

static uint32_t begin_of(const struct writing *writing, uint32_t task)
{
	return ticks_of(writing, writing->page->timeline->tasks[task].begin);
}

static uint32_t end_of(const struct writing *writing, uint32_t task)
{
	return ticks_of(writing, writing->page->timeline->tasks[task].end);
}

/* Of blocks with counts: the elements that each task moves, -1 for a Notify or a Wait. */
static void write_elements(const struct writing *writing)
{
	const struct places *places = writing->page->places;
	fputs(",\"elements\":[", writing->out);
	for (uint32_t i = 0; i < writing->page->shown->ntask; i++) {
		const struct ordo_task *task = task_of(writing, writing->tasks[i]);
		if (i)
			fputc(',', writing->out);
		if (ordo_task_moves(task))
			fprintf(writing->out, "%" PRIu64,
				place_of_chunk(places, task->chunk + task->count) -
					place_of_chunk(places, task->chunk));
		else
			fputs("-1", writing->out);
	}
	fputc(']', writing->out);
}

static void write_tasks(const struct writing *writing)
{
	fputs(",\"tasks\":{\"columns\":11", writing->out);
	write_column(writing, "kind", kind_of);
	write_column(writing, "phase", phase_of);
	write_column(writing, "peer", peer_of);
	write_column(writing, "chunk", chunk_of);
	write_column(writing, "count", count_of);
	write_column(writing, "src", source_of);
	write_column(writing, "dst", target_of);
	write_column(writing, "notify", notify_of);
	write_column(writing, "begin", begin_of);
	write_column(writing, "end", end_of);
	if (writing->page->places)
		write_elements(writing);
	fputc('}', writing->out);
}

/* rank, number in its rank, first task of the page, one past the last, number of the first in the
 * stream. For a stream of another rank: its incoming moves, which may begin anywhere in the stream,
 * so that number is -1. */
static bool write_streams(const struct writing *writing)
{
	const struct ordo_schedule *schedule = writing->page->schedule;
	const struct shown *shown = writing->page->shown;
	cJSON *names = cJSON_CreateArray(), *vias = cJSON_CreateArray();
	char name[256];
	uint32_t at = 0;
	bool first = true;
	fputs(",\"streams\":[", writing->out);
	for (uint32_t s = 0; s < schedule->nstream; s++) {
		const struct ordo_stream *stream = &schedule->streams[s];
		const uint32_t begin = at;
		for (uint32_t i = stream->first; i < stream->end; i++)
			at += shown->number[i] != ORDO_NONE;
		if (at == begin && !shown->has_rank[stream->rank])
			continue;
		fprintf(writing->out, "%s[%u,%u,%u,%u,%d]", first ? "" : ",", stream->rank,
			s - schedule->programs[stream->rank].first_stream, begin, at,
			shown->has_rank[stream->rank] ? 1 : 0);
		ordo_stream_title(schedule, s, name, sizeof name);
		cJSON_AddItemToArray(names, cJSON_CreateString(name));
		const struct ordo_via *via = ordo_via_of(schedule, s);
		cJSON *switches = via ? cJSON_CreateArray() : cJSON_CreateNull();
		for (uint32_t i = 0; via && i < via->nswitch; i++)
			cJSON_AddItemToArray(switches, cJSON_CreateNumber(via->switches[i]));
		cJSON_AddItemToArray(vias, switches);
		first = false;
	}
	if (schedule->vias && writing->page->topology) {
		fputs("],\"stream_vias\":", writing->out);
		if (!write_json(writing->out, vias)) {
			cJSON_Delete(names);
			return false;
		}
		fputs(",\"stream_names\":", writing->out);
		return write_json(writing->out, names);
	}
	cJSON_Delete(vias);
	fputs("],\"stream_names\":", writing->out);
	return write_json(writing->out, names);
}

static void write_order(const struct writing *writing)
{
	const struct steps *steps = writing->page->steps;
	const struct shown *shown = writing->page->shown;
	bool first = true;
	fputs(",\"order\":[", writing->out);
	for (uint32_t i = 0; i < steps->nstep; i++)
		if (shown->number[steps->order[i]] != ORDO_NONE) {
			write_number(writing->out, first, shown->number[steps->order[i]]);
			first = false;
		}
	fputs("],\"path\":[", writing->out);
	first = true;
	const struct ordo_prediction *prediction = writing->page->prediction;
	for (uint32_t i = 0; prediction && i < prediction->npath; i++)
		if (shown->number[prediction->path[i]] != ORDO_NONE) {
			write_number(writing->out, first, shown->number[prediction->path[i]]);
			first = false;
		}
	fputc(']', writing->out);
}

static uint32_t input_chunk(const struct page *page, uint32_t rank, uint32_t slot)
{
	return ordo_input_chunk(&page->schedule->problem, rank, slot);
}

static uint32_t input_shard(const struct page *page, uint32_t rank, uint32_t slot)
{
	return ordo_input_shard(&page->schedule->problem, rank, slot);
}

static uint32_t input_alias(const struct page *page, uint32_t rank, uint32_t slot)
{
	return ordo_in_place_output_slot(&page->schedule->problem, rank, slot);
}

static uint32_t output_chunk(const struct page *page, uint32_t rank, uint32_t slot)
{
	return ordo_output_chunk(&page->schedule->problem, rank, slot);
}

/* For every shown rank: the contents of its slots, their required contents, and the output slot
 * that shares memory with each input slot. */
static void write_memory(FILE *out, const struct page *page)
{
	const struct ordo_problem *problem = &page->schedule->problem;
	fputs(",\"memory\":[", out);
	for (uint32_t i = 0; i < page->shown->nrank; i++) {
		const uint32_t rank = page->shown->ranks[i],
			       inputs = ordo_input_slots(problem, rank),
			       outputs = ordo_output_slots(problem, rank);
		fprintf(out, "%s{\"rank\":%u,\"inputs\":%u,\"outputs\":%u", i ? "," : "", rank,
			inputs, outputs);
		write_runs(out, page, "input_chunk", rank, inputs, input_chunk);
		write_runs(out, page, "input_shard", rank, inputs, input_shard);
		if (problem->in_place)
			write_runs(out, page, "input_alias", rank, inputs, input_alias);
		write_runs(out, page, "output_chunk", rank, outputs, output_chunk);
		fputc('}', out);
	}
	fputc(']', out);
}

/* For every chunk from a rank that is not shown: leaves, smallest, largest; in the order of
 * tasks. */
static void write_incoming(FILE *out, const struct incoming *incoming)
{
	fputs(",\"incoming\":[", out);
	for (size_t i = 0; i < incoming->count; i++)
		fprintf(out, "%s%u,%u,%u", i ? "," : "", incoming->facts[i].leaves,
			incoming->facts[i].smallest, incoming->facts[i].largest);
	fputc(']', out);
}

/* The proved trees: nodes in pairs, -1 before the shard of a leaf; the tree of every chunk, and of
 * copies with another tree. */
static void write_trees(FILE *out, const struct page *page)
{
	const struct ordo_proof *proof = page->proof;
	if (!proof->proved || !proof->chunk_tree || !page->shown->all ||
		proof->trees.nnode > MOST_TREES)
		return;
	fputs(",\"trees\":[", out);
	for (uint32_t i = 0; i < proof->trees.nnode; i++) {
		write_number(out, !i, proof->trees.nodes[i][0]);
		write_number(out, false, proof->trees.nodes[i][1]);
	}
	fputs("],\"chunk_tree\":[", out);
	for (uint32_t i = 0; i < ordo_nchunk(&page->schedule->problem); i++)
		write_number(out, !i, proof->chunk_tree[i]);
	fputs("],\"copies\":[", out);
	for (uint32_t i = 0; i < proof->ncopy; i++)
		fprintf(out, "%s%u,%u,%u", i ? "," : "", proof->copies[i].chunk,
			proof->copies[i].rank, proof->copies[i].tree);
	fputc(']', out);
}

static bool write_member(FILE *out, const char *name, cJSON *json)
{
	fprintf(out, ",\"%s\":", name);
	return write_json(out, json);
}

static bool write_facts(const struct writing *writing)
{
	const struct page *page = writing->page;
	FILE *out = writing->out;
	cJSON *schedule = cJSON_CreateObject();
	report_schedule(&(struct report){.json = schedule}, page->schedule);
	add_truth(schedule, "reduces", ordo_operator_facts(page->schedule->problem.op)->reduces);
	add_text(schedule, "file", page->schedule->file);
	return write_member(out, "command", cJSON_CreateString(page->command)) &&
	       write_member(out, "version", cJSON_CreateString(ORDO_VERSION)) &&
	       write_member(out, "schedule", schedule) &&
	       write_member(out, "phases", list_phases(page->schedule)) &&
	       write_member(out, "verdict", list_verdict(page)) &&
	       write_member(out, "time", list_time(writing)) &&
	       write_member(out, "shown", list_shown(page)) &&
	       (!page->topology || write_member(out, "topology", list_topology(page)));
}

static bool list_tasks(struct writing *writing)
{
	const struct page *page = writing->page;
	writing->tasks = malloc(((size_t)page->shown->ntask + 1) * sizeof *writing->tasks);
	for (uint32_t i = 0; writing->tasks && i < page->schedule->ntask; i++)
		if (page->shown->number[i] != ORDO_NONE)
			writing->tasks[page->shown->number[i]] = i;
	return writing->tasks;
}

bool write_page_data(FILE *out, const struct page *page, struct ordo_error *error)
{
	struct writing writing = {.out = out, .page = page, .tick = page->timeline->total / TICKS};
	bool worked = list_tasks(&writing);
	if (worked) {
		fputs("{\"schema\":\"ordo/page/1\"", out);
		worked = write_facts(&writing) && write_topology(out, page) &&
			 write_streams(&writing);
	}
	if (worked) {
		write_tasks(&writing);
		write_order(&writing);
		write_memory(out, page);
		write_incoming(out, page->incoming);
		write_trees(out, page);
		fputc('}', out);
	}
	free(writing.tasks);
	return worked || ordo_fail_memory(error);
}
