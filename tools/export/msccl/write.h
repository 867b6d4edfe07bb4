/* write.h - a proved schedule as a file of MSCCL. */
#ifndef ORDO_TOOLS_EXPORT_MSCCL_WRITE_H
#define ORDO_TOOLS_EXPORT_MSCCL_WRITE_H

#include "msccl/runtimes.h"
#include "msccl/slots.h"

struct msccl_export {
	enum msccl_runtime runtime; /* that takes the file */
	enum msccl_protocol protocol;
	uint64_t least_bytes, most_bytes; /* for calls of these sizes; most_bytes 0: of any */
};

/* Besides the text. */
struct msccl_exported {
	uint32_t nstep, nfused; /* steps; those that receive and send */
	uint32_t nblock;	/* of all gpus */
	uint32_t nchannel;
	uint64_t most_bytes;		/* as the file has it; UINT64_MAX: no limit */
	struct msccl_capacity capacity; /* of the file */
};

/* The file's text, NUL-terminated, freed by the caller with free. It was imported again: it is
 * proved, has the order of the schedule, and ends with the slots of the protocol.
 *
 *   schedule   was proved
 *   digest     of its order
 *
 * NULL: what the format or the runtime does not have (ORDO_UNDECIDED), or no memory. */
char *msccl_export(const struct ordo_schedule *schedule, const char *digest,
	const struct msccl_export *options, struct msccl_exported *exported,
	struct ordo_error *error);

#endif
