/* print.h - an arrangement as the text of a file. */
#ifndef ORDO_TOOLS_EXPORT_MSCCL_PRINT_H
#define ORDO_TOOLS_EXPORT_MSCCL_PRINT_H

#include "arrange.h"
#include "write.h"

/* The file, for calls of at most so many bytes; UINT64_MAX: no limit. The caller frees it with
 * free. NULL: no memory. */
char *msccl_print(const struct msccl_arrangement *arrangement, const struct msccl_export *options,
	uint64_t most_bytes);

#endif
