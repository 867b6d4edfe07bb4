/* verdict_table.c - one line for each of several files that are verified. */
#include "verdict_table.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cJSON *member(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* Numbers of answers are kept as they are written. NAN: there is none. */
static double number_of(const cJSON *object, const char *name)
{
	const cJSON *found = member(object, name);
	return cJSON_IsRaw(found) ? strtod(found->valuestring, NULL) : (double)NAN;
}

static const char *count_text(char text[ORDO_UNITS_SIZE], double number)
{
	if (isnan(number))
		return "-";
	snprintf(text, ORDO_UNITS_SIZE, "%.0f", number);
	return text;
}

/* yes, no, or - where there is nothing to guarantee. */
static const char *guarantee_text(const cJSON *answer, const char *name)
{
	const cJSON *verdict = member(member(member(answer, "guarantees"), name), "verdict");
	const char *text = cJSON_GetStringValue(verdict);
	return !text				? "-"
	       : !strcmp(text, "holds")		? "yes"
	       : !strcmp(text, "does not hold") ? "no"
						: "-";
}

/* The rules that are broken, each once. */
static void print_rules(char text[64], const cJSON *answer)
{
	const cJSON *finding;
	snprintf(text, 64, "refuted");
	size_t used = strlen(text);
	cJSON_ArrayForEach(finding, member(answer, "findings"))
	{
		const char *rule = cJSON_GetStringValue(member(finding, "rule"));
		char word[8];
		snprintf(word, sizeof word, " %s", rule ? rule : "");
		if (rule && !strstr(text, word) && used + strlen(word) < 64)
			used += (size_t)snprintf(text + used, 64 - used, "%s", word);
	}
}

static const char *verdict_text(char text[64], int status, const cJSON *answer)
{
	static const char *const others[] = {
		"proved", "", "refused", "not read", "undecided", "failed"};
	if (status != ORDO_REFUTED)
		return status >= 0 && status <= ORDO_ENVIRONMENT ? others[status] : "";
	if (cJSON_IsTrue(member(answer, "proved")))
		return "not as required";
	print_rules(text, answer);
	return text;
}

static const char *safe_text(char text[ORDO_UNITS_SIZE], const cJSON *own)
{
	const double bytes = number_of(own, "safe_bytes");
	return !own	      ? "-"
	       : isnan(bytes) ? "any"
	       : bytes == 0   ? "none"
			      : ordo_bytes_text(text, bytes);
}

void print_verdict_head(FILE *out, int width)
{
	fprintf(out, "%-*s %5s %7s %5s %9s %3s %3s %3s %9s  %s\n", width, "file", "ranks", "steps",
		"slots", "safe size", "G1", "G2", "G3", "time", "verdict");
}

void print_verdict_row(FILE *out, int width, const char *file, int status, const cJSON *answer)
{
	char ranks[ORDO_UNITS_SIZE], steps[ORDO_UNITS_SIZE], slots[ORDO_UNITS_SIZE],
		safe[ORDO_UNITS_SIZE], time[ORDO_UNITS_SIZE], verdict[64];
	const cJSON *own = member(answer, "msccl"), *seconds = member(answer, "seconds");
	const double taken = number_of(seconds, "read") + number_of(seconds, "proof"),
		     nstep = number_of(own, "steps");
	const char *why = cJSON_GetStringValue(member(member(answer, "error"), "text"));
	fprintf(out, "%-*s %5s %7s %5s %9s %3s %3s %3s %9s  %s", width, file,
		count_text(ranks, number_of(answer, "ranks")),
		count_text(steps, isnan(nstep) ? number_of(answer, "tasks") : nstep),
		count_text(slots, number_of(own, "least_slots")), safe_text(safe, own),
		guarantee_text(answer, "G1"), guarantee_text(answer, "G2"),
		guarantee_text(answer, "G3"), isnan(taken) ? "-" : ordo_time_text(time, taken),
		verdict_text(verdict, status, answer));
	fprintf(out, "%s%.200s\n", why ? ": " : "", why ? why : "");
}
