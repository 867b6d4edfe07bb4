/* uses.c - calls that are alike become one use of a size. */
#include "uses.h"
#include <ordo/arena.h>
#include <ordo/detail/fail.h>
#include <ordo/detail/operators.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_CHOICES = 256 };

static bool is_of(const struct nccl_call *call, const struct nccl_wish *wish)
{
	return call->collective ? !strcasecmp(call->collective, ordo_operator_facts(wish->op)->name)
				: wish->names_op;
}

/* The algorithms that are modelled. */
static bool find_algorithm(const char *name, enum nccl_algorithm *algorithm)
{
	*algorithm = strcasecmp(name, "ring") != 0 ? NCCL_TREE : NCCL_RING;
	return *algorithm == NCCL_RING || !strcasecmp(name, "tree");
}

/* ORDO_NONE: there are too many. */
static uint32_t find_choice(struct nccl_uses *uses, const struct nccl_choice *choice)
{
	uint32_t i = 0;
	for (; i < uses->nchoice; i++) {
		const struct nccl_choice *known = &uses->choices[i];
		if (known->algorithm == choice->algorithm && known->first == choice->first &&
			known->last == choice->last && !strcmp(known->protocol, choice->protocol))
			return i;
	}
	if (i == MOST_CHOICES)
		return ORDO_NONE;
	uses->choices[uses->nchoice++] = *choice;
	return i;
}

static bool take_call(struct nccl_uses *uses, const struct nccl_call *call,
	const struct nccl_wish *wish, struct ordo_error *error)
{
	struct nccl_use use = {.place = call->place,
		.bytes = call->bytes,
		.choice = ORDO_NONE,
		.algorithm = call->algorithm};
	struct nccl_choice choice = {
		.protocol = call->protocol, .first = call->first, .last = call->last};
	if (find_algorithm(call->algorithm, &choice.algorithm)) {
		if (choice.first == ORDO_NONE) {
			choice.first = wish->first;
			choice.last = wish->last;
		}
		if (choice.first == ORDO_NONE) {
			nccl_fail(call->place, error,
				"the line names no channels, as before version 2.24");
			return ordo_hint(error, "--channels A-B says which the calls use");
		}
		use.choice = find_choice(uses, &choice);
		if (use.choice == ORDO_NONE) {
			nccl_fail(call->place, error,
				"more than %d different algorithms, protocols and channels",
				MOST_CHOICES);
			if (error)
				error->code = ORDO_UNDECIDED;
			return false;
		}
	}
	uses->items[uses->count++] = use;
	return true;
}

static int by_size(const void *a, const void *b)
{
	const struct nccl_use *x = a, *y = b;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? -1 : 1;
	if (x->choice != y->choice)
		return x->choice < y->choice ? -1 : 1;
	return strcmp(x->algorithm, y->algorithm);
}

static bool fail_none(
	const struct nccl_log *log, const struct nccl_wish *wish, struct ordo_error *error)
{
	if (!log->ncall) {
		ordo_fail(error, ORDO_BAD_INPUT, 0,
			"no line \"Bytes -> Algo\": what calls use is unknown");
		return ordo_hint(error,
			"NCCL_DEBUG_SUBSYS=INIT,GRAPH,TUNING writes them from 2.24 on; or say it: "
			"--algo ring|tree --channels A-B");
	}
	const struct nccl_call *call = &log->calls[0];
	if (!call->collective) {
		nccl_fail(call->place, error,
			"the line does not name its collective, as before version 2.23");
		return ordo_hint(error, "--operator AllReduce says that all calls are of it");
	}
	nccl_fail(call->place, error, "no call of %s; found one of %.40s",
		ordo_operator_facts(wish->op)->name, call->collective);
	return ordo_hint(error, "--operator OP chooses another collective");
}

/* What the user says of all sizes. */
static bool take_wish(
	struct nccl_uses *uses, const struct nccl_wish *wish, struct ordo_error *error)
{
	struct nccl_choice choice = {
		.protocol = "any protocol", .first = wish->first, .last = wish->last};
	struct nccl_use use = {.algorithm = wish->algorithm};
	if (!find_algorithm(wish->algorithm, &choice.algorithm))
		return ordo_fail(error, ORDO_USAGE, 0, "--algo: found %s, wanted ring or tree",
			wish->algorithm);
	if (choice.first == ORDO_NONE)
		return ordo_fail(error, ORDO_USAGE, 0, "--algo wants --channels A-B, such as 0-7");
	use.choice = find_choice(uses, &choice);
	uses->items[uses->count++] = use;
	return true;
}

bool nccl_list_uses(const struct nccl_log *log, const struct nccl_wish *wish,
	struct nccl_uses *uses, struct ordo_error *error)
{
	uint32_t kept = 0;
	bool worked = true;
	*uses = (struct nccl_uses){.items = calloc((size_t)log->ncall + 1, sizeof *uses->items),
		.choices = calloc(MOST_CHOICES, sizeof *uses->choices)};
	if (!uses->items || !uses->choices)
		return ordo_fail_memory(error);
	if (wish->algorithm && log->ncall)
		return ordo_fail(error, ORDO_USAGE, 0,
			"--algo goes with logs that do not say what calls use, and this one does");
	if (wish->algorithm)
		return take_wish(uses, wish, error);
	for (uint32_t i = 0; worked && i < log->ncall; i++)
		if (is_of(&log->calls[i], wish))
			worked = take_call(uses, &log->calls[i], wish, error);
	if (!worked)
		return false;
	if (!uses->count)
		return fail_none(log, wish, error);
	qsort(uses->items, uses->count, sizeof *uses->items, by_size);
	for (uint32_t i = 0; i < uses->count; i++)
		if (!i || by_size(&uses->items[i - 1], &uses->items[i]) != 0)
			uses->items[kept++] = uses->items[i];
	uses->count = kept;
	return true;
}

void nccl_uses_free(struct nccl_uses *uses)
{
	free(uses->items);
	free(uses->choices);
	*uses = (struct nccl_uses){0};
}
