/* test_certificate.c - the second checker on certificates, right and wrong.
 *
 * Of every compiled schedule the certificate is accepted. With one fault put into the schedule, its
 * old certificate is accepted only if the verifier proves that schedule too, and there is no new
 * one if the verifier refutes it. With one fault put into the certificate it is refused, or it
 * proves the schedule another way: then the claims are as they were, and both judges agree.
 *
 * Arguments: first and last number of ranks (1 5), faults of each kind in each schedule (1), first
 * seed (1), every how manieth request (6).
 */
#include "mutate.h"
#include "second.h"
#include "specimens.h"

#include <ordo/detail/certificate.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum damage { CUT, DROPPED, CHANGED, SWAPPED, CLAIMED, NDAMAGE };
static const char *const damages[NDAMAGE] = {"a list cut short", "a list dropped",
	"a number changed", "two numbers exchanged", "a claim turned round"};

struct tally {
	uint32_t faults;
	uint64_t random;
	uint64_t ntask, bytes;
	double seconds;
	uint32_t accepted, wrong;
	struct {
		uint32_t made, refused, proved_both;
	} of_faults, of_damages[NDAMAGE];
};

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void complain(struct tally *tally, const char *title, const char *what, const char *report)
{
	if (tally->wrong++ < 5)
		printf("%s: %s: %s\n", title, what, report);
}

static char *print_schedule(const struct ordo_schedule *schedule)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (!out || !ordo_schedule_print(schedule, out, NULL) || fclose(out))
		abort();
	return text;
}

/* NULL: there is none. */
static char *print_certificate(const struct ordo_schedule *schedule, char why[256])
{
	char *text = NULL;
	size_t size;
	struct ordo_error error = {0};
	struct ordo_proof *proof = ordo_verify(schedule, NULL, NULL);
	FILE *out = open_memstream(&text, &size);
	const bool worked = proof && out && ordo_certificate_print(schedule, proof, out, &error);
	snprintf(why, 256, "%.250s", error.text);
	if (out)
		fclose(out);
	ordo_proof_destroy(proof);
	if (worked)
		return text;
	free(text);
	return NULL;
}

static bool is_proved(const struct ordo_schedule *schedule)
{
	struct ordo_proof *proof =
		ordo_verify(schedule, &(struct ordo_verify_options){.max_findings = 1}, NULL);
	const bool proved = proof && proof->proved;
	ordo_proof_destroy(proof);
	return proved;
}

/* Faults of the schedule. */

static void check_mutant(struct tally *tally, const char *title, const struct ordo_schedule *mutant,
	const char *certificate)
{
	char report[256], why[256], *text = print_schedule(mutant),
				    *own = print_certificate(mutant, why);
	const bool proved = is_proved(mutant);
	const enum verdict verdict = check_texts(text, certificate, report);
	tally->of_faults.made++;
	tally->of_faults.refused += verdict != ACCEPTED;
	tally->of_faults.proved_both += verdict == ACCEPTED && proved;
	if (verdict == ACCEPTED && !proved)
		complain(tally, title, "a refuted schedule is accepted", report);
	if (proved != (own != NULL))
		complain(tally, title,
			proved ? "proved, but without certificate"
			       : "refuted, but with a certificate",
			why);
	if (own && check_texts(text, own, report) != ACCEPTED)
		complain(tally, title, "its own certificate is not accepted", report);
	free(own);
	free(text);
}

static void mutate_schedule(struct tally *tally, const char *title,
	const struct ordo_schedule *schedule, const char *certificate)
{
	for (int fault = 0; fault < NFAULT; fault++)
		for (uint32_t i = 0; i < tally->faults && schedule->ntask; i++) {
			struct ordo_schedule *mutant = with_fault(schedule, (enum fault)fault,
				i ? below(&tally->random, schedule->ntask) : 0,
				next_random(&tally->random));
			if (mutant)
				check_mutant(tally, title, mutant, certificate);
			ordo_schedule_destroy(mutant);
		}
}

/* Faults of the certificate: text that is replaced by other text. */

struct span {
	char *begin, *end;
};

/* A number somewhere behind the schema, as digits. */
static struct span pick_number(struct tally *tally, char *text)
{
	const size_t length = strlen(text);
	for (uint32_t i = 0; i < 1000; i++) {
		char *at = text + below(&tally->random, (uint32_t)length);
		const size_t digits = strspn(at, "0123456789");
		if (at > text + 30 && digits && !strspn(at - 1, "0123456789G"))
			return (struct span){at, at + digits};
	}
	return (struct span){NULL, NULL};
}

/* A list without lists inside. */
static struct span pick_list(struct tally *tally, char *text)
{
	char *at = text + below(&tally->random, (uint32_t)strlen(text));
	at = strchr(at, '[');
	while (at && strcspn(at + 1, "[") < strcspn(at + 1, "]"))
		at = strchr(at + 1, '[');
	return (struct span){at, at ? strchr(at, ']') + 1 : NULL};
}

static char *replaced(const char *text, struct span span, const char *by)
{
	char *result = malloc(strlen(text) + strlen(by) + 1);
	if (!result)
		abort();
	sprintf(result, "%.*s%s%s", (int)(span.begin - text), text, by, span.end);
	return result;
}

