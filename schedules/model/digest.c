/* digest.c - a 128-bit digest of everything that a schedule does. */
#include <ordo/detail/replay.h>
#include <stdio.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Numbers are hashed as little-endian words, in batches. */
struct words {
	XXH3_state_t *state;
	unsigned char bytes[4096];
	size_t used;
};

static void flush(struct words *words)
{
	XXH3_128bits_update(words->state, words->bytes, words->used);
	words->used = 0;
}

static void put(struct words *words, uint32_t number)
{
	if (words->used + 4 > sizeof words->bytes)
		flush(words);
	for (int i = 0; i < 4; i++)
		words->bytes[words->used++] = (unsigned char)(number >> 8 * i);
}

static void put_schedule(struct words *words, const struct ordo_schedule *schedule)
{
	const struct ordo_problem *problem = &schedule->problem;
	/* As many bits as there are digests of before: f32 was the only form. */
	static const uint32_t form[ORDO_NACCUMULATION] = {
		0, UINT32_C(1) << 31, UINT32_C(1) << 30, UINT32_C(1) << 29, UINT32_C(3) << 29};
	put(words, problem->op | form[problem->accumulate]);
	put(words, problem->nrank);
	put(words, problem->root);
	put(words, problem->chunks_per_block);
	put(words, problem->nshard);
	put(words, problem->in_place);
	put(words, schedule->scratch_slots);
	for (uint32_t s = 0; s < schedule->nstream; s++) {
		const struct ordo_stream *stream = &schedule->streams[s];
		put(words, stream->rank);
		put(words, stream->end - stream->first);
		for (uint32_t t = stream->first; t < stream->end; t++) {
			const struct ordo_task *task = &schedule->tasks[t];
			put(words, task->kind | (uint32_t)task->src_buffer << 3 |
					   (uint32_t)task->dst_buffer << 5);
			put(words, task->peer);
			put(words, task->chunk);
			put(words, task->count);
			put(words, task->src);
			put(words, task->dst);
		}
	}
	flush(words);
}

bool ordo_schedule_digest(
	const struct ordo_schedule *schedule, char digest[33], struct ordo_error *error)
{
	struct words words = {.state = XXH3_createState()};
	if (!words.state)
		return ordo_fail_memory(error);
	XXH3_128bits_reset(words.state);
	put_schedule(&words, schedule);
	XXH128_canonical_t canonical;
	XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(words.state));
	XXH3_freeState(words.state);
	for (size_t i = 0; i < sizeof canonical.digest; i++)
		snprintf(digest + 2 * i, 3, "%02x", canonical.digest[i]);
	return true;
}
