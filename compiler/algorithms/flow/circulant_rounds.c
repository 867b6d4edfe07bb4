/* circulant_rounds.c - which chunk each rank receives in each round of a Broadcast round a
 * circulant graph, and the moves that follow.
 *
 * source  Traeff, arXiv:2312.11236 (round-optimal n-block broadcast schedules)
 */
#include "circulant_rounds.h"
#include "algorithms/direct/places.h"
#include <ordo/arena.h>
#include <stdlib.h>

enum { MOST_SKIPS = 32 };

struct rounds {
	uint32_t n, q;
	uint32_t skip[MOST_SKIPS + 1];
	/* [n][q] the chunk that a rank receives in round k: -q..q-1, less than 0 in later phases
	 * only */
	int8_t *receives;
};

/* The search for the receive schedule of one rank. The skips that are not used yet are a list, from
 * the largest on. */
struct search {
	const struct rounds *rounds;
	uint32_t next[MOST_SKIPS + 2], previous[MOST_SKIPS + 2];
	uint32_t rank;	 /* plus n, so that all sums of skips below it count from the root */
	uint32_t last;	 /* the sum found last */
	uint32_t nfound; /* rounds that have their skip */
	uint32_t found[MOST_SKIPS];
};

enum { END = MOST_SKIPS + 1 };

static void unlink_skip(struct search *search, uint32_t skip)
{
	const uint32_t next = search->next[skip], previous = search->previous[skip];
	if (previous != END)
		search->next[previous] = next;
	if (next != END)
		search->previous[next] = previous;
}

static bool is_close_enough(const struct search *search, uint32_t sum)
{
	return sum <= search->rank - search->rounds->skip[search->nfound] && sum < search->last;
}

static bool is_too_close(const struct search *search, uint32_t sum)
{
	return sum > search->rank - search->rounds->skip[search->nfound + 1];
}

/* From `sum`, a sum of skips, adds skips no larger than `skip`: the smallest skip of the sum that
 * is nearest below rank - s(k) is the one whose chunk comes in round k. */
static void find_skips(struct search *search, uint32_t sum, uint32_t skip)
{
	const struct rounds *rounds = search->rounds;
	for (; skip != END && search->nfound < rounds->q; skip = search->next[skip]) {
		const uint32_t further = sum + rounds->skip[skip];
		if (!is_close_enough(search, further))
			continue;
		if (!is_too_close(search, further)) {
			find_skips(search, further, skip);
			if (search->nfound == rounds->q)
				return;
		}
		if (is_too_close(search, sum))
			return;
		if (!is_close_enough(search, further))
			continue;
		search->last = further;
		search->found[search->nfound++] = skip;
		unlink_skip(search, skip);
	}
}

/* The smallest skip of a rank's number, written as a sum of skips from the largest on: it receives
 * the chunk of that number first. q for the root. */
static uint32_t base_of(const struct rounds *rounds, uint32_t rank)
{
	uint32_t k = rounds->q;
	for (; k > 0 && rank != rounds->skip[k] && rank; k--)
		rank -= rounds->skip[k] < rank ? rounds->skip[k] : 0;
	return rank ? k : rounds->q;
}

static void find_receives(struct rounds *rounds, uint32_t rank)
{
	const uint32_t q = rounds->q, base = base_of(rounds, rank);
	struct search search = {.rounds = rounds, .rank = rounds->n + rank, .last = 2 * rounds->n};
	for (uint32_t k = 0; k <= q; k++) {
		search.next[k] = k ? k - 1 : END;
		search.previous[k] = k < q ? k + 1 : END;
	}
	unlink_skip(&search, base);
	find_skips(&search, 0, base == q ? q - 1 : q);
	for (uint32_t k = 0; k < q; k++)
		rounds->receives[(size_t)rank * q + k] =
			(int8_t)(search.found[k] == q ? (int)base : (int)search.found[k] - (int)q);
}

bool ordo_circulant_rounds_make(struct ordo_resolved_request *request)
{
	struct rounds *rounds = ordo_arena_alloc(&request->arena, sizeof *rounds);
	if (!rounds)
		return false;
	rounds->n = request->problem.nrank;
	while ((uint64_t)1 << rounds->q < rounds->n)
		rounds->q++;
	rounds->skip[rounds->q] = rounds->n;
	for (uint32_t k = rounds->q; k-- > 0;)
		rounds->skip[k] = rounds->skip[k + 1] / 2 + rounds->skip[k + 1] % 2;
	rounds->receives = ordo_arena_alloc(&request->arena, (size_t)rounds->n * rounds->q + 1);
	if (!rounds->receives)
		return false;
	for (uint32_t rank = 0; rank < rounds->n && rounds->q; rank++)
		find_receives(rounds, rank);
	request->prepared = rounds;
	return true;
}

uint32_t ordo_circulant_rounds_chunks(const struct ordo_resolved_request *request)
{
	const struct rounds *rounds = request->prepared;
	return rounds->q ? rounds->q : 1;
}

/* What is sent in the rounds, for a number of chunks. */
struct traffic {
	const struct rounds *rounds;
	uint32_t nchunk, nround;
	uint32_t lead;	      /* rounds left out at the beginning */
	uint32_t *last_comes; /* [n] the round in which a rank receives the last chunk */
};

