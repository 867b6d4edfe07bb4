/* replay.c - frees replays that a reader or the verifier created. */
#include <ordo/arena.h>
#include <ordo/detail/replay.h>
#include <stdlib.h>

void ordo_replay_destroy(struct ordo_replay *replay)
{
	if (!replay)
		return;
	free(replay->interleavings[0].runs);
	free(replay->interleavings[1].runs);
	ordo_arena_free(&replay->arena);
	free(replay);
}
