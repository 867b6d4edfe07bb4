/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* documents.h - documents printed to a stream, and topologies from memory. */
#ifndef ORDO_DOCUMENTS_H
#define ORDO_DOCUMENTS_H

#include <ordo/document.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Prints the file form. false: the stream failed (ORDO_ENVIRONMENT). */
ORDO_API bool ordo_schedule_print(
	const struct ordo_schedule *schedule, FILE *out, struct ordo_error *error);
/* The canonical text form, one task a line, for people and for diff. */
ORDO_API bool ordo_schedule_print_text(
	const struct ordo_schedule *schedule, FILE *out, struct ordo_error *error);

/* As ordo_topology_read, from memory; name is used in messages. */
ORDO_API struct ordo_topology *ordo_topology_read_text(
	const char *text, size_t size, const char *name, struct ordo_error *error);
ORDO_API bool ordo_topology_print(
	const struct ordo_topology *topology, FILE *out, struct ordo_error *error);
ORDO_API bool ordo_topology_write(
	const struct ordo_topology *topology, const char *path, struct ordo_error *error);

#ifdef __cplusplus
}
#endif
#endif
