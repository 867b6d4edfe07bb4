/* settings.c - ORDO_MPI, the same on all ranks, and the first meeting of the ranks. */
#include "settings.h"
#include "engine/folder.h"
#include "engine/window.h"
#include "log.h"
#include "report.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* For a rank that is late at its start: many seconds, where thousands are started. */
enum { DEADLINE_SECONDS = 60, MEETING_TAG = 32751 };
/* By default. */
#define MEMORY (UINT64_C(256) << 20)

struct mpi_settings ordo_mpi_settings;
static bool has_met;

static bool copy_path(char *to, const char *value, const char *name, char *why, size_t size)
{
	if (*value && strlen(value) < ORDO_MPI_PATH) {
		strcpy(to, value);
		return true;
	}
	snprintf(why, size, "%s: found %zu characters, wanted 1 to %d", name, strlen(value),
		ORDO_MPI_PATH - 1);
	return false;
}

static bool read_order(struct mpi_settings *settings, const char *value, char *why, size_t size)
{
	static const char *const names[] = {"dyadic", "linear", "folded"};
	settings->is_library = !strcmp(value, "library");
	if (settings->is_library)
		return true;
	for (int i = 0; i < 3; i++)
		if (!strcmp(value, names[i])) {
			settings->order = (enum ordo_mpi_order)i;
			return true;
		}
	snprintf(why, size, "order: found \"%s\", wanted dyadic, linear, folded or library", value);
	return false;
}

static bool read_number(uint64_t *to, const char *value, const char *name, char *why, size_t size)
{
	char *end;
	const unsigned long long number = strtoull(value, &end, 10);
	if (*value >= '0' && *value <= '9' && !*end && number <= INT_MAX) {
		*to = number;
		return true;
	}
	snprintf(why, size, "%s: found \"%s\", wanted a number from 0 to %d", name, value, INT_MAX);
	return false;
}

static bool read_one(struct mpi_settings *settings, char *text, char *why, size_t size)
{
	char *equals = strchr(text, '=');
	const char *value = equals ? equals + 1 : NULL;
	if (!value && !strcmp(text, "strict"))
		return settings->strict = true;
	if (!value && !strcmp(text, "messages"))
		return settings->messages = true;
	if (!value && !strcmp(text, "check"))
		return settings->check = true;
	if (equals)
		*equals = 0;
	if (value && !strcmp(text, "order"))
		return read_order(settings, value, why, size);
	if (value && !strcmp(text, "report"))
		return copy_path(settings->report, value, text, why, size);
	if (value && !strcmp(text, "log"))
		return copy_path(settings->log, value, text, why, size);
	if (value && !strcmp(text, "plans"))
		return copy_path(settings->plans, value, text, why, size);
	if (value && !strcmp(text, "shards"))
		return read_number(&settings->shards, value, text, why, size);
	if (value && !strcmp(text, "memory"))
		return read_number(&settings->memory, value, text, why, size);
	if (value && !strcmp(text, "deadline"))
		return read_number(&settings->deadline, value, text, why, size);
	snprintf(why, size,
		"found \"%s\", wanted order=ORDER, plans=FOLDER, shards=V, report=FILE, "
		"log=FOLDER, strict, "
		"messages, check, memory=BYTES or deadline=SECONDS, separated by commas",
		text);
	return false;
}

bool ordo_mpi_settings_read(struct mpi_settings *settings, const char *text, char *why, size_t size)
{
	char *copy = strdup(text ? text : ""), *rest = copy;
	bool worked = copy;
	*settings = (struct mpi_settings){
		.order = ORDO_MPI_DYADIC, .memory = MEMORY, .deadline = DEADLINE_SECONDS};
	if (!copy)
		snprintf(why, size, "out of memory");
	while (worked && rest && *rest) {
		char *one = rest;
		rest = strchr(rest, ',');
		if (rest)
			*rest++ = 0;
		worked = read_one(settings, one, why, size);
	}
	free(copy);
	if (worked && settings->is_library && settings->plans[0]) {
		snprintf(why, size, "plans: nothing follows them with order=library");
		return false;
	}
	return worked;
}

static void end_program(const char *what, const char *text)
{
	fprintf(stderr, "ordo: %s%s\n", what, text);
	ordo_mpi_abort(2);
	exit(2);
}

/* false: not all are complete in time. */
static bool complete_in_time(MPI_Request *requests, int n, uint64_t seconds)
{
	const time_t end = time(NULL) + (time_t)seconds;
	int first = 0; /* that is not complete */
	while (first < n && time(NULL) < end) {
		const struct timespec pause = {0, 200000};
		int done = 0;
		PMPI_Test(&requests[first], &done, MPI_STATUS_IGNORE);
		if (!done)
			nanosleep(&pause, NULL);
		first += done;
	}
	return first == n;
}

