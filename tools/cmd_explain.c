/* cmd_explain.c - `ordo explain`: a rule, a guarantee, an operator, an algorithm, a kind of task, or a schedule, in
 * words. */
#include "explain.h"
#include "inputs.h"
#include "rules.h"
#include <ordo/order.h>
#include <ordo/schedule.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int explain_rule(struct call *call, int number)
{
	const struct rule *rule = &rules[number];
	char name[8];
	snprintf(name, sizeof name, "R%d", number);
	add_text(call->answer, "rule", name);
	add_text(call->answer, "title", rule->title);
	add_text(call->answer, "text", rule->text);
	add_text(call->answer, "why", rule->why);
	add_text(call->answer, "cure", rule->cure);
	say(call, "%s%s, %s%s\n\n", paint(stdout, BOLD), name, rule->title, paint(stdout, PLAIN));
	say(call, "demands   %s\nwhy       %s\nif broken %s\n", rule->text, rule->why, rule->cure);
	return ORDO_OK;
}

static int explain_guarantee(struct call *call, enum ordo_guarantee guarantee)
{
	const char *name = ordo_guarantee_name(guarantee), *title = ordo_guarantee_title(guarantee),
		   *meaning = ordo_guarantee_meaning(guarantee);
	const struct guarantee *words = &guarantees[guarantee];
	add_text(call->answer, "guarantee", name);
	add_text(call->answer, "title", title);
	add_text(call->answer, "meaning", meaning);
	add_text(call->answer, "text", words->text);
	add_text(call->answer, "why", words->why);
	add_text(call->answer, "ask", words->ask);
	say(call, "%s%s, %s%s: %s\n\n", paint(stdout, BOLD), name, title, paint(stdout, PLAIN), meaning);
	say(call, "of trees  %s\nwhy       %s\nask       %s\n", words->text, words->why, words->ask);
	return ORDO_OK;
}

static int explain_rules(struct call *call)
{
	cJSON *list = cJSON_AddArrayToObject(call->answer, "rules");
	for (int i = 1; i <= NRULE; i++) {
		cJSON_AddItemToArray(list, cJSON_CreateString(rules[i].title));
		say(call, "R%-3d %s\n", i, rules[i].title);
	}
	cJSON *more = cJSON_AddArrayToObject(call->answer, "guarantees");
	say(call, "\n");
	for (int i = 0; i < ORDO_NGUARANTEE; i++) {
		const enum ordo_guarantee guarantee = (enum ordo_guarantee)i;
		cJSON_AddItemToArray(more, cJSON_CreateString(ordo_guarantee_title(guarantee)));
		say(call, "%s   %s\n", ordo_guarantee_name(guarantee), ordo_guarantee_title(guarantee));
	}
	say(call, "\n`ordo explain R8` or `ordo explain G3` says more about one.\n");
	return ORDO_OK;
}

struct slots {
	const char *blocks, *input, *output;
};

static const struct slots slots[ORDO_NOPERATOR] = {
	[ORDO_ALLREDUCE] = {"1", "all chunks", "all chunks"},
	[ORDO_REDUCE] = {"1", "all chunks", "all chunks at the root, none elsewhere"},
	[ORDO_BROADCAST] = {"1", "all chunks at the root, none elsewhere", "all chunks"},
	[ORDO_REDUCESCATTER] = {"N", "all chunks", "chunks rK..rK+K-1"},
	[ORDO_ALLGATHER] = {"N", "chunks rK..rK+K-1", "all chunks"},
	[ORDO_SCATTER] = {"N", "all chunks at the root, none elsewhere", "chunks rK..rK+K-1"},
	[ORDO_GATHER] = {"N", "chunks rK..rK+K-1", "all chunks at the root, none elsewhere"},
	[ORDO_ALLTOALL] = {"N*N; block iN+j goes from rank i to rank j", "slot jK+k: chunk (rN+j)K+k",
		"slot iK+k: chunk (iN+r)K+k"},
};

static int explain_operator(struct call *call, enum ordo_operator op)
{
	const struct ordo_operator_facts *facts = ordo_operator_facts(op);
	add_text(call->answer, "operator", facts->name);
	add_text(call->answer, "meaning", facts->meaning);
	add_text(call->answer, "blocks", slots[op].blocks);
	add_text(call->answer, "input", slots[op].input);
	add_text(call->answer, "output", slots[op].output);
	add_truth(call->answer, "reduces", facts->reduces);
	add_truth(call->answer, "rooted", facts->rooted);
	add_truth(call->answer, "in_place", facts->has_in_place);
	say(call, "%s%s%s: %s\n\n", paint(stdout, BOLD), facts->name, paint(stdout, PLAIN), facts->meaning);
	say(call, "N ranks, a block is cut into K chunks, r is the rank.\n\n");
	say(call, "blocks    %s\ninput     %s\noutput    %s\n", slots[op].blocks, slots[op].input,
		slots[op].output);
	say(call, "root      %s\n", facts->rooted ? "yes, --root r" : "none");
	say(call, "in place  %s\n", facts->has_in_place ? "yes, --in-place" : "there is no such form");
	return ORDO_OK;
}

