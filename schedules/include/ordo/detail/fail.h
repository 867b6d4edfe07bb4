/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* fail.h - errors are filled. */
#ifndef ORDO_FAIL_H
#define ORDO_FAIL_H

#include <ordo/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets the hint of an error already filled. Always returns false. */
ORDO_API bool ordo_hint(struct ordo_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* `ordo_fail` for memory that could not be had. */
ORDO_API bool ordo_fail_memory(struct ordo_error *error);

#ifdef __cplusplus
}
#endif
#endif
