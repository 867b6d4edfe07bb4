/* judging.c - the verifier's verdict beside the oracles'. */
#include "judging.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void quarrel(struct judgement *judgement, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void quarrel(struct judgement *judgement, const char *format, ...)
{
	if (*judgement->quarrel)
		return;
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(judgement->quarrel, sizeof judgement->quarrel, format, arguments);
	va_end(arguments);
}

/* R12 and R13 are not asked for here, so every finding is of R1..R11. */
static uint32_t rules_found(const struct ordo_proof *proof)
{
	uint32_t rules = 0;
	for (uint32_t i = 0; i < proof->nfinding; i++)
		rules |= 1u << proof->findings[i].rule;
	return rules;
}

static const char *first_text(const struct ordo_proof *proof)
{
	return proof->nfinding ? proof->findings[0].text : "no finding";
}

static void compare_rules(const struct ordo_proof *proof, const struct oracle_opinion *opinion,
	const char *oracle, struct judgement *judgement)
{
	const uint32_t found = rules_found(proof), group = oracle_group(opinion->broken);
	if (proof->proved != !found)
		quarrel(judgement, "proved is %d with %u findings", proof->proved, proof->nfinding);
	if (oracle_group(found) != group)
		quarrel(judgement, "verifier found rules %#x (%s), %s %#x (%s)", found,
			first_text(proof), oracle, opinion->broken, opinion->why);
	if (group == ORACLE_RACE && (found & ORACLE_RACE & ~opinion->broken))
		quarrel(judgement, "verifier found rules %#x (%s), %s only %#x (%s)", found,
			first_text(proof), oracle, opinion->broken, opinion->why);
}

static void compare_orders(const struct ordo_proof *proof, const struct oracle_opinion *opinion,
	const char *oracle, struct judgement *judgement)
{
	if (proof->tokens_in_flight != opinion->tokens_in_flight)
		quarrel(judgement, "verifier has %u tokens in flight, %s %u",
			proof->tokens_in_flight, oracle, opinion->tokens_in_flight);
	if (proof->run_to_run == ORDO_NOT_ASKED)
		return;
	/* Of Custom, sums in no fixed order may be overwritten: they refute G2 all the same. */
	if (proof->contents_unjudged && proof->run_to_run == ORDO_DOES_NOT_HOLD)
		return;
	if ((proof->run_to_run == ORDO_HOLDS) != opinion->one_order)
		quarrel(judgement, "G2: verifier %d, %s %d", proof->run_to_run, oracle,
			opinion->one_order);
	if (!opinion->one_order)
		return;
	if ((proof->rank_equal == ORDO_HOLDS) != opinion->rank_equal)
		quarrel(judgement, "G1: verifier %d, %s %d", proof->rank_equal, oracle,
			opinion->rank_equal);
	if (proof->ndistinct != opinion->ntree ||
		(proof->position_invariant == ORDO_HOLDS) != opinion->positions_equal)
		quarrel(judgement, "G3: verifier %u trees and verdict %d, %s %u trees",
			proof->ndistinct, proof->position_invariant, oracle, opinion->ntree);
}

static void compare(const struct ordo_proof *proof, const struct oracle_opinion *opinion,
	const char *oracle, struct judgement *judgement)
{
	judgement->group = oracle_group(opinion->broken);
	compare_rules(proof, opinion, oracle, judgement);
	if (proof->proved && !opinion->broken)
		compare_orders(proof, opinion, oracle, judgement);
}

void judge_schedule(const struct ordo_schedule *schedule, const struct judging *judging,
	struct judgement *judgement)
{
	*judgement = (struct judgement){0};
	struct oracle_opinion opinion;
	struct ordo_error error;
	/* So many that no rule is left out because a task of many chunks broke another often
	 * enough. */
	const struct ordo_verify_options options = {
		.atomic_reduce = judging->atomic_reduce, .max_findings = 10000, .token_calls = 1};
	struct ordo_proof *proof = ordo_verify(schedule, &options, &error);
	if (!proof) {
		quarrel(judgement, "no proof: %s", error.text);
		return;
	}
	judgement->proved = proof->proved;
	judgement->swept = proof->order_swept;
	oracle_closure(schedule, judging->atomic_reduce, MOST_JUDGED_TASKS, &opinion);
	if (opinion.decided)
		compare(proof, &opinion, "closure", judgement);
	const bool closed = opinion.decided;
	if (judging->max_states) {
		oracle_interleavings(
			schedule, judging->atomic_reduce, judging->max_states, &opinion);
		judgement->walked = opinion.decided;
		if (opinion.decided)
			compare(proof, &opinion, "interleavings", judgement);
	}
	if (!closed && !judgement->walked)
		quarrel(judgement, "too large for both oracles");
	ordo_proof_destroy(proof);
}

void print_handmade(const struct ordo_schedule *schedule, FILE *out)
{
	const struct ordo_problem *p = &schedule->problem;
	fprintf(out, "%s, %u ranks, root %u, %u chunks a block, %u shards, %s, %u scratch slots\n",
		ordo_operator_facts(p->op)->name, p->nrank, p->root, p->chunks_per_block, p->nshard,
		p->in_place ? "in place" : "out of place", schedule->scratch_slots);
	for (uint32_t i = 0; i < schedule->nstream; i++) {
		fprintf(out, "rank %u\n", schedule->streams[i].rank);
		for (uint32_t t = schedule->streams[i].first; t < schedule->streams[i].end; t++) {
			char line[128];
			ordo_task_print(&schedule->tasks[t], line, sizeof line);
			fprintf(out, "%s\n", line);
		}
	}
}