/* Ranks that have not answered, as text: "3, 4, 7". */
static void list_missing(char *out, size_t size, MPI_Request *requests, int nrank)
{
	size_t used = 0;
	for (int r = 1; r < nrank && used + 16 < size; r++) {
		int done;
		PMPI_Test(&requests[r], &done, MPI_STATUS_IGNORE);
		if (!done)
			used += (size_t)snprintf(
				out + used, size - used, "%s%d", used ? ", " : "", r);
	}
}

static void meet_as_first(int nrank)
{
	char why[640], missing[256] = "";
	MPI_Request *requests = malloc((size_t)nrank * sizeof(MPI_Request));
	char *marks = malloc((size_t)nrank);
	if (!requests || !marks)
		end_program("out of memory", "");
	if (!ordo_mpi_settings_read(&ordo_mpi_settings, getenv("ORDO_MPI"), why, sizeof why))
		end_program("ORDO_MPI: ", why);
	requests[0] = MPI_REQUEST_NULL;
	for (int r = 1; r < nrank; r++)
		PMPI_Irecv(&marks[r], 1, MPI_CHAR, r, MEETING_TAG, MPI_COMM_WORLD, &requests[r]);
	if (!complete_in_time(requests, nrank, ordo_mpi_settings.deadline)) {
		list_missing(missing, sizeof missing, requests, nrank);
		end_program("the library is not loaded on all ranks: rank 0 has it, and these did "
			    "not answer: ",
			missing);
	}
	for (int r = 1; r < nrank; r++)
		PMPI_Isend(&ordo_mpi_settings, sizeof ordo_mpi_settings, MPI_BYTE, r, MEETING_TAG,
			MPI_COMM_WORLD, &requests[r]);
	for (int r = 1; r < nrank; r++)
		PMPI_Wait(&requests[r], MPI_STATUS_IGNORE);
	free(requests);
	free(marks);
}

static void meet_as_other(void)
{
	MPI_Request requests[2];
	struct mpi_settings own;
	char mark = 1, why[640];
	if (!ordo_mpi_settings_read(&own, getenv("ORDO_MPI"), why, sizeof why))
		own.deadline = DEADLINE_SECONDS;
	PMPI_Irecv(&ordo_mpi_settings, sizeof ordo_mpi_settings, MPI_BYTE, 0, MEETING_TAG,
		MPI_COMM_WORLD, &requests[0]);
	PMPI_Isend(&mark, 1, MPI_CHAR, 0, MEETING_TAG, MPI_COMM_WORLD, &requests[1]);
	/* later than rank 0, which knows which ranks are missing */
	if (!complete_in_time(requests, 2, 2 * own.deadline))
		end_program("the library is not loaded on all ranks: rank 0 did not answer", "");
}

/* All ranks get the documents of rank 0, or rank 0 ends the program. */
static void share_plans(void)
{
	struct ordo_error error = {0};
	char text[2600];
	if (!ordo_mpi_settings.plans[0] || ordo_mpi_folder_share(ordo_mpi_settings.plans, &error))
		return;
	ordo_error_print(&error, text, sizeof text);
	end_program("ORDO_MPI: plans: ", text);
}

void ordo_mpi_meet(void)
{
	int rank, nrank;
	char why[1200];
	if (has_met)
		return;
	ordo_mpi_refuse_other();
	has_met = true;
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &nrank);
	if (rank)
		meet_as_other();
	else
		meet_as_first(nrank);
	if (!ordo_mpi_log_open(why, sizeof why))
		end_program("ORDO_MPI: ", why);
	share_plans();
	ordo_mpi_wanted_order = ordo_mpi_settings.order;
	ordo_mpi_wants_window = !ordo_mpi_settings.messages;
}

void ordo_mpi_meet_late(void)
{
	char why[640];
	if (has_met)
		return;
	has_met = true;
	if (!ordo_mpi_settings_read(&ordo_mpi_settings, getenv("ORDO_MPI"), why, sizeof why)) {
		fprintf(stderr, "ordo: ORDO_MPI: %s\n", why);
		exit(2);
	}
	if (ordo_mpi_settings.plans[0]) {
		fprintf(stderr, "ordo: ORDO_MPI: plans: MPI was not started by MPI_Init or "
				"MPI_Init_thread, where all ranks get them\n");
		exit(2);
	}
	ordo_mpi_wanted_order = ordo_mpi_settings.order;
	ordo_mpi_wants_window = !ordo_mpi_settings.messages;
}
