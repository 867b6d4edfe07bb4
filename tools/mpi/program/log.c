/* log.c - hashes of the inputs and outputs of every reduction. */
#include "log.h"
#include "accelerator/device.h"
#include "settings.h"
#include "world/world.h"
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

/* Elements that are packed at once. */
enum { PIECE = 4096 };

static FILE *file;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t ncall;
static intptr_t ncommunicator;
static int keyval = MPI_KEYVAL_INVALID;
static unsigned keyval_age;

bool ordo_mpi_log_open(char *why, size_t size)
{
	const char *folder = ordo_mpi_settings.log;
	char path[ORDO_MPI_PATH + 32];
	int rank, nrank;
	if (!*folder)
		return true;
	ordo_mpi_world_ranks(&rank, &nrank);
	if (mkdir(folder, 0777) && errno != EEXIST) {
		snprintf(why, size, "log: cannot make %s: %s", folder, strerror(errno));
		return false;
	}
	snprintf(path, sizeof path, "%s/rank-%d.log", folder, rank);
	file = fopen(path, "w");
	if (!file || setvbuf(file, NULL, _IOLBF, 1 << 16)) {
		snprintf(why, size, "log: cannot write %s: %s", path, strerror(errno));
		return false;
	}
	fprintf(file, "# ordo mpi log 1, rank %d of %d\n", rank, nrank);
	return true;
}

/* Some bytes of a long double hold nothing. */
static size_t bytes_used(MPI_Datatype datatype)
{
	return datatype == MPI_LONG_DOUBLE && sizeof(long double) == 16 ? 10 : 0;
}

static void add_used(XXH3_state_t *state, const char *data, MPI_Count n, size_t used)
{
	for (MPI_Count i = 0; i < n; i++)
		XXH3_64bits_update(state, data + (size_t)i * sizeof(long double), used);
}

static bool add_packed(
	XXH3_state_t *state, const char *data, MPI_Count n, MPI_Datatype datatype, MPI_Aint extent)
{
	int size = 0;
	PMPI_Pack_size(PIECE, datatype, ordo_mpi_self(), &size);
	char *packed = malloc((size_t)size + 1);
	for (MPI_Count i = 0; packed && i < n; i += PIECE) {
		int end = 0;
		PMPI_Pack(data + i * extent, (int)(n - i < PIECE ? n - i : PIECE), datatype, packed,
			size, &end, ordo_mpi_self());
		XXH3_64bits_update(state, packed, (size_t)end);
	}
	free(packed);
	return packed;
}

/* false: no memory, or that of a device, or MPI_BOTTOM, which MPICH does not pack. */
static bool hash(const void *data, MPI_Count n, MPI_Datatype datatype, uint64_t *result)
{
	MPI_Aint low, extent;
	int size;
	bool worked = true;
	XXH3_state_t *state =
		(n && !data) || ordo_mpi_is_on_device(data, NULL) ? NULL : XXH3_createState();
	if (!state)
		return false;
	XXH3_64bits_reset(state);
	PMPI_Type_get_extent(datatype, &low, &extent);
	PMPI_Type_size(datatype, &size);
	if (!n)
		worked = true;
	else if (bytes_used(datatype))
		add_used(state, data, n, bytes_used(datatype));
	else if (low == 0 && size == extent && !ordo_mpi_is_derived(datatype))
		XXH3_64bits_update(state, data, (size_t)n * (size_t)extent);
	else
		worked = add_packed(state, data, n, datatype, extent);
	*result = XXH3_64bits_digest(state);
	XXH3_freeState(state);
	return worked;
}

