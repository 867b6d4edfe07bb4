/* compatibility.c - G4 and G5, which compare two schedules. */
#include "compatibility.h"
#include "cli/inputs.h"
#include "proof.h"
#include <ordo/detail/accumulate.h>
#include <ordo/detail/compare.h>

enum { MOST_LEAVES = 32 };

/* Two schedules and their orders, in one forest. */
struct match {
	const struct ordo_schedule *here;
	struct ordo_schedule *there;
	struct ordo_proof *proof; /* of the other */
	struct ordo_forest *forest;
	struct ordo_order *orders[2];
	struct ordo_comparison comparison;
};

static bool open_match(struct call *call, const char *file, const struct ordo_proof *proof,
	const struct arithmetic *arithmetic, struct match *match)
{
	struct ordo_error error;
	const struct ordo_verify_options options = {0};
	match->there = open_schedule(call, file);
	if (!match->there || !can_judge(call, arithmetic, &match->there->problem))
		return false;
	match->proof = prove(call, match->there, &options);
	if (!match->proof)
		return false;
	match->forest = ordo_forest_create(&error);
	if (match->forest)
		match->orders[0] = ordo_order_create(match->forest, match->here, proof, &error);
	if (match->orders[0])
		match->orders[1] =
			ordo_order_create(match->forest, match->there, match->proof, &error);
	return (match->orders[1] && ordo_compare(match->orders[0], match->orders[1],
					    &match->comparison, &error)) ||
	       refuse_error(call, &error);
}

static void close_match(struct match *match)
{
	ordo_comparison_free(&match->comparison);
	ordo_order_destroy(match->orders[0]);
	ordo_order_destroy(match->orders[1]);
	ordo_forest_destroy(match->forest);
	ordo_proof_destroy(match->proof);
	ordo_schedule_destroy(match->there);
}

/* The first element that differs, here and there, and on what. */
static bool contradict(const struct match *match, const struct arithmetic *arithmetic,
	struct ordo_arena *arena, struct ordo_judgement *judgement, struct ordo_error *error)
{
	const struct ordo_vector_part *part = &match->comparison.parts[match->comparison.first];
	const struct ordo_schedule *const sides[2] = {match->here, match->there};
	struct ordo_element elements[2];
	for (int i = 0; i < 2; i++) {
		uint32_t end;
		elements[i] = (struct ordo_element){.chunk = part->chunk[i]};
		ordo_chunk_holders(&sides[i]->problem, part->chunk[i], &elements[i].rank, &end);
		judgement->tree[i] =
			ordo_forest_print(match->forest, arena, part->tree[i], MOST_LEAVES);
		if (!judgement->tree[i])
			return ordo_fail_memory(error);
	}
	judgement->contradicted = ordo_contradict(match->forest, arithmetic->type,
		ordo_accumulator(&match->here->problem, arithmetic->type), arithmetic->reduction,
		elements, part->tree, &judgement->contradiction, error);
	for (int i = 0; judgement->contradicted && i < 2; i++) {
		judgement->node[i] = ordo_forest_print(match->forest, arena,
			judgement->contradiction.witness.node[i], MOST_LEAVES);
		if (!judgement->node[i])
			return ordo_fail_memory(error);
	}
	/* That it differs is so, even if no input was found. */
	return judgement->contradicted || error->code == ORDO_UNDECIDED;
}

static bool judge_match(
	const struct match *match, struct judgements *judgements, struct ordo_error *error)
{
	const struct arithmetic *arithmetic = &judgements->arithmetic;
	const bool same = !match->comparison.ndiffering ||
			  ordo_is_associative(arithmetic->type, arithmetic->reduction);
	for (int i = ORDO_G4; i <= ORDO_G5; i++) {
		const struct ordo_pair_judgement pair = ordo_judge_pair((enum ordo_guarantee)i,
			match->here, match->there, same, &judgements->arena);
		struct ordo_judgement *judgement = &judgements->of[i];
		if (!pair.why)
			return ordo_fail_memory(error);
		*judgement = (struct ordo_judgement){.verdict = pair.verdict, .why = pair.why};
		if (pair.verdict == ORDO_DOES_NOT_HOLD &&
			!contradict(match, arithmetic, &judgements->arena, judgement, error))
			return false;
	}
	return true;
}

bool judge_against(struct call *call, const char *file, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, struct judgements *judgements)
{
	struct ordo_error error;
	struct match match = {.here = schedule};
	const bool worked = open_match(call, file, proof, &judgements->arithmetic, &match) &&
			    (judge_match(&match, judgements, &error) || refuse_error(call, &error));
	close_match(&match);
	return worked;
}
