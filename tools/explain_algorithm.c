/* explain_algorithm.c - all that is known of one algorithm. */
#include "explain.h"
#include <string.h>
#include <strings.h>

const struct ordo_algorithm_facts *find_algorithm(const char *name)
{
	uint32_t count;
	const struct ordo_algorithm_facts *const *algorithms = ordo_algorithms(&count);
	for (uint32_t i = 0; i < count; i++)
		if (!strcasecmp(name, algorithms[i]->name))
			return algorithms[i];
	return NULL;
}

static void explain_parameters(struct call *call, const struct ordo_algorithm_facts *facts)
{
	cJSON *list = cJSON_AddArrayToObject(call->answer, "parameters");
	if (!facts->nparameter)
		return;
	const bool keyed = facts->parameters[0].kind != ORDO_ALGORITHMS;
	say(call, "\nparameters, as in \"%s(%s%s%s)\":\n", facts->name,
		keyed ? facts->parameters[0].name : "", keyed ? "=" : "", facts->parameters[0].fallback);
	for (uint32_t i = 0; i < facts->nparameter; i++) {
		const struct ordo_parameter *parameter = &facts->parameters[i];
		cJSON *one = cJSON_CreateObject();
		add_text(one, "name", parameter->name);
		add_text(one, "values", parameter->values);
		add_text(one, "fallback", parameter->fallback);
		add_text(one, "meaning", parameter->meaning);
		cJSON_AddItemToArray(list, one);
		say(call, "  %-12s %s\n  %-12s values %s; %s if left out\n", parameter->name,
			parameter->meaning, "", parameter->values, parameter->fallback);
	}
}

static const char *where_tried(const struct ordo_variant *variant)
{
	if (variant->rings)
		return ", # being the rings that every rank has links for";
	if (!variant->servers)
		return "";
	return strchr(variant->settings, '#') ? ", # being the servers that a topology tells apart"
					      : ", where a topology tells servers apart";
}

/* The forms that are tried when an algorithm is chosen by its order, its time or its cost. */
static void explain_variants(struct call *call, const struct ordo_algorithm_facts *facts)
{
	cJSON *list = cJSON_AddArrayToObject(call->answer, "variants");
	if (!facts->variants)
		return;
	say(call, "\ntried where none is named, and for --sizes:\n");
	for (uint32_t i = 0; i < facts->nvariant; i++) {
		const struct ordo_variant *variant = &facts->variants[i];
		char text[128];
		const bool plain = !*variant->settings;
		snprintf(text, sizeof text, "%s%s%s%s", facts->name, plain ? "" : "(", variant->settings,
			plain ? "" : ")");
		cJSON_AddItemToArray(list, cJSON_CreateString(text));
		say(call, "  %s%s%s\n", text, where_tried(variant),
			variant->pipelines ? ", by time with several K" : "");
	}
}

int explain_algorithm(struct call *call, const struct ordo_algorithm_facts *facts)
{
	const char *const fields[][2] = {{"ranks", facts->ranks}, {"steps", facts->steps},
		{"volume", facts->volume}, {"order", facts->order}, {"topologies", facts->topologies},
		{"source", facts->source}};
	add_text(call->answer, "algorithm", facts->name);
	add_text(call->answer, "summary", facts->summary);
	say(call, "%s%s%s: %s\n\n", paint(stdout, BOLD), facts->name, paint(stdout, PLAIN), facts->summary);
	cJSON *operators = cJSON_AddArrayToObject(call->answer, "operators");
	say(call, "operators ");
	for (int op = 0; op < ORDO_NOPERATOR; op++)
		if (facts->operators >> op & 1) {
			const char *operator_name = ordo_operator_facts((enum ordo_operator)op)->name;
			cJSON_AddItemToArray(operators, cJSON_CreateString(operator_name));
			say(call, " %s", operator_name);
		}
	say(call, "\n");
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		add_text(call->answer, fields[i][0], fields[i][1]);
		if (fields[i][1])
			say(call, "%-10s %s\n", fields[i][0], fields[i][1]);
	}
	explain_parameters(call, facts);
	explain_variants(call, facts);
	return ORDO_OK;
}
