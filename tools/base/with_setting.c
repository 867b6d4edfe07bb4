/* with_setting.c - an algorithm with one more setting. */
#include "with_setting.h"
#include <string.h>

const char *with_setting(struct ordo_arena *arena, const char *algorithm, const char *setting)
{
	const size_t length = strlen(algorithm);
	return length && algorithm[length - 1] == ')'
		       ? ordo_arena_format(arena, "%.*s,%s)", (int)length - 1, algorithm, setting)
		       : ordo_arena_format(arena, "%s(%s)", algorithm, setting);
}
