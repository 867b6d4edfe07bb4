/* with_setting.h - an algorithm with one more setting. */
#ifndef ORDO_TOOLS_BASE_WITH_SETTING_H
#define ORDO_TOOLS_BASE_WITH_SETTING_H

#include <ordo/arena.h>

/* "ring(rings=2)" and "ring" with "via=spread": "ring(rings=2,via=spread)" and "ring(via=spread)".
 * In the arena; NULL: no memory. */
const char *with_setting(struct ordo_arena *arena, const char *algorithm, const char *setting);

#endif
