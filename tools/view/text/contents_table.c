/* contents_table.c - `ordo draw --as table`: the contents of every slot after each step. */
#include "contents_table.h"
#include "cli/inputs.h"
#include "contents_text.h"
#include "view/model/excerpt.h"
#include <stdlib.h>

bool can_be_followed(
	struct call *call, const struct ordo_schedule *schedule, const struct ordo_proof *proof)
{
	struct ordo_error error;
	if (!proof) {
		ordo_fail(&error, ORDO_UNDECIDED, 0,
			"the schedule is too large to compute every slot");
		return refuse_error(call, &error);
	}
	/* Checks all rules of the shape, because other findings may follow the last one of the
	 * proof. */
	const bool all_found = proof->complete || proof->nfinding < MOST_FINDINGS;
	for (uint32_t i = 0; i < proof->nfinding; i++) {
		const int rule = proof->findings[i].rule;
		if (rule > 3 && (all_found || (rule != 4 && rule != 12)))
			continue;
		ordo_finding_error(schedule, &proof->findings[i], &error);
		return refuse_error(call, &error);
	}
	return true;
}

/* [limit] the selected ones of `first`..`first + limit - 1`; NULL: none was selected, or (*failed)
 * the list is invalid. */
static bool *read_mask(struct call *call, const char *option, const struct texts *texts,
	uint32_t limit, bool *failed)
{
	uint32_t count,
		*numbers = texts->count ? read_numbers(call, option, texts, limit, &count) : NULL;
	bool *mask = numbers ? calloc((size_t)limit + 1, sizeof *mask) : NULL;
	for (uint32_t i = 0; mask && i < count; i++)
		mask[numbers[i]] = true;
	free(numbers);
	*failed = texts->count && !mask;
	return mask;
}

static bool print(struct call *call, const struct contents_options *args,
	const struct ordo_schedule *schedule, const struct contents *contents,
	struct contents_form *form, FILE *out)
{
	bool failed[2];
	bool *chunks = read_mask(
		call, "chunks", &args->chunks, ordo_nchunk(&schedule->problem), &failed[0]);
	bool *steps = read_mask(call, "steps", &args->steps, contents->nstep + 1, &failed[1]);
	struct contents_omission omission;
	form->chunks = chunks;
	form->steps = steps;
	const bool worked = !failed[0] && !failed[1];
	const bool printed = worked && print_contents(out, schedule, contents, form, &omission);
	free(chunks);
	free(steps);
	if (!printed) {
		struct ordo_error error;
		return worked ? ordo_fail_memory(&error) || refuse_error(call, &error) : false;
	}
	if ((!args->ranks.count && form->nrank < schedule->problem.nrank) ||
		(!args->chunks.count && omission.slots < omission.all_slots) ||
		(!args->steps.count && omission.steps < omission.all_steps))
		note(call,
			"in the table: %u of %u ranks, %u of %u slots, %u of %u steps; choose "
			"others with --ranks 0-3, --chunks 0-3 and --steps 1-4",
			form->nrank, schedule->problem.nrank, omission.slots, omission.all_slots,
			omission.steps, omission.all_steps);
	return true;
}

bool draw_contents(struct call *call, const struct contents_options *args,
	const struct ordo_schedule *schedule, const struct ordo_proof *proof, bool markdown,
	FILE *out)
{
	struct ordo_error error;
	char remark[96];
	const uint32_t nrank = schedule->problem.nrank;
	struct contents_form form = {.markdown = markdown,
		.trees = args->trees,
		.nrank = nrank < FEW_RANKS ? nrank : FEW_RANKS};
	if (!can_be_followed(call, schedule, proof))
		return false;
	if (!proof->proved) {
		snprintf(remark, sizeof remark, "refuted by R%d: this is one of its executions",
			proof->findings[0].rule);
		form.remark = remark;
	}
	uint32_t *chosen = args->ranks.count
				   ? read_numbers(call, "ranks", &args->ranks, nrank, &form.nrank)
				   : first_numbers(call, nrank);
	if (!chosen)
		return false;
	form.ranks = chosen;
	struct contents *contents = find_contents(schedule, chosen, form.nrank, &error);
	const bool worked = contents ? print(call, args, schedule, contents, &form, out)
				     : refuse_error(call, &error);
	free_contents(contents);
	free(chosen);
	return worked;
}
