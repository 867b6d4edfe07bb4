/* shared_object.h - algorithms in shared objects. */
#ifndef ORDO_TOOLS_PLUGIN_SHARED_OBJECT_H
#define ORDO_TOOLS_PLUGIN_SHARED_OBJECT_H

#include <stdbool.h>

struct call;

/* Does a text name a shared object, ./mine.so or ./mine.so(map=auto), not an algorithm? */
bool is_shared_object(const char *text);
/* Is it what load_algorithm replaced a path by? */
bool is_added(const char *text);
/* If the text names a shared object: loads it, adds its algorithm to the table, and replaces the
 * path by the name. *text may be NULL. false: call->status. */
bool load_algorithm(struct call *call, const char **text);

#endif