static const char *const kind_meanings[ORDO_NTASK_KIND] = {
	[ORDO_LOCAL_COPY] = "dst = src, both on this rank",
	[ORDO_LOCAL_REDUCE] = "dst = dst op src, both on this rank",
	[ORDO_SEND] = "dst on the peer = src on this rank; complete when it is there",
	[ORDO_SEND_REDUCE] = "dst on the peer = dst op src on this rank; complete when it is there",
	[ORDO_NOTIFY] =
		"adds one token to the counter (this rank -> peer, signal), after all this stream did before",
	[ORDO_WAIT] =
		"takes one token from the counter (peer -> this rank, signal), blocking until there is one",
};

static int explain_kind(struct call *call, enum ordo_task_kind kind)
{
	const char *name = ordo_task_kind_name(kind);
	bool moves = kind <= ORDO_SEND_REDUCE, crosses = kind >= ORDO_SEND;
	const char *fields = moves ? "chunk, count, src, dst" : "signal";
	add_text(call->answer, "task", name);
	add_text(call->answer, "meaning", kind_meanings[kind]);
	say(call, "%s%s%s: %s\n\n", paint(stdout, BOLD), name, paint(stdout, PLAIN), kind_meanings[kind]);
	say(call, "fields    %s%s\n", crosses ? "peer, " : "", fields);
	if (moves)
		say(call, "          chunk: id of the first chunk moved; count: how many, 1 if left out;\n"
			  "          src, dst: [buffer, first slot]\n");
	say(call, "A stream runs its tasks in order, each complete before the next begins.\n");
	return ORDO_OK;
}

static bool kind_from_typed(const char *name, enum ordo_task_kind *kind)
{
	for (int i = 0; i < ORDO_NTASK_KIND; i++)
		if (!strcasecmp(name, ordo_task_kind_name((enum ordo_task_kind)i))) {
			*kind = (enum ordo_task_kind)i;
			return true;
		}
	return false;
}

/* "R8", "r8". */
static int rule_from_typed(const char *name)
{
	uint64_t number;
	if ((name[0] != 'R' && name[0] != 'r') || !read_wide(name + 1, &number) || number < 1 ||
		number > NRULE)
		return 0;
	return (int)number;
}

static bool is_path(const char *word)
{
	return strpbrk(word, "./") || !strcmp(word, "-");
}

static int explain(struct call *call)
{
	uint32_t trees = 8;
	const struct option options[] = {
		{"trees", 0, NUMBER, &trees, "N",
			"print at most N different reduction trees of a schedule (8)"},
	};
	if (!READ_OPTIONS(call, options))
		return call->status;
	if (!call->noperand)
		return explain_rules(call);
	if (call->noperand > 1)
		return fail_usage(call, NULL, "one thing at a time: found %s and %s", call->operands[0],
			call->operands[1]);
	const char *what = call->operands[0];
	enum ordo_operator op;
	enum ordo_task_kind kind;
	enum ordo_guarantee guarantee;
	int rule = rule_from_typed(what);
	if (rule)
		return explain_rule(call, rule);
	if (ordo_guarantee_read(what, &guarantee))
		return explain_guarantee(call, guarantee);
	if (ordo_operator_from_typed(what, &op))
		return explain_operator(call, op);
	if (kind_from_typed(what, &kind))
		return explain_kind(call, kind);
	const struct ordo_algorithm_facts *algorithm = find_algorithm(what);
	if (algorithm)
		return explain_algorithm(call, algorithm);
	if (is_path(what) || is_folder(what))
		return explain_schedule(call, what, trees);
	return fail_usage(call,
		"a rule (R8), a guarantee (G3), an operator (AllReduce), an algorithm (ring), a task (Wait), "
		"or the file or "
		"folder of a schedule",
		"nothing is known of %s", what);
}

const struct command explain_command = {
	.name = "explain",
	.summary =
		"says in words what a rule, a guarantee, an operator, an algorithm, a task or a schedule is",
	.usage = "[RULE|GUARANTEE|OPERATOR|ALGORITHM|TASK|FILE]",
	.description =
		"Without an operand it lists the rules and the guarantees. A schedule is told phase by "
		"phase, with the\n"
		"reduction tree of every chunk and the reason why it is sound.",
	.examples = "  ordo explain R8\n"
		    "  ordo explain G3\n"
		    "  ordo explain reduce-scatter\n"
		    "  ordo explain ring\n"
		    "  ordo explain SendReduce\n"
		    "  ordo explain ring.json",
	.run = explain,
};
