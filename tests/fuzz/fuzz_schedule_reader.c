/* fuzz_schedule_reader.c - any text as a schedule: both ways of reading agree, what is read is what
 * cJSON sees, and what is written reads back.
 */
#include <cjson/cJSON.h>
#include <ordo/document.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size);

static void demand(bool truth, const char *sentence)
{
	if (truth)
		return;
	fprintf(stderr, "not true: %s\n", sentence);
	abort();
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static void demand_same_error(const struct ordo_error *a, const struct ordo_error *b)
{
	demand(a->code == b->code && a->rule == b->rule, "both ways find the same rule broken");
	demand(a->line == b->line && a->column == b->column, "both ways find it at the same place");
	demand(!strcmp(a->text, b->text) && !strcmp(a->hint, b->hint), "both ways say the same");
}

static void demand_same_schedule(const struct ordo_schedule *a, const struct ordo_schedule *b)
{
	demand(!memcmp(&a->problem, &b->problem, sizeof a->problem),
		"both ways read the same problem");
	demand(same_text(a->algorithm, b->algorithm) && same_text(a->extra, b->extra) &&
			same_text(a->topology_name, b->topology_name) &&
			same_text(a->topology_digest, b->topology_digest),
		"both ways read the same texts");
	demand(a->nphase == b->nphase && a->nstream == b->nstream && a->ntask == b->ntask,
		"both ways count the same");
	demand(!a->ntask || (!memcmp(a->tasks, b->tasks, a->ntask * sizeof *a->tasks) &&
				    !memcmp(a->places, b->places, a->ntask * sizeof *a->places)),
		"both ways read the same tasks at the same places");
	demand(!memcmp(a->programs, b->programs, a->problem.nrank * sizeof *a->programs),
		"both ways read the same programs");
	for (uint32_t i = 0; i < a->nstream; i++)
		demand(a->streams[i].rank == b->streams[i].rank &&
				a->streams[i].first == b->streams[i].first &&
				a->streams[i].end == b->streams[i].end &&
				!strcmp(a->streams[i].name, b->streams[i].name),
			"both ways read the same streams");
}

static bool has_number(const cJSON *object, const char *key, uint32_t number)
{
	const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);
	return cJSON_IsNumber(value) && value->valuedouble == (double)number;
}

static bool has_slice(const cJSON *object, const char *key, uint32_t buffer, uint32_t slot)
{
	const cJSON *slice = cJSON_GetObjectItemCaseSensitive(object, key);
	const cJSON *name = cJSON_GetArrayItem(slice, 0), *number = cJSON_GetArrayItem(slice, 1);
	return cJSON_GetArraySize(slice) == 2 && cJSON_IsString(name) &&
	       !strcmp(name->valuestring, ordo_buffer_name((enum ordo_buffer)buffer)) &&
	       cJSON_IsNumber(number) && number->valuedouble == (double)slot;
}

static bool is_task(const cJSON *object, const struct ordo_task *task)
{
	const cJSON *kind = cJSON_GetObjectItemCaseSensitive(object, "task");
	bool count_left_out =
		task->count == 1 && !cJSON_GetObjectItemCaseSensitive(object, "count");
	bool phase_left_out =
		task->phase == ORDO_NO_PHASE && !cJSON_GetObjectItemCaseSensitive(object, "phase");
	if (!cJSON_IsString(kind) ||
		strcmp(kind->valuestring, ordo_task_kind_name((enum ordo_task_kind)task->kind)) !=
			0 ||
		(!phase_left_out && !has_number(object, "phase", task->phase)) ||
		(ordo_task_crosses(task) && !has_number(object, "peer", task->peer)))
		return false;
	if (!ordo_task_moves(task))
		return has_number(object, "signal", task->signal);
	return has_number(object, "chunk", task->chunk) &&
	       (count_left_out || has_number(object, "count", task->count)) &&
	       has_slice(object, "src", task->src_buffer, task->src) &&
	       has_slice(object, "dst", task->dst_buffer, task->dst);
}

/* The tasks in the order of the text, which is the order they are kept in. */
static void demand_what_cjson_sees(
	const struct ordo_schedule *schedule, const uint8_t *text, size_t size)
{
	cJSON *document = cJSON_ParseWithLength((const char *)text, size);
	const cJSON *program, *stream, *task;
	uint32_t ntask = 0;
	demand(document, "cJSON takes what is taken");
	cJSON_ArrayForEach(program, cJSON_GetObjectItemCaseSensitive(document, "programs"))
	{
		cJSON_ArrayForEach(stream, cJSON_GetObjectItemCaseSensitive(program, "streams"))
		{
			cJSON_ArrayForEach(task, cJSON_GetObjectItemCaseSensitive(stream, "tasks"))
			{
				demand(ntask < schedule->ntask &&
						is_task(task, &schedule->tasks[ntask]),
					"a task is what cJSON sees");
				ntask++;
			}
		}
	}
	demand(ntask == schedule->ntask, "there are as many tasks as cJSON sees");
	cJSON_Delete(document);
}

static char *print(const struct ordo_schedule *schedule, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);
	demand(out && ordo_schedule_print(schedule, out, NULL) && !fclose(out),
		"what is read can be written");
	return text;
}

static void demand_round_trip(const struct ordo_schedule *schedule)
{
	size_t once_size, twice_size;
	char *once = print(schedule, &once_size);
	struct ordo_schedule *again = ordo_schedule_read_text(once, once_size, "again", NULL, NULL);
	demand(again, "what is written can be read");
	char *twice = print(again, &twice_size);
	demand(once_size == twice_size && !memcmp(once, twice, once_size),
		"writing what was written gives the same bytes");
	free(once);
	free(twice);
	ordo_schedule_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size)
{
	struct ordo_error scan_error = {0}, cjson_error = {0};
	const struct ordo_read_options only_cjson = {.only_cjson = true};
	struct ordo_schedule *scanned =
		ordo_schedule_read_text((const char *)text, size, "fuzz", NULL, &scan_error);
	struct ordo_schedule *judged = ordo_schedule_read_text(
		(const char *)text, size, "fuzz", &only_cjson, &cjson_error);
	demand(!scanned == !judged, "both ways take or refuse");
	if (scanned) {
		demand_same_schedule(scanned, judged);
		demand_what_cjson_sees(scanned, text, size);
		demand_round_trip(scanned);
	} else {
		demand_same_error(&scan_error, &cjson_error);
		demand(scan_error.rule == 1 || scan_error.rule == 2, "a refusal names R1 or R2");
		demand(scan_error.line && scan_error.column, "a refusal names its place");
	}
	ordo_schedule_destroy(scanned);
	ordo_schedule_destroy(judged);
	return 0;
}
