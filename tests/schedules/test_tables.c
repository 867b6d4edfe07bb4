/* test_tables.c - no document makes a hash table slow.
 *
 * What is under test is compiled with the tables counting how often they look further. This process
 * knows its own seed, and makes documents all of whose keys meet in one place: here the tables look
 * further n*n/2 times, which shows that the attack is one. A second process, which has a seed of
 * its own, reads the same documents.
 */
#include <ordo/document.h>
#include <ordo/hash_seed.h>
#include <ordo/map.h>
#include <ordo/runtime.h>
#include <ordo/verify.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka needs four of the above. */
#include <cmocka.h>

/* So many keys, at most; a table of so many has at least so many places. */
enum { NKEY = 1500, PLACES = 2048, NATTACK = 4 };

uint64_t ordo_nprobe;

static const char *self;
static char folder[] = "/tmp/ordo-tables-XXXXXX";

/* The keys (first, n) that meet in place 0 of every table of at most PLACES places, NKEY of
 * them. */
static void find_keys(uint32_t first, uint32_t *keys)
{
	const struct ordo_hash_seed seed = ordo_hash_seed();
	uint32_t found = 0;
	for (uint32_t n = 0; found < NKEY && n < ORDO_LIMIT; n++)
		if (!(ordo_hash_pair(&seed, first, n) & (PLACES - 1)))
			keys[found++] = n;
	assert_int_equal(found, NKEY);
}

static void path_of(char path[64], int attack)
{
	snprintf(path, 64, "%s/%d.json", folder, attack);
}

/* Programs of ranks that meet, and that are not there: refused in the end. */
static void write_ranks(const char *path)
{
	const struct ordo_hash_seed seed = ordo_hash_seed();
	FILE *out = fopen(path, "w");
	assert_non_null(out);
	fputs("{\"schema\": \"ordo/schedule/1\", \"operator\": \"AllReduce\", \"algorithm\": "
	      "\"none\",\n"
	      " \"ranks\": 4, \"chunks_per_block\": 1, \"scratch_slots\": 0, \"in_place\": false,\n"
	      " \"programs\": [\n",
		out);
	for (uint32_t rank = 0, found = 0; found < NKEY; rank++)
		if (!(ordo_hash_pair(&seed, rank, 0) & (PLACES - 1)))
			fprintf(out, "%s{\"rank\": %u, \"streams\": []}\n", found++ ? "," : "",
				rank);
	fputs("]}\n", out);
	assert_int_equal(fclose(out), 0);
}

static void append_all(
	struct ordo_schedule *schedule, enum ordo_task_kind kind, const uint32_t *keys)
{
	const struct ordo_task other = {.kind = (unsigned)kind & 7,
		.peer = kind == ORDO_WAIT ? 0 : 1,
		.phase = ORDO_NO_PHASE};
	assert_true(ordo_schedule_begin_stream(schedule, kind == ORDO_WAIT ? 1 : 0, "main", NULL));
	for (int i = 0; i < NKEY; i++) {
		struct ordo_task task = other;
		task.signal = keys[i];
		assert_true(ordo_schedule_append(schedule, &task, NULL));
	}
}

/* Rank 0 notifies rank 1 by signals that meet. */
static void write_signals(const char *path, uint32_t first)
{
	const struct ordo_problem problem = {
		.op = ORDO_ALLREDUCE, .nrank = 4, .nshard = 4, .chunks_per_block = 1};
	struct ordo_schedule *schedule = ordo_schedule_create(&problem, "none", NULL);
	uint32_t keys[NKEY];
	find_keys(first, keys);
	assert_non_null(schedule);
	append_all(schedule, ORDO_NOTIFY, keys);
	append_all(schedule, ORDO_WAIT, keys);
	assert_true(ordo_schedule_write(schedule, path, NULL, NULL, NULL));
	ordo_schedule_destroy(schedule);
}

static void read_ranks(const char *path)
{
	struct ordo_error error = {0};
	assert_null(ordo_schedule_read(path, NULL, &error));
	assert_int_equal(error.rule, 2);
}

static void verify_signals(const char *path)
{
	struct ordo_schedule *schedule = ordo_schedule_read(path, NULL, NULL);
	assert_non_null(schedule);
	ordo_nprobe = 0;
	struct ordo_proof *proof = ordo_verify(schedule, NULL, NULL);
	assert_non_null(proof);
	assert_int_equal(proof->nsignal, NKEY);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
}

