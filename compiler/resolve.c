/* resolve.c - a request that was read gets what its algorithm prepares, and its K. */
#include "algorithm.h"

bool ordo_recipe_make(
	struct ordo_recipe *recipe, const struct ordo_request *request, struct ordo_error *error)
{
	if (!ordo_recipe_read(recipe, request, error) ||
		!ordo_fits_in_memory(recipe, request, error))
		return false;
	const struct ordo_algorithm *algorithm = recipe->algorithm;
	if (algorithm->prepare && !algorithm->prepare(recipe, error))
		return false;
	if (!recipe->problem.chunks_per_block)
		recipe->problem.chunks_per_block =
			algorithm->chunks ? algorithm->chunks(recipe) : 1;
	const struct ordo_problem whole = ordo_recipe_whole(recipe);
	return ordo_check_problem(&whole, error);
}
