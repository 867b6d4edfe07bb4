/* report.c - counts what the library does, and reports it on rank 0 when MPI ends. */
#include "report.h"
#include "engine/folder.h"
#include "settings.h"
#include "world/world.h"
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct count {
	_Atomic uint64_t calls, bytes, nanoseconds;
};
static struct count counts[ORDO_MPI_NFUNCTION][ORDO_MPI_NCLASS];
static _Atomic uint64_t other_mode;
static atomic_flag has_registered = ATOMIC_FLAG_INIT;
static _Atomic bool is_registered;

const char *ordo_mpi_function_name(enum ordo_mpi_function function)
{
	static const char *const names[ORDO_MPI_NFUNCTION] = {"MPI_Allreduce", "MPI_Reduce",
		"MPI_Reduce_scatter", "MPI_Reduce_scatter_block", "MPI_Scan", "MPI_Exscan",
		"MPI_Iallreduce", "MPI_Ireduce", "MPI_Ireduce_scatter", "MPI_Ireduce_scatter_block",
		"MPI_Allreduce_init", "MPI_Reduce_init", "MPI_Reduce_scatter_init",
		"MPI_Reduce_scatter_block_init", "MPI_Iscan", "MPI_Iexscan", "MPI_Scan_init",
		"MPI_Exscan_init", "ordo_mpi_allreduce_shards"};
	return names[function];
}

void ordo_mpi_count(
	enum ordo_mpi_function function, enum ordo_mpi_class class, uint64_t bytes, double seconds)
{
	struct count *count = &counts[function][class];
	atomic_fetch_add_explicit(&count->calls, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&count->bytes, bytes, memory_order_relaxed);
	if (seconds > 0)
		atomic_fetch_add_explicit(
			&count->nanoseconds, (uint64_t)(seconds * 1e9), memory_order_relaxed);
}

unsigned ordo_mpi_timed_calls(enum ordo_mpi_function function, uint64_t bytes)
{
	enum { SHORT_BYTES = 4096, FIRST = 256, EACH = 16 };
	const uint64_t calls =
		atomic_load_explicit(&counts[function][ORDO_MPI_TAKEN].calls, memory_order_relaxed);
	if (bytes > SHORT_BYTES || calls < FIRST)
		return 1;
	return calls % EACH ? 0 : EACH;
}

void ordo_mpi_count_time(enum ordo_mpi_function function, double seconds)
{
	atomic_fetch_add_explicit(&counts[function][ORDO_MPI_TAKEN].nanoseconds,
		(uint64_t)(seconds * 1e9), memory_order_relaxed);
}

void ordo_mpi_count_mode(void)
{
	atomic_fetch_add_explicit(&other_mode, 1, memory_order_relaxed);
}

static void print_taken(FILE *out, enum ordo_mpi_function function)
{
	const struct count *count = &counts[function][ORDO_MPI_TAKEN];
	if (count->calls)
		fprintf(out, "ordo:   %-30s %10" PRIu64 " calls %14" PRIu64 " bytes %10.3f s\n",
			ordo_mpi_function_name(function), count->calls, count->bytes,
			(double)count->nanoseconds * 1e-9);
}

static void print_passed_on(FILE *out, enum ordo_mpi_function function)
{
	for (int class = ORDO_MPI_TAKEN + 1; class < ORDO_MPI_NCLASS; class ++) {
		const struct count *count = &counts[function][class];
		if (count->calls)
			fprintf(out, "ordo:   %-30s %10" PRIu64 " calls passed on: %s%s\n",
				ordo_mpi_function_name(function), count->calls,
				ordo_mpi_class_name((enum ordo_mpi_class) class),
				ordo_mpi_may_vary((enum ordo_mpi_class) class) ? " (bits may vary)"
									       : "");
	}
}

static cJSON *make_calls(enum ordo_mpi_function function, int class)
{
	const struct count *count = &counts[function][class];
	cJSON *one = cJSON_CreateObject();
	cJSON_AddStringToObject(one, "function", ordo_mpi_function_name(function));
	cJSON_AddNumberToObject(one, "calls", (double)count->calls);
	if (class == ORDO_MPI_TAKEN) {
		cJSON_AddNumberToObject(one, "bytes", (double)count->bytes);
		cJSON_AddNumberToObject(one, "seconds", (double)count->nanoseconds * 1e-9);
	} else {
		cJSON_AddStringToObject(
			one, "reason", ordo_mpi_class_name((enum ordo_mpi_class) class));
		cJSON_AddBoolToObject(
			one, "bits_may_vary", ordo_mpi_may_vary((enum ordo_mpi_class) class));
	}
	return one;
}

