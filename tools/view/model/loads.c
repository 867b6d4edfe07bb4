/* loads.c - the load of each link in a prediction. */
#include "loads.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

double bytes_on(const struct loads *loads, const struct ordo_link *link)
{
	return loads->prediction ? loads->prediction->links[link - loads->topology->links].bytes
				 : 0;
}

double use_of(const struct loads *loads, const struct ordo_link *link)
{
	const double total = loads->prediction ? loads->prediction->timeline->total : 0;
	return total > 0 ? bytes_on(loads, link) / (link->bandwidth_gbs * 1e9) / total : 0;
}

/* Rounded to three digits, as shown: chunks that differ by an element are equal. */
static bool look_alike(double a, double b)
{
	return fabs(a - b) <= 0.006 * fmax(a, b);
}

bool is_worst(const struct loads *loads, const struct ordo_link *link)
{
	if (!loads->prediction || loads->prediction->bottleneck == ORDO_NONE)
		return false;
	const double worst = use_of(loads, &loads->topology->links[loads->prediction->bottleneck]);
	return use_of(loads, link) >= worst || look_alike(use_of(loads, link), worst);
}

bool is_idle(const struct loads *loads, const struct ordo_link *link)
{
	return loads->prediction && !link->down && !(bytes_on(loads, link) > 0);
}

/* Rounds up to one of a few shares, so that pictures of similar loads have similar colours. */
static double round_up(double use)
{
	static const double ends[] = {0.01, 0.02, 0.05, 0.1, 0.25, 0.5};
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (use <= ends[i])
			return ends[i];
	return 1;
}

static bool is_between(const struct ordo_link *link, const bool *drawn)
{
	return drawn[link->from] && drawn[link->to];
}

void measure_loads(struct loads *loads, const bool *drawn)
{
	for (uint32_t i = 0; i < loads->topology->nlink; i++) {
		const struct ordo_link *link = &loads->topology->links[i];
		if (!is_between(link, drawn))
			continue;
		const bool loaded = bytes_on(loads, link) > 0;
		loads->nloaded += loaded;
		loads->nidle += is_idle(loads, link);
		loads->ndown += link->down;
		loads->nworst += loaded && is_worst(loads, link);
		loads->most_bytes = fmax(loads->most_bytes, bytes_on(loads, link));
		loads->most_use = fmax(loads->most_use, use_of(loads, link));
	}
	loads->warmest = round_up(loads->most_use);
	loads->marks_worst = loads->nworst && loads->nworst < loads->nloaded;
}

void use_colour(const struct loads *loads, double use, char colour[8])
{
	static const double stops[][3] = {
		{0xf8, 0xcd, 0x78}, {0xf7, 0xa2, 0x3b}, {0xe0, 0x4f, 0x2d}, {0x8f, 0x0d, 0x2f}};
	const double at = fmin(fmax(use / loads->warmest, 0), 1) * 3;
	const int stop = at >= 3 ? 2 : (int)at;
	unsigned mixed[3];
	for (int i = 0; i < 3; i++)
		mixed[i] = (unsigned)lround(
			stops[stop][i] + (stops[stop + 1][i] - stops[stop][i]) * (at - stop));
	snprintf(colour, 8, "#%02x%02x%02x", mixed[0] & 255, mixed[1] & 255, mixed[2] & 255);
}

/* The value nearest to `target` among the drawn links. */
static double nearest(const struct loads *loads, const bool *drawn,
	double (*value)(const struct loads *, const struct ordo_link *), double target)
{
	double best = HUGE_VAL;
	for (uint32_t i = 0; i < loads->topology->nlink; i++) {
		const struct ordo_link *link = &loads->topology->links[i];
		if (is_between(link, drawn) && bytes_on(loads, link) > 0 &&
			fabs(value(loads, link) - target) < fabs(best - target))
			best = value(loads, link);
	}
	return best;
}

/* The largest value below `limit`; 0: none. */
static double next_below(const struct loads *loads, const bool *drawn,
	double (*value)(const struct loads *, const struct ordo_link *), double limit)
{
	double best = 0;
	for (uint32_t i = 0; i < loads->topology->nlink; i++) {
		const struct ordo_link *link = &loads->topology->links[i];
		const double found = value(loads, link);
		if (is_between(link, drawn) && found < limit && !look_alike(found, limit))
			best = fmax(best, found);
	}
	return best;
}

