/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* certificate.h - a proof written down, so that a much simpler program can check it again: the
 * document `ordo/certificate/1`.
 *
 * It holds one legal order of all tasks, and for every two accesses of a slot that must be ordered
 * and are not in one stream a path of happens-before, hop by hop. The program `ordo-check` reads
 * the schedule and the certificate, shares no code with this library, and believes neither. What is
 * in it is written in schedules/FORMAT.md.
 */
#ifndef ORDO_CERTIFICATE_H
#define ORDO_CERTIFICATE_H

#include <ordo/verify.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the certificate of a schedule that was proved, R1..R11 and without --atomic-reduce. Its
 * size is linear in tasks. false: ORDO_USAGE if it is not proved, ORDO_ENVIRONMENT if the file
 * cannot be written; ORDO_REFUTED if a path that the proof says is there cannot be found, which
 * would be an error of ours. */
ORDO_API bool ordo_certificate_write(const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, const char *path, struct ordo_error *error);
ORDO_API bool ordo_certificate_print(const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, FILE *out, struct ordo_error *error);

#ifdef __cplusplus
}
#endif
#endif