/* Its number among those that this rank used: the same in every run of a program. */
static intptr_t number_of(MPI_Comm comm)
{
	int is_there = 0;
	void *found = NULL;
	if (keyval == MPI_KEYVAL_INVALID || keyval_age != ordo_mpi_world_age())
		PMPI_Comm_create_keyval(
			MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
	keyval_age = ordo_mpi_world_age();
	PMPI_Comm_get_attr(comm, keyval, &found, &is_there);
	if (is_there)
		return (intptr_t)found;
	const intptr_t number = ncommunicator++;
	PMPI_Comm_set_attr(comm, keyval, (void *)number);
	return number;
}

/* Whether its elements are where we can read them. */
static bool is_readable(const struct mpi_log_line *line)
{
	return line->class != ORDO_MPI_INVALID && line->class != ORDO_MPI_BEING_FREED &&
	       line->class != ORDO_MPI_INTERCOMMUNICATOR && !ordo_mpi_is_own_reason(line->class) &&
	       line->class != ORDO_MPI_PREFIX;
}

static void hash_input(struct mpi_log_line *line, const struct ordo_mpi_call *call)
{
	const void *input = call->send == MPI_IN_PLACE ? call->receive : call->send;
	line->has_input = hash(input,
		ordo_mpi_length(call, line->nrank) *
			ordo_mpi_own_shards(call, line->rank, line->nrank),
		call->datatype, &line->input);
}

void ordo_mpi_log_begin(struct mpi_log_line *line, enum ordo_mpi_function function,
	enum ordo_mpi_class class, const struct ordo_mpi_call *call)
{
	*line = (struct mpi_log_line){.is_on = file, .function = function, .class = class};
	if (!file)
		return;
	const bool is_known = is_readable(line);
	pthread_mutex_lock(&lock);
	line->number = ncall++;
	if (is_known)
		line->communicator = number_of(call->comm);
	pthread_mutex_unlock(&lock);
	if (!is_known)
		return;
	PMPI_Comm_size(call->comm, &line->nrank);
	PMPI_Comm_rank(call->comm, &line->rank);
	hash_input(line, call);
}

void ordo_mpi_log_again(struct mpi_log_line *line, const struct ordo_mpi_call *call)
{
	line->is_on = file;
	if (!file)
		return;
	pthread_mutex_lock(&lock);
	line->number = ncall++;
	pthread_mutex_unlock(&lock);
	hash_input(line, call);
}

const char *ordo_mpi_op_name(MPI_Op op)
{
	const struct {
		MPI_Op op;
		const char *name;
	} names[] = {{MPI_SUM, "MPI_SUM"}, {MPI_PROD, "MPI_PROD"}, {MPI_MIN, "MPI_MIN"},
		{MPI_MAX, "MPI_MAX"}, {MPI_LAND, "MPI_LAND"}, {MPI_LOR, "MPI_LOR"},
		{MPI_LXOR, "MPI_LXOR"}, {MPI_BAND, "MPI_BAND"}, {MPI_BOR, "MPI_BOR"},
		{MPI_BXOR, "MPI_BXOR"}, {MPI_MINLOC, "MPI_MINLOC"}, {MPI_MAXLOC, "MPI_MAXLOC"}};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (op == names[i].op)
			return names[i].name;
	return "user";
}

/* One field: without spaces, and not empty. */
static void print_field(const char *text)
{
	fputc(' ', file);
	for (const char *at = *text ? text : "derived"; *at; at++)
		fputc(*at == ' ' ? '-' : *at, file);
}

static void print_hash(bool is_there, uint64_t hash)
{
	if (is_there)
		fprintf(file, " %016" PRIx64, hash);
	else
		fputs(" -", file);
}

static void print_call(const struct ordo_mpi_call *call, const struct mpi_log_line *line)
{
	char datatype[MPI_MAX_OBJECT_NAME + 1] = "";
	int n = 0;
	fprintf(file, "%" PRIu64 " %" PRIdPTR "/%d", line->number, line->communicator, line->nrank);
	print_field(ordo_mpi_function_name(line->function));
	print_field(ordo_mpi_op_name(call->op));
	if (!ordo_mpi_is_derived(call->datatype))
		PMPI_Type_get_name(call->datatype, datatype, &n);
	print_field(datatype);
	fprintf(file, " %lld", (long long)ordo_mpi_length(call, line->nrank));
}

void ordo_mpi_log_end(struct mpi_log_line *line, const struct ordo_mpi_call *call, int code)
{
	uint64_t output = 0;
	if (!line->is_on)
		return;
	const bool is_known = is_readable(line);
	const MPI_Count n = is_known ? ordo_mpi_block(call, line->rank) : 0;
	const bool has_output = is_known && code == MPI_SUCCESS &&
				(call->operation != ORDO_MPI_REDUCE || line->rank == call->root) &&
				hash(call->receive, n, call->datatype, &output);
	pthread_mutex_lock(&lock);
	if (is_known)
		print_call(call, line);
	else
		fprintf(file, "%" PRIu64 " - %s - - -", line->number,
			ordo_mpi_function_name(line->function));
	print_hash(line->has_input, line->input);
	print_hash(has_output, output);
	print_field(ordo_mpi_class_name(line->class));
	fputc('\n', file);
	pthread_mutex_unlock(&lock);
	line->is_on = false;
}