static uint32_t sample(const struct loads *loads, const bool *drawn,
	double (*value)(const struct loads *, const struct ordo_link *), double most,
	double samples[MOST_SAMPLES])
{
	uint32_t count = 0;
	double at = most;
	for (; at > 0 && count < MOST_SAMPLES; at = next_below(loads, drawn, value, at))
		samples[count++] = at;
	if (!(at > 0))
		return count;
	/* With too many values: those nearest to even steps down to the least. */
	const double least = nearest(loads, drawn, value, 0);
	for (uint32_t i = count = 0; i < MOST_SAMPLES; i++) {
		const double wanted = most + (least - most) * i / (MOST_SAMPLES - 1);
		const double found = nearest(loads, drawn, value, wanted);
		if (!count ||
			(found < samples[count - 1] && !look_alike(found, samples[count - 1])))
			samples[count++] = found;
	}
	return count;
}

uint32_t sample_uses(const struct loads *loads, const bool *drawn, double samples[MOST_SAMPLES])
{
	return sample(loads, drawn, use_of, loads->most_use, samples);
}

uint32_t sample_bytes(const struct loads *loads, const bool *drawn, double samples[MOST_SAMPLES])
{
	return sample(loads, drawn, bytes_on, loads->most_bytes, samples);
}

/* %.3g would write 1008 with an exponent. */
static void print_label(double number, const char *unit, char text[32])
{
	snprintf(text, 32, number < 999.5 ? "%.3g %s" : "%.0f %s", number, unit);
}

void print_size(double bytes, char text[32])
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
	int unit = 0;
	for (; bytes >= 1023.5 && unit < 5; unit++)
		bytes /= 1024;
	print_label(bytes, units[unit], text);
}

static void print_time(double seconds, char text[32])
{
	if (seconds < 1e-3)
		print_label(seconds * 1e6, "us", text);
	else if (seconds < 1)
		print_label(seconds * 1e3, "ms", text);
	else
		print_label(seconds, "s", text);
}

/* "3", "switch 8": vertices of the document, which --fail-switch names. */
static void print_vertex(const struct ordo_topology *topology, uint32_t vertex, char text[24])
{
	const bool is_switch = vertex >= topology->nrank;
	snprintf(text, 24, is_switch ? "switch %u" : "%u", vertex);
}

void describe_link(const struct loads *loads, const struct ordo_link *link, char text[384])
{
	char size[32], from[24], to[24];
	print_vertex(loads->topology, link->from, from);
	print_vertex(loads->topology, link->to, to);
	const int length = snprintf(text, 384, "%s to %s: %.100s, %g ns, %g GB/s%s", from, to,
		loads->topology->class_names[link->class_name], link->latency_ns,
		link->bandwidth_gbs, link->down ? ", down" : "");
	if (!loads->prediction || length <= 0)
		return;
	print_size(bytes_on(loads, link), size);
	snprintf(text + length, 384 - (size_t)length,
		": %s in %" PRIu64 " moves, %.3g %% of the time", size,
		loads->prediction->links[link - loads->topology->links].flows,
		100 * use_of(loads, link));
}

bool describe_class(const struct ordo_topology *topology, const bool *drawn, uint32_t class_name,
	char text[256])
{
	const struct ordo_link *link = topology->links, *end = link + topology->nlink;
	while (link < end && (link->class_name != class_name || !is_between(link, drawn)))
		link++;
	if (link < end)
		snprintf(text, 256, "%.200s, %g ns, %g GB/s", topology->class_names[class_name],
			link->latency_ns, link->bandwidth_gbs);
	return link < end;
}

void describe_loads(const struct loads *loads, char text[512])
{
	const char *name = loads->topology->name ? loads->topology->name : "topology";
	char size[32], time[32];
	snprintf(text, 512, "%.200s", name);
	if (!loads->prediction)
		return;
	const struct ordo_schedule *schedule = loads->prediction->timeline->schedule;
	print_size(loads->prediction->bytes, size);
	print_time(loads->prediction->timeline->total, time);
	snprintf(text, 512, "%s of %s by %.100s on %.200s: %s",
		ordo_operator_facts(schedule->problem.op)->name, size, schedule->algorithm, name,
		time);
}
