/* fuzz_checker.c - any two texts as a schedule and a certificate: what the second checker accepts is proved by the
 * verifier too, if it can be read; and what the verifier proves, the second checker accepts.
 */
#include "halves.h"
#include "second/checker.h"

#include <ordo/certificate.h>

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size);

static void demand(bool truth, const char *sentence, const char *report)
{
	if (truth)
		return;
	fprintf(stderr, "not true: %s: %s\n", sentence, report);
	abort();
}

static bool is_small(const struct ordo_schedule *schedule)
{
	const struct ordo_problem *p = &schedule->problem;
	return schedule->ntask <= 300 && schedule->nstream <= 100 && p->nrank <= 16 &&
	       ordo_nchunk(p) <= 256 && p->nshard <= 32 && schedule->scratch_slots <= 1024;
}

static void check_own_certificate(
	const struct ordo_schedule *schedule, const struct ordo_proof *proof, const char *text)
{
	char report[256], *certificate = NULL;
	size_t size;
	struct ordo_error error = {0};
	FILE *out = open_memstream(&certificate, &size);
	demand(out && ordo_certificate_print(schedule, proof, out, &error) && !fclose(out),
		"what is proved has a certificate", error.text);
	demand(check_certificate(text, certificate, report) == ACCEPTED, "the own certificate is accepted",
		report);
	free(certificate);
}

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size)
{
	char report[256];
	const struct halves halves = cut_in_half(text, size);
	const enum verdict verdict = check_certificate(halves.first, halves.second, report);
	struct ordo_schedule *schedule =
		ordo_schedule_read_text(halves.first, strlen(halves.first), "fuzz", NULL, NULL);
	if (schedule && is_small(schedule)) {
		struct ordo_proof *proof = ordo_verify(schedule, NULL, NULL);
		demand(proof, "there is a verdict", "");
		demand(verdict != ACCEPTED || proof->proved, "what is accepted is proved", report);
		if (proof->proved)
			check_own_certificate(schedule, proof, halves.first);
		ordo_proof_destroy(proof);
	}
	ordo_schedule_destroy(schedule);
	free(halves.first);
	return 0;
}
