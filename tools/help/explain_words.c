/* explain_words.c - an operator, a kind of task, a topology, a term. */
#include "explain.h"
#include "guides.h"
#include <ordo/schedule.h>
#include <string.h>
#include <strings.h>

struct slots {
	const char *blocks, *input, *output;
	const char *example; /* of three ranks that hold a, b and c */
};

static const struct slots slots[ORDO_NOPERATOR] = {
	[ORDO_ALLREDUCE] = {"1", "all chunks", "all chunks", "a, b, c -> a+b+c on every rank"},
	[ORDO_REDUCE] = {"1", "all chunks", "all chunks at the root, none elsewhere",
		"a, b, c -> a+b+c on the root"},
	[ORDO_BROADCAST] = {"1", "all chunks at the root, none elsewhere", "all chunks",
		"a on the root -> a on every rank"},
	[ORDO_REDUCESCATTER] = {"N", "all chunks", "chunks rK..rK+K-1",
		"a0 a1 a2, b0 b1 b2, c0 c1 c2 -> a0+b0+c0 on rank 0, a1+b1+c1 on 1, a2+b2+c2 on 2"},
	[ORDO_ALLGATHER] = {"N", "chunks rK..rK+K-1", "all chunks",
		"a, b, c -> a b c on every rank"},
	[ORDO_SCATTER] = {"N", "all chunks at the root, none elsewhere", "chunks rK..rK+K-1",
		"a0 a1 a2 on the root -> a0 on rank 0, a1 on 1, a2 on 2"},
	[ORDO_GATHER] = {"N", "chunks rK..rK+K-1", "all chunks at the root, none elsewhere",
		"a, b, c -> a b c on the root"},
	[ORDO_ALLTOALL] = {"N*N; block iN+j goes from rank i to rank j",
		"slot jK+k: chunk (rN+j)K+k", "slot iK+k: chunk (iN+r)K+k",
		"a0 a1 a2, b0 b1 b2, c0 c1 c2 -> a0 b0 c0 on rank 0, a1 b1 c1 on 1, a2 b2 c2 on 2"},
};

