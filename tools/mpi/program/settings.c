/* settings.c - ORDO_MPI, the same on all ranks, and the first meeting of the ranks. */
#include "settings.h"
#include "engine/folder.h"
#include "engine/window.h"
#include "log.h"
#include "report.h"
#include "world/world.h"
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <ordo/version.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* For a rank that is late at its start: many seconds, where thousands are started. */
enum { DEADLINE_SECONDS = 60, MEETING_TAG = 32751 };
/* By default. */
#define MEMORY (UINT64_C(256) << 20)

struct mpi_settings ordo_mpi_settings;
static _Atomic bool has_met;	  /* others, or is alone */
static _Atomic bool has_settings; /* or those of a rank that has met nobody yet */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

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

const char *const ordo_mpi_order_names[] = {"dyadic", "linear", "folded"};

static bool read_order(struct mpi_settings *settings, const char *value, char *why, size_t size)
{
	settings->is_library = !strcmp(value, "library");
	if (settings->is_library)
		return true;
	for (int i = 0; i < 3; i++)
		if (!strcmp(value, ordo_mpi_order_names[i])) {
			settings->order = (enum ordo_mpi_order)i;
			return true;
		}
	snprintf(why, size, "order: found \"%s\", wanted dyadic, linear, folded or library", value);
	return false;
}

