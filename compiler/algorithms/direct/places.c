/* places.c - sums and copies between work places, as few moves as the places allow. */
#include "places.h"

/* Where a rank has chunks, or gets them: as `of` says; or, if that is NULL, from `at` on, where
 * chunk `first` lies. */
struct side {
	struct ordo_at (*of)(struct ordo_builder *b, uint32_t rank, uint32_t chunk);
	struct ordo_at at;
	uint32_t first;
};

struct route {
	struct ordo_builder *b;
	struct side to, from;
	void (*move)(
		struct ordo_builder *b, struct ordo_at dst, struct ordo_at src, uint32_t count);
};

static struct side side_of(
	uint32_t rank, struct ordo_at (*of)(struct ordo_builder *b, uint32_t rank, uint32_t chunk))
{
	return (struct side){.of = of, .at = {.rank = rank}};
}

static struct ordo_at place_of(struct ordo_builder *b, const struct side *side, uint32_t chunk)
{
	const struct ordo_at at = side->at;
	return side->of ? side->of(b, at.rank, chunk)
			: ordo_at(at.rank, at.buffer, at.slot + chunk - side->first);
}

struct ordo_at ordo_sum_of(struct ordo_builder *b, uint32_t rank, uint32_t chunk)
{
	const struct ordo_at work = ordo_work(b, rank, chunk);
	return ordo_written(b, work) ? work : ordo_input_of(b, rank, chunk);
}

static bool follows(struct ordo_at at, struct ordo_at before)
{
	return at.buffer == before.buffer && at.slot == before.slot + 1;
}

/* As many as one move takes, of the chunks at the front or at the back: as long as the next lies
 * behind (backwards: before) this one at both ends. */
static struct ordo_slice cut_piece(
	const struct route *route, struct ordo_slice chunks, bool backwards)
{
	const uint32_t end = chunks.first + chunks.count;
	uint32_t count = 0;
	struct ordo_at to = {0}, from = {0};
	for (; count < chunks.count; count++) {
		const uint32_t chunk = backwards ? end - 1 - count : chunks.first + count;
		const struct ordo_at next_to = place_of(route->b, &route->to, chunk),
				     next_from = place_of(route->b, &route->from, chunk);
		if (count && !(backwards ? follows(to, next_to) && follows(from, next_from)
					 : follows(next_to, to) && follows(next_from, from)))
			break;
		to = next_to;
		from = next_from;
	}
	return (struct ordo_slice){backwards ? end - count : chunks.first, count};
}

static void move_all(const struct route *route, struct ordo_slice chunks, bool backwards)
{
	while (chunks.count && !ordo_builder_failed(route->b)) {
		const struct ordo_slice piece = cut_piece(route, chunks, backwards);
		route->move(route->b, place_of(route->b, &route->to, piece.first),
			place_of(route->b, &route->from, piece.first), piece.count);
		chunks.first += backwards ? 0 : piece.count;
		chunks.count -= piece.count;
	}
}

/* Copies chunks that are still in the input; chunks already begun are in place. */
void ordo_make_ready(
	struct ordo_builder *b, uint32_t rank, struct ordo_slice chunks, bool backwards)
{
	const struct route route = {
		b, side_of(rank, ordo_work), side_of(rank, ordo_sum_of), ordo_copy};
	move_all(&route, chunks, backwards);
}

void ordo_add_on(struct ordo_builder *b, uint32_t to, uint32_t from, struct ordo_slice chunks,
	bool backwards)
{
	const struct route route = {
		b, side_of(to, ordo_work), side_of(from, ordo_sum_of), ordo_builder_reduce};
	move_all(&route, chunks, backwards);
}

void ordo_pass_on(struct ordo_builder *b, uint32_t to, uint32_t from, struct ordo_slice chunks,
	bool summed, bool backwards)
{
	const struct route route = {b, side_of(to, ordo_work),
		side_of(from, summed ? ordo_work : ordo_held), ordo_copy};
	move_all(&route, chunks, backwards);
}

void ordo_send_sum_off(struct ordo_builder *b, struct ordo_at aside, uint32_t from,
	struct ordo_slice chunks, bool backwards)
{
	const struct route route = {
		b, {NULL, aside, chunks.first}, side_of(from, ordo_sum_of), ordo_copy};
	move_all(&route, chunks, backwards);
}

void ordo_send_off(struct ordo_builder *b, struct ordo_at aside, uint32_t from,
	struct ordo_slice chunks, bool summed, bool backwards)
{
	const struct route route = {b, {NULL, aside, chunks.first},
		side_of(from, summed ? ordo_work : ordo_held), ordo_copy};
	move_all(&route, chunks, backwards);
}

void ordo_deliver(struct ordo_builder *b, uint32_t to, struct ordo_at aside,
	struct ordo_slice chunks, bool sums, bool backwards)
{
	const struct route route = {b, side_of(to, ordo_work), {NULL, aside, chunks.first},
		sums ? ordo_builder_reduce : ordo_copy};
	move_all(&route, chunks, backwards);
}

void ordo_keep_own(struct ordo_builder *b, const struct ordo_problem *problem)
{
	const uint32_t K = problem->chunks_per_block;
	if (ordo_operator_facts(problem->op)->reduces && problem->nrank > 1)
		return;
	ordo_stream(b, "copy", ORDO_NONE);
	ordo_phase(b, "copy in", ORDO_NONE);
	for (uint32_t rank = 0; rank < problem->nrank; rank++) {
		const uint32_t chunk = ordo_nblock(problem) == 1 ? 0 : rank * K;
		if (ordo_has_input(b, rank, chunk) && ordo_has_output(b, rank, chunk))
			ordo_contribute(b, rank, chunk, K);
	}
}