/* The chunk that a rank would receive in a round if there were no end of them. */
static int64_t receives_in(const struct traffic *traffic, uint32_t round, uint32_t rank)
{
	const uint32_t q = traffic->rounds->q, i = round + traffic->lead;
	return traffic->rounds->receives[(size_t)rank * q + i % q] + (int64_t)(i / q) * q -
	       traffic->lead;
}

/* false: no memory; the caller frees last_comes all the same. */
static bool begin(struct traffic *traffic, const struct ordo_resolved_request *request)
{
	const struct rounds *rounds = request->prepared;
	*traffic = (struct traffic){.rounds = rounds, .nchunk = request->problem.chunks_per_block};
	traffic->last_comes = calloc(rounds->n, sizeof *traffic->last_comes);
	if (!traffic->last_comes)
		return false;
	if (!rounds->q)
		return true;
	traffic->nround = traffic->nchunk - 1 + rounds->q;
	traffic->lead = (rounds->q - traffic->nround % rounds->q) % rounds->q;
	for (uint32_t rank = 1; rank < rounds->n; rank++)
		while (receives_in(traffic, traffic->last_comes[rank], rank) + 1 < traffic->nchunk)
			traffic->last_comes[rank]++;
	return true;
}

/* One chunk from rank to rank; both count from the root. */
struct message {
	uint32_t from, to, chunk;
};

/* What a rank receives in a round, if anything. Numbers from the last chunk on mean that one, which
 * comes once. */
static bool message_to(
	const struct traffic *traffic, uint32_t round, uint32_t rank, struct message *message)
{
	const struct rounds *rounds = traffic->rounds;
	const int64_t chunk = rank ? receives_in(traffic, round, rank) : -1;
	const bool last = chunk + 1 >= traffic->nchunk;
	if (chunk < 0 || (last && round != traffic->last_comes[rank]))
		return false;
	const uint32_t skip = rounds->skip[(round + traffic->lead) % rounds->q];
	*message = (struct message){(uint32_t)(((uint64_t)rank + rounds->n - skip) % rounds->n),
		rank, last ? traffic->nchunk - 1 : (uint32_t)chunk};
	return true;
}

static void move(
	struct ordo_builder *b, const struct ordo_problem *problem, const struct message *message)
{
	const uint32_t n = problem->nrank, root = problem->root;
	const uint32_t from = (uint32_t)(((uint64_t)root + message->from) % n),
		       to = (uint32_t)(((uint64_t)root + message->to) % n);
	const struct ordo_slice chunk = {message->chunk, 1};
	if (problem->op == ORDO_BROADCAST) {
		ordo_pass_on(b, to, from, chunk, false, false);
		return;
	}
	ordo_stream(b, "copy", ORDO_NONE);
	ordo_make_ready(b, from, chunk, false);
	ordo_stream(b, "send", ORDO_NONE);
	ordo_add_on(b, from, to, chunk, false);
}

void ordo_circulant_rounds_build(
	struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	const bool adds = request->problem.op == ORDO_REDUCE;
	struct traffic traffic;
	struct message message;
	ordo_keep_own(b, &request->problem);
	if (!begin(&traffic, request))
		ordo_builder_fail_memory(b);
	ordo_stream(b, "send", ORDO_NONE);
	for (uint32_t i = 0; i < traffic.nround && !ordo_builder_failed(b); i++) {
		ordo_phase(b, adds ? "reduce" : "broadcast", i);
		for (uint32_t rank = 1; rank < request->problem.nrank; rank++)
			if (message_to(&traffic, adds ? traffic.nround - 1 - i : i, rank, &message))
				move(b, &request->problem, &message);
	}
	free(traffic.last_comes);
}

/* The longest chain of messages of one chunk; it is as long up as down. */
uint64_t ordo_circulant_rounds_steps(const struct ordo_resolved_request *request)
{
	const uint32_t n = request->problem.nrank;
	struct traffic traffic;
	struct message message;
	uint8_t *depth = calloc((size_t)n * request->problem.chunks_per_block, sizeof *depth);
	const bool worked = begin(&traffic, request) && depth;
	uint64_t longest = 0;
	for (uint32_t round = 0; worked && round < traffic.nround; round++)
		for (uint32_t rank = 1; rank < n; rank++) {
			if (!message_to(&traffic, round, rank, &message))
				continue;
			const size_t from = (size_t)message.chunk * n + message.from,
				     to = (size_t)message.chunk * n + message.to;
			depth[to] = depth[from] + 1;
			longest = depth[to] > longest ? depth[to] : longest;
		}
	free(depth);
	free(traffic.last_comes);
	return worked ? longest : ORDO_UNCOUNTED;
}

/* In Reduce every rank sends each chunk once. */
uint64_t ordo_circulant_rounds_volume(const struct ordo_resolved_request *request)
{
	const uint32_t n = request->problem.nrank;
	struct traffic traffic;
	struct message message;
	uint32_t *sent = calloc(n, sizeof *sent);
	const bool worked = begin(&traffic, request) && sent;
	uint64_t most = 0;
	for (uint32_t round = 0; worked && round < traffic.nround; round++)
		for (uint32_t rank = 1; rank < n; rank++)
			if (message_to(&traffic, round, rank, &message)) {
				sent[message.from]++;
				most = sent[message.from] > most ? sent[message.from] : most;
			}
	free(sent);
	free(traffic.last_comes);
	if (request->problem.op == ORDO_REDUCE)
		return n > 1 ? request->problem.chunks_per_block : 0;
	return worked ? most : ORDO_UNCOUNTED;
}
