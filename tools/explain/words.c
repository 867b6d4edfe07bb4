/* words.c - an operator, a kind of task, a topology, a term. */
#include "explain.h"
#include "help/texts.h"
#include <ordo/schedule.h>
#include <string.h>
#include <strings.h>

void say_field(struct call *call, const char *name, const char *text)
{
	enum { INDENT = 10, WIDTH = 100 };
	say(call, "%-*s", INDENT - 1, name);
	for (int column = INDENT - 1; *text;) {
		const int length = (int)strcspn(text, " ");
		if (column + 1 + length > WIDTH) {
			say(call, "\n%*s", INDENT - 1, "");
			column = INDENT - 1;
		}
		say(call, " %.*s", length, text);
		column += 1 + length;
		text += length;
		text += strspn(text, " ");
	}
	say(call, "\n");
}

void explain_field(struct call *call, const char *member, const char *label, const char *text)
{
	add_text(call->answer, member, text);
	say_field(call, label, text);
}

void explain_head(
	struct call *call, const char *kind, const char *name, const char *member, const char *text)
{
	add_text(call->answer, kind, name);
	add_text(call->answer, member, text);
	say(call, "%s%s%s: %s\n\n", paint(stdout, BOLD), name, paint(stdout, PLAIN), text);
}

int explain_operator(struct call *call, enum ordo_operator op)
{
	const struct ordo_operator_facts *facts = ordo_operator_facts(op);
	uint32_t count;
	const struct ordo_algorithm_facts *const *algorithms = ordo_algorithms(&count);
	static const char *const fields[] = {"blocks", "input", "output", "example"};
	const char *texts[4];
	for (size_t i = 0; i < 4; i++)
		texts[i] = help_text("operators", facts->name, fields[i]);
	explain_head(call, "operator", facts->name, "meaning", facts->meaning);
	for (size_t i = 0; i < 4; i++)
		add_text(call->answer, fields[i], texts[i]);
	add_truth(call->answer, "reduces", facts->reduces);
	add_truth(call->answer, "rooted", facts->rooted);
	add_truth(call->answer, "in_place", facts->has_in_place);
	say(call, "N is the number of ranks, K the number of chunks of a block, r the rank.\n\n");
	say(call, "example   %s\n", texts[3]);
	for (size_t i = 0; i < 3; i++)
		say(call, "%-9s %s\n", fields[i], texts[i]);
	say(call, "root      %s\n", facts->rooted ? "yes, --root r" : "none");
	say(call, "in place  %s\n", facts->has_in_place ? "yes, --in-place" : "no");
	cJSON *list = cJSON_AddArrayToObject(call->answer, "algorithms");
	say(call, "made by  ");
	for (uint32_t i = 0; i < count; i++)
		if (algorithms[i]->operators >> op & 1) {
			cJSON_AddItemToArray(list, cJSON_CreateString(algorithms[i]->name));
			say(call, " %s", algorithms[i]->name);
		}
	say(call, "\n");
	return ORDO_OK;
}

const char *task_kind_meaning(enum ordo_task_kind kind)
{
	return help_text("tasks", ordo_task_kind_name(kind), "meaning");
}

int explain_kind(struct call *call, enum ordo_task_kind kind)
{
	const char *name = ordo_task_kind_name(kind);
	bool moves = kind <= ORDO_SEND_REDUCE, crosses = kind >= ORDO_SEND;
	const char *example = help_text("tasks", name, "example");
	const char *fields = moves ? "chunk, count, src, dst" : "signal";
	explain_head(call, "task", name, "meaning", task_kind_meaning(kind));
	explain_field(call, "why", "why", help_text("tasks", name, "why"));
	add_text(call->answer, "example", example);
	say(call, "example   %s\n", example);
	say(call, "fields    %s%s\n", crosses ? "peer, " : "", fields);
	if (moves)
		say(call, "          chunk: id of the first chunk moved; count: their number, 1 if "
			  "left out;\n"
			  "          src, dst: [buffer, first slot]\n");
	say(call, "A stream runs its tasks in order, each complete before the next begins.\n");
	return ORDO_OK;
}

const struct ordo_topology_facts *find_topology(const char *name)
{
	uint32_t count;
	const struct ordo_topology_facts *topologies = ordo_topologies(&count);
	for (uint32_t i = 0; i < count; i++)
		if (!strcasecmp(name, topologies[i].name))
			return &topologies[i];
	return NULL;
}

/* An instance with eight ranks, and its counts. */
static bool say_sample(struct call *call, const char *sample, cJSON *one)
{
	enum { RANKS = 8 };
	struct ordo_error error;
	struct ordo_topology *topology = ordo_topology_make(sample, RANKS, &error);
	if (!topology)
		return refuse_error(call, &error);
	const double gbs = topology->nlink ? topology->links[0].bandwidth_gbs : 0;
	add_text(one, "sample", sample);
	add_count(one, "links", topology->nlink);
	add_count(one, "switches", topology->nswitch);
	say(call,
		"example   %s of %d ranks: %u links (each direction counts), %u switch%s, the "
		"first of %.4g GB/s\n",
		sample, RANKS, topology->nlink, topology->nswitch,
		topology->nswitch == 1 ? "" : "es", gbs);
	say(call, "          ordo draw --topology %s --ranks %d -o %s.svg\n", sample, RANKS,
		find_topology(sample) ? sample : "topology");
	ordo_topology_destroy(topology);
	return true;
}

int explain_topology(struct call *call, const struct ordo_topology_facts *facts)
{
	cJSON *one = cJSON_AddObjectToObject(call->answer, "topology");
	add_text(one, "name", facts->name);
	add_text(one, "summary", facts->summary);
	add_text(one, "ranks", facts->ranks);
	say(call, "%s%s%s, a topology: %s\n\n", paint(stdout, BOLD), facts->name,
		paint(stdout, PLAIN), facts->summary);
	add_text(one, "how", facts->how);
	add_text(one, "where", facts->where);
	say_field(call, "links", facts->how);
	say_field(call, "where", facts->where);
	say(call, "ranks     %s\n", facts->ranks);
	if (!say_sample(call, facts->sample, one))
		return call->status;
	say(call, "Any link can be down: --fail-link A-B. Any other topology can be a document "
		  "ordo/topology/1.\n");
	return ORDO_OK;
}

int explain_term(struct call *call, const char *name)
{
	explain_head(call, "term", name, "title", help_text("terms", name, "title"));
	explain_field(call, "text", "meaning", help_text("terms", name, "text"));
	explain_field(call, "example", "example", help_text("terms", name, "example"));
	return ORDO_OK;
}