static char *exchange(struct tally *tally, char *text)
{
	struct span one = pick_number(tally, text), other = pick_number(tally, text);
	if (!one.begin || !other.begin || one.begin == other.begin)
		return NULL;
	if (one.begin > other.begin) {
		const struct span first = other;
		other = one;
		one = first;
	}
	char *result = malloc(strlen(text) + 1);
	if (!result)
		abort();
	sprintf(result, "%.*s%.*s%.*s%.*s%s", (int)(one.begin - text), text,
		(int)(other.end - other.begin), other.begin, (int)(other.begin - one.end), one.end,
		(int)(one.end - one.begin), one.begin, other.end);
	return result;
}

/* NULL: there is no place for it. */
static char *with_damage(struct tally *tally, char *text, enum damage damage, uint32_t ntask)
{
	char number[16];
	struct span span;
	switch (damage) {
	case CUT:
		span = pick_list(tally, text);
		if (!span.begin || !memchr(span.begin, ',', (size_t)(span.end - span.begin)))
			return NULL;
		for (span.begin = --span.end; *span.begin != ',';)
			span.begin--;
		return replaced(text, span, "");
	case DROPPED:
		span = pick_list(tally, text);
		if (!span.begin || strncmp(span.end, ", [", 3) != 0)
			return NULL;
		span.end += 2;
		return replaced(text, span, "");
	case CHANGED:
		span = pick_number(tally, text);
		snprintf(number, sizeof number, "%u", below(&tally->random, ntask + 2));
		return span.begin ? replaced(text, span, number) : NULL;
	case SWAPPED:
		return exchange(tally, text);
	case CLAIMED:
		span.begin = strstr(text, below(&tally->random, 2) ? "\"G1\": " : "\"G3\": ") + 6;
		span.end = span.begin + strcspn(span.begin, ",}");
		return replaced(text, span, *span.begin == 't' ? "false" : "true");
	case NDAMAGE:
		break;
	}
	return NULL;
}

static void damage_certificate(struct tally *tally, const char *title, const char *schedule,
	char *certificate, uint32_t ntask)
{
	char report[256];
	for (int damage = 0; damage < NDAMAGE; damage++)
		for (uint32_t i = 0; i < 4 * tally->faults; i++) {
			char *damaged = with_damage(tally, certificate, (enum damage)damage, ntask);
			if (!damaged || !strcmp(damaged, certificate)) {
				free(damaged);
				continue;
			}
			const enum verdict verdict = check_texts(schedule, damaged, report);
			tally->of_damages[damage].made++;
			tally->of_damages[damage].refused += verdict != ACCEPTED;
			tally->of_damages[damage].proved_both += verdict == ACCEPTED;
			if (verdict == ACCEPTED && damage == CLAIMED)
				complain(tally, title, "a wrong claim is accepted", report);
			free(damaged);
		}
}

static void check(
	const struct specimen *specimen, const struct ordo_schedule *schedule, void *closure)
{
	struct tally *tally = closure;
	char report[256], *text = print_schedule(schedule),
			  *certificate = print_certificate(schedule, report);
	if (certificate) {
		const double began = now();
		const enum verdict verdict = check_texts(text, certificate, report);
		tally->seconds += now() - began;
		tally->ntask += schedule->ntask;
		tally->bytes += strlen(certificate);
		tally->accepted += verdict == ACCEPTED;
		if (verdict != ACCEPTED)
			complain(tally, specimen->title, "its certificate is not accepted", report);
		mutate_schedule(tally, specimen->title, schedule, certificate);
		damage_certificate(tally, specimen->title, text, certificate, schedule->ntask);
	} else {
		complain(tally, specimen->title, "there is no certificate", report);
	}
	free(certificate);
	free(text);
}

int main(int argc, char **argv)
{
	struct tally tally = {.faults = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 1,
		.random = argc > 4 ? strtoull(argv[4], NULL, 10) : 1};
	const struct specimen_range range = {
		.first_rank = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1,
		.last_rank = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 5,
		.every = argc > 5 ? (uint32_t)strtoul(argv[5], NULL, 10) : 6,
		.all_parameters = true};
	const struct specimen_count count = visit_specimens(&range, check, &tally);
	bool all_refused_some = true;
	printf("%u of %u certificates accepted, %.1f bytes and %.2f us a task\n", tally.accepted,
		count.visited, (double)tally.bytes / (double)(tally.ntask + 1),
		1e6 * tally.seconds / (double)(tally.ntask + 1));
	printf("%-40s %8s %8s %28s\n", "fault", "made", "refused", "proved all the same, by both");
	printf("%-40s %8u %8u %28u\n", "of the schedule", tally.of_faults.made,
		tally.of_faults.refused, tally.of_faults.proved_both);
	for (int i = 0; i < NDAMAGE; i++) {
		printf("%-40s %8u %8u %28u\n", damages[i], tally.of_damages[i].made,
			tally.of_damages[i].refused, tally.of_damages[i].proved_both);
		all_refused_some =
			all_refused_some && (!tally.faults || tally.of_damages[i].refused);
	}
	printf("%u wrong, %u failed\n", tally.wrong, count.failed);
	return count.visited && tally.accepted == count.visited && all_refused_some &&
			       !tally.wrong && !count.failed
		       ? EXIT_SUCCESS
		       : EXIT_FAILURE;
}
