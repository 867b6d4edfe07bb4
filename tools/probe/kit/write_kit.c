/* write_kit.c - `ordo probe --kit`. */
#include "write_kit.h"
#include "base/output.h"
#include "cli/problem.h"
#include "kit.h"
#include <errno.h>
#include <inttypes.h>
#include <ordo/detail/fail.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Answers name every run of every table; more ranks than this would take days. */
enum { MOST_RANKS = 1024, MOST_PLACES = 4096, MOST_SIZES = 64 };

static bool read_kit_problem(struct call *call, const struct kit_options *options, struct kit *kit)
{
	struct ordo_problem *problem = &kit->problem;
	*problem = (struct ordo_problem){.op = ORDO_ALLREDUCE,
		.nrank = options->ranks,
		.root = options->root,
		.nshard = options->ranks,
		.chunks_per_block = 1};
	if (call->noperand && !read_operator(call, &problem->op))
		return false;
	if (!ordo_operator_facts(problem->op)->reduces)
		return refuse_usage(call, NULL,
			"found %s, wanted AllReduce, Reduce or ReduceScatter",
			ordo_operator_facts(problem->op)->name);
	if (options->ranks < 2 || options->ranks > MOST_RANKS)
		return refuse_usage(call, NULL, "--ranks: found %" PRIu32 ", wanted 2..%d",
			options->ranks, MOST_RANKS);
	if (options->root >= options->ranks || (options->root && problem->op != ORDO_REDUCE))
		return refuse_usage(call, NULL,
			"--root: found %" PRIu32 ", wanted a rank, and the operator Reduce",
			options->root);
	if (options->places > MOST_PLACES)
		return refuse_usage(call, NULL, "--places: found %" PRIu32 ", wanted 1..%d",
			options->places, MOST_PLACES);
	return true;
}

/* By default four sizes; with --size alone, that one. */
static bool list_sizes(struct call *call, const struct kit_options *options, const struct kit *kit,
	uint64_t counts[MOST_SIZES], uint32_t *count)
{
	struct size_range range = options->sizes;
	const bool alone = range.begin != UNSET_SIZE && range.end == UNSET_SIZE;
	range.begin = range.begin == UNSET_SIZE ? 1 << 10 : range.begin;
	range.end = alone ? range.begin : range.end == UNSET_SIZE ? 4 << 20 : range.end;
	range.factor = range.factor == UNSET_SIZE ? 16 : range.factor;
	if (!read_size_range(call, &range))
		return false;
	uint64_t size = range.begin;
	*count = 0;
	do {
		const uint64_t one = count_of_bytes(&kit->problem, kit->type, size);
		if (!one || one > ORDO_LIMIT)
			return refuse_usage(call, NULL,
				"--size: found %" PRIu64 " bytes, wanted a block of 1..%u elements",
				size, ORDO_LIMIT);
		if (*count == MOST_SIZES)
			return refuse_usage(
				call, NULL, "--factor: wanted at most %d sizes", MOST_SIZES);
		counts[(*count)++] = one;
	} while (next_size(&range, &size));
	return true;
}

static bool print_to(struct call *call, const struct kit *kit, const char *folder)
{
	struct ordo_error error;
	struct output output;
	char path[4096];
	if ((size_t)snprintf(path, sizeof path, "%s/probe.py", folder) >= sizeof path)
		return refuse_usage(call, NULL, "--kit: the name is too long");
	if (mkdir(folder, 0777) && errno != EEXIST) {
		ordo_fail(&error, ORDO_ENVIRONMENT, 0, "%s: %s", folder, strerror(errno));
		return refuse_error(call, &error);
	}
	if (!begin_output(&output, path, &error))
		return refuse_error(call, &error);
	const bool printed = print_kit(kit, output.file, &error);
	struct ordo_error other;
	const bool ended = end_output(&output, printed, &other);
	return (printed && ended) || refuse_error(call, printed ? &other : &error);
}

int write_kit(struct call *call, const struct kit_options *options)
{
	uint64_t counts[MOST_SIZES];
	struct kit kit = {.type = options->type,
		.counts = counts,
		.nplace = options->places,
		.nrepetition = options->repetitions};
	if (!read_kit_problem(call, options, &kit) ||
		!list_sizes(call, options, &kit, counts, &kit.ncount) ||
		!print_to(call, &kit, options->folder))
		return call->status;
	const struct report report = report_of(call, stdout);
	const uint64_t runs = (uint64_t)options->ranks * (options->ranks + 1) / 2;
	report_text(&report,
		"%s<folder>/probe.py: %s<operator> on %u<ranks> ranks, sums of %s<type>, ",
		options->folder, ordo_operator_facts(kit.problem.op)->name, options->ranks,
		ordo_type_name(kit.type));
	report_text(&report, "%u<sizes> size%s, %" PRIu64 "<calls> calls in all\n", kit.ncount,
		plural(kit.ncount), runs * kit.ncount * kit.nrepetition);
	report_text(&report,
		"start it with torchrun --nproc-per-node %u %s/probe.py, then `ordo probe "
		"--answers "
		"answers.json`\n",
		options->ranks, options->folder);
	return ORDO_OK;
}
