/* fuzz_checker.c - any two texts as a schedule and a certificate: the second checker refuses by
 * R1 what the reader refuses by R1, and nothing else; what it accepts can be read and is proved
 * by the verifier too; and what the verifier proves, the second checker accepts.
 */
#include "halves.h"
#include "second.h"

#include <ordo/detail/certificate.h>

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length);

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

static void check_own_certificate(const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, const struct document *text)
{
	char report[256], *certificate = NULL;
	size_t size;
	struct ordo_error error = {0};
	FILE *out = open_memstream(&certificate, &size);
	demand(out && ordo_certificate_print(schedule, proof, out, &error) && !fclose(out),
		"what is proved has a certificate", error.text);
	const struct document own = {certificate, size, -1};
	demand(check_certificate(text, &own, report) == ACCEPTED, "the own certificate is accepted",
		report);
	free(certificate);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length)
{
	char report[256];
	const struct halves halves = cut_in_half(input, length);
	const struct document text = {halves.first, halves.first_size, -1},
			      certificate = {halves.second, halves.second_size, -1};
	const enum verdict verdict = check_certificate(&text, &certificate, report);
	struct ordo_error error = {0};
	struct ordo_schedule *schedule =
		ordo_schedule_read_text(halves.first, halves.first_size, "fuzz", NULL, &error);
	const bool refused = strstr(report, "R1: "), by_rank = strstr(report, "R2: ");
	demand(!schedule || !refused, "what can be read is not refused by R1", report);
	/* A rank that appears twice is refused before what stands behind it is read. */
	demand(schedule || error.rule != 1 || refused || by_rank, "what R1 refuses is refused",
		error.text);
	demand(schedule || verdict != ACCEPTED, "what is accepted can be read", error.text);
	if (schedule && is_small(schedule)) {
		struct ordo_proof *proof = ordo_verify(schedule, NULL, NULL);
		demand(proof, "there is a verdict", "");
		demand(verdict != ACCEPTED || proof->proved, "what is accepted is proved", report);
		if (proof->proved)
			check_own_certificate(schedule, proof, &text);
		ordo_proof_destroy(proof);
	}
	ordo_schedule_destroy(schedule);
	free(halves.first);
	return 0;
}