/* The report as JSON. */
static void print_json(FILE *out)
{
	cJSON *report = cJSON_CreateObject();
	cJSON_AddStringToObject(report, "schema", "ordo/mpi-report/1");
	cJSON_AddStringToObject(report, "order",
		ordo_mpi_settings.is_library ? "library"
					     : ordo_mpi_order_names[ordo_mpi_settings.order]);
	if (ordo_mpi_settings.plans[0])
		cJSON_AddStringToObject(report, "plans", ordo_mpi_settings.plans);
	cJSON *taken = cJSON_AddArrayToObject(report, "taken"),
	      *passed_on = cJSON_AddArrayToObject(report, "passed_on");
	for (int f = 0; f < ORDO_MPI_NFUNCTION; f++)
		for (int class = 0; class < ORDO_MPI_NCLASS; class ++)
			if (counts[f][class].calls)
				cJSON_AddItemToArray(class == ORDO_MPI_TAKEN ? taken : passed_on,
					make_calls((enum ordo_mpi_function)f, class));
	ordo_mpi_plans_json(report);
	ordo_mpi_folder_json(report);
	cJSON_AddNumberToObject(report, "calls_in_another_float_mode", (double)other_mode);
	char *text = cJSON_Print(report);
	fprintf(out, "%s\n", text ? text : "");
	cJSON_free(text);
	cJSON_Delete(report);
}

bool ordo_mpi_report_is_json(const char *path)
{
	const size_t length = strlen(path);
	return length > 5 && !strcmp(path + length - 5, ".json");
}

static void print_report(FILE *out)
{
	if (ordo_mpi_settings.is_library)
		fprintf(out, "ordo: reductions as the library makes them (order=library):\n");
	else if (ordo_mpi_settings.plans[0])
		fprintf(out, "ordo: reductions as the documents of %s define, proved:\n",
			ordo_mpi_settings.plans);
	else
		fprintf(out, "ordo: reductions in the order %s, proved:\n",
			ordo_mpi_order_names[ordo_mpi_settings.order]);
	for (int f = 0; f < ORDO_MPI_NFUNCTION; f++)
		print_taken(out, (enum ordo_mpi_function)f);
	ordo_mpi_plans_print(out);
	ordo_mpi_folder_print(out, ordo_mpi_order_names[ordo_mpi_settings.order]);
	for (int f = 0; f < ORDO_MPI_NFUNCTION; f++)
		print_passed_on(out, (enum ordo_mpi_function)f);
	if (other_mode)
		fprintf(out,
			"ordo:   %" PRIu64 " calls from another floating-point mode (flush to "
			"zero), made in the standard one\n",
			other_mode);
}

static void write_report(void)
{
	const char *path = ordo_mpi_settings.report;
	if (!strcmp(path, "none"))
		return;
	FILE *out = *path ? fopen(path, "w") : stderr;
	bool worked = out;
	if (out) {
		(ordo_mpi_report_is_json(path) ? print_json : print_report)(out);
		worked = !ferror(out);
		worked = !(out == stderr ? fflush(out) : fclose(out)) && worked;
	}
	if (!worked)
		fprintf(stderr, "ordo: report: cannot write %s\n", path);
}

void ordo_mpi_report_again(void)
{
	is_registered = false;
	atomic_flag_clear(&has_registered);
}

void ordo_mpi_report_now(void)
{
	int rank = 0, nrank;
	is_registered = false;
	ordo_mpi_world_ranks(&rank, &nrank);
	if (!rank)
		write_report();
}

/* The first thing that MPI_Finalize does is to delete the attributes of MPI_COMM_SELF. */
static int at_end(MPI_Comm comm, int key, void *value, void *extra)
{
	(void)comm;
	(void)key;
	(void)value;
	(void)extra;
	ordo_mpi_report_now();
	return MPI_SUCCESS;
}

bool ordo_mpi_is_registered(void)
{
	return atomic_load_explicit(&is_registered, memory_order_relaxed);
}

void ordo_mpi_report_at_end(void)
{
	int key;
	if (ordo_mpi_is_registered())
		return;
	if (atomic_flag_test_and_set(&has_registered))
		return;
	if (!ordo_mpi_has_world()) { /* ended by the last session */
		is_registered = true;
		return;
	}
	if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &key, NULL) == MPI_SUCCESS)
		is_registered = PMPI_Comm_set_attr(MPI_COMM_SELF, key, NULL) == MPI_SUCCESS;
}

void ordo_mpi_abort(int status)
{
	const struct timespec moment = {0, 300000000};
	fflush(stderr);
	nanosleep(&moment, NULL);
	ordo_mpi_world_abort(status);
}

void ordo_mpi_refuse(enum ordo_mpi_function function, enum ordo_mpi_class class)
{
	int rank = 0, nrank;
	ordo_mpi_world_ranks(&rank, &nrank);
	fprintf(stderr, "ordo: strict: %s on rank %d is passed on, and its bits may vary: %s\n",
		ordo_mpi_function_name(function), rank, ordo_mpi_class_name(class));
	ordo_mpi_abort(1);
	abort();
}
