/* test_round_trip.c - the moves of every algorithm, written, read and compiled, give the bytes of
 * its schedule.
 *
 * Arguments: first and last number of ranks (1 5), every how manieth request (1), a topology
 * (none), effort 1 or 2 (1): with 2 all roots, chunks and values of parameters.
 */
#include "specimens.h"
#include <ordo/builder.h>
#include <ordo/detail/documents.h>
#include <ordo/detail/program_moves.h>
#include <ordo/read_moves.h>
#include <stdlib.h>
#include <string.h>

struct effort {
	const struct ordo_topology *topology;
	uint32_t wrong, ways;
};

struct text {
	char *bytes;
	size_t size;
};

static void complain(struct effort *effort, const struct specimen *specimen, const char *what)
{
	if (effort->wrong++ < 5)
		printf("%s: %s\n", specimen->title, what);
}

static struct text print_schedule(const struct ordo_schedule *schedule)
{
	struct text text = {0};
	FILE *out = open_memstream(&text.bytes, &text.size);
	if (!out || !ordo_schedule_print(schedule, out, NULL) || fclose(out))
		abort();
	return text;
}

static struct text print_moves(const struct ordo_moves *moves)
{
	struct text text = {0};
	FILE *out = open_memstream(&text.bytes, &text.size);
	if (!out || !ordo_moves_print(moves, out, NULL) || fclose(out))
		abort();
	return text;
}

static bool is_same(struct text one, struct text other)
{
	const bool same = one.size == other.size && !memcmp(one.bytes, other.bytes, one.size);
	free(one.bytes);
	free(other.bytes);
	return same;
}

static void compare(struct effort *effort, const struct specimen *specimen,
	const struct ordo_moves *moves, const struct ordo_schedule *schedule)
{
	const struct ordo_request request = {.topology = effort->topology, .unproved = true};
	struct ordo_error error = {0};
	struct text text = print_moves(moves);
	struct ordo_moves *read = ordo_moves_read_text(text.bytes, text.size, "moves", &error);
	struct ordo_schedule *compiled = read ? ordo_compile_moves(read, &request, &error) : NULL;
	effort->ways += read ? read->nway : 0;
	if (!compiled)
		complain(effort, specimen, error.text);
	else if (!is_same(print_schedule(compiled), print_schedule(schedule)))
		complain(effort, specimen, "compiles to another schedule");
	if (read && !is_same(text, print_moves(read)))
		complain(effort, specimen, "what is read is written otherwise");
	else if (!read)
		free(text.bytes);
	ordo_schedule_destroy(compiled);
	ordo_moves_destroy(read);
}

static void check_specimen(
	const struct specimen *specimen, const struct ordo_schedule *schedule, void *closure)
{
	struct effort *effort = closure;
	struct ordo_error error = {0};
	const struct ordo_request request = {.problem = specimen->problem,
		.algorithm = specimen->algorithm,
		.topology = effort->topology};
	struct ordo_moves *moves = ordo_moves_of(&request, schedule, &error);
	if (moves)
		compare(effort, specimen, moves, schedule);
	else
		complain(effort, specimen, error.text);
	ordo_moves_destroy(moves);
}

int main(int argc, char **argv)
{
	struct specimen_range range = {.first_rank = argc > 1 ? (uint32_t)atoi(argv[1]) : 1,
		.last_rank = argc > 2 ? (uint32_t)atoi(argv[2]) : 5,
		.every = argc > 3 ? (uint32_t)atoi(argv[3]) : 1,
		.all_parameters = true};
	struct effort effort = {0};
	struct ordo_error error;
	struct ordo_topology *topology = NULL;
	if (argc > 4 && strcmp(argv[4], "none")) {
		topology = ordo_topology_make(argv[4], range.last_rank, &error);
		if (!topology) {
			ordo_error_write(&error, stderr);
			return 1;
		}
	}
	range.all_roots = range.all_chunks = argc > 5 && atoi(argv[5]) == 2;
	range.topology = effort.topology = topology;
	const struct specimen_count count = visit_specimens(&range, check_specimen, &effort);
	printf("%u schedules, %u ways, %u failed, %u wrong\n", count.visited, effort.ways,
		count.failed, effort.wrong);
	ordo_topology_destroy(topology);
	return effort.wrong || count.failed || !count.visited;
}
