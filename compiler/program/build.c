/* build.c - the sequential program of a recipe: what its algorithm moves, after ranks have folded
 * their shards. */
#include "build.h"
#include "passes.h"
#include "shards.h"

bool ordo_build(
	const struct ordo_recipe *recipe, struct ordo_sequence *sequence, struct ordo_error *error)
{
	*sequence = (struct ordo_sequence){.problem = ordo_recipe_whole(recipe)};
	struct ordo_builder *b = ordo_builder_create(recipe, sequence, error);
	if (!b)
		return false;
	if (ordo_folds_shards(recipe))
		ordo_fold_ranks(b, &sequence->problem);
	ordo_builder_begin_algorithm(b);
	recipe->algorithm->build(b, recipe);
	return ordo_builder_finish(b, error);
}