static bool read_number(
	uint64_t *to, unsigned least, const char *value, const char *name, char *why, size_t size)
{
	char *end;
	const unsigned long long number = strtoull(value, &end, 10);
	if (*value >= '0' && *value <= '9' && !*end && number >= least && number <= INT_MAX) {
		*to = number;
		return true;
	}
	snprintf(why, size, "%s: found \"%s\", wanted a number from %u to %d", name, value, least,
		INT_MAX);
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
		return read_number(&settings->shards, 1, value, text, why, size);
	if (value && !strcmp(text, "memory"))
		return read_number(&settings->memory, 0, value, text, why, size);
	if (value && !strcmp(text, "deadline"))
		return read_number(&settings->deadline, 0, value, text, why, size);
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
	memset(settings, 0, sizeof *settings); /* also between its members: ranks compare them */
	settings->memory = MEMORY;
	settings->deadline = DEADLINE_SECONDS;
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

/* One more setting. */
static void add(char *text, size_t size, const char *name, const char *value, const char *suffix)
{
	const size_t n = strlen(text);
	snprintf(text + n, size - n, "%s%s%s%s", n ? "," : "", name, value, suffix);
}

static void add_number(char *text, size_t size, const char *name, uint64_t value)
{
	char number[32];
	snprintf(number, sizeof number, "%" PRIu64, value);
	add(text, size, name, number, "");
}

void ordo_mpi_settings_write(
	const struct mpi_settings *settings, const char *name, char *text, size_t size)
{
	char suffix[64];
	*text = 0;
	add(text, size,
		"order=", settings->is_library ? "library" : ordo_mpi_order_names[settings->order],
		"");
	if (settings->strict)
		add(text, size, "strict", "", "");
	if (settings->messages)
		add(text, size, "messages", "", "");
	if (settings->check)
		add(text, size, "check", "", "");
	snprintf(suffix, sizeof suffix, ".%s%s", name,
		ordo_mpi_report_is_json(settings->report) ? ".json" : "");
	if (settings->report[0])
		add(text, size, "report=", settings->report,
			strcmp(settings->report, "none") ? suffix : "");
	snprintf(suffix, sizeof suffix, "/%s", name);
	if (settings->log[0])
		add(text, size, "log=", settings->log, suffix);
	if (settings->plans[0])
		add(text, size, "plans=", settings->plans, "");
	if (settings->shards)
		add_number(text, size, "shards=", settings->shards);
	if (settings->memory != MEMORY)
		add_number(text, size, "memory=", settings->memory);
	if (settings->deadline != DEADLINE_SECONDS)
		add_number(text, size, "deadline=", settings->deadline);
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
	const double end = PMPI_Wtime() + (double)seconds;
	int first = 0; /* that is not complete */
	while (first < n && PMPI_Wtime() < end) {
		const struct timespec pause = {0, 200000};
		int done = 0;
		PMPI_Test(&requests[first], &done, MPI_STATUS_IGNORE);
		if (!done)
			nanosleep(&pause, NULL);
		first += done;
	}
	return first == n;
}

/* Ranks that meet. Some may have met before, on another communicator, and have settings. */
struct meeting {
	MPI_Comm comm;
	int rank, nrank;
	bool has_met; /* this rank */
	int source;   /* whose settings are everybody's: the lowest that has met, or rank 0 */
	int nmet;     /* ranks that have met */
	uint64_t deadline;
	bool is_joined;		/* go on without those that do not answer */
	int *missing, nmissing; /* these */
};

/* What each rank tells rank 0. Its size stays as it is: it is sent between versions. */
struct greeting {
	char has_met;
	char version[31];
};
static const char own_version[] = "ordo " ORDO_VERSION;

static struct greeting greet(const struct meeting *meeting)
{
	struct greeting greeting = {.has_met = meeting->has_met};
	snprintf(greeting.version, sizeof greeting.version, "%s", own_version);
	return greeting;
}

/* Settings and schedules of two versions may differ: nothing of them is sent before. */
static void refuse_other_version(const struct meeting *meeting, const struct greeting *greetings)
{
	char text[200];
	for (int r = 1; r < meeting->nrank; r++) {
		if (!greetings[r].version[0] || !strcmp(greetings[r].version, own_version))
			continue; /* or it did not answer */
		snprintf(text, sizeof text, "rank 0 has %s, and rank %d %.30s", own_version, r,
			greetings[r].version);
		end_program("the library is not the same on all ranks: ", text);
	}
}

static void find_source(struct meeting *meeting, const struct greeting *greetings)
{
	for (int r = meeting->nrank; r-- > 0;)
		if (greetings[r].has_met) {
			meeting->source = r;
			meeting->nmet++;
		}
}

/* Ranks, as text: "3, 4, 7". */
static void list(char *out, size_t size, const int *ranks, int n)
{
	size_t used = 0;
	for (int i = 0; i < n && used + 16 < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%d", i ? ", " : "", ranks[i]);
}

/* Ranks that have not answered. */
static void find_missing(struct meeting *meeting, MPI_Request *requests)
{
	meeting->missing = malloc((size_t)meeting->nrank * sizeof *meeting->missing);
	if (!meeting->missing)
		end_program("out of memory", "");
	for (int r = 1; r < meeting->nrank; r++) {
		int done;
		PMPI_Test(&requests[r], &done, MPI_STATUS_IGNORE);
		if (!done)
			meeting->missing[meeting->nmissing++] = r;
	}
}

/* Ends the program, or gives those up that have not answered. */
static void report_missing(struct meeting *meeting, MPI_Request *requests)
{
	char ranks[256] = "";
	list(ranks, sizeof ranks, meeting->missing, meeting->nmissing);
	if (!meeting->is_joined)
		end_program("the library is not loaded on all ranks: rank 0 has it, and these did "
			    "not answer: ",
			ranks);
	fprintf(stderr,
		"ordo: the library is not loaded in all of %d processes that MPI_Intercomm_merge "
		"joins: these did not answer: %s: reductions with them are left to MPI\n",
		meeting->nrank, ranks);
	for (int i = 0; i < meeting->nmissing; i++) {
		MPI_Request *request = &requests[meeting->missing[i]];
		PMPI_Cancel(request);
		PMPI_Wait(request, MPI_STATUS_IGNORE);
	}
}

/* To those that have answered: whose settings are everybody's, how many have met, and who has not
 * answered. */
static void answer_all(struct meeting *meeting, MPI_Request *requests)
{
	const int answer[3] = {meeting->source, meeting->nmet, meeting->nmissing};
	int next = 0, n = 0;
	for (int r = 1; r < meeting->nrank; r++) {
		if (next < meeting->nmissing && meeting->missing[next] == r) {
			next++;
			continue;
		}
		PMPI_Isend(answer, 3, MPI_INT, r, MEETING_TAG, meeting->comm, &requests[n++]);
		if (meeting->nmissing)
			PMPI_Send(meeting->missing, meeting->nmissing, MPI_INT, r, MEETING_TAG,
				meeting->comm);
	}
	for (int i = 0; i < n; i++)
		PMPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}

static void meet_as_first(struct meeting *meeting)
{
	const int nrank = meeting->nrank;
	MPI_Request *requests = malloc((size_t)nrank * sizeof(MPI_Request));
	struct greeting *greetings = calloc((size_t)nrank, sizeof *greetings);
	if (!requests || !greetings)
		end_program("out of memory", "");
	requests[0] = MPI_REQUEST_NULL;
	greetings[0] = greet(meeting);
	for (int r = 1; r < nrank; r++)
		PMPI_Irecv(&greetings[r], sizeof *greetings, MPI_CHAR, r, MEETING_TAG,
			meeting->comm, &requests[r]);
	if (!complete_in_time(requests, nrank, meeting->deadline))
		find_missing(meeting, requests);
	if (meeting->nmissing)
		report_missing(meeting, requests);
	refuse_other_version(meeting, greetings);
	find_source(meeting, greetings);
	answer_all(meeting, requests);
	free(requests);
	free(greetings);
}

static void meet_as_other(struct meeting *meeting)
{
	MPI_Request requests[2];
	int answer[3] = {0};
	const struct greeting greeting = greet(meeting);
	PMPI_Irecv(answer, 3, MPI_INT, 0, MEETING_TAG, meeting->comm, &requests[0]);
	PMPI_Isend(
		&greeting, sizeof greeting, MPI_CHAR, 0, MEETING_TAG, meeting->comm, &requests[1]);
	/* later than rank 0, which knows which ranks are missing */
	if (!complete_in_time(requests, 2, 2 * meeting->deadline))
		end_program("the library is not loaded on all ranks: rank 0 did not answer", "");
	meeting->source = answer[0];
	meeting->nmet = answer[1];
	meeting->nmissing = answer[2];
	if (!meeting->nmissing)
		return;
	meeting->missing = malloc((size_t)meeting->nmissing * sizeof *meeting->missing);
	if (!meeting->missing)
		end_program("out of memory", "");
	PMPI_Recv(meeting->missing, meeting->nmissing, MPI_INT, 0, MEETING_TAG, meeting->comm,
		MPI_STATUS_IGNORE);
}

static void set(const struct mpi_settings *settings)
{
	ordo_mpi_settings = *settings;
	ordo_mpi_wanted_order = settings->order;
	ordo_mpi_wants_window = !settings->messages;
	has_settings = true;
}

/* What ranks must do alike: their reports and logs are their own. */
static void keep_common(struct mpi_settings *settings)
{
	memset(settings->report, 0, sizeof settings->report);
	memset(settings->log, 0, sizeof settings->log);
	settings->strict = false;
	settings->deadline = 0;
}

static bool do_alike(const struct mpi_settings *a, const struct mpi_settings *b)
{
	struct mpi_settings left, right;
	memcpy(&left, a, sizeof left); /* also between its members */
	memcpy(&right, b, sizeof right);
	keep_common(&left);
	keep_common(&right);
	return !memcmp(&left, &right, sizeof left);
}

/* The settings of the source. */
static void share_settings(const struct meeting *meeting, struct mpi_settings *own)
{
	PMPI_Bcast(own, sizeof *own, MPI_BYTE, meeting->source, meeting->comm);
	pthread_mutex_lock(&lock);
	const bool differ = has_met && !do_alike(own, &ordo_mpi_settings);
	const bool is_first = !has_met;
	char why[1200] = "";
	if (is_first)
		set(own);
	has_met = true;
	const bool has_log = !is_first || ordo_mpi_log_open(why, sizeof why);
	pthread_mutex_unlock(&lock);
	if (!has_log)
		end_program("ORDO_MPI: ", why);
	if (differ)
		end_program("ORDO_MPI: ranks of a communicator have met others before, and have "
			    "other settings from there",
			"");
}

/* All ranks get the documents of the source, or it ends the program. */
static void share_plans(const struct meeting *meeting)
{
	struct ordo_error error = {0};
	char text[2600];
	if (!ordo_mpi_settings.plans[0] || meeting->nmet == meeting->nrank ||
		ordo_mpi_folder_share(
			ordo_mpi_settings.plans, meeting->comm, meeting->source, &error))
		return;
	ordo_error_print(&error, text, sizeof text);
	end_program("ORDO_MPI: plans: ", text);
}

/* The launcher of the other MPI leaves each process alone: said once. */
static void warn_if_alone(const struct meeting *meeting)
{
#ifdef OPEN_MPI
	static const char own[] = "OMPI_COMM_WORLD_SIZE", other[] = "PMI_SIZE", rank[] = "PMI_RANK";
#else
	static const char own[] = "PMI_SIZE", other[] = "OMPI_COMM_WORLD_SIZE",
			  rank[] = "OMPI_COMM_WORLD_RANK";
#endif
	const char *number = getenv(other), *place = getenv(rank);
	if (meeting->nrank == 1 && !getenv(own) && number && atoi(number) > 1 && place &&
		!strcmp(place, "0"))
		fprintf(stderr,
			"ordo: the launcher of the other MPI started %s processes, and each sees "
			"itself alone\n",
			number);
}

/* Before the program runs, not when it is over. */
static bool can_report(const struct mpi_settings *settings, char *why, size_t size)
{
	char folder[ORDO_MPI_PATH];
	struct stat info;
	const char *path = settings->report;
	const bool is_folder = !stat(path, &info) && S_ISDIR(info.st_mode);
	if (!*path || !strcmp(path, "none") || (!is_folder && !access(path, W_OK)))
		return true;
	strcpy(folder, path);
	char *slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = 0;
	if (access(path, F_OK) && !access(slash ? folder : ".", W_OK | X_OK))
		return true;
	snprintf(why, size, "report: cannot write %s: %s", path,
		strerror(is_folder ? EISDIR : errno));
	return false;
}

static void meet(struct meeting *meeting)
{
	struct mpi_settings own;
	char why[640];
	ordo_mpi_refuse_other();
	PMPI_Comm_rank(meeting->comm, &meeting->rank);
	PMPI_Comm_size(meeting->comm, &meeting->nrank);
	pthread_mutex_lock(&lock);
	meeting->has_met = has_met;
	if (has_met)
		own = ordo_mpi_settings;
	pthread_mutex_unlock(&lock);
	const bool is_read = meeting->has_met ||
			     (ordo_mpi_settings_read(&own, getenv("ORDO_MPI"), why, sizeof why) &&
				     (meeting->rank || !ordo_mpi_has_world() ||
					     can_report(&own, why, sizeof why)));
	warn_if_alone(meeting);
	if (!is_read && !meeting->rank)
		end_program("ORDO_MPI: ", why);
	if (meeting->nrank == 1 && !ordo_mpi_has_world()) { /* others may have other settings */
		if (!meeting->has_met)
			set(&own);
		return;
	}
	meeting->deadline = is_read ? own.deadline : DEADLINE_SECONDS;
	if (meeting->rank)
		meet_as_other(meeting);
	else
		meet_as_first(meeting);
	if (meeting->nmissing)
		return;
	share_settings(meeting, &own);
	share_plans(meeting);
}

void ordo_mpi_meet(MPI_Comm comm)
{
	struct meeting meeting = {.comm = comm};
	meet(&meeting);
}

int *ordo_mpi_meet_joined(MPI_Comm comm, int *nmissing)
{
	struct meeting meeting = {.comm = comm, .is_joined = true};
	meet(&meeting);
	*nmissing = meeting.nmissing;
	return meeting.missing;
}

bool ordo_mpi_has_settings(void)
{
	return has_settings;
}

void ordo_mpi_meet_late(void)
{
	char why[640];
	struct mpi_settings own;
	if (has_settings)
		return;
	has_met = true;
	if (!ordo_mpi_settings_read(&own, getenv("ORDO_MPI"), why, sizeof why)) {
		fprintf(stderr, "ordo: ORDO_MPI: %s\n", why);
		exit(2);
	}
	if (own.plans[0]) {
		fprintf(stderr, "ordo: ORDO_MPI: plans: MPI was not started by MPI_Init or "
				"MPI_Init_thread, where all ranks get them\n");
		exit(2);
	}
	set(&own);
}