int explain_operator(struct call *call, enum ordo_operator op)
{
	const struct ordo_operator_facts *facts = ordo_operator_facts(op);
	uint32_t count;
	const struct ordo_algorithm_facts *const *algorithms = ordo_algorithms(&count);
	add_text(call->answer, "operator", facts->name);
	add_text(call->answer, "meaning", facts->meaning);
	add_text(call->answer, "blocks", slots[op].blocks);
	add_text(call->answer, "input", slots[op].input);
	add_text(call->answer, "output", slots[op].output);
	add_text(call->answer, "example", slots[op].example);
	add_truth(call->answer, "reduces", facts->reduces);
	add_truth(call->answer, "rooted", facts->rooted);
	add_truth(call->answer, "in_place", facts->has_in_place);
	say(call, "%s%s%s: %s\n\n", paint(stdout, BOLD), facts->name, paint(stdout, PLAIN),
		facts->meaning);
	say(call, "N ranks, a block is cut into K chunks, r is the rank.\n\n");
	say(call, "example   %s\n", slots[op].example);
	say(call, "blocks    %s\ninput     %s\noutput    %s\n", slots[op].blocks, slots[op].input,
		slots[op].output);
	say(call, "root      %s\n", facts->rooted ? "yes, --root r" : "none");
	say(call, "in place  %s\n",
		facts->has_in_place ? "yes, --in-place" : "there is no such form");
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

static const struct {
	const char *meaning, *why, *example;
} kinds[ORDO_NTASK_KIND] = {
	[ORDO_LOCAL_COPY] = {"dst = src, both on this rank",
		"what is there must lie elsewhere, or is this rank's own part of the result",
		"{\"task\": \"LocalCopy\", \"chunk\": 0, \"src\": [\"input\", 0], \"dst\": "
		"[\"output\", 0]}"},
	[ORDO_LOCAL_REDUCE] = {"dst = dst op src, both on this rank",
		"what came from others is added, the left operand being what was there",
		"{\"task\": \"LocalReduce\", \"chunk\": 0, \"src\": [\"scratch\", 0], \"dst\": "
		"[\"output\", 0]}"},
	[ORDO_SEND] = {"dst on the peer = src on this rank; complete when it is there",
		"one-sided: the peer does nothing, so signals have to tell when its slot is free "
		"and when the data is there",
		"{\"task\": \"Send\", \"peer\": 1, \"chunk\": 0, \"src\": [\"input\", 0], \"dst\": "
		"[\"output\", 0]}"},
	[ORDO_SEND_REDUCE] =
		{"dst on the peer = dst op src on this rank; complete when it is there",
			"adds on the way, without a slot to put it in first; the left operand is "
			"what the peer has",
			"{\"task\": \"SendReduce\", \"peer\": 1, \"chunk\": 0, \"src\": "
			"[\"input\", 0], \"dst\": [\"output\", 0]}"},
	[ORDO_NOTIFY] = {"adds one token to the counter (this rank -> peer, signal), after all "
			 "this stream did before",
		"tells another stream \"my memory is ready\" or \"your data is there\"",
		"{\"task\": \"Notify\", \"peer\": 1, \"signal\": 0}"},
	[ORDO_WAIT] = {"takes one token from the counter (peer -> this rank, signal), blocking "
		       "until there is one",
		"what comes after it may rely on all that came before the Notify",
		"{\"task\": \"Wait\", \"peer\": 0, \"signal\": 0}"},
};

const char *task_kind_meaning(enum ordo_task_kind kind)
{
	return kinds[kind].meaning;
}

int explain_kind(struct call *call, enum ordo_task_kind kind)
{
	const char *name = ordo_task_kind_name(kind);
	bool moves = kind <= ORDO_SEND_REDUCE, crosses = kind >= ORDO_SEND;
	const char *fields = moves ? "chunk, count, src, dst" : "signal";
	add_text(call->answer, "task", name);
	add_text(call->answer, "meaning", kinds[kind].meaning);
	add_text(call->answer, "why", kinds[kind].why);
	add_text(call->answer, "example", kinds[kind].example);
	say(call, "%s%s%s: %s\n\n", paint(stdout, BOLD), name, paint(stdout, PLAIN),
		kinds[kind].meaning);
	say_field(call, "why", kinds[kind].why);
	say(call, "example   %s\n", kinds[kind].example);
	say(call, "fields    %s%s\n", crosses ? "peer, " : "", fields);
	if (moves)
		say(call, "          chunk: id of the first chunk moved; count: how many, 1 if "
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

/* One of it with eight ranks, counted. */
static bool say_sample(struct call *call, const char *sample, cJSON *one)
{
	enum { RANKS = 8 };
	struct ordo_error error;
	struct ordo_topology *topology = ordo_topology_make(sample, RANKS, &error);
	if (!topology) {
		call->status = fail(call, &error);
		return false;
	}
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
	const struct guide *guide = find_topology_guide(facts->name);
	cJSON *one = cJSON_AddObjectToObject(call->answer, "topology");
	add_text(one, "name", facts->name);
	add_text(one, "summary", facts->summary);
	add_text(one, "ranks", facts->ranks);
	say(call, "%s%s%s, a topology: %s\n\n", paint(stdout, BOLD), facts->name,
		paint(stdout, PLAIN), facts->summary);
	if (guide) {
		add_text(one, "how", guide->how);
		add_text(one, "where", guide->when);
		say_field(call, "links", guide->how);
		say_field(call, "where", guide->when);
	}
	say(call, "ranks     %s\n", facts->ranks);
	if (guide && !say_sample(call, guide->sample, one))
		return call->status;
	say(call, "Any link can be down: --fail-link A-B. Any other topology can be a document "
		  "ordo/topology/1.\n");
	return ORDO_OK;
}

int explain_term(struct call *call, const struct term *term)
{
	add_text(call->answer, "term", term->name);
	add_text(call->answer, "title", term->title);
	add_text(call->answer, "text", term->text);
	add_text(call->answer, "example", term->example);
	say(call, "%s%s%s: %s\n\n", paint(stdout, BOLD), term->name, paint(stdout, PLAIN),
		term->title);
	say_field(call, "meaning", term->text);
	say_field(call, "example", term->example);
	return ORDO_OK;
}