static void bind_signals(const char *path)
{
	const struct ordo_plan_options options = {.type = ORDO_F32, .count = 1};
	struct ordo_schedule *schedule = ordo_schedule_read(path, NULL, NULL);
	assert_non_null(schedule);
	ordo_nprobe = 0;
	struct ordo_plan *plan = ordo_plan_create(schedule, &options, NULL);
	assert_non_null(plan);
	ordo_plan_destroy(plan);
	ordo_schedule_destroy(schedule);
}

/* Keys as plain numbers, for the compiler's table, into which no document leads. */
static void write_numbers(const char *path)
{
	uint32_t keys[NKEY];
	FILE *out = fopen(path, "w");
	find_keys(7, keys);
	assert_non_null(out);
	assert_int_equal(fwrite(keys, sizeof *keys, NKEY, out), NKEY);
	assert_int_equal(fclose(out), 0);
}

static void map_numbers(const char *path)
{
	struct ordo_map map = {0};
	uint32_t keys[NKEY];
	FILE *in = fopen(path, "r");
	assert_non_null(in);
	assert_int_equal(fread(keys, sizeof *keys, NKEY, in), NKEY);
	fclose(in);
	for (uint32_t i = 0; i < NKEY; i++) {
		uint32_t *value = ordo_map_at(&map, 7, keys[i]);
		assert_non_null(value);
		assert_int_equal(*value, ORDO_NONE);
		*value = i;
	}
	for (uint32_t i = 0; i < NKEY; i++)
		assert_int_equal(ordo_map_get(&map, 7, keys[i]), i);
	ordo_map_free(&map);
}

/* How often the tables look further in an attack. */
static uint64_t suffer(int attack)
{
	static void (*const attacks[NATTACK])(const char *) = {
		read_ranks, verify_signals, bind_signals, map_numbers};
	char path[64];
	path_of(path, attack);
	ordo_nprobe = 0;
	attacks[attack](path);
	return ordo_nprobe;
}

/* The same in a process that begins now. */
static uint64_t suffer_elsewhere(int attack)
{
	char command[512];
	unsigned long long nprobe = 0;
	snprintf(command, sizeof command, "'%s' %d '%s'", self, attack, folder);
	FILE *other = popen(command, "r");
	assert_non_null(other);
	assert_int_equal(fscanf(other, "%llu", &nprobe), 1);
	assert_int_equal(pclose(other), 0);
	return nprobe;
}

static void judge(int attack)
{
	char path[64];
	const uint64_t here = suffer(attack), elsewhere = suffer_elsewhere(attack);
	print_message("# looked further: %llu times by one who knows the seed, %llu by one who "
		      "does not\n",
		(unsigned long long)here, (unsigned long long)elsewhere);
	path_of(path, attack);
	remove(path);
	assert_true(here > (uint64_t)NKEY * NKEY / 4);
	assert_true(elsewhere < 16 * NKEY);
}

static void ranks_of_a_document(void **state)
{
	char path[64];
	(void)state;
	path_of(path, 0);
	write_ranks(path);
	judge(0);
}

static void signals_of_a_proof(void **state)
{
	const uint32_t channel = 0 * 4 + 1; /* from 0 to 1 of 4 ranks */
	char path[64];
	(void)state;
	path_of(path, 1);
	write_signals(path, channel);
	judge(1);
}

static void signals_of_a_plan(void **state)
{
	const uint32_t channel = 0 * 4 + 1;
	char path[64];
	(void)state;
	path_of(path, 2);
	write_signals(path, channel);
	judge(2);
}

static void the_table_of_the_compiler(void **state)
{
	char path[64];
	(void)state;
	path_of(path, 3);
	write_numbers(path);
	judge(3);
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

int main(int argc, char **argv)
{
	if (argc == 3) {
		snprintf(folder, sizeof folder, "%s", argv[2]);
		printf("%llu\n", (unsigned long long)suffer(atoi(argv[1])));
		return 0;
	}
	self = argv[0];
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_of_a_document),
		cmocka_unit_test(signals_of_a_proof),
		cmocka_unit_test(signals_of_a_plan),
		cmocka_unit_test(the_table_of_the_compiler),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
